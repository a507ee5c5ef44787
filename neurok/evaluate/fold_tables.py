"""The cross-validated tables: a row for each target, method, kind of object and group, seen and unseen.

Intervals are the central 95 % when objects are drawn anew with replacement. An object that several folds have measured
is one object with all its pairs.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from neurok.data.folds import find_kind, load_folds
from neurok.evaluate.fold_results import FoldResult
from neurok.evaluate.fold_runs import GROUPS, UNSEEN
from neurok.evaluate.joint_tables import ERRORS, average_types, count_types
from neurok.evaluate.results import PairResult, PartResult
from neurok.evaluate.tables import belongs_to_group, compute_medians, list_main_groups, resample_objects
from neurok.geometry.arrays import Array, Indices

HARMFUL = -0.1  # motion recovered of a pair below which a method does worse than leaving the object still
INTERVAL = (2.5, 97.5)  # percentiles

Statistic = Callable[[Array, Indices], Array]  # of values [n] at the indices of resamplings [b, n], of each [b]


def make_deformation_tables(results: Sequence[FoldResult[PairResult]]) -> dict[str, Any]:
    """rows: over all folds. ratios: unseen over seen. folds: the medians of every fold. kinds: of every unseen kind."""
    moving = [r for r in results if r.result.figures["moves"]]
    return {
        "rows": _make_pair_rows(results, moving),
        "ratios": _make_ratios(moving),
        "folds": _make_medians(moving, lambda r: r.fold, "fold"),
        "kinds": _make_medians([r for r in moving if r.group == UNSEEN], _find_group_name, "kinds"),
    }


def make_articulation_tables(results: Sequence[FoldResult[PartResult]]) -> dict[str, Any]:
    """rows: of every predictor on given and found parts, seen and unseen, over all folds."""
    return {"rows": _make_part_rows(results)}


# ---------------------------------------------------------------- deformation


def _make_pair_rows(
    results: Sequence[FoldResult[PairResult]], moving: Sequence[FoldResult[PairResult]]
) -> list[dict[str, Any]]:
    table = []
    for target, method in dict.fromkeys((r.result.target, r.result.method) for r in results):
        mine = [r for r in moving if (r.result.target, r.result.method) == (target, method)]
        for objects in list_main_groups([r.result for r in results]):
            for group in GROUPS:
                some = [r for r in mine if r.group == group and belongs_to_group(r.result, objects)]
                if some:
                    table.append({"target": target, "method": method, "objects": objects, "group": group}
                                 | summarise_motion(some))  # fmt: skip
    return table


def summarise_motion(results: Sequence[FoldResult[PairResult]]) -> dict[str, Any]:
    """Median and mean of motion recovered with intervals, and the share of pairs that were made worse."""
    values, owners = _collect_recovered(results)
    return {
        "object_count": len(set(owners)), "pair_count": len(values),
        "median": _add_interval(values, owners, compute_medians),
        "mean": _add_interval(values, owners, compute_means),
        "harmed": float(np.mean(values < HARMFUL)),
    }  # fmt: skip


def _make_ratios(moving: Sequence[FoldResult[PairResult]]) -> list[dict[str, Any]]:
    """The median of unseen kinds over that of seen kinds, where that is positive."""
    table = []
    for target, method in dict.fromkeys((r.result.target, r.result.method) for r in moving):
        mine = [r for r in moving if (r.result.target, r.result.method) == (target, method)]
        for objects in list_main_groups([r.result for r in moving]):
            seen, unseen = (
                [r for r in mine if r.group == group and belongs_to_group(r.result, objects)] for group in GROUPS
            )
            if seen and unseen:
                cell = {"target": target, "method": method, "objects": objects}
                table.append(cell | compute_ratio(_collect_recovered(unseen), _collect_recovered(seen)))
    return table


def compute_ratio(unseen: tuple[Array, list[str]], seen: tuple[Array, list[str]]) -> dict[str, Any]:
    """The ratio of two medians of (values, owners), and its interval; None where what is divided by may be zero."""
    above, below = float(np.median(unseen[0])), float(np.median(seen[0]))
    a, b = (
        _resample_statistic(values, owners, compute_medians, seed)
        for seed, (values, owners) in enumerate((unseen, seen))
    )
    interval = [float(x) for x in np.percentile(a / b, INTERVAL)] if np.all(b > 0) else None
    return {"ratio": above / below if below > 0 else None, "interval": interval}


def _make_medians(
    moving: Sequence[FoldResult[PairResult]], key: Callable[[FoldResult[PairResult]], int | str], name: str
) -> list[dict[str, Any]]:
    """Median and count of every target, method and group, by something that results have."""
    cells: dict[tuple[int | str, str, str, str], list[FoldResult[PairResult]]] = {}
    for r in moving:
        cells.setdefault((key(r), r.result.target, r.result.method, r.group), []).append(r)
    return [
        {name: where, "target": target, "method": method, "group": group,
         "median": float(np.median(_collect_recovered(some)[0])),
         "object_count": len({r.result.object for r in some}), "pair_count": len(some)}
        for (where, target, method, group), some in sorted(cells.items(), key=lambda item: str(item[0]))
    ]  # fmt: skip


def _collect_recovered(results: Sequence[FoldResult[PairResult]]) -> tuple[Array, list[str]]:
    """Motion recovered of pairs, and the object of each."""
    values = np.array([r.result.figures["motion_recovered"] for r in results], dtype=np.float64)
    return values, [r.result.object for r in results]


def _find_group_name(result: FoldResult[PairResult]) -> str:
    """The group of related kinds that an object belongs to."""
    kind = find_kind(result.result.object, result.result.category)
    group = load_folds().find_group(kind)
    return group.name if group is not None else kind


# ---------------------------------------------------------------- articulation


def _make_part_rows(results: Sequence[FoldResult[PartResult]]) -> list[dict[str, Any]]:
    table = []
    for parts, predictor in dict.fromkeys((r.result.parts, r.result.predictor) for r in results):
        for group in GROUPS:
            mine = [r.result for r in results
                    if (r.result.parts, r.result.predictor, r.group) == (parts, predictor, group)]  # fmt: skip
            if mine:
                table.append({"parts": parts, "predictor": predictor, "group": group} | summarise_joints(mine))
    return table


def summarise_joints(results: Sequence[PartResult]) -> dict[str, Any]:
    """The errors of joints with intervals of their means and medians, and precision and recall of their types."""
    found: dict[str, Any] = {"object_count": len({r.object for r in results}), "part_count": len(results),
                             "type": average_types(count_types(results))}  # fmt: skip
    for name in ERRORS:
        there = [(float(value), r.object) for r in results if (value := getattr(r, name)) is not None]
        if there:
            values, owners = np.array([value for value, _ in there]), [owner for _, owner in there]
            found[name] = {"count": len(there), "median": _add_interval(values, owners, compute_medians),
                           "mean": _add_interval(values, owners, compute_means)}  # fmt: skip
    return found


# ---------------------------------------------------------------- intervals


def compute_means(values: Array, index: Indices) -> Array:
    """The mean of each row of values, told by their indices [b, n], -1 where there is none; [b]."""
    there = index >= 0
    return np.where(there, values[index], 0.0).sum(axis=1) / there.sum(axis=1)


def _resample_statistic(values: Array, owners: Sequence[str], statistic: Statistic, seed: int = 0) -> Array:
    return np.concatenate([statistic(values, index) for index in resample_objects(owners, seed)])


def _add_interval(values: Array, owners: Sequence[str], statistic: Statistic) -> dict[str, Any]:
    low, high = np.percentile(_resample_statistic(values, owners, statistic), INTERVAL)
    own = statistic(values, np.arange(len(values))[None])[0]
    return {"value": float(own), "interval": [float(low), float(high)]}
