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
from neurok.evaluate.loop import Measured, Progress, measure_all
from neurok.evaluate.method import Row, table
from neurok.evaluate.objects import Entry, find, pairs_of
from neurok.evaluate.pairs import Pair, kind_of
from neurok.evaluate.tables import main_groups, statistics
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.triangles import face_areas
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.descent import posed

COUNT = 16  # draws of each object
MOVED = 0.05  # of the diagonal
STRETCH = 0.02  # of an edge's length
MOST = 0.95  # of a part's edges
LEAST_MOTION = 0.01  # of the diagonal: a body that moves less in every pair is no moving part
SHORTEST = 1e-7  # of the diagonal: shorter edges have no length to speak of
ROWS = ("untrained", "learned", "learned-whole", "oracle")


@dataclass(frozen=True)
class Drawn:
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
    data: str, split: str, *, names: Sequence[str] = (), weights: Sequence[str] = (), sources: Sequence[str] = (),
    count: int = COUNT, limit: int | None = None, seed: int = 0, workers: int = 1, progress: Progress | None = None,
) -> Measured[Drawn]:  # fmt: skip
    """Draw `count` states of every object of a split by every row, and measure them."""
    chosen = tuple(table(names or ROWS, weights))
    for row in chosen:
        row.record()
    entries = find(data, split, sources, limit)
    results, left_out = measure_all(
        entries, partial(rigid_pairs, seed=seed), partial(measure_object, rows=chosen, count=count, seed=seed),
        workers=workers, progress=progress, remedy="give objects with rigid parts",
    )  # fmt: skip
    settings = {"data": data, "split": split, "objects": len(entries), "draws": count, "seed": seed,
                "methods": {row.name: row.text for row in chosen}}  # fmt: skip
    return Measured(results, left_out, settings, tables, tuple(entries), chosen)


def rigid_pairs(entry: Entry, seed: int) -> tuple[list[Pair], Indices]:
    """The pairs of an object, and which of its bodies move in them."""
    pairs = pairs_of(entry, seed=seed)
    return pairs, moving_bodies(pairs)


def measure_object(seen: tuple[list[Pair], Indices], rows: Sequence[Row], count: int, seed: int) -> list[Drawn]:
    """The draws of one object by every row that has a state space."""
    pairs, moving = seen
    pair, kind, found = pairs[0], kind_of(pairs), []
    for row in rows:
        method = row.make()
        space = method.space(pair.mesh, pair.truth if method.sees_truth else None)
        if isinstance(space, Kinematics):
            found.append(replace(drawn(space, pair, moving, count, seed), kind=kind, method=row.name))
    return found


def moving_bodies(pairs: Sequence[Pair]) -> Indices:
    """The bodies of an object that move in one of its pairs, by number."""
    moving = set()
    for pair in pairs:
        if pair.body is None:
            raise InputError(f"{pair.name} has no rigid parts", "measure it by its deformations")
        for body in np.unique(pair.body):
            mine = pair.body == body
            if _rms((pair.target - pair.rest)[mine], _areas(pair.rest)[mine]) >= LEAST_MOTION:
                moving.add(int(body))
    if not moving:
        raise InputError(f"nothing of {pairs[0].name} moves", "leave it out")
    return np.array(sorted(moving))


def drawn(space: Kinematics, pair: Pair, moving: Indices, count: int, seed: int = 0) -> Drawn:
    """Measure draws of a space on the moving parts of a pair's first state."""
    states = space.prior.sample(count, torch.Generator().manual_seed(seed)).numpy().astype(np.float64)
    rest = _corners(space, space.rest.numpy().astype(np.float64))
    shapes = [_corners(space, q) for q in states]
    area = _areas(pair.rest)
    parts = [np.flatnonzero(pair.body == body) for body in moving]
    reached, cases, rigid, kept, edges = set(), 0, 0, 0, 0
    for shape in shapes:
        for index, faces in enumerate(parts):
            if _rms((shape - pair.rest)[faces], area[faces]) < MOVED:
                continue
            keeps = keeps_length(pair.rest[faces], shape[faces])
            reached.add(index)
            cases, rigid = cases + 1, rigid + int(keeps.mean() >= MOST)
            kept, edges = kept + int(keeps.sum()), edges + len(keeps)
    every = np.concatenate(parts)
    apart = [_rms((a - b)[every], area[every]) for i, a in enumerate(shapes) for b in shapes[:i]]
    return Drawn(
        pair.name, pair.category, "", "", space.size, float(np.abs(rest - pair.rest).max()), len(parts), len(reached),
        cases, rigid, kept / edges if edges else None, float(np.mean(apart)) if apart else 0.0,
    )  # fmt: skip


def keeps_length(before: Array, after: Array) -> Array:
    """Which edges of faces keep their length, of corners [m, 3, 3] each; [e], those without a length left out."""
    a, b = (np.linalg.norm(x - x[:, [1, 2, 0]], axis=2).ravel() for x in (before, after))
    there = a > SHORTEST
    return np.abs(b[there] / a[there] - 1.0) < STRETCH if there.any() else np.ones(1, dtype=bool)


def _corners(space: Kinematics, q: Array) -> Array:
    return posed(space, q).vertices[space.mesh.faces]


def _areas(corners: Array) -> Array:
    return face_areas(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))


def _rms(displacement: Array, area: Array) -> float:
    """Over faces, by area; displacement [m, 3, 3] of their corners."""
    square = np.sum(displacement**2, axis=2).mean(axis=1)
    total = area.sum()
    return float(np.sqrt(square @ area / total)) if total > 0 else float(np.sqrt(square.mean()))


# ---------------------------------------------------------------- rows


def tables(results: Sequence[Drawn]) -> dict[str, Any]:
    return {"rows": rows(results)}


def rows(results: Sequence[Drawn]) -> list[dict[str, Any]]:
    """One row per kind of object and method."""
    table = []
    for group in main_groups(results):
        for method in dict.fromkeys(r.method for r in results):
            mine = [r for r in results if r.method == method and group in ("all", r.kind)]
            if mine:
                table.append({"group": group, "method": method} | _row(mine))
    return table


def _row(results: Sequence[Drawn]) -> dict[str, Any]:
    moved = [r for r in results if r.edges is not None]
    cases = sum(r.cases for r in results)
    return {
        "objects": len(results),
        "rest": max(r.rest for r in results),
        "coordinates": float(np.mean([r.coordinates for r in results])),
        "parts": sum(r.parts for r in results),
        "reached": sum(r.reached for r in results) / max(sum(r.parts for r in results), 1),
        "cases": cases,
        "rigid": sum(r.rigid for r in results) / cases if cases else None,
        "edges": statistics([r.edges for r in moved], [r.object for r in moved]) if moved else None,
        "objects_rigid": float(np.mean([r.edges >= MOST for r in moved])) if moved else None,
        "difference": statistics([r.difference for r in results], [r.object for r in results]),
    }
