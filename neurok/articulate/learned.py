"""Opinions: what one or several trained networks say of a shape, averaged, and decided."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from neurok.articulate.batches import Judged, batch_of
from neurok.articulate.network import SHARP_AXIS, SHARP_LINE, ArticulationNetwork
from neurok.articulate.seen import Seen
from neurok.geometry.mesh import Array

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
        """The idea with most others near it, counted by their shares: a mode, not a mean."""
        mine = np.flatnonzero(self.turns == turns)
        axis, pivot, share = self.axis[part, mine], self.pivot[part, mine], np.exp(self.share[part, mine])
        sine = np.sqrt(np.maximum(1.0 - (axis @ axis.T) ** 2, 0.0))
        apart = sine / SHARP_AXIS
        if turns:
            arm = pivot[None] - pivot[:, None]
            off = arm - np.einsum("ija,ia->ij", arm, axis)[..., None] * axis[:, None]
            apart = apart + np.linalg.norm(off, axis=-1) / SHARP_LINE
        return int(mine[np.argmax(np.exp(-apart) @ share)])


@torch.no_grad()
def opinion(networks: Sequence[ArticulationNetwork], seen: Seen, tried: Judged | None = None) -> Opinion:
    """Ask all networks about one shape; and about the candidates of the search where these are given."""
    batch = batch_of([seen])
    answers = [network(batch) for network in networks]
    motions = [answer.motions for answer in answers]
    scale = torch.where(motions[0].turns, torch.pi, 2 * batch.reach[:, None])[..., None]
    side = lambda name: torch.cat([getattr(m, name) for m in motions], dim=1).double().numpy()  # noqa: E731
    found = {
        "type": _averaged([a.type for a in answers]),
        "turns": torch.cat([m.turns for m in motions]).numpy(),
        "share": torch.cat([m.shares() for m in motions], dim=1).double().numpy() - np.log(len(networks)),
        "axis": side("axis"), "pivot": side("pivot"),
        "limits": torch.cat([m.limits * scale for m in motions], dim=1).double().numpy(),
        "endless": torch.cat([m.endless.sigmoid() for m in motions], dim=1).double().numpy(),
        "parent": _averaged([a.parent[0] for a in answers]),
    }  # fmt: skip
    if tried is not None:
        found |= _judged(networks, answers, batch, tried)
    return Opinion(**found)


def _averaged(logits: Sequence[torch.Tensor]) -> Array:
    return torch.stack([x.log_softmax(-1) for x in logits]).mean(0).log_softmax(-1).double().numpy()


def _judged(networks, answers, batch, tried: Judged) -> dict[str, Array]:
    """Each network's scores normalised over a part's candidates and its staying; the log of the mean chance.

    Networks are surer than they are right, so chances are averaged, not their logarithms: one cannot veto another.
    """
    part = tried.part.numpy()
    stays_of, scores_of = [], []
    for network, answer in zip(networks, answers):
        stays, scores = (x.double().numpy() for x in network.judged(answer, batch, tried))
        top = stays.copy()
        np.maximum.at(top, part, scores)
        total = np.exp(stays - top)
        np.add.at(total, part, np.exp(scores - top[part]))
        whole = top + np.log(total)
        stays_of.append(stays - whole)
        scores_of.append(scores - whole[part])
    share = np.log(len(networks))
    return {
        "stays": np.logaddexp.reduce(stays_of, axis=0) - share, "scores": np.logaddexp.reduce(scores_of, axis=0) - share
    }  # fmt: skip


def chances(stays: Array, scores: Array, turns: Array, lead: float = LEAD_BOTH) -> Array:
    """Of staying, turning and sliding, from the scores of one part's staying and candidates, [3]."""
    values = np.concatenate([[stays + lead], scores])
    share = np.exp(values - values.max())
    share /= share.sum()
    return np.array([share[0], share[1:][turns].sum(), share[1:][~turns].sum()])
