"""Real objects as USD: sound, in order, and moving as they did."""

import numpy as np
import pytest

pytest.importorskip("pxr")

from neurok.files.registry import load, save
from neurok.files.usd.check import find_topology_faults, find_validation_errors
from tests.files.usd_things import read_here

pytestmark = pytest.mark.data

ANIMATED = (
    "kenney_cubepet_elephant",  # moving nodes, several clips
    "khr_CesiumMan",  # a skin whose scales are one up to noise
    "q_space_Enemy_Small",  # a skin with some shear
    "sk_bird_illupo",  # a skin that a skeleton cannot hold
    "sk_butterfly_lancaster",
)
ARTICULATED = ("1646", "46744", "100017", "929")


def assert_same(read, mesh) -> None:
    assert np.abs(read.vertices - mesh.vertices).max() < 1e-6 * mesh.diagonal
    assert np.array_equal(read.faces, mesh.faces)
    assert read.parts == mesh.parts
    assert np.array_equal(read.face_part, mesh.face_part)
    assert np.array_equal(read.face_material, mesh.face_material)
    for new, old in zip(read.materials, mesh.materials, strict=True):
        assert new.name == old.name
        images = [{slot: use.texture.image for slot, use in m.textures.items()} for m in (new, old)]
        assert images[0] == images[1]


@pytest.mark.parametrize("name", ANIMATED)
def test_animated_files(name, shared_data, tmp_path):
    motions = list(load(shared_data / "animated" / f"{name}.glb").motions)
    path = save(motions, tmp_path / "m.usdc")
    assert find_validation_errors(path) == [] and find_topology_faults(path) == []
    asset = read_here(path)
    assert_same(asset.mesh, motions[0].mesh)
    assert [motion.name for motion in asset.motions] == [motion.name for motion in motions]
    for new, old in zip(asset.motions, motions):
        assert np.allclose(new.time, old.time, atol=1e-9)
        assert np.abs(new.frames - old.frames).max() < 1e-5 * old.mesh.diagonal


@pytest.mark.parametrize("name", ARTICULATED)
def test_articulated_objects(name, shared_data, tmp_path):
    thing = load(shared_data / "partnet_mobility" / name).articulation
    path = save(thing, tmp_path / "m.usdc")
    assert find_validation_errors(path) == [] and find_topology_faults(path) == []
    asset = read_here(path)
    assert_same(asset.mesh, thing.mesh)
    read = asset.articulation
    assert np.array_equal(read.vertex_link, thing.vertex_link)
    assert [link.name for link in read.links] == [link.name for link in thing.links]
    assert [joint.kind for joint in read.joints] == [joint.kind for joint in thing.joints]
    for new, old in zip(read.freedoms, thing.freedoms, strict=True):
        assert np.allclose(new.screw, old.screw, atol=1e-6)
        assert (new.lower, new.upper) == pytest.approx((old.lower, old.upper), rel=1e-6, abs=1e-6)
