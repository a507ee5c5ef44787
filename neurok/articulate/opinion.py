"""Opinion: what one or several trained networks say of the parts of a shape, averaged."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from neurok.articulate.batches import CandidateBatch, JointBatch, make_batch
from neurok.articulate.network import AXIS_SCALE, LINE_SCALE, Answer, ArticulationNetwork
from neurok.articulate.observation import JointObservation
from neurok.geometry.arrays import Array, Mask


@dataclass(frozen=True)
class Opinion:
    """type: log chances of being fixed, turning, sliding, [p, 3]. Ideas of all networks side by side: turns [q], share
    (log, among those of its type) [p, q], axis, pivot [p, q, 3], limits [rad, or diagonals] [p, q, 2], endless
    (chance) [p, q]. parent: log chance of hanging on the base, and on each part, [p, 1 + p]."""

    type: Array
    turns: Mask
    share: Array
    axis: Array
    pivot: Array
    limits: Array
    endless: Array
    parent: Array

    def best_idea(self, part: int, turns: bool) -> int:
        """The idea with most others near it, counted by their shares."""
        mine = np.flatnonzero(self.turns == turns)
        share = np.exp(self.share[part, mine])
        return int(mine[find_mode(self.axis[part, mine], self.pivot[part, mine], share, turns)])

    def is_endless(self, part: int, idea: int) -> bool:
        """Whether an idea more likely than not turns without limits."""
        return bool(self.endless[part, idea] > 0.5)


@dataclass(frozen=True)
class CandidateScores:
    """What the networks say of the search's candidates. fixed: log chance that a part is fixed, [p]; moving: log
    chance of each candidate, [c]; both normalised over a part."""

    fixed: Array
    moving: Array


def find_mode(axis: Array, pivot: Array, weight: Array, turns: bool) -> int:
    """Of motions of one type, axis and pivot [c, 3], the one with most others near it, counted by their weights [c].

    It is a mode, not a mean: between a hinge on the left and one on the right lies none. It is not the heaviest one:
    several that are nearly one motion share what speaks for it.
    """
    apart = np.stack([measure_ideas(axis, pivot, *one, turns) for one in zip(axis, pivot)])
    return int(np.argmax(np.exp(-apart) @ weight))


def measure_ideas(axis: Array, pivot: Array, true_axis: Array, true_pivot: Array, turns: bool) -> Array:
    """The distances of motions, axis and pivot [c, 3], from one motion, as in `network.measure_distance`, [c]."""
    apart = np.sqrt(np.maximum(1.0 - (axis @ true_axis) ** 2, 0.0)) / AXIS_SCALE
    if turns:
        arm = pivot - true_pivot
        apart = apart + np.linalg.norm(arm - (arm @ true_axis)[:, None] * true_axis, axis=1) / LINE_SCALE
    return apart


@torch.no_grad()
def ask_networks(networks: Sequence[ArticulationNetwork], observation: JointObservation) -> Opinion:
    """What all networks say of one shape."""
    batch = make_batch([observation])
    return _average_answers([network(batch) for network in networks], batch)


@torch.no_grad()
def judge_candidates(
    networks: Sequence[ArticulationNetwork], observation: JointObservation, candidates: CandidateBatch
) -> tuple[Opinion, CandidateScores]:
    """What all networks say of one shape and of the search's candidates."""
    batch = make_batch([observation])
    answers = [network(batch) for network in networks]
    fixed, moving = zip(*(_score_candidates(one, answer, batch, candidates) for one, answer in zip(networks, answers)))
    # Networks are surer than they are right, so chances are averaged, not their logarithms: none has a veto.
    scores = (np.logaddexp.reduce(values, axis=0) - np.log(len(networks)) for values in (fixed, moving))
    return _average_answers(answers, batch), CandidateScores(*scores)


def _average_answers(answers: Sequence[Answer], batch: JointBatch) -> Opinion:
    """Mean log chances of types and parents, and the ideas of all answers side by side."""
    motions = [answer.motions for answer in answers]
    scale = torch.where(motions[0].turns, torch.pi, 2 * batch.reach[:, None])[..., None]
    return Opinion(
        type=_average_logits([answer.type for answer in answers]),
        turns=torch.cat([each.turns for each in motions]).numpy(),
        share=_concatenate([each.shares() for each in motions]) - np.log(len(answers)),
        axis=_concatenate([each.axis for each in motions]),
        pivot=_concatenate([each.pivot for each in motions]),
        limits=_concatenate([each.limits * scale for each in motions]),
        endless=_concatenate([each.endless.sigmoid() for each in motions]),
        parent=_average_logits([answer.parent[0] for answer in answers]),
    )


def _average_logits(logits: Sequence[torch.Tensor]) -> Array:
    return torch.stack([each.log_softmax(-1) for each in logits]).mean(0).log_softmax(-1).double().numpy()


def _concatenate(ideas: Sequence[torch.Tensor]) -> Array:
    return torch.cat(list(ideas), dim=1).double().numpy()


def _score_candidates(
    network: ArticulationNetwork, answer: Answer, batch: JointBatch, candidates: CandidateBatch
) -> tuple[Array, Array]:
    """A network's log chances that each part is fixed [p] and of every candidate [c], normalised over a part."""
    part = candidates.part.numpy()
    fixed, moving = (scores.double().numpy() for scores in network.judge_candidates(answer, batch, candidates))
    top = fixed.copy()
    np.maximum.at(top, part, moving)
    total = np.exp(fixed - top)
    np.add.at(total, part, np.exp(moving - top[part]))
    whole = top + np.log(total)
    return fixed - whole, moving - whole[part]


def compute_type_chances(fixed: float, moving: Array, turns: Mask) -> Array:
    """Log chances of being fixed, turning and sliding, from the scores of one part and its candidates [c], [3]."""
    logs = np.array([fixed, *(np.logaddexp.reduce(moving[of_type]) for of_type in (turns, ~turns))])
    return logs - np.logaddexp.reduce(logs)
