"""neurok evaluate deformation: methods on pairs of states of known objects."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from tyro.conf import UseAppendAction

from neurok.commands.evaluate.measuring import OnPairs, OverFolds, listed
from neurok.commands.options import Names, hint, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class EvaluateDeformation(OnPairs, OverFolds):
    """Measure how much of a motion methods recover from an unordered surface, corresponding or dragged points.

    DIR is a folder in the SAPIEN layout (ID/mobility.urdf), a store made by `neurok data build`, a folder of .npz
    motions (arrays vertices, faces, time, frames) or of animated .glb files, or a folder with partnet_mobility/ and
    animated/ in it, whose splits are then dev, train, animated-dev, animated-train.
    """

    methods: Annotated[Names, hint("may be repeated; default: all")] = ()
    """only this method: still, components, arap, keypoints, untrained, learned, learned-whole, learned-unreduced,
    oracle, or a name given with --weights; several with commas"""
    targets: Annotated[Names, hint("may be repeated; default: all")] = ()
    """only this target: unordered, corresponding, drag1, drag3 or drag8; several with commas"""
    weights: Annotated[
        UseAppendAction[tuple[Annotated[str, word("[NAME=]DIR")], ...]],
        hint("may be repeated; default: those that came with neurok"),
    ] = ()
    """of the learned state space; with a name, of the method so called, or of one more row of that name (an ablation);
    keypoints has none of its own: train them with `neurok evaluate keypoints`"""
    runs: Annotated[str | None, word("DIR"), hint("default: none")] = None
    """a folder of runs of `neurok train`: one more row for each, called as the run is"""

    def run(self) -> None:
        self.check()
        if self.folds is not None:
            self._measure_folds(self.folds)
            return
        from neurok.commands.say import progress
        from neurok.evaluate.deformation import evaluate_deformation
        from neurok.evaluate.method import find_runs
        from neurok.evaluate.report import format_summary, write_report

        with progress("measuring") as report:
            found = evaluate_deformation(
                self.make_options(), method_names=listed(self.methods), targets=listed(self.targets),
                weights=(*(find_runs(self.runs) if self.runs else ()), *self.weights), progress=report,
            )  # fmt: skip
        plain = found.plain()
        self.deliver(plain, format_summary(plain), partial(write_report, found, plain))

    def _measure_folds(self, runs: str) -> None:
        from neurok.commands.say import progress
        from neurok.evaluate.fold_texts import format_folds, format_folds_page
        from neurok.evaluate.folds import evaluate_folds
        from neurok.evaluate.pages import write_page

        if self.weights or self.runs:
            raise OptionError("--folds has weights of its own", "leave --weights and --runs away")
        with progress("measuring") as report:
            plain = evaluate_folds(
                runs, self.make_fold_options(), methods=listed(self.methods), targets=listed(self.targets),
                progress=report,
            ).plain()  # fmt: skip
        self.deliver(plain, format_folds(plain), partial(write_page, format_folds_page(plain)))
