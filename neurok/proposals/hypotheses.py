"""Hypotheses: parts of a mesh that may move as one; each is studied only when it is asked for."""

from functools import cached_property

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.mesh import Mesh
from neurok.proposals.candidates import join_candidates, propose_candidates, propose_lines
from neurok.proposals.hypothesis_features import describe_hypotheses
from neurok.proposals.motion_features import describe_motions
from neurok.proposals.round_axes import RoundAxes, find_round_axes
from neurok.proposals.sampling import find_contact
from neurok.proposals.simulator import CollisionProbe, Surroundings
from neurok.proposals.study import HypothesisStudy
from neurok.proposals.trees import grow_trees
from neurok.proposals.units import Units, find_units

MAX_PIN_COUNT = 12  # round units about whose axes a part is turned
MIN_WHEEL_SHARE = 0.1  # of a part's area, that is round away from its contact
PART_SAMPLE_COUNT = 600  # of a part, at most, that look for contact


class Hypotheses:
    """All parts that are proposed for a mesh; members: their units, [h, u]. Studies are made once, where asked for."""

    def __init__(self, units: Units, members: Mask) -> None:
        self.units, self.members = units, members
        self._studies: dict[int, HypothesisStudy | None] = {}
        self._motions: dict[int, Array] = {}

    @staticmethod
    def of(mesh: Mesh) -> "Hypotheses":
        units = find_units(mesh)
        return Hypotheses(units, grow_trees(units))

    def holding(self, inside: Indices, outside: Indices) -> Indices:
        """The hypotheses that hold all units of one list and none of another, [n]."""
        held = self.members[:, inside].all(axis=1) & ~self.members[:, outside].any(axis=1)
        return np.flatnonzero(held)

    @cached_property
    def features(self) -> Array:
        """The numbers of HYPOTHESIS_FEATURES for each hypothesis, [h, f]."""
        return describe_hypotheses(self.units, self.members)

    @cached_property
    def round_axes(self) -> RoundAxes:
        """The lines about which units are round: pins, holes, rims, wheels."""
        return find_round_axes(self.units)

    def study(self, part: int) -> HypothesisStudy | None:
        """One hypothesis with its motions; None where it is a point or nothing is left to move against."""
        if part not in self._studies:
            self._studies[part] = self._study(self.members[part])
        return self._studies[part]

    def describe(self, part: int) -> Array:
        """The numbers of POSSIBLE_FEATURES of every motion of a hypothesis that can be studied, [c, f]."""
        if part not in self._motions:
            study, units = self.study(part), self.units
            assert study is not None
            box = np.array([units.lower.min(axis=0), units.upper.max(axis=0)])
            self._motions[part] = describe_motions(study, self.features[part], self.members[part], box, self.round_axes)
        return self._motions[part]

    def _study(self, members: Mask) -> HypothesisStudy | None:
        units, away = self.units, ~members[self.units.owner]
        piece = units.take_part(members, PART_SAMPLE_COUNT)
        if piece.is_point or not away.any() or len(piece.points) < 4:
            return None
        reach = piece.size + 0.05
        points, normals = units.points[away], units.normals[away]
        near = np.all((points > piece.lower - reach) & (points < piece.upper + reach), axis=1)
        if not near.any():
            return None
        rest = Surroundings(points[near], normals[near])
        contact = find_contact(piece, rest.points, rest.normals)
        tried = propose_candidates(piece, contact)
        tried = join_candidates(tried, propose_lines(piece, tried, *self._find_pins(members)))
        return HypothesisStudy(piece, contact, rest, CollisionProbe.of(piece, contact, rest), tried)

    def _find_pins(self, members: Mask) -> tuple[Array, Array]:
        """Axes and points, [k, 3] each, of round units on either side of a part's contact, the largest first."""
        units, lines = self.units, self.round_axes
        touch = units.contact + units.contact.T
        own = members[lines.unit]
        crossed = np.where(own, touch[lines.unit] @ ~members, touch[lines.unit] @ members)
        inner = own & (lines.area > MIN_WHEEL_SHARE * units.area[members].sum())  # a wheel is round itself
        order = np.argsort(-lines.area, kind="stable")
        kept = order[((crossed > 0) | inner)[order]][:MAX_PIN_COUNT]
        return lines.axis[kept], lines.point[kept]
