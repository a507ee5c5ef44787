"""Importers: real folders become samples whose states are those of the source."""

import json

import numpy as np
import pytest

from neurok.data import animated, partnet
from neurok.data.frames import thin_frames
from neurok.data.sample import MotionSample
from neurok.data.store import Rejected
from neurok.files.registry import load, save
from neurok.geometry.motion import Motion
from neurok.geometry.primitives import box, cylinder
from neurok.geometry.rigid import exp_twist
from tests.mechanics.objects import chain


def wandering(tmp_path, *, bends: bool = True):
    """A plate that tumbles through space while half of it swings, as a GLB with a clip."""
    mesh = box(1.0, 0.4, 0.1, cells=4)
    t = np.linspace(0.0, 1.0, 20)
    frames = np.tile(mesh.vertices, (20, 1, 1))
    right = mesh.vertices[:, 0] > 0
    for i, s in enumerate(t):
        if bends:
            swing = exp_twist(np.array([0, 0, 0, 0, 0.8 * s, 0]))
            frames[i, right] = frames[i, right] @ swing[:3, :3].T
        away = exp_twist(np.array([3 * s, s, 0, s, 0, 2 * s]))
        frames[i] = frames[i] @ away[:3, :3].T + away[:3, 3]
    save(Motion(mesh, t, positions=frames.astype(np.float32)), tmp_path / "plate.glb")
    return mesh


def take(folder, **known):
    options = {"licence": "CC0", "category": "plate", "rig": None} | known
    return animated.build_sample(folder, "plate.glb", "", **options)


def test_motion_of_the_whole_is_taken_out(tmp_path):
    mesh = wandering(tmp_path)
    sample = take(tmp_path)
    assert isinstance(sample, MotionSample)
    for i in range(sample.state_count):
        moved = np.linalg.norm(sample.frame(i) - sample.vertices, axis=1)
        assert moved.max() < 0.5 * mesh.diagonal  # it wandered over three metres
    assert np.linalg.norm(sample.frame(sample.state_count - 1) - sample.vertices, axis=1).max() > 0.1


def test_a_rigid_wanderer_is_rejected_with_a_reason(tmp_path):
    wandering(tmp_path, bends=False)
    found = take(tmp_path)
    assert isinstance(found, Rejected) and "whole" in found.reason


def test_near_duplicates_are_thinned():
    frames = np.zeros((50, 30, 3))
    frames[:, :, 0] = np.linspace(0, 1, 50)[:, None]
    kept = thin_frames(frames, 0.1, 48)
    assert kept[0] == 0 and 8 <= len(kept) <= 12
    gaps = np.diff(frames[kept, 0, 0])
    assert gaps.min() > 0.05


def test_files_with_one_rig_share_a_group_and_a_split(tmp_path):
    from dataclasses import replace

    wandering(tmp_path)
    first = take(tmp_path)
    again = take(tmp_path, category="other")
    assert first.facts.group == again.facts.group and first.facts.split == again.facts.split
    assert replace(first.facts, category="") == replace(again.facts, category="")


def test_files_without_motion_are_named(tmp_path):
    save(box(), tmp_path / "plate.glb")
    assert "no clip" in take(tmp_path).reason
    (tmp_path / "plate.glb").write_bytes(b"glTF nonsense")
    assert isinstance(take(tmp_path), Rejected)


def test_jointed_objects_keep_their_states(tmp_path):
    folder = tmp_path / "17"
    folder.mkdir()
    save(chain(2, lower=-0.5, upper=1.0), folder / "mobility.urdf")
    assert partnet.list_objects(tmp_path) == ["17"]
    sample = partnet.build_sample(tmp_path, "17", "train", 0)
    # Every state is one of the articulation: each link of the first frame moves rigidly onto the others.
    for i in range(sample.state_count):
        x = sample.frame(i)
        for part in np.unique(sample.link):
            mine = sample.link == part
            before = np.linalg.norm(np.diff(sample.vertices[mine], axis=0), axis=1)
            np.testing.assert_allclose(np.linalg.norm(np.diff(x[mine], axis=0), axis=1), before, atol=1e-5)
    assert sample.facts.joints[0]["kind"] == "revolute"
    assert np.abs(sample.frame(0) - sample.vertices).max() < 1e-6  # rest comes first


def test_objects_that_cannot_move_are_rejected(tmp_path):
    folder = tmp_path / "18"
    folder.mkdir()
    save(chain(1, lower=0.0, upper=0.0), folder / "mobility.urdf")
    assert "range" in partnet.build_sample(tmp_path, "18", "train", 0).reason


@pytest.mark.data
def test_real_objects_are_accepted(shared_data):
    index = json.loads((shared_data / "index.json").read_text())
    for entry in index["partnet_mobility"]["dev"][:8]:
        sample = partnet.build_sample(shared_data / "partnet_mobility", entry["id"], "dev", 0)
        assert isinstance(sample, MotionSample)
        links = load(shared_data / "partnet_mobility" / entry["id"]).articulation.links
        assert set(sample.facts.parts) == {link.name for link in links}
    for entry in index["animated"]["dev"][:3]:
        found = animated.build_sample(
            shared_data / "animated", entry["file"], "dev", licence="x", category="y", rig=entry["rig"]
        )
        assert isinstance(found, MotionSample) and found.facts.group.endswith(entry["rig"])


def test_a_heavy_ornament_does_not_turn_the_rest(tmp_path):
    """A dense knob swings on a sparse plate: it is the plate that stays."""
    from neurok.geometry.mesh import merge

    plate, knob = box(2.0, 2.0, 0.1), cylinder(0.1, 0.5, segments=400)
    mesh = merge([plate, knob])
    on_knob = np.arange(mesh.vertex_count) >= plate.vertex_count
    t = np.linspace(0, 1, 10)
    frames = np.tile(mesh.vertices, (10, 1, 1))
    for i, s in enumerate(t):
        swing = exp_twist(np.array([0, 0, 0, 1.2 * s, 0, 0]))
        frames[i, on_knob] = frames[i, on_knob] @ swing[:3, :3].T
    save(Motion(mesh, t, positions=frames.astype(np.float32)), tmp_path / "plate.glb")
    sample = take(tmp_path)
    last = sample.frame(sample.state_count - 1) - sample.vertices
    rim = np.abs(sample.vertices).max(axis=1) > 0.9
    assert rim.any() and np.linalg.norm(last[rim], axis=1).max() < 0.05
