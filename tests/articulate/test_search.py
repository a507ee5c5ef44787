"""The search finds joints that are known: of boxes made here, and of our own parametric objects."""

import numpy as np
import pytest

from neurok.articulate.candidates import candidates
from neurok.articulate.parts import Parts, link_parts
from neurok.articulate.pieces import contact, shape
from neurok.articulate.predict import movements, predict
from neurok.articulate.reasons import study
from neurok.articulate.simulator import Rest, simulate, survivors
from neurok.data import procedural
from neurok.errors import InputError
from neurok.evaluate.articulation import errors
from neurok.evaluate.truths import STAYS, truth
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box, grid

QUARTER = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0.5], [0, 1, 0, 0.5], [0, 0, 0, 1]])


def _box(width, depth, height, *shift) -> Mesh:
    T = np.eye(4)
    T[:3, 3] = shift
    return transform(box(width, depth, height), T)


def _open_case() -> Mesh:
    """Five boards around a hollow that opens towards -y, 1 x 1 x 0.4, with a drawer in it."""
    boards = [
        _box(1, 1, 0.04, 0, 0, 0.2), _box(1, 1, 0.04, 0, 0, -0.2), _box(0.04, 1, 0.4, 0.48, 0, 0),
        _box(0.04, 1, 0.4, -0.48, 0, 0), _box(1, 0.04, 0.4, 0, 0.48, 0),
    ]  # fmt: skip
    return merge(boards)


def _with(case: Mesh, part: Mesh) -> tuple[Mesh, Parts]:
    mesh = merge([case, part])
    mesh = Mesh(mesh.vertices, mesh.faces, up="z")
    face = np.repeat([0, 1], [case.face_count, part.face_count])
    return mesh, Parts(face, ("case", "part"))


def _trials(mesh: Mesh, parts: Parts, number: int):
    whole = shape(mesh, parts)
    points, normals, _ = whole.rest(number)
    piece = whole.pieces[number]
    meeting = contact(piece, points, normals)
    tried = candidates(piece, meeting)
    return whole, tried, simulate(piece, meeting, Rest(points, normals), tried)


def test_a_drawer_may_only_leave_through_the_open_side():
    """An independent answer: five sides are closed, so of six senses along the axes only -y is free."""
    mesh, parts = _with(_open_case(), _box(0.9, 0.9, 0.34, 0, -0.01, 0))
    _, tried, trials = _trials(mesh, parts, 1)
    slides = np.flatnonzero(~tried.turns)[:3]
    free = trials.worst[slides, :, 2] < 0.05  # a third of the part's size
    assert np.array_equal(tried.axis[slides], np.eye(3))
    assert free.tolist() == [[False, False], [False, True], [False, False]]


def test_a_lid_survives_on_its_edge_and_not_through_its_middle():
    mesh, parts = _with(_box(1, 1, 0.5, 0, 0, -0.25), _box(1, 1, 0.05, 0, 0, 0.03))
    _, tried, trials = _trials(mesh, parts, 1)
    along_x = tried.turns & (np.abs(tried.axis[:, 0]) > 0.99)
    edge = along_x & (np.abs(tried.box - 1.0).max(axis=1) < 0.01)
    middle = along_x & (tried.box.max(axis=1) < 0.01)
    assert edge.any() and middle.any()
    assert survivors(trials)[edge].any()
    assert not survivors(trials)[middle].any()


def test_the_number_of_candidates_does_not_grow_with_the_number_of_parts():
    few = _with(_open_case(), _box(0.9, 0.9, 0.3, 0, 0, 0))
    tiles = [_box(0.05, 0.05, 0.05, 0.06 * (i % 20), 0.06 * (i // 20), 0.5) for i in range(100)]
    mesh = merge([_open_case(), *tiles])
    mesh = Mesh(mesh.vertices, mesh.faces, up="z")
    many = mesh, Parts(np.repeat(np.arange(101), [60] + [12] * 100), tuple(f"p{i}" for i in range(101)))
    most = max(study(shape(*many), i).tried.count for i in (1, 50, 100))
    assert most <= 2 * study(shape(*few), 1).tried.count


@pytest.mark.parametrize(("category", "seed"), [("box", 11), ("drawer_cabinet", 11), ("laptop", 11), ("safe", 12)])
def test_the_joints_of_our_own_objects_are_recovered(category, seed):
    """Every joint's axis within five degrees, hinges within 3 % of the diagonal, types right for most parts."""
    thing = procedural.make(category, seed).articulation
    parts, above = link_parts(thing, split_fixed=False)
    truths = [truth(thing, thing.joints[j]) if j >= 0 else STAYS for j in above.tolist()]
    whole = shape(thing.mesh, parts)
    moves = movements(whole)
    figures = [errors(whole, true, move) for true, move in zip(truths, moves)]
    axes = [each["axis_error"] for each in figures if each["axis_error"] is not None]
    centres = [each["centre_error_diagonal"] for each in figures if each["centre_error_diagonal"] is not None]
    assert np.median(axes) < 5.0
    assert not centres or np.median(centres) < 0.03


def test_a_prediction_is_an_articulation_that_moves():
    from neurok.geometry.links import link_motions

    thing = procedural.make("laptop", 11).articulation
    parts, _ = link_parts(thing, split_fixed=False)
    found = predict(thing.mesh, parts)
    assert len(found.joints) >= 1
    upper = np.array([[min(found.freedoms[d].upper, 1.0) for d in found.coordinate_freedoms]])
    assert np.abs(link_motions(found, upper)[0] - np.eye(4)).max() > 0.1


# ---------------------------------------------------------------- awkward input


def test_one_part_has_no_joint():
    mesh = box()
    found = predict(mesh, Parts(np.zeros(mesh.face_count, dtype=int), ("all",)))
    assert len(found.links) == 1 and not found.joints


@pytest.mark.parametrize("kind", ["nested", "interpenetrating", "sheets", "speck", "identical"])
def test_awkward_parts_give_finite_joints(kind):
    first, second = {
        "nested": (box(), _box(0.3, 0.3, 0.3, 0, 0, 0)),
        "interpenetrating": (box(), _box(1, 1, 1, 0.3, 0.2, 0.1)),
        "sheets": (grid(1, 1, 3, 3), transform(grid(1, 1, 3, 3), QUARTER)),
        "speck": (box(), _box(1e-9, 1e-9, 1e-9, 0.5, 0, 0)),
        "identical": (box(), box()),
    }[kind]
    found = predict(*_with(first, second))
    for joint in found.joints:
        assert np.isfinite(joint.axis).all() and np.isfinite(joint.origin).all()
        assert joint.lower <= 0.0 <= joint.upper


def test_a_mesh_without_area_is_one_sentence_or_no_joint():
    mesh = Mesh(np.zeros((3, 3)), [[0, 1, 2], [0, 1, 2]])
    try:
        found = predict(mesh, Parts(np.array([0, 1]), ("a", "b")))
    except InputError as fault:
        assert len(str(fault)) > 10
    else:
        assert not found.joints
