"""How good states drawn from a space are: rest is the input, parts stay rigid, and draws differ from one another.

A part is a body of the true object that moves in one of its pairs. A draw moves it where the root mean square
displacement of its surface is at least 5 % of the diagonal; it stays rigid there where 95 % of the edges of its faces
change their length by less than 2 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import torch

from neurok.errors import InputError
from neurok.evaluate.loop import Measured, MeasureOptions, Progress, measure_all
from neurok.evaluate.method import MethodRow, make_rows
from neurok.evaluate.objects import Entry, read_pairs
from neurok.evaluate.pairs import Pair, classify_object
from neurok.evaluate.tables import list_main_groups, summarise_values
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.triangles import face_areas
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.descent import posed

DRAW_COUNT = 16  # draws of each object
MIN_MOVED = 0.05  # of the diagonal
MAX_STRETCH = 0.02  # of an edge's length
RIGID_EDGE_SHARE = 0.95  # of a part's edges
MIN_PART_MOTION = 0.01  # of the diagonal: a body that moves less in every pair is no moving part
MIN_EDGE_LENGTH = 1e-7  # of the diagonal: shorter edges have no length to speak of
ROWS = ("untrained", "learned", "learned-whole", "oracle")


@dataclass(frozen=True)
class DrawResult:
    """Draws of one object by one method.

    rest: how far F(rest) is from the input at most [diagonal]. parts, reached: how many move in truth, and how many of
    these some draw moves. cases: (draw, part) that move; rigid: how many of them stay rigid. edges: the share of all
    edges of the cases that keep their length, None where there are no cases. difference: of two draws on the moving
    parts, RMS, on average [diagonal].
    """

    object: str
    category: str
    kind: str
    method: str
    coordinates: int
    rest: float
    parts: int
    reached: int
    cases: int
    rigid: int
    edges: float | None
    difference: float


def evaluate_samples(
    options: MeasureOptions, *, names: Sequence[str] = (), weights: Sequence[str] = (), count: int = DRAW_COUNT,
    progress: Progress | None = None,
) -> Measured[DrawResult]:  # fmt: skip
    """Draw `count` states of every object of a split by every row, and measure them."""
    chosen = tuple(make_rows(names or ROWS, weights))
    for row in chosen:
        row.read_record()
    entries = options.find_entries()
    results, left_out = measure_all(
        entries, partial(read_rigid_pairs, seed=options.seed),
        partial(measure_object, rows=chosen, count=count, seed=options.seed), workers=options.workers,
        progress=progress, remedy="give objects with rigid parts",
    )  # fmt: skip
    settings = options.to_settings() | {
        "objects": len(entries), "draws": count, "seed": options.seed,
        "methods": {row.name: row.description for row in chosen},
    }  # fmt: skip
    return Measured(results, left_out, settings, make_tables, tuple(entries), chosen)


def read_rigid_pairs(entry: Entry, seed: int) -> tuple[list[Pair], Indices]:
    """The pairs of an object, and which of its bodies move in them."""
    pairs = read_pairs(entry, seed=seed)
    return pairs, find_moving_bodies(pairs)


def measure_object(
    seen: tuple[list[Pair], Indices], rows: Sequence[MethodRow], count: int, seed: int
) -> list[DrawResult]:
    """The draws of one object by every row that has a state space."""
    pairs, moving = seen
    pair, kind, found = pairs[0], classify_object(pairs), []
    for row in rows:
        method = row.make_method()
        space = method.make_space(pair.mesh, pair.truth if method.sees_truth else None)
        if isinstance(space, Kinematics):
            found.append(replace(measure_draws(space, pair, moving, count, seed), kind=kind, method=row.name))
    return found


def find_moving_bodies(pairs: Sequence[Pair]) -> Indices:
    """The bodies of an object that move in one of its pairs, by number."""
    moving = set()
    for pair in pairs:
        if pair.body is None:
            raise InputError(f"{pair.name} has no rigid parts", "measure it by its deformations")
        for body in np.unique(pair.body):
            mine = pair.body == body
            if _compute_rms((pair.target - pair.rest)[mine], _compute_areas(pair.rest)[mine]) >= MIN_PART_MOTION:
                moving.add(int(body))
    if not moving:
        raise InputError(f"nothing of {pairs[0].name} moves", "leave it out")
    return np.array(sorted(moving))


def measure_draws(space: Kinematics, pair: Pair, moving: Indices, count: int, seed: int = 0) -> DrawResult:
    """Measure draws of a space on the moving parts of a pair's first state."""
    states = space.prior.sample(count, torch.Generator().manual_seed(seed)).numpy().astype(np.float64)
    rest = _pose_corners(space, space.rest.numpy().astype(np.float64))
    shapes = [_pose_corners(space, q) for q in states]
    area = _compute_areas(pair.rest)
    parts = [np.flatnonzero(pair.body == body) for body in moving]
    reached, cases, rigid, kept, edges = set(), 0, 0, 0, 0
    for shape in shapes:
        for index, faces in enumerate(parts):
            if _compute_rms((shape - pair.rest)[faces], area[faces]) < MIN_MOVED:
                continue
            keeps = find_kept_edges(pair.rest[faces], shape[faces])
            reached.add(index)
            cases, rigid = cases + 1, rigid + int(keeps.mean() >= RIGID_EDGE_SHARE)
            kept, edges = kept + int(keeps.sum()), edges + len(keeps)
    every = np.concatenate(parts)
    apart = [_compute_rms((a - b)[every], area[every]) for i, a in enumerate(shapes) for b in shapes[:i]]
    return DrawResult(
        pair.name, pair.category, "", "", space.size, float(np.abs(rest - pair.rest).max()), len(parts), len(reached),
        cases, rigid, kept / edges if edges else None, float(np.mean(apart)) if apart else 0.0,
    )  # fmt: skip


