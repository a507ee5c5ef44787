"""The five tests: each does what its name says, at every size and along every axis."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.spaces import refined
from neurok.commands.test import NAMES
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import box
from neurok.kinematics.choose import rigid_space
from neurok.mechanics import named_tests
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.named_tests import TESTS, build_test
from neurok.mechanics.simulate import animate
from neurok.opening import assign_by, choose_kinematics

G = 9.81


def brick(up: str = "z", size: float = 1.0) -> Mesh:
    shape = box(0.2 * size, 0.3 * size, 0.1 * size)
    return replace(shape.with_vertices(shape.vertices + [7 * size, 0, 0]), up=up)


def run(name: str, mesh: Mesh, seconds: float, **stated):
    conditions = replace(build_test(name, mesh, Conditions(**stated)), damping=0.0, seconds=seconds, fps=10 / seconds)
    motion = animate(rigid_space(mesh), conditions)
    way = motion.bases[:, :3, 3]  # of the middle, about which the base turns
    return motion, way @ mesh.up_axis, way


def test_the_verb_knows_all_tests():
    assert NAMES == (*TESTS, "all")


@pytest.mark.parametrize("up, size", [("y", 1.0), ("z", 0.01)])
def test_drop_falls_half_its_size(up, size):
    mesh = brick(up, size)
    time = np.sqrt(mesh.diagonal / G)  # of a fall from half the diagonal
    motion, height, _ = run("drop", mesh, 2.0 * time, material="wet_clay")
    falling = motion.time < 0.9 * time
    np.testing.assert_allclose(height[falling], -0.5 * G * motion.time[falling] ** 2, atol=1e-6 * size)
    assert height[-1] == pytest.approx(-0.5 * mesh.diagonal, rel=0.06)


def test_throw_rises_flies_and_turns_as_it_says():
    mesh = brick()
    rise = np.sqrt(2 * G * 0.4 * mesh.diagonal)
    motion, height, way = run("throw", mesh, 1.9 * rise / G)
    assert motion.contacts.sum() == 0
    assert height.max() == pytest.approx(0.4 * mesh.diagonal, rel=0.02)
    assert np.linalg.norm(way[-1] - height[-1] * mesh.up_axis) == pytest.approx(0.95 * mesh.diagonal, rel=0.02)
    cosine = (np.trace(motion.bases[-1][:3, :3]) - 1) / 2
    assert np.arccos(cosine) == pytest.approx(named_tests.THROW_SPIN * motion.time[-1], rel=0.02)


@pytest.mark.parametrize("material, slides", [("hardwood", True), ("rubber", False)])
def test_tilt_tells_wood_from_rubber(material, slides):
    mesh = brick()
    motion, _, way = run("tilt", mesh, 0.5, material=material)
    if slides:
        acceleration = G * (np.sin(named_tests.TILT) - 0.45 * np.cos(named_tests.TILT))
        assert np.linalg.norm(way[-1]) == pytest.approx(0.5 * acceleration * 0.5**2, rel=0.05)
    else:
        assert np.linalg.norm(way[-1]) < 1e-3


def test_drag_takes_the_point_where_it_says():
    mesh = brick()
    conditions = build_test("drag", mesh)
    (pull,) = conditions.pulls
    motion = animate(rigid_space(mesh), replace(conditions, seconds=pull.end))
    vertex = int(np.argmin(np.linalg.norm(mesh.vertices - pull.point, axis=1)))
    moved = motion.motion().frame(-1)[vertex] - mesh.vertices[vertex]
    np.testing.assert_allclose(moved, pull.by, atol=0.01 * mesh.diagonal)


def test_wind_takes_foam_and_leaves_stone():
    mesh = brick()
    foam, stone = (np.linalg.norm(run("wind", mesh, 0.5, material=name)[2][-1]) for name in ("styrofoam", "stone"))
    assert stone < 1e-3 < 0.05 < foam


def test_what_deforms_is_thrown_as_a_whole():
    """Few points that are given speed would be plucked out of what is soft: its middle flies as a brick's does."""
    mesh = refined(box(0.4, 0.3, 0.2), 100)
    foam = Conditions(material="foam")
    conditions = replace(build_test("throw", mesh, foam), damping=0.0, seconds=0.3)
    space = choose_kinematics(mesh, base="free", assign=assign_by(foam)).space
    motion = animate(space, conditions).motion()
    middle = np.array([motion.frame(i).mean(axis=0) for i in range(motion.frame_count)])
    t = np.arange(motion.frame_count) / conditions.fps
    rise = np.sqrt(2 * G * 0.4 * mesh.diagonal)
    flight = rise * t - 0.5 * G * t**2
    np.testing.assert_allclose((middle - middle[0]) @ mesh.up_axis, flight, atol=0.03 * mesh.diagonal)
