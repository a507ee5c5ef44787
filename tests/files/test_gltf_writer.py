"""Written glTF against the Khronos validator, pygltflib, trimesh and our own reader."""

import io
import json
import os
import struct
import subprocess
import sys
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pygltflib
import pytest
from PIL import Image

from neurok.errors import OutputError
from neurok.files.gltf.numbering import NUMBER_ATTRIBUTE
from neurok.files.registry import load, save
from neurok.geometry.mesh import Material, Mesh, Part, Texture, TextureUse, split_corners
from neurok.geometry.motion import Motion, Skin, rigid_skin
from tests.files import gltf_cases as cases
from tests.files.gltf_scenes import Draft, arm

UPRIGHT = {"z": np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0.0]]), "x": np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])}


def header(path: Path) -> dict:
    data = path.read_bytes()
    if path.suffix == ".gltf":
        return json.loads(data)
    magic, version, total, length, kind = struct.unpack_from("<4sIII4s", data)
    assert (magic, version, total, kind) == (b"glTF", 2, len(data), b"JSON")
    return json.loads(data[20 : 20 + length])


def tree(path: Path) -> list[tuple[str, str | None]]:
    """Names of the nodes in the file's order, each with that of the node above it."""
    nodes = header(path)["nodes"]
    above = {child: node["name"] for node in nodes for child in node.get("children", ())}
    return [(node["name"], above.get(index)) for index, node in enumerate(nodes)]


def accessor(document: pygltflib.GLTF2, index: int) -> np.ndarray:
    """Decoded by pygltflib's structure and numpy alone."""
    entry = document.accessors[index]
    view = document.bufferViews[entry.bufferView]
    kind = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[entry.componentType]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[entry.type]
    data = document.binary_blob()[view.byteOffset : view.byteOffset + view.byteLength]
    return np.frombuffer(data, kind, entry.count * width).reshape(entry.count, width)


@pytest.fixture
def validate(node):
    """`validate(*paths)`: no error and no warning in the Khronos validator."""

    def run(*paths: Path) -> None:
        done = node(Path(__file__).parent / "validate_gltf.mjs", *paths)
        assert done.returncode == 0, done.stderr
        for report in json.loads(done.stdout):
            bad = [m for m in report["issues"]["messages"] if m["severity"] < 2]
            assert not bad, (report["file"], bad)
            unused = [m for m in report["issues"]["messages"] if m["code"] == "UNUSED_OBJECT"]
            assert not [m for m in unused if m["pointer"].startswith(("/accessors", "/bufferViews"))]

    return run


TRIANGLE = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])


@cache
def kinds() -> dict[str, object]:
    """Everything that is to be valid, by name."""
    rest = cases.TIME
    whole = cases.mesh()
    many = cases.skinned(width=7, count=300)
    spread = Mesh(*cases.sheet(270), parts=(Part("large"),), face_part=np.zeros(2 * 269 * 269, dtype=int))
    return {
        "static": whole,
        "static up z in cm": replace(whole, up="z", unit=0.01),
        "static up x": replace(whole, up="x"),
        "interleaved": cases.interleaved(),
        "triangle": TRIANGLE,
        "points": Mesh(np.random.default_rng(0).random((5, 3)), np.zeros((0, 3), dtype=int)),
        "large": spread,
        "corners": cornered(),
        "articulation": cases.articulation(),
        "rigid": cases.rigid(),
        "rigid up z": cases.rigid(replace(whole, up="z", unit=0.5)),
        "rigid interleaved": cases.rigid(cases.interleaved()),
        "rigid at rest": cases.rigid(transforms=np.tile(np.eye(4), (31, 2, 1, 1))),
        "rigid one frame": cases.rigid(time=np.array([0.5])),
        "skin": cases.skinned(),
        "skin up z": cases.skinned(replace(whole, up="z")),
        "skin of 300 bones, 7 at once": many,
        "skin interleaved": cases.skinned(cases.interleaved()),
        "dense": cases.dense(),
        "dense up z": cases.dense(replace(whole, up="z", unit=0.01)),
        "dense interleaved": cases.dense(cases.interleaved()),
        "bumpy": cases.bumpy(),
        "bumpy dense": cases.dense(cases.bumpy()),
        "bumpy skin": cases.skinned(cases.bumpy()),
        "bumpy rigid": cases.rigid(cases.bumpy()),
        "dense at rest": cases.dense(positions=np.repeat(whole.vertices[None], 31, axis=0)),
        "dense one frame": cases.dense(time=np.array([0.25])),
        "dense large": cases.dense(spread, rest[:5]),
        "dense corners": cases.dense(cornered()),
        "clips": [cases.dense(), cases.dense(time=rest[:10], name="short")],
        "skin clips": [cases.skinned(), replace(cases.skinned(), name="again")],
        "mixed clips": [cases.rigid(), cases.dense()],
        "before zero": cases.rigid(time=cases.TIME - 2.0),
        "close times": cases.rigid(time=1e5 + np.arange(31) * 1e-6),
    }


