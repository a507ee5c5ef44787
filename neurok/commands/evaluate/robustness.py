"""neurok evaluate robustness: what does not matter should not matter."""

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import UseAppendAction

from neurok.commands.evaluate.deformation import PERHAPS_FILE, check_json, check_report, listed
from neurok.commands.options import hint, random_seed, whole, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class Robustness:
    """Measure the learned state space with 512 to 4,096 points that the network looks at, and with objects turned by
    90 degrees about each axis (their upward axis told rightly): how the median of motion recovered changes.

    DIR as for `neurok evaluate deformation`.
    """

    data: Annotated[str, word("DIR"), hint("required")] = ""
    """the objects"""
    split: Annotated[str, word("NAME"), hint("default: dev")] = "dev"
    """which of them: a split, or all"""
    output: Annotated[str | None, word("DIR"), hint("default: none", aliases=("-o",))] = None
    """a folder for the report: report.md and report.json"""
    json: Annotated[str | None, PERHAPS_FILE, hint("default: none")] = None
    """write all figures to FILE, or print them where none is named"""
    targets: Annotated[
        UseAppendAction[tuple[Annotated[str, word("NAME")], ...]], hint("may be repeated; default: drag3, unordered")
    ] = ()
    """only this target: unordered, corresponding, drag1, drag3 or drag8; several with commas"""
    weights: Annotated[str | None, word("DIR"), hint("default: those that came with neurok")] = None
    """of the learned state space"""
    limit: Annotated[int | None, whole("--limit"), hint("default: all")] = None
    """at most so many objects"""
    seed: Annotated[int, random_seed(), hint("default: 0")] = 0
    """which states and points are drawn"""
    workers: Annotated[int, whole("--workers"), hint("default: 1")] = 1
    """processes to work with"""

    def run(self) -> None:
        if not self.data:
            raise OptionError("there is no data", "name the folder of the objects with --data")
        if self.limit is not None and self.limit < 1:
            raise OptionError(f"a limit of {self.limit}", "give a whole number from one on")
        check_json(self.json)
        check_report(self.output)
        from neurok.commands.evaluate.deliver import deliver
        from neurok.commands.say import progress
        from neurok.evaluate.robustness import evaluate_robustness
        from neurok.evaluate.texts import robustness_lines, robustness_page

        with progress("measuring") as report:
            found = evaluate_robustness(
                self.data, self.split, weights=[self.weights] if self.weights else [], targets=listed(self.targets),
                limit=self.limit, seed=self.seed, workers=self.workers, progress=report,
            ).plain()  # fmt: skip
        deliver(found, robustness_lines(found), robustness_page(found), self.json, self.output)