def find_kept_edges(before: Array, after: Array) -> Array:
    """Which edges of faces keep their length, of corners [m, 3, 3] each; [e], those without a length left out."""
    a, b = (np.linalg.norm(x - x[:, [1, 2, 0]], axis=2).ravel() for x in (before, after))
    there = a > MIN_EDGE_LENGTH
    return np.abs(b[there] / a[there] - 1.0) < MAX_STRETCH if there.any() else np.ones(1, dtype=bool)


def _pose_corners(space: Kinematics, q: Array) -> Array:
    return posed(space, q).vertices[space.mesh.faces]


def _compute_areas(corners: Array) -> Array:
    return face_areas(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))


def _compute_rms(displacement: Array, area: Array) -> float:
    """Over faces, by area; displacement [m, 3, 3] of their corners."""
    square = np.sum(displacement**2, axis=2).mean(axis=1)
    total = area.sum()
    return float(np.sqrt(square @ area / total)) if total > 0 else float(np.sqrt(square.mean()))


# ---------------------------------------------------------------- rows


def make_tables(results: Sequence[DrawResult]) -> dict[str, Any]:
    return {"rows": make_draw_rows(results)}


def make_draw_rows(results: Sequence[DrawResult]) -> list[dict[str, Any]]:
    """One row per kind of object and method."""
    table = []
    for group in list_main_groups(results):
        for method in dict.fromkeys(r.method for r in results):
            mine = [r for r in results if r.method == method and group in ("all", r.kind)]
            if mine:
                table.append({"group": group, "method": method} | _summarise_draws(mine))
    return table


def _summarise_draws(results: Sequence[DrawResult]) -> dict[str, Any]:
    kept = [(r.edges, r.object) for r in results if r.edges is not None]
    cases = sum(r.cases for r in results)
    return {
        "objects": len(results),
        "rest": max(r.rest for r in results),
        "coordinates": float(np.mean([r.coordinates for r in results])),
        "parts": sum(r.parts for r in results),
        "reached": sum(r.reached for r in results) / max(sum(r.parts for r in results), 1),
        "cases": cases,
        "rigid": sum(r.rigid for r in results) / cases if cases else None,
        "edges": summarise_values([share for share, _ in kept], [owner for _, owner in kept]) if kept else None,
        "objects_rigid": float(np.mean([share >= RIGID_EDGE_SHARE for share, _ in kept])) if kept else None,
        "difference": summarise_values([r.difference for r in results], [r.object for r in results]),
    }
