"""What was measured of deformations, for people: lines on the terminal, a Markdown page, pictures."""

from pathlib import Path
from typing import Any

from neurok.evaluate.loop import Measured
from neurok.evaluate.pages import count_objects, format_change, format_grid, format_list, write_page, write_picture
from neurok.evaluate.paper import find_paper_row
from neurok.evaluate.plot import draw_bar_plot
from neurok.evaluate.results import PairResult
from neurok.evaluate.sheets import draw_sheet
from neurok.evaluate.tables import EVERYTHING, METRICS

HEADLINE = ("motion_recovered", "chamfer_l1_recovered")
PLOT = "recovered.png"
NO_ROW = "none of these objects says what it needs to know"
READING = (
    "The diagonal of state a is 1. Recovered: 0 is not moving, 1 the target (for Chamfer-L1 its floor); median / mean "
    "over pairs, with 95 % of the median over objects drawn anew. Distances and overlaps: median / its floor (two "
    "samplings of the true target) / not moving. Where not moving is as near as the floor, Chamfer-L1 recovered says "
    "nothing."
)
KIND_TITLES = {
    EVERYTHING: "All objects",
    "separable": "Separable objects: no connected component spans parts that move apart",
    "fused": "Fused objects: some component does",
    "soft": "Objects that bend, or whose parts are not known",
}


def format_summary(plain: dict[str, Any]) -> list[str]:
    """The headline of every method and target: how much of the motion it recovers."""
    settings = plain["settings"]
    lines = [f"{count_objects(plain)} of {settings['data']}, split {settings['split']}; "
             "motion recovered, median / mean [95 % of the median] (1 is perfect, 0 is not moving), and chamfer "
             "recovered:"]  # fmt: skip
    for row in plain["rows"]:
        if not row["group"].startswith("category") and "motion_recovered" in row:
            lines.append(f"  {row['target']:<14}{row['group']:<11}{row['method']:<19}{format_recovered(row)}"
                         f"  {row['chamfer_l1_recovered']['median']:6.2f}"
                         f"  {row['pairs']} pairs, {row['skipped']} skipped")  # fmt: skip
    for row in plain["margins"]:
        if row["group"] == EVERYTHING:
            lines.append(f"  {row['target']:<14}{row['method']} above {row['against']}: {format_change(row)}")
    return lines + [f"  {name} has no row: {NO_ROW}" for name in _find_idle_methods(plain)]


def _find_idle_methods(plain: dict[str, Any]) -> list[str]:
    """Methods that could be made of no object."""
    there = {row["method"] for row in plain["rows"]}
    return [name for name in plain["settings"]["methods"] if name not in there]


def format_recovered(row: dict[str, Any], name: str = "motion_recovered") -> str:
    cell = row[name]
    low, high = cell["interval"]
    return f"{cell['median']:6.2f} / {cell['mean']:5.2f} [{low:.2f}, {high:.2f}]"


# ---------------------------------------------------------------- Markdown


def format_page(plain: dict[str, Any], plot: str = "", sheets: dict[str, str] | None = None) -> str:
    """The report's page. plot: the file of the bars; sheets: files of pictures by method."""
    settings, groups = plain["settings"], list(dict.fromkeys(row["group"] for row in plain["rows"]))
    lines = ["# Deformation", "", f"Data `{Path(settings['data']).name}`, split `{settings['split']}`: "
             f"{count_objects(plain)}, seed {settings['seed']}. {READING}", ""]  # fmt: skip
    idle = _find_idle_methods(plain)
    for name, text in settings["methods"].items():
        missing = f"; no row: {NO_ROW}" if name in idle else ""
        lines.append(f"- `{name}`: {text}{_describe_training(settings['weights'].get(name))}{missing}")
    lines += ["", f"![motion recovered by target and method]({plot})"] if plot else []
    lines += ["", "## The paper's table, and ours", ""] + _format_paper(plain)
    if plain["margins"]:
        lines += ["", "## Above baselines and control", ""]
        lines += ["The change of the median, with 95 % of it over objects drawn anew, the same for both.", ""]
        head = ("target", "objects", "method", "against", "change of motion recovered")
        lines += format_grid(head, [(*(m[key] for key in ("target", "group", "method", "against")), format_change(m))
                             for m in plain["margins"]])  # fmt: skip
    for group in groups:
        if group in KIND_TITLES:
            lines += ["", f"## {KIND_TITLES[group]}", ""] + format_rows(
                [r for r in plain["rows"] if r["group"] == group]
            )
    lines += ["", "## By category", ""] + _format_categories(plain)
    for name, file in (sheets or {}).items():
        lines += ["", f"## `{name}`: best, median and worst", "", f"![state a, target, prediction]({file})"]
    for group in groups:
        if group not in KIND_TITLES:
            lines += ["", f"## {group}", ""] + format_rows([r for r in plain["rows"] if r["group"] == group])
    lines += ["", "## Not measured here", ""] + format_list(plain["not_measured"])
    if plain["left_out"]:
        lines += ["", "## Left out", ""] + format_list(plain["left_out"])
    return "\n".join(lines) + "\n"


