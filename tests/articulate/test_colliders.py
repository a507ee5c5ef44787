"""Convex pieces cover their surface and leave hollows free; carved pieces keep clear of each other."""

import numpy as np
import pytest

from neurok.articulate.carving import carve_apart, cut_around, overlaps_deeply
from neurok.articulate.colliders import add_colliders
from neurok.articulate.decompose import decompose_convex
from neurok.articulate.physics import add_physics
from neurok.files.bodies import build_bodies
from neurok.files.contacts import find_joined_pairs
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.measure import compute_volume
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box


def _box(size, at=(0, 0, 0)):
    T = np.eye(4)
    T[:3, 3] = at
    return transform(box(*size), T)


def _tray():
    """Open at the top: five boards, 0.1 thick."""
    walls = [_box((0.1, 1, 0.5), (x, 0, 0.25)) for x in (-0.45, 0.45)]
    walls += [_box((0.8, 0.1, 0.5), (0, y, 0.25)) for y in (-0.45, 0.45)]
    return merge([_box((1, 1, 0.1), (0, 0, -0.05)), *walls])


def _inside(piece, points):
    normals = np.cross(*np.diff(piece.vertices[piece.faces], axis=1).swapaxes(0, 1))
    heights = np.einsum("kd,nkd->nk", normals, points[:, None] - piece.vertices[piece.faces[:, 0]])
    return np.all(heights <= 1e-6, axis=1)


def test_a_tray_keeps_its_hollow_and_loses_nothing():
    tray = _tray()
    pieces = decompose_convex(tray, tolerance=0.02, most=16)
    assert 5 <= len(pieces) <= 16
    rng = np.random.default_rng(0)
    hollow = rng.uniform((-0.39, -0.39, 0.01), (0.39, 0.39, 0.5), (200, 3))
    assert not any(_inside(piece, hollow).any() for piece in pieces)
    corners = np.concatenate([tray.vertices, tray.vertices[tray.faces].mean(axis=1)])
    assert np.any([_inside(piece, corners) for piece in pieces], axis=0).all()
    assert sum(compute_volume(piece) for piece in pieces) == pytest.approx(1 * 1 * 0.1 + 2 * 0.05 + 2 * 0.04, rel=0.02)


def test_what_is_convex_stays_whole():
    assert len(decompose_convex(_box((1, 2, 3)), tolerance=0.02, most=16)) == 1


def test_a_solid_corner_is_two_blocks():
    """Cut where its walls are, a solid L leaves faces without a surface: they do not count as hollow."""
    outline = np.array([(0, 0), (1, 0), (1, 0.3), (0.3, 0.3), (0.3, 1), (0, 1.0)])
    vertices = np.concatenate([np.c_[outline, np.zeros(6)], np.c_[outline, np.full(6, 0.4)]])
    floor = np.array([(0, 2, 1), (0, 3, 2), (0, 4, 3), (0, 5, 4)])
    sides = np.array([((i, (i + 1) % 6, i + 6), ((i + 1) % 6, (i + 1) % 6 + 6, i + 6)) for i in range(6)]).reshape(
        -1, 3
    )
    solid = Mesh(vertices, np.concatenate([floor, floor[:, ::-1] + 6, sides]))
    pieces = decompose_convex(solid, tolerance=0.02, most=16)
    assert len(pieces) == 2
    assert sum(map(compute_volume, pieces)) == pytest.approx(compute_volume(solid)) == pytest.approx(0.4 * (0.3 + 0.21))


def test_no_more_pieces_than_asked():
    assert len(decompose_convex(_tray(), tolerance=0.02, most=3)) == 3


@pytest.mark.parametrize(
    "flat", [[[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 0, 0]] * 3]
)
def test_what_has_no_volume_is_no_fault(flat):
    pieces = decompose_convex(Mesh(np.array(flat, dtype=float), np.array([[0, 1, 2]])), tolerance=0.01, most=8)
    assert all(np.isfinite(piece.vertices).all() for piece in pieces)


def test_a_block_around_a_hole_loses_the_hole_alone():
    block, hole = _box((1, 1, 1)), _box((0.2, 0.3, 0.4), (0.1, 0, 0))
    left = cut_around(block, hole, clear=0.0, sliver=0.0)
    assert sum(compute_volume(piece) for piece in left) == pytest.approx(1 - 0.2 * 0.3 * 0.4)
    assert not any(overlaps_deeply(piece, hole, 1e-6) for piece in left)


def test_pieces_of_two_links_are_parted():
    big, small = [_box((1, 1, 1)), _box((2, 2, 0.1), (0, 0, 1))], [_box((0.3, 0.3, 3), (0.2, 0.1, 0.5))]
    a, b = carve_apart([big, small], [(0, 1)], 2.0)
    assert not any(overlaps_deeply(one, other, 0.004) for one in a for other in b)
    assert sum(map(compute_volume, b)) == pytest.approx(0.27)  # the smaller pieces stay as they are
    assert sum(map(compute_volume, a)) == pytest.approx(1.4 - 0.09 * 1.1, rel=0.03)


def test_the_same_block_twice_ends():
    a, b = carve_apart([[_box((1, 1, 1))], [_box((1, 1, 1))]], [(0, 1)], 1.0)
    assert len(a) + len(b) == 1


def test_links_through_each_other_get_colliders_that_are_not(tmp_path):
    """Two bars, each on its own joint, cross in the middle."""
    meshes = [_box((2, 2, 0.1), (0, 0, -0.2)), _box((1.6, 0.2, 0.2)), _box((0.2, 1.6, 0.2))]
    joints = tuple(Joint(f"j{i}", "prismatic", 0, i, np.eye(4), np.array([0, 0, 1.0]), 0.0, 0.3) for i in (1, 2))
    links = tuple(Link(name, np.eye(4)) for name in ("base", "x", "y"))
    merged = merge(meshes)
    thing = Articulation(Mesh(merged.vertices, merged.faces, up="z"), np.repeat([0, 1, 2], 8), links, joints, "cross")
    found, _ = add_colliders(add_physics(thing))
    parts = build_bodies(found)
    assert (1, 2) not in find_joined_pairs(found, parts)
    world = [[transform(hull, body.T_world_body) for hull in body.hulls] for body in parts]
    assert world[1] and world[2]
    assert not any(overlaps_deeply(a, b, 0.003 * merged.diagonal) for a in world[1] for b in world[2])
    kept = sum(compute_volume(piece) for piece in world[1] + world[2])
    assert kept == pytest.approx(2 * 0.064 - 0.008, rel=0.1)  # what they share is there once
