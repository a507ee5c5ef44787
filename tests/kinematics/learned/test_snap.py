"""Snapping: screws blurred by small errors are found again; what bends stays as it is."""

import numpy as np
import pytest
import torch

from neurok import kinematics
from neurok.demo import make_plain_laptop
from neurok.geometry.handle_metric import measure_handles
from neurok.geometry.handles import place_handles
from neurok.geometry.primitives import box
from neurok.geometry.rigid import rigid_from_points
from neurok.geometry.surface import sample_even
from neurok.kinematics.learned.options import LearnedOptions
from neurok.kinematics.learned.snap import snap_mode
from neurok.mechanics.descent import pose_mesh

HINGE = np.array([1.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def placed():
    where = sample_even(box(0.5, 0.5, 0.5, cells=4), 600, np.random.default_rng(0))
    return where, place_handles(where.position, np.zeros(600, dtype=np.int64), 24)


def snap(twist, where, handles, patch=None):
    """The twists [h, k, 6], and how far handles follow; every point a patch of its own where none is given."""
    metric = measure_handles(where.position, where.area, handles.owner, handles.count)
    label = (np.arange(where.count) if patch is None else patch)[handles.anchor]
    label = np.unique(label, return_inverse=True)[1]
    found = [snap_mode(mode, metric, label, LearnedOptions()) for mode in np.moveaxis(twist, 1, 0)]
    return np.stack([mode for mode, _ in found], axis=1), np.stack([follows for _, follows in found], axis=1)


def snapped(twist, where, handles, patch=None):
    return snap(twist, where, handles, patch)[0]


def turn(axis, pivot, along=0.0) -> np.ndarray:
    axis = np.asarray(axis, dtype=np.float64)
    return np.concatenate([np.cross(pivot, axis) + along * axis, axis])


def blurred(screw: np.ndarray, gate: np.ndarray, lean: np.ndarray, noise: float = 0.02) -> np.ndarray:
    """One mode [h, 1, 6]: handles follow a leaning screw nearly as the gate says."""
    rng = np.random.default_rng(1)
    gate = np.clip(gate + rng.uniform(-0.08, 0.08, len(gate)), 0, 1)
    return (gate[:, None] * (screw + lean) + noise * rng.normal(size=(len(gate), 6)) * gate[:, None])[:, None]


def test_a_blurred_hinge_is_found_again(placed):
    where, handles = placed
    lid = where.position[handles.anchor][:, 2] > 0.1
    screw = turn(HINGE, [0.0, -0.25, 0.1])
    found = snapped(blurred(screw, lid.astype(float), np.r_[0, 0, 0, 0, 0.05, -0.04]), where, handles)[:, 0]
    assert np.all(found[~lid] == 0.0)
    assert np.all(found[lid] == found[lid][0])
    w = found[lid][0, 3:]
    assert w == pytest.approx([1.0, 0.05, -0.04], abs=0.05)
    assert abs(w @ found[lid][0, :3]) < 1e-12  # nothing is left along the axis
    pivot = np.cross(w, found[lid][0, :3]) / (w @ w)
    assert np.linalg.norm((pivot - [0.0, -0.25, 0.1])[1:]) < 0.03


def test_a_slide_does_not_turn(placed):
    where, handles = placed
    drawer = where.position[handles.anchor][:, 1] < -0.1
    found = snapped(blurred(np.r_[0, -0.3, 0, 0, 0, 0], drawer.astype(float), np.zeros(6), 0.01), where, handles)
    assert np.all(found[..., 3:] == 0.0) and np.abs(found[..., [0, 2]]).max() < 0.02
    assert np.all((found[drawer, 0, 1] < -0.25) & (found[drawer, 0, 1] > -0.35))


def test_a_slanted_axis_and_a_screw_stay(placed):
    where, handles = placed
    lid = where.position[handles.anchor][:, 2] > 0.1
    axis = np.array([1.0, 1.0, 0.0]) / np.sqrt(2)
    screw = turn(axis, [0.0, 0.0, 0.1], along=0.2)
    found = snapped(lid[:, None, None] * screw, where, handles)[:, 0]
    assert np.allclose(found[lid], screw, atol=1e-12) and np.all(found[~lid] == 0.0)


def test_what_bends_stays_as_it_is(placed):
    where, handles = placed
    height = where.position[handles.anchor][:, 2] + 0.25
    bend = (np.linspace(-1, 1, len(height)) + height)[:, None, None] * turn(HINGE, [0.0, 0.0, -0.25])
    bend[:, :, :3] += np.random.default_rng(2).normal(size=(len(height), 1, 3)) * 0.2
    assert np.array_equal(snapped(bend, where, handles), bend)


def test_a_mode_of_nothing_stays_nothing(placed):
    where, handles = placed
    assert np.all(snapped(np.zeros((handles.count, 2, 6)), where, handles) == 0.0)


def test_a_patch_follows_as_a_whole(placed):
    where, handles = placed
    patch = (where.position[:, 2] > 0.1).astype(np.int64)
    lid = patch[handles.anchor] == 1
    gate = lid.astype(float)
    gate[np.flatnonzero(lid)[0]] = 0.1  # one handle of the lid that a network took for the body's
    gate[np.flatnonzero(~lid)[0]] = 0.7  # and one the other way round
    screw = turn(HINGE, [0.0, -0.25, 0.1])
    found = snapped(gate[:, None, None] * screw, where, handles, patch)[:, 0]
    assert np.all(found[~lid] == 0.0) and np.ptp(found[lid], axis=0).max() == 0.0
    _, follows = snap(gate[:, None, None] * screw, where, handles, patch)
    assert np.array_equal(follows[:, 0], lid)


def test_parts_share_no_vertex_next_to_their_hinge():
    """Vertices that lie on the hinge are hardly moved by either part; blended, the lid would bend there."""
    mesh, lid = make_plain_laptop()
    space = kinematics(mesh, kind="learned")
    q = torch.zeros(space.size, dtype=torch.float64)
    q[0] = 0.8 * space.upper[0] if space.upper[0] > -space.lower[0] else 0.8 * space.lower[0]
    moved = pose_mesh(space, q.numpy()).vertices
    for part in (lid, ~lid):
        T = rigid_from_points(mesh.vertices[part], moved[part])
        assert np.abs(mesh.vertices[part] @ T[:3, :3].T + T[:3, 3] - moved[part]).max() < 1e-9 * mesh.diagonal
    assert np.linalg.norm(moved[lid] - mesh.vertices[lid], axis=1).max() > 0.2 * mesh.diagonal
