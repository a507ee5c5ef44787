"""What the verbs that measure share: which objects are taken, where figures go, and how they are said."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from neurok.commands.options import PERHAPS_FILE, Names, choice, hint, number, random_seed, whole, word
from neurok.errors import OptionError
from neurok.networks.config import DECODERS, PRIORS, SIZES

if TYPE_CHECKING:
    from neurok.evaluate.fold_runs import FoldOptions
    from neurok.evaluate.loop import MeasureOptions


@dataclass(frozen=True, kw_only=True)
class Reporting:
    """A verb with figures: printed, written to a file, or as a report."""

    output: Annotated[str | None, word("DIR"), hint("default: none", aliases=("-o",))] = None
    """a folder for the report: a page, its figures as JSON, and pictures where there are any"""
    json: Annotated[str | None, PERHAPS_FILE, hint("default: none")] = None
    """write all figures to FILE, or print them where none is named"""

    def check_places(self) -> None:
        """Fail before the work where the figures could not be written."""
        from neurok.commands.files import check_folder, check_json

        check_json(self.json)
        check_folder(self.output)

    def deliver(self, plain: dict[str, Any], lines: Sequence[str], report: Callable[[Path, str], list[Path]]) -> None:
        """Say what was found. report: writes into a folder, given the figures as text too; what it wrote."""
        from neurok.commands.files import write_text
        from neurok.commands.say import as_json, note, progress, say, written_lines

        for name, reason in plain.get("left_out", {}).items():
            note(f"{name} is left out: {reason}")
        text = as_json(plain)
        written = [write_text(text, Path(self.json))] if self.json not in (None, "-") else []
        if self.output is not None:
            with progress("writing the report"):
                written += report(Path(self.output), text)
        if self.json == "-":
            print(text)
            return
        for line in (*lines, *written_lines(written)):
            say(line)


@dataclass(frozen=True, kw_only=True)
class AfterTraining(Reporting):
    """A verb that measures models which it trains first."""

    data: Annotated[str, word("STORE"), hint("required")] = ""
    """a store, made by `neurok data build`"""
    out: Annotated[str, word("RUN"), hint("required")] = ""
    """the folder of the training"""
    minutes: Annotated[float | None, number("--minutes", "M"), hint("required")] = None
    """how long to train"""
    size: Annotated[str, choice("--size", SIZES), hint("default: base")] = "base"
    """of the network"""
    decoder: Annotated[str, choice("--decoder", DECODERS), hint("default: handles")] = "handles"
    """as for `neurok train`"""
    prior: Annotated[str, choice("--prior", PRIORS), hint("default: lowrank")] = "lowrank"
    """as for `neurok train`"""
    threads: Annotated[int | None, whole("--threads"), hint("default: all cores")] = None
    """to train with"""
    seed: Annotated[int, random_seed(), hint("default: 0")] = 0
    """of the training, and of states and points"""

    def make_config(self) -> dict[str, str | int]:
        """The values of the network's configuration that may differ from the defaults."""
        return {"decoder": self.decoder, "prior": self.prior, "size": self.size, "seed": self.seed}

    def say_progress(self, text: str) -> None:
        """How the training goes; not among the figures where these are printed."""
        from neurok.commands.say import say

        if self.json == "-":
            print(text, file=sys.stderr, flush=True)
        else:
            say(text)
            sys.stdout.flush()


@dataclass(frozen=True, kw_only=True)
class Measuring(Reporting):
    """A verb that measures on objects of a folder."""

    data: Annotated[str, word("DIR"), hint("required")] = ""
    """the objects"""
    split: Annotated[str, word("NAME"), hint("default: dev")] = "dev"
    """which of them: a split of the folder's index.json or of the store, or all"""
    limit: Annotated[int | None, whole("--limit"), hint("default: all")] = None
    """at most so many objects"""
    workers: Annotated[int, whole("--workers"), hint("default: 1")] = 1
    """processes to work with"""

    def check(self) -> None:
        """Everything that can be wrong before the work."""
        if not self.data:
            raise OptionError("there is no data", "name the folder of the objects with --data")
        self.check_places()

    def make_options(self) -> "MeasureOptions":
        """Which objects are measured, and how."""
        from neurok.evaluate.loop import MeasureOptions

        return MeasureOptions(self.data, self.split, limit=self.limit, workers=self.workers)


@dataclass(frozen=True, kw_only=True)
class OnPairs(Measuring):
    """A verb that measures on pairs of states of these objects."""

    sources: Annotated[Names, hint("may be repeated; default: all")] = ()
    """of a store, only objects of this source: partnet, animated, procedural or simulated; several with commas"""
    seed: Annotated[int, random_seed(), hint("default: 0")] = 0
    """which states and points are drawn"""

    def make_options(self) -> "MeasureOptions":
        return replace(super().make_options(), sources=listed(self.sources), seed=self.seed)


@dataclass(frozen=True, kw_only=True)
class OverFolds(Measuring):
    """A verb that can measure the runs of five folds over kinds, each on the kinds it never saw and on others."""

    folds: Annotated[str | None, word("RUNS"), hint("default: none")] = None
    """a folder of runs trained with --fold K: measure each on objects of the kinds that it left out (of all splits) and
    on objects of the split of other kinds; what was measured is kept there, and is not measured again"""
    per_kind: Annotated[int, whole("--per-kind"), hint("default: 6")] = 6
    """with --folds: at most so many objects of a kind and source in either group"""
    tag: Annotated[str, word("NAME"), hint("default: none")] = ""
    """with --folds: keep the results of a trial with changed code or options apart"""

    def make_fold_options(self) -> "FoldOptions":
        """Which objects the folds are measured on."""
        from neurok.evaluate.fold_runs import FoldOptions

        return FoldOptions(**asdict(self.make_options()), per_kind=self.per_kind, tag=self.tag)


def listed(words: Sequence[str]) -> tuple[str, ...]:
    """Words given one by one or with commas, each once."""
    return tuple(dict.fromkeys(part for word in words for part in word.split(",") if part))
