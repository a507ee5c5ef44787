"""Parts of examples as tensors, and batches of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from neurok.geometry.arrays import Array, Indices
from neurok.networks.part_code import CodedSurface
from neurok.training.objects.examples import ObjectExample
from neurok.training.objects.matter import average_quantities, tell_matter

THICKER = 0.04  # half sides that every surface is taken outwards: thin sheets are hard to learn whole
REACH = 0.2  # half sides: distances beyond count as this
SEEN_COUNT, ASKED_COUNT = 128, 128  # points of a part that are read, and asked for, in a step
HIDDEN_SHARE = 0.3  # of known materials that the encoder is not told, so that it guesses where nobody knows


@dataclass(frozen=True)
class PartStore:
    """All parts. surface, color [p, s, 3], matter [p, s]: rows of told [r, 14] and chance [r, k], the first of them
    for what is unknown; field [p, f, 3], distance [p, f], field_color [p, f, 3], field_matter [p, f]; aspect [p, 3];
    quantities [r, 5] and has [r, 5]. owner: the object of each part, weight: its share of what is drawn, [p]."""

    surface: Tensor
    color: Tensor
    matter: Tensor
    field: Tensor
    distance: Tensor
    field_color: Tensor
    field_matter: Tensor
    aspect: Tensor
    told: Tensor
    chance: Tensor
    quantities: Tensor
    has: Tensor
    owner: Indices
    weight: Array


@dataclass(frozen=True)
class PartBatch:
    """What is read, where is asked, and what is there; known: whether the material is, [b, q]."""

    surface: CodedSurface
    points: Tensor
    distance: Tensor
    color: Tensor
    chance: Tensor
    quantities: Tensor
    has: Tensor
    known: Tensor


def find_aspect(half: Array) -> Array:
    """Logarithms of half sides over the greatest, [p, 3]."""
    return np.log(half / half.max(axis=1, keepdims=True))


def store_parts(objects: Sequence[ObjectExample]) -> PartStore:
    """The parts of all objects, in their order."""
    parts = [part for one in objects for part in one.parts]
    owner = np.repeat(np.arange(len(objects)), [one.layout.count for one in objects])
    begin = 1 + np.cumsum([0, *(len(one.table) for one in objects)])
    table = np.concatenate([one.table for one in objects]).astype(np.float64)
    table /= table.sum(axis=1, keepdims=True)
    told, (quantities, has) = tell_matter(table), average_quantities(table)

    def stack(name: str) -> Tensor:
        return torch.from_numpy(np.stack([getattr(part, name) for part in parts]))

    def place(name: str) -> Tensor:
        rows = np.stack([getattr(part, name) for part in parts]).astype(np.int64)
        return torch.from_numpy(np.where(rows < 0, 0, rows + begin[owner][:, None]))

    def head(values: Array) -> Tensor:
        return torch.from_numpy(np.concatenate([np.zeros((1, values.shape[1])), values])).float()

    counts = np.array([one.layout.count for one in objects], dtype=np.float64)
    aspect = torch.from_numpy(find_aspect(np.concatenate([one.layout.half for one in objects]))).float()
    return PartStore(
        stack("surface"), stack("color"), place("matter"), stack("field"), stack("distance"), stack("field_color"),
        place("field_matter"), aspect, head(told), head(table), head(quantities), head(has.astype(np.float64)),
        owner, (counts**-0.5)[owner],
    )  # fmt: skip


def draw_batch(store: PartStore, rows: Tensor, rng: np.random.Generator, *, plain: bool = False) -> PartBatch:
    """Some points of some parts. plain: all points, not turned over, all materials told, as for measuring."""
    seen, asked = store.surface.shape[1], store.field.shape[1]
    read = torch.arange(seen) if plain else torch.from_numpy(rng.permutation(seen)[:SEEN_COUNT])
    ask = torch.arange(asked) if plain else torch.from_numpy(rng.permutation(asked)[:ASKED_COUNT])
    flip = torch.ones(len(rows), 1, 3)
    if not plain:
        flip = torch.from_numpy(rng.choice([-1.0, 1.0], (len(rows), 1, 3))).float()
    matter = store.told[store.matter[rows][:, read]]
    if not plain:
        matter = matter * torch.from_numpy(rng.random((len(rows), 1, 1)) >= HIDDEN_SHARE).float()
    surface = CodedSurface(
        store.surface[rows][:, read].float() * flip, store.color[rows][:, read].float(), matter, store.aspect[rows]
    )
    own = store.field_matter[rows][:, ask]
    return PartBatch(
        surface, store.field[rows][:, ask].float() * flip, store.distance[rows][:, ask].float() - THICKER,
        store.field_color[rows][:, ask].float(), store.chance[own], store.quantities[own], store.has[own], own > 0,
    )  # fmt: skip
