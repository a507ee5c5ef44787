"""A thing of a scene: an articulation that stands on z = 0, the state of its joints, and how it is made."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.links import link_motions


@dataclass(frozen=True)
class SceneThing:
    """One thing before it is placed.

    articulation: metres, z up, standing on z = 0 with its middle over the origin, front at -y.
    state: of its coordinates, [k]. held: whether it is fastened to the world. kind: the program's, the piece's, or
    'file'. upright: how it stands when it is let go alone, a rotation [3, 3].
    """

    name: str
    kind: str
    articulation: Articulation
    state: Array
    held: bool = False
    upright: Array = field(default_factory=lambda: np.eye(3))
    remarks: tuple[str, ...] = ()

    @cached_property
    def motions(self) -> Array:
        """Of its links at its state relative to zero, in the links' order, [L, 4, 4]."""
        return move_links(self.articulation, self.state)

    @cached_property
    def vertices(self) -> Array:
        """At its state, standing upright on z = 0 and centred [m], [n, 3]."""
        points = self.shape @ self.upright.T
        return points - self.find_foot(points)

    @cached_property
    def shape(self) -> Array:
        """At its state, as the program made it [m], [n, 3]."""
        R, t = self.motions[:, :3, :3], self.motions[:, :3, 3]
        link = self.articulation.vertex_link
        return np.einsum("nij,nj->ni", R[link], self.articulation.mesh.vertices) + t[link]

    @staticmethod
    def find_foot(points: Array) -> Array:
        """The middle of the underside of some points' box, [3]."""
        lower, upper = points.min(axis=0), points.max(axis=0)
        return np.array([(lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, lower[2]])

    @property
    def size(self) -> Array:
        """Of its box as it stands [m], [3]."""
        return np.ptp(self.vertices, axis=0)

    def locate(self, turn: float, foot: Array) -> Array:
        """T_world_thing that turns it about the upward axis [rad] and puts the middle of its underside somewhere."""
        c, s = np.cos(turn), np.sin(turn)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        T = np.eye(4)
        T[:3, :3] = R @ self.upright
        T[:3, 3] = np.asarray(foot) - R @ self.find_foot(self.shape @ self.upright.T)
        return T

    def with_state(self, state: Array) -> "SceneThing":
        return replace(self, state=np.asarray(state, dtype=np.float64))


@dataclass(frozen=True)
class PlacedHull:
    """A convex collider in the world: corners [m], [n, 3], and triangles, [m, 3]."""

    points: Array
    faces: Indices

    @cached_property
    def bounds(self) -> Array:
        """Lower and upper corner of its box [m], [2, 3]."""
        return np.stack([self.points.min(axis=0), self.points.max(axis=0)])

    def slice(self, low: float, high: float) -> Array:
        """Corners in the plane of what of it lies in a slab of heights, [k, 2]: its own, and where edges cross."""
        z = self.points[:, 2]
        found = [self.points[(z >= low) & (z <= high)]]
        ends = np.concatenate([self.faces[:, [0, 1]], self.faces[:, [1, 2]], self.faces[:, [2, 0]]])
        for level in (low, high):
            first, second = ends[(z[ends[:, 0]] < level) & (z[ends[:, 1]] > level)].T
            share = (level - z[first]) / (z[second] - z[first])
            found.append(self.points[first] + share[:, None] * (self.points[second] - self.points[first]))
        return np.concatenate(found)[:, :2]


@dataclass(frozen=True)
class PlacedThing:
    """A thing and where it is, T_world_thing, [4, 4]."""

    thing: SceneThing
    T: Array

    @property
    def name(self) -> str:
        return self.thing.name

    @cached_property
    def vertices(self) -> Array:
        """In the world [m], [n, 3]."""
        return self.thing.shape @ self.T[:3, :3].T + self.T[:3, 3]

    @cached_property
    def bounds(self) -> Array:
        """Lower and upper corner of its box [m], [2, 3]."""
        points = self.vertices
        return np.stack([points.min(axis=0), points.max(axis=0)])

    @cached_property
    def centre_of_mass(self) -> Array:
        """In the world [m], [3]; the middle of its box where it states no masses."""
        links = self.thing.articulation.links
        rows = [(x.inertia, T) for x, T in zip(links, self.link_places) if x.inertia is not None]
        mass = sum(inertia.mass for inertia, _ in rows)
        if mass <= 0.0:
            return np.asarray(self.bounds.mean(axis=0))
        moments = [inertia.mass * (T[:3, :3] @ inertia.centre + T[:3, 3]) for inertia, T in rows]
        return np.asarray(np.sum(moments, axis=0) / mass)

    @cached_property
    def link_places(self) -> Array:
        """T_world_link at the thing's state, [L, 4, 4]."""
        frames = np.stack([link.T_world_link for link in self.thing.articulation.links])
        return np.asarray(self.T @ self.thing.motions @ frames)

    @cached_property
    def hulls(self) -> list[PlacedHull]:
        """Its colliders in the world."""
        return [
            PlacedHull(piece.vertices @ T[:3, :3].T + T[:3, 3], piece.faces)
            for link, T in zip(self.thing.articulation.links, self.link_places)
            for piece in link.colliders or ()
        ]


def move_links(articulation: Articulation, state: Array) -> Array:
    """Motions of links at one state, in the order of the links, [L, 4, 4]."""
    found = np.empty((len(articulation.links), 4, 4))
    found[list(articulation.order)] = link_motions(articulation, np.asarray(state)[None])[0]
    return found
