"""ProceduralObject: one generated object, the states it can take and its motions."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neurok.data.states import draw_joint_states
from neurok.geometry.arrays import Array, Mask
from neurok.geometry.articulation import Articulation
from neurok.geometry.links import link_motions, link_skin
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion, Skin

SWEEP_FRAME_COUNT = 8  # from rest to one end of the range of a joint


@dataclass(frozen=True)
class ProceduralObject:
    """An object of a category: links and joints at rest, and where it is soft the skin its bones move.

    skin: None for rigid links; else the smooth weights of every vertex, one bone per link, parents first.
    soft: which vertices bend, [n] (none where skin is None).
    contacts: pairs of links that touch without a joint, as the two ends of a closed loop do.
    rejected: the number of invalid draws before this one.
    """

    category: str
    seed: int
    articulation: Articulation
    soft: Mask
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
        """Rest first, then states as `draw_joint_states` draws them, [count, k]."""
        return draw_joint_states(*self.limits, count, rng)

    def sweep(self) -> Array:
        """Every joint in turn through its whole range and back to rest, [t, k]."""
        lower, upper = self.limits
        ease = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, SWEEP_FRAME_COUNT + 1) / SWEEP_FRAME_COUNT)
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
