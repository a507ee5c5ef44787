"""The ranker: which of several options is meant and how much of the motion it explains, and which hypotheses move.

Two small functions of numbers that know no category: two layers of rectified units each, averaged over members that
were fitted from different beginnings by `python -m benchmarks.calibrate_proposals`. The first sees each option of a
drag (see `options`) beside all others of its list, and gives it a score, the logarithm of the chance that it is the
best up to a constant, and the share of the squared motion that it is expected to explain; the second gives each
hypothesis the log odds that it is a part that moves, whatever is or is not dragged.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from neurok.geometry.arrays import Array

FILE = "ranker.safetensors"
LAYERS = ("0", "1", "2")


@dataclass(frozen=True)
class Ranker:
    """weights: `options.mean` and `.spread` of the features, `options.0.weight`, `.bias`, ..., `options.around`; of
    `parts` the same without the last. Each has a leading axis over members."""

    weights: Mapping[str, Array]

    def judge_options(self, features: Array) -> tuple[Array, Array]:
        """The score and the expected gain of options of one list, with features [n, f], [n] each."""
        score, gain = apply_layers(self.weights, "options", features).T
        return score, gain

    def judge_parts(self, features: Array) -> Array:
        """The log odds that hypotheses with features [h, f] are parts that move, [h]."""
        return apply_layers(self.weights, "parts", features)[:, 0]


def apply_layers(weights: Mapping[str, Array], name: str, features: Array) -> Array:
    """The mean of some perceptrons of features [n, f], [n, outputs].

    Where there are weights `around`, the second layer also sees the greatest and the mean of the first one's units.
    """
    if weights[f"{name}.mean"].shape[1] != features.shape[1]:
        raise ValueError(f"the ranker was fitted to other numbers of {name}: fit it again, as docs/evaluation.md says")
    h = np.clip(
        (features - weights[f"{name}.mean"][:, None]) / weights[f"{name}.spread"][:, None], -5.0, 5.0
    )  # [k, n, f]
    for number, layer in enumerate(LAYERS):
        below, bias = h, weights[f"{name}.{layer}.bias"][:, None]
        h = h @ np.swapaxes(weights[f"{name}.{layer}.weight"], 1, 2) + bias
        if number == 1 and f"{name}.around" in weights:
            pooled = np.concatenate([below.max(axis=1), below.mean(axis=1)], axis=1)  # [k, 2 w]
            h = h + (weights[f"{name}.around"] @ pooled[:, :, None]).transpose(0, 2, 1)
        h = np.maximum(h, 0.0) if layer != LAYERS[-1] else h
    return h.mean(axis=0)


@cache
def load_ranker() -> Ranker:
    """The one that comes with the package."""
    return parse_ranker(files("neurok.proposals").joinpath(FILE).read_bytes())


def parse_ranker(content: bytes) -> Ranker:
    """The ranker in the content of a file, as `python -m benchmarks.calibrate_proposals` writes it."""
    from safetensors.numpy import load

    return Ranker({name: value.astype(np.float64) for name, value in load(content).items()})
