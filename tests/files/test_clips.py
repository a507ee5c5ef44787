"""Clips and share pages: what is written plays back to the same motion, and is small."""

import base64
import gzip
import re

import numpy as np
import pytest

import neurok
from neurok.assets.laptop import laptop
from neurok.errors import OutputError
from neurok.files.clips import MAX_POSITION_TOLERANCE, POSITION_TOLERANCE, Clip, encode_clip
from neurok.files.html import build_page
from neurok.files.packets import unpack
from neurok.files.stage import Stage
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion


def sheet(side: int) -> Mesh:
    """A square sheet of side x side vertices, y up."""
    x, z = np.meshgrid(np.linspace(0, 2, side), np.linspace(0, 1, side), indexing="ij")
    vertices = np.stack([x, np.full_like(x, 5.0), z], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(side - 1), np.arange(side - 1), indexing="ij")
    a = (i * side + j).reshape(-1)
    return Mesh(
        vertices, np.concatenate([np.stack([a, a + 1, a + side], 1), np.stack([a + 1, a + side + 1, a + side], 1)])
    )


def waving(side: int, count: int, *, modes: int = 3, rough: float = 0.0) -> Motion:
    """A sheet whose waves travel; `modes` of them, and noise of a size that nothing compresses."""
    mesh, time = sheet(side), np.arange(count) / 30
    generator = np.random.default_rng(0)
    x, z = mesh.vertices[:, 0], mesh.vertices[:, 2]
    frames = np.repeat(mesh.vertices[None], count, axis=0)
    for mode in range(1, modes + 1):
        phase = 2 * mode * x[None] + 1.3 * mode * z[None] - 5 * time[:, None] + mode
        frames[:, :, 1] += 0.15 / mode * (np.sin(phase) - np.sin(phase[:1]))
        frames[:, :, 0] += 0.05 / mode * (np.cos(phase) - np.cos(phase[:1]))
    if rough:
        frames[1:] += generator.normal(size=frames[1:].shape) * rough
    return Motion(mesh, time, positions=frames.astype(np.float32))


def decoded(one: Clip, rest: np.ndarray) -> np.ndarray:
    """All frames on the stage, [t, n, 3]: the plain twin of the page's clip.ts."""
    if one.coding == "bones":
        shares = one.shares.reshape(len(rest), one.width) / 65535
        bones = one.bones.reshape(one.count, -1, 3, 4).astype(np.float64)
        joints = one.joints.reshape(len(rest), one.width)
        homogeneous = np.concatenate([rest, np.ones((len(rest), 1))], axis=1)
        return np.einsum("nw,tnwab,nb->tna", shares, bones[:, joints], homogeneous)
    low, middle, high = one.numbers.astype(np.int64).reshape(3, -1)
    folded = low | middle << 8 | high << 16
    whole = np.where(folded & 1, -(folded + 1) // 2, folded // 2).reshape(-1, len(rest), 3)
    if one.coding == "morphs":
        return rest + np.tensordot(one.weights.reshape(one.count, -1), whole * one.step, axes=1)
    for frame in range(1, one.count):
        before = whole[frame - 1]
        whole[frame] += before if frame == 1 else 2 * before - whole[frame - 2]
    return whole * one.step


@pytest.mark.parametrize(("motion", "coding"), [
    (waving(12, 20), "morphs"),
    (waving(12, 20, rough=0.02), "steps"),
    (Motion(sheet(3), np.zeros(1), positions=sheet(3).vertices[None]), None),
])  # fmt: skip
def test_every_coding_keeps_its_tolerance(motion, coding):
    stage = Stage.of(motion.mesh)
    found = encode_clip(motion, stage)
    assert coding in (None, found.coding)
    expected = stage.points(motion.frames)
    error = np.linalg.norm(decoded(found, stage.points(motion.mesh.vertices)) - expected, axis=2).max()
    assert error <= POSITION_TOLERANCE + 1e-6
    assert found.error == pytest.approx(error, abs=1e-6)


def test_a_skin_is_sent_as_its_bones():
    trajectory = neurok.animate(neurok.kinematics(laptop()), neurok.Conditions(seconds=1.0))
    motion = trajectory.motion()
    stage = Stage.of(motion.mesh)
    found = encode_clip(motion, stage)
    assert found.coding == "bones" and found.count == motion.frame_count == 31
    np.testing.assert_allclose(
        decoded(found, stage.points(motion.mesh.vertices)), stage.points(motion.frames), atol=2e-5
    )
    np.testing.assert_allclose(found.kinetic, trajectory.kinetic, rtol=1e-6)
    assert found.status == trajectory.status


def share_of(text: str) -> dict:
    (data,) = re.findall(r'<script id="data"[^>]*>([^<]*)</script>', text)
    return unpack(gzip.decompress(base64.b64decode(data)))


def test_a_share_page_stands_alone():
    motion = waving(10, 12)
    text = build_page(motion, "a </script><b> name")
    assert text.count("<script") == 2 and "<b> name" not in text
    loads = re.findall(r"""(?:src|href)\s*=\s*["'](?!data:)[^"']+""", text.split("<script")[0])
    assert not loads, "it asks for other files"
    assert "Permission is hereby granted" in text, "three's licence goes along"
    share = share_of(text)
    assert share["title"] == "a </script><b> name" and share["clip"]["count"] == 12
    assert build_page(motion, "same") == build_page(motion, "same")


@pytest.mark.slow
@pytest.mark.parametrize("rough", [0.0, 1e-3])
def test_twenty_thousand_vertices_and_ninety_frames_are_below_five_megabytes(rough):
    motion = waving(142, 90, modes=8, rough=rough)
    assert motion.mesh.vertex_count > 20_000
    text = build_page(motion, "sheet")
    assert len(text.encode()) < 5_000_000
    assert share_of(text)["clip"]["error"] <= MAX_POSITION_TOLERANCE * 1.01


def test_a_motion_without_faces_cannot_be_a_page(tmp_path):
    points = Mesh(np.eye(3), np.zeros((0, 3), dtype=int))
    motion = Motion(points, np.array([0.0, 1.0]), positions=np.stack([np.eye(3)] * 2))
    with pytest.raises(OutputError, match="no faces"):
        neurok.save(motion, tmp_path / "points.html")
