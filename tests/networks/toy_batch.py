"""Toy batches of training: boxes whose lids turn about an edge."""

from collections.abc import Callable
from dataclasses import fields

import numpy as np
import torch

from neurok.data.pairs import DRAW_COUNT
from neurok.data.targets import displace_points
from neurok.geometry.handles import place_handles
from neurok.geometry.regions import region_features
from neurok.geometry.rigid import dual_from_rigid, exp_twist
from neurok.networks.batch import TrainingBatch
from neurok.networks.shapes import Shapes


def lidded_box(rng: np.random.Generator, points: int, states: int) -> dict[str, np.ndarray]:
    """Points of a box whose lid turns about an edge: a base in z < 0 and a lid above it, hinged along x."""
    size = rng.uniform(0.3, 0.6, 3)
    position = rng.uniform(-0.5, 0.5, (points, 3)) * size
    side = rng.integers(3, size=points)
    position[np.arange(points), side] = np.sign(position[np.arange(points), side]) * 0.5 * size[side]
    lid = (position[:, 2] > 0).astype(np.int64)
    normal = np.zeros((points, 3))
    normal[np.arange(points), side] = np.sign(position[np.arange(points), side])
    pivot = np.array([0.0, -0.5 * size[1], 0.0])
    w = rng.uniform(0.3, 1.5, states)[:, None] * np.array([1.0, 0.0, 0.0])
    hinge = exp_twist(np.concatenate([np.cross(pivot, w), w], axis=1))
    dual = dual_from_rigid(np.stack([np.tile(np.eye(4), (states, 1, 1)), hinge], axis=1))[:, lid]
    area = np.full(points, 1.0 / points)
    region = np.concatenate([region_features(position, normal, area, lid)] * 4, axis=1)
    arrays = {
        "position": position, "normal": normal, "area": area, "region": region, "patch": lid, "component": 0 * lid,
        "border": np.zeros((2, 2, 6)),
        "owner": place_handles(position, lid, 8).owner, "displacement": displace_points(dual, position), "dual": dual,
        "draw": rng.random((states, DRAW_COUNT)), "is_soft": np.zeros(()),
    }  # fmt: skip
    return {k: v if v.dtype.kind == "i" else v.astype(np.float32) for k, v in arrays.items()}


def make_batch(shapes: int = 2, *, points: int = 64, states: int = 3, seed: int = 0) -> TrainingBatch:
    each = [lidded_box(np.random.default_rng([seed, i]), points, states) for i in range(shapes)]
    tensors = {name: torch.from_numpy(np.stack([s[name] for s in each])) for name in each[0]}
    own = {f.name: tensors.pop(f.name) for f in fields(TrainingBatch) if f.name != "shapes"}
    return TrainingBatch(Shapes(**tensors, handles=int(tensors["owner"].max()) + 1), **own)


def changed(batch: TrainingBatch, change: Callable[[torch.Tensor], torch.Tensor]) -> TrainingBatch:
    """The batch with every tensor of it changed."""
    shapes = {f.name: change(getattr(batch.shapes, f.name)) for f in fields(Shapes) if f.name != "handles"}
    own = {f.name: change(getattr(batch, f.name)) for f in fields(TrainingBatch) if f.name != "shapes"}
    return TrainingBatch(Shapes(**shapes, handles=batch.shapes.handles), **own)


def part_of(batch: TrainingBatch, rows: slice) -> TrainingBatch:
    return changed(batch, lambda value: value[rows])


def doubled(batch: TrainingBatch) -> TrainingBatch:
    return changed(batch, lambda value: value.double() if value.is_floating_point() else value)


def scramble(model: torch.nn.Module) -> None:
    """Give weights that begin at zero something to do."""
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.05 * torch.randn_like(p))
