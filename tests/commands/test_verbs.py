"""The verbs from file to file; results are checked against what the files hold and against closed forms."""

import json

import numpy as np
import pytest

from neurok.assets.laptop import laptop
from neurok.files.registry import load, save
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion, rigid_skin
from neurok.geometry.rigid import rotation

SHORT = ("--seconds", 0.5, "--fps", 20)
FALL = 9.81


def posed(path, angle: float) -> Mesh:
    """The door with its leaf turned about z, computed here."""
    asset = load(path)
    leaf = asset.articulation.vertex_link == [link.name for link in asset.articulation.links].index("leaf")
    vertices = asset.mesh.vertices.copy()
    c, s = np.cos(angle), np.sin(angle)
    vertices[leaf] = vertices[leaf] @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T
    return asset.mesh.with_vertices(vertices)


# ---------------------------------------------------------------- animate


def test_animate_reports_what_the_file_holds(neurok, door):
    code, out, err = neurok(
        "animate", door, "--pull", "0.95,0,0:0,0.4,0@0,0.5", "--no-predict", *SHORT, "-o", "m.npz", "--json"
    )
    assert code == 0 and err == ""
    found = json.loads(out)
    data = np.load("m.npz")
    reach = np.linalg.norm(data["frames"] - data["vertices"], axis=2).max()
    assert found["frames"] == len(data["time"]) == 11 and found["seconds"] == pytest.approx(0.5)
    assert found["moved"]["largest"] == pytest.approx(reach, rel=1e-4) and reach > 0.2
    assert [part["name"] for part in found["moved"]["parts"]] == ["leaf", "frame"]
    assert found["moved"]["parts"][1]["largest"] == 0
    (hinge,) = found["coordinates"]
    assert hinge["name"] == "hinge" and hinge["unit"] == "rad" and 0.2 < hinge["most"] <= 1.5
    assert found["outputs"] == [{"path": "m.npz", "bytes": (door.parent / "m.npz").stat().st_size}]
    # A chord of the widest circle belongs to the angle the report names.
    widest = np.linalg.norm(data["vertices"][:, :2], axis=1).max()
    assert reach == pytest.approx(2 * widest * np.sin(hinge["most"] / 2), rel=1e-4)


def test_animate_says_it_in_sentences(neurok, door):
    code, out, _ = neurok("animate", door, *SHORT, "-o", "m.glb", "-o", "m.npz")
    assert code == 0
    for words in (
        "11 frames over 0.5 s",
        "of the diagonal",
        "moved: leaf",
        "hinge: ",
        "degrees",
        "energy: ",
        "wrote m.glb",
    ):
        assert words in out
    data = np.load("m.npz")
    last = load("m.glb").motions[0]
    assert last.time[-1] == pytest.approx(data["time"][-1]) and np.ptp(data["frames"], axis=0).max() > 0.01
    # glTF has y up: (x, y, z) of the door is (x, z, -y) there.
    assert last.frame(-1) == pytest.approx(data["frames"][-1][:, [0, 2, 1]] * [1, 1, -1], abs=1e-4)


def test_the_same_seed_gives_the_same_bytes(neurok, door, tmp_path):
    for name in ("a", "b"):
        assert neurok("animate", door, *SHORT, "--seed", 3, "-o", f"{name}.glb", "-o", f"{name}.npz")[0] == 0
    assert neurok("animate", door, *SHORT, "--seed", 4, "-o", "c.npz")[0] == 0
    for suffix in (".glb", ".npz"):
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()
    assert not np.array_equal(np.load("a.npz")["frames"], np.load("c.npz")["frames"])


@pytest.mark.parametrize(("up", "axis"), [("auto", 1), ("y", 1), ("z", 2), ("x", 0)])
def test_up_decides_which_way_things_fall(neurok, box, up, axis):
    words = ("--base", "free", "--damping", 0, "--seconds", 0.5, "--fps", 10, "--up", up, "-o", "m.npz")
    assert neurok("animate", box, *words)[0] == 0
    data = np.load("m.npz")
    fall = np.zeros(3)
    fall[axis] = -0.5 * FALL * 0.5**2
    assert data["frames"][-1] - data["vertices"] == pytest.approx(np.tile(fall, (8, 1)), abs=1e-4)


def test_up_is_left_aside_where_the_file_knows(neurok, door):
    code, _, err = neurok("animate", door, *SHORT, "--up", "y", "-o", "m.npz")
    assert code == 0 and "--up y is left aside" in err


