"""The reader of training: motions are the store's, augmentation moves along, epochs are whole, damage is told."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from neurok.data.augment import (
    NO_AUGMENTATION,
    Augmentation,
    augment_view,
    find_visible,
    fuse_components,
    transform_view,
)
from neurok.data.pairs import (
    MIN_PATCH_POINTS,
    MotionBatch,
    PairReader,
    Reading,
    choose_points,
    sample_pair,
    share_area,
)
from neurok.data.prepared import FOLDER, FORMAT, Prepared
from neurok.data.sample import Facts, MotionSample
from neurok.data.targets import MIN_MOTION, displace_points, follow_points
from neurok.data.views import VIEW_POINT_COUNT, TrainingView, make_view
from neurok.data.warp import Warp, random_warp, stretch_axes, warp_view
from neurok.errors import InputError
from neurok.geometry.canonical import canonical_place
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import box
from neurok.geometry.regions import MAX_REGION_PATCHES, find_regions
from neurok.geometry.rigid import dual_apply
from neurok.geometry.surface import carry, sample_stratified
from tests.small_store import OBJECTS, view_seed

SMALL = Reading(shapes=3, states=2, points=64, handles=8)


def truth(sample: MotionSample) -> tuple[np.ndarray, np.ndarray]:
    """Where the points of an object's first view are at each state, by its stored frames, [t, n, 3]; all but rest."""
    rng = np.random.default_rng(view_seed(sample.facts.name))
    rng.permutation(sample.state_count - 1)
    place = canonical_place(sample.frame(0), sample.facts.up)
    frames = [sample.frame(i) @ place[:3, :3].T + place[:3, 3] for i in range(sample.state_count)]
    mesh = Mesh(frames[0], sample.faces)
    where = sample_stratified(mesh, find_regions(mesh)[0], VIEW_POINT_COUNT, rng)
    there = np.stack([carry(frame, where) for frame in frames])
    return there[0], there[1:]


@pytest.mark.parametrize("name", [f"procedural/{category}-{seed}" for category, seed, _ in OBJECTS])
def test_pairs_read_back_move_points_where_the_store_has_them(small_store, name):
    data = Prepared(small_store.folder)
    number = next(i for i, entry in enumerate(data.entries) if entry["name"] == name)
    view = data.read(number)
    here, there = truth(small_store.read(name))
    np.testing.assert_allclose(view.position, here, atol=1e-6)
    index = np.arange(VIEW_POINT_COUNT)
    found, dual = follow_points(view, index, view.position, 8, np.random.default_rng(0))
    rigid = view.link >= 0
    met = set()
    for shift, each in zip(found, dual):
        moved = dual_apply(each.astype(np.float64), view.position.astype(np.float64))
        np.testing.assert_allclose(moved, view.position + shift, atol=2e-6)
        # The rigid points tell which state it is; then every point has to be there.
        state = int(np.argmin(((there - moved) ** 2).sum((1, 2))))
        met.add(state)
        assert np.abs(moved - there[state])[rigid].max(initial=0.0) < 1e-5
        # Others are stored in 16 bits: eleven of them are digits.
        size = np.abs(there[state] - here)
        assert (np.abs(moved - there[state]) <= 1e-5 + 2**-11 * size)[~rigid].all()
        soft = view.shift[state].astype(np.float32)
        np.testing.assert_allclose(shift[view.soft], soft, atol=2e-6)
    assert len(met) >= 6  # different states, but an object may have one twice
    assert (dual[..., 0] >= 0).all()
    np.testing.assert_allclose(np.linalg.norm(dual[..., :4], axis=-1), 1.0, atol=1e-5)
    np.testing.assert_allclose((dual[..., :4] * dual[..., 4:]).sum(-1), 0.0, atol=1e-5)


