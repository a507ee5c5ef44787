"""Labels: what is known of the motion of parts, from an annotation, and from the search where there is none."""

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from neurok.articulate.parts import read_link_parts
from neurok.articulate.study import PartStudy
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.articulation import Articulation
from neurok.geometry.links import find_moving_joints
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts
from neurok.geometry.triangles import face_areas
from neurok.proposals.candidates import SAME_ANGLE
from neurok.proposals.sampling import NEAR_DISTANCE, TOUCH_DISTANCE, CanonicalFrame


class MotionType(IntEnum):
    """The type of a part's motion, as stores and the network number it."""

    UNKNOWN = -1
    FIXED = 0
    TURNS = 1
    SLIDES = 2


@dataclass(frozen=True)
class Labels:
    """Of each part: kind (UNKNOWN, FIXED, TURNS or SLIDES), [p]; endless: whether it turns without limits, [p];
    axis (unit) and point of it, [p, 3]; limits [rad, or diagonals], [p, 2], nan where there are none; parent: the
    part it hangs on, -1 for what stays, [p]; body: a number of what moves as one, 0 for what stays, [p].
    Canonical coordinates."""

    kind: Indices
    endless: Mask
    axis: Array
    point: Array
    limits: Array
    parent: Indices
    body: Indices

    def take(self, source: Indices) -> "Labels":
        """The labels of other parts, each that of part `source`, UNKNOWN where that is -1, [q]; none has a parent."""
        return Labels(
            np.where(source < 0, MotionType.UNKNOWN, self.kind[source]), self.endless[source], self.axis[source],
            self.point[source], self.limits[source], np.full(len(source), -1), self.body[source],
        )  # fmt: skip


def read_labels(articulation: Articulation) -> tuple[Parts, Labels]:
    """The true parts of an object and what its joints say of them."""
    parts, above = read_link_parts(articulation)
    frame, moving = CanonicalFrame.of(articulation.mesh), find_moving_joints(articulation)
    count = parts.count
    labels = Labels(
        kind=np.full(count, MotionType.FIXED), endless=np.zeros(count, dtype=bool),
        axis=np.tile([0.0, 0.0, 1.0], (count, 1)), point=np.zeros((count, 3)), limits=np.full((count, 2), np.nan),
        parent=np.full(count, -1), body=above + 1,
    )  # fmt: skip
    for part in np.flatnonzero(above >= 0):
        joint = articulation.joints[above[part]]
        T = articulation.links[joint.parent].T_world_link @ joint.origin
        axis = frame.turn @ (T[:3, :3] @ np.asarray(joint.axis, dtype=np.float64))
        labels.kind[part] = MotionType.SLIDES if joint.kind == "prismatic" else MotionType.TURNS
        labels.endless[part] = joint.kind == "continuous"
        labels.axis[part] = axis / np.linalg.norm(axis)
        labels.point[part] = frame.points(T[None, :3, 3])[0]
        if joint.kind != "continuous" and np.isfinite([joint.lower, joint.upper]).all():
            scale = frame.size if joint.kind == "prismatic" else 1.0
            labels.limits[part] = joint.lower / scale, joint.upper / scale
        carrier = moving[joint.parent]
        if carrier >= 0 and (above == carrier).any():
            labels.parent[part] = int(np.flatnonzero(above == carrier)[0])
    return parts, labels


def match_labels(mesh: Mesh, true: Parts, labels: Labels, found: Parts) -> Labels:
    """The labels of parts that geometry found: those of the true part that each nearly is, else UNKNOWN.

    `body` is known of all: that of most of a part's area.
    """
    areas = face_areas(mesh.vertices, mesh.faces)
    both = np.bincount(true.face * found.count + found.face, areas, true.count * found.count)
    both = both.reshape(true.count, found.count)
    union = both.sum(axis=1, keepdims=True) + both.sum(axis=0, keepdims=True) - both
    overlap = both / np.maximum(union, 1e-300)
    most = overlap.argmax(axis=0)
    source = np.where(overlap.max(axis=0) > 0.5, most, -1)  # more than half of the union: no two can
    bodies = np.stack([both[labels.body == b].sum(axis=0) for b in range(labels.body.max() + 1)])
    chosen = labels.take(source)
    body = bodies.argmax(axis=0)
    # A piece of the base is fixed whatever it is a piece of.
    kind = np.where((chosen.kind == MotionType.UNKNOWN) & (body == 0), MotionType.FIXED, chosen.kind)
    return replace(chosen, kind=kind, body=body)


def find_right_candidates(found: PartStudy, labels: Labels, part: int) -> Mask:
    """Which candidates agree with a part's label, [c]; none where it is fixed or unknown.

    Of the turns about nearly the true axis, those are right whose line lies hardly farther off than the nearest's.
    """
    kind, axis = labels.kind[part], labels.axis[part]
    if kind not in (MotionType.TURNS, MotionType.SLIDES):
        return np.zeros(found.tried.count, dtype=bool)
    angle = np.degrees(np.arccos(np.clip(np.abs(found.tried.axis @ axis), 0.0, 1.0)))
    right = (found.tried.turns == (kind == MotionType.TURNS)) & (angle < SAME_ANGLE)
    if kind == MotionType.TURNS and right.any():
        arm = found.tried.pivot - labels.point[part]
        distance = np.linalg.norm(arm - (arm @ axis)[:, None] * axis, axis=1)
        right &= distance < min(distance[right].min() + TOUCH_DISTANCE, NEAR_DISTANCE)
    return right