def test_conditions_from_a_file_give_the_same_bytes_as_options(neurok, door, tmp_path):
    (tmp_path / "c.json").write_text(
        '{"pulls": [{"point": [0.9, 0, 0], "by": [0, 0.2, 0]}], "seconds": 0.5, "fps": 20}'
    )
    assert neurok("animate", door, "--conditions", "c.json", "-o", "a.npz")[0] == 0
    assert neurok("animate", door, "--pull", "0.9,0,0:0,0.2,0", *SHORT, "-o", "b.npz")[0] == 0
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_energy_is_kept_where_nothing_takes_it(neurok, door):
    words = ("--velocity", "0.95,0,0:0,0.1,0", "--damping", 0, "--stiffness", 0, *SHORT, "-o", "m.npz", "--json")
    energy = json.loads(neurok("animate", door, *words)[1])["energy"]
    assert energy["changed_by"] == [] and energy["drift"] < 1e-6
    assert energy["total_last"] == pytest.approx(energy["total_first"], rel=1e-6) and energy["kinetic_most"] > 0


def test_clips_of_a_file_are_left_aside_and_named(neurok, clips):
    code, _, err = neurok("animate", clips, "-o", "x.glb", "--seconds", "0.2")
    assert code == 0 and "neurok convert" in err and "'turn'" in err


def test_a_bad_second_output_is_found_before_the_work(neurok, door, tmp_path):
    assert neurok("animate", door, *SHORT, "-o", "a.glb", "-o", "nowhere/b.glb")[0] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["door.urdf"]


def test_outside_names_need_the_flag(neurok, door, box, tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "lid.urdf").write_text(
        door.read_text().replace('<box size="0.9 0.05 1.9"/>', '<mesh filename="../box.obj"/>')
    )
    code, _, err = neurok("animate", "inner/lid.urdf", *SHORT, "-o", "m.glb")
    assert code == 2 and "--allow-outside" in err
    assert neurok("animate", "inner/lid.urdf", "--allow-outside", *SHORT, "-o", "m.glb")[0] == 0
    (tmp_path / "m.glb").unlink()
    assert neurok("animate", "inner", "--allow-outside", *SHORT, "-o", "m.glb")[0] == 0


# ---------------------------------------------------------------- fit


def test_fit_finds_the_angle_of_corresponding_vertices(neurok, door, tmp_path):
    save(posed(door, 0.7), tmp_path / "target.ply")
    words = ("fit", door, "target.ply", "--corresponding", "-o", "found.ply", "--report", "r.json")
    code, out, _ = neurok(*words)
    assert code == 0 and "wrote r.json" in out
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["state"]["hinge"] == pytest.approx(0.7, abs=1e-4)
    assert report["metrics"]["motion_recovered"] == pytest.approx(1, abs=1e-3)
    assert load("found.ply").mesh.vertices == pytest.approx(posed(door, 0.7).vertices, abs=1e-4)