def test_points_without_a_part_turn_as_their_surface_does():
    """A box that is turned as a whole, told as displacements only, has the turn's dual quaternion everywhere."""
    turn = Rotation.from_rotvec([0.3, -0.5, 0.9])
    rest = box(1.0, 0.6, 0.4)
    moved = rest.vertices @ turn.as_matrix().T + [0.2, 0.1, -0.3]
    step = 1e-5
    there = np.stack([np.zeros_like(moved), (moved - rest.vertices) / step])
    sample = MotionSample(
        Facts("a", "a", "a", "a", "a"), rest.vertices.astype(np.float32), rest.faces.astype(np.int32),
        np.full(len(moved), -1, np.int32), np.zeros((2, 0, 3, 4), np.float32), np.arange(len(moved), dtype=np.int32),
        np.round(there).astype(np.int32), step,
    )  # fmt: skip
    view = make_view(sample, 0, np.random.default_rng(0), 100)
    _, dual = follow_points(view, np.arange(100), view.position, 1, np.random.default_rng(0))
    want = turn.as_quat(scalar_first=True, canonical=True)
    np.testing.assert_allclose(dual[0, :, :4], np.tile(want, (100, 1)), atol=1e-3)


def _views(store) -> list[TrainingView]:
    data = Prepared(store.folder)
    return [data.read(i) for i in range(len(data))]


@pytest.mark.parametrize("mirror", [False, True])
def test_turning_and_moving_commute(small_store, mirror):
    Q = Rotation.random(random_state=3).as_matrix() @ np.diag([-1.0 if mirror else 1.0, 1.0, 1.0])
    index = np.arange(VIEW_POINT_COUNT)
    for view in _views(small_store):
        after = transform_view(view, Q)
        ours, dual = follow_points(after, index, after.position.astype(np.float32), 6, np.random.default_rng(1))
        before, old = follow_points(view, index, view.position, 6, np.random.default_rng(1))
        np.testing.assert_allclose(ours, before @ Q.T, atol=5e-6)
        # Rotations too: of a mirrored motion, R' = Q R Q^T.
        R, S = (Rotation.from_quat(d[..., :4].reshape(-1, 4), scalar_first=True).as_matrix() for d in (old, dual))
        np.testing.assert_allclose(S, Q @ R @ Q.T, atol=5e-3 if len(view.soft) else 1e-5)
        np.testing.assert_allclose(after.normal, view.normal.astype(np.float64) @ Q.T, atol=1e-6)


