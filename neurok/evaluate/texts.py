"""Draws, robustness and unseen categories for people: lines on the terminal and pages of Markdown."""

from pathlib import Path
from typing import Any

from neurok.evaluate.pages import count_objects, format_change, format_grid, format_list
from neurok.evaluate.report import READING, format_recovered, format_rows

DRAWS = (
    "A part is what moves in truth; a draw moves it where its surface goes 5 % of the diagonal (RMS); it stays rigid "
    "where 95 % of its edges change their length by less than 2 %."
)


def format_samples(plain: dict[str, Any]) -> list[str]:
    """What draws are like, by method."""
    settings = plain["settings"]
    lines = [f"{settings['draws']} draws of each of {count_objects(plain)} of {settings['data']}. {DRAWS}"]
    for row in plain["rows"]:
        lines.append(f"  {row['group']:<11}{row['method']:<15}{_format_rigid(row)} of {row['cases']} cases stay rigid "
                     f"(edges kept {_format_cell(row['edges'])}), "
                     f"{row['reached']:.0%} of {row['parts']} parts are moved by some draw, draws differ by "
                     f"{_format_cell(row['difference'])} of the diagonal, "
                     f"rest is off by {row['rest']:.1g}")  # fmt: skip
    return lines


def format_samples_page(plain: dict[str, Any]) -> str:
    """The report's page."""
    settings = plain["settings"]
    drawn = f"{settings['draws']} draws of each of {count_objects(plain)} of `{Path(settings['data']).name}`"
    lines = ["# States drawn", "", f"{drawn}, split `{settings['split']}`, seed {settings['seed']}. {DRAWS}", ""]
    lines += format_list({f"`{name}`": text for name, text in settings["methods"].items()}) + [""]
    head = ("objects", "method", "count", "coordinates", "rest off by", "parts", "moved by some draw", "cases", "rigid",
            "edges kept, median [95 %]", "objects with 95 % kept", "difference of draws, median [95 %]")  # fmt: skip
    lines += format_grid(head, [
        (r["group"], r["method"], r["objects"], f"{r['coordinates']:.1f}", f"{r['rest']:.1g}", r["parts"],
         f"{r['reached']:.0%}", r["cases"], _format_rigid(r), _format_cell(r["edges"]),
         _format_share(r["objects_rigid"]), _format_cell(r["difference"])) for r in plain["rows"]
    ])  # fmt: skip
    return _join_page(lines, plain)


def format_robustness(plain: dict[str, Any]) -> list[str]:
    """What each change does to the median, by target."""
    settings = plain["settings"]
    lines = [f"{count_objects(plain)} of {settings['data']}, split {settings['split']}; median of motion "
             "recovered, and its change [95 %, paired over objects]:"]  # fmt: skip
    return lines + [f"  {r['target']:<14}{r['group']:<11}{r['variant']:<18}{r['motion_recovered']['median']:6.2f}  "
                    f"{format_change(r)}" for r in plain["rows"]]  # fmt: skip


def format_robustness_page(plain: dict[str, Any]) -> str:
    """The report's page."""
    settings = plain["settings"]
    lines = ["# Robustness", "", f"{count_objects(plain)} of `{Path(settings['data']).name}`, split "
             f"`{settings['split']}`, seed {settings['seed']}. Points are those the network looks at; turns are by 90 "
             "degrees, the upward axis told rightly. Changes of the median of motion recovered with 95 % of them over "
             "objects drawn anew, the same for both.", ""]  # fmt: skip
    head = ("target", "objects", "variant", "pairs", "motion recovered, median / mean [95 %]", "change")
    keys = ("target", "group", "variant", "pairs")
    lines += format_grid(head, [(*(r[key] for key in keys), format_recovered(r), format_change(r))
                                for r in plain["rows"]])  # fmt: skip
    return _join_page(lines, plain)


def format_unseen(plain: dict[str, Any]) -> list[str]:
    """Seen beside unseen, by target and method."""
    settings = plain["settings"]
    lines = [f"trained without {', '.join(settings['unseen'])}; {settings['objects_seen']} objects of categories seen, "
             f"{settings['objects_unseen']} of those unseen; motion recovered, median / mean [95 %]:"]  # fmt: skip
    return lines + [f"  {r['target']:<14}{r['method']:<12}{r['group']:<8}{format_recovered(r)}  {r['pairs']} pairs"
                    for r in plain["rows"] if "motion_recovered" in r]  # fmt: skip


def format_unseen_page(plain: dict[str, Any]) -> str:
    """The report's page."""
    settings = plain["settings"]
    lines = ["# Categories never seen", "", f"Trained without {', '.join(settings['unseen'])}. Measured on "
             f"`{Path(settings['data']).name}`: {settings['objects_seen']} objects of the split `{settings['split']}` "
             f"of other categories, {settings['objects_unseen']} of those left out. {READING}", ""]  # fmt: skip
    for group in dict.fromkeys(row["group"] for row in plain["rows"]):
        lines += ["", f"## {group}", ""] + format_rows([row for row in plain["rows"] if row["group"] == group])
    return _join_page(lines, plain)


def _join_page(lines: list[str], plain: dict[str, Any]) -> str:
    if plain["left_out"]:
        lines += ["", "## Left out", ""] + format_list(plain["left_out"])
    return "\n".join(lines) + "\n"


def _format_rigid(row: dict[str, Any]) -> str:
    return "none" if row["rigid"] is None else f"{row['rigid']:.0%}"


def _format_share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _format_cell(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return "–"
    low, high = cell["interval"]
    return f"{cell['median']:.3f} [{low:.3f}, {high:.3f}]"
