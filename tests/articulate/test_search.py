"""The search finds joints that are known: of boxes made here, and of our own parametric objects."""

import numpy as np
import pytest

from benchmarks.calibrate_search import compute_row
from neurok.articulate.examples import make_example
from neurok.articulate.facing import FACING, MOTION_PLACEMENT_FEATURES, PLACEMENT_FEATURES, PartPlacement
from neurok.articulate.labels import read_labels
from neurok.articulate.parts import read_link_parts
from neurok.articulate.predict import predict_articulation, predict_movements
from neurok.articulate.ranking import load_ranking, stack_part_features
from neurok.articulate.selection import study_parts
from neurok.articulate.study import study_part
from neurok.data import procedural
from neurok.errors import InputError
from neurok.evaluate.articulation import measure_errors
from neurok.evaluate.truths import STAYS, make_truth
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box, grid
from neurok.proposals.sampling import sample_shape
from tests.boxes import join_parts, make_open_case, place_box

QUARTER = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0.5], [0, 1, 0, 0.5], [0, 0, 0, 1]])


@pytest.mark.parametrize(("category", "seed"), [("box", 11), ("drawer_cabinet", 11), ("laptop", 11), ("safe", 12)])
def test_the_joints_of_our_own_objects_are_recovered(category, seed):
    """Every joint's axis within five degrees, hinges within 3 % of the diagonal, types right for most parts."""
    thing = procedural.make(category, seed).articulation
    parts, above = read_link_parts(thing, split_fixed=False)
    truths = [make_truth(thing, thing.joints[j]) if j >= 0 else STAYS for j in above.tolist()]
    whole = sample_shape(thing.mesh, parts)
    moves = predict_movements(whole)
    figures = [measure_errors(whole, true, move) for true, move in zip(truths, moves)]
    axes = [each["axis_error"] for each in figures if each["axis_error"] is not None]
    centres = [each["centre_error_diagonal"] for each in figures if each["centre_error_diagonal"] is not None]
    assert np.median(axes) < 5.0
    assert not centres or np.median(centres) < 0.03


def test_a_prediction_is_an_articulation_that_moves():
    from neurok.geometry.links import link_motions

    thing = procedural.make("laptop", 11).articulation
    parts, _ = read_link_parts(thing, split_fixed=False)
    found = predict_articulation(thing.mesh, parts)
    assert len(found.joints) >= 1
    upper = np.array([[min(found.freedoms[d].upper, 1.0) for d in found.coordinate_freedoms]])
    assert np.abs(link_motions(found, upper)[0] - np.eye(4)).max() > 0.1


# ---------------------------------------------------------------- the object's frame


def test_a_hinge_is_as_far_from_the_knob_as_the_knob_is_from_it():
    """Closed form: a door 0.6 wide with a knob 0.2 from its middle is 0.5 from one upright edge, 0.1 from the other."""
    wall, door = [[0.0, -0.5, -0.5], [0.3, 0.5, 0.5]], [[-0.02, -0.3, -0.4], [0.0, 0.3, 0.4]]
    knob = [[-0.06, 0.18, -0.02], [-0.02, 0.22, 0.02]]
    boxes, areas, touching = np.array([wall, door, knob]), np.array([3.0, 1.0, 0.01]), np.array([True, False, True])
    place = PartPlacement.of(boxes, areas, touching, np.zeros(4), 1, np.eye(3))
    edges = np.array([[-0.01, -0.3, 0.0], [-0.01, 0.3, 0.0]])
    rows = place.motions(np.array([True, True]), np.tile([0.0, 0, 1], (2, 1)), edges)
    found = dict(zip(MOTION_PLACEMENT_FEATURES, rows.T))
    across = np.hypot(0.03, [0.5, 0.1])
    assert np.allclose(found["carried_off"] * place.reach, across, atol=1e-9)
    assert np.allclose(found["carried_farther"] * place.reach, across - 0.3, atol=1e-9)
    assert np.allclose(found["pivot_y"], [-1.0, 1.0], atol=1e-3) and np.allclose(found["turns_z"], 1.0)
    assert dict(zip(PLACEMENT_FEATURES, place.part()))["carries"] == 1.0
    sliding = place.motions(np.array([False]), np.array([[1.0, 0, 0]]), np.zeros((1, 3)))[0]
    assert np.flatnonzero(sliding).tolist() == [MOTION_PLACEMENT_FEATURES.index("slides_x")]