def cornered() -> Mesh:
    """A mesh with texture coordinates per face corner, as OBJ stores them."""
    whole = cases.mesh()
    corner = whole.vertices[whole.faces][..., :2] + (np.arange(whole.face_count) % 3)[:, None, None]
    kept = {"color": whole.attributes["color"]}
    return replace(whole, attributes=kept, corner_attributes={"uv0": corner, "uv1": corner * 0.5})


def test_validator_finds_nothing(tmp_path, validate):
    paths = []
    for name, thing in kinds().items():
        for suffix in (".glb", ".gltf"):
            if suffix == ".glb" or name in ("static", "dense", "skin", "articulation"):
                paths.append(save(thing, tmp_path / f"{name} é{suffix}"))
    validate(*paths)


@pytest.mark.parametrize("name", kinds())
def test_same_input_same_bytes(name, tmp_path):
    first, second = (save(kinds()[name], tmp_path / f"{i}.glb").read_bytes() for i in range(2))
    assert first == second.replace(b'"name":"1"', b'"name":"0"')


def test_other_processes_write_the_same_bytes(tmp_path):
    """No order of a set or a hash may show."""
    code = """
from pathlib import Path
from neurok.files.gltf import write
from tests.files import gltf_cases as cases
from tests.files.gltf_scenes import Draft
write([cases.dense(cases.bumpy()), cases.rigid(cases.bumpy())], Path("."), "clips.glb")
write(cases.skinned(cases.interleaved()), Path("."), "skin.glb")
write(cases.articulation(), Path("."), "machine.glb")
"""
    seen = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])}
        subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=folder, env=environment, check=True)
        seen.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert len(seen[0]) == 3
    assert seen[0] == seen[1]


@pytest.mark.parametrize("whole", [cases.mesh(), cases.interleaved(), TRIANGLE], ids=["blocks", "interleaved", "one"])
@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_static_comes_back(whole, suffix, tmp_path):
    back = load(save(whole, tmp_path / f"whole{suffix}")).mesh
    np.testing.assert_array_equal(back.vertices, whole.vertices.astype(np.float32))
    assert face_set(back) == face_set(whole)
    for name, value in whole.attributes.items():
        np.testing.assert_allclose(back.attributes[name], np.asarray(value, dtype=np.float32), rtol=0, atol=6e-8)
    if whole.parts:
        assert [(p.name, p.parent) for p in back.parts] == [(p.name, p.parent) for p in whole.parts]
        assert back.materials == whole.materials  # with the very bytes of every texture
        for label in ("face_part", "face_material"):
            assert labels(back, label) == labels(whole, label)


def face_set(mesh: Mesh) -> set[tuple[int, ...]]:
    return {tuple(face) for face in mesh.faces.tolist()}


def labels(mesh: Mesh, name: str) -> dict[tuple[int, ...], int]:
    return dict(zip(map(tuple, mesh.faces.tolist()), getattr(mesh, name).tolist()))


