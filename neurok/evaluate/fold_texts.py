"""Cross-validated tables for people: lines on the terminal and pages of Markdown."""

from pathlib import Path
from typing import Any

from neurok.evaluate.fold_runs import GROUPS
from neurok.evaluate.joint_tables import ERRORS
from neurok.evaluate.pages import format_grid, format_list
from neurok.evaluate.report import KIND_TITLES

RATIO = "unseen / seen"
READING = (
    "Motion recovered (0 is not moving, 1 the target): median / mean over pairs, [95 % interval of the median], "
    "{95 % interval of the mean} over objects drawn anew, and the share of pairs below -0.1. Unseen: kinds that the "
    "weights were trained without. Seen: held-out objects of the other kinds."
)
JOINT_READING = (
    "Errors of joints: mean / median, [95 % interval of the mean] over objects drawn anew. Precision and recall of the "
    "joint's type are macro averages."
)


def format_folds(plain: dict[str, Any]) -> list[str]:
    """A line for each target and method: seen, unseen and their ratio, of all objects, separable and fused ones."""
    lines = [_describe_folds(plain["settings"]) + "; motion recovered, median / mean [95 % of the median]:"]
    ratios = {(r["target"], r["method"], r["objects"]): r for r in plain["ratios"]}
    for row in plain["rows"]:
        line = (f"  {row['target']:<14}{row['objects']:<11}{row['method']:<12}{row['group']:<7}"
                f"{_format_median(row)}  {row['harmed']:4.0%} harmed  {row['object_count']} objects")  # fmt: skip
        ratio = ratios.get((row["target"], row["method"], row["objects"]))
        lines.append(line + (f"  ratio {format_ratio(ratio)}" if ratio and row["group"] == GROUPS[1] else ""))
    return lines


def format_folds_page(plain: dict[str, Any]) -> str:
    """The report's page: a table for each kind of object, methods and groups down, targets across."""
    settings = plain["settings"]
    lines = [
        "# Kinds left out: deformation",
        "",
        f"{_describe_folds(settings)}. {READING}",
        "",
        *_list_kinds(settings),
        "",
    ]
    lines += format_list({f"`{name}`": text for name, text in settings["methods"].items()})
    for objects in dict.fromkeys(row["objects"] for row in plain["rows"]):
        lines += ["", f"## {KIND_TITLES[objects]}", "", *_cross_table(plain, objects)]
    lines += ["", "## By fold", "", *_plain_table(plain["folds"], "fold", settings)]
    lines += ["", "## Unseen kinds", "", *_plain_table(plain["kinds"], "kinds", settings)]
    return _with_left_out(lines, plain)


def _cross_table(plain: dict[str, Any], objects: str) -> list[str]:
    settings = plain["settings"]
    cells = {(r["method"], r["group"], r["target"]): format_cell(r) for r in plain["rows"] if r["objects"] == objects}
    cells |= {(r["method"], RATIO, r["target"]): format_ratio(r) for r in plain["ratios"] if r["objects"] == objects}
    lines = []
    for method in settings["methods"]:
        for group in (*GROUPS, RATIO):
            found = [cells.get((method, group, target), "–") for target in settings["targets"]]
            if any(cell != "–" for cell in found):
                lines.append((method, group, *found))
    return format_grid(("method", "kinds", *settings["targets"]), lines)


def _plain_table(rows: list[dict[str, Any]], name: str, settings: dict[str, Any]) -> list[str]:
    """Medians, with what they are of and the target down, methods across."""
    cells: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in rows:
        line = cells.setdefault((str(row[name]), row["target"], row["group"]), {"objects": str(row["object_count"])})
        line[row["method"]] = f"{row['median']:.2f}"
    order = sorted(cells, key=lambda key: (settings["targets"].index(key[1]), key[0], key[2]))
    methods = list(settings["methods"])
    lines = [(*key, *(cells[key].get(column, "–") for column in ("objects", *methods))) for key in order]
    return format_grid((name, "target", "seen or unseen", "objects", *methods), lines)


