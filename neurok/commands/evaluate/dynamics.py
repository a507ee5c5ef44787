"""neurok evaluate dynamics: energy, convergence, stability and motion of an object's dynamics."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional

from neurok.commands.evaluate.deformation import PERHAPS_FILE, check_json, check_report
from neurok.commands.options import choice, hint, usual, word
from neurok.mechanics.conditions import BASES


@dataclass(frozen=True)
class Dynamics:
    """Measure how an object's dynamics behave: what a swing without losses does with its energy, how errors shrink
    with the step, whether 10,000 steps stay sound, and how much moves in the picture.

    The flow is exact: points of the surface followed through a picture 256 pixels wide, 8 frames a second.
    """

    input: Positional[Annotated[str, word("INPUT"), hint()]]
    """a file with joints"""
    output: Annotated[str | None, word("DIR"), hint("default: none", aliases=("-o",))] = None
    """a folder for the report: dynamics.json and energy.png"""
    json: Annotated[str | None, PERHAPS_FILE, hint("default: none")] = None
    """write all figures to FILE, or print them where none is named"""
    conditions: Annotated[str | None, word("FILE.json"), hint("default: released from a sampled state")] = None
    """conditions of the motion whose flow is measured, as `neurok animate` takes them"""
    base: Annotated[str, choice("--base", BASES), usual("base")] = "fixed"
    """free lets the whole object move as well"""

    def run(self) -> None:
        check_json(self.json)
        check_report(self.output)
        from neurok.commands.files import open_input, write_text
        from neurok.commands.say import as_json, progress, say, written_lines
        from neurok.evaluate.dynamics import evaluate_dynamics
        from neurok.kinematics.build import kinematics
        from neurok.mechanics.conditions import Conditions

        conditions = Conditions.load(self.conditions) if self.conditions is not None else None
        space = kinematics(open_input(self.input), base=self.base)
        with progress("measuring") as report:
            found = evaluate_dynamics(space, conditions, progress=report)
        facts = {"input": self.input} | found.facts
        written = [write_text(as_json(facts), Path(self.json))] if self.json not in (None, "-") else []
        if self.output is not None:
            from neurok.evaluate.report import write_energy

            folder = Path(self.output)
            written += [write_energy(found.swing, folder), write_text(as_json(facts), folder / "dynamics.json")]
        if self.json == "-":
            print(as_json(facts))
            return
        for line in (*_lines(facts), *written_lines(written)):
            say(line)


def _lines(facts: dict[str, Any]) -> list[str]:
    energy, long_run = facts["energy"], facts["long_run"]
    lines = [
        f"energy: a swing of {energy['seconds']:g} s keeps its total within {energy['drift']:.2g} of its largest"
        f" kinetic energy, which is {energy['kinetic_share']:.0%} of what is exchanged",
        f"long run: {long_run['steps']:,} steps, {'all finite' if long_run['finite'] else 'NOT FINITE'},"
        f" drift {long_run['drift']:.2g}, trend {long_run['trend']:.2g}",
    ]
    for name, scheme in facts["convergence"].items():
        order = "exact" if scheme["order"] is None else f"order {scheme['order']:.2f}"
        lines.append(f"{name}: {order} (declared {scheme['declared']}), error {scheme['errors'][-1]:.2g} spreads")
    lines.append(
        f"motion: {facts['motion_magnitude']:.2f} pixels a frame on average, {facts['fastest_flow']:.1f} the fastest;"
        f" {'dynamic' if facts['dynamic_degree'] else 'not dynamic'}"
    )
    return lines
