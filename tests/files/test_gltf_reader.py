"""The glTF reader on small files whose answers are known by hand."""

import base64
import json

import numpy as np
import pytest

from neurok.errors import InputError
from neurok.files.gltf import read
from neurok.files.registry import load
from neurok.files.source import Source
from tests.files.gltf_scenes import SQUARE, TRIANGLE, Draft, arm, turn

RED = b"\x89PNG red"


def normals(mesh):
    a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
    return np.cross(b - a, c - a)


def test_nodes_become_parts_in_depth_first_order_with_their_transforms(tmp_path):
    draft = Draft()
    mesh = draft.mesh(TRIANGLE, [0, 1, 2])
    draft.add("nodes", {"name": "root", "children": [2, 1], "translation": [0, 0, 5]})
    draft.add("nodes", {"mesh": mesh, "rotation": turn(2, 90)})
    draft.add("nodes", {"name": "group", "children": [3], "scale": [2, 2, 2]})
    draft.add("nodes", {"name": "leaf", "mesh": mesh, "translation": [1, 0, 0]})
    asset = draft.read(tmp_path)
    assert [(p.name, p.parent) for p in asset.mesh.parts] == [("root", -1), ("group", 0), ("leaf", 1), ("node_1", 0)]
    np.testing.assert_array_equal(asset.mesh.face_part, [2, 3])
    np.testing.assert_allclose(asset.mesh.vertices[:3], 2 * (TRIANGLE + [1, 0, 0]) + [0, 0, 5])
    np.testing.assert_allclose(asset.mesh.vertices[3:], [[0, 0, 5], [0, 1, 5], [-1, 0, 5]], atol=1e-7)
    assert (asset.mesh.up, asset.mesh.unit, asset.motions) == ("y", 1.0, ())


def test_only_the_default_scene_is_shown(tmp_path):
    draft = Draft()
    for x in range(3):
        draft.add("nodes", {"mesh": draft.mesh(), "translation": [x, 0, 0]})
    draft.add("scenes", {"nodes": [0]})
    draft.add("scenes", {"nodes": [2]})
    assert draft.read(tmp_path).mesh.vertices[0, 0] == 0
    draft.tree["scene"] = 1
    assert draft.read(tmp_path).mesh.vertices[0, 0] == 2
    del draft.tree["scenes"], draft.tree["scene"]
    assert draft.read(tmp_path).mesh.vertex_count == 9


def test_primitives_share_vertices_only_where_their_accessors_are_the_same(tmp_path):
    draft = Draft()
    mesh = draft.mesh(SQUARE, [0, 1, 2])
    first = draft.tree["meshes"][mesh]["primitives"][0]
    second = {**first, "indices": draft.accessor(np.array([2, 1, 3], dtype=np.uint8))}
    third = {"attributes": {"POSITION": draft.accessor(SQUARE)}, "indices": first["indices"]}
    draft.tree["meshes"][mesh]["primitives"] += [second, third]
    draft.add("nodes", {"mesh": mesh})
    np.testing.assert_array_equal(draft.read(tmp_path).mesh.faces, [[0, 1, 2], [2, 1, 3], [4, 5, 6]])
    assert draft.read(tmp_path).mesh.vertex_count == 8


@pytest.mark.parametrize("mode, indices, faces", [
    (4, None, [[0, 1, 2]]),
    (4, [3, 1, 0], [[3, 1, 0]]),
    (5, None, [[0, 1, 2], [1, 3, 2]]),
    (5, [0, 1, 2, 2, 3], [[0, 1, 2]]),
    (6, [0, 1, 3, 2], [[1, 3, 0], [3, 2, 0]]),
])  # fmt: skip
def test_triangles_strips_and_fans(tmp_path, mode, indices, faces):
    draft = Draft()
    draft.add("nodes", {"mesh": draft.mesh(SQUARE, indices, mode=mode)})
    mesh = draft.read(tmp_path).mesh
    np.testing.assert_array_equal(mesh.faces, faces)


def test_a_strip_faces_one_way(tmp_path):
    draft = Draft()
    draft.add("nodes", {"mesh": draft.mesh(SQUARE, mode=5)})
    assert np.all(normals(draft.read(tmp_path).mesh)[:, 2] > 0)


