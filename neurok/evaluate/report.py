"""What was measured of deformations, for people: lines on the terminal, a Markdown page, pictures."""

from pathlib import Path
from typing import Any

from neurok.evaluate.deformation import Evaluation
from neurok.evaluate.pages import changed, grid, listed, put, put_picture
from neurok.evaluate.paper import answers_to
from neurok.evaluate.plot import bar_plot
from neurok.evaluate.sheets import sheet
from neurok.evaluate.tables import EVERYTHING

HEADLINE = ("motion_recovered", "chamfer_l1_recovered")
PLOT = "recovered.png"


def summary(plain: dict[str, Any]) -> list[str]:
    """The headline of every method and target: how much of the motion it recovers."""
    settings = plain["settings"]
    lines = [f"{settings['objects']} objects of {settings['data']}, split {settings['split']}; "
             "motion recovered, median / mean [95 % of the median] (1 is perfect, 0 is not moving), and chamfer "
             "recovered:"]  # fmt: skip
    for row in plain["rows"]:
        if not row["group"].startswith("category") and "motion_recovered" in row:
            lines.append(f"  {row['target']:<14}{row['group']:<11}{row['method']:<19}{recovered(row)}"
                         f"  {row['chamfer_l1_recovered']['median']:6.2f}"
                         f"  {row['pairs']} pairs, {row['skipped']} skipped")  # fmt: skip
    for row in plain["margins"]:
        if row["group"] == EVERYTHING:
            lines.append(f"  {row['target']:<14}{row['method']} above {row['against']}: {changed(row)}")
    return lines


def recovered(row: dict[str, Any], name: str = "motion_recovered") -> str:
    cell = row[name]
    low, high = cell["interval"]
    return f"{cell['median']:6.2f} / {cell['mean']:5.2f} [{low:.2f}, {high:.2f}]"


# ---------------------------------------------------------------- Markdown


def markdown(plain: dict[str, Any]) -> str:
    """The report's page."""
    settings = plain["settings"]
    lines = ["# Deformation", "", f"Data `{Path(settings['data']).name}`, split `{settings['split']}`: "
             f"{settings['objects']} objects, seed {settings['seed']}. The diagonal of state a is 1. Every figure is a "
             "median over pairs / its floor (two samplings of the true target) / not moving.", ""]  # fmt: skip
    lines += [f"- `{name}`: {text}{_trained(settings['weights'].get(name))}"
              for name, text in settings["methods"].items()]  # fmt: skip
    lines += ["", "## The paper's table, and ours", ""] + _paper(plain)
    if plain["margins"]:
        lines += ["", "## Above baselines and control", ""]
        lines += ["The change of the median, with 95 % of it over objects drawn anew, the same for both.", ""]
        head = ("target", "objects", "method", "against", "change of motion recovered")
        lines += grid(head, [(*(m[key] for key in ("target", "group", "method", "against")), changed(m))
                             for m in plain["margins"]])  # fmt: skip
    for group in dict.fromkeys(row["group"] for row in plain["rows"]):
        lines += ["", f"## {group}", ""] + markdown_table([row for row in plain["rows"] if row["group"] == group])
    lines += ["", "## Not measured here", ""] + listed(plain["not_measured"])
    if plain["left_out"]:
        lines += ["", "## Left out", ""] + listed(plain["left_out"])
    return "\n".join(lines) + "\n"


def _trained(record: dict[str, Any] | None) -> str:
    if not record or "minutes" not in record:
        return ""
    without = f", without {', '.join(record['without'])}" if record.get("without") else ""
    return f"; trained {record['minutes']:g} minutes on `{record.get('recipe', 'a store')}`{without}"


def _paper(plain: dict[str, Any]) -> list[str]:
    """The paper's rows, and ours on unordered surfaces of all objects."""
    lines = []
    for row in plain["paper"]:
        here = f"not run: {row['not_run']}" if row["not_run"] else ""
        lines.append((row["method"], row["chamfer_l1"], row["chamfer_l2"], row["iou"], "–", "–", here))
    for row in plain["rows"]:
        if (row["group"], row["target"]) == (EVERYTHING, "unordered") and "motion_recovered" in row:
            cells = [_three(row.get(name)) for name in ("chamfer_l1", "chamfer_l2", "surface_iou", "volume_iou")]
            config = plain["settings"]["weights"].get(row["method"], {}).get("config")
            meant = f"ours; answers to {name}" if (name := answers_to(row["method"], config)) else "ours"
            lines.append((f"`{row['method']}`", *cells, f"{row['motion_recovered']['median']:.2f}", meant))
    return ["The paper's sampling, normalisation and kind of IoU are not published: compare its rows among themselves, "
            "and ours (value / floor / not moving) among themselves.", "",
            *grid(("method", "Chamfer-L1", "Chamfer-L2", "IoU (ours: surface)", "volume IoU", "motion recovered",
                   "here"), lines)]  # fmt: skip


def markdown_table(rows: list[dict[str, Any]]) -> list[str]:
    """Rows with their floors and not moving beside them."""
    head = ("target", "method", "motion recovered, median / mean [95 %]", "Chamfer-L1 recovered", "Chamfer-L1",
            "Chamfer-L2", "surface IoU", "volume IoU", "coordinates", "pairs (skipped)", "s")  # fmt: skip
    lines = []
    for row in rows:
        counts = f"{row['pairs']} ({row['skipped']})"
        if "motion_recovered" not in row:
            lines.append((row["target"], row["method"], *["–"] * 7, counts, "–"))
            continue
        cells = [_three(row.get(name)) for name in ("chamfer_l1", "chamfer_l2", "surface_iou", "volume_iou")]
        size = f"{row['coordinates']:.1f}" if "coordinates" in row else "–"
        figures = [recovered(row, name) for name in HEADLINE]
        lines.append((row["target"], row["method"], *figures, *cells, size, counts, f"{row['seconds']:.2f}"))
    return grid(head, lines)


def _three(figures: dict[str, Any] | None) -> str:
    if figures is None:
        return "–"
    return " / ".join(f"{figures[part]['median']:.4f}" for part in ("value", "floor", "still"))


# ---------------------------------------------------------------- files


def write_report(found: Evaluation, plain: dict[str, Any], folder: Path, text: str) -> list[Path]:
    """report.md, report.json, a plot of all methods and one sheet of pictures per method that moves."""
    page = markdown(plain) + f"\n## Motion recovered\n\n![motion recovered by target and method]({PLOT})\n"
    written = [put_picture(folder / PLOT, bar_plot(_bars(plain), up="motion recovered, median and 95 % of it"))]
    for row in found.rows:
        picture = sheet(found, row)
        if picture is not None:
            written.append(put_picture(folder / f"{row.name}.png", picture))
            page += f"\n## {row.text.capitalize()}\n\n![state a, target, prediction]({row.name}.png)\n"
    return [*written, put(folder / "report.md", page), put(folder / "report.json", text + "\n")]


def _bars(plain: dict[str, Any]) -> dict[str, dict[str, tuple[float, float, float]]]:
    """Median and interval by target and method."""
    bars: dict[str, dict[str, tuple[float, float, float]]] = {}
    for row in plain["rows"]:
        if row["group"] == EVERYTHING and "motion_recovered" in row:
            cell = row["motion_recovered"]
            bars.setdefault(row["target"], {})[row["method"]] = (cell["median"], *cell["interval"])
    return bars
