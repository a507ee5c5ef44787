"""What is exported weighs, moves and reads back as it should; check passes on it and fails on broken files."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from neurok.articulate.check import check_file
from neurok.articulate.clips import make_clips
from neurok.articulate.colliders import add_colliders, decompose_by_coacd
from neurok.articulate.editing import apply_edit, describe_articulation, find_resisting, read_edit
from neurok.articulate.physics import add_physics
from neurok.assets.laptop import BUNDLED
from neurok.errors import InputError
from neurok.files.inertias import compute_geometric_inertia
from neurok.files.registry import load, save
from neurok.geometry.articulation import Articulation, Joint, Link, Mimic
from neurok.geometry.components import select_faces
from neurok.geometry.mesh import NO_LABELS, Mesh, merge
from neurok.geometry.parts import Parts
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box
from neurok.kinematics.articulated import Articulated
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.masses import place_mass_points

pytest.importorskip("mujoco")


def _box(width, depth, height, *shift) -> Mesh:
    T = np.eye(4)
    T[:3, 3] = shift
    return transform(box(width, depth, height), T)


def _chest() -> tuple[Articulation, Parts]:
    """A solid chest with a lid on a hinge along x at its back edge, and a knob that turns on the lid."""
    pieces = [_box(0.6, 0.4, 0.3, 0, 0, 0.15), _box(0.6, 0.4, 0.04, 0, 0, 0.33), _box(0.05, 0.05, 0.05, 0, 0, 0.39)]
    mesh = merge(pieces)
    mesh = Mesh(mesh.vertices, mesh.faces, up="z")
    hinge, knob = np.eye(4), np.eye(4)
    hinge[:3, 3], knob[:3, 3] = (0, 0.2, 0.31), (0, 0, 0.39)
    joints = (
        Joint("lid_joint", "revolute", 0, 1, hinge, np.array([-1.0, 0, 0]), 0.0, 1.5),
        Joint("knob_joint", "continuous", 1, 2, knob, np.array([0, 0, 1.0])),
    )
    links = tuple(Link(name, np.eye(4)) for name in ("chest", "lid", "knob"))
    thing = Articulation(mesh, np.repeat([0, 1, 2], 8), links, joints, "chest")
    return thing, Parts(np.repeat([0, 1, 2], 12), ("chest", "lid", "knob"))


def test_links_cut_out_of_one_closed_surface_weigh_what_it_does():
    """A scan is one skin around a solid: cut into links, it is not hollow, in exports and in motion alike."""
    mesh = box(0.4, 0.2, 0.1, cells=6)
    side = (mesh.vertices[:, 0] > 0.05).astype(int)
    hinge = Joint("hinge", "revolute", 0, 1, np.eye(4), np.array([0, 0, 1.0]), 0.0, 1.0)
    thing = Articulation(mesh, side, (Link("a", np.eye(4)), Link("b", np.eye(4))), (hinge,), "bar")
    whole = 500.0 * 0.4 * 0.2 * 0.1
    assert sum(link.inertia.mass for link in add_physics(thing).links) == pytest.approx(whole, rel=1e-9)
    space = Articulated(thing)
    assert place_mass_points(space, Conditions(), stiffness=0.0).mass.sum() == pytest.approx(
        whole, rel=1e-3
    )  # of samples


def test_a_flat_piece_of_a_closed_surface_weighs_as_the_sheet_it_is():
    whole = box(1.0, 1.0, 1.0, cells=4)
    top = select_faces(whole, np.flatnonzero(whole.vertices[whole.faces][..., 2].min(axis=1) > 0.49))
    sheet, piece = (compute_geometric_inertia(top, 0.01, cut=cut) for cut in (False, True))
    assert piece.mass == pytest.approx(sheet.mass) and sheet.mass == pytest.approx(500.0 * 0.01)


def test_inertia_is_that_of_the_solid_boxes():
    """Closed form: m (b^2 + c^2) / 12 about each axis of a box."""
    found = add_physics(_chest()[0], density=700.0)
    for link, (w, d, h), z in zip(
        found.links, [(0.6, 0.4, 0.3), (0.6, 0.4, 0.04), (0.05, 0.05, 0.05)], (0.15, 0.33, 0.39)
    ):
        mass = 700.0 * w * d * h
        assert link.inertia.mass == pytest.approx(mass)
        assert link.inertia.centre == pytest.approx([0, 0, z], abs=1e-12)
        moments = mass / 12 * np.array([d * d + h * h, w * w + h * h, w * w + d * d])
        assert np.allclose(link.inertia.tensor, np.diag(moments), rtol=1e-9, atol=1e-12)


def test_a_given_mass_is_shared_by_volume():
    found = add_physics(_chest()[0], mass=10.0)
    assert sum(link.inertia.mass for link in found.links) == pytest.approx(10.0)
    assert found.links[0].inertia.mass / found.links[1].inertia.mass == pytest.approx(0.3 / 0.04)


@pytest.mark.parametrize("suffix", ["urdf", "xml"])
def test_a_sound_file_passes(tmp_path, suffix):
    save(add_physics(_chest()[0]), tmp_path / f"chest.{suffix}")
    found = check_file(tmp_path / f"chest.{suffix}")
    assert found.passed, found.faults
    assert found.figures["mass"] == pytest.approx(500 * (0.072 + 0.0096 + 0.000125), rel=1e-6)


def test_a_file_written_anew_is_tried_with_its_new_meshes(tmp_path):
    """MuJoCo keeps meshes by path and second: the second chest lies in itself, and is at once found out."""
    thing, _ = _chest()
    assert check_file(save(add_physics(thing), tmp_path / "chest.xml")).passed
    vertices = np.array(thing.mesh.vertices)
    vertices[np.asarray(thing.vertex_link) == 2] -= (0, 0, 0.2)
    save(add_physics(replace(thing, mesh=thing.mesh.with_vertices(vertices))), tmp_path / "chest.xml")
    assert any("penetrate" in fault for fault in check_file(tmp_path / "chest.xml").faults)


def _broken(tmp_path: Path, change) -> list[str]:
    save(add_physics(_chest()[0]), tmp_path / "chest.xml")
    tree = ET.parse(tmp_path / "chest.xml")
    change(tree.getroot())
    tree.write(tmp_path / "chest.xml")
    return check_file(tmp_path / "chest.xml").faults


def test_a_mass_of_lead_is_found(tmp_path):
    def heavier(root):
        root.findall(".//inertial")[1].set("mass", "100000")

    assert any("weighs" in fault for fault in _broken(tmp_path, heavier))


def test_equal_masses_are_found(tmp_path):
    def alike(root):
        for element in root.iter("inertial"):
            element.set("mass", "1.0")

    assert any("every link weighs" in fault for fault in _broken(tmp_path, alike))


def test_a_limit_behind_a_wall_is_found(tmp_path):
    """A block over the lid, on a link of its own, stops it long before its limit."""

    def wall(root):
        contact = root.find("contact")
        if contact is not None:
            root.remove(contact)
        body = ET.SubElement(root.find("worldbody"), "body", name="wall", pos="0 0 0.55")
        ET.SubElement(body, "geom", type="box", size="0.4 0.4 0.05", mass="1")

    assert any("never reaches" in fault for fault in _broken(tmp_path, wall))


def test_links_inside_each_other_are_found(tmp_path):
    thing, parts = _chest()
    knob = np.asarray(thing.vertex_link) == 2
    vertices = np.array(thing.mesh.vertices)
    vertices[knob] *= 3.0  # through the lid into the chest, which no joint connects it to
    vertices[knob, 2] -= 1.1
    save(add_physics(replace(thing, mesh=thing.mesh.with_vertices(vertices))), tmp_path / "chest.xml")
    assert any("penetrate" in fault for fault in check_file(tmp_path / "chest.xml").faults)


def test_a_file_that_is_none_is_one_sentence(tmp_path):
    (tmp_path / "bad.urdf").write_text("<robot name='x'><link")
    with pytest.raises(InputError, match="cannot load"):
        check_file(tmp_path / "bad.urdf")
    (tmp_path / "massless.xml").write_text("<mujoco><worldbody><body/></worldbody></mujoco>")  # no fault until let go
    with pytest.raises(InputError, match="cannot load"):
        check_file(tmp_path / "massless.xml")
    with pytest.raises(InputError, match="not a file MuJoCo reads"):
        check_file(tmp_path / "bad.obj")


def test_a_file_that_explodes_is_told_by_us_alone(tmp_path, monkeypatch, capfd):
    """A spring that drives what it should hold: MuJoCo's own words and its log stay away."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wild.xml").write_text(
        "<mujoco><option timestep='0.01'/><worldbody><body><geom size='0.1' mass='0.01'/>"
        "<joint name='spring' type='slide' stiffness='-1e12' springref='1'/></body></worldbody></mujoco>"
    )
    assert any("explodes" in fault for fault in check_file("wild.xml").faults)
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()
    assert capfd.readouterr() == ("", "")


