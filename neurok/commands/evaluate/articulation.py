"""neurok evaluate articulation: predictors of joints on objects whose joints are known."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from tyro.conf import UseAppendAction

from neurok.commands.evaluate.measuring import Measuring, OverFolds, listed, make_fold_options
from neurok.commands.options import Names, hint, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class EvaluateArticulation(OverFolds, Measuring):
    """Measure how well types, axes, centres and ranges of joints are predicted.

    DIR is a folder in the SAPIEN layout (ID/mobility.urdf) or a store made by `neurok data build`. Parts are the true
    ones (moving links, and the named pieces of what stays), or those the bare geometry suggests.
    """

    predictors: Annotated[Names, hint("may be repeated; default: all")] = ()
    """only this predictor: search, network, both, network-plain, both-plain (not pretrained), edge or majority; several
    with commas"""
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
        from neurok.evaluate.articulation import evaluate
        from neurok.evaluate.joint_tables import markdown, summary
        from neurok.evaluate.pages import put_page
        from neurok.evaluate.predictors import described

        with progress("measuring") as report:
            found = evaluate(
                self.data, self.split, predictors=listed(self.predictors), parts=listed(self.parts),
                weights=self.weights, limit=self.limit, workers=self.workers, progress=report,
            )  # fmt: skip
        plain = found.plain()
        page = markdown(plain, {name: described(name) for name in found.settings["predictors"]})
        self.deliver(plain, summary(plain), partial(put_page, page))

    def _measure_folds(self, runs: str) -> None:
        from neurok.commands.say import progress
        from neurok.evaluate.fold_articulation import evaluate_articulation_folds
        from neurok.evaluate.fold_texts import format_articulation_folds, format_articulation_folds_page
        from neurok.evaluate.pages import put_page

        if self.weights:
            raise OptionError("--folds has weights of its own", "leave --weights away")
        with progress("measuring") as report:
            plain = evaluate_articulation_folds(
                runs, make_fold_options(self, self), predictors=listed(self.predictors), parts=listed(self.parts),
                progress=report,
            ).plain()  # fmt: skip
        self.deliver(plain, format_articulation_folds(plain), partial(put_page, format_articulation_folds_page(plain)))
