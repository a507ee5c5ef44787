"""A space that proposes: what comes out is a screw of one part, in radians or file units, wherever the object lies."""

import numpy as np
import pytest

from neurok.articulate.parts import find_parts
from neurok.errors import InputError
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.primitives import sphere
from neurok.geometry.surface import at_vertices
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.learned.proposed import PartScrews, Proposing, make_proposed_state
from neurok.mechanics.descent import pose_mesh
from neurok.mechanics.inverse import fit
from neurok.opening import kinematics
from neurok.proposals.assignment import AssignedPart, Assignment
from neurok.proposals.units import find_units
from tests.boxes import make_open_case, place_box


@pytest.fixture(scope="module")
def chest() -> Mesh:
    """A case with a drawer, in millimetres and off the origin."""
    mesh = merge([make_open_case(), place_box(0.9, 0.9, 0.3, 0, 0, 0)])
    return Mesh(400.0 * mesh.vertices + [1000.0, 50.0, 0.0], mesh.faces, up="z")


@pytest.fixture(scope="module")
def space(chest) -> Kinematics:
    return kinematics(chest, kind="articulated", purpose="fit")


def test_a_pulled_drawer_slides_by_what_it_was_pulled(chest, space):
    assert isinstance(space, Proposing)
    front = [1000.0, 50.0 - 180.0, 0.0]
    found = fit(space, pulls=[(front, (0.0, -90.0, 0.0))])
    assert isinstance(found.space, PartScrews) and found.space.turns.tolist() == [False]
    assert found.state == pytest.approx([90.0], abs=0.1)
    assert found.mesh.vertex_count == chest.vertex_count
    moved = np.linalg.norm(found.mesh.vertices - chest.vertices, axis=1) > 1.0
    assert moved.sum() == 8  # the corners of the drawer, and nothing else
    assert found.residual < 1e-6


def test_corresponding_vertices_are_met_exactly(chest, space):
    target = chest.vertices.copy()
    target[-8:] += [0.0, -50.0, 0.0]
    found = fit(space, chest.with_vertices(target), corresponding=True)
    assert np.abs(found.mesh.vertices - target).max() < 1e-6


def test_nothing_is_asked_nothing_moves(chest, space):
    found = fit(space, chest, corresponding=True)
    assert np.abs(found.mesh.vertices - chest.vertices).max() < 1e-6


def test_a_turn_counts_radians_and_is_the_exponential_of_its_twist(chest):
    units = find_units(chest)
    drawer = units.component == units.component.max()
    twist = np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.4])
    proposed = make_proposed_state(chest, units, Assignment((AssignedPart(drawer, twist),), units.count), split=True)
    assert proposed.space.turns.tolist() == [True] and proposed.state == pytest.approx([0.4])
    posed = pose_mesh(proposed.space, proposed.state)
    corners = units.mesh.vertices[units.mesh.faces].reshape(-1, 3)
    moved = Assignment((AssignedPart(drawer, twist),), units.count).move_points(corners, np.repeat(units.face, 3))
    assert units.to_canonical(posed.vertices[posed.faces].reshape(-1, 3)) == pytest.approx(moved, abs=1e-9)


@pytest.fixture(scope="module")
def lidded() -> tuple[Mesh, Kinematics]:
    """A cube with a lid on it, whose last eight vertices are the lid's."""
    mesh = merge([place_box(1, 1, 1, 0, 0, 0), place_box(1, 1, 0.05, 0, 0, 0.53)])
    mesh = Mesh(mesh.vertices, mesh.faces, up="z")
    return mesh, kinematics(mesh, kind="articulated", purpose="fit")


@pytest.mark.parametrize("angle", [0.3, 0.6, 1.0])
def test_an_opened_lid_is_seen_in_the_surface(lidded, angle):
    mesh, space = lidded
    opened, pivot = mesh.vertices.copy(), np.array([0.0, -0.5, 0.5])
    c, s = np.cos(angle), np.sin(angle)
    opened[8:] = (opened[8:] - pivot) @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]]) + pivot
    found = fit(space, mesh.with_vertices(opened))
    assert np.linalg.norm(found.mesh.vertices - opened, axis=1).max() < 0.03
    assert found.residual < 0.01


def test_a_drag_by_nothing_and_one_of_a_stray_vertex_move_no_part(lidded):
    mesh, space = lidded
    still = fit(space, pulls=[((0.0, 0.0, 0.55), (0.0, 0.0, 0.0))])
    assert np.abs(still.mesh.vertices - mesh.vertices).max() < 1e-9
    stray = Mesh(np.concatenate([mesh.vertices, [[9.0, 9.0, 9.0]]]), mesh.faces, up="z")
    alone = kinematics(stray, kind="articulated", purpose="fit")
    where = at_vertices(stray).subset(np.array([len(stray.vertices) - 1]))
    assert isinstance(alone, Proposing)
    assert alone.propose_points(where, where.position + 1.0, corresponding=False) is None


def test_a_surface_of_one_patch_proposes_nothing_and_fails_at_nothing():
    ball = sphere()
    space = kinematics(ball, kind="articulated", purpose="fit")
    assert isinstance(space, Proposing) and len(space.proposals.members) == 0
    assert np.isfinite(fit(space, pulls=[((0.5, 0.0, 0.0), (0.1, 0.0, 0.0))]).mesh.vertices).all()
    assert find_parts(ball).count == 1


def test_pulls_that_are_no_vectors_are_refused(lidded):
    for pull in (((0.0, 0.0), (0.0, 0.0, 1.0)), (("a", 0.0, 0.0), (0.0, 0.0, 1.0))):
        with pytest.raises(InputError, match="a pull is not"):
            fit(lidded[1], pulls=[pull])
