"""JointBatch: several shapes side by side, as the network takes them; parts one after another, and their candidates."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from neurok.articulate.observation import JointObservation
from neurok.articulate.study import PartStudy
from neurok.articulate.tried import TriedCandidates, collect_candidates
from neurok.geometry.arrays import Array

POINT_FEATURES = ("local_x", "local_y", "local_z", "x", "y", "z", "normal_x", "normal_y", "normal_z", "touch")
BOX_FEATURES = (
    "middle_x", "middle_y", "middle_z", "half_x", "half_y", "half_z", "log_half_x", "log_half_y", "log_half_z",
    "log_area", "touch", "log_reach",
)  # fmt: skip
PAIR_FEATURES = ("near", "touching", "offset_x", "offset_y", "offset_z", "ratio_x", "ratio_y", "ratio_z", "alike")
MOTION_FEATURES = (
    "turns", "axis_x", "axis_y", "axis_z", "within_x", "within_y", "within_z", "arm_x", "arm_y", "arm_z", "along",
    "pivot_distance",
)  # fmt: skip


@dataclass(frozen=True)
class CandidateBatch:
    """Candidates of the parts of a batch. part: whose each is, [c]; turns [c]; axis, pivot [c, 3]; features [c, g];
    part_features: of each part, [n, f]."""

    part: Tensor
    turns: Tensor
    axis: Tensor
    pivot: Tensor
    features: Tensor
    part_features: Tensor


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
        """Of each point of each part, [n, k, 10], as POINT_FEATURES names them."""
        local = (self.points - self.middle[:, None]) / self.reach[:, None, None]
        return torch.cat([local, 2 * self.points, self.normals, self.touch[..., None]], dim=-1)

    def box_features(self) -> Tensor:
        """Of each part, [n, 12], as BOX_FEATURES names them."""
        small = torch.stack([self.area.clamp(min=1e-6).log() / 4, self.touch.mean(1), self.reach.log() / 3], dim=-1)
        return torch.cat([2 * self.middle, 2 * self.half, self.half.log() / 3, small], dim=-1)

    def patch_places(self) -> Tensor:
        """The middle and the extent of each patch, [b, s, 6]."""
        middle = self.patches[..., :3].mean(2)
        lower = self.patches[..., :3].amin(2)
        return torch.cat([2 * middle, 4 * (middle - lower)], dim=-1)

    def pair_features(self) -> Tensor:
        """Of each ordered pair of parts of a shape, [b, p, p, 9], as PAIR_FEATURES names them."""
        shapes, most = self.there.shape
        middle, half = self.half.new_zeros(shapes, most, 3), self.half.new_ones(shapes, most, 3)
        middle[self.there], half[self.there] = self.middle, self.half
        offset = middle[:, None] - middle[:, :, None]
        ratio = (half[:, None] / half[:, :, None]).log()
        alike = torch.exp(-4 * ratio.abs().sum(-1, keepdim=True))
        near = self.near[..., None]
        return torch.cat([near, (near >= 1.0).to(near.dtype), 2 * offset, ratio / 3, alike], dim=-1)

    def motion_features(self, which: Tensor, turns: Tensor, axis: Tensor, pivot: Tensor) -> Tensor:
        """Of motions of parts `which` [c], [c, 12], as MOTION_FEATURES names them; the axis has no sense."""
        turn = turns.to(axis.dtype)[:, None]
        sense = torch.where(axis.sum(-1, keepdim=True) < 0, -1.0, 1.0)
        within = ((pivot - self.middle[which]) / self.half[which]).clamp(-2, 2) * turn
        arm = (pivot - self.middle[which]) / self.reach[which, None] * turn
        along = (axis.abs() * self.half[which]).sum(-1, keepdim=True) / self.reach[which, None]
        place = (2 * pivot * turn).norm(dim=-1, keepdim=True)
        return torch.cat([turn, sense * axis, within, arm, along, place], dim=-1)


def make_batch(shapes: Sequence[JointObservation], *, points: int | None = None) -> JointBatch:
    """Shapes side by side; points: of each part, the first so many."""
    most = max(one.count for one in shapes)
    there = torch.zeros(len(shapes), most, dtype=torch.bool)
    near = torch.zeros(len(shapes), most, most)
    for index, one in enumerate(shapes):
        there[index, : one.count] = True
        near[index, : one.count, : one.count] = torch.from_numpy(np.asarray(one.near))
    return JointBatch(
        points=_concatenate([one.points[:, :points] for one in shapes]),
        normals=_concatenate([one.normals[:, :points] for one in shapes]),
        touch=_concatenate([one.touch[:, :points] for one in shapes]),
        box=_concatenate([one.box for one in shapes]),
        area=_concatenate([one.area for one in shapes]),
        near=near,
        patches=_concatenate([one.patches[None] for one in shapes]),
        there=there,
    )


def batch_candidates(tried: Sequence[TriedCandidates]) -> CandidateBatch:
    """The candidates of several shapes, their parts numbered on from shape to shape."""
    counts = [len(one.studied) for one in tried]
    first = np.cumsum(counts) - counts
    part = np.concatenate([one.part + offset for one, offset in zip(tried, first)])
    return CandidateBatch(
        part=torch.from_numpy(part.astype(np.int64)),
        turns=torch.from_numpy(np.concatenate([one.turns for one in tried]).astype(bool)),
        axis=_concatenate([one.axis for one in tried]),
        pivot=_concatenate([one.pivot for one in tried]),
        features=_concatenate([one.features for one in tried]),
        part_features=_concatenate([one.part_features for one in tried]),
    )


def batch_studies(studies: Sequence[PartStudy | None]) -> CandidateBatch | None:
    """The candidates of all parts of one shape; None where no part has any."""
    if all(found is None for found in studies):
        return None
    return batch_candidates([collect_candidates(studies)])


def _concatenate(arrays: Sequence[Array]) -> Tensor:
    return torch.from_numpy(np.concatenate(arrays).astype(np.float32))
