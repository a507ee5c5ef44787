"""Articulation: links, the joints between them, their limits; a tree.

Everything is kept in the object's own frame at zero joint values, where a joint
is a screw. The motion of a link relative to that pose is a product of
exponentials along its path from the base:

    X_link(theta) = prod over the path of exp([S_d] theta_d),    X = 1 at theta = 0.

A joint has no, one or two elementary freedoms d; mimic joints make some of
them follow others, so the values are an affine map of the coordinates q:

    theta = coupling q + offset.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from neurok.errors import InputError, unknown
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.mesh import Mesh

# Of what is moved: derivatives of all links by all coordinates grow with the square of a chain.
MAX_JOINT_COORDINATES = 512
JOINT_KINDS = ("fixed", "revolute", "continuous", "prismatic", "screw", "cylindrical")


@dataclass(frozen=True)
class Inertia:
    """Mass [kg], centre [m, link frame], [3], and tensor about the centre [kg m^2, link axes], [3, 3]."""

    mass: float
    centre: Array
    tensor: Array


@dataclass(frozen=True)
class Link:
    name: str
    T_world_link: Array  # [4, 4] at zero joint values
    inertia: Inertia | None = None  # as the file stated it
    colliders: tuple[Mesh, ...] | None = None  # convex pieces [unit, link frame]; None: its convex hull


@dataclass(frozen=True)
class Mimic:
    joint: int  # the joint that leads
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Joint:
    """A joint between two links.

    origin: T_parent_joint at zero, [4, 4]; axis: unit, in the joint's frame, [3].
    lower, upper: limits [rad, or m for prismatic], infinite where there are none.
    pitch: metres per radian of a screw. slide: limits [m] of a cylindrical joint's second freedom.
    """

    name: str
    kind: str
    parent: int
    child: int
    origin: Array
    axis: Array
    lower: float = -np.inf
    upper: float = np.inf
    pitch: float = 0.0
    slide: tuple[float, float] = (-np.inf, np.inf)
    mimic: Mimic | None = None
    damping: float = 0.0
    friction: float = 0.0
    effort: float | None = None
    velocity: float | None = None


@dataclass(frozen=True)
class Freedom:
    """One elementary freedom of a joint: the screw (v, w) it turns or slides along, world frame at zero, [6]."""

    joint: int
    screw: Array
    lower: float
    upper: float
    turns: bool  # an angle [rad] rather than a length [m]


@dataclass(frozen=True)
class Articulation:
    """Links with one merged mesh in the world frame at zero joint values, and a tree of joints.

    mesh: all links side by side; vertex_link: the link each vertex belongs to, [n].
    floating: whether the roots are free in the world instead of held; loose: the roots that are, where others are not.
    """

    mesh: Mesh
    vertex_link: Indices
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    name: str = "object"
    notes: tuple[str, ...] = field(default=())
    floating: bool = False
    loose: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for joint in self.joints:
            if joint.kind not in JOINT_KINDS:
                raise unknown("joint kind", joint.kind, JOINT_KINDS)
            length = np.linalg.norm(joint.axis)
            if joint.kind != "fixed" and not abs(length - 1.0) < 1e-6:
                raise InputError(f"the axis of joint '{joint.name}' has length {length:g}", "normalise it")
        self.order  # a cycle or a second parent is an error at once,
        self.followers  # and so is a mimic that leads nowhere
        if len(self.vertex_link) != self.mesh.vertex_count:
            raise InputError("vertex_link does not match the mesh", "give one link per vertex")

    def is_loose(self, link: int) -> bool:
        """Whether nothing holds a root in the world."""
        return self.floating or link in self.loose

    @cached_property
    def parent_joint(self) -> Indices:
        """The joint above each link, [L], -1 for a root."""
        above = np.full(len(self.links), -1)
        for index, joint in enumerate(self.joints):
            if above[joint.child] >= 0:
                raise InputError(
                    f"link '{self.links[joint.child].name}' has two parents",
                    "a tree of joints is needed: remove one of the joints",
                )
            above[joint.child] = index
        return above

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Link indices, parents before children."""
        children: dict[int, list[int]] = {}
        for joint in self.joints:
            children.setdefault(joint.parent, []).append(joint.child)
        order = [i for i, above in enumerate(self.parent_joint) if above < 0]
        for link in order:
            order += children.get(link, [])
        if len(order) != len(self.links):
            rest = next(l.name for i, l in enumerate(self.links) if i not in set(order))
            raise InputError(f"the joints form a cycle through link '{rest}'", "a tree of joints is needed")
        return tuple(order)

    @cached_property
    def link_parents(self) -> Indices:
        """The link above each link, [L], -1 for a root."""
        return np.array([self.joints[j].parent if j >= 0 else -1 for j in self.parent_joint], dtype=np.int64)

    @cached_property
    def freedoms(self) -> tuple[Freedom, ...]:
        """The elementary freedoms of all joints, in the order of the joints."""
        found = []
        for index, joint in enumerate(self.joints):
            T = self.links[joint.parent].T_world_link @ joint.origin
            axis = T[:3, :3] @ np.asarray(joint.axis, dtype=np.float64)
            turn = np.concatenate([np.cross(T[:3, 3], axis), axis])
            shift = np.concatenate([axis, np.zeros(3)])
            limits = (joint.lower, joint.upper)
            if joint.kind == "revolute":
                found.append(Freedom(index, turn, *limits, True))
            elif joint.kind == "continuous":
                found.append(Freedom(index, turn, -np.inf, np.inf, True))
            elif joint.kind == "prismatic":
                found.append(Freedom(index, shift, *limits, False))
            elif joint.kind == "screw":
                found.append(Freedom(index, turn + joint.pitch * shift, *limits, True))
            elif joint.kind == "cylindrical":
                found.append(Freedom(index, turn, *limits, True))
                found.append(Freedom(index, shift, *joint.slide, False))
        return tuple(found)

    @cached_property
    def path(self) -> Mask:
        """Which freedoms move which link, [L, D]."""
        moves = np.zeros((len(self.links), len(self.freedoms)), dtype=bool)
        of_joint: dict[int, list[int]] = {}
        for d, freedom in enumerate(self.freedoms):
            of_joint.setdefault(freedom.joint, []).append(d)
        for link in self.order:
            above = int(self.parent_joint[link])
            if above >= 0:
                moves[link] = moves[self.joints[above].parent]
                moves[link, of_joint.get(above, [])] = True
        return moves

    @cached_property
    def followers(self) -> tuple[tuple[int, float, float], ...]:
        """Of each freedom the freedom that leads it (itself where it is free), its multiplier and its offset, [D]."""
        first: dict[int, int] = {}
        for d, freedom in enumerate(self.freedoms):
            first.setdefault(freedom.joint, d)
        found = []
        for d, freedom in enumerate(self.freedoms):
            scale, shift, seen, joint, source = 1.0, 0.0, set(), self.joints[freedom.joint], d
            while joint.mimic is not None:
                if joint.mimic.joint in seen or joint.mimic.joint not in first:
                    raise InputError(f"joint '{joint.name}' mimics a joint that leads nowhere", "remove the mimic")
                seen.add(joint.mimic.joint)
                shift += scale * joint.mimic.offset
                scale *= joint.mimic.multiplier
                source, joint = first[joint.mimic.joint], self.joints[joint.mimic.joint]
            found.append((source, scale, shift))
        return tuple(found)

    @cached_property
    def coupling(self) -> tuple[Array, Array]:
        """(A, b) of theta = A q + b over the independent coordinates q; A [D, k], b [D]."""
        column = {d: c for c, d in enumerate(self.coordinate_freedoms)}
        A, b = np.zeros((len(self.freedoms), len(column))), np.zeros(len(self.freedoms))
        for d, (source, scale, shift) in enumerate(self.followers):
            A[d, column[source]], b[d] = scale, shift
        return A, b

    @property
    def coordinate_freedoms(self) -> list[int]:
        """The freedom each coordinate stands for, [k]."""
        return [d for d, f in enumerate(self.freedoms) if self.joints[f.joint].mimic is None]

    @property
    def coordinate_names(self) -> list[str]:
        names = []
        for d in self.coordinate_freedoms:
            freedom = self.freedoms[d]
            joint = self.joints[freedom.joint]
            second = joint.kind == "cylindrical" and not freedom.turns
            names.append(joint.name + (" slide" if second else ""))
        return names
