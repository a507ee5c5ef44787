"""Shapes as tensors, the input of the networks, and what is computed from them without learning."""

from dataclasses import dataclass, fields

import torch
from torch import Tensor

from neurok.geometry.handle_metric import SMALLEST_SHARE
from neurok.geometry.observation import NetworkInput, stack_inputs

PAIR_WIDTH = 14  # numbers of a pair of handles


@dataclass(frozen=True)
class Shapes:
    """b shapes of n points shared among h handles; lengths in diagonals.

    position, normal: [b, n, 3]. area: [b, n], sums to one. region: features of each point's patch, component and
    pieces, [b, n, 40]. patch, component, owner: numbers, [b, n]. border: how p patches meet, [b, p, p, 6]. handles: h.
    """

    position: Tensor
    normal: Tensor
    area: Tensor
    region: Tensor
    patch: Tensor
    component: Tensor
    border: Tensor
    owner: Tensor
    handles: int

    @property
    def owned(self) -> Tensor:
        """One where a handle owns a point, [b, h, n]."""
        numbers = torch.arange(self.handles, device=self.owner.device)
        return (self.owner[:, None, :] == numbers[:, None]).to(self.position.dtype)


def shapes_from_input(shape: NetworkInput, device: str | torch.device = "cpu") -> Shapes:
    """The tensors of one shape, with a batch axis in front, or of several stacked ones."""
    whole = shape if shape.position.ndim == 3 else stack_inputs([shape])
    arrays = {f.name: torch.from_numpy(getattr(whole, f.name)).to(device) for f in fields(NetworkInput)}
    return Shapes(**arrays, handles=int(whole.owner.max()) + 1)


@dataclass(frozen=True)
class HandleGeometry:
    """Of each handle: share of the area [b, h], centre [b, h, 3], second moments about it [b, h, 3, 3], mean normal
    [b, h, 3], and `mean` [b, h, n], the weights that average over its points."""

    area: Tensor
    centre: Tensor
    moments: Tensor
    normal: Tensor
    mean: Tensor


def handle_geometry(shapes: Shapes) -> HandleGeometry:
    """Averages over each handle's points; a point of no area still counts a little, so that no handle is empty."""
    weight = shapes.owned * (shapes.area[:, None, :] + SMALLEST_SHARE)
    total = weight.sum(-1)
    mean = weight / total[..., None].clamp_min(1e-12)
    centre = mean @ shapes.position
    square = shapes.position[..., :, None] * shapes.position[..., None, :]
    moments = (mean @ square.flatten(-2)).unflatten(-1, (3, 3)) - centre[..., :, None] * centre[..., None, :]
    return HandleGeometry(total, centre, moments, mean @ shapes.normal, mean)


def pair_features(shapes: Shapes, geometry: HandleGeometry) -> Tensor:
    """How handles lie to each other, [b, h, h, PAIR_WIDTH]: distance, gaps, alignment, shared patch and component,
    border.

    Gaps are those of either handle's centre from the nearest point of the other, and of the nearest points of both, so
    they tell touching regions from neighbouring ones.
    """
    centre, normal = geometry.centre, geometry.normal
    apart = torch.cdist(centre, centre)
    gap = _nearest(torch.cdist(centre, shapes.position), shapes)
    between = _nearest(_nearest(torch.cdist(shapes.position, shapes.position), shapes).transpose(1, 2), shapes)
    shared = [_shared(shapes, label) for label in (shapes.patch, shapes.component)]
    features = [
        apart, (apart + 0.01).log(), (gap + 0.01).log(), (gap.transpose(1, 2) + 0.01).log(),
        normal @ normal.transpose(1, 2), *shared, (between + 0.01).log(),
    ]  # fmt: skip
    return torch.cat([torch.stack(features, dim=-1), _borders(shapes)], dim=-1)


def _nearest(distance: Tensor, shapes: Shapes) -> Tensor:
    """Distances to points [b, q, n], to the nearest of each handle's, [b, q, h]."""
    far = distance.new_full((*distance.shape[:2], shapes.handles), 4.0)
    return far.scatter_reduce(2, shapes.owner[:, None, :].expand_as(distance), distance, "amin")


def _borders(shapes: Shapes) -> Tensor:
    """How the patches of two handles meet, [b, h, h, 6]."""
    patch = shapes.patch.gather(1, shapes.owned.argmax(-1))
    rows = torch.arange(len(patch), device=patch.device)[:, None, None]
    return shapes.border[rows, patch[:, :, None], patch[:, None, :]]


def _shared(shapes: Shapes, label: Tensor) -> Tensor:
    """One where two handles carry the same label, [b, h, h]; a handle's label is that of its points' mean."""
    numbers = (shapes.owned @ label.to(shapes.position.dtype)[..., None])[..., 0] / shapes.owned.sum(-1).clamp_min(1)
    return ((numbers[:, :, None] - numbers[:, None, :]).abs() < 1e-3).to(shapes.position.dtype)
