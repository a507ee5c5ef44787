"""The strange objects of the benchmark are what they claim to be; their judge tells right motions from wrong ones."""

import numpy as np
import pytest
import trimesh

from benchmarks.strangers.judge import ATTACHED_DISTANCE, DEPTH_TOLERANCE, Y_UP, fit_rigid, measure_contact
from benchmarks.strangers.objects import STRANGERS
from benchmarks.strangers.write import merge_bodies


def _solids(name):
    thing = STRANGERS[name]()
    solids = [[solid.copy().apply_transform(Y_UP) for solid in body] for body in thing.bodies.values()]
    size = float(np.linalg.norm(np.ptp(np.vstack([s.vertices for body in solids for s in body]), axis=0)))
    return thing, solids, size


def _slide(axis, way):
    T = np.eye(4)
    T[:3, 3] = way * (Y_UP[:3, :3] @ np.asarray(axis, dtype=float))
    return T


@pytest.mark.parametrize("name", STRANGERS)
def test_solids_are_closed_and_joints_name_bodies(name):
    thing = STRANGERS[name]()
    assert {joint.body for joint in thing.joints} | {"base"} == set(thing.bodies)
    assert all(solid.is_watertight and solid.volume > 0 for body in thing.bodies.values() for solid in body)
    mesh, body = merge_bodies(thing)
    assert len(mesh.faces) == len(body) and set(body) == set(range(len(thing.bodies)))


def test_a_drawer_comes_out_but_neither_moves_aside_nor_flies_off():
    thing, solids, size = _solids("table")
    still = [np.eye(4)] * 3
    depth, far = measure_contact(solids, still, size)
    assert depth.max() < DEPTH_TOLERANCE and far.max() < ATTACHED_DISTANCE
    out = measure_contact(solids, [still[0], _slide(thing.joints[0].axis, 0.3), still[2]], size)
    assert out[0].max() < DEPTH_TOLERANCE and out[1].max() < ATTACHED_DISTANCE
    aside = measure_contact(solids, [still[0], _slide((1, 0, 0), 0.15), still[2]], size)
    assert aside[0].max() > DEPTH_TOLERANCE
    away = measure_contact(solids, [still[0], _slide(thing.joints[0].axis, 2.0), still[2]], size)
    assert away[1][1] > ATTACHED_DISTANCE


def test_the_best_rigid_motion_is_found_and_what_is_bent_is_told():
    generator = np.random.default_rng(0)
    points, T = generator.normal(size=(50, 3)), trimesh.transformations.random_rotation_matrix()
    T[:3, 3] = (1.0, -2.0, 0.5)
    found, error = fit_rigid(points, trimesh.transform_points(points, T))
    assert error < 1e-12
    np.testing.assert_allclose(found, T, atol=1e-12)
    assert fit_rigid(points, points * (1.2, 1.0, 1.0))[1] > 0.1
