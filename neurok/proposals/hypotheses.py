"""Hypotheses: parts of a mesh that may move as one; each is studied only when it is asked for."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.mesh import Mesh
from neurok.proposals.candidates import Candidates, propose_candidates
from neurok.proposals.hypothesis_features import describe_hypotheses
from neurok.proposals.sampling import PartContact, SampledPart, find_contact
from neurok.proposals.simulator import CollisionProbe, Surroundings
from neurok.proposals.trees import grow_trees
from neurok.proposals.units import Units, find_units

PART_SAMPLE_COUNT = 600  # of a part, at most, that look for contact


@dataclass(frozen=True)
class HypothesisStudy:
    """One hypothesis, ready to be moved: its samples, where it meets the rest, the rest, and motions to try."""

    piece: SampledPart
    contact: PartContact
    rest: Surroundings
    probe: CollisionProbe
    tried: Candidates


class Hypotheses:
    """All parts that are proposed for a mesh; members: their units, [h, u]. Studies are made once, where asked for."""

    def __init__(self, units: Units, members: Mask) -> None:
        self.units, self.members = units, members
        self._studies: dict[int, HypothesisStudy | None] = {}

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

    def study(self, part: int) -> HypothesisStudy | None:
        """One hypothesis with its motions; None where it is a point or nothing is left to move against."""
        if part not in self._studies:
            self._studies[part] = self._study(self.members[part])
        return self._studies[part]

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
        return HypothesisStudy(
            piece, contact, rest, CollisionProbe.of(piece, contact, rest), propose_candidates(piece, contact)
        )