def test_what_mujoco_warns_of_when_it_reads_is_told_by_us_alone(capfd):
    """The laptop's URDF has several visuals of one name, which MuJoCo prints to the terminal whenever it reads them."""
    found = check_file(BUNDLED)
    assert capfd.readouterr() == ("", "")
    assert found.passed
    (remark,) = [remark for remark in found.remarks if "'foot'" in remark]
    assert "'hinge barrel'" in remark and "several" in remark and "WARNING" not in remark


def test_other_words_on_the_terminal_survive_while_mujoco_reads(capfd):
    from neurok.articulate.check.reading import capture_warnings

    with capture_warnings() as warned:
        os.write(2, b"a bar at 10 %\nWARNING: something new\nWARNING: something new\n")
    assert warned == ["something new"]
    assert capfd.readouterr() == ("", "a bar at 10 %\n")


def test_a_free_base_falls_and_a_held_one_does_not(tmp_path):
    import mujoco

    for floating in (False, True):
        save(replace(add_physics(_chest()[0]), floating=floating), tmp_path / "chest.xml")
        model = mujoco.MjModel.from_xml_path(str(tmp_path / "chest.xml"))
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, 100)
        assert (data.xpos[1, 2] < -0.05) == floating


# ---------------------------------------------------------------- colliders


