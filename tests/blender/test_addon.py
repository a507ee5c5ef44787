"""The add-on in Blender does what neurok does: joints, limits, poses, key frames and drags, compared in the world.

Blender runs in a process of its own; corners of faces are told apart by their UVs, so that nothing depends on how the
add-on splits and orders vertices.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

import neurok
from neurok.articulate.editing import apply_edit, read_edit
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.links import link_motions
from neurok.geometry.mesh import Mesh, Part
from neurok.geometry.parts import read_parts

pytestmark = pytest.mark.blender

REPOSITORY = Path(__file__).resolve().parents[2]
SESSION = Path(__file__).with_name("addon_session.py")
TOLERANCE = 1e-4  # of the diagonal
SECONDS = 900  # that a session may take on a machine that others use too


def call_neurok(*words: object) -> None:
    command = [sys.executable, "-m", "neurok.commands.main", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def addon(tmp_path_factory) -> Path:
    """The zip that `make blender-addon` builds."""
    folder = tmp_path_factory.mktemp("addon")
    command = [sys.executable, REPOSITORY / "scripts" / "blender_addon.py", folder]
    subprocess.run(command, check=True, capture_output=True)
    (path,) = folder.glob("*.zip")
    return path


@pytest.fixture(scope="session")
def session(blender, addon, tmp_path_factory):
    """`session(folder, case) -> (facts, arrays, what Blender printed)`."""
    tools = tmp_path_factory.mktemp("tools")
    command = tools / "neurok"
    command.write_text(
        '#!/bin/sh\n[ -f mesh.glb ] && cp mesh.glb "$NEUROK_SENT"\n'
        f'PYTHONPATH="{REPOSITORY}" exec "{sys.executable}" -m neurok.commands.main "$@"\n'
    )
    command.chmod(0o755)

    def run(folder: Path, case: str):
        places = {"BLENDER_USER_RESOURCES": str(tools / f"user of {folder.name} {case}")}
        places["NEUROK_SENT"] = str(folder / "sent.glb")  # the last mesh that the add-on wrote
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | places
        line = [blender, SESSION, addon, command, folder, case]
        done = subprocess.run(line, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False)
        said = done.stdout + done.stderr
        assert done.returncode == 0, said
        with np.load(folder / f"{case}.npz") as arrays:
            return json.loads((folder / f"{case}.json").read_text()), dict(arrays), said

    return run


def make_object(folder: Path, category: str, *options: object) -> Mesh:
    """An object of ours, z up, as the session builds it (object.npz) and as neurok reads it (object.glb)."""
    call_neurok("data", "procedural", category, *options, "-o", folder / "made.glb")
    mesh = neurok.load_mesh(folder / "made.glb")
    parts = read_parts(mesh)
    flat = tuple(Part(name, -1) for name in parts.names)
    standing = Mesh(in_blender(mesh.vertices), mesh.faces, up="z", parts=flat, face_part=parts.face)
    np.savez(
        folder / "object.npz",
        vertices=standing.vertices, faces=mesh.faces, part=parts.face, names=np.array(parts.names),
    )  # fmt: skip
    neurok.save(standing, folder / "object.glb")
    return standing


def articulate(folder: Path) -> Articulation:
    """The joints that neurok itself finds of the mesh that was sent, which is that of the file; y up, in metres.

    They are put on the file's own mesh, whose faces have not been sorted.
    """
    mesh, sent = (neurok.load_mesh(folder / name) for name in ("object.glb", "sent.glb"))
    own, theirs = split_by_name(mesh), split_by_name(sent)
    assert {name: len(rows) for name, rows in own.items()} == {name: len(rows) for name, rows in theirs.items()}
    assert max(cKDTree(theirs[name]).query(own[name])[0].max() for name in own) < 1e-6 * mesh.diagonal
    (folder / "sent.glb").rename(folder / "found.glb")  # the next session sends another
    call_neurok("articulate", folder / "found.glb", "-o", folder / "object.json", "--no-predict")
    entry = read_edit(folder / "object.json")
    for link in entry["links"]:
        link["mass"] = None  # which the add-on leaves to the material
    (folder / "object.json").write_text(json.dumps(entry))
    return apply_edit(mesh, read_parts(mesh), entry)


def split_by_name(mesh: Mesh) -> dict[str, Array]:
    """The middles of the faces of each part, [faces, 3]."""
    parts, middles = read_parts(mesh), mesh.vertices[mesh.faces].mean(axis=1)
    return {name: middles[parts.face == number] for number, name in enumerate(parts.names)}


def in_blender(points: Array) -> Array:
    """Positions or directions of glTF as Blender has them."""
    return np.asarray(points)[..., [0, 2, 1]] * (1, -1, 1)


def draw(joints: Articulation, state: Array) -> Array:
    """The corners of the faces in a state, part after part as Blender's objects are, [corners, 3]."""
    mesh = joints.mesh
    X = link_motions(joints, np.asarray(state)[None])[0]
    row = {link: place for place, link in enumerate(joints.order)}
    carrier = np.array([row[link] for link in range(len(joints.links))])[joints.vertex_link]
    vertices = np.einsum("nij,nj->ni", X[carrier, :3, :3], mesh.vertices) + X[carrier, :3, 3]
    parts = read_parts(mesh)
    faces = mesh.faces[: len(parts.face)]
    order = np.argsort(parts.face, kind="stable")
    return in_blender(vertices[faces[order].reshape(-1)])


