"""neurok evaluate articulation: predictors of joints on objects whose joints are known."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from tyro.conf import UseAppendAction

from neurok.commands.evaluate.measuring import OverFolds, listed
from neurok.commands.options import Names, hint, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class EvaluateArticulation(OverFolds):
    """Measure how well types, axes, centres and ranges of joints are predicted.

    DIR is a folder in the SAPIEN layout (ID/mobility.urdf) or a store made by `neurok data build`. Parts are the true
    ones (moving links, and the named pieces of what stays), or those the bare geometry suggests.
    """

    predictors: Annotated[Names, hint("may be repeated; default: all")] = ()
    """only this predictor: search, network, both, network-plain, both-plain (not pretrained), edge,
    proposals (found parts alone) or majority; several with commas"""
    parts: Annotated[Names, hint("may be repeated; default: both")] = ()
    """parts given or found"""
    weights: Annotated[
        UseAppendAction[tuple[Annotated[str, word("DIR")], ...]], hint("may be repeated; default: none")
    ] = ()
    """further weights of the network, measured too; those made without some categories, on these alone"""

    def run(self) -> None:
        self.check()
        if self.folds is not None:
            self._measure_folds(self.folds)
            return
        from neurok.commands.say import progress
        from neurok.evaluate.articulation import evaluate_articulation
        from neurok.evaluate.joint_tables import format_page, format_summary
        from neurok.evaluate.pages import write_page
        from neurok.evaluate.predictors import describe_predictor

        with progress("measuring") as report:
            found = evaluate_articulation(
                self.make_options(), predictors=listed(self.predictors), parts=listed(self.parts),
                weights=self.weights, progress=report,
            )  # fmt: skip
        plain = found.plain()
        page = format_page(plain, {name: describe_predictor(name) for name in found.settings["predictors"]})
        self.deliver(plain, format_summary(plain), partial(write_page, page))

    def _measure_folds(self, runs: str) -> None:
        from neurok.commands.say import progress
        from neurok.evaluate.fold_articulation import evaluate_articulation_folds
        from neurok.evaluate.fold_texts import format_articulation_folds, format_articulation_folds_page
        from neurok.evaluate.pages import write_page

        if self.weights:
            raise OptionError("--folds has weights of its own", "leave --weights away")
        with progress("measuring") as report:
            plain = evaluate_articulation_folds(
                runs, self.make_fold_options(), predictors=listed(self.predictors), parts=listed(self.parts),
                progress=report,
            ).plain()  # fmt: skip
        self.deliver(
            plain, format_articulation_folds(plain), partial(write_page, format_articulation_folds_page(plain))
        )
