"""The ranker: which of several options is meant and how much of the motion it explains, and which hypotheses move.

Two small functions of numbers that know no category: two layers of rectified units each, averaged over members that
were fitted from different beginnings by `python -m benchmarks.calibrate_proposals`. The first gives each option of a
drag (see `options`) a score, the logarithm of the chance that it is the best of those beside it up to a constant, and
the share of the squared motion that it is expected to explain; the second gives each hypothesis the log odds that it
is a part that moves, whatever is or is not dragged.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from neurok.geometry.arrays import Array
from neurok.proposals.hypothesis_features import HYPOTHESIS_FEATURES
from neurok.proposals.options import OPTION_FEATURES

FILE = "ranker.safetensors"
LAYERS = ("0", "1", "2")


@dataclass(frozen=True)
class Ranker:
    """weights: `options.mean` and `.spread` of the features, `options.0.weight`, `.bias`, ..., and the same of `parts`;
    each with a leading axis over members."""

    weights: Mapping[str, Array]

    def judge_options(self, features: Array) -> tuple[Array, Array]:
        """The score and the expected gain of options with features [n, f], [n] each."""
        score, gain = self._apply_layers("options", features).T
        return score, gain

    def judge_parts(self, features: Array) -> Array:
        """The log odds that hypotheses with features [h, f] are parts that move, [h]."""
        return self._apply_layers("parts", features)[:, 0]

    def _apply_layers(self, name: str, features: Array) -> Array:
        w = self.weights
        h = np.clip((features - w[f"{name}.mean"][:, None]) / w[f"{name}.spread"][:, None], -5.0, 5.0)  # [k, n, f]
        for layer in LAYERS:
            h = h @ np.swapaxes(w[f"{name}.{layer}.weight"], 1, 2) + w[f"{name}.{layer}.bias"][:, None]
            h = np.maximum(h, 0.0) if layer != LAYERS[-1] else h
        return h.mean(axis=0)


@cache
def load_ranker() -> Ranker:
    """The one that comes with the package."""
    return parse_ranker(files("neurok.proposals").joinpath(FILE).read_bytes())


def parse_ranker(content: bytes) -> Ranker:
    """The ranker in the content of a file, as `python -m benchmarks.calibrate_proposals` writes it."""
    from safetensors.numpy import load

    weights = {name: value.astype(np.float64) for name, value in load(content).items()}
    for name, features in (("options", OPTION_FEATURES), ("parts", HYPOTHESIS_FEATURES)):
        if weights[f"{name}.mean"].shape[1] != len(features):
            raise ValueError(f"{FILE} was fitted to other features: run python -m benchmarks.calibrate_proposals again")
    return Ranker(weights)
