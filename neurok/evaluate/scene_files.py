"""Scenes judged from their files: what an MJCF file does in plain MuJoCo, and what a recording shows of a joint.

Nothing here knows how a scene was made: things are told by their names before the slash, boxes come from the colliders'
corners, and what stands on what from contacts.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from neurok.articulate.check.loading import load_model
from neurok.files.registry import load
from neurok.geometry.arrays import Array

SECONDS = 2.0  # in which nothing should move
TOUCH = 2e-3  # [m] between colliders that touch
SIDE_SLACK = 0.02  # [m] by which boxes side by side may overlap


@dataclass(frozen=True)
class SceneModel:
    """A scene as MuJoCo loads it from its file, and its state."""

    model: Any
    data: Any

    @cached_property
    def owners(self) -> list[str]:
        """The thing that each geom belongs to."""
        return [str(self.model.body(int(body)).name).split("/")[0] for body in self.model.geom_bodyid]

    @cached_property
    def names(self) -> list[str]:
        return list(dict.fromkeys(self.owners))

    def list_geoms(self, name: str) -> list[int]:
        """The colliders of a thing."""
        return [g for g, owner in enumerate(self.owners) if owner == name and self.model.geom_contype[g]]

    def find_points(self, name: str) -> Array:
        """Corners of a thing's colliders [m], [n, 3]."""
        found = []
        for geom in self.list_geoms(name):
            mesh = int(self.model.geom_dataid[geom])
            start, count = int(self.model.mesh_vertadr[mesh]), int(self.model.mesh_vertnum[mesh])
            R = np.array(self.data.geom_xmat[geom]).reshape(3, 3)
            found.append(np.array(self.model.mesh_vert[start : start + count]) @ R.T + self.data.geom_xpos[geom])
        return np.concatenate(found)

    def find_box(self, name: str) -> Array:
        points = self.find_points(name)
        return np.stack([points.min(axis=0), points.max(axis=0)])

    def find_distance(self, a: str, b: str, within: float = 0.05) -> float:
        """The least distance [m] of two things' colliders, negative by their depth; `within` where they are farther."""
        import mujoco

        best = within
        for one in self.list_geoms(a):
            for other in self.list_geoms(b):
                apart = float(np.linalg.norm(self.data.geom_xpos[one] - self.data.geom_xpos[other]))
                if apart < self.model.geom_rbound[one] + self.model.geom_rbound[other] + within:
                    best = min(best, float(mujoco.mj_geomDistance(self.model, self.data, one, other, within, None)))
        return best


def open_scene(path: Path) -> SceneModel:
    """The scene of an MJCF file, at the pose of the file."""
    import mujoco

    model = load_model(path)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return SceneModel(model, data)


def measure_rest(path: Path) -> tuple[float, float]:
    """The farthest that a corner of a collider moves in SECONDS [m], and the deepest that two things lie in each other,
    before or after, over the smaller one's diagonal."""
    import mujoco

    scene = open_scene(path)
    before = {name: scene.find_points(name) for name in scene.names}
    depth = _measure_depth(scene)
    for _ in range(round(SECONDS / scene.model.opt.timestep)):
        mujoco.mj_step(scene.model, scene.data)
    drift = max(float(np.linalg.norm(scene.find_points(name) - old, axis=1).max()) for name, old in before.items())
    return drift, max(depth, _measure_depth(scene))


def _measure_depth(scene: SceneModel) -> float:
    worst = 0.0
    boxes = {name: scene.find_box(name) for name in scene.names}
    for i, a in enumerate(scene.names):
        for b in scene.names[:i]:
            if np.all(boxes[a][0] < boxes[b][1]) and np.all(boxes[b][0] < boxes[a][1]):
                size = min(float(np.linalg.norm(np.ptp(boxes[name], axis=0))) for name in (a, b))
                worst = max(worst, -scene.find_distance(a, b) / size)
    return worst


def meets_relation(scene: SceneModel, subject: str, word: str, other: str) -> bool:
    """Whether a relation holds in a file."""
    a, b = scene.find_box(subject), scene.find_box(other)
    middle = a.mean(axis=0)
    over = bool(np.all((middle[:2] > b[0, :2]) & (middle[:2] < b[1, :2])))
    if word == "on":
        return over and a[0, 2] > b[0, 2] and scene.find_distance(subject, other) < TOUCH
    if word == "in":
        return over and b[0, 2] < middle[2] < b[1, 2] and scene.find_distance(subject, other) < TOUCH
    if word == "below":
        return over and a[1, 2] < b[1, 2]
    if word == "hanging from":
        return over and a[0, 2] > 0.0 and scene.find_distance(subject, other) < 0.05
    if word == "facing":
        root = next(i for i in range(scene.model.nbody) if str(scene.model.body(i).name).startswith(f"{subject}/"))
        front, there = -np.array(scene.data.xmat[root]).reshape(3, 3)[:2, 1], (b.mean(axis=0) - middle)[:2]
        return bool(front @ there > 0.7 * np.linalg.norm(front) * np.linalg.norm(there))
    axis, sign = {"left of": (0, -1), "right of": (0, 1), "behind": (1, 1), "in front of": (1, -1)}.get(word, (0, 0))
    if word == "beside":
        return bool(a[1, 0] <= b[0, 0] + SIDE_SLACK or a[0, 0] >= b[1, 0] - SIDE_SLACK)
    gap = a[0, axis] - b[1, axis] if sign > 0 else b[0, axis] - a[1, axis]
    return bool(gap >= -SIDE_SLACK)


def measure_joint_way(recording: Path, scene: Path, joint: str, goal: float) -> float:
    """How much of the way to a value a joint goes in a recording, from its first frame to its last.

    Where it begins is what the MJCF file says; how far it goes is read from the poses of the body and what carries it.
    """
    model = load_model(scene)
    found = model.joint(joint)
    body = model.body(int(model.jnt_bodyid[found.id]))
    above = model.body(int(model.body_parentid[body.id]))
    motion = load(recording).motions[0]
    skin, transforms = motion.skinning
    still = np.tile(np.eye(4), (motion.frame_count, 1, 1))  # what never moves is one bone for our reader
    own, carrier = (
        transforms[:, skin.names.index(name)] if name in skin.names else still for name in (body.name, above.name)
    )
    start, end = (np.linalg.inv(carrier[k]) @ own[k] for k in (0, -1))
    way = np.linalg.inv(start) @ end
    begin = float(model.qpos0[int(model.jnt_qposadr[found.id])])
    if int(model.jnt_type[found.id]) == 2:
        went = float(np.linalg.norm(way[:3, 3]))
    else:
        went = float(np.arccos(np.clip((np.trace(way[:3, :3]) - 1.0) / 2.0, -1.0, 1.0)))
    return went / max(abs(goal - begin), 1e-9)
