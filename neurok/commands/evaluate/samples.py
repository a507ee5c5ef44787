"""neurok evaluate samples: how good the states are that are drawn from a space."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from tyro.conf import UseAppendAction

from neurok.commands.evaluate.measuring import OnPairs, listed
from neurok.commands.options import Names, hint, whole, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class EvaluateSamples(OnPairs):
    """Draw states of known objects and see whether rest is the input, parts that move stay rigid, and draws differ.

    DIR as for `neurok evaluate deformation`; objects without rigid parts are left out.
    """

    methods: Annotated[Names, hint("may be repeated; default: untrained, learned, learned-whole, oracle")] = ()
    """only this method; several with commas"""
    weights: Annotated[
        UseAppendAction[tuple[Annotated[str, word("[NAME=]DIR")], ...]],
        hint("may be repeated; default: those that came with neurok"),
    ] = ()
    """of the learned state space, as for `neurok evaluate deformation`"""
    count: Annotated[int, whole("-n"), hint("default: 16", aliases=("-n",))] = 16
    """draws of each object"""

    def run(self) -> None:
        self.check()
        if self.count < 2:
            raise OptionError(f"-n is {self.count}", "draw at least two")
        from neurok.commands.say import progress
        from neurok.evaluate.pages import write_page
        from neurok.evaluate.samples import evaluate_samples
        from neurok.evaluate.texts import format_samples, format_samples_page

        with progress("drawing") as report:
            found = evaluate_samples(
                self.make_options(), names=listed(self.methods), weights=self.weights, count=self.count, progress=report
            ).plain()
        self.deliver(found, format_samples(found), partial(write_page, format_samples_page(found)))
