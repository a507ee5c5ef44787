"""An object as a skeleton for game engines: one skin, a joint a link, on its joint, valid, and moving as it should."""

import json
from pathlib import Path

import numpy as np
import pytest
from pygltflib import GLTF2

import neurok
from neurok.articulate.clips import make_clips, make_skeleton
from neurok.assets.laptop import HINGE, laptop
from neurok.commands.main import main
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import merge
from neurok.geometry.primitives import box

VALIDATE = Path(__file__).resolve().parents[1] / "files" / "validate_gltf.mjs"


def ladder(kind: str = "prismatic") -> Articulation:
    """Three boxes: the second hangs on the first, the third on the second, by joints of one kind."""
    mesh = merge([box(1.0, 1.0, 0.2).with_vertices(box(1.0, 1.0, 0.2).vertices + [0, 0, z]) for z in range(3)])
    links = tuple(Link(name, np.eye(4)) for name in ("foot", "step", "top"))
    joints = []
    for index, limits in ((1, (0.0, 0.3)), (2, (-0.2, 0.1))):
        origin = np.eye(4)
        origin[:3, 3] = (0.1, 0.2, index)
        ends = limits if kind != "fixed" else (0.0, 0.0)
        joints.append(Joint(f"joint {index}", kind, index - 1, index, origin, np.array([1.0, 0.0, 0.0]), *ends))
    return Articulation(mesh, np.repeat([0, 1, 2], 8), links, tuple(joints), "ladder")


@pytest.mark.parametrize("machine", [laptop(), ladder()], ids=lambda each: each.name)
def test_a_skeleton_is_one_skin_with_a_bone_a_link(node, tmp_path, machine):
    path = tmp_path / "out.glb"
    neurok.save(make_skeleton(machine), path)
    done = node(VALIDATE, path)
    (report,) = json.loads(done.stdout)
    assert not [m for m in report["issues"]["messages"] if m["severity"] < 2], report["issues"]
    written = GLTF2().load(path)
    (skin,) = written.skins
    assert [written.nodes[joint].name for joint in skin.joints] == [machine.links[link].name for link in machine.order]
    shown = [one for one in written.nodes if one.mesh is not None]
    assert shown and all(one.skin == 0 for one in shown)
    assert [clip.name for clip in written.animations] == machine.coordinate_names
    back = neurok.load(path)
    for ours, read in zip(make_clips(machine), back.motions):
        # Our reader takes 30 frames a second, and the clips have 24: every fifth is the same moment as every fourth.
        pairs = list(zip(range(0, ours.frame_count, 4), range(0, read.frame_count, 5)))
        assert len(pairs) > 5
        for same, i in pairs:
            expected, found = ours.frame(same)[machine.mesh.faces], read.frame(i)[read.mesh.faces]
            T = np.eye(3) if read.mesh.up == machine.mesh.up else np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0.0]])
            assert np.abs(expected @ T.T * machine.mesh.unit - found).max() < 1e-5 * machine.mesh.diagonal


def test_its_bones_sit_on_the_joints():
    (clip,) = make_skeleton(laptop())
    lid = clip.skin.names.index("lid")
    np.testing.assert_allclose(np.cross(clip.skin.frames[lid, :3, 3] - HINGE, (1, 0, 0)), 0, atol=1e-9)
    frames = make_skeleton(ladder())[0].skin.frames
    np.testing.assert_allclose(frames[:, :3, 3], [(0, 0, 0), (0.1, 0.2, 1), (0.1, 0.2, 2)])


def test_what_never_moves_is_a_skeleton_at_rest(tmp_path):
    (still,) = make_skeleton(ladder("fixed"))
    neurok.save(still, tmp_path / "still.glb")
    assert len(GLTF2().load(tmp_path / "still.glb").skins[0].joints) == 3
    alone = Articulation(box(1.0, 1.0, 1.0), np.zeros(8, dtype=int), (Link("only", np.eye(4)),), ())
    assert make_skeleton(alone)[0].skin.names == ("only",)


def test_the_command_writes_it_or_says_why_not(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    neurok.save(laptop(), tmp_path / "laptop.urdf")
    neurok.save(laptop().mesh, tmp_path / "laptop.obj")
    assert main(["convert", "laptop.urdf", "laptop.glb", "--skeleton"]) == 0
    assert len(GLTF2().load("laptop.glb").skins) == 1
    assert main(["convert", "laptop.urdf", "plain.glb"]) == 0
    assert not GLTF2().load("plain.glb").skins
    capsys.readouterr()
    assert main(["convert", "laptop.urdf", "laptop.usdc", "--skeleton"]) == 2
    assert "--skeleton cannot be written to .usdc; name a .glb or .gltf." in capsys.readouterr().err
    assert main(["convert", "laptop.obj", "x.glb", "--skeleton"]) == 2
    assert "has no joints; find them with `neurok articulate` first." in capsys.readouterr().err
