"""Moving parts: which vertices of an object a joint or a clip moves, and the axis about or along which."""

from dataclasses import dataclass, replace

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.articulation import Articulation
from neurok.geometry.motion import Motion
from neurok.geometry.rigid import inverse, log_twist

MIN_REACH = 0.01  # of the diagonal: what gets less far from rest is not shown as moving
MAX_MOVED_SHARE = 0.95  # of the vertices: where more of them move, nothing of the object is at rest to tell them from
MIN_TURN = 0.02  # [rad]: what turns less, slides
MAX_STRETCH = 1e-4  # of a rigid motion, by rounding
MAX_SCREW_RESIDUAL = 0.02  # of a twist: how much of it may differ from the joint's own


@dataclass(frozen=True)
class JointAxis:
    """A hinge's line, or the direction of a slide through a point: point [unit], [3]; direction: unit, [3].

    span: how long the part is along it [unit].
    """

    point: Array
    direction: Array
    turns: bool
    span: float

    def carried(self, X: Array) -> "JointAxis":
        """The axis after a rigid motion, [4, 4]."""
        return replace(self, point=X[:3, :3] @ self.point + X[:3, 3], direction=X[:3, :3] @ self.direction)


@dataclass(frozen=True)
class JointedPart:
    """A part of an object that moves against the rest.

    vertices: which of the mesh's, [n]. axis: at rest, None where it is not known. lower, upper: the ends of its way
    [rad, or unit of the file]. values: how far along it is in each frame of a motion, [t]. carrier: the bone of the
    motion's skin that carries the axis, -1 for the world.
    """

    name: str
    vertices: Mask
    axis: JointAxis | None = None
    lower: float = 0.0
    upper: float = 0.0
    values: Array | None = None
    carrier: int = -1


def find_joint_part(articulation: Articulation, coordinate: int) -> JointedPart:
    """What one coordinate of an articulation moves, with what follows it; the axis is that of its own joint."""
    d = articulation.coordinate_freedoms[coordinate]
    led = [follower for follower, (leader, _, _) in enumerate(articulation.followers) if leader == d]
    links: Mask = np.asarray(np.any(articulation.path[:, led], axis=1))
    moved: Mask = links[articulation.vertex_link]
    own: Mask = articulation.path[:, d][articulation.vertex_link]
    points = articulation.mesh.vertices[own if own.any() else moved]
    name, freedom = articulation.coordinate_names[coordinate], articulation.freedoms[d]
    axis = _place_axis(freedom.screw[:3], freedom.screw[3:], freedom.turns, points) if len(points) else None
    return JointedPart(name, moved, axis, freedom.lower, freedom.upper)


def list_joint_parts(articulation: Articulation) -> list[JointedPart]:
    """What each coordinate of an articulation moves."""
    return [find_joint_part(articulation, index) for index in range(len(articulation.coordinate_freedoms))]


def _place_axis(v: Array, w: Array, turns: bool, points: Array) -> JointAxis:
    """The axis of a screw (v, w) beside points [n, 3]: nearest to their middle."""
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    direction = w if turns else v
    direction = direction / np.linalg.norm(direction)
    along = points @ direction
    if turns:
        pivot = np.cross(w, v) / (w @ w)
        centre = pivot + (0.5 * (along.min() + along.max()) - pivot @ direction) * direction
    return JointAxis(centre, direction, turns, float(np.ptp(along)))


def list_moving_parts(motion: Motion) -> list[JointedPart]:
    """The parts that move against the rest of an object, with their axes where each follows one screw.

    The bones of a rigid skin tell them; else all vertices that get far from the reference shape are one part, unless
    nearly all do. Nothing of an object that moves as one piece moves against the rest.
    """
    if motion.skin is not None and motion.skin.is_rigid:
        return _list_bones(motion)
    far = np.zeros(motion.mesh.vertex_count)
    for index in range(motion.frame_count):
        np.maximum(far, np.linalg.norm(motion.frame(index) - motion.mesh.vertices, axis=1), out=far)
    moved: Mask = far > MIN_REACH * motion.mesh.diagonal
    return [JointedPart(motion.name, moved)] if 0 < moved.mean() < MAX_MOVED_SHARE else []


def _list_bones(motion: Motion) -> list[JointedPart]:
    skin, transforms = motion.skinning
    vertices, leader = motion.mesh.vertices, skin.leader
    parents = _find_parents(skin.parents, leader, transforms)
    found = []
    for bone, parent in enumerate(parents):
        own = leader == bone
        moved = np.isin(leader, _list_below(parents, bone))
        if not moved.any() or bone == parent:
            continue
        X = transforms[:, bone] if parent < 0 else inverse(transforms[:, parent]) @ transforms[:, bone]
        points = vertices[own if own.any() else moved]
        corners = np.stack(np.meshgrid(*np.stack([points.min(axis=0), points.max(axis=0)], axis=1)), -1).reshape(-1, 3)
        shifts = np.linalg.norm(corners @ np.swapaxes(X[:, :3, :3], 1, 2) + X[:, None, :3, 3] - corners, axis=2)
        if shifts.max() > MIN_REACH * motion.mesh.diagonal:
            axis, values = _fit_axis(X, points)
            lower, upper = (0.0, 0.0) if values is None else (float(values.min()), float(values.max()))
            found.append(JointedPart(skin.names[bone], moved, axis, lower, upper, values, parent))
    return found


def _find_parents(parents: Indices, leader: Indices, transforms: Array) -> Indices:
    """Parents, [b], of which the base is its own. It is a root at rest, and other roots move against the world, -1;
    where no root is at rest, the base is the one with most vertices, and the others hang on it."""
    roots = np.flatnonzero(parents < 0)
    still = np.array([np.allclose(transforms[:, root], np.eye(4), atol=1e-9) for root in roots])
    counts = np.bincount(leader, minlength=len(parents))[roots]
    base = roots[np.argmax(counts + still * (len(leader) + 1))]
    found: Indices = parents.copy() if still.any() else np.where(parents < 0, base, parents)
    found[base] = base
    return found


def _list_below(parents: Indices, bone: int) -> list[int]:
    """A bone and all that hang on it."""
    found = [bone]
    for other in found:
        found += [int(child) for child in np.flatnonzero(parents == other) if child != other]
    return found


def _fit_axis(X: Array, points: Array) -> tuple[JointAxis | None, Array | None]:
    """The axis of motions [t, 4, 4] of points [n, 3] that all follow one screw, and how far along each is, [t]; None
    where they do not."""
    R = X[:, :3, :3]
    if not np.allclose(np.swapaxes(R, 1, 2) @ R, np.eye(3), atol=MAX_STRETCH):
        return None, None
    centre = points.mean(axis=0)
    size = float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
    about = X.copy()  # the same motions about the middle of the part, lengths in its size
    about[:, :3, 3] = (R @ centre + X[:, :3, 3] - centre) / size
    twists = log_twist(about)
    lengths = np.linalg.norm(twists, axis=1)
    main = twists[np.argmax(lengths)] / lengths.max()
    values = twists @ main
    if np.linalg.norm(twists - values[:, None] * main, axis=1).max() > MAX_SCREW_RESIDUAL * lengths.max():
        return None, None
    v, w = main[:3] * size, main[3:]
    turns = bool(np.linalg.norm(w) * lengths.max() > MIN_TURN)
    axis = _place_axis(v, w, turns, points - centre)
    values = np.unwrap(values * np.linalg.norm(w)) if turns else values * np.linalg.norm(v)
    return replace(axis, point=axis.point + centre), values
