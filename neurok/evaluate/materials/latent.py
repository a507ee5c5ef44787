"""What the codes of parts keep of shape, colour and material: SOPHY's columns, on parts that were not trained on.

A row is a coder, or a pair: one for shape and colour, one that reads materials from the codes of the first. Behaviour:
share of points whose likeliest behaviour is right. Errors: mean absolute, of log10 E, log10 of the strength and log10
of the density, of nu and of the friction angle in degrees, where truth has them, at points in and about the part.
Colour: mean absolute, sRGB. IoU: of the insides, at points spread evenly over the box of the part. CD and F-score: of
the surface that is meshed, in half sides of the part's box, squared; F-score at F_REACH.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from scipy.spatial import cKDTree
from torch import Tensor

from neurok.errors import InputError
from neurok.evaluate.materials.figures import SOPHY
from neurok.generate.learned.fields import PartGrid, mesh_grid
from neurok.generate.learned.weights import load_learned
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import sample_uniform
from neurok.networks.part_code import QUANTITIES, PartCoder
from neurok.training.objects.examples import FIELD_COUNT, ObjectExample, load_objects
from neurok.training.objects.matter import BEHAVIOURS, tabulate_matter
from neurok.training.objects.part_batches import PartBatch, draw_batch, store_parts
from neurok.training.objects.parts import load_coder

F_REACH = 0.05  # half sides
MESHED_PARTS = 24  # parts whose surface is meshed, spread over all
CELLS = 32
# Rows by the names of the runs in a folder; the second reads materials.
ROWS = {
    "joint": ("joint", "joint"), "after the fact": ("bare", "after"), "without cross-attention": ("apart", "apart"),
    "fused": ("fused", "fused"),
}  # fmt: skip


@dataclass(frozen=True)
class LatentFigures:
    """One row; see the head of this file. errors: by quantity."""

    parts: int
    behaviour: float
    errors: dict[str, float]
    color: float
    iou: float
    chamfer: float
    f_score: float


def evaluate_latent(examples: Path, runs: Path | None = None) -> dict[str, dict[str, LatentFigures]]:
    """Rows by source of the parts: of the weights that came with neurok, or of all runs of a comparison."""
    if not examples.is_file():
        raise InputError(f"there is no file {examples}", "make one: python -m neurok.training.objects.examples")
    pairs = {"as shipped": (load_learned().coder,) * 2} if runs is None else _load_pairs(runs)
    objects = load_objects(examples)
    found = {}
    for source, name in (("made", "our programs, new seeds"), ("partnet", "PartNet-Mobility, materials judged")):
        own = [one for one in objects if one.source == source]
        if own:
            found[name] = {row: measure_latent(own, *pair) for row, pair in pairs.items()}
    return found


def _load_pairs(runs: Path) -> dict[str, tuple[PartCoder, PartCoder]]:
    pairs = {row: names for row, names in ROWS.items() if all((runs / name).is_dir() for name in names)}
    if not pairs:
        raise InputError(f"{runs} holds none of the runs {', '.join(sorted({n for p in ROWS.values() for n in p}))}",
                         "train them: docs/evaluation.md says how")  # fmt: skip
    return {row: (load_coder(runs / first), load_coder(runs / second)) for row, (first, second) in pairs.items()}


def measure_latent(objects: Sequence[ObjectExample], shape: PartCoder, matter: PartCoder) -> LatentFigures:
    """One row. Where two coders are given, the codes are of the first, which is told no materials."""
    store, rng = store_parts(objects), np.random.default_rng(0)
    rows: list[tuple[Array, ...]] = []
    with torch.inference_mode():
        for chosen in torch.arange(len(store.owner)).split(32):
            batch = draw_batch(store, chosen, rng, plain=True)
            surface = batch.surface
            if matter is not shape:
                surface = type(surface)(surface.place, surface.color, 0 * surface.matter, surface.aspect)
            code = shape.encode(surface)
            told = shape.decode(code, surface.aspect, batch.points)
            made = told if matter is shape else matter.decode(code, surface.aspect, batch.points)
            rows.append(_measure_points(told.distance, told.color, made.logits, made.quantities, batch))
    sums = np.sum([np.concatenate([np.atleast_1d(x) for x in row]) for row in rows], axis=0)
    known, right, color, points, cut, union = sums[:6]
    errors, has = sums[6 : 6 + len(QUANTITIES)], sums[6 + len(QUANTITIES) :]
    chamfer, f_score = measure_surfaces(objects, shape, bare=matter is not shape)
    deviation = tabulate_matter().deviation
    by_name = {q: float(d * e / max(h, 1.0)) for q, d, e, h in zip(QUANTITIES, deviation, errors, has)}
    return LatentFigures(
        len(store.owner), float(right / max(known, 1.0)), by_name, float(color / points), float(cut / union), chamfer,
        f_score,
    )  # fmt: skip


def _measure_points(
    distance: Tensor, color: Tensor, logits: Tensor, quantities: Tensor, batch: PartBatch
) -> tuple[Array, ...]:
    """Sums over points: known materials, right behaviours, colour errors, points, insides in common and in either;
    errors of quantities and how many there are, [5] each."""
    behaviours = torch.eye(len(BEHAVIOURS))[torch.from_numpy(tabulate_matter().behaviour)]
    right = (logits.softmax(-1) @ behaviours).argmax(-1) == (batch.chance @ behaviours).argmax(-1)
    has = batch.has * batch.known[..., None]
    even = slice(FIELD_COUNT // 2, None)  # the points that were spread over the box
    inner, truth = distance[:, even] < 0, batch.distance[:, even] < 0
    off = (quantities - batch.quantities).abs() * has
    values = (
        batch.known.sum(), (right & batch.known).sum(), (color - batch.color).abs().mean(-1).sum(),
        torch.tensor(color.shape[0] * color.shape[1]), (inner & truth).sum(), (inner | truth).sum(),
        off.sum((0, 1)), has.sum((0, 1)),
    )  # fmt: skip
    return tuple(value.double().numpy() for value in values)


def measure_surfaces(objects: Sequence[ObjectExample], coder: PartCoder, *, bare: bool) -> tuple[float, float]:
    """Chamfer distance and F-score of meshed parts against points of their true surface; a part without one scores the
    distance of an empty box, one, and zero."""
    store, rng = store_parts(objects), np.random.default_rng(0)
    chosen = torch.arange(len(store.owner))[:: max(1, len(store.owner) // MESHED_PARTS)]
    chamfers, scores = [], []
    for row in chosen:
        batch = draw_batch(store, row[None], rng, plain=True)
        surface = batch.surface
        told = 0 * surface.matter if bare else surface.matter
        with torch.inference_mode():
            code = coder.encode(type(surface)(surface.place, surface.color, told, surface.aspect))
            mesh = mesh_code(coder, code, surface.aspect)
        if mesh is None:
            chamfers.append(1.0)
            scores.append(0.0)
            continue
        own, true = sample_uniform(mesh, 2048, rng).position, surface.place[0].double().numpy()
        to_true, to_own = cKDTree(true).query(own)[0], cKDTree(own).query(true)[0]
        chamfers.append(float((to_true**2).mean() + (to_own**2).mean()))
        share = (to_true < 2 * F_REACH).mean(), (to_own < F_REACH).mean()  # true points are few and lie apart
        scores.append(float(2 * share[0] * share[1] / max(share[0] + share[1], 1e-9)))
    return float(np.mean(chamfers)), float(np.mean(scores))


def mesh_code(coder: PartCoder, code: Tensor, aspect: Tensor) -> Mesh | None:
    """The surface of one code in its box, stretched to fill it; None where there is none."""
    blank = PartGrid(np.zeros((CELLS,) * 3), np.full(3, -1.12), np.full(3, 2.24 / (CELLS - 1)))
    points = torch.from_numpy(blank.place().reshape(1, -1, 3)).float()
    values = coder.decode(code, aspect, points).distance[0].double().numpy().reshape((CELLS,) * 3)
    if (values < 0).sum() < 4:
        return None
    mesh = mesh_grid(PartGrid(values, blank.origin, blank.step))
    lower, upper = mesh.bounds
    return mesh.with_vertices((mesh.vertices - (lower + upper) / 2) * 2.0 / np.maximum(upper - lower, 0.2))


def format_latent(results: dict[str, dict[str, LatentFigures]]) -> list[str]:
    """The tables for people, SOPHY's own row last."""
    head = (
        f"{'':26}{'behaviour':>10}{'log E':>7}{'nu':>7}{'log s':>7}{'phi':>6}{'log rho':>8}{'colour':>8}"
        f"{'IoU':>7}{'CD':>9}{'F':>7}"
    )
    lines = []
    for source, rows in results.items():
        lines += [f"{source} ({next(iter(rows.values())).parts} parts)", head]
        for name, row in rows.items():
            e = row.errors
            lines.append(
                f"{name:26}{row.behaviour:10.3f}{e['young']:7.2f}{e['poisson']:7.3f}{e['yield_stress']:7.2f}"
                f"{e['friction_angle']:6.1f}{e['density']:8.3f}{row.color:8.3f}{row.iou:7.3f}{row.chamfer:9.4f}{row.f_score:7.3f}"
            )
    s = SOPHY
    lines.append(
        f"{'SOPHY, its own data':26}{s['behaviour']:10.3f}{s['young']:7.2f}{s['poisson']:7.3f}{s['yield_stress']:7.2f}"
        f"{s['friction_angle']:6.1f}{s['density']:8.3f}{0.0813:8.3f}{0.9089:7.3f}{3.02e-4:9.4f}{0.9385:7.3f}"
    )
    return lines
