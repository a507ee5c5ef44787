"""What does not matter should not matter: how many points the network looks at, and how the object lies in its axes.

The same pairs are measured with each one thing changed; the change of the median is told with an interval over
objects drawn anew, the same for both.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from neurok.evaluate.deformation import to_corners
from neurok.evaluate.loop import Measured, MeasureOptions, Progress, measure_all
from neurok.evaluate.method import make_rows
from neurok.evaluate.objects import read_pairs
from neurok.evaluate.pairs import Pair, classify_object, unweld_corners
from neurok.evaluate.results import PairResult
from neurok.evaluate.tables import belongs_to_group, compare_medians, list_main_groups, summarise_values
from neurok.evaluate.targets import check_target_names, make_target
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.metrics import MIN_MOTION, motion_recovered, rms
from neurok.geometry.surface import carry, sample_uniform

AXES = "xyz"
POINT_COUNTS = (512, 1024, 2048, 4096)
TURNS = {"turned about up": 0, "laid on one side": 1, "laid on another": 2}
UNCHANGED = "as it is"
TARGETS = ("drag3", "unordered")
SURFACE_SAMPLE_COUNT = 8192  # of the surface, where motions are compared


def evaluate_robustness(
    options: MeasureOptions, *, weights: Sequence[str] = (), targets: Sequence[str] = (),
    progress: Progress | None = None,
) -> Measured[PairResult]:  # fmt: skip
    """Measure the learned space on the objects of a split in all variants."""
    kinds = check_target_names(targets, TARGETS)
    (row,) = make_rows(["learned"], weights)
    row.read_record()
    entries = options.find_entries()
    results, left_out = measure_all(
        entries, partial(read_pairs, seed=options.seed),
        partial(measure_object, weights=row.weights, targets=kinds, seed=options.seed), workers=options.workers,
        progress=progress,
    )  # fmt: skip
    settings = options.to_settings() | {
        "objects": len(entries), "seed": options.seed, "targets": list(kinds), "weights": row.weights,
    }  # fmt: skip
    return Measured(results, left_out, settings, make_tables, tuple(entries), (row,))


def list_variants() -> list[str]:
    """All names, the unchanged one first."""
    return [UNCHANGED, *(f"{count} points" for count in POINT_COUNTS), *TURNS]


def measure_object(pairs: Sequence[Pair], weights: str | None, targets: Sequence[str], seed: int) -> list[PairResult]:
    """All variants on all targets of all pairs of one object."""
    from neurok.evaluate.methods.learned import LearnedMethod

    made = {UNCHANGED: LearnedMethod(weights)} | {
        f"{count} points": LearnedMethod(weights, point_count=count) for count in POINT_COUNTS
    }
    kind, found = classify_object(pairs), []
    for pair in pairs:
        for name in list_variants():
            method, seen = made.get(name, made[UNCHANGED]), turn_pair(pair, TURNS[name]) if name in TURNS else pair
            space = method.make_space(seen.mesh, None)
            for target in targets:
                told = make_target(seen, target, seed)
                figures = score_motion(seen, to_corners(seen, method, method.fit(space, told)), seed)
                found.append(
                    PairResult(pair.name, pair.category, kind, pair.index, name, target, 0.0, figures, space.size)
                )
    return sorted(found, key=lambda r: (r.pair, targets.index(r.target)))


def score_motion(pair: Pair, found: Array, seed: int) -> dict[str, Any]:
    """How much of the motion is recovered by corners [m, 3, 3]."""
    where = sample_uniform(unweld_corners(pair.rest), SURFACE_SAMPLE_COUNT, np.random.default_rng([seed, 4]))
    a, b, c = (carry(corners.reshape(-1, 3), where) for corners in (pair.rest, pair.target, found))
    moves = rms(b - a) >= MIN_MOTION
    return {"moves": moves, "motion_recovered": motion_recovered(a, b, c) if moves else None}


def turn_pair(pair: Pair, way: int) -> Pair:
    """The pair turned by 90 degrees, its upward axis told rightly.

    way 0: about the upward axis; 1, 2: about one of the two others, so that up becomes one of the other axes.
    """
    up = AXES.index(pair.mesh.up)
    a, b = (up, (up + way) % 3) if way else ((up + 1) % 3, (up + 2) % 3)
    R = np.eye(3)
    R[:, a], R[:, b] = np.eye(3)[b], -np.eye(3)[a]
    mesh = Mesh(pair.mesh.vertices @ R.T, pair.mesh.faces, up=AXES[b] if way else pair.mesh.up)
    return replace(pair, mesh=mesh, target=pair.target @ R.T, truth=None)


def make_tables(results: Sequence[PairResult]) -> dict[str, Any]:
    return {"rows": compare_variants(results)}


def compare_variants(results: Sequence[PairResult]) -> list[dict[str, Any]]:
    """The median of every variant by target and kind of object, and its change from the unchanged one."""
    table = []
    for target, group in [(t, g) for t in dict.fromkeys(r.target for r in results) for g in list_main_groups(results)]:
        mine = [r for r in results if r.target == target and belongs_to_group(r, group) and r.figures["moves"]]
        by = {name: [r for r in mine if r.method == name] for name in list_variants()}
        usual = np.array([r.figures["motion_recovered"] for r in by[UNCHANGED]])
        if len(usual) == 0:
            continue
        for name, rows in by.items():
            values, owners = np.array([r.figures["motion_recovered"] for r in rows]), [r.object for r in rows]
            cell = {"target": target, "group": group, "variant": name, "pairs": len(rows)}
            table.append(
                cell | {"motion_recovered": summarise_values(values, owners)} | compare_medians(values, usual, owners)
            )
    return table
