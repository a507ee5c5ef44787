"""Objects far from the origin of their file, through glTF and back: what single floats hold is small there."""

from dataclasses import replace

import numpy as np
import pytest

from neurok.files.gltf.writer import MORPH_TOLERANCE
from neurok.files.registry import load, save
from neurok.geometry.mesh import Mesh, split_corners
from neurok.geometry.motion import Motion
from tests.files import gltf_cases as cases
from tests.files.far_things import AWAY, far
from tests.files.test_gltf_writer import UPRIGHT, header, kinds, validate  # noqa: F401

NAMES = (
    "static", "static up z in cm", "static up x", "interleaved", "corners", "articulation", "rigid",
    "rigid up z", "rigid interleaved", "rigid at rest", "skin", "skin up z", "skin interleaved", "bumpy skin", "dense",
    "dense up z", "bumpy dense", "skin clips", "clips",
)  # fmt: skip


def of(thing) -> Mesh:
    return thing if isinstance(thing, Mesh) else (thing[0] if isinstance(thing, list) else thing).mesh


def upright(points: np.ndarray, mesh: Mesh) -> np.ndarray:
    """Points of the mesh as glTF has them: y up and in metres."""
    return points @ UPRIGHT.get(mesh.up, np.eye(3)).T * mesh.unit


@pytest.mark.parametrize("name", NAMES)
def test_it_comes_back_to_a_millionth_of_its_size(tmp_path, name):
    thing = far(kinds()[name])
    mesh = of(thing)
    split, source = split_corners(mesh)
    back = load(save(thing, tmp_path / "far.glb"))
    size = mesh.diagonal * mesh.unit
    np.testing.assert_allclose(back.mesh.vertices, upright(split.vertices, mesh), rtol=0, atol=1e-6 * size)
    clips = thing if isinstance(thing, list) else [thing] if isinstance(thing, Motion) else []
    assert len(back.motions) == len(clips)
    for motion, again in zip(clips, back.motions):
        assert (motion.skin is None) == (again.skin is None)
        bound = 2e-6 if motion.skin is not None else MORPH_TOLERANCE  # as morph targets are written at the origin
        for index in range(0, motion.frame_count, 5):
            wanted = upright(motion.frame(index)[source], mesh)
            gap = np.linalg.norm(again.frame(index) - wanted, axis=1)
            assert gap.max() < bound * size


@pytest.mark.parametrize("name", ["static", "bumpy", "bumpy rigid", "bumpy skin", "bumpy dense", "static up z in cm"])
def test_its_surface_comes_back(tmp_path, name):
    """Normals, tangents, colours and texture coordinates as at the origin: a place has no part in them."""
    near, there = (load(save(x, tmp_path / "x.glb")).mesh for x in (kinds()[name], far(kinds()[name])))
    assert set(there.attributes) == set(near.attributes)
    for key, value in near.attributes.items():
        np.testing.assert_allclose(there.attributes[key], value, atol=1e-5)


def test_its_parts_come_back(tmp_path):
    for name in ("static", "rigid", "skin", "dense"):
        near, there = (load(save(x, tmp_path / "x.glb")).mesh for x in (kinds()[name], far(kinds()[name])))
        named = {part.name for part in near.parts}
        assert named <= {part.name for part in there.parts}
        assert there.face_count == near.face_count


def test_the_validator_finds_nothing(tmp_path, validate):  # noqa: F811
    validate(*(save(far(kinds()[name]), tmp_path / f"{name}.glb") for name in NAMES))


@pytest.mark.parametrize("name", ["static", "skin", "dense"])
def test_one_root_says_where_it_is(tmp_path, name):
    """The numbers of a buffer are of the object's own size, whatever the place; JSON has doubles."""
    document = header(save(far(kinds()[name]), tmp_path / "far.glb"))
    nodes = document["nodes"]
    carriers = [node for node in nodes if np.abs(node.get("translation", [0.0])).max() > 1e3]
    assert len(carriers) == 1
    assert np.abs(np.array(carriers[0]["translation"]) - AWAY).max() < 10.0
    size = of(kinds()[name]).diagonal
    for entry in document["accessors"]:
        if entry["type"] == "VEC3" and "max" in entry:
            assert np.abs([entry["min"], entry["max"]]).max() < 2 * size


def test_what_stays_at_the_origin_of_the_world_has_a_near_frame(tmp_path):
    """A bone that sits at the file's origin, as the made-up one of what does not move: its vertices are near still."""
    motion = far(cases.rigid())
    frames = motion.skin.frames.copy()
    frames[0] = np.eye(4)
    motion = replace(motion, skin=replace(motion.skin, frames=frames))
    back = load(save(motion, tmp_path / "far.glb"))
    for index in (0, 7, 30):
        gap = np.abs(back.motions[0].frame(index) - motion.frame(index))
        assert gap.max() < 2e-6 * motion.mesh.diagonal


def test_a_link_at_the_origin_of_the_world_has_a_near_frame(tmp_path):
    """As in many a URDF: the base stands at the origin, and the origins of its joints and vertices are far."""
    machine = far(cases.articulation())
    joints = [
        replace(j, origin=machine.links[0].T_world_link @ j.origin) if j.parent == 0 else j for j in machine.joints
    ]
    links = (replace(machine.links[0], T_world_link=np.eye(4)), *machine.links[1:])
    back = load(save(replace(machine, links=links, joints=tuple(joints)), tmp_path / "far.glb"))
    wanted = upright(machine.mesh.vertices, machine.mesh)
    assert np.abs(back.mesh.vertices - wanted).max() < 1e-6 * machine.mesh.diagonal


def test_again_and_again_it_stays(tmp_path):
    """Through the file twice: nothing creeps."""
    motion = far(cases.rigid())
    first = load(save(motion, tmp_path / "a.glb")).motions[0]
    second = load(save(first, tmp_path / "b.glb")).motions[0]
    for index in (0, 7, 30):
        assert np.abs(second.frame(index) - motion.frame(index)).max() < 3e-6 * motion.mesh.diagonal


def test_a_little_off_the_origin_nothing_changes(tmp_path):
    """Ten diagonals out, single floats still hold a millionth: no root node is put above."""
    whole = cases.mesh()
    near = far(whole, np.full(3, 5 * whole.diagonal))
    nodes = header(save(near, tmp_path / "near.glb"))["nodes"]
    assert [node["name"] for node in nodes] == [part.name for part in whole.parts]
    assert not any("translation" in node or "matrix" in node for node in nodes)
