"""A flow over the parts of an object: from noise to rows of numbers, one row a part, by the kind of the object.

    x_t = (1 - t) noise + t x,    the network tells the velocity x - noise at (x_t, t),

and an object is drawn by following the velocity from t = 0 to 1.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from neurok.networks.attention import Attention, Perceptron

TIME_WAVES = 16


@dataclass(frozen=True)
class FlowSize:
    """features: of a row; context: numbers of each row that are known; kinds, sources: of objects; one more of kinds
    stands for any."""

    features: int
    context: int = 0
    rows: int = 20
    width: int = 128
    heads: int = 4
    layers: int = 6
    kinds: int = 80
    sources: int = 3


class FlowBlock(nn.Module):
    """Attention among the rows and a two-layer map, both scaled and shifted by what is known of the object."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.before = nn.LayerNorm(width, elementwise_affine=False)
        self.attention = Attention(width, heads)
        self.between = nn.LayerNorm(width, elementwise_affine=False)
        self.map = Perceptron(width, 3 * width, width)
        self.modulate = nn.Linear(width, 6 * width)
        nn.init.zeros_(self.modulate.weight)
        nn.init.zeros_(self.modulate.bias)

    def forward(self, x: Tensor, known: Tensor) -> Tensor:
        shift, scale, gate, shift_2, scale_2, gate_2 = self.modulate(known)[:, None].chunk(6, dim=-1)
        own = self.before(x) * (1 + scale) + shift
        x = x + gate * self.attention(own, own)
        return x + gate_2 * self.map(self.between(x) * (1 + scale_2) + shift_2)


class PartFlow(nn.Module):
    """The velocity of rows [b, rows, features] at times [b], for kinds [b] and sources [b]."""

    def __init__(self, size: FlowSize) -> None:
        super().__init__()
        self.size = size
        w = size.width
        self.enter = nn.Linear(size.features + size.context, w)
        self.row = nn.Parameter(0.5 * torch.randn(size.rows, w))
        self.kind = nn.Embedding(size.kinds + 1, w)
        self.source = nn.Embedding(size.sources, w)
        self.time = Perceptron(2 * TIME_WAVES, w, w)
        self.blocks = nn.ModuleList(FlowBlock(w, size.heads) for _ in range(size.layers))
        self.settle = nn.LayerNorm(w)
        self.leave = nn.Linear(w, size.features)
        nn.init.zeros_(self.leave.weight)
        nn.init.zeros_(self.leave.bias)

    @property
    def any_kind(self) -> int:
        return self.size.kinds

    def forward(self, x: Tensor, t: Tensor, kind: Tensor, source: Tensor, context: Tensor | None = None) -> Tensor:
        waves = t[:, None] * (2.0 ** torch.linspace(0.0, 9.0, TIME_WAVES)).to(t)
        known = self.time(torch.cat([waves.sin(), waves.cos()], dim=1)) + self.kind(kind) + self.source(source)
        known = nn.functional.silu(known)
        x = self.enter(x if context is None else torch.cat([x, context], dim=-1)) + self.row
        for block in self.blocks:
            x = block(x, known)
        return self.leave(self.settle(x))


def follow_flow(
    flow: PartFlow, noise: Tensor, kind: Tensor, source: Tensor, context: Tensor | None = None, *,
    steps: int = 40, guidance: float = 1.0,
) -> Tensor:  # fmt: skip
    """Rows drawn from noise [b, rows, features]; guidance: how much the kind counts beyond any kind, 1 for plain."""
    x, anything = noise, torch.full_like(kind, flow.any_kind)
    times = torch.linspace(0.0, 1.0, steps + 1)
    for before, after in zip(times, times[1:]):
        first = _find_velocity(flow, (x, before), (kind, anything, source), context, guidance)
        if after < 1.0:
            second = _find_velocity(
                flow, (x + (after - before) * first, after), (kind, anything, source), context, guidance
            )
            first = (first + second) / 2
        x = x + (after - before) * first
    return x


def _find_velocity(
    flow: PartFlow, at: tuple[Tensor, Tensor], known: tuple[Tensor, Tensor, Tensor], context: Tensor | None,
    guidance: float,
) -> Tensor:  # fmt: skip
    x, t = at[0], at[1].expand(len(at[0]))
    kind, anything, source = known
    told = flow(x, t, kind, source, context)
    if guidance == 1.0:
        return told
    plain = flow(x, t, anything, source, context)
    return plain + guidance * (told - plain)