@pytest.mark.parametrize("up", ["x", "z"])
def test_axes_and_units_are_turned_exactly(up, tmp_path):
    whole = cases.mesh(up=up, unit=0.5)
    back = load(save(whole, tmp_path / "whole.glb")).mesh
    np.testing.assert_array_equal(back.vertices, whole.vertices.astype(np.float32) @ (0.5 * UPRIGHT[up]).T)
    np.testing.assert_allclose(UPRIGHT[up] @ whole.up_axis, [0, 1, 0])


def test_trimesh_sees_the_same_surface(tmp_path):
    import trimesh

    whole = cases.interleaved(up="z")
    scene = trimesh.load_scene(save(whole, tmp_path / "whole.glb"))
    seen = scene.to_geometry()
    ours = whole.vertices @ UPRIGHT["z"].T
    expected = trimesh.Trimesh(ours, whole.faces, process=False)
    assert seen.area == pytest.approx(expected.area, rel=1e-6)
    assert len(seen.faces) == whole.face_count
    np.testing.assert_allclose(seen.bounds, expected.bounds, atol=1e-6)


def test_colours_keep_the_width_that_says_them(tmp_path):
    for top, kind in ((255, 5121), (65535, 5123), (None, 5126)):
        shade = np.random.default_rng(3).random((3, 4))
        shade = shade if top is None else np.round(shade * top) / top
        path = save(replace(TRIANGLE, attributes={"color": shade}), tmp_path / "colour.glb")
        document = pygltflib.GLTF2().load(path)
        index = document.meshes[0].primitives[0].attributes.COLOR_0
        assert document.accessors[index].componentType == kind
        np.testing.assert_allclose(load(path).mesh.attributes["color"], shade, atol=3e-8)


def test_corner_attributes_are_split_and_moved_along(tmp_path):
    motion = cases.dense(cornered())
    split, source = split_corners(motion.mesh)
    assert split.vertex_count > motion.mesh.vertex_count
    back = load(save(motion, tmp_path / "split.glb"))
    np.testing.assert_allclose(back.mesh.vertices, split.vertices, atol=1e-7)
    np.testing.assert_allclose(back.mesh.attributes["uv0"], split.attributes["uv0"], atol=1e-6)
    for index in (0, 7, 30):
        gap = back.motions[0].frame(index) - motion.frame(index)[source]
        assert np.linalg.norm(gap, axis=1).max() <= 1.01e-4 * motion.mesh.diagonal


def test_sixteen_bit_indices_stop_before_the_reserved_one(tmp_path):
    for count, kind in ((65535, 5123), (65536, 5125)):
        vertices = np.random.default_rng(0).random((count, 3))
        path = save(Mesh(vertices, [[0, 1, count - 1]]), tmp_path / "wide.glb")
        document = pygltflib.GLTF2().load(path)
        index = document.meshes[0].primitives[0].indices
        assert document.accessors[index].componentType == kind
        assert accessor(document, index).ravel().tolist() == [0, 1, count - 1]
        assert load(path).mesh.vertex_count == count  # loose vertices too


MOVING = {
    "nodes": (cases.rigid(), 1e-6),
    "nodes, interleaved": (cases.rigid(cases.interleaved()), 1e-6),
    "nodes, up z": (cases.rigid(cases.mesh(up="z", unit=0.1)), 1e-6),
    "skin": (cases.skinned(), 1e-6),
    "skin, interleaved": (cases.skinned(cases.interleaved()), 1e-6),
    "skin of many": (cases.skinned(width=7, count=300), 1e-5),
    "skin, up z": (cases.skinned(cases.mesh(up="z", unit=0.1)), 1e-6),
    "morphs": (cases.dense(), 1.01e-4),
    "morphs, interleaved": (cases.dense(cases.interleaved()), 1.01e-4),
    "morphs, up x": (cases.dense(cases.mesh(up="x", unit=3.0)), 1.01e-4),
}


