"""Ranking: from reasons to chances that a part stays, turns or slides, and to the likeliest motion.

Two small functions of standardised numbers, each with two layers of rectified units: one scores a candidate from the
part's reasons and its own, one scores staying from the part's alone. Several of them, fitted on different halves of
the shapes, are averaged. `python -m benchmarks.calibrate_search` fits them; nothing else in the search is fitted.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from neurok.articulate.candidate_reasons import CANDIDATE_REASONS
from neurok.articulate.part_reasons import PART_REASONS
from neurok.articulate.reasons import Study
from neurok.geometry.mesh import Array

FILE = "ranking.safetensors"
KINDS = ("fixed", "revolute", "prismatic")
# Two of three parts stay in the shapes it was fitted on; most of that lead is taken back, so that types count alike.
LEAD = 0.5


@dataclass(frozen=True)
class Ranking:
    """weights: by name, `moves.0.weight`, `stays.2.bias`, ..., each with a leading axis over the members, [k, ...]."""

    weights: dict[str, Array]

    def scores(self, part: Array, reasons: Array) -> Array:
        """Of staying first, then of each candidate, mean over the members after each has been normalised, [1 + c]."""
        whole = np.hstack([np.broadcast_to(part, (len(reasons), len(part))), reasons])
        moves, stays = self._layers("moves", whole), self._layers("stays", part[None])
        both = np.concatenate([stays, moves], axis=1)  # [k, 1 + c]
        both = both - both.max(axis=1, keepdims=True)
        return np.mean(both - np.log(np.exp(both).sum(axis=1, keepdims=True)), axis=0)

    def _layers(self, name: str, x: Array) -> Array:
        """[n, f] to [k, n]."""
        w = self.weights
        x = np.clip((x - w[f"{name}.mean"]) / w[f"{name}.spread"], -5.0, 5.0)
        h = np.broadcast_to(x, (len(w[f"{name}.0.weight"]), *x.shape))
        for layer in ("0", "1", "2"):
            h = h @ np.swapaxes(w[f"{name}.{layer}.weight"], 1, 2) + w[f"{name}.{layer}.bias"][:, None]
            h = np.maximum(h, 0.0) if layer != "2" else h
        return h[..., 0]


@cache
def shipped() -> Ranking:
    """The one that comes with the package."""
    from safetensors.numpy import load

    weights = {k: v.astype(np.float64) for k, v in load(files("neurok.articulate").joinpath(FILE).read_bytes()).items()}
    expected = len(PART_REASONS) + len(CANDIDATE_REASONS)
    if weights["moves.0.weight"].shape[2] != expected:
        raise RuntimeError(f"{FILE} was fitted for other reasons: run benchmarks.calibrate_search again")
    return Ranking(weights)


@dataclass(frozen=True)
class Odds:
    """chances: of each of KINDS; score: of each candidate, [c]."""

    chances: dict[str, float]
    score: Array

    @property
    def kind(self) -> str:
        return max(KINDS, key=lambda kind: self.chances[kind])


def odds(found: Study, ranking: Ranking | None = None) -> Odds:
    """How likely a part stays, turns and slides, and the scores of its candidates."""
    scores = (ranking or shipped()).scores(found.part, found.reasons)
    scores[0] -= LEAD
    share = np.exp(scores - scores.max())
    share /= share.sum()
    turns = found.tried.turns
    chances = (share[0], share[1:][turns].sum(), share[1:][~turns].sum())
    return Odds({kind: float(chance) for kind, chance in zip(KINDS, chances)}, scores[1:])