@pytest.fixture(scope="module")
def rigged(session, tmp_path_factory):
    """A chest with a lid: its parts were objects of Blender, and were rigged; what came of it."""
    folder = tmp_path_factory.mktemp("chest")
    make_object(folder, "chest")
    facts, arrays, _ = session(folder, "find")
    return facts, arrays, folder, articulate(folder)


@pytest.fixture(scope="module")
def chest(rigged) -> tuple[Path, Articulation]:
    """Its folder, and what neurok finds of it."""
    return rigged[2:]


def compare_joints(bones: dict, joints: Articulation, diagonal: float) -> None:
    assert len(bones) == len(joints.joints) > 0
    for joint in joints.joints:
        bone = bones[joints.links[joint.child].name]
        T = joints.links[joint.parent].T_world_link @ joint.origin
        axis, pivot = in_blender(T[:3, :3] @ joint.axis), in_blender(T[:3, 3])
        np.testing.assert_allclose(bone["axis"], axis, atol=TOLERANCE)
        off = np.array(bone["pivot"]) - pivot
        assert np.linalg.norm(off) < TOLERANCE * diagonal
        limits = bone["slide"] if joint.kind == "prismatic" else bone["turn"]
        np.testing.assert_allclose(limits, [joint.lower, joint.upper], atol=TOLERANCE * max(diagonal, 1.0))
        assert (bone["kind"], bone["parent"]) == (joint.kind, joints.links[joint.parent].name)
        free = [True, joint.kind != "prismatic", True], [True, joint.kind == "prismatic", True], [True] * 3
        assert bone["locks"] == list(map(list, free)) and bone["spaces"] == ["LOCAL", "LOCAL"]
        assert [0.0, 0.0] in (bone["slide"], bone["turn"])


def compare_poses(arrays: dict, joints: Articulation, diagonal: float) -> None:
    """Every joint at both limits, and beyond them, where constraints hold it."""
    np.testing.assert_allclose(arrays["before"], arrays["rest"], atol=1e-6 * diagonal)
    names = [joints.links[joints.joints[f.joint].child].name for f in joints.freedoms]
    for column, name in enumerate(names):
        for end in (0, 1):
            state = np.zeros(len(names))
            state[column] = (joints.freedoms[column].lower, joints.freedoms[column].upper)[end]
            expected = draw(joints, state)
            assert np.abs(arrays[f"at {end} {name}"] - expected).max() < TOLERANCE * diagonal
            assert np.abs(arrays[f"beyond {end} {name}"] - expected).max() < TOLERANCE * diagonal
        assert np.abs(expected - draw(joints, np.zeros(len(names)))).max() > 0.01 * diagonal


def test_a_chest_gets_the_joints_of_neurok_and_keeps_its_looks(rigged):
    facts, arrays, _, joints = rigged
    assert facts["kept"] and all(facts["parents"])
    assert "revolute" in {bone["kind"] for bone in facts["bones"].values()}
    compare_joints(facts["bones"], joints, joints.mesh.diagonal)
    compare_poses(arrays, joints, joints.mesh.diagonal)


