"""The numbers of a drag, beside plain twins: interpolation, and what a motion runs into when it is made anew."""

import numpy as np
import pytest

from neurok.geometry.mesh import Mesh, merge
from neurok.proposals.drag_features import DRAG_FEATURES, DraggedPart, describe_drag, interpolate_trial
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.motion_features import PART_FEATURES
from neurok.proposals.options import KNOWN_COLUMNS, OPTION_FEATURES, list_options
from neurok.proposals.simulator import SLIDE_STEPS, TURN_STEPS
from tests.boxes import make_open_case, place_box


@pytest.fixture(scope="module")
def chest() -> tuple[Hypotheses, int]:
    """A case with a drawer, and the hypothesis that is the drawer."""
    pieces = [make_open_case(), place_box(0.9, 0.9, 0.3, 0, 0, 0)]
    mesh = merge(pieces)
    found = Hypotheses.of(Mesh(mesh.vertices, mesh.faces, up="z"))
    label = np.repeat([0, 1], [p.face_count for p in pieces])
    drawer = np.array([label[found.units.face == unit].all() for unit in range(found.units.count)])
    return found, int(np.flatnonzero((found.members == drawer).all(axis=1))[0])


def test_trials_are_interpolated_as_numpy_does():
    generator = np.random.default_rng(0)
    steps = np.sort(generator.random((50, 5)), axis=1)
    trial, amount = generator.random((50, 5)), 1.3 * generator.random(50)
    expected = [np.interp(amount[i], [0.0, *steps[i]], [0.4, *trial[i]]) for i in range(50)]
    assert np.abs(interpolate_trial(steps, trial, 0.4, amount) - expected).max() < 1e-12


def test_a_drag_by_a_whole_step_meets_what_the_trial_met(chest):
    """The trials of the study stand for the way of the drag: its end is tried anew here."""
    found, part = chest
    study = found.study(part)
    number = np.flatnonzero(~study.tried.turns)
    compared = 0
    for step in range(2, len(TURN_STEPS)):
        for sign in (1.0, -1.0):
            amount = np.full(len(number), sign * SLIDE_STEPS[step] * study.piece.size)
            twist = study.tried.screws()[number] * amount[:, None]
            point = study.piece.points[:1]
            drag = DraggedPart(study, number, amount, np.vstack([twist, twist[:1]]), point, point + twist[0, :3])
            features = describe_drag(drag)
            hit, kept = study.probe.move_points(study.rest, twist, press=False)
            sense = int(sign < 0)
            went_on = study.trials.worst[number, sense, step - 1] < 0.1  # blocked ones are not tried further
            compared += int(went_on.sum())
            assert np.all(features[:-1][went_on, DRAG_FEATURES.index("hit_1.0")] >= hit[went_on] - 1e-9)
            assert np.allclose(features[:-1][went_on, DRAG_FEATURES.index("kept_1.0")], kept[went_on])
    assert compared >= 3


def test_options_share_the_description_of_motions_where_nothing_is_dragged(chest):
    found, part = chest
    point = found.units.points[[int(np.flatnonzero(found.members[part][found.units.owner])[0])]]
    unit = found.units.owner[[int(np.flatnonzero(found.members[part][found.units.owner])[0])]]
    options = list_options(found, np.zeros(len(found.members)), point, point + [0.0, -0.2, 0.0], unit, unit[:0])
    mine = options.features[options.part == part][:, : len(KNOWN_COLUMNS)]
    known = found.describe(part)[:, KNOWN_COLUMNS]
    assert all(np.abs(known - row).max(axis=1).min() == 0 for row in mine[:-1])
    assert np.array_equal(mine[-1, : len(PART_FEATURES)], known[0, : len(PART_FEATURES)])
    assert options.features.shape[1] == len(OPTION_FEATURES)
    # The slide along which the drawer was pulled reaches the goal, and nothing is in its way.
    best = int(options.features[:, OPTION_FEATURES.index("miss")].argmin())
    assert options.features[best, OPTION_FEATURES.index("miss_share")] < 1e-6
