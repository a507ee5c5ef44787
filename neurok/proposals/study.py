"""The study of one hypothesis: what is needed to move it, and what happens when it is moved."""

from dataclasses import dataclass
from functools import cached_property

from neurok.geometry.arrays import Array
from neurok.proposals.candidates import Candidates
from neurok.proposals.sampling import PartContact, SampledPart
from neurok.proposals.simulator import CollisionProbe, Surroundings, Trials, measure_asymmetry, simulate_candidates

STUDIED_COUNT = 20  # hypotheses whose motions are tried, the likeliest


@dataclass(frozen=True)
class HypothesisStudy:
    """One hypothesis, ready to be moved: its samples, where it meets the rest, the rest, and motions to try."""

    piece: SampledPart
    contact: PartContact
    rest: Surroundings
    probe: CollisionProbe
    tried: Candidates

    @cached_property
    def trials(self) -> Trials:
        """What happens to each motion; computed once, for all drags."""
        return simulate_candidates(self.piece, self.contact, self.rest, self.tried)

    @cached_property
    def asymmetry(self) -> Array:
        """How far the part is from round about each axis, [c]."""
        from scipy.spatial import cKDTree

        return measure_asymmetry(self.piece, cKDTree(self.piece.points), self.tried)
