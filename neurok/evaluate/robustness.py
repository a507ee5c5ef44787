"""What does not matter should not matter: how many points the network looks at, and how the object lies in its axes.

The same pairs are measured with each one thing changed; the change of the median is told with an interval over
objects drawn anew, the same for both.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from neurok.evaluate.deformation import corners_of
from neurok.evaluate.loop import Measured, Progress, measure_all
from neurok.evaluate.method import table
from neurok.evaluate.objects import find, pairs_of
from neurok.evaluate.pairs import Pair, kind_of, torn
from neurok.evaluate.results import Result
from neurok.evaluate.tables import belongs, main_groups, paired, statistics
from neurok.evaluate.targets import kinds_of, target_of
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.metrics import MIN_MOTION, motion_recovered, rms
from neurok.geometry.surface import carry, sample_uniform

AXES = "xyz"
POINTS = (512, 1024, 2048, 4096)
TURNS = {"turned about up": 0, "laid on one side": 1, "laid on another": 2}
USUAL = "as it is"
TARGETS = ("drag3", "unordered")
SAMPLES = 8192  # of the surface, where motions are compared


def evaluate_robustness(
    data: str, split: str, *, weights: Sequence[str] = (), targets: Sequence[str] = (), sources: Sequence[str] = (),
    limit: int | None = None, seed: int = 0, workers: int = 1, progress: Progress | None = None,
) -> Measured[Result]:  # fmt: skip
    """Measure the learned space on the objects of a split in all variants."""
    kinds = kinds_of(targets, TARGETS)
    (row,) = table(["learned"], weights)
    row.record()
    entries = find(data, split, sources, limit)
    results, left_out = measure_all(
        entries, partial(pairs_of, seed=seed), partial(measure_object, weights=row.weights, targets=kinds, seed=seed),
        workers=workers, progress=progress,
    )  # fmt: skip
    settings = {"data": data, "split": split, "objects": len(entries), "seed": seed, "targets": list(kinds),
                "weights": row.weights}  # fmt: skip
    return Measured(results, left_out, settings, tables, tuple(entries), (row,))


def variants() -> list[str]:
    """All names, the unchanged one first."""
    return [USUAL, *(f"{count} points" for count in POINTS), *TURNS]


def measure_object(pairs: Sequence[Pair], weights: str | None, targets: Sequence[str], seed: int) -> list[Result]:
    """All variants on all targets of all pairs of one object."""
    from neurok.evaluate.methods.learned import Learned

    made = {USUAL: Learned(weights)} | {f"{count} points": Learned(weights, point_count=count) for count in POINTS}
    kind, found = kind_of(pairs), []
    for pair in pairs:
        for name in variants():
            method, seen = made.get(name, made[USUAL]), turned(pair, TURNS[name]) if name in TURNS else pair
            space = method.space(seen.mesh, None)
            for target in targets:
                told = target_of(seen, target, seed)
                figures = score(seen, corners_of(seen, method, method.fit(space, told)), seed)
                found.append(Result(pair.name, pair.category, kind, pair.index, name, target, 0.0, figures, space.size))
    return sorted(found, key=lambda r: (r.pair, targets.index(r.target)))


def score(pair: Pair, found: Array, seed: int) -> dict[str, Any]:
    """How much of the motion is recovered by corners [m, 3, 3]."""
    where = sample_uniform(torn(pair.rest), SAMPLES, np.random.default_rng([seed, 4]))
    a, b, c = (carry(corners.reshape(-1, 3), where) for corners in (pair.rest, pair.target, found))
    moves = rms(b - a) >= MIN_MOTION
    return {"moves": moves, "motion_recovered": motion_recovered(a, b, c) if moves else None}


def turned(pair: Pair, way: int) -> Pair:
    """The pair turned by 90 degrees, its upward axis told rightly.

    way 0: about the upward axis; 1, 2: about one of the two others, so that up becomes one of the other axes.
    """
    up = AXES.index(pair.mesh.up)
    a, b = (up, (up + way) % 3) if way else ((up + 1) % 3, (up + 2) % 3)
    R = np.eye(3)
    R[:, a], R[:, b] = np.eye(3)[b], -np.eye(3)[a]
    mesh = Mesh(pair.mesh.vertices @ R.T, pair.mesh.faces, up=AXES[b] if way else pair.mesh.up)
    return replace(pair, mesh=mesh, target=pair.target @ R.T, truth=None)


def tables(results: Sequence[Result]) -> dict[str, Any]:
    return {"rows": changes(results)}


def changes(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The median of every variant by target and kind of object, and its change from the unchanged one."""
    table = []
    for target, group in [(t, g) for t in dict.fromkeys(r.target for r in results) for g in main_groups(results)]:
        mine = [r for r in results if r.target == target and belongs(r, group) and r.figures["moves"]]
        by = {name: [r for r in mine if r.method == name] for name in variants()}
        usual = [r.figures["motion_recovered"] for r in by[USUAL]]
        if not usual:
            continue
        for name, rows in by.items():
            values, owners = [r.figures["motion_recovered"] for r in rows], [r.object for r in rows]
            cell = {"target": target, "group": group, "variant": name, "pairs": len(rows)}
            table.append(cell | {"motion_recovered": statistics(values, owners)} | paired(values, usual, owners))
    return table
