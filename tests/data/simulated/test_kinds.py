"""Simulated objects obey what physics and their supports demand: sag, held places, lengths, volumes."""

import numpy as np
import pytest

from neurok.data import simulated
from neurok.data.simulated.chain import Chain, simulate_chains
from neurok.data.simulated.paths import evaluate_pulse
from neurok.data.simulated.sheet import Sheet, simulate_cloth
from neurok.data.simulated.solid import FLOOR, HARD_CONTACT, SoftSolid, format_slope, simulate_solid
from neurok.data.simulated.surfaces import make_pillow, make_toy
from neurok.errors import NeurokError
from neurok.geometry.measure import compute_volume, is_closed
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import rounded_box
from tests.data.simulated.scenes import still_air

pytest.importorskip("mujoco")

# One of each family: cloth, solid, rod.
FAMILIES = ("flag", "jelly", "reeds")


@pytest.fixture(scope="module")
def clips():
    return {kind: simulated.make(kind, 3) for kind in FAMILIES}


@pytest.mark.parametrize("kind", FAMILIES)
def test_surfaces_are_plausible_and_rest_is_the_first_frame(clips, kind):
    clip = clips[kind]
    assert 300 <= clip.mesh.vertex_count <= 4000
    assert np.all(np.isfinite(clip.frames))
    assert np.array_equal(clip.frames[0], clip.mesh.vertices)
    assert clip.mesh.up == "z" and is_closed(clip.mesh)


@pytest.mark.parametrize("kind", FAMILIES)
def test_what_is_held_stays_and_the_rest_moves(clips, kind):
    clip = clips[kind]
    apart = np.linalg.norm(clip.frames - clip.frames[0], axis=2).max(axis=0)
    assert len(clip.held) and apart.max() > 0.02 * clip.mesh.diagonal
    # Held cloth keeps its midline; its two faces turn about it, by their thickness at most.
    assert apart[clip.held].max() < (0.012 if kind == "flag" else 1e-9)


def test_a_hanging_cloth_sags_in_the_middle_and_its_corners_stay():
    x, y = np.meshgrid(np.linspace(0, 1, 11), np.linspace(0, 1, 11))
    corners = np.array([0, 10, 110, 120])
    sheet = Sheet(np.stack([x, y, 0 * x + 1.0], axis=2), corners, young=1e5, damping=5e-3)
    clip = simulate_cloth(sheet, 1.5, force=sheet.make_wind_force(still_air()))
    middle = np.argmin(np.linalg.norm(clip.mesh.vertices[:, :2] - 0.5, axis=1))
    assert clip.frames[-1, middle, 2] < 1.0 - 0.05
    assert clip.frames[-1, :, 2].min() > -0.2  # it hangs on
    assert np.linalg.norm(clip.frames[:, clip.held] - clip.frames[0, clip.held], axis=2).max() < 0.01


def test_a_rope_keeps_its_length_and_hangs_down():
    path = np.linspace((0.0, 0.0, 1.0), (0.8, 0.0, 1.0), 13)  # held out sideways, let go
    chain = Chain(path, _tube(path), 0.01, 1e-3, damping=0.3)
    clip = simulate_chains([chain], 1.5, force=lambda t, x, v: -2.0 * chain.masses[:, None] * v)
    lines = clip.frames.reshape(len(clip.frames), len(path), 4, 3).mean(axis=2)
    lengths = np.linalg.norm(np.diff(lines, axis=1), axis=2).sum(axis=1)
    assert lengths == pytest.approx(0.8, rel=0.04)
    assert lines[:, -1, 2].min() < 0.4


