"""The node tree that is written for parts and bones, and the parts that come back from it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from neurok.files.registry import load, save
from neurok.geometry.mesh import Mesh, Part
from neurok.geometry.motion import Motion, rigid_skin
from tests.files import gltf_cases as cases


def machine(parts: tuple[Part, ...], bones: dict[str, int], faces: dict[int, int]) -> Motion:
    """A triangle for each part in faces, on the bone given there; bones: name -> parent, each of its own speed."""
    count = len(faces)
    corners = np.tile(np.eye(3), (count, 1)) + np.repeat(np.arange(count), 3)[:, None]
    mesh = Mesh(corners, np.arange(3 * count).reshape(-1, 3), parts=parts, face_part=np.array(list(faces)))
    frames = np.tile(np.eye(4), (len(bones), 1, 1))
    frames[:, :3, 3] = np.arange(3.0 * len(bones)).reshape(-1, 3) + 1.0
    skin = rigid_skin(np.repeat(list(faces.values()), 3), tuple(bones), np.array(list(bones.values())), frames)
    turns = [cases.turning(frame[:3, 3], (1.0 + bone) * cases.TIME) for bone, frame in enumerate(frames)]
    return Motion(mesh, cases.TIME, skin=skin, transforms=np.stack(turns, axis=1))


def written(thing: object, folder) -> tuple[list[tuple[str, int]], dict]:
    """Names and parents of the nodes, as their file has them, and the whole document."""
    document = json.loads(save(thing, folder / "tree.gltf").read_text())
    parents = {child: node for node, entry in enumerate(document["nodes"]) for child in entry.get("children", ())}
    return [(entry.get("name", ""), parents.get(node, -1)) for node, entry in enumerate(document["nodes"])], document


def check_comes_back(motion: Motion, path) -> None:
    asset = load(path)
    assert asset.mesh.parts == motion.mesh.parts
    owner = [dict(zip(map(tuple, mesh.faces.tolist()), mesh.face_part)) for mesh in (asset.mesh, motion.mesh)]
    assert owner[0] == owner[1]
    np.testing.assert_allclose(asset.motions[0].frame(20), motion.frame(20), atol=1e-5)


TRUCK = (Part("truck"), Part("back", 0), Part("wheel", 1), Part("body", 0), Part("front", 0), Part("wheel", 4))


def test_bones_that_are_parts_stay_in_the_tree_of_the_parts(tmp_path):
    """Groups above bones, siblings before and after them, two bones of one name."""
    motion = machine(TRUCK, {"wheel": -1, "body": -1, "wheel_2": -1}, {2: 0, 3: 1, 5: 2})
    nodes, document = written(motion, tmp_path)
    assert nodes == [(part.name, part.parent) for part in TRUCK]
    assert "extras" not in document["scenes"][0]
    assert "_NEUROK_VERTEX" not in json.dumps(document)
    check_comes_back(motion, tmp_path / "tree.gltf")


def test_a_chain_of_bones_keeps_the_groups_between_them(tmp_path):
    parts = (Part("crane"), Part("arm", 0), Part("cover", 1), Part("hand", 2), Part("nail", 3), Part("sign", 2))
    motion = machine(parts, {"arm": -1, "hand": 0}, {2: 0, 4: 1, 5: 0})
    nodes, document = written(motion, tmp_path)
    assert nodes == [(part.name, part.parent) for part in parts]
    assert "extras" not in document["scenes"][0]
    check_comes_back(motion, tmp_path / "tree.gltf")


def test_of_parts_of_one_name_the_one_that_carries_is_the_bone(tmp_path):
    parts = (Part("box"), Part("lid", 0), Part("hinge", 0), Part("lid", 2))
    motion = machine(parts, {"hinge": -1, "lid": 0}, {1: 0, 3: 1})
    nodes, _ = written(motion, tmp_path)
    assert nodes == [("box", -1), ("hinge", 0), ("lid", 1), ("lid", 1)]  # the first lid moves with the hinge
    check_comes_back(motion, tmp_path / "tree.gltf")


def test_bones_that_are_no_parts_stand_between_them(tmp_path):
    motion = machine((Part("all"), Part("a", 0), Part("b", 0)), {"base": -1, "turret": 0}, {1: 0, 2: 1})
    nodes, document = written(motion, tmp_path)
    assert nodes == [("all", -1), ("base", 0), ("a", 1), ("turret", 1), ("b", 3)]
    assert document["scenes"][0]["extras"]["parts"] == {"names": ["all", "a", "b"], "parents": [-1, 0, 0]}
    check_comes_back(motion, tmp_path / "tree.gltf")


def test_links_that_are_flat_parts_hang_on_each_other(tmp_path):
    """As in URDF: the parts are the links side by side, with their visuals below."""
    parts = (Part("hand"), Part("base"), Part("visual", 0), Part("visual", 1), Part("inner", 2))
    motion = machine(parts, {"base": -1, "hand": 0}, {3: 0, 4: 1})
    nodes, _ = written(motion, tmp_path)
    assert nodes == [("base", -1), ("hand", 0), ("visual", 1), ("inner", 2), ("visual", 0)]
    check_comes_back(motion, tmp_path / "tree.gltf")


def test_a_part_torn_between_links_is_shown_by_both(tmp_path):
    """Links of an articulation may share a part; each has its share of the faces."""
    articulation = cases.articulation()
    torn = replace(
        articulation.mesh, parts=(Part("both"),), face_part=np.zeros(articulation.mesh.face_count, dtype=int)
    )
    nodes, _ = written(replace(articulation, mesh=torn), tmp_path)
    assert nodes == [("axes", -1), ("base", 0), ("both", 1), ("flap ü", 2), ("both", 3)]
    back = load(tmp_path / "tree.gltf").mesh
    assert back.parts == torn.parts
    assert back.face_count == torn.face_count


def test_skinned_parts_stand_at_the_root_and_come_back_where_they_were(tmp_path):
    motion = cases.skinned()
    nodes, document = written(motion, tmp_path)
    assert [name for name, parent in nodes if parent < 0] == ["Gehäuse 箱", "sheet", "sheet"]
    assert all(("skin" in entry) == (entry["name"] == "sheet") for entry in document["nodes"])
    check_comes_back(motion, tmp_path / "tree.gltf")


@pytest.mark.parametrize("up, unit", [("z", 1.0), ("x", 0.01)])
def test_the_node_that_turns_the_axes_is_no_part(up, unit, tmp_path):
    whole = cases.mesh(up=up, unit=unit)
    nodes, _ = written(whole, tmp_path)
    assert nodes[0] == ("axes", -1)
    assert load(tmp_path / "tree.gltf").mesh.parts == whole.parts


def test_faces_without_a_part_and_names_that_are_empty(tmp_path):
    whole = cases.mesh(parts=(Part(""), Part("b", 0), Part("unused")), face_part=np.repeat([-1, 1], [32, 18]))
    back = load(save(whole, tmp_path / "some.glb")).mesh
    assert back.parts == whole.parts
    assert sorted(back.face_part.tolist()) == sorted(whole.face_part.tolist())


@pytest.mark.parametrize("change", [
    {"names": ["all", "a"]},
    {"parents": [-1, 0, 0.5]},
    {"parents": [1, 2, 0]},
    {"parents": [-1, 0, 9]},
    {"names": ["all", "a", 3]},
    {"names": ["all", "other", "b"]},
    {"names": None},
    {"parents": {"0": 1}},
])  # fmt: skip
def test_tables_that_do_not_fit_the_nodes_are_left_alone(change, tmp_path):
    """Damaged, or a program has renamed a node since."""
    motion = machine((Part("all"), Part("a", 0), Part("b", 0)), {"base": -1, "turret": 0}, {1: 0, 2: 1})
    nodes, document = written(motion, tmp_path)
    document["scenes"][0]["extras"]["parts"] |= change
    (tmp_path / "tree.gltf").write_text(json.dumps(document))
    asset = load(tmp_path / "tree.gltf")
    assert [(part.name, part.parent) for part in asset.mesh.parts] == nodes
    assert any("table of parts" in note for note in asset.notes)


@pytest.mark.parametrize("part", [None, -2, 3, True, "1", [1]])
def test_nodes_that_do_not_say_whose_faces_they_show(part, tmp_path):
    motion = machine((Part("all"), Part("a", 0), Part("b", 0)), {"base": -1, "turret": 0}, {1: 0, 2: 1})
    nodes, document = written(motion, tmp_path)
    document["nodes"][2]["extras"] = {"part": part} if part != [1] else part
    (tmp_path / "tree.gltf").write_text(json.dumps(document))
    assert [(p.name, p.parent) for p in load(tmp_path / "tree.gltf").mesh.parts] == nodes


def test_clips_of_another_shape_keep_the_normals_of_the_file(tmp_path):
    """The reference shape of a skin has the file's own normals, not those of the pose it is displayed in."""
    vertices, faces = cases.sheet(4)
    whole = Mesh(vertices, faces, attributes={"normal": np.tile([0.0, 0.0, 1.0], (16, 1))}, parts=(Part("sheet"),))
    motion = cases.skinned(replace(whole, face_part=np.zeros(len(faces), dtype=int)))
    _, document = written(motion, tmp_path)
    for node in document["nodes"]:
        if "skin" not in node:
            node["rotation"] = [0.6, 0.0, 0.0, 0.8]  # another default pose than the bind pose
    (tmp_path / "tree.gltf").write_text(json.dumps(document))
    asset = load(tmp_path / "tree.gltf")
    shown, reference = asset.mesh, asset.motions[0].mesh
    assert np.abs(shown.vertices - reference.vertices).max() > 0.1
    for mesh in (shown, reference):
        a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
        flat = np.cross(b - a, c - a)
        flat /= np.linalg.norm(flat, axis=1, keepdims=True)
        if mesh is reference:
            np.testing.assert_allclose(mesh.attributes["normal"][mesh.faces[:, 0]], flat, atol=1e-5)