@pytest.mark.parametrize("name", MOVING)
def test_motion_comes_back(name, tmp_path):
    motion, tolerance = MOVING[name]
    whole = motion.mesh
    turn = UPRIGHT.get(whole.up, np.eye(3)) * whole.unit
    asset = load(save(motion, tmp_path / "moving.glb"))
    (back,) = asset.motions
    assert back.name == motion.name
    np.testing.assert_allclose(back.time, motion.time, atol=1e-6)
    np.testing.assert_allclose(asset.mesh.vertices, whole.vertices @ turn.T, atol=2e-7 * max(whole.unit, 1.0))
    assert labels(asset.mesh, "face_material") == labels(whole, "face_material")
    for index in range(0, motion.frame_count, 5):
        gap = back.frame(index) - motion.frame(index) @ turn.T
        assert np.linalg.norm(gap, axis=1).max() <= tolerance * whole.diagonal * whole.unit


@pytest.mark.parametrize("name", ["rigid at rest", "dense at rest", "rigid one frame", "dense one frame"])
def test_a_motion_at_rest_keeps_its_times(name, tmp_path):
    motion = kinds()[name]
    path = save(motion, tmp_path / "rest.glb")
    document = pygltflib.GLTF2().load(path)
    (animation,) = document.animations
    np.testing.assert_allclose(accessor(document, animation.samplers[0].input)[:, 0], motion.time, atol=1e-6)
    (back,) = load(path).motions
    assert np.abs(back.frame(0) - motion.frame(0)).max() < 1e-4 * motion.mesh.diagonal


def test_hinges_only_turn(tmp_path):
    document = header(save(cases.rigid(), tmp_path / "hinge.glb"))
    (animation,) = document["animations"]
    (channel,) = animation["channels"]
    moved = document["nodes"][channel["target"]["node"]]
    assert channel["target"]["path"] == "rotation"
    assert moved["name"] == "flap ü"
    np.testing.assert_allclose(moved["translation"], cases.HINGE, atol=1e-12)
    assert "skins" not in document
    names = [node["name"] for node in document["nodes"]]
    assert sorted(names) == sorted(["base", "flap ü", "Gehäuse 箱", "sheet", "sheet"])


def test_bones_and_parts_of_one_name_are_one_node(tmp_path):
    whole = cases.mesh(parts=(Part("object"), Part("base", 0), Part("flap ü", 0)))
    path = save(cases.rigid(whole), tmp_path / "named.glb")
    assert tree(path) == [("object", None), ("base", "object"), ("flap ü", "base")]
    assert load(path).mesh.parts == whole.parts


def test_articulation_stands_on_its_joints(tmp_path):
    machine = cases.articulation()
    path = save(machine, tmp_path / "machine.glb")
    nodes = {node.get("name"): node for node in header(path)["nodes"]}
    np.testing.assert_allclose(nodes["flap ü"]["translation"], cases.HINGE)
    assert nodes["flap ü"]["extras"] == {
        "joint": "hinge", "kind": "revolute", "axis": [1.0, 0.0, 0.0], "lower": -1.0, "upper": 1.0
    }  # fmt: skip
    back = load(path).mesh
    np.testing.assert_allclose(back.vertices, machine.mesh.vertices @ UPRIGHT["z"].T, atol=2e-7)


def test_faces_across_bones_become_a_skin(tmp_path):
    whole = cases.mesh()
    torn = rigid_skin(np.arange(whole.vertex_count) % 2, *cases.bones())
    motion = replace(cases.rigid(), skin=torn)
    path = save(motion, tmp_path / "torn.glb")
    assert len(header(path)["skins"]) == 1
    assert np.abs(load(path).motions[0].frame(20) - motion.frame(20)).max() < 1e-6


