"""Blender opens one file of every kind we write and draws what we meant.

Its evaluated vertices at five times must agree with ours to 1e-3 of the
diagonal. Importers may reorder and split vertices, so a vertex is known by its
whole path: the five positions together. Every path of ours must be found in
Blender, and every path of Blender's among ours.
"""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

import neurok
from neurok.assets.laptop import HINGE, METAL, laptop
from neurok.assets.shapes import block
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.motion import Motion, Skin, rigid_skin

pytestmark = pytest.mark.blender

FPS = 24
TIME = np.arange(0, 25) / FPS
FRAMES = (0, 5, 11, 17, 24)
TOLERANCE = 1e-3  # of the diagonal


def _turn(axis: np.ndarray, pivot: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Rotations about an axis through a pivot, [t, 4, 4]."""
    T = np.tile(np.eye(4), (len(angles), 1, 1))
    T[:, :3, :3] = Rotation.from_rotvec(angles[:, None] * axis).as_matrix()
    T[:, :3, 3] = pivot - T[:, :3, :3] @ pivot
    return T


def _still() -> Mesh:
    return laptop().mesh


def _nodes() -> Motion:
    """The laptop's lid swings open while the base wanders: two moving nodes, one below the other."""
    machine = laptop()
    frames = np.stack([link.T_world_link for link in machine.links])
    skin = rigid_skin(machine.vertex_link, ("base", "lid"), np.array([-1, 0]), frames)
    base = _turn(np.array([0.0, 0.0, 1.0]), np.zeros(3), 0.8 * TIME)
    base[:, 0, 3] += 0.1 * TIME**2
    lid = base @ _turn(np.array([-1.0, 0.0, 0.0]), HINGE, 2.0 * TIME**2)
    return Motion(machine.mesh, TIME, skin=skin, transforms=np.stack([base, lid], axis=1), name="swing")


def _plate() -> Mesh:
    """A row of thin slices that bends as one plate."""
    slices = []
    for x in np.linspace(-0.15, 0.15, 31):
        mesh = block("slice", (0.01, 0.1, 0.02), METAL)
        slices.append(replace(mesh, vertices=mesh.vertices + (x, 0.0, 0.0)))
    whole = merge(slices)
    zero = np.zeros(whole.face_count, dtype=int)
    return replace(whole, parts=whole.parts[:1], face_part=zero, materials=(METAL,), face_material=zero)


def _skin() -> Motion:
    """A plate bent by two bones with smoothly blended weights."""
    mesh = _plate()
    share = np.clip(0.5 + mesh.vertices[:, 0] / 0.2, 0.0, 1.0)
    frames = np.tile(np.eye(4), (2, 1, 1))
    frames[1, :3, 3] = (0.05, 0.0, 0.01)
    joints = np.tile([0, 1], (mesh.vertex_count, 1))
    skin = Skin(joints, np.stack([1 - share, share], axis=1), ("root", "tip"), np.array([-1, 0]), frames)
    root = _turn(np.array([0.0, 0.0, 1.0]), np.zeros(3), 0.3 * TIME)
    tip = root @ _turn(np.array([0.0, 1.0, 0.0]), frames[1, :3, 3], np.sin(3 * TIME))
    return Motion(mesh, TIME, skin=skin, transforms=np.stack([root, tip], axis=1), name="bend")


def _points() -> Motion:
    """A wave runs through the plate: nothing but positions."""
    mesh = _plate()
    frames = np.repeat(mesh.vertices[None], len(TIME), axis=0).copy()
    frames[..., 2] += 0.03 * np.sin(20 * mesh.vertices[:, 0] - 5 * TIME[:, None]) - 0.03 * np.sin(
        20 * mesh.vertices[:, 0]
    )
    return Motion(mesh, TIME, positions=frames, name="wave")


KINDS = {"static": _still, "nodes": _nodes, "skin": _skin, "points": _points}


def _standing(thing: Mesh | Motion, up: str) -> Mesh | Motion:
    """The same object with its axes renamed, so that y is up: (x, y, z) -> (x, z, -y)."""
    if up == "z":
        return thing
    A = np.eye(4)[[0, 2, 1, 3]] * np.array([1, 1, -1, 1])[:, None]

    def turned(mesh: Mesh) -> Mesh:
        attributes = {k: v @ A[:3, :3].T if k == "normal" else v for k, v in mesh.attributes.items()}
        return replace(mesh, vertices=mesh.vertices @ A[:3, :3].T, attributes=attributes, up="y")

    if isinstance(thing, Mesh):
        return turned(thing)
    if thing.positions is not None:
        return replace(thing, mesh=turned(thing.mesh), positions=thing.positions @ A[:3, :3].T)
    skin = replace(thing.skin, frames=A @ thing.skin.frames @ A.T)
    return replace(thing, mesh=turned(thing.mesh), skin=skin, transforms=A @ thing.transforms @ A.T)


def _ours(thing: Mesh | Motion) -> np.ndarray:
    """Our vertices at the five times in axes with z up, [5, n, 3]."""
    frames = [thing.vertices if isinstance(thing, Mesh) else thing.frame(i) for i in FRAMES]
    mesh = thing if isinstance(thing, Mesh) else thing.mesh
    positions = np.stack(frames)[:, np.unique(mesh.faces)]
    return positions if mesh.up == "z" else positions[..., [0, 2, 1]] * (1, -1, 1)


def _farthest(a: np.ndarray, b: np.ndarray) -> float:
    """The largest distance from a path in a to the nearest path in b; paths [5, n, 3]."""

    def flat(x: np.ndarray) -> np.ndarray:
        return x.transpose(1, 0, 2).reshape(x.shape[1], -1)

    return float(cKDTree(flat(b)).query(flat(a))[0].max())


@pytest.mark.parametrize("up", ["z", "y"])
@pytest.mark.parametrize("suffix", [".glb", ".usdc"])
@pytest.mark.parametrize("kind", KINDS)
def test_blender_draws_what_we_wrote(blender, tmp_path, kind, suffix, up):
    thing = _standing(KINDS[kind](), up)
    path, out = tmp_path / f"{kind}{suffix}", tmp_path / "drawn.npz"
    neurok.save(thing, path)
    frames = [str(f) for f in _blender_frames(path)]
    script = Path(__file__).with_name("evaluate.py")
    done = subprocess.run([blender, script, path, out, str(FPS), *frames], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    ours, theirs = _ours(thing), np.load(out)["vertices"]
    diagonal = np.linalg.norm(np.ptp(ours[0], axis=0))
    if kind != "static":
        assert np.abs(theirs[-1] - theirs[0]).max() > 0.1 * diagonal, "nothing moves in Blender"
    assert _farthest(ours, theirs) < TOLERANCE * diagonal
    assert _farthest(theirs, ours) < TOLERANCE * diagonal


def _blender_frames(path: Path) -> list[float]:
    """Blender's frame for each of the five times: glTF keeps seconds, USD has a rate of its own."""
    if path.suffix == ".glb":
        return [TIME[i] * FPS for i in FRAMES]
    from pxr import Usd

    stage = Usd.Stage.Open(str(path))
    return [TIME[i] * stage.GetTimeCodesPerSecond() for i in FRAMES]
