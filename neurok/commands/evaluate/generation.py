"""neurok evaluate generation: how well prompts are met, judged from the files."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional

from neurok.commands.evaluate.measuring import Reporting
from neurok.commands.options import hint, whole, word

if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True)
class EvaluateGeneration(Reporting):
    """Make the object of every prompt of a file and measure from the exported URDF (soft objects: OBJ) what was met.

    Also how often unsupported things are refused, supported ones are not, and the gate is passed at once and after
    redraws; beside it what an object of the kind meets that was asked for nothing.
    """

    prompts: Positional[Annotated[str, word("FILE.json"), hint()]]
    """a list of prompts with what they ask for (neurok/evaluate/generation.py)"""
    limit: Annotated[int | None, whole("--limit"), hint("default: all")] = None
    """the first so many prompts"""
    seed: Annotated[int, whole("--seed"), hint("default: 0")] = 0
    """of the objects"""

    def run(self) -> None:
        self.check_places()
        from neurok.commands.say import progress
        from neurok.evaluate.generation import evaluate_generation, format_lines

        with progress("generating") as report:
            facts = evaluate_generation(Path(self.prompts), seed=self.seed, limit=self.limit, progress=report)
        self.deliver(facts, format_lines(facts), lambda folder, text: _write_report(folder, text, facts))


def _write_report(folder: Path, text: str, facts: "dict[str, Any]") -> list[Path]:
    from neurok.commands.files import write_text
    from neurok.evaluate.generation import format_lines

    folder.mkdir(parents=True, exist_ok=True)
    page = "# Generation\n\n" + "\n".join(f"- {line.strip()}" for line in format_lines(facts)) + "\n"
    return [write_text(page, folder / "generation.md"), write_text(text, folder / "generation.json")]
