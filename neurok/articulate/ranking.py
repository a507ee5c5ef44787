"""Ranking: from features to chances that a part is fixed, turns or slides, and to the likeliest motion.

Three small functions of standardised numbers, each with two layers of rectified units: one scores a candidate from
the part's features and its own, one scores staying from the part's alone, both in the frame of an object whose front
is known; the third scores each of the four ways in which the object may face, as a sum over its parts. With F the way
it faces and m staying or a candidate,

    p(m) = sum over F of p(F) p(m | F),    log p(F) = mean over members of log e(F) + FRONT_PRIOR [F is the file's own],
    e(F) ~ exp(n^(-1/2) sum over the n parts of front(part, F)),

each normalised over the four F. Members are fitted from different beginnings, by
`python -m benchmarks.calibrate_search`; nothing else in the search is fitted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from neurok.articulate.facing import MOTION_PLACEMENT_FEATURES, PLACEMENT_FEATURES
from neurok.articulate.part_features import PART_FEATURES
from neurok.articulate.study import PartStudy
from neurok.geometry.arrays import Array
from neurok.proposals.candidate_features import CANDIDATE_FEATURES

FILE = "ranking.safetensors"
KINDS = ("fixed", "revolute", "prismatic")
# Both chosen by `python -m benchmarks.calibrate_search STORE --crossed` on the train objects.
FIXED_LEAD = 1.0  # two of three parts that it was fitted on are fixed; most of that is taken back, so types count alike
FRONT_PRIOR = 1.0  # the log of how much likelier a file's own frame is than another


@dataclass(frozen=True)
class Ranking:
    """weights: by name, `moves.0.weight`, `stays.2.bias`, `front.mean`, ..., each with a leading axis over the members,
    [k, ...]."""

    weights: Mapping[str, Array]

    def fronts(self, parts: Array, prior: float = FRONT_PRIOR) -> Array:
        """Log chances of the ways in which an object may face, [4], from the features and places of its parts for each
        of them, [p, 4, f]."""
        count = len(parts)
        evidence = self._apply_layers("front", parts.reshape(-1, parts.shape[2])).reshape(-1, count, 4)
        ways = _normalise(evidence.sum(axis=1) * count**-0.5, axis=1).mean(axis=0)  # [k, 4] to [4]
        return _normalise(ways + prior * (np.arange(4) == 0), axis=0)

    def scores(self, part: Array, features: Array) -> Array:
        """Scores of being fixed first, then of each candidate: the mean over the normalised members, [1 + c]."""
        whole = np.hstack([np.broadcast_to(part, (len(features), len(part))), features])
        moves, stays = self._apply_layers("moves", whole), self._apply_layers("stays", part[None])
        return _normalise(np.concatenate([stays, moves], axis=1), axis=1).mean(axis=0)

    def _apply_layers(self, name: str, x: Array) -> Array:
        """[n, f] to [k, n]."""
        w = self.weights
        h = np.clip((x - w[f"{name}.mean"][:, None]) / w[f"{name}.spread"][:, None], -5.0, 5.0)  # [k, n, f]
        for layer in ("0", "1", "2"):
            h = h @ np.swapaxes(w[f"{name}.{layer}.weight"], 1, 2) + w[f"{name}.{layer}.bias"][:, None]
            h = np.maximum(h, 0.0) if layer != "2" else h
        return h[..., 0]


def _normalise(logs: Array, axis: int) -> Array:
    return logs - np.logaddexp.reduce(logs, axis=axis, keepdims=True)


@cache
def load_ranking() -> Ranking:
    """The one that comes with the package."""
    from safetensors.numpy import load

    weights = {k: v.astype(np.float64) for k, v in load(files("neurok.articulate").joinpath(FILE).read_bytes()).items()}
    part = len(PART_FEATURES) + len(PLACEMENT_FEATURES)
    expected = {"moves": part + len(CANDIDATE_FEATURES) + len(MOTION_PLACEMENT_FEATURES), "stays": part, "front": part}
    if any(weights[f"{name}.0.weight"].shape[2] != count for name, count in expected.items()):
        raise RuntimeError(f"{FILE} was fitted for other reasons: run benchmarks.calibrate_search again")
    return Ranking(weights)


def score_parts(studies: Sequence[PartStudy | None], ranking: Ranking | None = None) -> list[Array | None]:
    """Log chances of being fixed, then of each candidate, [1 + c], for every part that was studied."""
    ranking = ranking or load_ranking()
    there = [found for found in studies if found is not None]
    if not there:
        return [None for _ in studies]
    fronts = ranking.fronts(np.stack([stack_part_features(found) for found in there]))
    return [None if found is None else _average_fronts(ranking, found, fronts) for found in studies]


def stack_part_features(found: PartStudy) -> Array:
    """Reasons and place of a part for each way in which the object may face, [4, f]."""
    return np.stack([np.concatenate([found.part_features, place.part()]) for place in found.places])


def _average_fronts(ranking: Ranking, found: PartStudy, fronts: Array) -> Array:
    tried = found.tried
    scores = []
    for part, place in zip(stack_part_features(found), found.places):
        motions = np.hstack([found.features, place.motions(tried.turns, tried.axis, tried.pivot)])
        scores.append(ranking.scores(part, motions))
    return np.logaddexp.reduce(np.stack(scores) + fronts[:, None], axis=0)


@dataclass(frozen=True)
class PartOdds:
    """chances: of each of KINDS; score: of each candidate, [c]."""

    chances: dict[str, float]
    score: Array

    @property
    def kind(self) -> str:
        return max(KINDS, key=lambda kind: self.chances[kind])


def rank_parts(studies: Sequence[PartStudy | None]) -> list[PartOdds | None]:
    """How likely each part is fixed, turns and slides, and the scores of its candidates."""
    pairs = zip(studies, score_parts(studies), strict=True)
    return [None if found is None or scores is None else _compute_odds(found, scores) for found, scores in pairs]


def _compute_odds(found: PartStudy, scores: Array) -> PartOdds:
    scores = scores - FIXED_LEAD * (np.arange(len(scores)) == 0)
    share = np.exp(scores - scores.max())
    share /= share.sum()
    turns = found.tried.turns
    chances = (share[0], share[1:][turns].sum(), share[1:][~turns].sum())
    return PartOdds({kind: float(chance) for kind, chance in zip(KINDS, chances)}, scores[1:])