def test_shear_becomes_morphs_and_says_so(tmp_path):
    motion = cases.rigid()
    sheared = motion.transforms.copy()
    sheared[:, 1, 0, 1] = 0.3 * motion.time
    motion = replace(motion, transforms=sheared)
    with pytest.warns(UserWarning, match="shear"):
        path = save(motion, tmp_path / "shear.glb")
    assert header(path)["asset"]["extras"]["notes"]
    assert np.abs(load(path).motions[0].frame(30) - motion.frame(30)).max() < 1e-4 * motion.mesh.diagonal


def test_stretch_and_vanishing_are_played_by_nodes(tmp_path):
    motion = cases.rigid()
    scaled = motion.transforms.copy()
    size = np.stack([1 - motion.time, 1 - motion.time, 1 - motion.time], axis=1)  # to nothing at the end
    place = motion.skin.frames[1]
    growth = np.tile(np.eye(4), (31, 1, 1))
    growth[:, range(3), range(3)] = size
    scaled[:, 1] = scaled[:, 1] @ place @ growth @ np.linalg.inv(place)
    motion = replace(motion, transforms=scaled)
    path = save(motion, tmp_path / "scaled.glb")
    paths = {c["target"]["path"] for c in header(path)["animations"][0]["channels"]}
    assert paths == {"rotation", "scale"}
    for index in (0, 15, 29, 30):
        assert np.abs(load(path).motions[0].frame(index) - motion.frame(index)).max() < 2e-6


def test_weights_are_shares_with_each_joint_once(tmp_path):
    whole = TRIANGLE
    joints = np.array([[1, 1, 0], [0, 1, 2], [2, 0, 0]])
    weights = np.array([[0.25, 0.25, 0.5], [1 / 3, 1 / 3, 1 / 3], [1.0, 0.0, 0.0]])
    frames = np.tile(np.eye(4), (3, 1, 1))
    skin = Skin(joints, weights, ("a", "b", "c"), np.array([-1, -1, -1]), frames)
    transforms = np.stack([cases.turning(np.zeros(3), s * cases.TIME) for s in (0.0, 1.0, 2.0)], axis=1)
    path = save(Motion(whole, cases.TIME, skin=skin, transforms=transforms), tmp_path / "skin.glb")
    document = pygltflib.GLTF2().load(path)
    attributes = document.meshes[0].primitives[0].attributes
    held, share = accessor(document, attributes.JOINTS_0), accessor(document, attributes.WEIGHTS_0)
    np.testing.assert_allclose(share.sum(axis=1), 1.0, atol=1e-7)
    assert np.all(held[share == 0] == 0)
    assert {(int(j), float(w)) for j, w in zip(held[0], share[0]) if w} == {(1, 0.5), (0, 0.5)}


def test_morph_error_is_what_it_says_and_the_rank_is_the_least(tmp_path):
    motion = cases.dense()
    path = save(motion, tmp_path / "dense.glb")
    said = header(path)["asset"]["extras"]["morphs"]
    document = pygltflib.GLTF2().load(path)
    held = np.zeros((said["targets"], motion.mesh.vertex_count, 3))
    start = 0
    for mesh in document.meshes:
        targets = [accessor(document, target["POSITION"]) for target in mesh.primitives[0].targets]
        held[:, start : start + len(targets[0])] = targets
        start += len(targets[0])
    weights = accessor(document, document.animations[0].samplers[0].output).reshape(motion.frame_count, -1)
    assert np.abs(weights).max() <= 1.0
    shown = motion.mesh.vertices + np.einsum("tr,rna->tna", weights, held)
    error = np.linalg.norm(shown - motion.positions, axis=2).max()
    assert error == pytest.approx(said["error"], rel=1e-2, abs=1e-7)
    assert said["error"] <= said["tolerance"] == pytest.approx(1e-4 * motion.mesh.diagonal)
    # The fewest modes that numpy's own decomposition needs, and one target to lift all weights above zero.
    moved = (motion.positions - motion.mesh.vertices).reshape(motion.frame_count, -1)
    u, s, v = np.linalg.svd(moved, full_matrices=False)
    left = [moved - (u[:, :rank] * s[:rank]) @ v[:rank] for rank in range(motion.frame_count)]
    worst = [np.linalg.norm(rest.reshape(motion.frame_count, -1, 3), axis=2).max() for rest in left]
    least = next(rank for rank, gap in enumerate(worst) if gap <= said["tolerance"])
    assert 1 < least <= said["targets"] <= least + 1