def test_a_drawer_leaves_through_the_open_side_whichever_way_it_faces():
    """Five sides are closed and -y is open: as the file has it that is the right; after three quarters, the front."""
    mesh, parts = join_parts(make_open_case(), place_box(0.9, 0.9, 0.34, 0, -0.01, 0))
    places = study_part(sample_shape(mesh, parts), 1).places
    freest = [PLACEMENT_FEATURES[-4:][int(np.argmin(place.part()[-4:]))] for place in places]
    assert freest == ["hits_right", "hits_back", "hits_left", "hits_front"]


def _stored(category: str, seed: int):
    thing = procedural.make(category, seed)
    parts, labels = read_labels(thing.articulation)
    stored = make_example(thing.mesh, parts, labels, name="one", source="made", category=category)
    return stored, sample_shape(thing.mesh, parts)


def test_the_ranking_is_fitted_to_what_it_is_asked():
    """The places that calibration finds from a stored example are those that the search finds on the shape."""
    stored, whole = _stored("drawer_cabinet", 3)
    for number in np.flatnonzero(stored.tried.studied)[:3]:
        found = study_part(whole, int(number))
        tried = found.tried
        for R, place in zip(FACING, found.places, strict=True):
            part, motions = compute_row(stored, int(number), R)
            assert np.allclose(part, np.concatenate([found.part_features, place.part()]), rtol=1e-3, atol=1e-4)
            expected = np.hstack([found.features, place.motions(tried.turns, tried.axis, tried.pivot)])
            assert np.allclose(motions, expected, rtol=1e-3, atol=2e-3)


def test_a_turned_object_faces_the_turned_way():
    """Without a prior the chances of the four ways are those of the object as it was, in the order of the turn."""
    thing = procedural.make("drawer_cabinet", 11)
    parts, _ = read_labels(thing.articulation)
    fronts = []
    for R in FACING[:2]:
        mesh = Mesh(thing.mesh.vertices @ R.T, thing.mesh.faces, up="z")
        studies = [found for found in study_parts(sample_shape(mesh, parts)) if found is not None]
        fronts.append(
            np.exp(load_ranking().fronts(np.stack([stack_part_features(found) for found in studies]), prior=0.0))
        )
    before, after = fronts
    assert before.sum() == pytest.approx(1.0) and before.max() > 0.5
    # Facing F after the turn is facing F + 1 before it.
    assert np.allclose(after, np.roll(before, -1), atol=0.02)


# ---------------------------------------------------------------- awkward input


def test_one_part_has_no_joint():
    mesh = box()
    found = predict_articulation(mesh, Parts(np.zeros(mesh.face_count, dtype=int), ("all",)))
    assert len(found.links) == 1 and not found.joints


@pytest.mark.parametrize("kind", ["nested", "interpenetrating", "sheets", "speck", "identical"])
def test_awkward_parts_give_finite_joints(kind):
    first, second = {
        "nested": (box(), place_box(0.3, 0.3, 0.3, 0, 0, 0)),
        "interpenetrating": (box(), place_box(1, 1, 1, 0.3, 0.2, 0.1)),
        "sheets": (grid(1, 1, 3, 3), transform(grid(1, 1, 3, 3), QUARTER)),
        "speck": (box(), place_box(1e-9, 1e-9, 1e-9, 0.5, 0, 0)),
        "identical": (box(), box()),
    }[kind]
    found = predict_articulation(*join_parts(first, second))
    for joint in found.joints:
        assert np.isfinite(joint.axis).all() and np.isfinite(joint.origin).all()
        assert joint.lower <= 0.0 <= joint.upper


def test_a_mesh_without_area_is_one_sentence_or_no_joint():
    mesh = Mesh(np.zeros((3, 3)), [[0, 1, 2], [0, 1, 2]])
    try:
        found = predict_articulation(mesh, Parts(np.array([0, 1]), ("a", "b")))
    except InputError as fault:
        assert len(str(fault)) > 10
    else:
        assert not found.joints
