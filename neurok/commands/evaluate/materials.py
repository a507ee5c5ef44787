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
    latent: Annotated[str | None, word("FILE.npz"), hint("default: none")] = None
    """measure instead what the codes of the learned generator keep of shape, colour and material, in SOPHY's columns,
    on these parts (`python -m neurok.training.objects.examples` makes them)"""
    coders: Annotated[str | None, word("RUNS"), hint("default: the shipped one alone")] = None
    """with --latent: a folder of runs to compare: joint, apart, fused, bare and after"""
    weights: Annotated[str | None, word("DIR"), hint("default: those that came with neurok")] = None
    """weights to measure"""

    def run(self) -> None:
        from neurok.commands.say import progress
        from neurok.evaluate.materials.materials import describe_results, evaluate_materials, format_results
        from neurok.evaluate.pages import write_page
        from neurok.materials.prediction.weights import SHIPPED

        self.check_places()
        if self.latent is not None:
            self._run_latent(Path(self.latent))
            return
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

    def _run_latent(self, parts: Path) -> None:
        """The codes of parts."""
        from dataclasses import asdict

        from neurok.commands.say import progress
        from neurok.evaluate.materials.figures import SOPHY_NOTE
        from neurok.evaluate.materials.latent import evaluate_latent, format_latent
        from neurok.evaluate.pages import write_page

        with progress("measuring"):
            results = evaluate_latent(parts, None if self.coders is None else Path(self.coders))
        lines = [*format_latent(results), f"{SOPHY_NOTE}."]
        page = "\n".join(["# The codes of parts", "", "```", *lines, "```", ""])
        plain = {source: {row: asdict(figures) for row, figures in rows.items()} for source, rows in results.items()}
        self.deliver(plain, lines, partial(write_page, page))