def format_cell(row: dict[str, Any]) -> str:
    """Median / mean with both intervals, and how many pairs were harmed."""
    low, high = row["mean"]["interval"]
    return f"{' '.join(_format_median(row).split())} {{{low:.2f}, {high:.2f}}}, {row['harmed']:.0%} harmed"


def format_ratio(row: dict[str, Any]) -> str:
    """A ratio of medians with its interval."""
    if row["ratio"] is None:
        return "–"
    return f"{row['ratio']:.2f}" + (" [{:.2f}, {:.2f}]".format(*row["interval"]) if row["interval"] else "")


def _format_median(row: dict[str, Any]) -> str:
    low, high = row["median"]["interval"]
    return f"{row['median']['value']:6.2f} / {row['mean']['value']:5.2f} [{low:.2f}, {high:.2f}]"


# ---------------------------------------------------------------- articulation


def format_articulation_folds(plain: dict[str, Any]) -> list[str]:
    """A line for each predictor and group."""
    lines = [_describe_folds(plain["settings"]) + "; mean / median:"]
    for row in plain["rows"]:
        types = row["type"]
        errors = "  ".join(
            f"{name.removesuffix('_error')} {_format_error(row, name)}" for name in ERRORS if name in row
        )
        lines.append(f"  {row['parts']:<7}{row['predictor']:<10}{row['group']:<8}{errors}  "
                     f"precision {types['precision_macro']:.3f}  recall {types['recall_macro']:.3f}  "
                     f"{row['part_count']} parts of {row['object_count']} objects")  # fmt: skip
    return lines


def format_articulation_folds_page(plain: dict[str, Any]) -> str:
    """The report's page: predictors and groups down, errors across."""
    settings = plain["settings"]
    lines = ["# Kinds left out: articulation", "", f"{_describe_folds(settings)}. {JOINT_READING}", "",
             *_list_kinds(settings)]  # fmt: skip
    head = ("predictor", "kinds", "axis [°]", "centre, radius 1", "centre, diagonal 1", "range", "precision", "recall",
            "micro", "parts", "objects")  # fmt: skip
    for parts in dict.fromkeys(row["parts"] for row in plain["rows"]):
        mine = [row for row in plain["rows"] if row["parts"] == parts]
        lines += ["", f"## Parts {parts}", ""]
        lines += format_grid(head, [
            (r["predictor"], r["group"], *(_format_error(r, name) if name in r else "–" for name in ERRORS),
             *(f"{r['type'][name]:.3f}" for name in ("precision_macro", "recall_macro", "micro")), r["part_count"],
             r["object_count"]) for r in mine
        ])  # fmt: skip
    return _with_left_out(lines, plain)


def _format_error(row: dict[str, Any], name: str) -> str:
    mean, median, digits = row[name]["mean"], row[name]["median"], 1 if name == "axis_error" else 3
    low, high = mean["interval"]
    return f"{mean['value']:.{digits}f} / {median['value']:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


# ---------------------------------------------------------------- both


def _describe_folds(settings: dict[str, Any]) -> str:
    """Which folds of which data, and which are missing."""
    folds = ", ".join(map(str, settings["folds"]))
    text = f"fold{'s' * (len(settings['folds']) != 1)} {folds} of `{Path(settings['data']).name}`"
    text += f", seen kinds from split `{settings['split']}`, at most {settings['per_kind'] or 'all'} objects of a kind"
    if settings["missing_folds"]:
        text += f"; there is no run of fold {', '.join(map(str, settings['missing_folds']))}"
    return text


def _list_kinds(settings: dict[str, Any]) -> list[str]:
    counts = settings["objects"]
    return [f"- fold {fold}, {counts[fold]['seen']} objects seen, {counts[fold]['unseen']} unseen: {', '.join(kinds)}"
            for fold, kinds in settings["kinds"].items()]  # fmt: skip


def _with_left_out(lines: list[str], plain: dict[str, Any]) -> str:
    if plain["left_out"]:
        lines += ["", "## Left out", "", *format_list(plain["left_out"])]
    return "\n".join(lines) + "\n"