def test_fit_to_a_surface_without_order(neurok, door, tmp_path):
    target = posed(door, 0.5)
    order = np.random.default_rng(0).permutation(target.vertex_count)
    place = np.argsort(order)
    save(Mesh(target.vertices[order], place[target.faces][::-1]), tmp_path / "target.obj")
    code, out, _ = neurok("fit", door, "target.obj", "-o", "found.obj", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["state"]["hinge"] == pytest.approx(0.5, abs=0.01)
    metrics = found["metrics"]
    for name in ("chamfer_l1", "chamfer_l2", "surface_iou", "volume_iou"):
        assert set(metrics[name]) == {"value", "floor", "still"}
    assert metrics["chamfer_l1"]["value"] < 0.3 * metrics["chamfer_l1"]["still"]
    assert metrics["motion_recovered"] is None, "nothing corresponds"
    # Our vertices, in our order, wherever the target's came from.
    assert load("found.obj").mesh.vertices == pytest.approx(posed(door, found["state"]["hinge"]).vertices, abs=1e-5)


@pytest.mark.parametrize("suffix", ["glb", "usda", "npz"])
def test_a_target_in_other_axes_is_turned(neurok, door, tmp_path, suffix):
    """The target is written from a y-up copy of the door, in centimetres where the format has units."""
    target = posed(door, 0.4)
    unit = 0.01 if suffix == "usda" else 1.0
    places = target.vertices[:, [0, 2, 1]] * [1, 1, -1] / unit
    save(Mesh(places, target.faces, up="y", unit=unit), tmp_path / f"target.{suffix}")
    code, out, err = neurok("fit", door, f"target.{suffix}", "--corresponding", "-o", "found.ply", "--json")
    assert code == 0 and "brought into the object's axes" in err
    assert json.loads(out)["state"]["hinge"] == pytest.approx(0.4, abs=1e-3)


def test_fit_follows_a_dragged_point(neurok, door):
    corner = np.array([0.95, 0.025, 0.95])
    c, s = np.cos(0.6), np.sin(0.6)
    moved = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ corner
    drag = ",".join(map(str, corner)) + ":" + ",".join(map(str, moved - corner))
    code, out, _ = neurok("fit", door, "--pull", drag, "-o", "found.glb", "--json")
    assert code == 0
    found = json.loads(out)
    (pull,) = found["pulls"]
    assert pull["point"] == pytest.approx(corner) and pull["wanted"] == pytest.approx(moved)
    assert found["state"]["hinge"] == pytest.approx(0.6, abs=0.02) and pull["miss"] < 0.02


def test_vertices_that_cannot_correspond_are_refused(neurok, door, box, tmp_path):
    code, _, err = neurok("fit", door, box, "--corresponding", "-o", "x.ply")
    assert code == 2 and "8 vertices" in err and not (tmp_path / "x.ply").exists()


# ---------------------------------------------------------------- convert

STATIC = ("obj", "ply", "stl", "off", "glb", "gltf", "usda", "usdc", "npz")


@pytest.fixture
def clips(tmp_path, box):
    """A box with two clips: it turns, it slides."""
    mesh = load(box).mesh
    skin = rigid_skin(np.zeros(mesh.vertex_count, dtype=int), ("root",), np.array([-1]), np.eye(4)[None])
    turn, slide = np.tile(np.eye(4), (5, 1, 1, 1)), np.tile(np.eye(4), (3, 1, 1, 1))
    turn[:, 0, :3, :3] = [rotation(np.array([0.0, angle, 0.0])) for angle in np.linspace(0, 1, 5)]
    slide[:, 0, 0, 3] = [0, 1, 2]
    motions = [
        Motion(mesh, np.linspace(0, 1, 5), skin=skin, transforms=turn, name="turn"),
        Motion(mesh, np.linspace(0, 1, 3), skin=skin, transforms=slide, name="slide"),
    ]
    save(motions, tmp_path / "clips.glb")
    return tmp_path / "clips.glb"


def surface(mesh: Mesh) -> set:
    """The triangles by their places, whatever the order and the splits of vertices."""
    corners = np.round(mesh.vertices[mesh.faces], 5) + 0.0
    return {tuple(sorted(map(tuple, face))) for face in corners.tolist()}


@pytest.mark.parametrize("second", STATIC)
@pytest.mark.parametrize("first", STATIC)
def test_a_mesh_goes_through_any_two_formats(neurok, box, first, second):
    # Only the last leg is the same for all: files hold no up axis or unit here, so nothing turns or scales.
    assert neurok("convert", box, f"a.{first}")[0] == 0
    assert neurok("convert", f"a.{first}", f"b.{second}")[0] == 0
    assert surface(load(f"b.{second}").mesh) == surface(load(box).mesh)
    if not {"stl"} & {first, second}:
        assert load(f"b.{second}").mesh.vertices == pytest.approx(load(box).mesh.vertices, abs=1e-6)


@pytest.mark.parametrize("suffix", ["glb", "gltf", "usda", "usdc", "npz"])
def test_a_motion_survives(neurok, clips, suffix):
    code, out, err = neurok("convert", clips, f"m.{suffix}")
    assert code == 0
    written, source = load(f"m.{suffix}").motions, load(clips).motions
    if suffix in ("glb", "gltf"):
        assert [m.name for m in written] == ["turn", "slide"] and err == ""
    else:
        assert len(written) == 1 and "'turn' is taken" in err and "'slide'" in err
    for a, b in zip(written, source):
        assert a.time[-1] == pytest.approx(b.time[-1])
        assert a.frame(-1) == pytest.approx(b.frame(-1), abs=1e-5)


@pytest.mark.parametrize("clip", ["slide", "1"])
def test_a_clip_is_chosen_by_name_or_number(neurok, clips, clip):
    code, out, err = neurok("convert", clips, "m.npz", "--clip", clip)
    assert code == 0 and err == "" and "'slide'" in out
    data = np.load("m.npz")
    assert data["frames"][-1] - data["vertices"] == pytest.approx(np.tile([2.0, 0, 0], (8, 1)), abs=1e-5)


def test_an_unknown_clip_lists_the_known(neurok, clips, box):
    code, _, err = neurok("convert", clips, "m.npz", "--clip", "jump")
    assert code == 2 and "0 'turn', 1 'slide'" in err
    assert neurok("convert", box, "m.npz", "--clip", "0")[0] == 2


def test_a_static_format_gets_the_pose_and_says_so(neurok, clips, box):
    code, _, err = neurok("convert", clips, "m.obj")
    assert code == 0 and "holds no motion" in err
    assert surface(load("m.obj").mesh) == surface(load(box).mesh)


@pytest.mark.parametrize("suffix", ["urdf", "xml", "glb", "usda"])
def test_joints_are_written(neurok, tmp_path, door, suffix):
    code, out, err = neurok("convert", door, f"d.{suffix}")
    assert code == 0 and err == "" and "2 links and 1 joint" in out
    assert (tmp_path / f"d.{suffix}").stat().st_size > 0
    if suffix == "urdf":
        (joint,) = load("d.urdf").articulation.joints
        assert (joint.name, joint.kind, joint.lower, joint.upper) == ("hinge", "revolute", -1.5, 1.5)


@pytest.mark.parametrize(("name", "suffix"), [("box.obj", "urdf"), ("box.obj", "mp4"), ("box.obj", "xml")])
def test_what_a_format_cannot_hold(neurok, box, tmp_path, name, suffix):
    code, _, err = neurok("convert", name, f"x.{suffix}")
    assert code == 2 and "needs" in err and [path.name for path in tmp_path.iterdir()] == [name]


def test_the_output_may_be_the_input(neurok, box):
    before = load(box).mesh
    assert neurok("convert", box, box)[0] == 0
    assert np.array_equal(load(box).mesh.vertices, before.vertices)


def test_the_neighbours_of_a_file_are_named_too(neurok, door, tmp_path):
    code, out, _ = neurok("convert", door, "d.urdf", "--json")
    paths = [entry["path"] for entry in json.loads(out)["outputs"]]
    assert code == 0 and paths[0] == "d.urdf"
    assert {str(tmp_path / path) for path in paths} == {str(p) for p in tmp_path.iterdir() if p.name != "door.urdf"}


# ---------------------------------------------------------------- inspect


def test_inspect_reads_what_others_refuse(neurok, tmp_path):
    (tmp_path / "nan.obj").write_text("v 0 0 0\nv nan 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 1 3 4\n")
    code, out, err = neurok("inspect", "nan.obj", "--json")
    assert code == 0 and err == ""
    found = json.loads(out)
    assert [f["name"] for f in found["findings"] if f["severity"] == "error"] == ["not_finite"]
    assert found["vertices"] == 4 and found["faces"] == 2
    assert "refused" in neurok("inspect", "nan.obj")[1]


def test_inspect_names_joints_and_clips(neurok, door, clips):
    code, out, _ = neurok("inspect", door)
    assert code == 0 and "'hinge' revolute: frame -> leaf, -85.9 to 85.9 degrees" in out
    code, out, _ = neurok("inspect", clips)
    assert code == 0 and "'turn': " in out and "'slide': " in out and " frames, 1 s, moving parts" in out


def test_inspect_on_the_bundled_laptop(neurok, tmp_path):
    save(laptop(), tmp_path / "laptop.urdf")
    found = json.loads(neurok("inspect", "laptop.urdf", "--json")[1])
    assert found["up"] == "z" and len(found["joints"]) == 1
    assert not [f for f in found["findings"] if f["severity"] == "error"]


@pytest.mark.data
def test_inspect_on_real_objects(neurok, shared_data):
    folders = sorted((shared_data / "partnet_mobility").iterdir())[:3]
    for path in (*folders, *sorted((shared_data / "animated").glob("*.glb"))[:3]):
        code, out, _ = neurok("inspect", path, "--json")
        found = json.loads(out)
        assert code == 0 and found["faces"] > 0 and (found["joints"] or found["animations"])