@pytest.mark.parametrize("room", [6_000_000, 36 * 10])
def test_morph_normals_turn_with_the_surface(room, tmp_path, monkeypatch):
    """A sheet that turns as a whole: its blended normals must turn with it, also if few frames are looked at."""
    monkeypatch.setattr("neurok.files.gltf.writing.normals.MAX_NORMAL_COUNT", room)
    vertices, faces = cases.sheet(6)
    given = {"normal": np.tile([0.0, 0.0, 1.0], (36, 1)), "tangent": np.tile([0.0, 1.0, 0.0, 1.0], (36, 1))}
    whole = Mesh(vertices, faces, attributes=given)
    turns = cases.turning(cases.HINGE, 1.5 * cases.TIME)
    positions = np.einsum("tab,nb->tna", turns[:, :3, :3], vertices) + turns[:, None, :3, 3]
    document = pygltflib.GLTF2().load(save(Motion(whole, cases.TIME, positions=positions), tmp_path / "turn.glb"))
    primitive = document.meshes[0].primitives[0]
    weights = accessor(document, document.animations[0].samplers[0].output).reshape(31, -1)
    for name, axis in (("NORMAL", 2), ("TANGENT", 1)):
        change = np.stack([accessor(document, target[name]) for target in primitive.targets])
        blended = np.eye(3)[axis] + np.einsum("tr,rna->tna", weights, change)
        expected = np.broadcast_to(turns[:, None, :3, axis], blended.shape)
        np.testing.assert_allclose(blended, expected, atol=1e-5)


def test_normals_too_many_to_turn_are_dropped(tmp_path, monkeypatch):
    monkeypatch.setattr("neurok.files.gltf.writing.normals.MAX_NORMAL_COUNT", 10)
    text = json.dumps(header(save(cases.dense(cases.bumpy()), tmp_path / "dense.glb")))
    assert "POSITION" in text
    assert "NORMAL" not in text
    assert "TANGENT" not in text


def test_clips_share_their_targets(tmp_path):
    motions = [cases.dense(), cases.dense(time=cases.TIME[:16], name="short", facts={"energy": np.arange(3.0)})]
    path = save(motions, tmp_path / "clips.glb")
    document = header(path)
    assert [a["name"] for a in document["animations"]] == ["wave", "short"]
    assert document["animations"][1]["extras"] == {"energy": [0.0, 1.0, 2.0]}
    for motion, back in zip(motions, load(path).motions):
        assert back.frame_count == motion.frame_count
        assert np.abs(back.frame(12) - motion.frame(12)).max() < 1.01e-4 * motion.mesh.diagonal


def test_vertex_order_needs_no_numbers_where_parts_are_blocks(tmp_path):
    assert NUMBER_ATTRIBUTE not in json.dumps(header(save(cases.mesh(), tmp_path / "blocks.glb")))
    assert NUMBER_ATTRIBUTE in json.dumps(header(save(cases.interleaved(), tmp_path / "mixed.glb")))


@pytest.mark.parametrize("thing", [cases.interleaved(), cases.dense(cases.interleaved())], ids=["mesh", "motion"])
def test_numbers_come_back_as_an_order_and_not_as_an_attribute(thing, tmp_path):
    whole = thing if isinstance(thing, Mesh) else thing.mesh
    asset = load(save(thing, tmp_path / "mixed.glb"))
    assert NUMBER_ATTRIBUTE in json.dumps(header(tmp_path / "mixed.glb"))
    for mesh in (asset.mesh, *(m.mesh for m in asset.motions)):
        assert mesh.attributes.keys() == whole.attributes.keys()
        np.testing.assert_allclose(mesh.vertices, whole.vertices, atol=1e-6)


