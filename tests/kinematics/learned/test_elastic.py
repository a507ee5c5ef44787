"""Elastic modes: against the laws of a free rod, and against what moving as a whole must cost."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from neurok.geometry.handle_metric import measure_handles
from neurok.geometry.handles import place_handles
from neurok.geometry.primitives import box
from neurok.geometry.surface import sample_even
from neurok.kinematics.learned.elastic import elastic_modes
from neurok.kinematics.learned.soft import LOOSE_BOND


def looked_at(mesh, handles, count=4096):
    where = sample_even(mesh, count, np.random.default_rng(0))
    return where, place_handles(where.position, np.zeros(count, dtype=int), handles)


def find_modes(where, placed, component, count, across=LOOSE_BOND):
    metric = measure_handles(where.position, where.area, placed.owner, placed.count)
    return elastic_modes(where, placed, metric, component, count, across=across)


def displacements(twist, where, placed):
    own = twist[placed.owner]
    return own[..., :3] + np.cross(own[..., 3:], where.position[:, None])  # [n, m, 3]


@pytest.fixture(scope="module")
def rod():
    """One diagonal long, thin beside that and beside LEVER; along x."""
    mesh = box(0.998, 0.05, 0.05, cells=2)
    where, placed = looked_at(mesh, 96)
    return where, placed, *find_modes(where, placed, np.zeros(where.count, dtype=int), 12)


def test_a_rod_bends_as_euler_and_bernoulli_say(rod):
    """Free ends: the rates of the first three bends are as 4.730^4 : 7.853^4 : 10.996^4, each there in two planes."""
    where, placed, value, twist = rod
    moved = displacements(twist, where, placed)
    across = (moved[..., 1:] ** 2).sum(axis=(0, 2)) / (moved**2).sum(axis=(0, 2))
    bends = value[across > 0.9]
    assert len(bends) >= 4
    assert bends[1] == pytest.approx(bends[0], rel=0.1) and bends[3] == pytest.approx(bends[2], rel=0.1)
    # LEVER is a tenth of the length, so that shear makes the shorter bend a little softer than a thin rod's.
    ratio = (7.853 / 4.730) ** 4
    assert 0.45 * ratio < bends[2] / bends[0] < 1.05 * ratio


def test_modes_move_the_surface_by_one_and_are_independent(rod):
    where, placed, _, twist = rod
    moved = displacements(twist, where, placed) * np.sqrt(where.area / where.area.sum())[:, None, None]
    flat = np.moveaxis(moved, 1, 0).reshape(twist.shape[1], -1)
    assert flat @ flat.T == pytest.approx(np.eye(len(flat)), abs=1e-5)


def test_values_rise_and_no_mode_moves_the_whole(rod):
    where, placed, value, twist = rod
    assert value[0] > 0 and np.all(np.diff(value) >= 0)
    moved = displacements(twist, where, placed)
    shift = np.average(moved, axis=0, weights=where.area)
    assert np.abs(shift).max() < 0.1


@pytest.fixture(scope="module")
def cubes():
    """Two cubes side by side, a little apart."""
    left, right = box(0.4, 0.4, 0.4, cells=2), box(0.4, 0.4, 0.4, cells=2)
    vertices = np.concatenate([left.vertices, right.vertices + [0, 0.41, 0]])
    mesh = type(left)(vertices, np.concatenate([left.faces, right.faces + left.vertex_count]))
    where = sample_even(mesh, 4096, np.random.default_rng(0))
    piece = (mesh.faces[where.face, 0] >= left.vertex_count).astype(int)
    return where, piece, place_handles(where.position, piece, 64)


def test_pieces_that_are_held_do_not_come_apart_where_they_touch(cubes):
    """How far points that face each other part, of how far the surface goes, in the softest modes."""
    where, piece, placed = cubes
    near = np.abs(where.position[:, 1] - 0.205) < 0.02
    one, other = (np.flatnonzero(near & (piece == k)) for k in (0, 1))
    facing = other[cKDTree(where.position[other]).query(where.position[one])[1]]
    parts = []
    for across in (LOOSE_BOND, 1.0):
        moved = displacements(find_modes(where, placed, piece, 6, across)[1], where, placed)
        apart = np.sqrt(np.square(moved[one] - moved[facing]).sum(axis=2).mean(axis=0))
        parts.append(apart / np.sqrt(np.square(moved).sum(axis=2).mean(axis=0)))
    assert parts[0].max() > 0.5 > 2.5 * parts[1].max()


def test_loose_pieces_come_apart_before_they_bend(cubes):
    """Held by weak bonds, the softest modes move each as it is."""
    where, piece, placed = cubes
    value, twist = find_modes(where, placed, piece, 8)
    one, _ = find_modes(where, placed, np.zeros_like(piece), 8)
    assert value[0] < 0.5 * one[0]
    moved = displacements(twist[:, :1], where, placed)[:, 0]
    for number in (0, 1):
        mine = piece == number
        x = np.concatenate(
            [np.eye(3)[None].repeat(mine.sum(), 0), -np.cross(np.eye(3), where.position[mine, None])], axis=1
        )
        A = x.transpose(0, 2, 1).reshape(-1, 6)
        left_over = moved[mine].ravel() - A @ np.linalg.lstsq(A, moved[mine].ravel(), rcond=None)[0]
        assert np.square(left_over).mean() < 0.1 * np.square(moved[mine]).mean()


def test_pieces_far_apart_do_not_move_as_a_whole():
    """Pieces that touch nowhere have six ways to move each, at no cost; none of them may be that of the whole."""
    cube = box(0.2, 0.2, 0.2, cells=2)
    mesh = type(cube)(
        np.concatenate([cube.vertices, cube.vertices + [0.7, 0, 0]]),
        np.concatenate([cube.faces, cube.faces + cube.vertex_count]),
    )
    where = sample_even(mesh, 2048, np.random.default_rng(0))
    piece = (mesh.faces[where.face, 0] >= cube.vertex_count).astype(int)
    placed = place_handles(where.position, piece, 48)
    value, twist = find_modes(where, placed, piece, 10)
    again, same = find_modes(where, placed, piece, 40)
    assert value[0] > 0 and again[:10] == pytest.approx(value, rel=1e-6)
    moved = displacements(twist, where, placed)
    A = np.concatenate([np.eye(3)[None].repeat(where.count, 0), -np.cross(np.eye(3), where.position[:, None])], axis=1)
    A = A.transpose(0, 2, 1).reshape(-1, 6)
    for mode in np.moveaxis(moved, 1, 0):
        left = mode.ravel() - A @ np.linalg.lstsq(A, mode.ravel(), rcond=None)[0]
        assert np.square(left).sum() > 0.9 * np.square(mode).sum()


def test_a_single_handle_has_no_modes():
    where, placed = looked_at(box(cells=2), 1, count=64)
    value, twist = find_modes(where, placed, np.zeros(64, dtype=int), 4)
    assert len(value) == 0 and twist.shape == (1, 0, 6)
