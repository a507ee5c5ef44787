"""neurok evaluate generation: how well prompts are met, judged from the files."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional

from neurok.commands.evaluate.measuring import Reporting
from neurok.commands.options import choice, hint, whole, word
from neurok.errors import OptionError

if TYPE_CHECKING:
    from typing import Any

MODELS = ("programs", "learned")


@dataclass(frozen=True)
class EvaluateGeneration(Reporting):
    """Make the object of every prompt of a file and measure from the exported URDF (soft objects: OBJ) what was met.

    Also how often unsupported things are refused, supported ones are not, and the gate is passed at once and after
    redraws; beside it what an object of the kind meets that was asked for nothing.
    """

    prompts: Positional[Annotated[str | None, word("FILE.json"), hint()]] = None
    """a list of prompts with what they ask for (neurok/evaluate/generation.py)"""
    model: Annotated[str, choice("--model", MODELS), hint("default: programs")] = "programs"
    """`learned`: instead of prompts, measure the learned model's objects against held-back real ones (MMD, COV, 1-NNA,
    AOR), beside random seeds of the programs and copies of train objects"""
    data: Annotated[str | None, word("DIR"), hint("required with --model learned")] = None
    """the folder of real objects, with index.json and partnet_mobility"""
    weights: Annotated[str | None, word("DIR"), hint("default: those that came with neurok")] = None
    """of the learned model"""
    draws: Annotated[int, whole("--draws"), hint("default: 8")] = 8
    """with --model learned: draws of a request at most, until one passes the gate"""
    limit: Annotated[int | None, whole("--limit"), hint("default: all")] = None
    """the first so many prompts, or so many real objects, spread evenly"""
    seed: Annotated[int, whole("--seed"), hint("default: 0")] = 0
    """of the objects"""

    def run(self) -> None:
        self.check_places()
        if self.model == "learned":
            self._run_learned()
            return
        if self.prompts is None:
            raise OptionError("there are no prompts", "name a FILE.json, or say --model learned --data DIR")
        from neurok.commands.say import progress
        from neurok.evaluate.generation import evaluate_generation, format_lines

        with progress("generating") as report:
            facts = evaluate_generation(Path(self.prompts), seed=self.seed, limit=self.limit, progress=report)
        self.deliver(facts, format_lines(facts), lambda folder, text: _write_report(folder, text, facts))

    def _run_learned(self) -> None:
        """The learned model against real objects."""
        from neurok.commands.say import progress
        from neurok.evaluate.learned_objects import describe_learned, evaluate_learned, format_learned
        from neurok.evaluate.learned_sheet import NearestSheet
        from neurok.evaluate.pages import write_page

        if self.data is None:
            raise OptionError("there is no data", "name the folder of real objects with --data")
        if self.prompts is not None:
            raise OptionError("FILE.json and --model learned", "leave one of them out: that model meets no prompts")
        if not (Path(self.data) / "index.json").is_file():
            raise OptionError(f"{self.data} holds no index.json", "name the folder of real objects with --data")
        if self.draws < 1 or (self.limit is not None and self.limit < 1):
            raise OptionError("--draws and --limit count from one", "give a larger number")
        sheet = NearestSheet(Path(self.data))
        with progress("drawing") as report:
            results = evaluate_learned(
                Path(self.data), weights=None if self.weights is None else Path(self.weights), limit=self.limit,
                seed=self.seed, draws=self.draws, progress=report, keep=sheet.add,
            )  # fmt: skip
        lines = format_learned(results)
        page = "\n".join(["# The learned generator", "", "```", *lines, "```", ""])

        def write(folder: Path, text: str) -> list[Path]:
            return [*write_page(page, folder, text), *sheet.write(folder)]

        self.deliver(describe_learned(results), lines, write)


def _write_report(folder: Path, text: str, facts: "dict[str, Any]") -> list[Path]:
    from neurok.commands.files import write_text
    from neurok.evaluate.generation import format_lines

    folder.mkdir(parents=True, exist_ok=True)
    page = "# Generation\n\n" + "\n".join(f"- {line.strip()}" for line in format_lines(facts)) + "\n"
    return [write_text(page, folder / "generation.md"), write_text(text, folder / "generation.json")]