def _two_parts(transform: np.ndarray, n: int = 60) -> TrainingView:
    rng = np.random.default_rng(0)
    position = rng.uniform(-0.5, 0.5, (n, 3)).astype(np.float32)
    transforms = np.stack([np.eye(4)[:3], transform[:3]])[None].astype(np.float64)
    normal = rng.normal(size=(n, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    none = np.zeros(0, np.int16)
    return TrainingView(
        position, normal, np.full(n, 1 / n, np.float32), np.zeros(n, np.uint8), np.zeros(n, np.uint16),
            np.zeros((1, 1, 4), np.uint8),
        (np.arange(n) % 2).astype(np.int16), transforms, none, np.zeros((1, 0, 3)), np.zeros((1, 0, 4)),
    )  # fmt: skip


def _screw(axis, pivot, angle, along) -> np.ndarray:
    """Turning by an angle about the line through a pivot, and going along it."""
    axis, pivot = np.asarray(axis) / np.linalg.norm(axis), np.asarray(pivot)
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(angle * axis).as_matrix()
    T[:3, 3] = pivot - T[:3, :3] @ pivot + along * axis
    return T


@pytest.mark.parametrize(("angle", "along"), [(0.7, 0.0), (3.0, 0.0), (-1.2, 0.15), (0.0, 0.4)])
def test_a_stretched_joint_is_the_joint_of_the_stretched_object(angle, along):
    axis, pivot, factor = np.array([0.6, 0.0, 0.8]), np.array([0.1, -0.3, 0.2]), np.array([1.2, 0.85, 1.1])
    view = _two_parts(_screw(axis, pivot, angle, along))
    after = warp_view(view, stretch_axes(factor))
    low, high = (view.position * factor).min(0), (view.position * factor).max(0)
    scale, centre = 1 / np.linalg.norm(high - low), (low + high) / 2
    np.testing.assert_allclose(after.position, (view.position * factor - centre) * scale, atol=1e-6)
    length = np.linalg.norm(factor * axis)
    want = _screw(factor * axis, (pivot * factor - centre) * scale, angle, along * length * scale)
    np.testing.assert_allclose(after.transforms[0, 1], want[:3], atol=1e-7)
    np.testing.assert_allclose(after.transforms[0, 0], np.eye(4)[:3], atol=1e-12)


def test_the_normals_and_areas_of_a_stretched_box_are_those_of_the_larger_box():
    mesh, factor = box(0.5, 0.6, 0.4), np.array([1.3, 0.8, 1.1])
    where = sample_stratified(mesh, np.arange(12) // 2, 300, np.random.default_rng(0))
    view = replace(
        _two_parts(np.eye(4)), position=where.position, normal=where.normal, area=where.area / where.area.sum(),
        link=np.zeros(300, np.int16),
    )  # fmt: skip
    after = warp_view(view, stretch_axes(factor))
    np.testing.assert_allclose(after.normal, where.normal, atol=1e-12)  # of a box, they stay along the axes
    sides = np.array([0.5, 0.6, 0.4]) * factor
    for axis in range(3):
        share = np.delete(sides, axis).prod() / sum(np.delete(sides, i).prod() for i in range(3))
        assert after.area[np.abs(where.normal[:, axis]) > 0.5].sum() == pytest.approx(share, rel=1e-6)


def test_a_warp_is_the_line_through_its_knots_and_its_slope_is_its_derivative():
    warp = random_warp(1.3, 1.8, np.random.default_rng(3))
    x = np.random.default_rng(4).uniform(-2, 2, (400, 3))
    inside = np.abs(x).max(axis=1) < 1
    expected = np.stack([np.interp(x[:, a], warp.knots[a], warp.values[a]) for a in range(3)], axis=1)
    np.testing.assert_allclose(warp(x)[inside], expected[inside], atol=1e-12)
    for a in range(3):
        step = 1e-7 * np.eye(3)[a]
        np.testing.assert_allclose(((warp(x + step) - warp(x)) / 1e-7)[:, a], warp.slope(x)[:, a], rtol=1e-5)
    assert warp.slope(x).min() >= 1 / (1.3 * 1.8) and warp.slope(x).max() <= 1.3 * 1.8


def test_joints_along_axes_follow_the_warped_surface_about_them():
    """A point on a hinge's line stays on the hinge of the warped object; a drawer goes on along its own axis."""
    knots, values = np.tile([-1.0, 0.0, 1.0], (3, 1)), np.array([[-1.5, 0.0, 0.5], [-0.4, 0.0, 1.2], [-1.0, 0.0, 2.0]])
    warp, pivot = Warp(knots, values), np.array([0.3, -0.2, 0.1])
    for axis in np.eye(3):
        view = _two_parts(_screw(axis, pivot, 0.9, 0.0))
        on = (view.link == 1) & (np.arange(len(view.link)) < 20)
        view = replace(view, position=np.where(on[:, None] & (axis == 0), pivot, view.position))
        after = warp_view(view, warp)
        T = after.transforms[0, 1]
        x = after.position[on]
        np.testing.assert_allclose(x @ T[:, :3].T + T[:, 3], x, atol=1e-9)
        angle = np.arccos(np.clip((np.trace(T[:, :3]) - 1) / 2, -1, 1))
        assert angle == pytest.approx(0.9)  # neither more nor less than before
        slides = warp_view(_two_parts(_screw(axis, pivot, 0.0, 0.2)), warp).transforms[0, 1]
        np.testing.assert_allclose(slides[:, :3], np.eye(3), atol=1e-12)
        assert np.linalg.norm(np.cross(slides[:, 3], axis)) < 1e-12 < np.linalg.norm(slides[:, 3])


def test_a_flat_object_still_moves_across_itself_when_it_is_warped():
    view = _two_parts(_screw(np.array([0.0, 0.0, 1.0]), np.zeros(3), 0.0, 0.2))
    flat = replace(view, position=view.position * np.array([1, 1, 0], dtype=np.float32))
    after = warp_view(flat, stretch_axes(np.array([1.0, 1.0, 1.5])))
    scale = 1.0 / np.linalg.norm(np.ptp(flat.position, axis=0))
    assert after.transforms[0, 1, 2, 3] == pytest.approx(0.2 * 1.5 * scale, rel=1e-5)


def test_what_rides_on_a_slider_goes_along_with_it_in_a_warped_object():
    """Two parts of one motion, far apart, have one motion under every warp where they slide."""
    view = _two_parts(_screw(np.array([0.6, 0.0, 0.8]), np.zeros(3), 0.0, 0.2))
    both = np.repeat(view.transforms[:, 1:], 2, axis=1)
    apart = np.where(view.link[:, None] == 0, view.position - 0.4, view.position)
    for seed in range(20):
        warp = random_warp(1.3, 1.8, np.random.default_rng(seed))
        after = warp_view(replace(view, transforms=both, position=apart), warp).transforms
        np.testing.assert_allclose(after[:, 0], after[:, 1], atol=1e-12)


def test_augmentation_changes_what_it_says_and_nothing_else(small_store):
    for view in _views(small_store):
        same = augment_view(view, NO_AUGMENTATION, np.random.default_rng(0))
        for field in fields(TrainingView):
            np.testing.assert_allclose(getattr(same, field.name), getattr(view, field.name), atol=1e-12)
        assert find_visible(view, NO_AUGMENTATION, np.random.default_rng(0)).all()
        other = augment_view(view, replace(Augmentation(), fuse=0.0), np.random.default_rng(1))
        assert np.abs(other.position - view.position).max() > 0.01
        for name in ("component", "link", "soft"):
            np.testing.assert_array_equal(getattr(other, name), getattr(view, name))
        part = find_visible(view, replace(NO_AUGMENTATION, partial=1.0), np.random.default_rng(2))
        assert VIEW_POINT_COUNT // 4 <= part.sum() < VIEW_POINT_COUNT


def test_fusing_joins_components_and_splits_none(small_store):
    for view in _views(small_store):
        whole = fuse_components(view, 1.0, np.random.default_rng(0))
        assert len(np.unique(whole.component)) == 1
        half = fuse_components(view, 0.5, np.random.default_rng(0))
        for label in np.unique(view.component):
            assert len(np.unique(half.component[view.component == label])) == 1
        np.testing.assert_array_equal(whole.patch, view.patch)


def test_of_each_patch_a_few_points_are_chosen_and_stand_for_its_area():
    rng = np.random.default_rng(0)
    patch = np.repeat([0, 1, 2, 3], [900, 80, 12, 3])
    view = replace(_two_parts(np.eye(4), n=len(patch)), patch=patch, area=rng.random(len(patch)))
    keep = np.arange(len(patch))
    index = choose_points(patch, keep, 200, rng)
    assert len(np.unique(index)) == 200
    assert (np.bincount(patch[index], minlength=4) >= [MIN_PATCH_POINTS] * 3 + [3]).all()
    area = share_area(view, keep, index)
    want = np.bincount(patch, view.area) / view.area.sum()
    np.testing.assert_allclose(np.bincount(patch[index], area), want, atol=1e-12)
    few = choose_points(patch, keep[:50], 200, rng)
    assert set(few.tolist()) == set(range(50)) and len(few) == 200


def _arrays(batch: MotionBatch) -> dict[str, np.ndarray]:
    """All arrays of a batch by their names."""
    return {f.name: getattr(part, f.name) for part in (batch.shapes, batch.targets) for f in fields(part)}


def test_a_batch_is_as_it_says(small_store):
    how = replace(SMALL, shapes=6, states=5)
    for seed in range(3):
        batch = PairReader(Prepared(small_store.folder), replace(how, seed=seed)).take()
        shapes, targets = batch.shapes, batch.targets
        assert shapes.position.shape == (6, 64, 3) and targets.dual.shape == (6, 5, 64, 8)
        np.testing.assert_allclose(shapes.area.sum(1), 1.0, atol=1e-5)
        assert shapes.owner.max() == 7 and shapes.owner.min() == 0
        for b in range(6):
            np.testing.assert_allclose(
                displace_points(targets.dual[b], shapes.position[b]), targets.displacement[b], atol=1e-6
            )
        size = np.sqrt((targets.displacement**2).sum(-1).mean(-1))
        assert (size > MIN_MOTION / 4).all()
        for array in _arrays(batch).values():
            assert np.isfinite(array).all()


def test_splits_share_no_object(small_store):
    data = Prepared(small_store.folder)
    groups = {}
    for split in ("train", "dev"):
        names = {data.entries[v]["name"] for v in PairReader(data, SMALL, split).visits}
        assert names
        groups[split] = {small_store.entries[name]["group"] for name in names}
    assert not groups["train"] & groups["dev"]
    with pytest.raises(InputError, match="no objects of the split 'test'"):
        PairReader(data, SMALL, "test")


@pytest.mark.data
def test_splits_of_real_objects_share_no_rig(shared_data):
    from neurok.data.recipes import list_items

    folders = {"partnet": str(shared_data / "partnet_mobility"), "animated": str(shared_data / "animated")}
    splits: dict[str, set[str]] = {}
    for item in list_items("full", **folders):
        group = dict(item.extra).get("rig") or item.name
        splits.setdefault(f"{item.source}/{group}", set()).add(item.split)
    assert len(splits) > 1000
    assert all(len(found) == 1 for found in splits.values())


def _given(pairs: PairReader, batches: int) -> list[tuple[int, int, int]]:
    """The visits of so many batches."""
    return [visit for _ in range(batches) for visit in pairs._advance()]


@pytest.mark.parametrize("stop", [1, 3, 4, 7])
def test_an_epoch_gives_every_view_as_often_as_asked_also_when_resumed(small_store, stop):
    data = Prepared(small_store.folder)
    how = replace(SMALL, repeats={"procedural": 3}, seed=stop)
    whole = PairReader(data, how)
    length = len(whole.visits)
    count = 2 * length // SMALL.shapes
    everything = _given(whole, count)
    for epoch in (0, 1):
        visits = Counter(view for e, _, view in everything if e == epoch)
        train = [i for i, entry in enumerate(data.entries) if entry["split"] == "train"]
        assert visits == {view: 3 for view in train}
    order = [[view for e, _, view in everything if e == epoch] for epoch in (0, 1)]
    assert order[0] != order[1]  # shuffled anew
    first = PairReader(data, how)
    before = _given(first, stop)
    second = PairReader(data, how)
    second.epoch, second.place = first.epoch, first.place
    assert before + _given(second, count - stop) == everything


def test_parts_of_a_batch_are_the_batch_and_resuming_repeats_it(small_store):
    data = Prepared(small_store.folder)
    how = replace(SMALL, shapes=4)
    whole, one, two = PairReader(data, how), PairReader(data, how), PairReader(data, how)
    for _ in range(3):
        batch, even, odd = _arrays(whole.take()), _arrays(one.take(0, 2)), _arrays(two.take(1, 2))
        for name, array in batch.items():
            both = np.empty_like(array)
            both[0::2], both[1::2] = even[name], odd[name]
            np.testing.assert_array_equal(both, array)
    again = PairReader(data, how)
    again.epoch, again.place = one.epoch, one.place
    np.testing.assert_array_equal(again.take().targets.dual, whole.take().targets.dual)


def test_the_same_seed_gives_the_same_bits_and_another_does_not(small_store):
    data = Prepared(small_store.folder)
    a, b, c = (_arrays(PairReader(data, replace(SMALL, seed=seed)).take()) for seed in (4, 4, 5))
    for name in a:
        np.testing.assert_array_equal(a[name], b[name])
    assert not np.array_equal(a["position"], c["position"])


def test_few_states_are_given_twice_and_still_ones_only_where_there_are_no_others():
    view = _two_parts(_screw([0, 0, 1], [0, 0, 0], 0.5, 0.0))
    still = np.tile(np.eye(4)[:3], (1, 2, 1, 1))
    view = replace(
        view, transforms=np.concatenate([view.transforms, still]), shift=np.zeros((2, 0, 3)), turn=np.zeros((2, 0, 4))
    )
    _, found = sample_pair(
        view, replace(SMALL, states=4, points=32, augmentation=NO_AUGMENTATION), np.random.default_rng(0)
    )
    assert (np.abs(found.displacement).max((1, 2)) > 0.01).all()
    motionless = replace(view, transforms=np.concatenate([still, still]))
    _, found = sample_pair(
        motionless, replace(SMALL, points=32, augmentation=NO_AUGMENTATION), np.random.default_rng(0)
    )
    assert np.abs(found.displacement).max() == 0.0


@pytest.fixture
def copied(small_store, tmp_path):
    shutil.copytree(small_store.folder, tmp_path / "store")
    return tmp_path / "store"


def _flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def _edit(change):
    def edit(folder):
        index = json.loads((folder / "index.json").read_text())
        change(index["views"][0])
        (folder / "index.json").write_text(json.dumps(index))

    return edit


def _repatch(path) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | {"patches": 64}))


DAMAGE = {
    "a flipped bit": lambda folder: _flip(folder / "shard-00000.bin"),
    "a cut file": lambda folder: (folder / "shard-00000.bin").write_bytes(b"123"),
    "a missing file": lambda folder: (folder / "shard-00000.bin").unlink(),
    "a torn index": lambda folder: (folder / "index.json").write_text('{"format": 1, "views": ['),
    "another format": lambda folder: (folder / "index.json").write_text('{"format": 99}'),
    "other patches": lambda folder: _repatch(folder / "index.json"),
    "no object": lambda folder: (folder / "index.json").write_text("[]"),
    "a lying size": _edit(lambda entry: entry.update(bytes=1 << 50)),
    "a lying layout": _edit(lambda entry: entry["layout"].__setitem__(0, [1 << 40, 3])),
    "a short layout": _edit(lambda entry: entry["layout"].pop()),
    "a wrong type": _edit(lambda entry: entry.update(start="0")),
    "a lost entry": _edit(lambda entry: entry.pop("crc")),
    "a way out": _edit(lambda entry: entry.update(shard="../../shard-00000.tar")),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_one_sentence(copied, kind):
    DAMAGE[kind](copied / FOLDER)
    with pytest.raises(InputError) as caught:
        data = Prepared(copied)
        for i in range(2):
            data.read(i)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".") and "; " in str(caught.value)


STREAM = """
import resource, sys
import numpy as np
from neurok.data.prepared import Prepared
from neurok.data.pairs import PairReader, Reading
pairs = PairReader(Prepared(sys.argv[1]), Reading(shapes=4, states=2, points=64, handles=8))
pairs.take()
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(-(-len(pairs.visits) // 4)):
    pairs.take()
assert pairs.epoch >= 1
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space are Linux's")
def test_a_store_larger_than_the_memory_streams(tmp_path):
    import zlib

    from neurok.data.prepared import _pack
    from neurok.data.views import ARRAY_TYPES

    rng = np.random.default_rng(0)
    n, t = 1024, 160
    arrays = {
        "position": rng.uniform(-0.5, 0.5, (n, 3)), "normal": rng.normal(size=(n, 3)), "area": np.full(n, 1 / n),
        "patch": np.zeros(n), "component": np.zeros(n), "border": np.zeros((1, 1, 4)), "link": np.full(n, -1),
        "transforms": np.zeros((t, 0, 3, 4)),
        "soft": np.arange(n), "shift": rng.normal(size=(t, n, 3)) * 0.1, "turn": np.tile([1.0, 0, 0, 0], (t, n, 1)),
    }  # fmt: skip
    soft = TrainingView(**{name: np.ascontiguousarray(a, dtype=ARRAY_TYPES[name]) for name, a in arrays.items()})
    block, layout = _pack(soft)
    folder = tmp_path / FOLDER
    folder.mkdir()
    entries = []
    for shard in range(2):
        (folder / f"{shard}.bin").write_bytes(block * 32)
        entries += [
            {"name": "a", "source": "a", "category": "a", "split": "train", "shard": f"{shard}.bin", "states": t,
             "start": i * len(block), "bytes": len(block), "crc": zlib.crc32(block), "layout": layout}
            for i in range(32)
        ]  # fmt: skip
    (folder / "index.json").write_text(json.dumps({"format": FORMAT, "patches": MAX_REGION_PATCHES, "views": entries}))
    headroom = 40 << 20
    assert sum(path.stat().st_size for path in folder.glob("*.bin")) > 3 * headroom
    command = [sys.executable, "-c", STREAM, str(tmp_path), str(headroom)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 1024 * int(done.stdout) < headroom
