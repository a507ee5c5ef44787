"""The articulation network: what its loss accepts, what its answers do not depend on, what it learns, its weights."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from neurok.articulate.augment import transform_example, warp_example
from neurok.articulate.batches import batch_candidates, make_batch
from neurok.articulate.examples import Example, load_example, make_example, save_example
from neurok.articulate.fusion import predict_by_both, predict_by_network
from neurok.articulate.labels import MotionType, read_labels
from neurok.articulate.limits import widen_limits
from neurok.articulate.losses import compute_annotated_loss, compute_pretraining_loss, compute_set_loss
from neurok.articulate.network import (
    AXIS_SCALE,
    LINE_SCALE,
    ArticulationNetwork,
    ArticulationSize,
    Motions,
    measure_distance,
)
from neurok.articulate.opinion import judge_candidates
from neurok.articulate.part_features import PART_FEATURES
from neurok.articulate.predict import predict_movements
from neurok.articulate.selection import study_parts
from neurok.articulate.training import collate_examples, read_config, train_network
from neurok.articulate.tried import collect_candidates
from neurok.articulate.weights import PLAIN, SHIPPED, open_networks, save_networks
from neurok.data import procedural
from neurok.data.warp import random_warp, stretch_axes
from neurok.errors import InputError
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.parts import Parts
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box
from neurok.geometry.rigid import exp_twist
from neurok.proposals.candidate_features import CANDIDATE_FEATURES
from neurok.proposals.sampling import sample_shape

X, Y, Z = torch.eye(3)


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    found = []
    for category in ("laptop", "drawer_cabinet", "door", "trash_can"):
        thing = procedural.make(category, 3)
        parts, labels = read_labels(thing.articulation)
        found.append(make_example(thing.mesh, parts, labels, name=category, source="made", category=category))
    return found


def _network(seed: int = 0, width: int = 32) -> ArticulationNetwork:
    torch.manual_seed(seed)
    return ArticulationNetwork(ArticulationSize(width, 4, 1, len(CANDIDATE_FEATURES), len(PART_FEATURES))).eval()


# ---------------------------------------------------------------- the loss


def _one_idea(axis, pivot) -> Motions:
    """One idea of turning (and one of sliding, which no set here asks for) of one part."""
    turns = torch.tensor([True, False])
    return Motions(
        turns, torch.zeros(1, 2), torch.stack([axis, axis])[None], torch.stack([pivot, pivot])[None],
        torch.zeros(1, 2, 2), torch.zeros(1, 2),
    )  # fmt: skip


def test_either_of_two_surviving_motions_costs_the_same():
    left, right, up = torch.tensor([-0.3, 0.0, 0.0]), torch.tensor([0.3, 0.0, 0.0]), Z
    sets = (torch.tensor([0, 0]), torch.tensor([True, True]), torch.stack([up, up]), torch.stack([left, right]), 1)
    losses = [float(compute_set_loss(_one_idea(up, pivot), *sets)[0, 0]) for pivot in (left, right, torch.zeros(3))]
    assert losses[0] == pytest.approx(losses[1], abs=1e-6)
    assert losses[0] == pytest.approx(0.0, abs=0.02)
    # Between the two is 0.3 from either line: no mean of the two is rewarded.
    assert losses[2] == pytest.approx(0.3 / LINE_SCALE, abs=0.02)


def test_a_larger_set_never_costs_more():
    rng = np.random.default_rng(0)
    axis = torch.tensor(rng.normal(size=(6, 3)), dtype=torch.float32)
    axis = axis / axis.norm(dim=1, keepdim=True)
    point = torch.tensor(rng.normal(size=(6, 3)) * 0.2, dtype=torch.float32)
    idea = _one_idea(axis[0], point[1])
    turns, which = torch.ones(6, dtype=torch.bool), torch.zeros(6, dtype=torch.long)
    losses = [float(compute_set_loss(idea, which[:k], turns[:k], axis[:k], point[:k], 1)[0, 0]) for k in range(1, 7)]
    assert all(b <= a + 1e-6 for a, b in zip(losses, losses[1:]))


def test_the_share_of_ideas_enters_the_loss_as_a_logarithm():
    """Two ideas, one of them right and with a share of 1/4: the loss is log 4."""
    turns = torch.tensor([True, True, False])
    pivot = torch.tensor([[0.0, 0, 0], [0.9, 0, 0], [0, 0, 0]])
    logit = torch.log(torch.tensor([[1.0, 3.0, 1.0]]))
    motions = Motions(turns, logit, Z.expand(1, 3, 3), pivot[None], torch.zeros(1, 3, 2), torch.zeros(1, 3))
    loss = compute_set_loss(motions, torch.tensor([0]), torch.tensor([True]), Z[None], torch.zeros(1, 3), 1)
    assert float(loss[0, 0]) == pytest.approx(np.log(4.0), abs=0.02)
    assert torch.isnan(loss[0, 1])  # nothing slides in the set


def test_what_the_distance_does_not_see():
    turning, sliding = torch.tensor(True), torch.tensor(False)
    pivot = torch.tensor([0.1, 0.2, 0.3])
    same = float(measure_distance(turning, Z, pivot, Z, pivot))
    assert float(measure_distance(turning, Z, pivot, -Z, pivot + 0.7 * Z)) == pytest.approx(same, abs=1e-5)
    assert float(measure_distance(sliding, Z, pivot, Z, pivot + X)) == pytest.approx(same, abs=0.01)
    assert float(measure_distance(sliding, Z, pivot, X, pivot)) == pytest.approx(1 / AXIS_SCALE, rel=1e-4)


def test_both_losses_are_finite_with_gradients_for_all_weights(examples):
    network = _network().train()
    batch, tried, truths = collate_examples(examples)
    total = sum(compute_pretraining_loss(network, batch, tried, truths).values())
    total = total + sum(compute_annotated_loss(network, batch, tried, truths).values())
    total.backward()
    assert torch.isfinite(total)
    without = [name for name, p in network.named_parameters() if p.grad is None or not torch.isfinite(p.grad).all()]
    assert not without


# ---------------------------------------------------------------- identities


def test_parts_have_no_order_and_shapes_no_neighbours(examples):
    """Parts in another order give the same answers in that order; and so do shapes side by side."""
    network = _network(1)
    one, other = examples[1].observation, examples[3].observation
    order = np.random.default_rng(0).permutation(one.count)
    turned = replace(
        one, points=one.points[order], normals=one.normals[order], touch=one.touch[order], box=one.box[order],
        area=one.area[order], near=one.near[np.ix_(order, order)],
    )  # fmt: skip
    with torch.no_grad():
        alone, shuffled, beside = (
            network(make_batch([one])),
            network(make_batch([turned])),
            network(make_batch([other, one])),
        )
    assert torch.allclose(alone.type[order], shuffled.type, atol=1e-4)
    assert torch.allclose(alone.motions.pivot[order], shuffled.motions.pivot, atol=1e-4)
    assert torch.allclose(alone.type, beside.type[other.count :], atol=1e-4)
    p = one.count
    assert torch.allclose(alone.parent[0], beside.parent[1, :p, : p + 1], atol=1e-4)


def test_what_is_right_stays_right_when_shapes_are_moved(examples):
    """A mirrored hinge carries mirrored points to where the hinge carries the points, mirrored."""
    mirror, turn = np.diag([1.0, -1.0, 1.0]), np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    for one in examples:
        for A in (mirror, turn, turn @ mirror):
            other = transform_example(one, A)
            labels, after = one.labels, other.labels
            start = one.observation.points[:, 0].astype(float)
            place = lambda x, A=A, o=other, s=one: _placed(x, A, s, o)  # noqa: E731
            for part in np.flatnonzero(labels.kind > MotionType.FIXED):
                slides = labels.kind[part] == MotionType.SLIDES
                carried = _carried(labels.axis[part], labels.point[part], slides, 0.3, start[part])
                mapped = _carried(after.axis[part], after.point[part], slides, 0.3, place(start[part]))
                assert np.allclose(mapped, place(carried), atol=1e-5)
            assert np.array_equal(one.tried.right, other.tried.right)
            assert other.observation.box.reshape(-1, 3).min() >= -0.5 - 1e-3


def test_an_even_warp_is_a_stretch(examples):
    factor = np.array([1.3, 0.8, 1.1])
    for one in examples:
        ours, plain = (
            transform_example(warp_example(one, stretch_axes(factor)), np.eye(3)),
            transform_example(one, np.diag(factor)),
        )
        for room in ("observation", "labels", "tried"):
            for name, value in vars(getattr(plain, room)).items():
                np.testing.assert_allclose(getattr(getattr(ours, room), name), value, atol=1e-5, err_msg=name)


def test_a_shape_of_which_nothing_was_tried_is_warped_as_well(examples):
    one = replace(examples[0], tried=collect_candidates([None] * examples[0].observation.count, examples[0].labels))
    assert len(warp_example(one, stretch_axes(np.array([1.3, 0.8, 1.1]))).tried.axis) == 0


def test_right_candidates_stay_where_the_joint_is_in_a_warped_shape(examples):
    """Joints along axes: a candidate on the true line is on the true line of any other proportions."""
    met = 0
    for seed, one in enumerate(examples):
        other = warp_example(one, random_warp(1.3, 1.8, np.random.default_rng(seed)))
        for part in np.flatnonzero(one.labels.kind == MotionType.TURNS):
            far = [_off_line(e, part)[one.tried.right & (one.tried.part == part)] for e in (one, other)]
            if np.abs(one.labels.axis[part]).max() > 0.999 and len(far[0]):
                met += 1
                np.testing.assert_array_less(far[1], 2.5 * far[0] + 1e-6)
    assert met > 3


def _off_line(one, part):
    """How far each candidate's pivot is from the axis line of a part."""
    arm, axis = one.tried.pivot - one.labels.point[part], one.labels.axis[part]
    return np.linalg.norm(arm - (arm @ axis)[:, None] * axis, axis=1)


