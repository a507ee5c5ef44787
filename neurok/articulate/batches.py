"""Batch: several shapes side by side, as the network takes them; parts one after another, and their candidates."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from neurok.articulate.examples import TriedCandidates
from neurok.articulate.observation import Observation


@dataclass(frozen=True)
class CandidateBatch:
    """Candidates of the parts of a batch. part: [c]; turns [c]; axis, pivot [c, 3]; reasons [c, g]; own [n, f]."""

    part: Tensor
    turns: Tensor
    axis: Tensor
    pivot: Tensor
    reasons: Tensor
    own: Tensor


@dataclass(frozen=True)
class JointBatch:
    """points, normals [n, k, 3]; touch [n, k]; box [n, 2, 3]; area [n]; near [b, p, p]; patches [b, s, r, 6];
    there: which of the p places of each shape hold a part, [b, p]."""

    points: Tensor
    normals: Tensor
    touch: Tensor
    box: Tensor
    area: Tensor
    near: Tensor
    patches: Tensor
    there: Tensor

    @cached_property
    def middle(self) -> Tensor:
        return self.box.mean(1)

    @cached_property
    def half(self) -> Tensor:
        return (0.5 * (self.box[:, 1] - self.box[:, 0])).clamp(min=1e-4)

    @cached_property
    def reach(self) -> Tensor:
        """Half the box diagonal, [n]."""
        return self.half.norm(dim=-1)

    def point_features(self) -> Tensor:
        local = (self.points - self.middle[:, None]) / self.reach[:, None, None]
        return torch.cat([local, 2 * self.points, self.normals, self.touch[..., None]], dim=-1)

    def box_features(self) -> Tensor:
        small = torch.stack([self.area.clamp(min=1e-6).log() / 4, self.touch.mean(1), self.reach.log() / 3], dim=-1)
        return torch.cat([2 * self.middle, 2 * self.half, self.half.log() / 3, small], dim=-1)

    def patch_places(self) -> Tensor:
        middle = self.patches[..., :3].mean(2)
        lower = self.patches[..., :3].amin(2)
        return torch.cat([2 * middle, 4 * (middle - lower)], dim=-1)

    def pair_features(self) -> Tensor:
        """Of each ordered pair of parts of a shape, [b, p, p, 9]: compute_nearness, offset, sizes, likeness."""
        shapes, most = self.there.shape
        middle, half = self.half.new_zeros(shapes, most, 3), self.half.new_ones(shapes, most, 3)
        middle[self.there], half[self.there] = self.middle, self.half
        offset = middle[:, None] - middle[:, :, None]
        ratio = (half[:, None] / half[:, :, None]).log()
        alike = torch.exp(-4 * ratio.abs().sum(-1, keepdim=True))
        near = self.near[..., None]
        return torch.cat([near, (near >= 1.0).to(near.dtype), 2 * offset, ratio / 3, alike], dim=-1)

    def motion_features(self, which: Tensor, turns: Tensor, axis: Tensor, pivot: Tensor) -> Tensor:
        """Of motions of parts `which` [c]: type, axis without sense, pivot in the part's box and the shape, [c, 12]."""
        turn = turns.to(axis.dtype)[:, None]
        sense = torch.where(axis.sum(-1, keepdim=True) < 0, -1.0, 1.0)
        within = ((pivot - self.middle[which]) / self.half[which]).clamp(-2, 2) * turn
        arm = (pivot - self.middle[which]) / self.reach[which, None] * turn
        along = (axis.abs() * self.half[which]).sum(-1, keepdim=True) / self.reach[which, None]
        place = (2 * pivot * turn).norm(dim=-1, keepdim=True)
        return torch.cat([turn, sense * axis, within, arm, along, place], dim=-1)


def make_batch(shapes: Sequence[Observation], *, points: int | None = None) -> JointBatch:
    """Shapes side by side; points: of each part, the first so many."""
    most = max(seen.count for seen in shapes)
    there = torch.zeros(len(shapes), most, dtype=torch.bool)
    near = torch.zeros(len(shapes), most, most)
    for index, seen in enumerate(shapes):
        there[index, : seen.count] = True
        near[index, : seen.count, : seen.count] = torch.from_numpy(np.asarray(seen.near))
    stacked = {
        name: torch.from_numpy(np.concatenate([getattr(s, name) for s in shapes]))
        for name in ("points", "normals", "touch", "box", "area")
    }
    for name in ("points", "normals", "touch"):
        stacked[name] = stacked[name][:, :points]
    return JointBatch(
        **stacked, near=near, patches=torch.from_numpy(np.stack([s.patches for s in shapes])), there=there
    )


def batch_candidates(tried: Sequence[TriedCandidates], counts: Sequence[int]) -> CandidateBatch:
    """Candidates of several shapes, whose parts number `counts`."""
    offset = np.concatenate([[0], np.cumsum(counts)[:-1]])
    part = np.concatenate([t.part + o for t, o in zip(tried, offset)])
    rows = {
        name: torch.from_numpy(np.concatenate([getattr(t, name) for t in tried]).astype(np.float32))
        for name in ("axis", "pivot", "reasons", "own")
    }
    turns = torch.from_numpy(np.concatenate([t.turns for t in tried]).astype(bool))
    return CandidateBatch(torch.from_numpy(part.astype(np.int64)), turns, **rows)
