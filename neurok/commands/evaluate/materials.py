"""neurok evaluate materials: how well the materials of parts are told."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from neurok.commands.evaluate.measuring import Reporting
from neurok.commands.options import hint, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class EvaluateMaterials(Reporting):
    """Measure how well the materials of parts are told: behaviour, material, the errors of E, nu, strength, friction
    angle and density, likelihood and calibration; against look-ups, and with inputs taken away.

    Parts: new objects of our programs; our programs of kinds that were left out (--folds); real parts that two people
    labelled from pictures (--data).
    """

    examples: Annotated[str, word("FILE.npz"), hint("required")] = ""
    """what was trained on, as `python -m neurok.training.materials.examples` makes it"""
    data: Annotated[str | None, word("DIR"), hint("default: none")] = None
    """the folder of real objects, with index.json, partnet_mobility and scans"""
    folds: Annotated[str | None, word("RUNS"), hint("default: none")] = None
    """a folder with fold-1 to fold-5, each trained without the kinds of that fold"""
    weights: Annotated[str | None, word("DIR"), hint("default: those that came with neurok")] = None
    """weights to measure"""

    def run(self) -> None:
        from neurok.commands.say import progress
        from neurok.evaluate.materials.materials import describe_results, evaluate_materials, format_results
        from neurok.evaluate.pages import write_page
        from neurok.materials.prediction.weights import SHIPPED

        self.check_places()
        if not Path(self.examples).is_file():
            raise OptionError("--examples names no file", "make one: python -m neurok.training.materials.examples")
        with progress("measuring") as report:
            results = evaluate_materials(
                Path(self.examples), data=None if self.data is None else Path(self.data),
                folds=None if self.folds is None else Path(self.folds),
                weights=SHIPPED if self.weights is None else Path(self.weights), progress=report,
            )  # fmt: skip
        lines = format_results(results)
        page = "\n".join(["# Materials", "", "```", *lines, "```", ""])
        self.deliver(describe_results(results), lines, partial(write_page, page))
