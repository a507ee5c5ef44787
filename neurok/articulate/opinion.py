"""Opinions: what one or several trained networks say of a shape, averaged, and decided."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from neurok.articulate.batches import CandidateBatch, JointBatch, make_batch
from neurok.articulate.network import SHARP_AXIS, SHARP_LINE, Answer, ArticulationNetwork
from neurok.articulate.observation import Observation
from neurok.geometry.arrays import Array

# Added to the log of the chance of staying before types are compared; chosen on shapes held out of the training.
LEAD_NETWORK, LEAD_BOTH = 0.0, 0.0


@dataclass(frozen=True)
class Opinion:
    """type: log chances of staying, turning, sliding, [p, 3]. Ideas of all networks side by side: turns [q], share
    (log, among those of its kind) [p, q], axis, pivot [p, q, 3], limits [rad, or diagonals] [p, q, 2], endless
    (chance) [p, q]. parent: log chance of hanging on what stays, and on each part, [p, 1 + p]. stays, scores: of the
    search's candidates, log chances, [p] and [c]; None without."""

    type: Array
    turns: Array
    share: Array
    axis: Array
    pivot: Array
    limits: Array
    endless: Array
    parent: Array
    stays: Array | None = None
    scores: Array | None = None

    def best_idea(self, part: int, turns: bool) -> int:
        """The idea with most others near it, counted by their shares."""
        mine = np.flatnonzero(self.turns == turns)
        share = np.exp(self.share[part, mine])
        return int(mine[find_mode(self.axis[part, mine], self.pivot[part, mine], share, turns)])


def find_mode(axis: Array, pivot: Array, weight: Array, turns: bool) -> int:
    """Of motions of one kind, axis and pivot [c, 3], the one with most others near it, counted by their weights [c].

    A mode, not a mean: between a hinge on the left and one on the right lies none. And not the heaviest: several that
    are nearly one motion share what speaks for it.
    """
    sine = np.sqrt(np.maximum(1.0 - (axis @ axis.T) ** 2, 0.0))
    apart = sine / SHARP_AXIS
    if turns:
        arm = pivot[None] - pivot[:, None]
        off = arm - np.einsum("ija,ia->ij", arm, axis)[..., None] * axis[:, None]
        apart = apart + np.linalg.norm(off, axis=-1) / SHARP_LINE
    return int(np.argmax(np.exp(-apart) @ weight))


@torch.no_grad()
def ask_networks(
    networks: Sequence[ArticulationNetwork], seen: Observation, tried: CandidateBatch | None = None
) -> Opinion:
    """Ask all networks about one shape; and about the candidates of the search where these are given."""
    batch = make_batch([seen])
    answers = [network(batch) for network in networks]
    motions = [answer.motions for answer in answers]
    scale = torch.where(motions[0].turns, torch.pi, 2 * batch.reach[:, None])[..., None]
    side = lambda name: torch.cat([getattr(m, name) for m in motions], dim=1).double().numpy()  # noqa: E731
    found = {
        "type": _averaged([a.type for a in answers]),
        "turns": torch.cat([m.turns for m in motions]).numpy(),
        "share": torch.cat([m.shares() for m in motions], dim=1).double().numpy() - np.log(len(answers)),
        "axis": side("axis"), "pivot": side("pivot"),
        "limits": torch.cat([m.limits * scale for m in motions], dim=1).double().numpy(),
        "endless": torch.cat([m.endless.sigmoid() for m in motions], dim=1).double().numpy(),
        "parent": _averaged([a.parent[0] for a in answers]),
    }  # fmt: skip
    if tried is not None:
        judged = [_judged(network, answer, batch, tried) for network, answer in zip(networks, answers)]
        # Networks are surer than they are right, so chances are averaged, not their logarithms: none has a veto.
        for name, values in zip(("stays", "scores"), zip(*judged)):
            found[name] = np.logaddexp.reduce(values, axis=0) - np.log(len(judged))
    return Opinion(**found)


def _averaged(logits: Sequence[torch.Tensor]) -> Array:
    return torch.stack([x.log_softmax(-1) for x in logits]).mean(0).log_softmax(-1).double().numpy()


def _judged(
    network: ArticulationNetwork, answer: Answer, batch: JointBatch, tried: CandidateBatch
) -> tuple[Array, Array]:
    """A network's log chances of each part's staying [p] and of every candidate [c], normalised over a part."""
    part = tried.part.numpy()
    stays, scores = (x.double().numpy() for x in network.judged(answer, batch, tried))
    top = stays.copy()
    np.maximum.at(top, part, scores)
    total = np.exp(stays - top)
    np.add.at(total, part, np.exp(scores - top[part]))
    whole = top + np.log(total)
    return stays - whole, scores - whole[part]


def compute_type_chances(stays: Array, scores: Array, turns: Array, lead: float = LEAD_BOTH) -> Array:
    """Of staying, turning and sliding, from the scores of one part's staying and candidates, [3]."""
    values = np.concatenate([[stays + lead], scores])
    share = np.exp(values - values.max())
    share /= share.sum()
    return np.array([share[0], share[1:][turns].sum(), share[1:][~turns].sum()])