def test_an_open_tray_is_cut_into_pieces_that_leave_its_hollow_free(tmp_path):
    pytest.importorskip("coacd")
    tray = merge([_box(1, 1, 0.1, 0, 0, 0), _box(0.1, 1, 0.5, 0.45, 0, 0.25), _box(0.1, 1, 0.5, -0.45, 0, 0.25)])
    pieces = decompose_by_coacd(tray)
    assert len(pieces) >= 3
    middle = np.array([0.0, 0.0, 0.35])
    assert not any(np.all((middle > p.bounds[0]) & (middle < p.bounds[1])) for p in pieces)


def test_pieces_reach_every_simulator_format(tmp_path):
    pytest.importorskip("coacd")
    found, said = add_colliders(add_physics(_chest()[0]), everywhere=True)
    assert "decomposed" in said
    count = sum(len(link.colliders) for link in found.links)
    save(found, tmp_path / "chest.urdf")
    save(found, tmp_path / "chest.xml")
    assert len(ET.parse(tmp_path / "chest.urdf").getroot().findall(".//collision")) == count
    assert len(ET.parse(tmp_path / "chest.xml").getroot().findall(".//geom[@group='3']")) == count
    pytest.importorskip("pxr")
    from neurok.files.usd.check import find_topology_faults, find_validation_errors

    save(found, tmp_path / "chest.usda")
    assert (tmp_path / "chest.usda").read_text().count("PhysicsCollisionAPI") == count
    assert not find_validation_errors(tmp_path / "chest.usda")
    assert not find_topology_faults(tmp_path / "chest.usda")
    assert load(tmp_path / "chest.usda").mesh.vertex_count == found.mesh.vertex_count  # colliders are not the object


# ---------------------------------------------------------------- editing


def test_a_document_reads_back_as_the_same_articulation(tmp_path):
    thing, parts = _chest()
    thing = add_physics(thing)
    (tmp_path / "chest.json").write_text(json.dumps(describe_articulation(thing, parts)))
    back = add_physics(apply_edit(thing.mesh, parts, read_edit(tmp_path / "chest.json")))
    assert [link.name for link in back.links] == [link.name for link in thing.links]
    for a, b in zip(thing.links, back.links):
        assert a.inertia.mass == pytest.approx(b.inertia.mass)
        assert np.allclose(a.inertia.tensor, b.inertia.tensor)
    for a, b in zip(thing.joints, back.joints):
        assert (a.kind, a.parent, a.child) == (b.kind, b.parent, b.child)
        assert np.allclose(a.axis, b.axis) and np.allclose(a.origin, b.origin)
        assert (a.lower, a.upper) == pytest.approx((b.lower, b.upper))
    assert np.array_equal(back.vertex_link, thing.vertex_link)


def test_a_change_is_obeyed():
    thing, parts = _chest()
    entry = describe_articulation(thing, parts)
    entry["joints"][0]["limits"] = [-10, 45]
    entry["links"] = [{"name": "chest", "parts": ["chest"]}, {"name": "lid", "parts": ["lid", "knob"], "mass": 3.0}]
    del entry["joints"][1]
    back = add_physics(apply_edit(thing.mesh, parts, entry))
    assert (back.joints[0].lower, back.joints[0].upper) == pytest.approx(np.radians([-10, 45]))
    assert back.links[1].inertia.mass == pytest.approx(3.0)
    assert np.bincount(back.vertex_link).tolist() == [8, 16]


