"""neurok evaluate robustness: what does not matter should not matter."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from neurok.commands.evaluate.measuring import OnPairs, listed
from neurok.commands.options import Names, hint, word


@dataclass(frozen=True)
class EvaluateRobustness(OnPairs):
    """Measure the learned state space with 512 to 4,096 points that the network looks at, and with objects turned by
    90 degrees about each axis (their upward axis told rightly): how the median of motion recovered changes.

    DIR as for `neurok evaluate deformation`.
    """

    targets: Annotated[Names, hint("may be repeated; default: drag3, unordered")] = ()
    """only this target: unordered, corresponding, drag1, drag3 or drag8; several with commas"""
    weights: Annotated[str | None, word("DIR"), hint("default: those that came with neurok")] = None
    """of the learned state space"""

    def run(self) -> None:
        self.check()
        from neurok.commands.say import progress
        from neurok.evaluate.pages import write_page
        from neurok.evaluate.robustness import evaluate_robustness
        from neurok.evaluate.texts import format_robustness, format_robustness_page

        with progress("measuring") as report:
            found = evaluate_robustness(
                self.make_options(), weights=[self.weights] if self.weights else [], targets=listed(self.targets),
                progress=report,
            ).plain()  # fmt: skip
        self.deliver(found, format_robustness(found), partial(write_page, format_robustness_page(found)))
