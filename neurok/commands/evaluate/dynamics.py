"""neurok evaluate dynamics: energy, convergence, stability and motion of an object's dynamics."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from tyro.conf import Positional

from neurok.commands.evaluate.measuring import Reporting
from neurok.commands.options import UpAxis, Weights, choice, default_hint, hint, word
from neurok.mechanics.conditions import BASES


@dataclass(frozen=True)
class EvaluateDynamics(Reporting):
    """Measure how an object's dynamics behave: what a swing without losses does with its energy, how errors shrink
    with the step, whether 10,000 steps stay sound, and how much moves in the picture.

    The flow is exact: points of the surface followed through a picture 256 pixels wide, 8 frames a second.
    """

    input: Positional[Annotated[str, word("INPUT"), hint()]]
    """any file with a mesh: with joints it moves by them, without by what was learned"""
    conditions: Annotated[str | None, word("FILE.json"), hint("default: released from a sampled state")] = None
    """conditions of the motion whose flow is measured, as `neurok animate` takes them"""
    base: Annotated[str, choice("--base", BASES), default_hint("base")] = "fixed"
    """free lets the whole object move as well"""
    weights: Weights = None
    up: UpAxis = "auto"

    def run(self) -> None:
        self.check_places()
        from neurok.commands.files import open_input, open_model
        from neurok.commands.say import progress
        from neurok.evaluate.dynamics import evaluate_dynamics
        from neurok.evaluate.dynamics_report import format_lines, write_report
        from neurok.mechanics.conditions import Conditions
        from neurok.opening import kinematics

        conditions = Conditions.load(self.conditions) if self.conditions is not None else None
        space = kinematics(open_input(self.input, up=self.up), open_model(self.weights), base=self.base)
        with progress("measuring") as report:
            found = evaluate_dynamics(space, conditions, progress=report)
        facts = {"input": self.input} | found.facts
        self.deliver(facts, format_lines(facts), partial(write_report, found, facts))
