"""Writing animations: bone poses as translation, rotation and scale over time; morph weights over time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neurok.files.gltf.writing.builder import GltfBuilder, JsonObject, to_json_value
from neurok.files.transforms import compose_transforms, compute_local_poses, decompose_transforms, unwind_quaternions
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.motion import Motion
from neurok.geometry.rotation import quaternion_to_matrix

STILL_TOLERANCE = 1e-6  # a channel that strays less than this (of the diagonal, radian, or scale) from rest is left out
SHEAR_TOLERANCE = 1e-5  # what a matrix may lack to be translation, rotation and scale
REST_SHEAR_TOLERANCE = 1e-3  # the same for the pose before a clip is played, where files have rounded bind matrices


@dataclass(frozen=True)
class NodePose:
    """translation [unit], [..., 3]; rotation as quaternion x, y, z, w, [..., 4]; scale [..., 3]."""

    translation: Array
    rotation: Array
    scale: Array

    @property
    def paths(self) -> dict[str, Array]:
        """The three arrays by the names that glTF gives their animation paths."""
        return {"translation": self.translation, "rotation": self.rotation, "scale": self.scale}

    def entry(self) -> JsonObject:
        """The pose as the fields of a node; an identity is left out."""
        neutral = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
        return {
            path: value.tolist()
            for path, value in self.paths.items()
            if not np.allclose(value, neutral[path], rtol=0, atol=1e-12)
        }


def decompose_pose(T: Array, rest: Array | None = None, *, shear: float = SHEAR_TOLERANCE) -> NodePose | None:
    """Translation, rotation and scale of matrices [..., 4, 4]; None where one of them has shear.

    rest: the quaternion [4] of those that have shrunk to nothing and show no rotation.
    """
    if not np.isfinite(T).all():
        return None
    size = np.linalg.norm(T[..., :3, :3], axis=-2)
    bound = np.maximum(size.max(axis=-1), 1.0)
    lost = size.min(axis=-1) <= 1e-9 * bound
    shown = T.copy()
    shown[lost, :3, :3] = np.eye(3) if rest is None else quaternion_to_matrix(np.roll(rest, 1))
    parts = decompose_transforms(shown, shear=1.0)  # what is lacking is measured below, on the scale of the whole
    if parts is None:
        return None
    t, q, s = parts
    s = np.where(lost[..., None], size, s)
    if np.abs(compose_transforms(t, q, s) - T).max(initial=0.0) > shear * bound.max():
        return None
    # Rounding may leave a hair more than one, which validators refuse.
    return NodePose(
        t, np.clip(np.roll(q, -1, axis=-1), -1.0, 1.0), np.where(np.abs(s - 1.0) <= STILL_TOLERANCE, 1.0, s)
    )


@dataclass(frozen=True)
class BoneTracks:
    """Where the bones rest below their parents, and how they move there in each clip."""

    parents: Indices
    rest: tuple[NodePose, ...]  # one per bone
    moving: tuple[tuple[NodePose, ...], ...]  # per clip, per bone, over time

    def moves(self, clip: int, bone: int, diagonal: float) -> dict[str, bool]:
        """Which of translation, rotation and scale stray from rest."""
        rest, pose = self.rest[bone], self.moving[clip][bone]
        return {
            "translation": bool(np.abs(pose.translation - rest.translation).max() > STILL_TOLERANCE * diagonal),
            "rotation": bool(np.abs(pose.rotation - rest.rotation).max() > STILL_TOLERANCE / 2),
            "scale": bool(np.abs(pose.scale - rest.scale).max() > STILL_TOLERANCE),
        }

    def still(self, diagonal: float) -> frozenset[int]:
        """Bones without parent or children that stand at the origin of the world and never move; empty if all bones do.

        A reader makes such a bone up for vertices that nothing moves.
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