def test_parts_that_share_vertices_come_back_as_one_mesh(tmp_path):
    vertices, faces = cases.sheet(5)
    bent = {"normal": np.where(np.arange(25)[:, None] % 7, [0.0, 0.0, 1.0], 0.0)}  # with gaps to be mended
    whole = Mesh(vertices, faces, attributes=bent, parts=(Part("a"), Part("b")), face_part=np.arange(len(faces)) % 2)
    back = load(save(whole, tmp_path / "shared.glb")).mesh
    np.testing.assert_array_equal(back.vertices, vertices.astype(np.float32))
    assert labels(back, "face_part") == labels(whole, "face_part")


@pytest.mark.parametrize("change", ["count", "copy"])
def test_numbers_that_do_not_fit_any_more_are_dropped(change, tmp_path):
    """Another program took vertices away, or made two of one."""
    numbers = {"count": [0, 1, 7], "copy": [0, 1, 1]}[change]
    draft = Draft()
    attributes = {NUMBER_ATTRIBUTE: draft.accessor(np.array([[n, 0] for n in numbers], dtype=np.uint16))}
    draft.add("nodes", {"mesh": draft.mesh(attributes=attributes)})
    asset = draft.read(tmp_path)
    np.testing.assert_array_equal(asset.mesh.vertices, TRIANGLE.vertices)
    assert asset.mesh.attributes == {}
    assert any("numbers of the vertices" in note for note in asset.notes)


@pytest.mark.parametrize("image", ["BMP", "TGA", "WEBP"])
def test_other_images_are_carried_or_turned_into_png(image, tmp_path):
    data = cases.picture((10, 20, 30), image)
    material = Material(textures={"base_color": TextureUse(Texture(data, f"image/{image.lower()}"))})
    attributes = {"uv0": np.zeros((3, 2))}
    whole = replace(TRIANGLE, attributes=attributes, materials=(material,), face_material=np.zeros(1, dtype=int))
    back = load(save(whole, tmp_path / "image.glb")).mesh.materials[0].textures["base_color"].texture
    assert (back.image == data) == (image == "WEBP")
    with Image.open(io.BytesIO(back.image)) as shown:
        assert np.abs(np.asarray(shown.convert("RGB"))[0, 0].astype(int) - [10, 20, 30]).max() <= 4


def test_bad_images_and_bright_lamps(tmp_path, validate):
    broken = Texture(b"no image", name="broken")
    lamp = Material("lamp", emissive=(4.0, 2.0, 0.0), textures={"base_color": TextureUse(broken, uv_set=3)})
    whole = replace(TRIANGLE, materials=(lamp,), face_material=np.zeros(1, dtype=int))
    with pytest.warns(UserWarning, match="broken"):
        path = save(whole, tmp_path / "lamp.glb")
    validate(path)
    (entry,) = header(path)["materials"]
    assert entry["emissiveFactor"] == [1.0, 0.5, 0.0]
    assert entry["extensions"]["KHR_materials_emissive_strength"] == {"emissiveStrength": 4.0}


def test_uv_sets_with_gaps_are_counted_anew(tmp_path, validate):
    material = Material(textures={"base_color": TextureUse(Texture(cases.picture((1, 2, 3))), uv_set=2)})
    uv = np.array([[0.0, 0.5], [1.0, 0.5], [0.25, 0.75]])
    whole = replace(
        TRIANGLE, attributes={"uv2": uv}, materials=(material, material), face_material=np.zeros(1, dtype=int)
    )
    path = save(whole, tmp_path / "gap.glb")
    validate(path)
    back = load(path).mesh
    use = back.materials[0].textures["base_color"]
    np.testing.assert_array_equal(back.attributes[f"uv{use.uv_set}"], uv)
    assert len(header(path)["images"]) == 1


