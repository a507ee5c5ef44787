"""Procedural: one made object, the states it can take and its motions."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Array, Mesh
from neurok.geometry.motion import Motion, Skin, rigid_skin
from neurok.geometry.rigid import exp_twist

LEG = 8  # frames of a sweep from rest to one end of a joint's range


@dataclass(frozen=True)
class Procedural:
    """An object of a category: links and joints at rest, and where it is soft the skin its bones move.

    skin: None for rigid links; else the smooth weights of every vertex, one bone per link, parents first.
    soft: which vertices bend, [n] (none where skin is None).
    contacts: pairs of links that touch without a joint, as the two ends of a closed loop do.
    rejected: how many draws before this one were not valid.
    """

    category: str
    seed: int
    articulation: Articulation
    soft: NDArray[np.bool_]
    skin: Skin | None = None
    contacts: tuple[tuple[int, int], ...] = ()
    rejected: int = 0

    @property
    def mesh(self) -> Mesh:
        return self.articulation.mesh

    @property
    def is_soft(self) -> bool:
        return self.skin is not None

    @property
    def names(self) -> list[str]:
        """The coordinates' names, [k]."""
        return self.articulation.coordinate_names

    @cached_property
    def limits(self) -> tuple[Array, Array]:
        """Lower and upper end of each coordinate [rad or m], [k] each; a joint without limits turns once round."""
        freedoms = [self.articulation.freedoms[d] for d in self.articulation.coordinate_freedoms]
        lower, upper = np.array([(f.lower, f.upper) for f in freedoms]).reshape(-1, 2).T
        return np.where(np.isinf(lower), -np.pi, lower), np.where(np.isinf(upper), np.pi, upper)

    @cached_property
    def bones(self) -> Skin:
        """The skin of the object: its own, or one bone per link, parents first."""
        return self.skin if self.skin is not None else link_skin(self.articulation)

    def states(self, count: int, rng: np.random.Generator) -> Array:
        """Rest, then in turn one joint, all joints, some joints at ends, some joints anywhere, [count, k]."""
        lower, upper = self.limits
        k = len(lower)
        states = np.zeros((count, k))
        for row in range(1, count) if k else ():
            kind = row % 4
            anywhere = rng.uniform(lower, upper)
            ends = np.where(rng.random(k) < 0.5, lower, upper)
            some = rng.random(k) < 0.5
            one = np.arange(k) == rng.integers(k)
            value = ends if kind == 3 else anywhere
            chosen = (one, np.ones(k, dtype=bool), one | some, some | one)[kind]
            states[row] = np.where(chosen, value, 0.0)
        return states

    def sweep(self) -> Array:
        """Every joint in turn through its whole range and back to rest, [t, k]."""
        lower, upper = self.limits
        ease = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, LEG + 1) / LEG)
        rows = [np.zeros((1, len(lower)))]
        for c in range(len(lower)):
            way = [0.0] + [end for end in (upper[c], lower[c]) if end != 0.0] + [0.0]
            values = np.concatenate([a + (b - a) * ease for a, b in zip(way, way[1:])])
            rows.append(values[:, None] * np.eye(len(lower))[c])
        return np.concatenate(rows)

    def transforms(self, states: Array) -> Array:
        """Motions of the bones relative to rest at each state [t, k], parents first, [t, b, 4, 4]."""
        return link_motions(self.articulation, states)

    def motion(self, states: Array, fps: float = 12.0) -> Motion:
        """The states one after another as a motion."""
        states = np.atleast_2d(states)
        return Motion(
            self.mesh, np.arange(len(states)) / fps, skin=self.bones, transforms=self.transforms(states),
            name=self.category,
        )  # fmt: skip

    def shape(self, state: Array) -> Array:
        """The vertices at one state [m], [n, 3]."""
        return self.motion(state).frame(0)


def link_motions(articulation: Articulation, states: Array) -> Array:
    """X_link = prod exp([S_d] theta_d) along the path from the base, for all states [t, k] at once, [t, L, 4, 4]."""
    A, b = articulation.coupling
    theta = np.asarray(states) @ A.T + b
    motions = np.tile(np.eye(4), (len(theta), len(articulation.links), 1, 1))
    place = {link: row for row, link in enumerate(articulation.order)}
    for link in articulation.order:
        above = articulation.parent_joint[link]
        if above < 0:
            continue
        X = motions[:, place[articulation.joints[above].parent]]
        for d, freedom in enumerate(articulation.freedoms):
            if freedom.joint == above:
                X = X @ exp_twist(freedom.screw * theta[:, d, None])
        motions[:, place[link]] = X
    return motions


def link_skin(articulation: Articulation) -> Skin:
    """One bone per link, parents first, sitting where the joint above the link sits."""
    order = list(articulation.order)
    bone = np.empty(len(order), dtype=np.int64)
    bone[order] = np.arange(len(order))
    parents = articulation.link_parents[order]
    return rigid_skin(
        bone[articulation.vertex_link],
        tuple(articulation.links[link].name for link in order),
        np.where(parents >= 0, bone[parents], -1),
        np.stack([articulation.links[link].T_world_link for link in order]),
    )