def compute_bone_tracks(frames: Array, parents: Indices, clips: Sequence[Array]) -> BoneTracks | None:
    """Local poses of bones: frames [b, 4, 4] at reference, clips of world motions [t, b, 4, 4] relative to it.

    None where a pose is not translation, rotation and scale, or a parent has shrunk to nothing.
    """
    parents = np.asarray(parents)
    still = compute_local_poses(frames, parents)
    moving = [local for motion in clips if (local := compute_local_poses(motion @ frames, parents)) is not None]
    if still is None or len(moving) < len(clips):
        return None
    rest: list[NodePose] = []
    moved: list[list[NodePose]] = [[] for _ in clips]
    for bone, T in enumerate(still):
        start = decompose_pose(T, shear=REST_SHEAR_TOLERANCE if clips else SHEAR_TOLERANCE)
        if start is None:
            return None
        rest.append(start)
        for clip, poses in zip(moving, moved):
            track = decompose_pose(clip[:, bone], start.rotation)
            if track is None:
                return None
            rotation = unwind_quaternions(np.concatenate([start.rotation[None], track.rotation]))[1:]
            poses.append(replace(track, rotation=rotation))
    return BoneTracks(parents, tuple(rest), tuple(map(tuple, moved)))


def add_bone_clip(
    builder: GltfBuilder, motion: Motion, nodes: dict[int, int], tracks: BoneTracks, clip: int, diagonal: float
) -> None:
    """An animation that moves the nodes of bones; what stays at rest has no channel."""
    animation = _Animation(builder, motion)
    for bone, node in sorted(nodes.items()):
        pose = tracks.moving[clip][bone]
        for path, moves in tracks.moves(clip, bone, diagonal).items():
            if moves:
                animation.channel(node, path, pose.paths[path])
    if not animation.channels and nodes:  # a motion at rest still has its times
        bone = min(nodes)
        animation.channel(nodes[bone], "rotation", tracks.moving[clip][bone].rotation)
    animation.close()


def add_morph_clip(builder: GltfBuilder, motion: Motion, nodes: list[int], weights: NDArray) -> None:
    """An animation of morph weights [t, r] on all nodes that have the targets."""
    animation = _Animation(builder, motion)
    sampler = animation.sampler(weights.astype("<f4").reshape(-1))
    for node in nodes:
        animation.channels.append({"sampler": sampler, "target": {"node": node, "path": "weights"}})
    animation.close()


def make_key_times(time: Array) -> NDArray:
    """Times [s] as increasing float32 from zero or later, which is what glTF plays, [t]."""
    times = (time - min(float(time[0]), 0.0)).astype("<f4")
    if np.any(np.diff(times) <= 0):  # closer than float32 can tell apart
        for index in range(1, len(times)):
            times[index] = max(times[index], np.nextafter(times[index - 1], np.float32(np.inf)))
    return times


class _Animation:
    """One clip: all its samplers share the times of its frames."""

    def __init__(self, builder: GltfBuilder, motion: Motion) -> None:
        self.builder, self.motion = builder, motion
        self.samplers: list[JsonObject] = []
        self.channels: list[JsonObject] = []
        self._input: int | None = None

    def sampler(self, values: NDArray) -> int:
        if self._input is None:
            self._input = self.builder.accessor(make_key_times(self.motion.time), bounds=True)
        output = self.builder.accessor(np.ascontiguousarray(values, dtype="<f4"))
        self.samplers.append({"input": self._input, "output": output, "interpolation": "LINEAR"})
        return len(self.samplers) - 1

    def channel(self, node: int, path: str, values: Array) -> None:
        self.channels.append({"sampler": self.sampler(values), "target": {"node": node, "path": path}})

    def close(self) -> None:
        if not self.channels:
            return
        entry: JsonObject = {"name": self.motion.name} if self.motion.name else {}
        entry |= {"samplers": self.samplers, "channels": self.channels}
        facts = to_json_value(dict(self.motion.facts))
        if facts:
            entry["extras"] = facts
        self.builder.add("animations", entry)
