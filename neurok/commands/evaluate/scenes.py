"""neurok evaluate scenes: whether scenes stay at rest, say what was asked, and can be acted in, judged from files."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff

from neurok.commands.evaluate.measuring import Reporting
from neurok.commands.options import PLAIN_FLAG, hint, whole
from neurok.errors import OptionError

if TYPE_CHECKING:
    from typing import Any

MAX_SCENES = 10_000


@dataclass(frozen=True)
class EvaluateScenes(Reporting):
    """Make scenes of 3 to 10 things from drawn texts and judge their files: MJCF reloaded in plain MuJoCo for drift and
    penetration, relations from boxes and contacts, and what a hand opened from the recording."""

    count: Annotated[int, whole("-n"), hint("default: 50", aliases=("-n",))] = 50
    """how many scenes"""
    seed: Annotated[int, whole("--seed"), hint("default: 0")] = 0
    """of the texts and the scenes"""
    no_agent: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """leave the hand out"""

    def run(self) -> None:
        if not 1 <= self.count <= MAX_SCENES:
            raise OptionError(f"-n is {self.count}", f"give a number from 1 to {MAX_SCENES}")
        self.check_places()
        from neurok.commands.say import progress
        from neurok.evaluate.scenes import evaluate_scenes, format_scene_lines

        with progress("making scenes") as report:
            facts = evaluate_scenes(self.count, seed=self.seed, agent=not self.no_agent, progress=report)
        self.deliver(facts, format_scene_lines(facts), lambda folder, text: _write_report(folder, text, facts))


def _write_report(folder: Path, text: str, facts: "dict[str, Any]") -> list[Path]:
    from neurok.commands.files import write_text
    from neurok.evaluate.scenes import format_scene_lines

    folder.mkdir(parents=True, exist_ok=True)
    page = "# Scenes\n\n" + "\n".join(f"- {line.strip()}" for line in format_scene_lines(facts)) + "\n"
    return [write_text(page, folder / "scenes.md"), write_text(text, folder / "scenes.json")]
