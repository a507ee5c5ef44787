"""Animation out: bone poses as translation, rotation and scale over time; morph weights over time."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neurok.files.gltf.builder import Document, plain
from neurok.geometry.mesh import Array, Indices
from neurok.geometry.motion import Motion

STILL = 1e-6  # a channel that strays less than this (of the diagonal, radian, or scale) from rest is left out
SHEAR = 1e-5  # what a matrix may lack to be translation, rotation and scale
REST_SHEAR = 1e-3  # the same for the pose before a clip is played, where files have rounded bind matrices


@dataclass(frozen=True)
class Pose:
    """translation [unit], [..., 3]; rotation as quaternion x, y, z, w, [..., 4]; scale [..., 3]."""

    translation: Array
    rotation: Array
    scale: Array

    def entry(self) -> dict[str, list[float]]:
        """As a node's own fields; what is the identity is left out."""
        entry = {}
        for path, neutral in (("translation", [0, 0, 0]), ("rotation", [0, 0, 0, 1]), ("scale", [1, 1, 1])):
            value = getattr(self, path)
            if not np.allclose(value, neutral, rtol=0, atol=1e-12):
                entry[path] = value.tolist()
        return entry


def decompose(matrix: Array, fallback: Array | None = None, *, shear: float = SHEAR) -> Pose | None:
    """Translation, rotation and scale of matrices [..., 4, 4]; None where one of them has shear.

    fallback: the rotation [3, 3] of those that have shrunk to nothing and show none.
    """
    linear = matrix[..., :3, :3]
    scale = np.linalg.norm(linear, axis=-2)
    largest = scale.max(axis=-1)
    lost = scale.min(axis=-1) <= 1e-9 * np.maximum(largest, 1.0)
    turn = linear / np.where(lost[..., None], 1.0, scale)[..., None, :]
    turn = np.where(lost[..., None, None], np.eye(3) if fallback is None else fallback, turn)
    mirrored = np.linalg.det(turn) < 0
    scale = np.where(mirrored[..., None], -scale, scale)
    turn = np.where(mirrored[..., None, None], -turn, turn)
    rotation = quaternion(turn)
    exact = rotation_matrix(rotation) * scale[..., None, :]
    if not np.all(np.isfinite(matrix)) or np.abs(exact - linear).max(initial=0.0) > shear * max(largest.max(), 1.0):
        return None
    unit = np.where(np.abs(scale - 1.0) <= STILL, 1.0, scale)
    return Pose(matrix[..., :3, 3], rotation, unit)


def quaternion(turn: Array) -> Array:
    """Unit quaternion (x, y, z, w) of rotation matrices [..., 3, 3], w >= 0, [..., 4].

    The largest eigenvector of Bar-Itzhack's symmetric matrix: exact for rotations, nearest otherwise.
    """
    r = turn
    matrix = np.empty((*r.shape[:-2], 4, 4))
    trace = r[..., 0, 0] + r[..., 1, 1] + r[..., 2, 2]
    matrix[..., :3, :3] = r + np.swapaxes(r, -1, -2)
    matrix[..., range(3), range(3)] -= trace[..., None]
    axis = np.stack([r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]], axis=-1)
    matrix[..., :3, 3] = matrix[..., 3, :3] = axis
    matrix[..., 3, 3] = trace
    _, vectors = np.linalg.eigh(matrix)
    q = np.clip(vectors[..., -1], -1.0, 1.0)  # rounding may leave a hair more, which validators refuse
    return q * np.where(q[..., 3:] < 0, -1.0, 1.0)


