"""assemble: parts and how they move, put together as an Articulation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from neurok.files.names import make_unique
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.cutting import cut_parts
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts
from neurok.geometry.placement import quarter_turn
from neurok.proposals.sampling import CanonicalFrame


@dataclass(frozen=True)
class Movement:
    """How a part moves against its parent, in the canonical frame.

    kind: fixed, revolute, continuous or prismatic. axis: unit, and pivot: a point of the axis, [3]; None where nothing
    is known of a fixed part. lower, upper: limits [rad, or diagonals]. parent: -1 for the base. confidence: the chance
    of the kind. centre: where the part would turn, also where it slides or is fixed, [3].
    """

    kind: str
    axis: Array | None
    pivot: Array | None
    lower: float
    upper: float
    confidence: float
    centre: Array | None
    parent: int

    @staticmethod
    def fixed(
        axis: Array | None = None, pivot: Array | None = None, *, confidence: float = 1.0, centre: Array | None = None
    ) -> "Movement":
        """A part that does not move; axis and pivot: how it would if it did."""
        return Movement("fixed", axis, pivot, 0.0, 0.0, confidence, centre, -1)

    @staticmethod
    def moving(
        kind: str, axis: Array, pivot: Array, lower: float = 0.0, upper: float = 0.0, *, confidence: float = 1.0,
        centre: Array | None = None,
    ) -> "Movement":  # fmt: skip
        """A part that moves; its parent is not known yet."""
        return Movement(kind, axis, pivot, lower, upper, confidence, centre, -1)

    @property
    def screw(self) -> tuple[Array, Array]:
        """The axis and the pivot of a part that moves, [3] each."""
        if self.axis is None or self.pivot is None:
            raise ValueError("a movement of which nothing is known has no axis")
        return self.axis, self.pivot

    def reversed(self) -> "Movement":
        """The same movement about the axis that points the other way; the limits are not yet known."""
        return replace(self, axis=-self.screw[0])

    def without_limits(self) -> "Movement":
        """The same turn without limits."""
        return replace(self, kind="continuous", lower=-np.inf, upper=np.inf)


def assemble_articulation(mesh: Mesh, parts: Parts, moves: Sequence[Movement], name: str) -> Articulation:
    """A link for the base and one for each moving part with what rides on it; frames as in `make_link_frame`.

    Solids that links were cut from are capped: vertices and faces of the mesh keep their places, caps come at the end.
    """
    frame = CanonicalFrame.of(mesh)
    leader = find_leaders(moves)
    order = [int(np.flatnonzero(leader < 0)[0]), *(i for i in range(len(moves)) if leader[i] == i)]
    number = {part: link for link, part in enumerate(order)}
    link_of_part = np.array([number[int(lead)] if lead >= 0 else 0 for lead in leader])
    still = [i for i in range(len(moves)) if leader[i] < 0]
    names = ["base" if len(still) > 1 else parts.names[order[0]], *(parts.names[i] for i in order[1:])]
    mesh, link = cut_parts(mesh, link_of_part[parts.face])
    joints = []
    for child, part in enumerate(order[1:], start=1):
        move = moves[part]
        axis, pivot = (to_file(x) for to_file, x in zip((frame.file_vectors, frame.file_points), move.screw))
        origin, axis = place_joint(mesh, pivot, axis / np.linalg.norm(axis))
        length = frame.size if move.kind == "prismatic" else 1.0
        joints.append(
            Joint(
                f"{names[child]}_joint",
                move.kind,
                int(link_of_part[move.parent]),
                child,
                origin,
                axis,
                move.lower * length,
                move.upper * length,
            )  # fmt: skip
        )
    links = tuple(Link(each, make_link_frame(mesh)) for each in make_unique(names))
    return Articulation(mesh, link, links, tuple(joints), name)


def make_link_frame(mesh: Mesh) -> Array:
    """T_world_link of every link, [4, 4]: at the origin, z up, so that simulators need no helper above the base."""
    T = np.eye(4)
    T[:3, :3] = quarter_turn(mesh.up, "z").T
    return T


def place_joint(mesh: Mesh, pivot: Array, axis: Array) -> tuple[Array, Array]:
    """A joint's origin [4, 4] and axis [3] in its parent's frame, from a point and a direction in the file's."""
    T = make_link_frame(mesh)
    origin = np.eye(4)
    origin[:3, 3] = T[:3, :3].T @ pivot
    return origin, T[:3, :3].T @ axis


def find_leaders(moves: Sequence[Movement]) -> Indices:
    """The moving part that carries each part, itself where it moves, [p]; -1 for parts that are fixed to the base."""
    found = np.full(len(moves), -1)
    for number in range(len(moves)):
        here = number
        while here >= 0 and moves[here].kind == "fixed":
            here = moves[here].parent
        found[number] = here
    return found
