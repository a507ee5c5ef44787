"""MotionSample: the stored states of one object: a rest pose, rigid parts as transforms, other vertices as offsets."""

import io
import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion

DISPLACEMENT_STEP_COUNT = 32767  # the largest displacement of a sample, in steps of 16-bit integers
ARRAY_NAMES = ("vertices", "faces", "link", "transforms", "moved", "displacements")


@dataclass(frozen=True)
class Facts:
    """The description of a sample; training never needs it.

    name: unique in a store, e.g. 'partnet/8893'. group: the object or rig that decides the split.
    parts: names of the links; joints: as plain dictionaries, where known. notes: what was dropped, and why.
    """

    name: str
    source: str
    licence: str
    category: str
    group: str
    split: str = "train"
    up: str = "z"
    parts: tuple[str, ...] = ()
    joints: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MotionSample:
    """States of one object with fixed topology.

    vertices: rest pose [file units], [n, 3] float32. faces: [m, 3] int32.
    link: the rigid part each vertex belongs to, [n] int32, -1 where it belongs to none.
    transforms: of each part at each state, relative to rest, [t, L, 3, 4] float32.
    moved, displacements: the vertices that belong to no part, [s], and their displacements from rest at each state,
        [t, s, 3] int16 in units of `step`; the error of a stored coordinate is at most step / 2.
    """

    facts: Facts
    vertices: NDArray[np.float32]
    faces: NDArray[np.int32]
    link: NDArray[np.int32]
    transforms: NDArray[np.float32]
    moved: NDArray[np.int32]
    displacements: NDArray[np.int16]
    step: float = field(default=0.0)

    @property
    def state_count(self) -> int:
        return len(self.transforms)

    @property
    def diagonal(self) -> float:
        return float(np.linalg.norm(np.ptp(self.vertices, axis=0)))

    def frame(self, index: int) -> NDArray[np.float64]:
        """Vertices at one state [file units], [n, 3]."""
        result = self.vertices.astype(np.float64)
        T = self.transforms[index].astype(np.float64)
        for part in range(len(T)):
            mine = self.link == part
            result[mine] = result[mine] @ T[part, :, :3].T + T[part, :, 3]
        result[self.moved] += self.step * self.displacements[index]
        return result

    def mesh(self) -> Mesh:
        """The rest pose as a plain mesh."""
        return Mesh(self.vertices, self.faces, up=self.facts.up)

    def motion(self, fps: float = 4.0) -> Motion:
        """The states one after another as a motion, for display."""
        frames = np.stack([self.frame(i) for i in range(self.state_count)]).astype(np.float32)
        return Motion(self.mesh(), np.arange(self.state_count) / fps, positions=frames, name=self.facts.name)


def sample_from_motion(facts: Facts, motion: Motion) -> MotionSample:
    """The sample of a motion: vertices that follow one rigid bone keep its transforms, all others displacements."""
    mesh = motion.mesh
    vertices = mesh.vertices.astype(np.float32)
    link = np.full(mesh.vertex_count, -1, dtype=np.int32)
    transforms = np.zeros((motion.frame_count, 0, 3, 4), dtype=np.float32)
    if motion.skin is not None and _is_rigid(motion.skinning[1]):
        skin, bones = motion.skinning
        alone = skin.weights.max(axis=1) > 1.0 - 1e-6
        link = np.where(alone, skin.leader, -1).astype(np.int32)
        transforms = bones[:, :, :3, :].astype(np.float32)
    moved = np.flatnonzero(link < 0).astype(np.int32)
    apart = np.zeros((motion.frame_count, len(moved), 3))
    if len(moved):
        for i in range(motion.frame_count):
            apart[i] = motion.frame(i)[moved] - vertices[moved]
    step = float(np.abs(apart).max(initial=0.0)) / DISPLACEMENT_STEP_COUNT
    rounded = np.round(apart / step).astype(np.int16) if step > 0 else np.zeros(apart.shape, dtype=np.int16)
    return MotionSample(facts, vertices, mesh.faces.astype(np.int32), link, transforms, moved, rounded, step)


def _is_rigid(transforms: Array) -> bool:
    """Whether all bones only rotate and translate (imported ones may scale)."""
    R = transforms[..., :3, :3]
    return bool(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0) < 1e-5)


def encode_sample(sample: MotionSample) -> dict[str, bytes]:
    """The files of a sample by suffix: `json` for its facts, one `npy` per array; the same bytes every time."""
    facts = {key: value for key, value in vars(sample.facts).items()}
    facts |= {"step": sample.step, "error": sample.step / 2, "states": sample.state_count}
    files = {"json": json.dumps(facts, sort_keys=True, indent=1).encode()}
    for name in ARRAY_NAMES:
        stream = io.BytesIO()
        np.lib.format.write_array(stream, np.ascontiguousarray(getattr(sample, name)), version=(1, 0))
        files[f"{name}.npy"] = stream.getvalue()
    return files


def decode_sample(files: dict[str, bytes]) -> MotionSample:
    """The sample that `encode_sample` encoded; damaged bytes are an InputError."""
    try:
        plain: dict[str, Any] = json.loads(files["json"])
        step = float(plain.pop("step"))
        plain.pop("error"), plain.pop("states")
        lists: dict[str, Any] = {key: tuple(value) for key, value in plain.items() if isinstance(value, list)}
        facts = Facts(**{**plain, **lists})
        arrays = {name: np.load(io.BytesIO(files[f"{name}.npy"]), allow_pickle=False) for name in ARRAY_NAMES}
    except (KeyError, ValueError, TypeError, EOFError, OSError) as fault:
        raise InputError(f"a sample of the store is damaged ({fault})", "build the store again") from None
    return MotionSample(facts=facts, step=step, **arrays)