def rotation_matrix(q: Array) -> Array:
    """Rotation matrices [..., 3, 3] of unit quaternions (x, y, z, w), [..., 4]."""
    v, w = q[..., :3], q[..., 3, None, None]
    cross = np.zeros((*q.shape[:-1], 3, 3))
    cross[..., 0, 1], cross[..., 0, 2], cross[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    cross[..., 1, 0], cross[..., 2, 0], cross[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


@dataclass(frozen=True)
class Tracks:
    """Where the bones rest below their parents, and how they move there in each clip."""

    parents: Indices
    rest: tuple[Pose, ...]  # one per bone
    moving: tuple[tuple[Pose, ...], ...]  # per clip, per bone, over time

    def moves(self, clip: int, bone: int, diagonal: float) -> dict[str, bool]:
        """Which of translation, rotation and scale stray from rest."""
        rest, pose = self.rest[bone], self.moving[clip][bone]
        return {
            "translation": bool(np.abs(pose.translation - rest.translation).max() > STILL * diagonal),
            "rotation": bool(np.abs(pose.rotation - rest.rotation).max() > STILL / 2),
            "scale": bool(np.abs(pose.scale - rest.scale).max() > STILL),
        }

    def still(self, diagonal: float) -> frozenset[int]:
        """Bones without relatives that stand at the origin of the world and never leave it; not all bones.

        What no bone moves follows such a one, made up where the rest was read.
        """
        clips = range(len(self.moving))
        above = set(self.parents.tolist())
        found = [
            bone
            for bone, pose in enumerate(self.rest)
            if self.parents[bone] < 0
            and bone not in above
            and not pose.entry()
            and not any(any(self.moves(clip, bone, diagonal).values()) for clip in clips)
        ]
        return frozenset(found if len(found) < len(self.rest) else ())


def bone_tracks(frames: Array, parents: Indices, clips: list[Array]) -> Tracks | None:
    """Local poses of bones: frames [b, 4, 4] at reference, clips of world motions [t, b, 4, 4] relative to it.

    None where a pose is not translation, rotation and scale, or a parent has shrunk to nothing.
    """
    world = [motion @ frames for motion in clips]
    rest, moving = [], [[] for _ in clips]
    for bone, parent in enumerate(parents):
        local = _below(frames[parent] if parent >= 0 else None, frames[bone])
        pose = None if local is None else decompose(local, shear=REST_SHEAR if clips else SHEAR)
        if pose is None:
            return None
        rest.append(pose)
        for clip, poses in zip(world, moving):
            local = _below(clip[:, parent] if parent >= 0 else None, clip[:, bone])
            pose = None if local is None else decompose(local, rotation_matrix(rest[bone].rotation))
            if pose is None:
                return None
            poses.append(replace(pose, rotation=continuous(pose.rotation, rest[bone].rotation)))
    return Tracks(np.asarray(parents), tuple(rest), tuple(map(tuple, moving)))


def _below(parent: Array | None, child: Array) -> Array | None:
    """T_parent_child of two world frames; None where the parent cannot be inverted."""
    if parent is None:
        return child
    if np.abs(np.linalg.det(parent[..., :3, :3])).min() < 1e-12:
        return None
    return np.linalg.inv(parent) @ child


def add_bone_clip(
    document: Document, motion: Motion, nodes: dict[int, int], tracks: Tracks, clip: int, diagonal: float
) -> None:
    """An animation that moves the nodes of bones; what stays at rest has no channel."""
    animation = _Animation(document, motion)
    for bone, node in sorted(nodes.items()):
        pose = tracks.moving[clip][bone]
        for path, moves in tracks.moves(clip, bone, diagonal).items():
            if moves:
                animation.channel(node, path, getattr(pose, path))
    if not animation.channels and nodes:  # a motion at rest still has its times
        bone = min(nodes)
        animation.channel(nodes[bone], "rotation", tracks.moving[clip][bone].rotation)
    animation.close()


def add_morph_clip(document: Document, motion: Motion, nodes: list[int], weights: NDArray) -> None:
    """An animation of morph weights [t, r] on all nodes that have the targets."""
    animation = _Animation(document, motion)
    sampler = animation.sampler(weights.astype("<f4").reshape(-1))
    for node in nodes:
        animation.channels.append({"sampler": sampler, "target": {"node": node, "path": "weights"}})
    animation.close()


def continuous(rotation: Array, start: Array) -> Array:
    """Quaternions [t, 4] with signs such that each is nearest to the one before, the first to start."""
    before = np.concatenate([start[None], rotation[:-1]])
    flips = np.where(np.sum(before * rotation, axis=1) < 0, -1.0, 1.0)
    return rotation * np.cumprod(flips)[:, None]


def key_times(time: Array) -> NDArray:
    """Times [s] as increasing float32 from zero or later, which is what glTF plays, [t]."""
    times = (time - min(float(time[0]), 0.0)).astype("<f4")
    if np.any(np.diff(times) <= 0):  # closer than float32 can tell apart
        for index in range(1, len(times)):
            times[index] = max(times[index], np.nextafter(times[index - 1], np.float32(np.inf)))
    return times


class _Animation:
    """One clip: all its samplers share the times of its frames."""

    def __init__(self, document: Document, motion: Motion) -> None:
        self.document, self.motion = document, motion
        self.samplers: list[dict] = []
        self.channels: list[dict] = []
        self._input: int | None = None

    def sampler(self, values: NDArray) -> int:
        if self._input is None:
            self._input = self.document.accessor(key_times(self.motion.time), bounds=True)
        output = self.document.accessor(np.ascontiguousarray(values, dtype="<f4"))
        self.samplers.append({"input": self._input, "output": output, "interpolation": "LINEAR"})
        return len(self.samplers) - 1

    def channel(self, node: int, path: str, values: Array) -> None:
        self.channels.append({"sampler": self.sampler(values), "target": {"node": node, "path": path}})

    def close(self) -> None:
        if not self.channels:
            return
        entry: dict = {"name": self.motion.name} if self.motion.name else {}
        entry |= {"samplers": self.samplers, "channels": self.channels}
        facts = plain(dict(self.motion.facts))
        if facts:
            entry["extras"] = facts
        self.document.add("animations", entry)
