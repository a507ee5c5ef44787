"""The basis network: from a shape to its modes of motion, F(q) = skin o exp(B q).

Each handle becomes a token; tokens attend to each other and vote for modes (see `proposals`). The modes attend to the
tokens and correct the proposals: which handles follow a motion (the gate), about which screw, and how each handle
departs from it. The correction of a screw is read off the shape: axis and pivot are weighted points and normals of the
surface, so that they turn with it.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from neurok.errors import InputError
from neurok.geometry.regions import REGION_FEATURE_COUNT
from neurok.networks.attention import AttentionBlock, Perceptron, embed_fourier
from neurok.networks.proposals import Proposals, Votes, Voting, propose
from neurok.networks.shapes import PAIR_WIDTH, HandleGeometry, Shapes, handle_geometry, pair_features

POINTER_COUNT = 4  # surface points a mode refers to: two ends of its axis, two of its shift

# Of a basis, in diagonals and radians. Beyond it squares of squares, as a fit sums them, are no numbers any more in
# single precision; the shipped weights give 17 at most (seven made objects of all sorts).
MAX_BASIS_VALUE = 1e6


@dataclass(frozen=True)
class BasisSize:
    """width of the tokens, heads of attention, blocks among handles, blocks of the modes, number of modes."""

    width: int = 128
    heads: int = 4
    blocks: int = 6
    mode_blocks: int = 3
    modes: int = 16


BASIS_SIZES = {
    "tiny": BasisSize(48, 3, 2, 1),
    "base": BasisSize(),
    "large": BasisSize(256, 8, 8, 4),
}


@dataclass(frozen=True)
class Basis:
    """b bases of m modes on h handles, with what they were made of.

    twist: (v, w) of each handle per unit of each coordinate about the canonical origin, [b, h, m, 6].
    gate: how far a handle follows the mode's screw, 0 to 1, [b, h, m]. screw: [b, m, 6]. votes: of the handles.
    bounds: how far a coordinate goes below and above rest, both >= 0, [b, m, 2]: a lid that is shut only opens.
    soft_logit: that the shape is a soft body, which bends or walks, and not articulated, with few moving parts, [b].
    """

    twist: Tensor
    gate: Tensor
    screw: Tensor
    votes: Votes
    bounds: Tensor
    soft_logit: Tensor


def check_basis(basis: Basis) -> Basis:
    """The basis; an InputError where it holds what no motion can be: the weights are numbers, and still no use."""
    for values in (basis.twist, basis.gate, basis.screw, basis.bounds, basis.soft_logit):
        if not bool(torch.isfinite(values).all()) or float(values.abs().max()) > MAX_BASIS_VALUE:
            raise InputError("the weights give motions without measure or no numbers at all", "take other weights")
    return basis


class BasisNetwork(nn.Module):
    """Shapes -> Basis."""

    def __init__(self, size: BasisSize) -> None:
        super().__init__()
        w = size.width
        self.size = size
        self.point = Perceptron(3 * 13 + 3 + REGION_FEATURE_COUNT + 3, w, w)
        self.pool = nn.Linear(w, 4)
        self.token = Perceptron(5 * w + 3 * 13 + 3 + 6 + 1 + REGION_FEATURE_COUNT, w, w)
        self.pair = Perceptron(PAIR_WIDTH, 32, size.heads * size.blocks)
        self.blocks = nn.ModuleList(AttentionBlock(w, size.heads) for _ in range(size.blocks))
        self.voting = Voting(w)
        self.seat = nn.Linear(w, w)
        self.screw_in = Perceptron(6, w, w)
        self.queries = nn.Parameter(torch.randn(size.modes, w) * 0.1)
        self.look = nn.ModuleList(AttentionBlock(w, size.heads, cross=True) for _ in range(size.mode_blocks))
        self.talk = nn.ModuleList(AttentionBlock(w, size.heads) for _ in range(size.mode_blocks))
        self.settle_tokens, self.settle_modes = nn.LayerNorm(w), nn.LayerNorm(w)
        self.gate_token, self.gate_mode = Perceptron(w, w, 64), Perceptron(w, w, 64)
        self.gate_bias = nn.Linear(w, 1)
        self.point_key = nn.Linear(2 * w, 64)
        self.pointer = Perceptron(w, w, POINTER_COUNT * 64)
        self.lean_token, self.lean_mode = nn.Linear(w, 2 * 32), nn.Linear(w, 2 * 32)
        self.direct = Perceptron(w, w, 2 + 6)
        self.rest_token, self.rest_mode = nn.Linear(w, 64), nn.Linear(w, 64)
        self.rest = nn.Linear(64, 6)
        self.scale = nn.Linear(w, 1)
        self.sides = Perceptron(w, w, 2)
        self.bends = Perceptron(2 * w, w, 1)
        # Modes begin as proposed.
        for last in (self.direct.last, self.lean_mode, self.rest, self.scale, self.gate_bias):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, shapes: Shapes, geometry: HandleGeometry | None = None) -> Basis:
        geometry = handle_geometry(shapes) if geometry is None else geometry
        points = self._points(shapes, geometry)
        tokens = self._tokens(points, shapes, geometry)
        pairs = pair_features(shapes, geometry)
        bias = self.pair(pairs).movedim(-1, 1).chunk(len(self.blocks), dim=1)
        for block, each in zip(self.blocks, bias):
            tokens = block(tokens, bias=each)
        tokens = self.settle_tokens(tokens)
        votes = self.voting(tokens, pairs)
        proposals = propose(votes, geometry, self.size.modes)
        seats = tokens.gather(1, proposals.seat[..., None].expand(-1, -1, tokens.shape[2]))
        modes = self.queries + self.seat(seats) + self.screw_in(4.0 * proposals.screw.detach())
        for look, talk in zip(self.look, self.talk):
            modes = talk(look(modes, tokens))
        return self._basis(points, tokens, self.settle_modes(modes), shapes, geometry, votes, proposals)

    def _points(self, shapes: Shapes, geometry: HandleGeometry) -> Tensor:
        """Features of each point, [b, n, w]."""
        centre = shapes.owned.transpose(1, 2) @ geometry.centre
        inputs = [embed_fourier(shapes.position), shapes.normal, shapes.region, 8.0 * (shapes.position - centre)]
        return functional.relu(self.point(torch.cat(inputs, dim=-1)))

    def _tokens(self, points: Tensor, shapes: Shapes, geometry: HandleGeometry) -> Tensor:
        """One token per handle: averages of its points' features, plain and by four learned weightings, [b, h, w]."""
        owned = shapes.owned
        pooled = [geometry.mean @ points]
        for score in self.pool(points).clamp(-10, 10).exp().unbind(-1):
            weight = owned * score[:, None, :]
            pooled.append((weight / weight.sum(-1, keepdim=True).clamp_min(1e-9)) @ points)
        upper = torch.triu_indices(3, 3, device=points.device)
        own = [
            embed_fourier(geometry.centre), geometry.normal, 50.0 * geometry.moments[..., upper[0], upper[1]],
            (geometry.area[..., None] + 1e-4).log() * 0.2, geometry.mean @ shapes.region,
        ]  # fmt: skip
        return self.token(torch.cat([*pooled, *own], dim=-1))

    def _basis(
        self, points: Tensor, tokens: Tensor, modes: Tensor, shapes: Shapes, geometry: HandleGeometry,
        votes: Votes, proposals: Proposals,
    ) -> Basis:  # fmt: skip
        scores = self.gate_token(tokens) @ self.gate_mode(modes).transpose(1, 2) * 0.125
        gate = (proposals.gate + scores + self.gate_bias(modes).transpose(1, 2)).sigmoid()
        screw = self.scale(modes).exp() * proposals.screw + self._screws(points, tokens, modes, shapes, geometry)
        rest = self.rest(functional.relu(self.rest_token(tokens)[:, :, None] + self.rest_mode(modes)[:, None]))
        # The departure is given about the handle's own centre: a turn there leaves the centre where it is.
        turn = rest[..., 3:]
        shift = 0.3 * rest[..., :3] + torch.linalg.cross(geometry.centre[:, :, None].expand_as(turn), turn)
        twist = gate[..., None] * (screw[:, None] + torch.cat([shift, turn], dim=-1))
        soft_logit = self.bends(torch.cat([tokens.mean(1), tokens.amax(1)], dim=-1))[:, 0]
        return Basis(twist, gate, screw, votes, functional.softplus(self.sides(modes) + 1.0), soft_logit)

    def _screws(
        self, points: Tensor, tokens: Tensor, modes: Tensor, shapes: Shapes, geometry: HandleGeometry
    ) -> Tensor:
        """(v, w) of each mode about the origin, [b, m, 6]."""
        owner_token = shapes.owned.transpose(1, 2) @ tokens
        keys = self.point_key(torch.cat([points, owner_token], dim=-1))
        asked = self.pointer(modes).unflatten(-1, (POINTER_COUNT, 64)).flatten(1, 2)
        found = ((asked @ keys.transpose(1, 2)) * 64**-0.5).softmax(-1) @ shapes.position
        pivot, end, start, goal = found.unflatten(1, (-1, POINTER_COUNT)).unbind(2)
        lean = self.lean_token(tokens).unflatten(-1, (2, 32)).movedim(2, 1)
        by = self.lean_mode(modes).unflatten(-1, (2, 32)).movedim(2, 1)
        normals = (by @ lean.transpose(-1, -2)) * (32**-0.5 / tokens.shape[1]) @ geometry.normal[:, None]
        direct = self.direct(modes)
        turn = 4.0 * direct[..., :1] * (end - pivot) + normals[:, 0] + direct[..., 2:5]
        shift = direct[..., 1:2] * (goal - start) + 0.3 * (normals[:, 1] + direct[..., 5:8])
        return torch.cat([torch.linalg.cross(pivot, turn) + shift, turn], dim=-1)
