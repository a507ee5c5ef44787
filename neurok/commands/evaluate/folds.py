"""neurok evaluate folds: train without each of five folds over kinds, and measure on them."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from neurok.commands.evaluate.measuring import AfterTraining, listed
from neurok.commands.options import PLAIN_FLAG, Folders, Names, hint, number, whole, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class EvaluateFolds(AfterTraining):
    """Train five models, each without one fold of all kinds of objects, and measure each on the kinds that it never saw
    and on others: one cross-validated table.

    Folds that are trained are left alone and results that are there are used again, so that the command can be stopped
    and given again. The kinds of each fold stand in neurok/data/kinds.toml.

    With --ranker only the ranker of proposals is trained, which takes minutes: it chooses which part is meant and how
    it moves wherever geometry proposes parts. --data is then a folder of objects, and a fifth of them is set aside by
    each fold for the row of seen kinds.
    """

    out: Annotated[str, word("RUNS"), hint("required")] = ""
    """the folder of the runs: fold-1 to fold-5"""
    ranker: Annotated[bool, PLAIN_FLAG] = False
    """train and measure rankers of proposals instead of networks"""
    more: Annotated[Folders, hint("may be repeated; default: none")] = ()
    """with --ranker: a further folder of jointed objects to learn from"""
    made: Annotated[int, whole("--made"), hint("default: 2")] = 2
    """with --ranker: procedural objects of each kind to learn from"""
    taught_per_kind: Annotated[int, whole("--taught-per-kind"), hint("default: 14")] = 14
    """with --ranker: at most so many objects of a kind and folder to learn from"""
    minutes: Annotated[float, number("--minutes", "M"), hint("default: 40")] = 40.0
    """how long to train each fold; a ranker has no limit"""
    test: Annotated[str | None, word("DIR"), hint("default: the store")] = None
    """the objects to measure on, as for `neurok evaluate deformation`"""
    split: Annotated[str | None, word("NAME"), hint("default: dev; with --ranker train")] = None
    """of the kinds seen; of those unseen objects of all splits are taken, but with --ranker of train only train"""
    sources: Annotated[Names, hint("may be repeated; default: all")] = ()
    """of a store, only objects of this source; several with commas"""
    per_kind: Annotated[int, whole("--per-kind"), hint("default: 6")] = 6
    """at most so many objects of a kind and source"""
    methods: Annotated[
        Names,
        hint(
            "may be repeated; default: still, components, arap, untrained, learned, oracle; with --ranker "
            "still, components, arap, proposals"
        ),
    ] = ()
    """only this method; several with commas"""
    targets: Annotated[Names, hint("may be repeated; default: drag1, drag3, unordered, corresponding")] = ()
    """only this target; several with commas"""
    limit: Annotated[int | None, whole("--limit"), hint("default: all")] = None
    """at most so many objects of either group of a fold"""
    workers: Annotated[int, whole("--workers"), hint("default: 1")] = 1
    """processes to measure with"""

    def run(self) -> None:
        if not self.data or not self.out:
            raise OptionError("there is no store or no folder of runs", "name both: --data STORE --out RUNS")
        if self.minutes <= 0:
            raise OptionError(f"--minutes is {self.minutes:g}", "give a time above zero")
        self.check_places()
        from neurok.commands.say import progress
        from neurok.evaluate.fold_runs import RANKER, STATE_SPACE, FoldOptions
        from neurok.evaluate.fold_texts import format_folds, format_folds_page
        from neurok.evaluate.folds import evaluate_folds
        from neurok.evaluate.pages import write_page

        split = self.split or ("train" if self.ranker else "dev")
        options = FoldOptions(
            self.test or self.data, split, listed(self.sources), self.limit, self.seed, self.workers, self.per_kind,
            set_aside=self.ranker and split == "train",
        )  # fmt: skip
        if self.ranker:
            self._train_rankers()
        else:
            self._train_missing()
        with progress("measuring") as report:
            plain = evaluate_folds(
                self.out, options, methods=listed(self.methods), targets=listed(self.targets),
                what=RANKER if self.ranker else STATE_SPACE, progress=report,
            ).plain()  # fmt: skip
        self.deliver(plain, format_folds(plain), partial(write_page, format_folds_page(plain)))

    def _train_rankers(self) -> None:
        from neurok.evaluate.rankers.fold_rankers import RankerTraining, train_missing_rankers

        plan = RankerTraining(self.data, self.out, listed(self.more), self.made, self.taught_per_kind, self.seed)
        train_missing_rankers(plan, self.say_progress)

    def _train_missing(self) -> None:
        from neurok.evaluate.fold_training import FoldTraining, train_missing_folds
        from neurok.training.memory import keep_memory

        with keep_memory():
            stopped = train_missing_folds(
                FoldTraining(self.data, self.out, self.minutes, self.threads, self.make_config()), self.say_progress
            )
        if stopped is not None:
            self.say_progress("stopped and saved; the same command goes on")
            raise SystemExit(128 + stopped)