def test_so_does_a_cabinet_of_drawers(session, tmp_path):
    make_object(tmp_path, "drawer_cabinet", "--seed", 1)
    facts, arrays, _ = session(tmp_path, "find")
    joints = articulate(tmp_path)
    assert facts["kept"] and {bone["kind"] for bone in facts["bones"].values()} == {"prismatic"}
    compare_joints(facts["bones"], joints, joints.mesh.diagonal)
    compare_poses(arrays, joints, joints.mesh.diagonal)


def test_one_connected_surface_is_split_where_its_parts_meet(session, tmp_path):
    """One object whose parts share vertices: at the limits no face is stretched between two of them."""
    mesh = make_object(tmp_path, "drawer_cabinet", "--seed", 1, "--variant", "fused")
    facts, arrays, _ = session(tmp_path, "find_joined")
    assert facts["kept"] and len(facts["bones"]) > 0
    np.testing.assert_allclose(arrays["before"], arrays["rest"], atol=1e-6 * mesh.diagonal)
    rest = arrays["rest"].reshape(-1, 3, 3)
    for name in facts["bones"]:
        posed = arrays[f"at 1 {name}"].reshape(-1, 3, 3)
        way = np.linalg.norm(posed - rest, axis=2)
        moved = way.max(axis=1) > 0.02 * mesh.diagonal
        assert 0.01 < moved.mean() < 0.6, "a part moves, and the rest stays"
        sides = [np.linalg.norm(t - np.roll(t, 1, axis=1), axis=2) for t in (rest, posed)]
        np.testing.assert_allclose(*sides, atol=TOLERANCE * mesh.diagonal)


def test_key_frames_are_the_trajectory(session, chest):
    """A lid that stands open is pushed under gravity; neurok's own simulation of its own joints is the oracle."""
    folder, joints = chest
    names = [joints.links[joints.joints[f.joint].child].name for f in joints.freedoms]
    start = np.where(np.array(names) == "lid", 1.2, 0.0)
    rest = in_blender(joints.mesh.vertices[joints.vertex_link == [l.name for l in joints.links].index("lid")])
    front = rest[np.argmin(rest[:, 1] + 1e-3 * np.abs(rest[:, 0]))]
    lid = joints.freedoms[names.index("lid")]
    axis, pivot = in_blender(lid.screw[3:]), in_blender(np.cross(lid.screw[3:], lid.screw[:3]))
    there = Rotation.from_rotvec(1.2 * axis).apply(front - pivot) + pivot
    asked = {"pose": ["lid", 1.2], "cursor": there.tolist(), "action": "PUSH", "vector": [0.0, 40.0, 10.0]}
    asked["more"] = {"material": "oak"}
    (folder / "asked.json").write_text(json.dumps(asked))
    facts, arrays, _ = session(folder, "simulate")

    def words(vector: Array) -> str:
        return ",".join(repr(float(x)) for x in np.array(vector)[[0, 2, 1]] * (1, 1, -1))

    (folder / "conditions.json").write_text(json.dumps({"state": start.tolist()}))
    call_neurok(
        "animate", folder / "found.glb", "--joints", folder / "object.json", "--states", folder / "states.json",
        "--conditions", folder / "conditions.json", "--material", "oak", "--gravity=0,-9.81,0", "--seconds", 1,
        "--fps", 12, f"--push={words(front)}:{words(asked['vector'])}",
    )  # fmt: skip
    entry = json.loads((folder / "states.json").read_text())
    column = [entry["names"].index(joints.joints[f.joint].name) for f in joints.freedoms]
    expected = np.array(entry["states"])[:, column]
    order = [list(facts["bones"]).index(name) for name in names]
    ours = arrays["states"][:, order]
    assert facts["keys"] == [13] and facts["end"] >= 25
    assert np.ptp(expected[:, names.index("lid")]) > 0.3
    np.testing.assert_allclose(ours, expected, atol=5e-3)
    for frame, state in enumerate(ours):
        assert np.abs(arrays["shapes"][frame] - draw(joints, state)).max() < TOLERANCE * joints.mesh.diagonal


