"""neurok evaluate unseen: categories that a model was not trained on."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from tyro.conf import FlagCreatePairsOff

from neurok.commands.evaluate.measuring import AfterTraining, listed
from neurok.commands.options import PLAIN_FLAG, Names, hint, number, whole, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class EvaluateUnseen(AfterTraining):
    """Train without named categories and measure on them, beside categories that were seen; or measure weights that
    were trained so. A category is left out of every source, however it is spelt there.
    """

    data: Annotated[str, word("STORE"), hint("required to train")] = ""
    """a store, made by `neurok data build`"""
    categories: Annotated[Names, hint("may be repeated; required to train")] = ()
    """a category to leave out; several with commas"""
    out: Annotated[str, word("RUN"), hint("required to train")] = ""
    """the folder of the training run"""
    minutes: Annotated[float | None, number("--minutes", "M"), hint("required to train")] = None
    """how long to train"""
    resume: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """go on with the run that is in RUN"""
    weights: Annotated[str | None, word("DIR"), hint("default: train them")] = None
    """trained so before: measure only"""
    test: Annotated[str | None, word("DIR"), hint("default: the store")] = None
    """the objects to measure on, as for `neurok evaluate deformation`"""
    split: Annotated[str, word("NAME"), hint("default: dev")] = "dev"
    """of the categories seen; of those unseen all objects are taken"""
    sources: Annotated[Names, hint("may be repeated; default: all")] = ()
    """of a store, only objects of this source; several with commas"""
    methods: Annotated[
        Names, hint("may be repeated; default: still, components, arap, untrained, learned, oracle")
    ] = ()
    """only this method; several with commas"""
    targets: Annotated[Names, hint("may be repeated; default: unordered, corresponding, drag3")] = ()
    """only this target; several with commas"""
    limit: Annotated[int | None, whole("--limit"), hint("default: all")] = None
    """at most so many objects of either group"""
    workers: Annotated[int, whole("--workers"), hint("default: 1")] = 1
    """processes to measure with"""

    def run(self) -> None:
        self.check()
        from neurok.commands.say import progress
        from neurok.evaluate.loop import MeasureOptions
        from neurok.evaluate.pages import write_page
        from neurok.evaluate.texts import format_unseen, format_unseen_page
        from neurok.evaluate.unseen import evaluate_unseen, read_left_out

        if self.weights is not None:
            read_left_out(self.weights)
        weights = self.weights or self._train_weights()
        options = MeasureOptions(
            self.test or self.data, self.split, listed(self.sources), self.limit, self.seed, self.workers
        )
        with progress("measuring") as report:
            found = evaluate_unseen(
                options, weights, methods=listed(self.methods), targets=listed(self.targets), progress=report
            ).plain()  # fmt: skip
        self.deliver(found, format_unseen(found), partial(write_page, format_unseen_page(found)))

    def check(self) -> None:
        """Everything that can be wrong before the work."""
        if self.weights is None and not (self.data and listed(self.categories) and self.out and self.minutes):
            raise OptionError("something to train with is missing", "say --data STORE --categories A,B --out RUN "
                              "--minutes M, or name weights that were trained so with --weights")  # fmt: skip
        if self.weights is not None and not (self.test or self.data):
            raise OptionError("there is nothing to measure on", "name a folder with --test, or a store with --data")
        if self.weights is not None and (self.out or self.minutes or self.categories):
            raise OptionError("--weights are trained already", "leave --categories, --out and --minutes away")
        if self.limit is not None and self.limit < 1:
            raise OptionError(f"a limit of {self.limit}", "give a whole number from one on")
        self.check_places()

    def _train_weights(self) -> str:
        from neurok.evaluate.unseen import train_without

        return train_without(
            self.data, self.out, listed(self.categories), minutes=self.minutes, config=self.make_config(),
            threads=self.threads, resume=self.resume, say=self.say_progress,
        )  # fmt: skip
