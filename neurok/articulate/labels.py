"""Labels: what is known of the motion of parts, from an annotation, and from the search where there is none."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from neurok.articulate.parts import Parts, find_moving_joints, read_link_parts
from neurok.articulate.sampling import SampledShape
from neurok.articulate.study import PartStudy
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import face_areas

UNKNOWN, FIXED, TURNS, SLIDES = -1, 0, 1, 2
SAME_PART = 0.5  # of the union: a found part that overlaps a true one by more has its label

# Agreement of a candidate with the annotation: degrees, and shares of the diagonal.
ANGLE, CENTRE, SLACK, FARTHEST = 10.0, 0.015, 0.008, 0.08


@dataclass(frozen=True)
class Labels:
    """Of each part: kind (UNKNOWN, FIXED, TURNS or SLIDES), [p]; endless: whether it turns without limits, [p];
    axis (unit) and point of it, [p, 3]; limits [rad, or diagonals], [p, 2], nan where there are none; parent: the
    part it hangs on, -1 for what stays, [p]; body: a number of what moves as one, 0 for what stays, [p].
    Canonical coordinates."""

    kind: Indices
    endless: NDArray[np.bool_]
    axis: Array
    point: Array
    limits: Array
    parent: Indices
    body: Indices

    def arrays(self) -> dict[str, Array]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def of(self, source: Indices) -> "Labels":
        """The labels of other parts, each that of part `source`, UNKNOWN where that is -1."""
        rows = {name: values[source] for name, values in self.arrays().items()}
        rows["kind"] = np.where(source < 0, UNKNOWN, rows["kind"])
        rows["parent"] = np.full(len(source), -1)
        return Labels(**rows)


def read_labels(articulation: Articulation) -> tuple[Parts, Labels]:
    """The true parts of an object and what its joints say of them."""
    from neurok.articulate.sampling import CanonicalFrame

    parts, above = read_link_parts(articulation)
    frame, moving = CanonicalFrame.of(articulation.mesh), find_moving_joints(articulation)
    count = parts.count
    found = {
        "kind": np.full(count, FIXED), "endless": np.zeros(count, dtype=bool),
        "axis": np.tile([0.0, 0.0, 1.0], (count, 1)),
        "point": np.zeros((count, 3)), "limits": np.full((count, 2), np.nan), "parent": np.full(count, -1),
        "body": above + 1,
    }  # fmt: skip
    for part in np.flatnonzero(above >= 0):
        joint = articulation.joints[above[part]]
        T = articulation.links[joint.parent].T_world_link @ joint.origin
        axis = frame.turn @ (T[:3, :3] @ np.asarray(joint.axis, dtype=np.float64))
        found["kind"][part] = SLIDES if joint.kind == "prismatic" else TURNS
        found["endless"][part] = joint.kind == "continuous"
        found["axis"][part] = axis / np.linalg.norm(axis)
        found["point"][part] = frame.points(T[None, :3, 3])[0]
        if joint.kind != "continuous" and np.isfinite([joint.lower, joint.upper]).all():
            scale = frame.size if joint.kind == "prismatic" else 1.0
            found["limits"][part] = joint.lower / scale, joint.upper / scale
        carrier = moving[joint.parent]
        if carrier >= 0 and (above == carrier).any():
            found["parent"][part] = int(np.flatnonzero(above == carrier)[0])
    return parts, Labels(**found)


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
    source = np.where(overlap.max(axis=0) > SAME_PART, most, -1)
    bodies = np.stack([both[labels.body == b].sum(axis=0) for b in range(labels.body.max() + 1)])
    chosen = labels.of(source)
    body = bodies.argmax(axis=0)
    # A piece of the base is fixed whatever it is a piece of.
    kind = np.where((chosen.kind == UNKNOWN) & (body == 0), FIXED, chosen.kind)
    return Labels(kind, chosen.endless, chosen.axis, chosen.point, chosen.limits, chosen.parent, body)


def find_right_candidates(found: PartStudy, labels: Labels, part: int) -> NDArray[np.bool_]:
    """Which candidates agree with a part's label, [c]; none where it stays or is unknown."""
    kind, axis = labels.kind[part], labels.axis[part]
    if kind not in (TURNS, SLIDES):
        return np.zeros(found.tried.count, dtype=bool)
    angle = np.degrees(np.arccos(np.clip(np.abs(found.tried.axis @ axis), 0.0, 1.0)))
    right = (found.tried.turns == (kind == TURNS)) & (angle < ANGLE)
    if kind == TURNS and right.any():
        arm = found.tried.pivot - labels.point[part]
        distance = np.linalg.norm(arm - (arm @ axis)[:, None] * axis, axis=1)
        right &= (distance < max(distance[right].min() + SLACK, CENTRE)) & (distance < FARTHEST)
    return right


def make_unknown_labels(whole: SampledShape) -> Labels:
    """Of a shape that nobody annotated."""
    count = len(whole.pieces)
    return Labels(
        np.full(count, UNKNOWN), np.zeros(count, dtype=bool), np.tile([0.0, 0.0, 1.0], (count, 1)),
        np.zeros((count, 3)), np.full((count, 2), np.nan), np.full(count, -1), np.zeros(count, dtype=np.int64),
    )  # fmt: skip
