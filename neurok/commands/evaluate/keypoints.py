"""neurok evaluate keypoints: train the baseline that moves a cage by keypoints."""

import sys
from dataclasses import dataclass
from typing import Annotated

from neurok.commands.options import hint, number, random_seed, whole, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class EvaluateKeypoints:
    """Train a keypoint deformer in the manner of KeyPointDeformer on a store, for as long as a model it is to be
    compared with. Measure it with `neurok evaluate deformation --weights keypoints=RUN/weights`.
    """

    data: Annotated[str, word("STORE"), hint("required")] = ""
    """a store, made by `neurok data build`"""
    out: Annotated[str, word("RUN"), hint("required")] = ""
    """the folder for the weights"""
    minutes: Annotated[float | None, number("--minutes", "M"), hint("required, or --steps")] = None
    """how long to train"""
    steps: Annotated[int | None, whole("--steps"), hint("default: by --minutes")] = None
    """how many steps to train instead"""
    keypoints: Annotated[int, whole("--keypoints"), hint("default: 12")] = 12
    """how many"""
    threads: Annotated[int | None, whole("--threads"), hint("default: all cores")] = None
    """to train with"""
    seed: Annotated[int, random_seed(), hint("default: 0")] = 0
    """of weights, order and augmentation"""

    def run(self) -> None:
        if not self.data or not self.out:
            raise OptionError("there is no store or no run", "name both: --data STORE --out RUN")
        if (self.minutes is None) == (self.steps is None) or (self.minutes or self.steps or 0) <= 0:
            raise OptionError("there is no budget, or two", "give --minutes M or --steps N")
        if not 2 <= self.keypoints <= 64:
            raise OptionError(f"{self.keypoints} keypoints", "give a number from 2 to 64")
        import torch

        from neurok.evaluate.deformer import DeformerConfig
        from neurok.evaluate.deformer_training import train_deformer

        if self.threads is not None:
            torch.set_num_threads(self.threads)
        facts = train_deformer(
            self.data, self.out, minutes=self.minutes, steps=self.steps, say=_say,
            config=DeformerConfig(keypoints=self.keypoints, seed=self.seed),
        )  # fmt: skip
        _say(f"{self.out}: {facts['steps']:,} steps in {facts['minutes']:.1f} minutes; weights in {facts['weights']}")


def _say(text: str) -> None:
    from neurok.commands.say import say

    say(text)
    sys.stdout.flush()
