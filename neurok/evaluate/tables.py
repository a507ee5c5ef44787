"""From results to rows: medians, means and intervals over pairs, by kind of object and by category."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from neurok.evaluate.paper import NOT_RUN, TABLE_1
from neurok.evaluate.results import PairResult
from neurok.geometry.arrays import Array, Indices

RESAMPLING_COUNT = 2000
BLOCK_SIZE = 1 << 22  # values that are sorted at once
METRICS = ("chamfer_l1", "chamfer_l2", "surface_iou", "volume_iou")
EVERYTHING = "all"
BASELINES = ("still", "components", "arap", "keypoints")  # none of which knows the joints


class HasKind(Protocol):
    """A result of an object of some kind: separable, fused or soft."""

    @property
    def kind(self) -> str: ...


def make_pair_rows(results: Sequence[PairResult]) -> list[dict[str, Any]]:
    """One row per group of objects, target and method: all, each kind, each category."""
    table = []
    for group in list_groups(results):
        for target, method in dict.fromkeys((r.target, r.method) for r in results):
            mine = [r for r in results if (r.target, r.method) == (target, method) and belongs_to_group(r, group)]
            if mine:
                table.append({"group": group, "target": target, "method": method} | summarise_pairs(mine))
    return table


def list_groups(results: Sequence[PairResult]) -> list[str]:
    return [*list_main_groups(results), *(f"category {c}" for c in sorted({r.category for r in results}))]


def list_main_groups(results: Sequence[HasKind]) -> list[str]:
    """All, and the kinds of object that are there."""
    return [EVERYTHING, *(k for k in ("separable", "fused", "soft") if any(r.kind == k for r in results))]


def belongs_to_group(result: PairResult, group: str) -> bool:
    return group in (EVERYTHING, result.kind, f"category {result.category}")


def summarise_pairs(results: Sequence[PairResult]) -> dict[str, Any]:
    """The figures of one method on one target over pairs; those that hardly move are skipped and counted."""
    used = [r for r in results if r.figures["moves"]]
    found: dict[str, Any] = {"objects": len({r.object for r in results}), "pairs": len(used),
                             "skipped": len(results) - len(used)}  # fmt: skip
    if not used:
        return found
    owners = [r.object for r in used]
    for name in ("motion_recovered", "chamfer_l1_recovered"):
        found[name] = summarise_values([r.figures[name] for r in used], owners)
    for name in METRICS:
        cells = [r.figures[name] for r in used if name in r.figures]
        for part in ("value", "floor", "still"):
            values = [cell[part] for cell in cells if all(x is not None for x in cell.values())]
            if values:
                found.setdefault(name, {})[part] = {"median": float(np.median(values)), "mean": float(np.mean(values))}
    found["seconds"] = float(np.mean([r.seconds for r in used]))
    sizes = [r.coordinates for r in used if r.coordinates is not None]
    if sizes:
        found["coordinates"] = float(np.mean(sizes))
    return found


def summarise_values(values: Iterable[float], owners: Sequence[str]) -> dict[str, Any]:
    """Median and mean, with the 95 % interval of the median when objects (not pairs: they are kin) are drawn anew."""
    values = np.asarray(list(values), dtype=np.float64)
    low, high = bootstrap_median(values, owners)
    return {"median": float(np.median(values)), "mean": float(values.mean()), "interval": [low, high]}


def bootstrap_median(values: Array, owners: Sequence[str], seed: int = 0) -> tuple[float, float]:
    """The central 95 % of medians over objects drawn with replacement."""
    values = np.asarray(values, dtype=np.float64)
    return _find_interval([compute_medians(values, index) for index in resample_objects(owners, seed)])


def compare_medians(values: Array, others: Array, owners: Sequence[str], seed: int = 0) -> dict[str, Any]:
    """The change of the median from `others` to `values` [n] each, with its 95 % interval.

    Both are of the same pairs, and objects are drawn anew for both at once, so that what they share falls away.
    """
    values, others = (np.asarray(v, dtype=np.float64) for v in (values, others))
    changes = [
        compute_medians(values, index) - compute_medians(others, index) for index in resample_objects(owners, seed)
    ]
    return {"change": float(np.median(values) - np.median(others)), "interval": [*_find_interval(changes)]}


def resample_objects(owners: Sequence[str], seed: int = 0) -> Iterator[Indices]:
    """Which values are there when objects are drawn with replacement, in blocks of resamplings, [b, n] each.

    An object has as many places as the one with most values has: those that it does not fill are -1.
    """
    names, owner = np.unique(np.asarray(owners), return_inverse=True)
    count = np.bincount(owner)
    mine = np.full((len(names), count.max()), -1)
    mine[np.arange(count.max()) < count[:, None]] = np.argsort(owner, kind="stable")
    drawn = np.random.default_rng(seed).integers(len(names), size=(RESAMPLING_COUNT, len(names)))
    step = max(BLOCK_SIZE // mine.size, 1)
    for first in range(0, RESAMPLING_COUNT, step):
        yield mine[drawn[first : first + step]].reshape(-1, mine.size)


def compute_medians(values: Array, index: Indices) -> Array:
    """The median of each row of values, told by their indices [b, n], -1 where there is none; [b]."""
    rows = np.sort(np.append(values, np.inf)[index], axis=1)
    count, row = np.sum(index >= 0, axis=1), np.arange(len(index))
    found = 0.5 * (rows[row, (count - 1) // 2] + rows[row, count // 2])
    return np.where(np.isnan(rows[:, -1]), np.nan, found)  # what is not a number comes last


def _find_interval(blocks: Sequence[Array]) -> tuple[float, float]:
    low, high = np.percentile(np.concatenate(blocks), [2.5, 97.5])
    return float(low), float(high)


def compute_margins(results: Sequence[PairResult], baselines: Sequence[str] = BASELINES) -> list[dict[str, Any]]:
    """By how much each learned row is above the best baseline, and above the untrained control, per target."""
    table = []
    for target, group in [(t, g) for t in dict.fromkeys(r.target for r in results) for g in list_main_groups(results)]:
        mine = [r for r in results if r.target == target and belongs_to_group(r, group) and r.figures["moves"]]
        scores: dict[str, dict[tuple[str, int], float]] = {}
        for r in mine:
            scores.setdefault(r.method, {})[(r.object, r.pair)] = r.figures["motion_recovered"]
        known = {name: float(np.median(list(scores[name].values()))) for name in baselines if name in scores}
        best = max(known, key=lambda name: known[name], default=None)
        for name in scores:
            for other in ("untrained", best):
                if other is None or other not in scores or name in (*baselines, "untrained", "oracle"):
                    continue
                keys = [key for key in scores[name] if key in scores[other]]
                a, b = (np.array([scores[n][key] for key in keys]) for n in (name, other))
                found = compare_medians(a, b, [key[0] for key in keys])
                table.append({"target": target, "group": group, "method": name, "against": other} | found)
    return table


def list_paper_rows() -> list[dict[str, Any]]:
    """The paper's table, and why a method was not run here."""
    return [
        {"method": name, "chamfer_l1": l1, "chamfer_l2": l2, "iou": iou, "not_run": NOT_RUN.get(name)}
        for name, (l1, l2, iou) in TABLE_1.items()
    ]