def test_a_handle_and_the_cursor_drag_the_lid(session, chest):
    """The front edge is asked to go round the hinge by known angles; the armature stands elsewhere by then."""
    folder, joints = chest
    (lid,) = (f for f in joints.freedoms if joints.links[joints.joints[f.joint].child].name == "lid")
    axis, pivot = in_blender(lid.screw[3:]), in_blender(np.cross(lid.screw[3:], lid.screw[:3]))
    rest = in_blender(joints.mesh.vertices[joints.vertex_link == [l.name for l in joints.links].index("lid")])
    front = rest[np.argmin(rest[:, 1] + 1e-3 * np.abs(rest[:, 0]))]
    angles = (0.8, 1.3, 1.2)
    targets = [(Rotation.from_rotvec(a * axis).apply(front - pivot) + pivot).tolist() for a in angles]
    asked = {"point": front.tolist(), "targets": targets, "bone": "lid"}
    (folder / "asked.json").write_text(json.dumps(asked))
    facts, _, _ = session(folder, "drag")
    found = [state["lid"][4] for state in facts["states"]]
    np.testing.assert_allclose(found[:2], angles[:2], atol=2e-3)
    assert abs(found[2] - angles[2]) < 0.03, "the nearest point of the lid is not quite the edge"
    for state in facts["states"]:
        assert all(np.allclose(value, 0) for name, value in state.items() if name != "lid")
        assert np.allclose(np.delete(state["lid"], 4), 0)


def test_a_cushion_bends_into_shape_keys(session, tmp_path):
    """Without joints the vertices themselves are keyed: those of `neurok animate` and `neurok fit`."""
    mesh = make_object(tmp_path, "cushion")
    top = mesh.vertices[np.argmax(mesh.vertices @ (0.3, 0.2, 1.0))]
    vector = np.array([0.0, 0.0, 0.15 * mesh.diagonal])
    (tmp_path / "asked.json").write_text(json.dumps({"cursor": top.tolist(), "vector": vector.tolist()}))
    _, arrays, _ = session(tmp_path, "bend")
    pair = ":".join(",".join(repr(float(x)) for x in v[[0, 2, 1]] * (1, 1, -1)) for v in (top, vector))
    options = ["--seconds", 1, "--fps", 10, "-o", tmp_path / "out.npz"]
    sent = neurok.load_mesh(tmp_path / "sent.glb")
    np.testing.assert_allclose(in_blender(sent.vertices), mesh.vertices, atol=1e-6)
    call_neurok("animate", tmp_path / "sent.glb", f"--pull={pair}", *options)
    with np.load(tmp_path / "out.npz") as found:
        corners = in_blender(found["frames"])[:, mesh.faces.reshape(-1)]
    assert np.abs(corners - corners[0]).max() > 0.05 * mesh.diagonal
    assert np.abs(arrays["shapes"] - corners).max() < TOLERANCE * mesh.diagonal
    call_neurok("fit", tmp_path / "sent.glb", f"--pull={pair}", "-o", tmp_path / "fit.npz")
    with np.load(tmp_path / "fit.npz") as found:
        corners = in_blender(found["vertices"])[mesh.faces.reshape(-1)]
    assert np.abs(arrays["dragged"] - corners).max() < TOLERANCE * mesh.diagonal


def test_made_joints_move_as_their_kinds_say(session, tmp_path):
    """Closed forms: a screw climbs by its pitch, followers go by their multiplier, a knob turns more than once."""
    facts, arrays, _ = session(tmp_path, "made_joints")
    metres = facts["metres"]
    bones = facts["bones"]
    assert "nut_2" in bones, "a vertex group of the person's own had the name"
    axis = in_blender([0.6, 0.0, 0.8])
    pivot = in_blender([0.1, 0.2, 0.3]) / metres

    def turned(angle: float, way: float = 0.0) -> Array:
        T = np.eye(4)
        T[:3, :3] = Rotation.from_rotvec(angle * axis).as_matrix()
        T[:3, 3] = pivot - T[:3, :3] @ pivot + way / metres * axis
        return T

    lead = turned(0.7)
    expected = {
        "lead": lead, "nut_2": turned(1.1, 0.02 * 1.1), "gear": turned(-2.0 * 0.7 + 0.1),
        "rack": turned(0.0, 0.05 * 0.7), "knob": lead @ turned(7.0), "still": lead,
    }  # fmt: skip
    for name, T in expected.items():
        place = bones.index(name)
        moved = arrays["posed"][place] @ np.linalg.inv(arrays["rest"][place])
        np.testing.assert_allclose(moved, T, atol=2e-4, err_msg=name)
    read = {row[3]: row for row in facts["read"]}
    assert read["nut_2"][1] == "screw" and read["nut_2"][7] == pytest.approx(0.02)
    assert read["gear"][8] == ["lead_bone", -2.0, 0.1] and read["rack"][8] == ["lead_bone", 0.05, 0.0]
    assert read["knob"][6] == [-1.0, 8.0] and read["knob"][2] == "lead"
    np.testing.assert_allclose(read["lead"][6], [-1.0, 2.5], atol=1e-6)
    np.testing.assert_allclose(read["lead"][4] + read["lead"][5], [0.6, 0.0, 0.8, 0.1, 0.2, 0.3], atol=1e-5)


