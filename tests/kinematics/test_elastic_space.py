"""Elastic spaces of meshes against beam theory, and what they do in motion: sag, swing, contrasts, joints."""

import numpy as np
import pytest
import torch

from neurok.elastic.matter import FaceMaterials, Hooke
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Mesh, Part
from neurok.geometry.primitives import box
from neurok.geometry.surface import find_nearest
from neurok.kinematics.elastic_space import elastic_space
from neurok.kinematics.jet import forward_jet
from neurok.mechanics.conditions import Conditions, Start
from neurok.mechanics.lagrangian import evaluate
from neurok.mechanics.scene import build_scene
from neurok.mechanics.simulate import animate

BENDING = np.array([1.8751, 4.6941, 7.8548])  # of a cantilever: roots of cos x cosh x = -1
STEEL, WOOD, RUBBER = Hooke(2e11, 0.3, 7850.0), Hooke(1.1e10, 0.35, 600.0), Hooke(5e6, 0.45, 1100.0)


def _beam(length, wide, thick, unit=1.0):
    """A beam that stands on its end and points along x."""
    mesh = box(length, wide, thick)
    return Mesh((mesh.vertices - mesh.bounds[0]) / unit, mesh.faces, up="x", unit=unit)


def _made(mesh, *materials, index=None):
    index = np.zeros(mesh.face_count, dtype=int) if index is None else index
    return FaceMaterials(index, np.full(mesh.face_count, 0.01), materials)


def _stack(*meshes, up="z"):
    """Boxes as the parts of one mesh."""
    starts = np.cumsum([0] + [m.vertex_count for m in meshes])
    return Mesh(
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.faces + start for m, start in zip(meshes, starts)]),
        parts=tuple(Part(f"part{i}") for i in range(len(meshes))),
        face_part=np.repeat(np.arange(len(meshes)), [m.face_count for m in meshes]),
        up=up,
    )


def _lift(mesh, by):
    return Mesh(mesh.vertices + by, mesh.faces)


@pytest.mark.parametrize(
    "material, size, unit",
    [(STEEL, (1.0, 0.03, 0.025), 0.001), (WOOD, (1.0, 0.03, 0.025), 1.0), (RUBBER, (0.1, 0.0015, 0.00125), 1.0)],
)
def test_a_cantilever_vibrates_and_sags_as_beam_theory_says(material, size, unit):
    L, b, t = size
    mesh = _beam(*size, unit=unit)
    space = elastic_space(mesh, _made(mesh, material), count=12)
    gravity = 9.81e-2  # little, so that the sag of rubber stays small
    scene = build_scene(space, Conditions(gravity=(0, 0, -gravity)))
    rest = np.zeros(space.size)
    terms = evaluate(scene.system, space, rest, rest, 0.0)
    rates = np.sqrt(np.linalg.eigvals(np.linalg.solve(terms.mass, terms.stiffness)).real)
    theory = BENDING**2 * np.sqrt(material.young * t**2 / (12 * material.density * L**4))
    nearest = np.array([rates[np.abs(rates - w).argmin()] for w in theory])
    np.testing.assert_allclose(nearest, theory, rtol=0.03)
    assert scene.masses.total == pytest.approx(material.density * L * b * t, rel=1e-3)
    q = np.linalg.solve(terms.stiffness, terms.force)
    tip = find_nearest(mesh, np.array([[L, b / 2, t]]) / unit)
    sag = unit * (tip.position - space.positions(torch.from_numpy(q), tip).numpy())[0, 2]
    weight = material.density * b * t * gravity
    assert sag == pytest.approx(weight * L**4 / (8 * material.young * b * t**3 / 12), rel=0.03)


def test_an_elastic_swing_keeps_its_energy():
    mesh = _beam(1.0, 0.05, 0.04)
    space = elastic_space(mesh, _made(mesh, Hooke(1e7, 0.3, 1000.0)), count=16)
    start = Start((1.0, 0.025, 0.04), (0.0, 0.0, 0.15))
    found = animate(space, Conditions(starts=(start,), damping=0.0, gravity=(0, 0, 0), seconds=2.0, dt=1 / 120))
    total = found.kinetic + found.potential
    assert found.kinetic.max() > 0.5 * total[0] > 0
    assert np.abs(total / total[0] - 1).max() < 0.01


def test_an_elastic_body_loses_what_its_material_loses():
    """A vibration with the loss factor eta loses 2 pi eta of its energy a period; nothing where damping is none."""
    mesh = _beam(1.0, 0.05, 0.04)
    space = elastic_space(mesh, _made(mesh, Hooke(1e8, 0.3, 1000.0, loss=0.02)), count=1)
    w = float(np.sqrt(1e8 * 0.04**2 / (12 * 1000)) * BENDING[0] ** 2)
    state = (0.3,)
    given = Conditions(state=state, damping=1e-9, gravity=(0, 0, 0), seconds=4 * np.pi / w, fps=500, dt=1e-3)
    found = animate(space, given)
    total = found.kinetic + found.potential
    assert total[-1] / total[0] == pytest.approx(np.exp(-0.02 * 4 * np.pi), rel=0.02)