def test_bad_normals_are_mended_or_dropped(tmp_path, validate):
    normal = np.array([[0.0, 0.0, 2.0], [np.nan, 0.0, 0.0], [0.0, 0.0, 0.0]])
    path = save(replace(TRIANGLE, attributes={"normal": normal}), tmp_path / "mended.glb")
    validate(path)
    np.testing.assert_allclose(load(path).mesh.attributes["normal"], [[0, 0, 1]] * 3)
    path = save(replace(TRIANGLE, attributes={"normal": np.zeros((3, 3))}), tmp_path / "none.glb")
    assert "normal" not in load(path).mesh.attributes


def test_bad_tangents_are_mended(tmp_path, validate):
    tangent = np.array([[2.0, 0.0, 0.0, 1.0], [np.nan, 0.0, 0.0, -1.0], [0.0, 0.0, 0.0, 0.0]])
    normal = np.tile([0.0, 0.6, 0.8], (3, 1))
    path = save(replace(TRIANGLE, attributes={"normal": normal, "tangent": tangent}), tmp_path / "mended.glb")
    validate(path)
    mended = load(path).mesh.attributes["tangent"]
    np.testing.assert_allclose(np.linalg.norm(mended[:, :3], axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(np.sum(mended[:, :3] * normal, axis=1), 0.0, atol=1e-6)
    assert mended[:, 3].tolist() == [1.0, -1.0, 1.0]


def test_only_parts_that_have_tangents_get_them(tmp_path, validate):
    """Zero is no tangent: a viewer makes its own, which is better than a guess of ours under a normal map."""
    whole = cases.bumpy()
    first = np.unique(whole.faces[whole.face_part == 1])
    tangent = np.array(whole.attributes["tangent"])
    tangent[first] = 0.0
    some = replace(whole, attributes=dict(whole.attributes) | {"tangent": tangent})
    document = header(save(some, tmp_path / "some.glb"))
    held = [["TANGENT" in p["attributes"] for p in mesh["primitives"]] for mesh in document["meshes"]]
    assert held == [[False, False], [True, True]]
    back = load(tmp_path / "some.glb").mesh.attributes["tangent"]
    assert not back[first].any()
    np.testing.assert_allclose(np.delete(back, first, axis=0), np.delete(tangent, first, axis=0))
    tangent[whole.faces[whole.face_material == 1]] = 0.0  # the normal map loses all of its own
    some = replace(whole, attributes=dict(whole.attributes) | {"tangent": tangent})
    assert "TANGENT" not in json.dumps(header(save(some, tmp_path / "none.glb")))


def test_bones_below_uneven_scales_stay_bones(tmp_path):
    """A joint that turns below a stretched one is no shear to glTF, and must not become morph targets."""
    draft = arm()
    draft.tree["nodes"][1]["scale"] = [1.0, 3.0, 0.5]
    (tmp_path / "arm.glb").write_bytes(draft.glb())
    asset = load(tmp_path / "arm.glb")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = save(asset.motions, tmp_path / "again.glb")
    back = load(path)
    assert back.motions[0].skin is not None
    for index in (0, 15, 30):
        np.testing.assert_allclose(back.motions[0].frame(index), asset.motions[0].frame(index), atol=1e-5)


def test_what_cannot_be_written_is_said_in_a_sentence(tmp_path):
    bad = TRIANGLE.with_vertices([[0, 0, np.nan], [1, 0, 0], [0, 1, 0]])
    loop = replace(TRIANGLE, parts=(Part("a", 1), Part("b", 0)))
    strange = cases.dense(positions=np.full((31, cases.mesh().vertex_count, 3), np.inf))
    nothing = Motion(Mesh(np.zeros((0, 3)), []), np.arange(2.0), positions=np.zeros((2, 0, 3)))
    other = cases.dense(cases.mesh(vertices=cases.mesh().vertices * 2.0))
    for thing in (bad, loop, strange, nothing, [cases.dense(), other]):
        with pytest.raises(OutputError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            save(thing, tmp_path / "bad.glb")
        assert not list(tmp_path.iterdir())