def test_stiffness_bends_a_rod_as_the_beam_equation_says():
    """Tip load F on a clamped rod: deflection F l^3 / (3 E I)."""
    path = np.linspace((0.0, 0.0, 0.0), (0.0, 0.0, 0.5), 26)
    stiffness, load = 0.5, 0.2
    chain = Chain(path, _tube(path), 0.01, stiffness, density=50.0, damping=0.05)
    push = np.zeros((25, 3))
    push[-1, 0] = load
    clip = simulate_chains([chain], 2.0, force=lambda t, x, v: push, gravity=lambda t: np.zeros(3))
    tip = clip.frames[-1].reshape(len(path), 4, 3).mean(axis=1)[-1, 0]
    assert tip == pytest.approx(load * 0.5**3 / (3 * stiffness), rel=0.12)


def test_a_squeezed_solid_gives_way_and_roughly_keeps_its_volume():
    mesh = rounded_box(0.2, 0.2, 0.2, 0.03, cells=4)
    mesh = Mesh(mesh.vertices + (0, 0, 0.1), mesh.faces, up="z")
    board = f'<geom type="box" size="0.3 0.3 0.05" {HARD_CONTACT}/>'
    solid = SoftSolid(mesh, (3, 3, 3), density=300.0, young=1e4, poisson=0.4, hands=(board,))
    clip = simulate_solid(
        solid, 1.0, hands=lambda t: np.array([[0, 0, 0.26 - 0.06 * evaluate_pulse(t, 1.0)]]), ground=FLOOR
    )
    heights = np.ptp(clip.frames[:, :, 2], axis=1)
    assert heights.min() < 0.17 and heights[-1] > 0.19  # pressed, and back again
    volumes = [compute_volume(clip.mesh.with_vertices(frame)) for frame in clip.frames]
    assert 0.75 < min(volumes) / volumes[0] and max(volumes) / volumes[0] < 1.1


def test_a_tilted_ground_is_where_a_thrown_solid_comes_to_lie():
    mesh, normal = make_pillow(np.random.default_rng(1)), np.array([0.0, 0.6, 0.8])
    lowest = float((mesh.vertices @ normal).min())
    solid = SoftSolid(mesh, (3, 3, 2), density=80.0, young=3e3, poisson=0.2)
    ground = format_slope(normal, (lowest - 0.05) * normal)
    clip = simulate_solid(solid, 0.6, ground=ground, gravity=lambda t: -9.81 * normal)
    height = (clip.frames @ normal).min(axis=1)
    assert height[0] == pytest.approx(lowest, abs=1e-3)
    assert height[-1] == pytest.approx(lowest - 0.05, abs=0.01)


@pytest.mark.parametrize("shape", [make_pillow, make_toy])
def test_soft_surfaces_are_closed_and_stand_on_the_ground(shape):
    for seed in range(5):
        mesh = shape(np.random.default_rng(seed))
        assert is_closed(mesh) and compute_volume(mesh) > 0
        assert mesh.vertices[:, 2].min() == pytest.approx(0.0, abs=1e-9)


def test_there_are_at_least_twelve_kinds_and_unknown_ones_are_named():
    assert len(simulated.list_kinds()) >= 12
    with pytest.raises(NeurokError, match="unknown kind 'cloud'.*flag"):
        simulated.make("cloud", 0)


def _tube(path):
    """Four points around each point of a straight path: a square tube, whose middle line is easily found again."""
    along = path[-1] - path[0]
    side = np.cross(along, (0.0, 1.0, 0.0)) / np.linalg.norm(np.cross(along, (0.0, 1.0, 0.0)))
    around = 0.01 * np.array([side, (0.0, 1.0, 0.0), -side, (0.0, -1.0, 0.0)])
    points = (path[:, None] + around).reshape(-1, 3)
    i = np.arange(len(path) - 1)[:, None] * 4 + np.arange(4)
    j = np.arange(len(path) - 1)[:, None] * 4 + np.roll(np.arange(4), -1)
    faces = np.concatenate([np.stack([i, j, j + 4], axis=2), np.stack([i, j + 4, i + 4], axis=2)]).reshape(-1, 3)
    return Mesh(points, faces, up="z")
