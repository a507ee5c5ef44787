"""Handles, regions and stratified samples: what they promise, against plain loops."""

import numpy as np
import pytest

from neurok.errors import OptionError
from neurok.geometry.canonical import canonical_place
from neurok.geometry.handles import PATCH_SEPARATION, place_handles
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import box, icosphere
from neurok.geometry.regions import find_regions, region_features
from neurok.geometry.surface import sample_stratified


def _points(seed, n=200, patches=9):
    rng = np.random.default_rng(seed)
    return rng.uniform(-0.3, 0.3, (n, 3)), rng.integers(0, patches, n) * 7


@pytest.mark.parametrize("seed", range(5))
def test_every_patch_has_its_own_handles_where_there_are_enough(seed):
    position, patch = _points(seed)
    handles = place_handles(position, patch, 24)
    assert handles.count == 24 and len(set(handles.anchor.tolist())) == 24
    np.testing.assert_array_equal(handles.owner[handles.anchor], np.arange(24))
    for handle in range(24):
        assert len(set(patch[handles.owner == handle].tolist())) == 1
    assert set(patch[handles.anchor].tolist()) == set(patch.tolist())
    # Of the anchors of its patch, a point has the nearest.
    for i in range(len(position)):
        mine = np.flatnonzero(patch[handles.anchor] == patch[i])
        far = np.linalg.norm(position[handles.anchor[mine]] - position[i], axis=1)
        own = np.linalg.norm(position[handles.anchor[handles.owner[i]]] - position[i])
        assert own <= far.min() + 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_further_handles_go_where_the_surface_is_farthest_from_any(seed):
    position, patch = _points(seed)
    anchor = place_handles(position, patch, 30).anchor
    first = len(set(patch.tolist()))
    for i in range(first, 30):
        before = anchor[:i]
        square = ((position[:, None] - position[before]) ** 2).sum(2) + PATCH_SEPARATION**2 * (
            patch[:, None] != patch[before]
        )
        reach = square.min(axis=1)
        assert reach[anchor[i]] >= np.delete(reach, before).max() - 1e-6


def test_with_fewer_handles_than_patches_the_largest_keep_theirs():
    position, _ = _points(0, n=100)
    patch = np.repeat([5, 6, 7, 8], [50, 30, 15, 5])
    handles = place_handles(position, patch, 2)
    assert set(patch[handles.anchor].tolist()) == {5, 6}
    for label in (5, 6):
        assert len(set(handles.owner[patch == label].tolist())) == 1
    lost = patch > 6
    far = np.linalg.norm(position[lost, None] - position[handles.anchor], axis=2)
    np.testing.assert_array_equal(handles.owner[lost], far.argmin(axis=1))


def test_handles_are_at_most_as_many_as_points_also_where_points_coincide():
    handles = place_handles(np.zeros((5, 3)), np.zeros(5, dtype=int), 9)
    assert handles.count == 5 and sorted(handles.anchor.tolist()) == list(range(5))
    with pytest.raises(OptionError):
        place_handles(np.zeros((5, 3)), np.zeros(5, dtype=int), 0)
    with pytest.raises(OptionError):
        place_handles(np.zeros((0, 3)), np.zeros(0, dtype=int), 4)


def test_features_of_regions_are_those_of_a_plain_loop():
    rng = np.random.default_rng(1)
    position, label = _points(1)
    normal, area = rng.normal(size=position.shape), rng.random(len(position))
    found = region_features(position, normal, area, label)
    for i in range(len(position)):
        mine = label == label[i]
        total = area[mine].sum()
        want = np.concatenate([
            (area[mine, None] * position[mine]).sum(0) / total, np.ptp(position[mine], axis=0), [total],
            (area[mine, None] * normal[mine]).sum(0) / total,
        ])  # fmt: skip
        np.testing.assert_allclose(found[i], want, rtol=1e-5, atol=1e-6)


def test_stratified_points_stand_for_the_area_of_their_region():
    big, small = box(1.0, 1.0, 1.0), icosphere(0.02, 2)
    mesh = Mesh(
        np.concatenate([big.vertices, small.vertices + [3.0, 0, 0]]),
        np.concatenate([big.faces, small.faces + big.vertex_count]),
    )
    label = np.repeat([0, 1], [big.face_count, small.face_count])
    where = sample_stratified(mesh, label, 400, np.random.default_rng(0))
    areas = [np.linalg.norm(np.cross(*(np.diff(m.vertices[m.faces], axis=1).swapaxes(0, 1))), axis=1).sum() / 2
             for m in (big, small)]  # fmt: skip
    region = label[where.face]
    for i, area in enumerate(areas):
        assert where.area[region == i].sum() == pytest.approx(area, rel=1e-9)
    # Half by area (a thousandth is small's), half by its root: a few points in a hundred.
    share = np.sqrt(areas[1]) / np.sqrt(areas).sum()
    assert (region == 1).sum() == pytest.approx(200 * (share + areas[1] / sum(areas)), abs=1.5)
    # Sums over points are sums over the surface: the centre of the box.
    centre = (where.area[:, None] * where.position)[region == 0].sum(0) / areas[0]
    np.testing.assert_allclose(centre, big.vertices.mean(0), atol=0.08)
    np.testing.assert_allclose(np.linalg.norm(where.normal, axis=1), 1.0, atol=1e-9)


def test_even_the_smallest_region_of_a_real_shape_is_seen():
    mesh = box(1.0, 0.5, 0.02)
    patch, _ = find_regions(mesh)
    where = sample_stratified(mesh, patch, 256, np.random.default_rng(0))
    assert set(patch[where.face].tolist()) == set(patch.tolist()) and len(set(patch.tolist())) == 6


@pytest.mark.parametrize("up", ["x", "y", "z"])
def test_the_canonical_place_is_centred_upright_and_of_size_one(up):
    rng = np.random.default_rng(0)
    vertices = rng.normal(size=(50, 3)) * [3.0, 1.0, 7.0] + [100.0, -5.0, 2.0]
    place = canonical_place(vertices, up)
    there = vertices @ place[:3, :3].T + place[:3, 3]
    np.testing.assert_allclose(there.min(0) + there.max(0), 0.0, atol=1e-9)
    assert np.linalg.norm(np.ptp(there, axis=0)) == pytest.approx(1.0)
    along = np.eye(3)["xyz".index(up)] @ place[:3, :3].T
    np.testing.assert_allclose(along / np.linalg.norm(along), [0, 0, 1], atol=1e-12)
    assert np.linalg.det(place[:3, :3]) > 0


def test_a_single_point_has_a_place():
    place = canonical_place(np.ones((1, 3)), "y")
    np.testing.assert_allclose(place[:3, :3] @ np.ones(3) + place[:3, 3], 0.0, atol=1e-12)
