"""neurok evaluate samples: how good the states are that are drawn from a space."""

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import UseAppendAction

from neurok.commands.evaluate.deformation import PERHAPS_FILE, check_json, check_report, listed
from neurok.commands.options import hint, random_seed, whole, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class Samples:
    """Draw states of known objects and see whether rest is the input, parts that move stay rigid, and draws differ.

    DIR as for `neurok evaluate deformation`; objects without rigid parts are left out.
    """

    data: Annotated[str, word("DIR"), hint("required")] = ""
    """the objects"""
    split: Annotated[str, word("NAME"), hint("default: dev")] = "dev"
    """which of them: a split, or all"""
    output: Annotated[str | None, word("DIR"), hint("default: none", aliases=("-o",))] = None
    """a folder for the report: report.md and report.json"""
    json: Annotated[str | None, PERHAPS_FILE, hint("default: none")] = None
    """write all figures to FILE, or print them where none is named"""
    methods: Annotated[
        UseAppendAction[tuple[Annotated[str, word("NAME")], ...]],
        hint("may be repeated; default: untrained, learned, learned-whole, oracle"),
    ] = ()
    """only this method; several with commas"""
    weights: Annotated[
        UseAppendAction[tuple[Annotated[str, word("[NAME=]DIR")], ...]],
        hint("may be repeated; default: those that came with neurok"),
    ] = ()
    """of the learned state space, as for `neurok evaluate deformation`"""
    count: Annotated[int, whole("-n"), hint("default: 16", aliases=("-n",))] = 16
    """draws of each object"""
    limit: Annotated[int | None, whole("--limit"), hint("default: all")] = None
    """at most so many objects"""
    seed: Annotated[int, random_seed(), hint("default: 0")] = 0
    """which states are drawn"""
    workers: Annotated[int, whole("--workers"), hint("default: 1")] = 1
    """processes to work with"""

    def run(self) -> None:
        if not self.data:
            raise OptionError("there is no data", "name the folder of the objects with --data")
        if self.count < 2:
            raise OptionError(f"-n is {self.count}", "draw at least two")
        if self.limit is not None and self.limit < 1:
            raise OptionError(f"a limit of {self.limit}", "give a whole number from one on")
        check_json(self.json)
        check_report(self.output)
        from neurok.commands.evaluate.deliver import deliver
        from neurok.commands.say import progress
        from neurok.evaluate.samples import evaluate_samples
        from neurok.evaluate.texts import samples_lines, samples_page

        with progress("drawing") as report:
            found = evaluate_samples(
                self.data, self.split, names=listed(self.methods), weights=self.weights, count=self.count,
                limit=self.limit, seed=self.seed, workers=self.workers, progress=report,
            ).plain()  # fmt: skip
        deliver(found, samples_lines(found), samples_page(found), self.json, self.output)
