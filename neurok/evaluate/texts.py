"""Draws, robustness and unseen categories for people: lines on the terminal and pages of Markdown."""

from pathlib import Path
from typing import Any

from neurok.evaluate.pages import changed, grid, listed, objects
from neurok.evaluate.report import READING, markdown_table, recovered

DRAWS = (
    "A part is what moves in truth; a draw moves it where its surface goes 5 % of the diagonal (RMS); it stays rigid "
    "where 95 % of its edges change their length by less than 2 %."
)


def samples_lines(plain: dict[str, Any]) -> list[str]:
    """What draws are like, by method."""
    settings = plain["settings"]
    lines = [f"{settings['draws']} draws of each of {objects(plain)} of {settings['data']}. {DRAWS}"]
    for row in plain["rows"]:
        lines.append(f"  {row['group']:<11}{row['method']:<15}{_rigid(row)} of {row['cases']} cases stay rigid "
                     f"(edges kept {_cell(row['edges'])}), "
                     f"{row['reached']:.0%} of {row['parts']} parts are moved by some draw, draws differ by "
                     f"{_cell(row['difference'])} of the diagonal, rest is off by {row['rest']:.1g}")  # fmt: skip
    return lines


def samples_page(plain: dict[str, Any]) -> str:
    """The report's page."""
    settings = plain["settings"]
    drawn = f"{settings['draws']} draws of each of {objects(plain)} of `{Path(settings['data']).name}`"
    lines = ["# States drawn", "", f"{drawn}, split `{settings['split']}`, seed {settings['seed']}. {DRAWS}", ""]
    lines += listed({f"`{name}`": text for name, text in settings["methods"].items()}) + [""]
    head = ("objects", "method", "count", "coordinates", "rest off by", "parts", "moved by some draw", "cases", "rigid",
            "edges kept, median [95 %]", "objects with 95 % kept", "difference of draws, median [95 %]")  # fmt: skip
    lines += grid(head, [
        (r["group"], r["method"], r["objects"], f"{r['coordinates']:.1f}", f"{r['rest']:.1g}", r["parts"],
         f"{r['reached']:.0%}", r["cases"], _rigid(r), _cell(r["edges"]), _share(r["objects_rigid"]),
         _cell(r["difference"])) for r in plain["rows"]
    ])  # fmt: skip
    return _with_left_out(lines, plain)


def robustness_lines(plain: dict[str, Any]) -> list[str]:
    """What each change does to the median, by target."""
    settings = plain["settings"]
    lines = [f"{objects(plain)} of {settings['data']}, split {settings['split']}; median of motion "
             "recovered, and its change [95 %, paired over objects]:"]  # fmt: skip
    return lines + [f"  {r['target']:<14}{r['group']:<11}{r['variant']:<18}{r['motion_recovered']['median']:6.2f}  "
                    f"{changed(r)}" for r in plain["rows"]]  # fmt: skip


def robustness_page(plain: dict[str, Any]) -> str:
    """The report's page."""
    settings = plain["settings"]
    lines = ["# Robustness", "", f"{objects(plain)} of `{Path(settings['data']).name}`, split "
             f"`{settings['split']}`, seed {settings['seed']}. Points are those the network looks at; turns are by 90 "
             "degrees, the upward axis told rightly. Changes of the median of motion recovered with 95 % of them over "
             "objects drawn anew, the same for both.", ""]  # fmt: skip
    lines += grid(("target", "objects", "variant", "pairs", "motion recovered, median / mean [95 %]", "change"), [
        (r["target"], r["group"], r["variant"], r["pairs"], recovered(r), changed(r)) for r in plain["rows"]
    ])  # fmt: skip
    return _with_left_out(lines, plain)


def unseen_lines(plain: dict[str, Any]) -> list[str]:
    """Seen beside unseen, by target and method."""
    settings = plain["settings"]
    lines = [f"trained without {', '.join(settings['unseen'])}; {settings['objects_seen']} objects of categories seen, "
             f"{settings['objects_unseen']} of those unseen; motion recovered, median / mean [95 %]:"]  # fmt: skip
    return lines + [f"  {r['target']:<14}{r['method']:<12}{r['group']:<8}{recovered(r)}  {r['pairs']} pairs"
                    for r in plain["rows"] if "motion_recovered" in r]  # fmt: skip


def unseen_page(plain: dict[str, Any]) -> str:
    """The report's page."""
    settings = plain["settings"]
    lines = ["# Categories never seen", "", f"Trained without {', '.join(settings['unseen'])}. Measured on "
             f"`{Path(settings['data']).name}`: {settings['objects_seen']} objects of the split `{settings['split']}` "
             f"of other categories, {settings['objects_unseen']} of those left out. {READING}", ""]  # fmt: skip
    for group in dict.fromkeys(row["group"] for row in plain["rows"]):
        lines += ["", f"## {group}", ""] + markdown_table([row for row in plain["rows"] if row["group"] == group])
    return _with_left_out(lines, plain)


def _with_left_out(lines: list[str], plain: dict[str, Any]) -> str:
    if plain["left_out"]:
        lines += ["", "## Left out", ""] + listed(plain["left_out"])
    return "\n".join(lines) + "\n"


def _rigid(row: dict[str, Any]) -> str:
    return "none" if row["rigid"] is None else f"{row['rigid']:.0%}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _cell(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return "–"
    low, high = cell["interval"]
    return f"{cell['median']:.3f} [{low:.3f}, {high:.3f}]"