def _describe_training(record: dict[str, Any] | None) -> str:
    if not record or "minutes" not in record:
        return ""
    without = f", without {', '.join(record['without'])}" if record.get("without") else ""
    return f"; trained {record['minutes']:g} minutes on `{record.get('recipe', 'a store')}`{without}"


def _format_paper(plain: dict[str, Any]) -> list[str]:
    """The paper's rows, and ours on unordered surfaces of all objects."""
    ours: list[tuple[str, ...]] = []
    answers: dict[str, list[str]] = {}
    for row in plain["rows"]:
        if (row["group"], row["target"]) == (EVERYTHING, "unordered") and "motion_recovered" in row:
            config = plain["settings"]["weights"].get(row["method"], {}).get("config")
            meant = find_paper_row(row["method"], config)
            answers.setdefault(meant, []).append(f"`{row['method']}`")
            cells = [_format_floors(row.get(name)) for name in METRICS]
            said = f"ours; answers to {meant}" if meant else "ours"
            ours.append((f"`{row['method']}`", *cells, f"{row['motion_recovered']['median']:.2f}", said))
    lines = []
    for row in plain["paper"]:
        figures = [f"{row[name]:.3f}" for name in ("chamfer_l1", "chamfer_l2", "iou")]
        mine = f"see {', '.join(answers[row['method']])}" if row["method"] in answers else ""
        reason = f"not run: {row['not_run']}" if row["not_run"] else ""
        said = "; ".join(part for part in (reason, mine) if part) or "none of the rows below answers to it"
        lines.append((row["method"], *figures, "–", "–", said))
    return ["The paper's sampling, normalisation and kind of IoU are not published: compare its rows among themselves, "
            "and ours (value / floor / not moving) among themselves.", "",
            *format_grid(("method", "Chamfer-L1", "Chamfer-L2", "IoU (ours: surface)", "volume IoU", "motion recovered",
                   "here"), lines + ours)]  # fmt: skip


def _format_categories(plain: dict[str, Any]) -> list[str]:
    """Motion recovered, a line for each category and target, a column for each method."""
    methods = list(plain["settings"]["methods"])
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in plain["rows"]:
        if row["group"] not in KIND_TITLES and "motion_recovered" in row:
            line = cells.setdefault((row["target"], row["group"].partition(" ")[2]), {"count": row["objects"]})
            line[row["method"]] = f"{row['motion_recovered']['median']:.2f}"
    order = sorted(cells, key=lambda key: (plain["settings"]["targets"].index(key[0]), key[1]))
    lines = [(*key, cells[key]["count"], *(cells[key].get(name, "–") for name in methods)) for key in order]
    said = "Motion recovered, median over pairs; all figures of each category stand at the end."
    return [said, "", *format_grid(("target", "category", "objects", *methods), lines)]


def format_rows(rows: list[dict[str, Any]]) -> list[str]:
    """Rows with their floors and not moving beside them."""
    head = ("target", "method", "motion recovered", "Chamfer-L1 recovered", "Chamfer-L1", "Chamfer-L2", "surface IoU",
            "volume IoU", "coordinates", "pairs (skipped)", "s")  # fmt: skip
    lines = []
    for row in rows:
        counts = f"{row['pairs']} ({row['skipped']})"
        if "motion_recovered" not in row:
            lines.append((row["target"], row["method"], *["–"] * 7, counts, "–"))
            continue
        cells = [_format_floors(row.get(name)) for name in METRICS]
        size = f"{row['coordinates']:.1f}" if "coordinates" in row else "–"
        figures = [" ".join(format_recovered(row, name).split()) for name in HEADLINE]
        lines.append((row["target"], row["method"], *figures, *cells, size, counts, f"{row['seconds']:.2f}"))
    return format_grid(head, lines)


def _format_floors(figures: dict[str, Any] | None) -> str:
    if figures is None:
        return "–"
    return " / ".join(f"{figures[part]['median']:.4f}" for part in ("value", "floor", "still"))


# ---------------------------------------------------------------- files


def write_report(found: Measured[PairResult], plain: dict[str, Any], folder: Path, text: str) -> list[Path]:
    """report.md, report.json, a plot of all methods and one sheet of pictures per method that moves."""
    written = [
        write_picture(folder / PLOT, draw_bar_plot(_collect_bars(plain), up="motion recovered, median and 95 % of it"))
    ]
    sheets = {}
    for row in found.rows:
        picture = draw_sheet(found, row)
        if picture is not None:
            sheets[row.name] = f"{row.name}.png"
            written.append(write_picture(folder / sheets[row.name], picture))
    return [*written, *write_page(format_page(plain, PLOT, sheets), folder, text)]


def _collect_bars(plain: dict[str, Any]) -> dict[str, dict[str, tuple[float, float, float]]]:
    """Median and interval by target and method."""
    bars: dict[str, dict[str, tuple[float, float, float]]] = {}
    for row in plain["rows"]:
        if row["group"] == EVERYTHING and "motion_recovered" in row:
            cell = row["motion_recovered"]
            bars.setdefault(row["target"], {})[row["method"]] = (cell["median"], *cell["interval"])
    return bars