def test_faults_are_one_sentence_and_change_nothing(session, tmp_path):
    scripts = {
        "faulty": "echo 'neurok: note: by the way' >&2; echo 'neurok: mesh.glb is odd; mend it.' >&2; exit 2",
        "broken": "echo 'Traceback (most recent call last):' >&2; echo 'ValueError: no' >&2; exit 1",
        "silent": "exit 0",
    }
    for name, body in scripts.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    facts, _, printed = session(tmp_path, "failing")
    said = {name: text.strip().removeprefix("Error: ") for name, text in facts["said"].items()}
    assert said["bare"].startswith("bare has no faces; select a mesh that has.")
    assert said["cube"].startswith("nothing of cube was found to move;")
    assert said["absent"].endswith("set the path of the neurok command in the preferences of the add-on.")
    assert said["faulty"] == "mesh.glb is odd; mend it."
    assert said["broken"] == "neurok ended with code 1: ValueError: no"
    assert said["silent"].startswith("neurok left no answer")
    assert "does not answer like neurok" in said["check faulty"]
    assert said["no path"].startswith("there is no neurok command on the PATH; install neurok, or set")
    assert said["check"] == "{'FINISHED'}" and f"neurok {neurok.__version__} is at" in printed
    assert "Traceback" not in printed
    assert facts["kept"] == [["bare", "cube"], [], 8]


def test_undo_takes_everything_back(session, chest):
    facts, _, _ = session(chest[0], "undo")
    begin, found, simulated, once, twice = facts["counts"]
    assert once == found and twice == begin
    assert found[0] != begin[0] and found[1] > begin[1] and found[2] > begin[2] and simulated[3] > found[3]


def test_it_registers_and_leaves_nothing_behind(session, tmp_path):
    facts, _, _ = session(tmp_path, "register")
    operators = ["add_handle", "check_command", "drag", "find_parts", "simulate"]
    assert facts["seen"] == 2 * [[True, True, operators], [False, False, []]]
    assert facts["flags"] == 4 * [["REGISTER", "UNDO"]]


def test_blender_goes_on_while_it_works_and_escape_ends_it(session, tmp_path):
    facts, _, _ = session(tmp_path, "modal")
    assert facts["answers"] == ["{'PASS_THROUGH'}", "{'PASS_THROUGH'}", "{'CANCELLED'}", -15, "{'FINISHED'}"]
    assert facts["shown"][0].startswith("waiting: ") and facts["shown"][-1] == "neurok was cancelled."
    assert facts["ended"] == ["cleared", 0, "cleared"]


def test_a_skeleton_imports_as_an_armature_named_by_links(session, chest):
    """The clips of `articulate` come as a tree of objects; `convert --skeleton` as one armature, a bone a link."""
    folder, joints = chest
    found = [folder / "found.glb", "--edit", folder / "object.json"]
    call_neurok("articulate", *found, "-o", folder / "clips.glb", "-o", folder / "chest.urdf")
    call_neurok("convert", folder / "chest.urdf", folder / "skeleton.glb", "--skeleton")
    facts, _, _ = session(folder, "skeleton")
    links = {link.name for link in joints.links}
    assert "ARMATURE" not in facts["clips"]["kinds"] and links <= set(facts["clips"]["names"])
    found = facts["skeleton"]
    assert "ARMATURE" in found["kinds"]
    parents = {joints.links[j.child].name: joints.links[j.parent].name for j in joints.joints}
    assert {name: above for name, above, _ in found["bones"] if above} == parents
    heads = {name: head for name, _, head in found["bones"]}
    assert heads.keys() == links
    for joint in joints.joints:
        T = joints.links[joint.parent].T_world_link @ joint.origin
        head = heads[joints.links[joint.child].name]
        assert np.linalg.norm(head - in_blender(T[:3, 3])) < 1e-3 * joints.mesh.diagonal
    assert len(found["actions"]) >= len(joints.joints)
