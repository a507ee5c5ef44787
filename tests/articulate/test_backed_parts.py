"""Two plates that lie flat on each other are one lid; two doors above each other, on one hinge line, stay two."""

from dataclasses import replace

import numpy as np
import trimesh

from neurok.articulate.assemble import Movement
from neurok.articulate.backed_parts import join_backed_parts
from neurok.articulate.parts import choose_parts
from neurok.articulate.predict import predict_articulation
from neurok.demo import make_plain_laptop
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import name_parts
from neurok.proposals.sampling import sample_shape


def _shape(*boxes):
    """Boxes, (extents, centre) each, as parts of one mesh, sampled; the first is the base."""
    solids = [trimesh.creation.box(extents).apply_translation(centre).subdivide() for extents, centre in boxes]
    whole = trimesh.util.concatenate(solids)
    face = np.repeat(np.arange(len(solids)), [len(solid.faces) for solid in solids])
    mesh = Mesh(np.asarray(whole.vertices, dtype=np.float32), np.asarray(whole.faces))
    return sample_shape(mesh, name_parts(face, [f"part_{i}" for i in range(len(solids))]))


def _hinge(x, y, confidence):
    axis, pivot = np.array([0.0, 0.0, 1.0]), np.array([x, y, 0.0])
    return Movement.moving("revolute", axis, pivot, 0.0, 1.5, confidence=confidence)


def test_of_two_plates_that_lie_flat_on_each_other_the_less_sure_one_goes_with_the_other():
    whole = _shape(((1, 0.1, 1), (0, 0, 0)), ((0.9, 0.02, 0.9), (0, -0.061, 0)), ((0.8, 0.02, 0.8), (0, -0.081, 0)))
    base = Movement.fixed()
    moves = join_backed_parts(whole, [base, _hinge(-0.3, -0.03, 0.6), _hinge(-0.29, -0.05, 0.9)])
    assert [move.kind for move in moves] == ["fixed", "fixed", "revolute"] and moves[1].parent == 2


def test_what_hangs_on_a_plate_that_joins_it_hangs_on_what_that_hung_on():
    whole = _shape(((1, 0.1, 1), (0, 0, 0)), ((0.9, 0.02, 0.9), (0, -0.061, 0)), ((0.8, 0.02, 0.8), (0, -0.081, 0)))
    given = [Movement.fixed(), _hinge(-0.3, -0.03, 0.6), _hinge(-0.29, -0.05, 0.9)]
    moves = join_backed_parts(whole, [replace(move, parent=parent) for move, parent in zip(given, (-1, 0, 1))])
    assert [(move.kind, move.parent) for move in moves] == [("fixed", -1), ("fixed", 2), ("revolute", 0)]


def test_doors_above_each_other_on_one_line_stay_two():
    whole = _shape(
        ((1, 0.1, 1), (0, 0, 0)), ((0.9, 0.02, 0.44), (0, -0.061, 0.23)), ((0.9, 0.02, 0.44), (0, -0.061, -0.22))
    )
    moves = join_backed_parts(whole, [Movement.fixed(), _hinge(-0.3, -0.03, 0.6), _hinge(-0.3, -0.03, 0.9)])
    assert [move.kind for move in moves] == ["fixed", "revolute", "revolute"]


def test_plates_on_hinges_at_opposite_sides_stay_two():
    whole = _shape(((1, 0.1, 1), (0, 0, 0)), ((0.9, 0.02, 0.9), (0, -0.061, 0)), ((0.8, 0.02, 0.8), (0, -0.081, 0)))
    moves = join_backed_parts(whole, [Movement.fixed(), _hinge(-0.3, -0.03, 0.6), _hinge(0.3, -0.05, 0.9)])
    assert [move.kind for move in moves] == ["fixed", "revolute", "revolute"]


def test_the_lid_of_the_plain_laptop_is_one():
    mesh, lid = make_plain_laptop()
    joints = predict_articulation(mesh, choose_parts(mesh).parts)
    moving = [joint for joint in joints.joints if joint.kind != "fixed"]
    assert [joint.kind for joint in moving] == ["revolute"]
    carried = np.asarray(joints.vertex_link) == moving[0].child
    assert carried.sum() == lid.sum()