def test_contrasts_of_seven_powers_of_ten_run_stable():
    """Steel, wood, rubber and foam in one object, dropped, at 1/120 s."""
    parts = [_lift(box(0.2, 0.2, 0.1), [0, 0, 0.1 * i]) for i in range(4)]
    mesh = _stack(*parts)
    materials = (STEEL, WOOD, RUBBER, Hooke(1e4, 0.2, 50.0, loss=0.2))
    space = elastic_space(mesh, _made(mesh, *materials, index=mesh.face_part), base="free", count=10)
    assert space.size == 10
    given = Conditions(base="free", ground=True, ground_height=-0.3, seconds=1.5, dt=1 / 120)
    found = animate(space, given)
    assert np.isfinite(found.states).all()
    total = found.kinetic + found.potential
    assert total.max() < total[0] * (1 + 1e-6) + 1e-6 * abs(total[0])


def test_a_rigid_part_stays_rigid_and_a_held_one_still():
    mesh = _stack(box(0.3, 0.3, 0.3), _lift(box(0.05, 0.05, 1.0), [0, 0, 0.65]))
    space = elastic_space(mesh, _made(mesh, STEEL, Hooke(1e5, 0.3, 500.0), index=mesh.face_part), count=6)
    q = torch.full((6,), 0.5, dtype=torch.float64)
    moved = space.skin.blend(space.transforms(q).numpy(), mesh.vertices) - mesh.vertices
    assert np.abs(moved[:8]).max() < 1e-9
    assert np.abs(moved[8:]).max() > 0.05


def test_a_bent_cantilever_keeps_its_length_better_than_linear_modes():
    """Bent until its end has turned by half a radian: modal warping, as each handle goes on along its arc."""
    mesh = _beam(1.0, 0.05, 0.04)
    space = elastic_space(mesh, _made(mesh, Hooke(1e7, 0.3, 1000.0)), count=4)
    where = find_nearest(mesh, np.column_stack([np.linspace(0.0, 1.0, 41), np.full(41, 0.025), np.full(41, 0.04)]))
    q, rest = np.zeros(4), where.position
    softest = int(np.argmax(np.abs(space.basis[:, 1]).max(axis=0)[:2]))  # turns about y
    q[softest] = 0.5 / np.abs(space.basis[:, 1, softest]).max()
    warped = space.positions(torch.from_numpy(q), where).numpy()
    step = space.positions(torch.from_numpy(1e-6 * q), where).numpy()
    linear = rest + (step - rest) / 1e-6

    def strain(x):
        return (
            np.linalg.norm(np.diff(x, axis=0), axis=1).sum() / np.linalg.norm(np.diff(rest, axis=0), axis=1).sum() - 1
        )

    assert abs(strain(linear)) > 0.04
    assert abs(strain(warped)) < 0.7 * abs(strain(linear))


@pytest.fixture(scope="module")
def hinged():
    """A box, and on a hinge beside it a soft beam."""
    mesh = _stack(box(0.2, 0.2, 0.2), _lift(box(0.6, 0.05, 0.05), [0.4, 0, 0]))
    link = np.repeat([0, 1], [8, mesh.vertex_count - 8])
    links = (Link("base", np.eye(4)), Link("arm", np.eye(4)))
    at = np.eye(4)
    at[0, 3] = 0.1
    hinge = Joint("hinge", "revolute", 0, 1, at, np.array([0.0, 1, 0]), lower=-1.0, upper=1.0)
    made = _made(mesh, STEEL, Hooke(1e6, 0.3, 500.0, loss=0.05), index=mesh.face_part)
    return elastic_space(mesh, made, joints=Articulation(mesh, link, links, (hinge,)), count=6)


def test_joints_and_vibrations_in_one_space(hinged):
    space = hinged
    assert space.names[0] == "hinge" and space.size == 7
    q, v = np.full(7, 0.3), np.linspace(-1, 1, 7)
    ours, slow = space.transforms_jet(q, v, rate=True), forward_jet(space.transforms, q, v, rate=True)
    for name in ("value", "jacobian", "second", "rate"):
        np.testing.assert_allclose(getattr(ours, name), getattr(slow, name), atol=1e-9)
    found = animate(space, Conditions(gravity=(0, 0, -9.81), seconds=1.0, damping=0.0))
    assert found.states[:, 0].max() > 0.9  # the arm falls to its limit,
    assert np.abs(found.states[:, 1:]).max() > 0.01  # and bends as it does


def test_coordinates_of_materials_ignore_the_stiffness_of_joints(hinged):
    springs = build_scene(hinged, Conditions(gravity=(0, 0, -9.81))).system.springs.stiffness
    assert springs[0, 0] == 0
    np.testing.assert_allclose(springs[1:, 1:], hinged.elasticity.stiffness[1:, 1:])


def test_moved_far_away_it_weighs_and_vibrates_the_same():
    mesh = _beam(1.0, 0.1, 0.1)
    space = elastic_space(mesh, _made(mesh, WOOD), count=4)
    by = np.array([3.0, -2.0, 5.0])
    moved = space.translate(by)
    one, other = (build_scene(s, Conditions(gravity=(0, 0, -9.81))) for s in (space, moved))
    rest = np.zeros(4)
    a, b = (evaluate(scene.system, s, rest, rest, 0.0) for scene, s in ((one, space), (other, moved)))
    np.testing.assert_allclose(b.mass, a.mass, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(b.force, a.force, rtol=1e-6, atol=1e-9)
