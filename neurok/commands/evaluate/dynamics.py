"""neurok evaluate dynamics: energy, convergence, stability and motion of an object's dynamics."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from neurok.commands.evaluate.deformation import PERHAPS_FILE, check_json, check_report
from neurok.commands.options import UPS, choice, hint, usual, word
from neurok.mechanics.conditions import BASES


@dataclass(frozen=True)
class Dynamics:
    """Measure how an object's dynamics behave: what a swing without losses does with its energy, how errors shrink
    with the step, whether 10,000 steps stay sound, and how much moves in the picture.

    The flow is exact: points of the surface followed through a picture 256 pixels wide, 8 frames a second.
    """

    input: Positional[Annotated[str, word("INPUT"), hint()]]
    """any file with a mesh: with joints it moves by them, without by what was learned"""
    output: Annotated[str | None, word("DIR"), hint("default: none", aliases=("-o",))] = None
    """a folder for the report: dynamics.md, dynamics.json and energy.png"""
    json: Annotated[str | None, PERHAPS_FILE, hint("default: none")] = None
    """write all figures to FILE, or print them where none is named"""
    conditions: Annotated[str | None, word("FILE.json"), hint("default: released from a sampled state")] = None
    """conditions of the motion whose flow is measured, as `neurok animate` takes them"""
    base: Annotated[str, choice("--base", BASES), usual("base")] = "fixed"
    """free lets the whole object move as well"""
    weights: Annotated[str | None, word("DIR"), hint("default: those that came with neurok")] = None
    """of the learned state space, which then serves a file with joints as well"""
    up: Annotated[str, choice("--up", UPS), hint("default: auto, y")] = "auto"
    """the upward axis of an OBJ, PLY, STL or OFF file"""

    def run(self) -> None:
        check_json(self.json)
        check_report(self.output)
        from neurok.commands.files import open_input, write_text
        from neurok.commands.say import as_json, progress, say, written_lines
        from neurok.evaluate.dynamics import evaluate_dynamics
        from neurok.evaluate.dynamics_report import lines, write_report
        from neurok.kinematics.build import kinematics
        from neurok.mechanics.conditions import Conditions

        conditions = Conditions.load(self.conditions) if self.conditions is not None else None
        model = None
        if self.weights is not None:
            from neurok.networks.weights import load_model

            model = load_model(self.weights)
        space = kinematics(open_input(self.input, up=self.up), model, base=self.base)
        with progress("measuring") as report:
            found = evaluate_dynamics(space, conditions, progress=report)
        facts = {"input": self.input} | found.facts
        written = [write_text(as_json(facts), Path(self.json))] if self.json not in (None, "-") else []
        if self.output is not None:
            written += write_report(found, facts, Path(self.output), as_json(facts))
        if self.json == "-":
            print(as_json(facts))
            return
        for line in (*lines(facts), *written_lines(written)):
            say(line)