def _placed(x, A, one, other):
    """Where a point goes: found from the points themselves, which is independent of how `moved` places labels."""
    shift = other.observation.points[0, 0] - A @ one.observation.points[0, 0]
    return A @ x + shift


def _carried(axis, point, slides, amount, x):
    twist = np.concatenate([axis, np.zeros(3)]) if slides else np.concatenate([np.cross(point, axis), axis])
    T = exp_twist(twist[None] * amount)[0]
    return T[:3, :3] @ x + T[:3, 3]


def test_an_example_is_the_same_after_a_file(examples, tmp_path):
    save_example(examples[0], tmp_path / "one.npz")
    again = load_example(tmp_path / "one.npz")
    assert (again.name, again.source, again.category) == ("laptop", "made", "laptop")
    assert np.array_equal(again.tried.features, examples[0].tried.features)
    assert np.array_equal(again.labels.axis, examples[0].labels.axis)


def test_labels_are_the_joints_of_made_objects():
    thing = procedural.make("drawer_cabinet", 1)
    parts, labels = read_labels(thing.articulation)
    kinds = {name: kind for name, kind in zip(parts.names, labels.kind)}
    for joint in thing.articulation.joints:
        name = thing.articulation.links[joint.child].name
        if name in kinds and joint.kind in ("prismatic", "revolute") and joint.upper > joint.lower:
            assert kinds[name] == (MotionType.SLIDES if joint.kind == "prismatic" else MotionType.TURNS)
    assert (labels.kind == MotionType.FIXED).any()