def test_points_and_lines_are_left_out_with_a_note(tmp_path):
    draft = Draft()
    draft.add("nodes", {"mesh": draft.mesh(mode=1)})
    draft.add("nodes", {"mesh": draft.mesh()})
    asset = draft.read(tmp_path)
    assert asset.mesh.vertex_count == 3
    assert any("lines" in note for note in asset.notes)


@pytest.mark.parametrize("modes, word", [([0], "points"), ([0, 0, 3], "line strips and points")])
def test_points_alone_are_refused_in_a_sentence(tmp_path, modes, word):
    draft = Draft()
    for mode in modes:
        draft.add("nodes", {"mesh": draft.mesh(mode=mode)})
    with pytest.raises(InputError, match=f"scene.glb: the file holds only {word}, no triangles; make a surface"):
        draft.read(tmp_path)


def test_a_mirroring_node_keeps_faces_and_normals_outward(tmp_path):
    draft = Draft()
    up, along = np.tile(np.float32([0, 0, 1]), (3, 1)), np.tile(np.float32([1, 0, 0, 1]), (3, 1))
    attributes = {"NORMAL": draft.accessor(up), "TANGENT": draft.accessor(along)}
    draft.add("nodes", {"mesh": draft.mesh(TRIANGLE, attributes=attributes), "scale": [-3, 1, 1]})
    mesh = draft.read(tmp_path).mesh
    assert normals(mesh)[0, 2] > 0
    np.testing.assert_allclose(mesh.attributes["normal"], up)
    np.testing.assert_allclose(mesh.attributes["tangent"], np.tile([-1, 0, 0, -1], (3, 1)))


