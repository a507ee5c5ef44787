"""What the annotation of an object says about each of its given parts: type, axis, centre, range, parent."""

from dataclasses import dataclass

import numpy as np

from neurok.articulate.parts import read_link_parts
from neurok.data.sample import MotionSample
from neurok.errors import InputError
from neurok.evaluate.sampled import find_rigid_bodies
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Joint
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts
from neurok.geometry.rigid import log_twist

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


def read_given_parts(articulation: Articulation) -> tuple[Parts, list[Truth]]:
    """The parts the annotation gives, fixed semantic ones among them, and the truth about each."""
    parts, above = read_link_parts(articulation)
    return parts, [make_truth(articulation, articulation.joints[j]) if j >= 0 else STAYS for j in above.tolist()]


def make_truth(articulation: Articulation, joint: Joint) -> Truth:
    T = articulation.links[joint.parent].T_world_link @ joint.origin
    axis = T[:3, :3] @ np.asarray(joint.axis, dtype=np.float64)
    kind = "prismatic" if joint.kind == "prismatic" else "revolute"
    bounded = joint.kind != "continuous" and np.isfinite([joint.lower, joint.upper]).all() and joint.upper > joint.lower
    return Truth(kind, axis / np.linalg.norm(axis), T[:3, 3], float(joint.upper - joint.lower) if bounded else None)


# ---------------------------------------------------------------- stored states


def infer_truths(sample: MotionSample) -> tuple[Mesh, Parts, list[Truth]]:
    """The rest pose, the bodies that move against each other, and the truth that their states show.

    A body's parent is the first other body, the stillest first, against which all its states lie on one screw.
    """
    body = find_rigid_bodies(sample)
    if body is None:
        raise InputError(f"{sample.facts.name} has parts that bend", "leave it out")
    mesh = sample.mesh()
    names = [sample.facts.parts[b] if b < len(sample.facts.parts) else f"part_{b}" for b in np.unique(body)]
    parts = Parts(np.unique(body[mesh.faces[:, 0]], return_inverse=True)[1].reshape(-1), tuple(names))
    T = np.tile(np.eye(4), (*sample.transforms.shape[:2], 1, 1))
    T[:, :, :3] = sample.transforms
    used = np.unique(body[mesh.faces[:, 0]])
    away = [float(np.abs(T[:, b] - np.eye(4)).max()) for b in used]
    order = np.argsort(away, kind="stable")
    truths = []
    for index in range(len(used)):
        if index == order[0]:
            truths.append(STAYS)
            continue
        others = [used[o] for o in order if o != index]
        screws = (_find_screw(np.linalg.solve(T[:, other], T[:, used[index]]), sample.diagonal) for other in others)
        found = next((each for each in screws if each is not None), None)
        if found is None:
            raise InputError(f"{sample.facts.name} has a part with several freedoms", "leave it out")
        truths.append(found)
    return mesh, parts, truths


def _find_screw(motions: Array, size: float) -> Truth | None:
    """The hinge or slide on which motions [t, 4, 4] lie; None where they lie on none, or do nothing."""
    twists = log_twist(motions)
    twists[:, :3] /= size
    lengths = np.linalg.norm(twists, axis=1)
    most = int(np.argmax(lengths))
    if not lengths[most] > 1e-3:
        return None
    way = twists[most] / lengths[most]
    along = twists @ way
    if np.abs(twists - along[:, None] * way).max() > 0.02 * lengths[most]:
        return None
    v, w = way[:3] * size, way[3:]
    if np.linalg.norm(w) > 1e-3:
        scale = np.linalg.norm(w)
        return Truth("revolute", w / scale, np.cross(w, v) / scale**2, float(np.ptp(along) * scale))
    return Truth("prismatic", v / np.linalg.norm(v), np.zeros(3), float(np.ptp(along) * size))