def test_what_a_person_leaves_open_comes_from_the_geometry_and_zero_is_zero(tmp_path):
    thing, parts = _chest()
    usual = add_physics(thing)
    entry = json.loads(json.dumps(describe_articulation(usual, parts)))
    entry["joints"][0].update(damping=0, friction=0, limits=None)
    entry["joints"][1].update(damping=None, friction=None)
    (tmp_path / "e.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(entry).encode())  # as Notepad writes it
    entry = read_edit(tmp_path / "e.json")
    back = apply_edit(thing.mesh, parts, entry)
    assert (back.joints[0].lower, back.joints[0].upper) == (-np.inf, np.inf)
    found = add_physics(back, settled=find_resisting(entry))
    assert (found.joints[0].damping, found.joints[0].friction) == (0, 0)
    assert found.joints[1].damping == pytest.approx(usual.joints[1].damping) != 0
    assert [joint.damping for joint in add_physics(back, damping=7.0).joints] == [7.0, 7.0]


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_joint_that_follows_is_written_by_degrees_and_read_back(kind):
    """theta = 0.02 phi + 0.3 for a follower in radians or units, and a leader of which the file speaks in degrees."""
    thing, parts = _chest()
    knob = replace(thing.joints[1], kind=kind, lower=-2.0, upper=2.0, mimic=Mimic(0, 0.02, 0.3))
    entry = describe_articulation(replace(thing, joints=(thing.joints[0], knob)), parts)
    tie = entry["joints"][1]["follows"]
    assert tie["joint"] == "lid_joint"
    assert tie["multiplier"] * 90 + tie["offset"] == pytest.approx(
        (0.02 * np.pi / 2 + 0.3) * (np.degrees(1) if kind == "revolute" else 1.0)
    )
    back = apply_edit(thing.mesh, parts, json.loads(json.dumps(entry))).joints[1].mimic
    assert (back.joint, back.multiplier, back.offset) == (0, pytest.approx(0.02), pytest.approx(0.3))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda e: e["joints"][0].update(axis=[0, 0, 0]), "no direction"),
        (lambda e: e["joints"][0].update(axis="up"), "three numbers"),
        (lambda e: e["joints"][0].update(type="hinge"), "has the type"),
        (lambda e: e["joints"][0].update(parent="nobody"), "not there"),
        (lambda e: e["joints"][0].update(limits=[5, 1]), "above the upper"),
        (lambda e: e["joints"][0].update(pivot=[float("nan"), 0, 0]), "three numbers"),
        (lambda e: e["links"][0].update(parts=["lamp"]), "has not"),
        (lambda e: e["links"][0].update(parts=[]), "in no link"),
        (lambda e: e["links"][1].update(mass=-1), "above zero"),
        (lambda e: e["joints"][1].update(parent="knob", child="lid"), "two parents"),
        (lambda e: e.pop("links"), "no list of links"),
        (lambda e: e["joints"][0].update(axis=[10**400, 0, 1]), "three numbers up to"),
        (lambda e: e["joints"][0].update(axis=[1e308, 1e308, 1e308]), "three numbers up to"),
        (lambda e: e["joints"][0].update(pivot=[5e3, 0, 0]), "far outside"),
        (lambda e: e["joints"][0].update(limits=[0, 1e300]), "two numbers up to"),
        (lambda e: e["joints"][0].update(damping=1e308), "a number up to"),
        (lambda e: e["links"][1].update(mass=1e308), "a number up to"),
        (lambda e: e["links"][1].update(name="chest"), "two links"),
        (lambda e: e["joints"][1].update(name="lid_joint"), "two joints"),
        (lambda e: e["joints"][1].update(follows="lid_joint"), "cannot be used"),
        (lambda e: e["joints"][1].update(follows={"joint": ["lid_joint"]}), "cannot be used"),
        (lambda e: e["joints"][1].update(follows={"joint": "knob_joint"}), "cannot follow"),
        (lambda e: e["joints"][1].update(follows={"joint": "lid_joint", "multiplier": 0}), "cannot follow"),
        (lambda e: e["joints"][1].update(follows={"joint": "lid_joint", "multiplier": "fast"}), "multiplier"),
    ],
)
def test_a_wrong_edit_is_one_sentence(change, words):
    thing, parts = _chest()
    entry = json.loads(json.dumps(describe_articulation(thing, parts)))
    change(entry)
    with pytest.raises(InputError, match=words):
        apply_edit(thing.mesh, parts, entry)


