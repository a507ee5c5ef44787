"""neurok data generate: a data set of objects made from prompts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff

from neurok.commands.options import PLAIN_FLAG, hint, whole, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class DataGenerate:
    """Write a data set of objects made from prompts: URDF, MJCF, USD and GLB of each, its facts as JSON, and a card.

    The prompts are taken in turn, with a new seed each time round. A run that was cut off goes on where it stopped.
    """

    prompts: Annotated[str, word("FILE"), hint("required")] = ""
    """a text file with a prompt on each line"""
    output: Annotated[str, word("DIR"), hint("required", aliases=("-o",))] = ""
    """the folder of the data set"""
    count: Annotated[int, whole("-n"), hint("default: 100", aliases=("-n",))] = 100
    """how many objects"""
    seed: Annotated[int, whole("--seed"), hint("default: 0")] = 0
    """of the first round"""
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from neurok.commands.say import progress, say, say_json
        from neurok.generate.dataset import read_lines, write_dataset

        if not self.prompts or not self.output:
            raise OptionError("data generate needs --prompts FILE and -o DIR", "name both")
        if self.count < 1:
            raise OptionError(f"-n is {self.count}", "give a whole number from one on")
        lines = read_lines(Path(self.prompts))
        with progress("generating") as report:
            facts = write_dataset(lines, self.count, Path(self.output), seed=self.seed, progress=report)
        if self.json:
            say_json(facts)
            return
        say(f"{facts['objects']} objects with {facts['joints']} joints in {self.output}; {facts['refused']} prompts "
            f"refused, {facts['failing']} objects fail the gate, {facts['drawn_again']} were drawn again")  # fmt: skip
