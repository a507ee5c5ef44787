"""A space that proposes: what comes out is a screw of one part, in radians or file units, wherever the object lies."""

import numpy as np
import pytest

from neurok.geometry.mesh import Mesh, merge
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