# ---------------------------------------------------------------- clips and the command


def test_a_clip_goes_to_both_ends_and_comes_back():
    thing, _ = _chest()
    clips = make_clips(thing)
    assert [clip.name for clip in clips] == ["lid_joint", "knob_joint"]
    lid = clips[0]
    assert np.allclose(lid.frame(0), lid.mesh.vertices) and np.allclose(
        lid.frame(lid.frame_count - 1), lid.mesh.vertices
    )
    far = max(np.linalg.norm(lid.frame(i) - lid.mesh.vertices, axis=1).max() for i in range(lid.frame_count))
    # The front upper edge of the lid, and the knob above it, swing by 1.5 rad about the hinge.
    arm = np.linalg.norm([0.4, 0.04])
    assert far == pytest.approx(2 * arm * np.sin(0.75), rel=0.05)


def test_a_clip_shows_the_whole_range_and_many_joints_share_one(monkeypatch):
    """The knob, 0.025 from its axis to a side, goes 1.5 turns; the lid meanwhile as far as alone."""
    thing, _ = _chest()
    knob = replace(thing.joints[1], kind="revolute", lower=-0.5, upper=3 * np.pi)
    thing = replace(thing, joints=(thing.joints[0], knob))
    alone, turning = make_clips(thing)
    bone = list(turning.skin.names).index("knob")
    first = np.arctan2(*turning.transforms[:, bone, [1, 0], 0].T)
    assert np.unwrap(first).max() == pytest.approx(3 * np.pi) and np.unwrap(first).min() == pytest.approx(-0.5)
    monkeypatch.setattr("neurok.articulate.clips.MAX_CLIPS", 1)
    (both,) = make_clips(thing)
    lid = list(both.skin.names).index("lid")
    assert np.allclose(both.transforms[: alone.frame_count, lid], alone.transforms[:, lid])
    assert np.allclose(both.transforms[-1], np.eye(4), atol=1e-9)


def test_an_object_whose_joints_are_all_fixed_is_a_glb_without_clips(tmp_path):
    thing, parts = _chest()
    entry = describe_articulation(thing, parts)
    for row in entry["joints"]:
        row["type"] = "fixed"
    (tmp_path / "fixed.json").write_text(json.dumps(entry))
    text = [f"g {name}\n" + "".join("f {} {} {}\n".format(*f) for f in thing.mesh.faces[parts.face == i] + 1)
            for i, name in enumerate(parts.names)]  # fmt: skip
    (tmp_path / "chest.obj").write_text("".join("v {} {} {}\n".format(*v) for v in thing.mesh.vertices) + "".join(text))
    from neurok.commands.main import main

    outputs = [str(tmp_path / f"out.{suffix}") for suffix in ("glb", "urdf", "xml", "usda", "json")]
    words = ["articulate", str(tmp_path / "chest.obj"), "--up", "z", "--edit", str(tmp_path / "fixed.json")]
    assert main([*words, *(word for path in outputs for word in ("-o", path))]) == 0
    assert not load(outputs[0]).motions
    assert check_file(outputs[1]).passed and check_file(outputs[2]).passed


def test_the_command_makes_files_that_pass_and_can_be_edited(tmp_path):
    thing, _ = _chest()
    mesh = replace(thing.mesh, parts=tuple(), face_part=NO_LABELS)
    save(merge([Mesh(mesh.vertices, mesh.faces, up="z")]), tmp_path / "chest.obj")
    run = [sys.executable, "-m", "neurok.commands.main"]
    first = [*run, "articulate", "chest.obj", "--up", "z", "-o", "a.xml", "-o", "a.json", "-o", "a.glb", "-o", "a.urdf"]
    done = subprocess.run(first, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "3 parts" in done.stdout
    again = [*run, "articulate", "chest.obj", "--up", "z", "--edit", "a.json", "-o", "b.xml", "--json"]
    done = subprocess.run(again, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["links"] == len(ET.parse(tmp_path / "a.xml").getroot().findall(".//body"))
    for name in ("a.xml", "b.xml", "a.urdf"):
        done = subprocess.run([*run, "check", name], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "a.xml").read_text() + (tmp_path / "a.urdf").read_text()
    assert "nan" not in text.lower().replace("name", "")
