"""neurok evaluate deformation: methods on pairs of states of known objects."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import UseAppendAction
from tyro.constructors import PrimitiveConstructorSpec

from neurok.commands.options import hint, random_seed, whole, word
from neurok.errors import OptionError, OutputError


def _perhaps_file(words: list[str]) -> str:
    if len(words) > 1:
        raise OptionError("--json has more than one file", "name one, or none to print")
    return words[0] if words else "-"


PERHAPS_FILE = PrimitiveConstructorSpec(
    nargs="*", metavar="[FILE]", instance_from_str=_perhaps_file,
    is_instance=lambda value: isinstance(value, str), str_from_instance=lambda value: [value],
)  # fmt: skip


@dataclass(frozen=True)
class Deformation:
    """Measure how much of a motion methods recover from an unordered surface, corresponding or dragged points.

    DIR is a folder in the SAPIEN layout (ID/mobility.urdf), a store made by `neurok data build`, a folder of .npz
    motions (arrays vertices, faces, time, frames) or of animated .glb files, or a folder with partnet_mobility/ and
    animated/ in it, whose splits are then dev, train, animated-dev, animated-train.
    """

    data: Annotated[str, word("DIR"), hint("required")] = ""
    """the objects"""
    split: Annotated[str, word("NAME"), hint("default: dev")] = "dev"
    """which of them: a split of the folder's index.json or of the store, or all"""
    output: Annotated[str | None, word("DIR"), hint("default: none", aliases=("-o",))] = None
    """a folder for the report: report.md, report.json and pictures"""
    json: Annotated[str | None, PERHAPS_FILE, hint("default: none")] = None
    """write all figures to FILE, or print them where none is named"""
    methods: Annotated[
        UseAppendAction[tuple[Annotated[str, word("NAME")], ...]], hint("may be repeated; default: all")
    ] = ()
    """only this method: still, components, arap, keypoints, untrained, learned, learned-whole, learned-unreduced,
    oracle, or a name given with --weights; several with commas"""
    targets: Annotated[
        UseAppendAction[tuple[Annotated[str, word("NAME")], ...]], hint("may be repeated; default: all")
    ] = ()
    """only this target: unordered, corresponding, drag1, drag3 or drag8; several with commas"""
    weights: Annotated[
        UseAppendAction[tuple[Annotated[str, word("[NAME=]DIR")], ...]],
        hint("may be repeated; default: those that came with neurok"),
    ] = ()
    """of the learned state space; with a name, of the method so called, or of one more row of that name (an ablation);
    keypoints has none of its own: train them with `neurok evaluate keypoints`"""
    runs: Annotated[str | None, word("DIR"), hint("default: none")] = None
    """a folder of runs of `neurok train`: one more row for each, called as the run is"""
    sources: Annotated[
        UseAppendAction[tuple[Annotated[str, word("NAME")], ...]], hint("may be repeated; default: all")
    ] = ()
    """of a store, only objects of this source: partnet, animated, procedural or simulated; several with commas"""
    limit: Annotated[int | None, whole("--limit"), hint("default: all")] = None
    """at most so many objects"""
    seed: Annotated[int, random_seed(), hint("default: 0")] = 0
    """which states and points are drawn"""
    workers: Annotated[int, whole("--workers"), hint("default: 1")] = 1
    """processes to work with"""

    def check(self) -> None:
        """Everything that can be wrong before the work."""
        if not self.data:
            raise OptionError("there is no data", "name the folder of the objects with --data")
        check_json(self.json)
        check_report(self.output)

    def run(self) -> None:
        self.check()
        from neurok.commands.files import write_text
        from neurok.commands.say import as_json, note, progress, say, written_lines
        from neurok.evaluate.deformation import evaluate
        from neurok.evaluate.method import runs_in
        from neurok.evaluate.report import summary, write_report

        with progress("measuring") as report:
            found = evaluate(
                self.data, self.split, method_names=listed(self.methods), targets=listed(self.targets),
                limit=self.limit, seed=self.seed, workers=self.workers, sources=listed(self.sources),
                weights=(*(runs_in(self.runs) if self.runs else ()), *self.weights), progress=report,
            )  # fmt: skip
        plain = found.plain()
        for name, reason in found.left_out.items():
            note(f"{name} is left out: {reason}")
        written = [write_text(as_json(plain), Path(self.json))] if self.json not in (None, "-") else []
        if self.output is not None:
            with progress("drawing"):
                written += write_report(found, plain, Path(self.output), as_json(plain))
        if self.json == "-":
            print(as_json(plain))
            return
        for line in (*summary(plain), *written_lines(written)):
            say(line)


def listed(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words given one by one or with commas, each once."""
    return tuple(dict.fromkeys(part for word in words for part in word.split(",") if part))


def check_json(path: str | None) -> None:
    """Fail before the work where the figures could not be written."""
    if path in (None, "-"):
        return
    folder = Path(path).absolute().parent
    if Path(path).is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise OutputError(f"{path} cannot be written", "name a file in a folder that can be written to")


def check_report(folder: str | None) -> None:
    """Fail before the work where the report's folder could not be made."""
    if folder is None:
        return
    if Path(folder).exists() and not Path(folder).is_dir():
        raise OutputError(f"{folder} is a file", "name a folder for the report")
    there = Path(folder) if Path(folder).is_dir() else Path(folder).absolute().parent
    if not there.is_dir():
        raise OutputError(f"there is no folder {there}", "make it first")
    if not os.access(there, os.W_OK):
        raise OutputError(f"the folder {there} cannot be written to", "choose another one")
