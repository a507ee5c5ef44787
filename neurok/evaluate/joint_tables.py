"""From results on parts to rows: errors, precision and recall, by category and in all; and lines and pages of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from neurok.evaluate.results import PartResult

TYPES = ("fixed", "revolute", "prismatic")
ERRORS = ("axis_error", "centre_error", "centre_error_diagonal", "range_error")

# What the papers report on PartNet-Mobility: axis error [degrees], centre error, precision and recall of the type.
PAPER = [
    {"method": "CAGE", "axis_error": 12.83, "centre_error": 0.11, "precision": 0.89, "recall": 0.89},
    {"method": "SINGAPO", "axis_error": 11.20, "centre_error": 0.12, "precision": 0.90, "recall": 0.91},
    {"method": "GEOPARD", "axis_error": 9.18, "centre_error": 0.05, "precision": 0.92, "recall": 0.93},
    {"method": "GEOPARD, not pretrained", "axis_error": 10.67, "centre_error": 0.06, "precision": 0.87, "recall": 0.88},
]  # fmt: skip
NOT_RUN = "parts by 2D foundation models: not obtainable here; CAGE, SINGAPO, GEOPARD: their figures, not run here"


def make_part_rows(results: Sequence[PartResult]) -> list[dict[str, Any]]:
    """One row per group, kind of parts and predictor."""
    table = []
    categories = sorted({r.category for r in results})
    for group in ("all", *(f"category {c}" for c in categories)):
        for parts, predictor in dict.fromkeys((r.parts, r.predictor) for r in results):
            mine = [r for r in results if (r.parts, r.predictor) == (parts, predictor)]
            mine = [r for r in mine if group in ("all", f"category {r.category}")]
            if mine:
                table.append({"group": group, "parts": parts, "predictor": predictor} | summarise_parts(mine))
    return table


def summarise_parts(results: Sequence[PartResult]) -> dict[str, Any]:
    """The figures of one predictor over parts."""
    found: dict[str, Any] = {"objects": len({r.object for r in results}), "part_count": len(results)}
    for name in ERRORS:
        values = [getattr(r, name) for r in results if getattr(r, name) is not None]
        if values:
            found[name] = {"mean": float(np.mean(values)), "median": float(np.median(values)), "count": len(values)}
    counts = count_types(results)
    found["confusion"] = {t: {p: int(counts[i, j]) for j, p in enumerate(TYPES)} for i, t in enumerate(TYPES)}
    found["type"] = average_types(counts)
    found["matched"] = float(np.mean([r.matched for r in results]))
    found["seconds"] = float(np.mean(list({(r.object, r.seconds): r.seconds for r in results}.values())))
    return found


def count_types(results: Sequence[PartResult]) -> np.ndarray:
    """How often each true type (rows) was predicted as each (columns), [3, 3]."""
    counts = np.zeros((len(TYPES), len(TYPES)))
    for r in results:
        counts[TYPES.index(r.truth), TYPES.index(r.predicted)] += 1
    return counts


def average_types(counts: np.ndarray) -> dict[str, float]:
    """Macro averages over the types that occur (a type never predicted has precision zero), and the micro average."""
    true, predicted, right = counts.sum(axis=1), counts.sum(axis=0), np.diag(counts)
    there = true > 0
    precision = np.where(predicted > 0, right / np.maximum(predicted, 1), 0.0)
    recall = right / np.maximum(true, 1)
    return {
        "precision_macro": float(precision[there].mean()),
        "recall_macro": float(recall[there].mean()),
        "micro": float(right.sum() / counts.sum()),
    }


# ---------------------------------------------------------------- for people


def format_summary(plain: dict[str, Any]) -> list[str]:
    """The headline of every predictor, and the paper's beside it."""
    settings = plain["settings"]
    lines = [f"{settings['objects']} objects of {settings['data']}, split {settings['split']}; mean / median:"]
    lines += [f"  {'parts':<7}{'predictor':<10}{'axis [°]':>15}{'centre (r=1)':>17}{'range':>15}"
              f"{'precision':>11}{'recall':>8}{'micro':>7}{'parts':>7}"]  # fmt: skip
    for row in plain["rows"]:
        if row["group"] == "all":
            kinds = row["type"]
            lines.append(
                f"  {row['parts']:<7}{row['predictor']:<10}{_format_error(row, 'axis_error', 1):>15}"
                f"{_format_error(row, 'centre_error', 3):>17}{_format_error(row, 'range_error', 2):>15}"
                f"{kinds['precision_macro']:>11.3f}{kinds['recall_macro']:>8.3f}{kinds['micro']:>7.3f}"
                f"{row['part_count']:>7}"
            )
    best = plain["paper"][2]
    lines.append(f"  the paper's {best['method']}, on its own test set: {best['axis_error']}°, {best['centre_error']}, "
                 f"{best['precision']}, {best['recall']}")  # fmt: skip
    return lines


def _format_error(row: dict[str, Any], name: str, digits: int) -> str:
    cell = row.get(name)
    return "–" if cell is None else f"{cell['mean']:.{digits}f} / {cell['median']:.{digits}f}"


def format_page(plain: dict[str, Any], predictors: dict[str, str]) -> str:
    """The report's page."""
    settings = plain["settings"]
    lines = ["# Articulation", "", f"Data `{Path(settings['data']).name}`, split `{settings['split']}`: "
             f"{settings['objects']} objects. Mean / median (count). Centre errors are distances from the true axis, "
             "the shape scaled to radius 1 (diagonal 1). Precision and recall are macro averages over fixed, revolute "
             "and prismatic.", ""]  # fmt: skip
    lines += [f"- `{name}`: {text}" for name, text in predictors.items()]
    lines += [f"- {NOT_RUN}", ""]
    head = "| parts | predictor | axis [°] | centre | range | precision | recall | micro | parts | matched | s |"
    for group in dict.fromkeys(row["group"] for row in plain["rows"]):
        lines += ["", f"## {group}", "", head, "|" + "---|" * 11]
        for row in plain["rows"]:
            if row["group"] == group:
                kinds, wide = row["type"], row.get("centre_error_diagonal")
                beside = f" ({wide['mean']:.3f})" if wide else ""
                lines.append(
                    f"| {row['parts']} | {row['predictor']} | {_format_counted(row, 'axis_error', 1)} | "
                    f"{_format_counted(row, 'centre_error', 3)}{beside} | {_format_counted(row, 'range_error', 2)} | "
                    f"{kinds['precision_macro']:.3f} | {kinds['recall_macro']:.3f} | {kinds['micro']:.3f} | "
                    f"{row['part_count']} | {row['matched']:.2f} | {row['seconds']:.2f} |"
                )
    lines += [
        "",
        "## The papers' figures",
        "",
        "| method | axis [°] | centre | precision | recall |",
        "|---|---|---|---|---|",
    ]
    lines += [f"| {r['method']} | {r['axis_error']} | {r['centre_error']} | {r['precision']} | {r['recall']} |"
              for r in plain["paper"]]  # fmt: skip
    if plain["left_out"]:
        lines += ["", "## Left out", ""] + [f"- {name}: {reason}" for name, reason in plain["left_out"].items()]
    return "\n".join(lines) + "\n"


def _format_counted(row: dict[str, Any], name: str, digits: int) -> str:
    return _format_error(row, name, digits) + (f" ({row[name]['count']})" if name in row else "")
