"""neurok train: learn state spaces from a store of motions."""

import os
import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff, Positional, arg

from neurok.commands.options import PLAIN_FLAG, choice, hint, number, random_seed, whole, word
from neurok.errors import OptionError
from neurok.networks.config import DECODERS, PRIORS, SIZES

if TYPE_CHECKING:
    from neurok.training.runs import TrainingOptions

DEVICES = ("cpu", "cuda", "mps")


@dataclass(frozen=True)
class Train:
    """Train a model on a store of motions. A run that was cut off goes on exactly where its checkpoint was, with
    --resume. Under torchrun all processes train one model together.
    """

    recipe: Positional[Annotated[str, word("RECIPE"), hint()]]
    """of the data: tiny, open or full; a store that is not there yet is built first"""
    data: Annotated[str, word("DIR"), hint("required")] = ""
    """the store"""
    out: Annotated[str, word("RUN"), hint("required")] = ""
    """the folder of the run: checkpoint, log, pictures, weights"""
    minutes: Annotated[float | None, number("--minutes", "M"), hint("default: until stopped")] = None
    """how long to train, the time before --resume included"""
    steps: Annotated[int | None, whole("--steps"), hint("default: until stopped")] = None
    """how many steps to train in all"""
    resume: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """go on with the run that is in RUN"""
    begin: Annotated[str | None, word("WEIGHTS"), arg(name="from", help_behavior_hint="(default: random)")] = None
    """a folder of weights to begin from"""
    size: Annotated[str, choice("--size", SIZES), hint("default: base")] = "base"
    """of the network"""
    decoder: Annotated[str, choice("--decoder", DECODERS), hint("default: handles")] = "handles"
    """a skin moved by twists, or every point on its own as in the paper"""
    prior: Annotated[str, choice("--prior", PRIORS), hint("default: lowrank")] = "lowrank"
    """of states: predicted from the shape, or a unit normal as in the paper"""
    displacement: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """learn displacements instead of dual quaternions (an ablation)"""
    plain: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """learn without augmentation (an ablation)"""
    shapes: Annotated[int, whole("--shapes"), hint("default: 16")] = 16
    """of a step; fewer make steps shorter"""
    states: Annotated[int, whole("--states"), hint("default: 12")] = 12
    """of each shape in a step"""
    partnet: Annotated[str | None, word("DIR"), hint("default: none")] = None
    """objects in the SAPIEN layout, where the store of recipe full is built first"""
    animated: Annotated[str | None, word("DIR"), hint("default: none")] = None
    """animated glTF files, likewise"""
    fold: Annotated[int | None, whole("--fold", "K"), hint("default: learn from all kinds")] = None
    """1 to 5: learn nothing from the kinds of this fold, to measure on them with `neurok evaluate ... --folds`"""
    device: Annotated[str, choice("--device", DEVICES), hint("default: cpu")] = "cpu"
    """where to compute"""
    threads: Annotated[int | None, whole("--threads"), hint("default: all cores")] = None
    """of each process"""
    seed: Annotated[int, random_seed(), hint("default: 0")] = 0
    """of weights, order and augmentation"""

    def run(self) -> None:
        from neurok.data.folds import kinds_left_out
        from neurok.training.memory import keep_memory
        from neurok.training.runs import train_model

        if not self.data or not self.out:
            raise OptionError("there is no store or no run", "name both: --data DIR --out RUN")
        if self.minutes is not None and self.steps is not None:
            raise OptionError("--minutes and --steps at once", "give one of the two")
        if self.resume and self.begin:
            raise OptionError("--resume and --from at once", "give one of the two")
        if self.fold is not None:
            kinds_left_out(self.fold)
        if self.displacement and (self.decoder, self.prior) == ("handles", "lowrank"):
            # Twists are what that model is made of: leaving them out would be another model, or do nothing.
            raise OptionError("--displacement has no say in handles with a low-rank prior",
                              "ask for it with --decoder points, or with --prior unit")  # fmt: skip
        quiet = os.environ.get("RANK", "0") != "0"  # of several processes the first one speaks
        with keep_memory():
            facts = train_model(self._make_options(), say=(lambda text: None) if quiet else _say)
        if not quiet:
            done = f"{facts['steps']:,} steps in {facts['minutes']:.1f} minutes"
            _say(f"{self.out}: {done}; weights in {facts['weights']}")
        if facts["stopped"] is not None:
            if not quiet:
                _say(f"stopped and saved; go on with: {self._again()}")
            raise SystemExit(128 + facts["stopped"])

    def _again(self) -> str:
        """The command that goes on with the run."""
        budget = f" --steps {self.steps}" if self.steps is not None else ""
        budget = f" --minutes {self.minutes:g}" if self.minutes is not None else budget
        device = f" --device {self.device}" if self.device != "cpu" else ""
        names = " ".join(shlex.quote(word) for word in (self.recipe, "--data", self.data, "--out", self.out))
        return f"neurok train {names} --resume{budget}{device}"

    def _make_options(self) -> "TrainingOptions":
        from neurok.training.runs import TrainingOptions

        config = {
            "decoder": self.decoder, "prior": self.prior, "size": self.size, "seed": self.seed,
            "dual_quaternion": not self.displacement, "augmentation": not self.plain,
            "shapes": self.shapes, "states": self.states,
        }  # fmt: skip
        return TrainingOptions(
            self.recipe, self.data, self.out, minutes=self.minutes, steps=self.steps, resume=self.resume,
            begin=self.begin, partnet=self.partnet, animated=self.animated, device=self.device, threads=self.threads,
            config=config, fold=self.fold,
        )  # fmt: skip


def _say(text: str) -> None:
    """A line at once, also where the output goes to a file that someone follows."""
    from neurok.commands.say import say

    say(text)
    sys.stdout.flush()
