"""The code of a part: shape, colour and material of what is in a box, as a few tokens, and back.

Points on the part's surface, in its box, are read by tokens in two streams: one of place and colour, one of place and
material. The streams exchange what they know by attention. To read a code, points ask its tokens: how far is the
surface, which colour, which material? For comparison the streams may be apart, or one.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from neurok.networks.attention import AttentionBlock, Perceptron, embed_fourier

OCTAVES = 4
NOISE = 0.1  # added to codes in training, whose numbers are about one: near codes then mean near parts
QUANTITIES = ("young", "poisson", "yield_stress", "friction_angle", "density")
FLOOR = 1e-6


@dataclass(frozen=True)
class CodeSize:
    """streams: 'joint', 'apart' (nothing is exchanged) or 'fused' (one stream of everything).

    matter: numbers that tell a point's material to the encoder; materials: kinds of material that are told apart.
    """

    width: int = 64
    heads: int = 4
    tokens: int = 8
    channels: int = 8
    layers: int = 2
    matter: int = 14
    materials: int = 52
    streams: str = "joint"

    @property
    def code(self) -> int:
        return self.tokens * self.channels

    @property
    def matter_tokens(self) -> int:
        """Those of the stream of materials; the last ones."""
        return self.tokens // 4


@dataclass(frozen=True)
class CodedSurface:
    """Points on parts: place [b, s, 3] in the box, color sRGB [b, s, 3], matter [b, s, m]; aspect: logarithms of the
    half sides over the greatest, [b, 3]."""

    place: Tensor
    color: Tensor
    matter: Tensor
    aspect: Tensor


@dataclass(frozen=True)
class PartField:
    """What is at points about parts: distance [half sides, over REACH], [b, q]; color [b, q, 3]; logits of materials
    [b, q, k]; quantities, normalised, [b, q, 5]."""

    distance: Tensor
    color: Tensor
    logits: Tensor
    quantities: Tensor


class PartCoder(nn.Module):
    """Surfaces of parts to codes [b, code], and codes to fields."""

    def __init__(self, size: CodeSize) -> None:
        super().__init__()
        self.size = size
        w, place = size.width, 3 * (1 + 2 * OCTAVES)
        looks = size.matter if size.streams == "fused" else 0
        self.see = Perceptron(place + 3 + looks + 3, w, w)
        self.feel = Perceptron(place + size.matter + 3, w, w)
        self.ask = nn.Parameter(torch.randn(size.tokens, w))
        self.read = nn.ModuleList(AttentionBlock(w, size.heads, cross=True) for _ in range(2))
        self.exchange = nn.ModuleList(AttentionBlock(w, size.heads) for _ in range(1))
        self.shrink = nn.Linear(w, size.channels)
        self.grow = nn.Linear(size.channels, w)
        self.aspect = Perceptron(3, w, w)
        self.mark = nn.Parameter(0.5 * torch.randn(size.tokens, w))
        self.talk = nn.ModuleList(AttentionBlock(w, size.heads) for _ in range(size.layers))
        self.query = Perceptron(place, w, w)
        self.look = nn.ModuleList(AttentionBlock(w, size.heads, cross=True) for _ in range(size.layers))
        self.settle = nn.LayerNorm(w)
        self.shape = Perceptron(w, w, 4)
        self.matter = Perceptron(w, w, size.materials + len(QUANTITIES))

    def encode(self, surface: CodedSurface) -> Tensor:
        """Codes of about unit size, [b, code]."""
        place = embed_fourier(surface.place, OCTAVES)
        aspect = surface.aspect[:, None].expand(-1, place.shape[1], -1)
        seen = [place, surface.color, aspect] + ([surface.matter] if self.size.streams == "fused" else [])
        tokens = self.ask.expand(len(place), -1, -1)
        shape, matter = self._split(tokens)
        shape = self.read[0](shape, self.see(torch.cat(seen, dim=-1)))
        if self.size.streams == "fused":
            matter = self.read[0](matter, self.see(torch.cat(seen, dim=-1)))
        else:
            matter = self.read[1](matter, self.feel(torch.cat([place, surface.matter, aspect], dim=-1)))
        tokens = torch.cat([shape, matter], dim=1)
        for block in self.exchange:
            tokens = block(tokens, bias=self._bias(tokens))
        code = self.shrink(tokens)
        return (code * (code.square().mean(dim=(1, 2), keepdim=True) + FLOOR).rsqrt()).flatten(1)

    def decode(self, code: Tensor, aspect: Tensor, points: Tensor) -> PartField:
        """The field of codes [b, code] at points in the box, [b, q, 3]."""
        tokens = self.grow(code.unflatten(1, (self.size.tokens, -1))) + self.mark + self.aspect(aspect)[:, None]
        for block in self.talk:
            tokens = block(tokens, bias=self._bias(tokens))
        asked = self.query(embed_fourier(points, OCTAVES))
        shape, matter = self._split(tokens) if self.size.streams == "apart" else (tokens, tokens)
        x = self._ask(asked, shape)
        told = self.shape(x)
        y = self._ask(asked, matter) if self.size.streams == "apart" else x
        made = self.matter(y)
        count = self.size.materials
        return PartField(told[..., 0], told[..., 1:], made[..., :count], made[..., count:])

    def _ask(self, x: Tensor, tokens: Tensor) -> Tensor:
        for block in self.look:
            x = block(x, tokens)
        return self.settle(x)

    def _split(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """The tokens of shape and colour, and those of material."""
        own = self.size.tokens - self.size.matter_tokens
        return tokens[:, :own], tokens[:, own:]

    def _bias(self, tokens: Tensor) -> Tensor | None:
        """Where the streams are apart, what keeps their tokens from each other, [t, t]."""
        if self.size.streams != "apart":
            return None
        stream = torch.arange(self.size.tokens) >= self.size.tokens - self.size.matter_tokens
        return torch.where(stream[:, None] == stream[None], 0.0, -1e9).to(tokens)
