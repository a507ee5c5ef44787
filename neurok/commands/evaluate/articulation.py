"""neurok evaluate articulation: predictors of joints on objects whose joints are known."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import UseAppendAction

from neurok.commands.evaluate.deformation import PERHAPS_FILE, check_json, check_report
from neurok.commands.options import hint, whole, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class Articulation:
    """Measure how well types, axes, centres and ranges of joints are predicted.

    DIR is a folder in the SAPIEN layout (ID/mobility.urdf) or a store made by `neurok data build`. Parts are the true
    ones (moving links, and the named pieces of what stays), or those the bare geometry suggests.
    """

    data: Annotated[str, word("DIR"), hint("required")] = ""
    """the objects"""
    split: Annotated[str, word("NAME"), hint("default: dev")] = "dev"
    """which of them: a split of the folder's index.json or of the store, or all"""
    output: Annotated[str | None, word("DIR"), hint("default: none", aliases=("-o",))] = None
    """a folder for the report: report.md and report.json"""
    json: Annotated[str | None, PERHAPS_FILE, hint("default: none")] = None
    """write all figures to FILE, or print them where none is named"""
    predictors: Annotated[
        UseAppendAction[tuple[Annotated[str, word("NAME")], ...]], hint("may be repeated; default: all")
    ] = ()
    """only this predictor: search, network, both, network-plain, both-plain (not pretrained), edge or majority; several
    with commas"""
    parts: Annotated[
        UseAppendAction[tuple[Annotated[str, word("NAME")], ...]], hint("may be repeated; default: both")
    ] = ()
    """parts given or found"""
    weights: Annotated[
        UseAppendAction[tuple[Annotated[str, word("DIR")], ...]], hint("may be repeated; default: none")
    ] = ()
    """further weights of the network, measured too; those made without some categories, on these alone"""
    limit: Annotated[int | None, whole("--limit"), hint("default: all")] = None
    """at most so many objects"""
    workers: Annotated[int, whole("--workers"), hint("default: 1")] = 1
    """processes to work with"""

    def run(self) -> None:
        if not self.data:
            raise OptionError("there is no data", "name the folder of the objects with --data")
        check_json(self.json)
        check_report(self.output)
        from neurok.commands.files import write_text
        from neurok.commands.say import as_json, note, progress, say, written_lines
        from neurok.evaluate.articulation import described, evaluate
        from neurok.evaluate.joint_tables import markdown, summary

        with progress("measuring") as report:
            found = evaluate(
                self.data, self.split, predictors=_listed(self.predictors), parts=_listed(self.parts),
                weights=self.weights, limit=self.limit, workers=self.workers, progress=report,
            )  # fmt: skip
        plain = found.plain()
        for name, reason in found.left_out.items():
            note(f"{name} is left out: {reason}")
        written = [write_text(as_json(plain), Path(self.json))] if self.json not in (None, "-") else []
        if self.output is not None:
            folder = Path(self.output)
            folder.mkdir(exist_ok=True)
            page = markdown(plain, {name: described(name) for name in found.settings["predictors"]})
            written += [write_text(page, folder / "report.md"), write_text(as_json(plain), folder / "report.json")]
        if self.json == "-":
            print(as_json(plain))
            return
        for line in (*summary(plain), *written_lines(written)):
            say(line)


def _listed(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for word in words for part in word.split(",") if part))