def test_normals_stay_at_right_angles_under_uneven_scale(tmp_path):
    draft = Draft()
    slope = np.array([[0, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=np.float32)
    normal = np.tile(np.float32([-1, 1, 0]) / np.sqrt(2, dtype=np.float32), (3, 1))
    mesh = draft.mesh(slope, attributes={"NORMAL": draft.accessor(normal)})
    draft.add("nodes", {"mesh": mesh, "scale": [1, 4, 1], "rotation": turn(0, 30)})
    shown = draft.read(tmp_path).mesh
    edges = shown.vertices[1:] - shown.vertices[0]
    np.testing.assert_allclose(edges @ shown.attributes["normal"].T, 0, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(shown.attributes["normal"], axis=1), 1, rtol=1e-6)


def test_attributes_are_kept_under_their_names(tmp_path):
    draft = Draft()
    uv = np.array([[0, 0], [65535, 0], [0, 13107]], dtype=np.uint16)
    attributes = {
        "TEXCOORD_0": draft.accessor(uv, normalized=True),
        "TEXCOORD_1": draft.accessor(np.float32([[5, 6], [7, 8], [9, 10]])),
        "COLOR_0": draft.accessor(np.float32([[0, 0.25, 1]] * 3)),
        "_HEAT": draft.accessor(np.float32([1, 2, 3])),
    }
    draft.add("nodes", {"mesh": draft.mesh(attributes=attributes)})
    found = draft.read(tmp_path).mesh.attributes
    np.testing.assert_allclose(found["uv0"], [[0, 0], [1, 0], [0, 0.2]])
    np.testing.assert_array_equal(found["uv1"], [[5, 6], [7, 8], [9, 10]])
    np.testing.assert_array_equal(found["color"], [[0, 0.25, 1, 1]] * 3)
    np.testing.assert_array_equal(found["_HEAT"][:, 0], [1, 2, 3])


def test_materials_with_all_their_textures(tmp_path):
    draft = Draft()
    draft.add("images", {"bufferView": draft.view(RED), "mimeType": "image/png"})
    draft.add("images", {"uri": "data:image/jpeg;base64," + base64.b64encode(b"\xff\xd8\xffjpeg").decode()})
    draft.add("images", {"uri": "wood%20grain.png", "name": "wood"})
    draft.add("images", {"uri": "lost.png"})
    draft.add("samplers", {"wrapS": 33071, "minFilter": 9987})
    for source in range(4):
        draft.add("textures", {"source": source, "sampler": 0})
    shift = {"KHR_texture_transform": {"offset": [0.5, 0]}}
    draft.add("materials", {
        "name": "all", "doubleSided": True, "alphaMode": "MASK", "alphaCutoff": 0.25, "emissiveFactor": [1, 2, 3],
        "pbrMetallicRoughness": {
            "baseColorFactor": [0.1, 0.2, 0.3, 0.4], "metallicFactor": 0.5, "roughnessFactor": 0.75,
            "baseColorTexture": {"index": 0, "texCoord": 1, "extensions": shift},
            "metallicRoughnessTexture": {"index": 1},
        },
        "normalTexture": {"index": 2, "scale": 0.5}, "occlusionTexture": {"index": 0, "strength": 0.25},
        "emissiveTexture": {"index": 3},
        "extensions": {
            "KHR_materials_ior": {"ior": 1.3},
            "KHR_materials_clearcoat": {"clearcoatTexture": {"index": 0}},
        },
    })  # fmt: skip
    draft.add("nodes", {"mesh": draft.mesh(material=0)})
    draft.add("nodes", {"mesh": draft.mesh()})
    (tmp_path / "wood grain.png").write_bytes(b"\x89PNG wood")
    asset = draft.read(tmp_path)
    (material,) = asset.mesh.materials
    np.testing.assert_array_equal(asset.mesh.face_material, [0, -1])
    assert (material.name, material.double_sided, material.alpha_mode, material.alpha_cutoff) == (
        "all", True, "MASK", 0.25,
    )  # fmt: skip
    assert material.base_color == (0.1, 0.2, 0.3, 0.4)
    assert (material.metallic, material.roughness, material.emissive) == (0.5, 0.75, (1, 2, 3))
    uses = material.textures
    assert {k: (u.texture.image, u.uv_set, u.strength) for k, u in uses.items()} == {
        "base_color": (RED, 1, 1.0),
        "metallic_roughness": (b"\xff\xd8\xffjpeg", 0, 1.0),
        "normal": (b"\x89PNG wood", 0, 0.5),
        "occlusion": (RED, 0, 0.25),
    }
    assert uses["base_color"].extensions == shift
    assert uses["metallic_roughness"].texture.mime == "image/jpeg"
    assert uses["base_color"].texture.sampler == {"wrapS": 33071, "minFilter": 9987}
    assert material.extensions == {"KHR_materials_ior": {"ior": 1.3}}
    assert any("lost.png" in note for note in asset.notes)
    assert any("KHR_materials_clearcoat" in note for note in asset.notes)


def test_materials_by_default_are_those_of_the_format(tmp_path):
    draft = Draft()
    draft.add("materials", {})
    draft.add("nodes", {"mesh": draft.mesh(material=0)})
    (material,) = draft.read(tmp_path).mesh.materials
    assert (material.base_color, material.metallic, material.roughness) == ((1, 1, 1, 1), 1.0, 1.0)


def test_a_skin_ignores_its_own_node_and_follows_its_joints(tmp_path):
    draft = arm()
    draft.tree["nodes"][2]["rotation"] = turn(2, 90)
    shown = draft.read(tmp_path).mesh.vertices
    np.testing.assert_allclose(shown[0], [0, 0, 0], atol=1e-6)
    np.testing.assert_allclose(shown[1], [0.05, 1.05, 0], atol=1e-6)  # halfway between (0.1, 1) and (0, 1.1)
    np.testing.assert_allclose(shown[2:], [[-1, 1, 0], [-1, 1.1, 0]], atol=1e-6)


def test_weights_are_normalised_as_three_does(tmp_path):
    draft = Draft()
    joints = np.array([[1, 0, 0, 0]] * 3, dtype=np.uint8)
    weights = np.array([[0.5, 0, 0, 0], [2, 2, 0, 0], [0, 0, 0, 0]], dtype=np.float32)
    attributes = {"JOINTS_0": draft.accessor(joints), "WEIGHTS_0": draft.accessor(weights)}
    draft.add("nodes", {"mesh": draft.mesh(np.zeros((3, 3), np.float32), attributes=attributes), "skin": 0})
    draft.add("nodes", {"translation": [0, 0, 0]})
    draft.add("nodes", {"translation": [8, 0, 0]})
    draft.add("skins", {"joints": [1, 2]})
    np.testing.assert_allclose(draft.read(tmp_path).mesh.vertices[:, 0], [8, 4, 8])


def test_eight_weights(tmp_path):
    draft = Draft()
    attributes = {}
    for i in range(2):
        attributes[f"JOINTS_{i}"] = draft.accessor(np.array([[4 * i, 0, 0, 0]] * 3, dtype=np.uint16))
        attributes[f"WEIGHTS_{i}"] = draft.accessor(np.array([[128, 0, 0, 0]] * 3, dtype=np.uint8), normalized=True)
    draft.add("nodes", {"mesh": draft.mesh(np.zeros((3, 3), np.float32), attributes=attributes), "skin": 0})
    for x in range(5):
        draft.add("nodes", {"translation": [x, 0, 0]})
    draft.add("skins", {"joints": [1, 2, 3, 4, 5]})
    np.testing.assert_allclose(draft.read(tmp_path).mesh.vertices[:, 0], 2.0)


def test_default_morph_weights_of_the_mesh_and_of_the_node(tmp_path):
    draft = Draft()
    target = {"POSITION": draft.accessor(np.tile(np.float32([0, 0, 1]), (3, 1)))}
    mesh = draft.mesh(targets=[target])
    draft.tree["meshes"][mesh]["weights"] = [0.5]
    draft.add("nodes", {"mesh": mesh})
    draft.add("nodes", {"mesh": mesh, "weights": [2.0]})
    np.testing.assert_allclose(draft.read(tmp_path).mesh.vertices[:, 2], [0.5] * 3 + [2.0] * 3)


def test_text_gltf_with_buffers_beside_and_inside(tmp_path):
    draft = Draft()
    draft.add("nodes", {"mesh": draft.mesh(TRIANGLE, [0, 1, 2])})
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a b.bin").write_bytes(draft.data)
    inside = "data:application/octet-stream;base64," + base64.b64encode(draft.data).decode()
    for uri in ("parts/a%20b.bin", "parts/a b.bin", inside):
        tree = {**draft.tree, "buffers": [{"byteLength": len(draft.data), "uri": uri}]}
        (tmp_path / "scene.gltf").write_text(json.dumps(tree))
        np.testing.assert_array_equal(load(tmp_path / "scene.gltf").mesh.vertices, TRIANGLE)


@pytest.mark.parametrize("uri", ["../secret.bin", "/etc/hostname", "parts/../../secret.bin", "..%2Fsecret.bin",
                                 "file:///etc/hostname", "C:/secret.bin", "..\\secret.bin", "link.bin",
                                 "https://example.org/a.bin", "missing.bin", "a\0b", "\ud800.bin",
                                 "x" * 5000])  # fmt: skip
def test_buffers_outside_the_folder_are_refused(tmp_path, uri):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(TRIANGLE.tobytes()))
    (inner / "link.bin").symlink_to(tmp_path / "secret.bin")
    draft = Draft()
    draft.add("nodes", {"mesh": draft.mesh()})
    tree = {**draft.tree, "buffers": [{"byteLength": 36, "uri": uri}]}
    (inner / "scene.gltf").write_text(json.dumps(tree))
    with pytest.raises(InputError):
        read(Source(inner / "scene.gltf"))
    draft.add("images", {"uri": uri})
    draft.add("textures", {"source": 0})
    draft.add("materials", {"normalTexture": {"index": 0}})
    if "missing" in uri or "https" in uri or "xxx" in uri:
        assert draft.read(inner).mesh.materials[0].textures == {}
    else:
        with pytest.raises(InputError):
            draft.read(inner)


def test_unknown_required_extensions_are_refused_by_name(tmp_path):
    draft = Draft()
    draft.add("nodes", {"mesh": draft.mesh()})
    draft.tree["extensionsRequired"] = ["KHR_texture_transform"]
    assert draft.read(tmp_path).mesh.vertex_count == 3
    draft.tree["extensionsRequired"] = ["EXT_mesh_gpu_instancing"]
    with pytest.raises(InputError, match="EXT_mesh_gpu_instancing"):
        draft.read(tmp_path)
