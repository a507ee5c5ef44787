"""The observation of a mesh: the canonical place, regions and samples that networks are shown; inputs that stack."""

from dataclasses import fields

import numpy as np
import pytest

from neurok.geometry.mesh import Mesh
from neurok.geometry.observation import NetworkInput, observe_surface, stack_inputs
from neurok.geometry.primitives import box
from neurok.geometry.regions import MAX_REGION_PATCHES, REGION_FEATURE_COUNT, find_regions
from neurok.geometry.rotation import rotation
from neurok.geometry.surface import carry


def observed(count: int = 200, seed: int = 0):
    mesh = box(2.0, 1.0, 0.5)
    return mesh, observe_surface(mesh, count, np.random.default_rng(seed))


def test_an_observation_is_in_the_canonical_place_and_its_samples_lie_on_the_mesh():
    mesh, found = observed()
    np.testing.assert_allclose(found.mesh.vertices, mesh.vertices @ found.place[:3, :3].T + found.place[:3, 3])
    assert found.mesh.diagonal == pytest.approx(1.0)
    np.testing.assert_allclose(found.mesh.bounds.sum(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(carry(found.mesh.vertices, found.samples), found.samples.position, atol=1e-12)
    patch, component = find_regions(found.mesh)
    np.testing.assert_array_equal(found.patch, patch[found.samples.face])
    np.testing.assert_array_equal(found.component, component[found.samples.face])


def test_place_and_scale_of_the_file_do_not_matter():
    mesh, found = observed()
    moved = observe_surface(
        Mesh(3.0 * mesh.vertices + (5.0, -2.0, 1.0), mesh.faces, up=mesh.up), 200, np.random.default_rng(0)
    )
    one, other = (each.network_input(each.place_handles(16)) for each in (found, moved))
    np.testing.assert_array_equal(one.owner, other.owner)
    for name in ("position", "normal", "area", "region", "border"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-6)


def test_turning_the_samples_turns_what_is_read_off_them_and_nothing_else():
    _, found = observed()
    handles, R = found.place_handles(16), rotation(np.array([0.0, 0.0, 0.7]))
    one, other = found.network_input(handles), found.rotate_samples(R).network_input(handles)
    np.testing.assert_allclose(other.position, one.position @ R.T, atol=1e-6)
    np.testing.assert_allclose(other.region[:, :3], one.region[:, :3] @ R.T, atol=1e-6)  # the centre of the patch
    for name in ("area", "patch", "component", "border", "owner"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_stacked_inputs_are_the_inputs_with_borders_of_one_size():
    inputs = [found.network_input(found.place_handles(16)) for found in (observed(seed=seed)[1] for seed in range(3))]
    stacked = stack_inputs(inputs)
    assert stacked.region.shape == (3, 200, REGION_FEATURE_COUNT) and stacked.border.shape == (
        3,
        MAX_REGION_PATCHES,
        MAX_REGION_PATCHES,
        6,
    )
    for i, each in enumerate(inputs):
        for field in fields(NetworkInput):
            array, row = getattr(each, field.name), getattr(stacked, field.name)[i]
            assert row.dtype == array.dtype
            np.testing.assert_array_equal(row[: len(array), : len(array)] if field.name == "border" else row, array)
