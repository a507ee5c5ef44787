"""What the annotation of an object says about each of its given parts: type, axis, centre, range, parent."""

from dataclasses import dataclass

import numpy as np

from neurok.articulate.parts import Parts, link_parts
from neurok.geometry.articulation import Articulation, Joint
from neurok.geometry.mesh import Array

TYPES = ("fixed", "revolute", "prismatic")


@dataclass(frozen=True)
class Truth:
    """One part. kind: of TYPES (continuous, screw and cylindrical joints turn); axis, point: in the file's frame
    [3], or None where it stays; range: [rad or unit], None where the joint has no limits."""

    kind: str
    axis: Array | None = None
    point: Array | None = None
    range: float | None = None


STAYS = Truth("fixed")


def given(articulation: Articulation) -> tuple[Parts, list[Truth]]:
    """The parts the annotation gives, fixed semantic ones among them, and the truth about each."""
    parts, above = link_parts(articulation)
    return parts, [truth(articulation, articulation.joints[j]) if j >= 0 else STAYS for j in above.tolist()]


def truth(articulation: Articulation, joint: Joint) -> Truth:
    T = articulation.links[joint.parent].T_world_link @ joint.origin
    axis = T[:3, :3] @ np.asarray(joint.axis, dtype=np.float64)
    kind = "prismatic" if joint.kind == "prismatic" else "revolute"
    bounded = joint.kind != "continuous" and np.isfinite([joint.lower, joint.upper]).all() and joint.upper > joint.lower
    return Truth(kind, axis / np.linalg.norm(axis), T[:3, 3], float(joint.upper - joint.lower) if bounded else None)
