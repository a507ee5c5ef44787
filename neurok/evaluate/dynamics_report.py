"""What was measured of dynamics, for people."""

from pathlib import Path
from typing import Any

from neurok.evaluate.dynamics import DynamicsResult
from neurok.evaluate.pages import format_grid, format_list, write_picture, write_whole
from neurok.evaluate.paper import NOT_MEASURED, TABLE_2
from neurok.evaluate.plot import draw_line_plot

PLOT = "energy.png"


def format_lines(facts: dict[str, Any]) -> list[str]:
    """What to say of an object's dynamics."""
    energy, long_run, alone = facts["energy"], facts["long_run"], facts["single_swings"]
    said = [
        f"{facts['coordinates']} coordinates; energy: a swing of {energy['seconds']:g} s keeps its total within"
        f" {energy['drift']:.2g} of its largest kinetic energy, which is {energy['kinetic_share']:.0%} of what is"
        " exchanged",
    ]
    if alone:
        worst = max(alone, key=lambda swing: swing["drift"])
        said.append(
            f"one coordinate at a time over half its range: within {worst['drift']:.2g} at worst"
            f" ({worst['coordinate']}), kinetic energy at least {min(s['kinetic_share'] for s in alone):.0%} of what"
            " is exchanged"
        )
    found = facts["boundary"]
    said.append(
        f"first states from {found['points']} points of a motion: the surface within {found['shape']:.2g} of the"
        f" diagonal, coordinates within {found['state']:.2g} spreads, speeds within {found['speed']:.2g} of themselves"
    )
    said.append(
        f"long run: {long_run['steps']:,} steps, {'all finite' if long_run['finite'] else 'NOT FINITE'},"
        f" drift {long_run['drift']:.2g}, trend {long_run['trend']:.2g}"
    )
    for name, scheme in facts["convergence"].items():
        order = "exact" if scheme["order"] is None else f"order {scheme['order']:.2f}"
        said.append(f"{name}: {order} (declared {scheme['declared']}), error {scheme['errors'][-1]:.2g} spreads")
    said.append(
        f"motion: {facts['motion_magnitude']:.2f} pixels a frame on average, {facts['fastest_flow']:.1f} the fastest;"
        f" {'dynamic' if facts['dynamic_degree'] else 'not dynamic'}"
    )
    return said


def format_page(facts: dict[str, Any]) -> str:
    """The report's page."""
    told = ["# Dynamics", "", f"`{Path(facts['input']).name}`, {facts['coordinates']} coordinates.", ""]
    told += [f"- {line}" for line in format_lines(facts)]
    told += ["", f"![kinetic, potential and total energy over time]({PLOT})", "", "## One coordinate at a time", ""]
    swings = [(s["coordinate"], f"{s['drift']:.2g}", f"{s['kinetic_share']:.0%}") for s in facts["single_swings"]]
    told += format_grid(("coordinate", "drift", "kinetic of what is exchanged"), swings)
    told += ["", "## Steps that are halved", ""]
    told += format_grid(("scheme", "order shown", "declared", "steps [s]", "errors [spreads]"), [
        (name, "exact" if c["order"] is None else f"{c['order']:.2f}", c["declared"],
         " ".join(f"{h:.4f}" for h in c["steps"]), " ".join(f"{e:.2g}" for e in c["errors"]))
        for name, c in facts["convergence"].items()
    ])  # fmt: skip
    told += ["", "## The paper's table of 4D generation", ""]
    head = ("method", "alignment %", "realism %", "aesthetic", "dynamic degree", "imaging", "CLIP", "motion magnitude")
    told += format_grid(head, [(name, *figures) for name, figures in TABLE_2.items()])
    told += ["", "Not measured here:", ""] + format_list(NOT_MEASURED)
    return "\n".join(told) + "\n"


def write_report(found: DynamicsResult, facts: dict[str, Any], folder: Path, text: str) -> list[Path]:
    """energy.png (kinetic, potential and total energy over time), dynamics.md and dynamics.json."""
    swing = found.swing
    curves = {"kinetic": swing.kinetic, "potential": swing.potential, "total": swing.total}
    picture = draw_line_plot(swing.time, curves, across="time [s]", up="energy [J]")
    return [write_picture(folder / PLOT, picture), write_whole(folder / "dynamics.md", format_page(facts)),
            write_whole(folder / "dynamics.json", text + "\n")]  # fmt: skip
