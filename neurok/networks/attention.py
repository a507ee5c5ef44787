"""Attention blocks: tokens attend to themselves or to other tokens, with an optional bias for each pair."""

import torch
from torch import Tensor, nn
from torch.nn import functional


class Attention(nn.Module):
    """Queries [b, q, w] attend to tokens [b, t, w]; bias [b, heads, q, t] is added to the scores."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.ask = nn.Linear(width, width, bias=False)
        self.tell = nn.Linear(width, 2 * width, bias=False)
        self.out = nn.Linear(width, width)

    def forward(self, queries: Tensor, tokens: Tensor, bias: Tensor | None = None) -> Tensor:
        q = self._split(self.ask(queries))
        k, v = (self._split(x) for x in self.tell(tokens).chunk(2, dim=-1))
        # The fused kernels have no forward derivative, which inverse kinematics through `points` needs; and at the
        # few dozen tokens here the plain products are as fast.
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        if bias is not None:
            scores = scores + bias
        mixed = scores.softmax(dim=-1) @ v
        return self.out(mixed.transpose(1, 2).flatten(2))

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class AttentionBlock(nn.Module):
    """Attention to oneself or to other tokens, then a two-layer map, each added to its input; see `_activate`."""

    def __init__(self, width: int, heads: int, ratio: int = 3, *, cross: bool = False, smooth: bool = False) -> None:
        super().__init__()
        self.smooth = smooth
        norm = PlainNorm if smooth else nn.LayerNorm
        self.before = norm(width)
        self.others = norm(width) if cross else None
        self.attention = Attention(width, heads)
        self.between = norm(width)
        self.wide = nn.Linear(width, ratio * width)
        self.narrow = nn.Linear(ratio * width, width)

    def forward(self, x: Tensor, tokens: Tensor | None = None, bias: Tensor | None = None) -> Tensor:
        own = self.before(x)
        attended = own if self.others is None or tokens is None else self.others(tokens)
        x = x + self.attention(own, attended, bias)
        return x + self.narrow(_activate(self.wide(self.between(x)), self.smooth))


class PlainNorm(nn.LayerNorm):
    """Layer normalisation written out: the fused one's second forward derivative is wrong (torch 2.13).

    In training, where there is none, the fused one is taken: it is several times as fast.
    """

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            return super().forward(x)
        apart = x - x.mean(-1, keepdim=True)
        scale = (apart.square().mean(-1, keepdim=True) + self.eps).rsqrt()
        return apart * scale * self.weight + self.bias


class Perceptron(nn.Module):
    """Linear maps with an activation between them; see `_activate`."""

    def __init__(self, *widths: int, smooth: bool = False) -> None:
        super().__init__()
        self.smooth = smooth
        layers = [nn.Linear(a, b) for a, b in zip(widths, widths[1:])]
        self.layers = nn.ModuleList(layers)
        # So that what differs between inputs still differs, at the same size, after every layer.
        for layer in layers:
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu" if layer is not layers[-1] else "linear")
            nn.init.zeros_(layer.bias)

    @property
    def last(self) -> nn.Linear:
        """The layer that gives the output."""
        layer = self.layers[-1]
        assert isinstance(layer, nn.Linear)
        return layer

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers[:-1]:
            x = _activate(layer(x), self.smooth)
        return self.last(x)


def _activate(x: Tensor, smooth: bool) -> Tensor:
    """ReLU; or GELU, twice as slow, where the state itself goes through: forces then have no jumps."""
    return functional.gelu(x, approximate="tanh") if smooth else functional.relu(x)


def embed_fourier(x: Tensor, octaves: int = 6) -> Tensor:
    """x and the sines and cosines of 2^i pi x; [..., c] -> [..., c (1 + 2 octaves)]."""
    angle = x[..., None] * (torch.pi * 2.0 ** torch.arange(octaves, dtype=x.dtype, device=x.device))
    return torch.cat([x, angle.sin().flatten(-2), angle.cos().flatten(-2)], dim=-1)