# ---------------------------------------------------------------- learning


@pytest.mark.slow
def test_a_handful_of_objects_is_learned_by_heart(examples):
    network = train_network(
        examples, replace(read_config(), pretrain=20, steps=220, width=48, layers=1, average=20), say=lambda text: None
    )
    moving = right = judged_right = 0
    errors = []
    for one in examples:
        said, scores = judge_candidates([network], one.observation, batch_candidates([one.tried]))
        assert np.mean(said.type.argmax(axis=1) == one.labels.kind) >= 0.75
        for part in np.flatnonzero(one.labels.kind > MotionType.FIXED):
            turns = bool(one.labels.kind[part] == MotionType.TURNS)
            best = said.best_idea(part, turns)
            errors.append(np.degrees(np.arccos(min(1.0, abs(said.axis[part, best] @ one.labels.axis[part])))))
            mine = np.flatnonzero(one.tried.part == part)
            judged_right += bool(one.tried.right[mine[np.argmax(scores.moving[mine])]])
            right += said.type[part].argmax() == one.labels.kind[part]
            moving += 1
    assert right >= 0.8 * moving and judged_right >= 0.8 * moving
    assert np.median(errors) < 12.0


# ---------------------------------------------------------------- answers


def _boxes(count: int) -> tuple[Mesh, Parts]:
    side = int(np.ceil(count ** (1 / 3)))
    bodies = []
    for i in range(count):
        T = np.eye(4)
        T[:3, 3] = 1.1 * np.array([i % side, i // side % side, i // side**2])
        bodies.append(transform(box(), T))
    mesh = merge(bodies)
    names = tuple(f"part_{i}" for i in range(count))
    return Mesh(mesh.vertices, mesh.faces, up="z"), Parts(np.repeat(np.arange(count), 12), names)


@pytest.mark.parametrize("count", [1, 2, 500])
def test_answers_are_sound_for_one_part_and_for_five_hundred(count):
    whole = sample_shape(*_boxes(count))
    networks = [_network(3), _network(4)]
    answers = [predict_by_network(whole, networks)]
    if count < 100:
        answers.append(predict_by_both(whole, networks, study_parts(whole)))
    for moves in answers:
        assert len(moves) == count and sum(move.parent < 0 for move in moves) == 1
        for move in moves:
            assert move.kind in ("fixed", "revolute", "prismatic", "continuous")
            if move.axis is not None:
                assert np.isfinite(move.axis).all() and abs(np.linalg.norm(move.axis) - 1) < 1e-5
            assert move.pivot is None or np.isfinite(move.pivot).all()
            assert move.lower <= 0.0 <= move.upper and not np.isnan([move.lower, move.upper]).any()


@pytest.mark.parametrize("limits", [(0.2, 0.7), (-0.7, -0.2), (0.0, 0.0), (0.5, -0.5), (-0.01, 0.02)])
def test_limits_hold_rest_and_leave_room(limits):
    lower, upper = widen_limits(*limits, 0.17)
    assert lower <= 0.0 <= upper and upper - lower >= 0.17 - 1e-12
    assert lower <= min(limits) and upper >= max(limits)


# ---------------------------------------------------------------- weights


def test_weights_come_back_and_wrong_ones_are_refused(tmp_path):
    network = _network(5)
    save_networks(tmp_path, [network, _network(6)], {"without": ["Door"]})
    again, record = open_networks(tmp_path)
    assert len(again) == 2 and record["without"] == ["Door"]
    for name, value in network.state_dict().items():
        assert torch.allclose(value.half().float(), again[0].state_dict()[name])
    tensors, config = tmp_path / "weights.safetensors", tmp_path / "config.json"
    data, text = tensors.read_bytes(), config.read_text()
    tensors.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(InputError, match="not those"):
        open_networks(tmp_path)
    tensors.write_bytes(data)
    for change in ({"networks": 1}, {"networks": 3}, {"networks": 10**9}, {"size": {"width": 10**9}}, {"size": 3}):
        config.write_text(json.dumps(json.loads(text) | change))
        with pytest.raises(InputError):
            open_networks(tmp_path)
    config.write_text("{")
    with pytest.raises(InputError):
        open_networks(tmp_path)


def test_weights_that_are_not_finite_are_refused(tmp_path):
    network = _network(7)
    with torch.no_grad():
        network.whole[0] = torch.nan
    save_networks(tmp_path, [network], {})
    with pytest.raises(InputError, match="not finite"):
        open_networks(tmp_path)


@pytest.mark.parametrize("folder", [SHIPPED, PLAIN], ids=lambda path: path.name)
def test_shipped_weights_are_small_and_say_what_they_are(folder):
    networks, record = open_networks(folder)
    assert record["networks"] == len(networks) and record["without"] == []
    assert sum(path.stat().st_size for path in folder.iterdir()) < 15e6
    assert "non-commercial" in (folder / "LICENSE").read_text() and "Licence" in (folder / "README.md").read_text()


def test_the_shipped_network_opens_a_laptop():
    """A hinge along the back edge, the base held: what the category is about, from a seed it was not fitted to."""
    thing = procedural.make("laptop", 11)
    parts, labels = read_labels(thing.articulation)
    whole = sample_shape(thing.mesh, parts)
    moves = predict_movements(whole, predictor="both")
    lid = int(np.flatnonzero(labels.kind == MotionType.TURNS)[0])
    assert moves[lid].kind == "revolute"
    assert abs(moves[lid].axis @ labels.axis[lid]) > 0.9
