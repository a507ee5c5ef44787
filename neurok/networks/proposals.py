"""What each handle votes: which handles it moves with, by which twists, how far; and modes proposed from that.

A mode is proposed at a handle that moves, together with the handles that move with it, and its screw is the mean of
their votes, so that the error of one is averaged away. Proposals prefer motion that earlier ones left unexplained.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from neurok.networks.attention import Perceptron
from neurok.networks.shapes import PAIR_WIDTH, HandleGeometry

# The unit in which the network gives turns [diagonals per radian]: it votes (v, TURN_UNIT w), and its weights depend on
# that. It is no metric: how far a twist moves a handle is in geometry.handle_metric.
TURN_UNIT = 0.15
TWISTS_PER_HANDLE = 2
PLACE_WIDTH = 24  # numbers by which handles find those they move with


@dataclass(frozen=True)
class Votes:
    """together: logits that two handles move as one, [b, h, h]. own: twists of each handle about its own centre,
    (v, TURN_UNIT w), of unit length, [b, h, TWISTS_PER_HANDLE, 6]. amplitude: how far each takes it [diagonals],
    [b, h, TWISTS_PER_HANDLE]."""

    together: Tensor
    own: Tensor
    amplitude: Tensor


@dataclass(frozen=True)
class Proposals:
    """Modes as the votes have it. seat: the handle each is proposed at, [b, m]. gate: logits, [b, h, m].
    screw: (v, w) about the origin at one deviation, [b, m, 6]."""

    seat: Tensor
    gate: Tensor
    screw: Tensor


class Voting(nn.Module):
    """Tokens, and how handles lie to each other -> Votes."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.place = Perceptron(width, width, PLACE_WIDTH)
        self.sharp = nn.Parameter(torch.tensor([1.0, 3.0]))
        self.own = Perceptron(width, width, TWISTS_PER_HANDLE * 7)
        self.pair = Perceptron(PAIR_WIDTH + PLACE_WIDTH, 48, 1)
        nn.init.zeros_(self.pair.last.weight)

    def forward(self, tokens: Tensor, pairs: Tensor) -> Votes:
        place = self.place(tokens)
        square = (place[:, :, None] - place[:, None]).square()
        own = self.own(tokens).unflatten(-1, (TWISTS_PER_HANDLE, 7))
        amplitude = 0.1 * functional.softplus(own[..., 6])
        together = self.sharp[1] - self.sharp[0].exp() * square.mean(-1)
        together = together + self.pair(torch.cat([pairs, square], dim=-1))[..., 0]
        return Votes(together, functional.normalize(own[..., :6], dim=-1), amplitude)


def propose(votes: Votes, geometry: HandleGeometry, count: int) -> Proposals:
    """Seat `count` modes where handles move farthest and no earlier mode takes them along."""
    b, h, t = votes.amplitude.shape
    # Handles that more likely than not move with a seat are explained by it: a part needs one mode, not several halves.
    alike = (2.0 * votes.together.detach().sigmoid() - 0.25).clamp(0.0, 1.0)
    left = votes.amplitude.detach().flatten(1).clone()
    picks = []
    rows = torch.arange(b, device=left.device)
    for _ in range(count):
        pick = left.argmax(1)
        picks.append(pick)
        seat, which = pick // t, pick % t
        # The same twist of everything that moves with this seat is explained; the other twists are not.
        explained = alike[rows, seat][:, :, None] * (torch.arange(t, device=left.device) == which[:, None])[:, None]
        left = left * (1.0 - 0.95 * explained.flatten(1))
    pick = torch.stack(picks, dim=1)
    seat, which = pick // t, pick % t
    gate = votes.together.gather(2, seat[:, None].expand(b, h, count))
    return Proposals(seat, gate, _mean_screw(votes, geometry, gate, seat, which))


def _mean_screw(votes: Votes, geometry: HandleGeometry, gate: Tensor, seat: Tensor, which: Tensor) -> Tensor:
    """The mean of the twists that the handles of each mode vote for, about the origin, [b, m, 6].

    A twist and its opposite are the same mode, so each vote is turned to agree with the one at the seat.
    """
    b = len(gate)
    voted = about_origin(votes.own * votes.amplitude[..., None], geometry.centre)  # [b, h, t, 6]
    rows = torch.arange(b, device=seat.device)[:, None]
    lead = voted[rows, seat, which]  # [b, m, 6]
    voted = voted.movedim(2, 1)[rows, which]  # [b, m, h, 6]
    scale = voted.new_tensor([1.0, 1.0, 1.0, TURN_UNIT, TURN_UNIT, TURN_UNIT])  # as the network votes
    cosine = functional.cosine_similarity(voted * scale, lead[:, :, None] * scale, dim=-1)
    weight = gate.transpose(1, 2).sigmoid() * (geometry.area[:, None] + 1e-3)
    weight = weight / weight.sum(-1, keepdim=True)
    return (weight[..., None] * (8.0 * cosine).tanh()[..., None] * voted).sum(2)


def about_origin(own: Tensor, centre: Tensor) -> Tensor:
    """Twists (v, TURN_UNIT w) about handles' centres [b, h, t, 6] as (v, w) about the origin."""
    w = own[..., 3:] / TURN_UNIT
    return torch.cat([own[..., :3] + torch.linalg.cross(centre[:, :, None].expand_as(w), w), w], dim=-1)


def about_centre(twist: Tensor, centre: Tensor) -> Tensor:
    """The inverse of `about_origin`, [b, h, s, 6]."""
    w = twist[..., 3:]
    return torch.cat([twist[..., :3] + torch.linalg.cross(w, centre[:, :, None].expand_as(w)), TURN_UNIT * w], dim=-1)
