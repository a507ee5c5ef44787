"""neurok evaluate pictures: how well the thing in a picture is told."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from neurok.commands.evaluate.measuring import Reporting
from neurok.commands.options import hint, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class EvaluatePictures(Reporting):
    """Measure how well pictures are told: kinds, counts and other choices, proportions; against the commonest answer,
    chance, and the nearest picture that was learned from.

    Pictures: held-out renders of our programs' objects; renders of real models and of scans (--data). They are made by
    `python -m neurok.training.pictures.examples`, `.real` and `.features`.
    """

    examples: Annotated[str, word("DIR"), hint("required")] = ""
    """pictures of our own objects"""
    features: Annotated[str, word("DIR"), hint("required")] = ""
    """their features"""
    data: Annotated[str | None, word("DIR"), hint("default: none")] = None
    """pictures of real objects"""
    data_features: Annotated[str | None, word("DIR"), hint("default: none")] = None
    """their features"""
    split: Annotated[str, word("SPLIT"), hint("default: dev")] = "dev"
    """which of the real models: dev, or train to choose by"""
    weights: Annotated[str | None, word("DIR"), hint("default: those that came with neurok")] = None
    """weights to measure"""

    def run(self) -> None:
        from neurok.commands.say import progress
        from neurok.evaluate.pages import write_page
        from neurok.evaluate.pictures import evaluate_pictures, format_lines
        from neurok.generate.pictures.heads import SHIPPED

        self.check_places()
        for option, folder in (("--examples", self.examples), ("--features", self.features)):
            if not folder or not Path(folder).is_dir():
                raise OptionError(f"{option} names no folder", "make it: python -m neurok.training.pictures.examples")
        if (self.data is None) != (self.data_features is None):
            raise OptionError("--data and --data-features belong together", "name both")
        with progress("measuring"):
            facts = evaluate_pictures(
                Path(self.examples), Path(self.features), data=None if self.data is None else Path(self.data),
                data_features=None if self.data_features is None else Path(self.data_features), split=self.split,
                weights=SHIPPED if self.weights is None else Path(self.weights),
            )  # fmt: skip
        lines = format_lines(facts)
        page = "\n".join(["# Pictures", "", "```", *lines, "```", ""])
        self.deliver(facts, lines, partial(write_page, page))
