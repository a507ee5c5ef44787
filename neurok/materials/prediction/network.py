"""What tells materials, in plain numpy: two hidden layers over all inputs, averaged over an ensemble; and for names
that were met in training, what things of that name were made of.

x = [shape, color, gloss, name, neighbours, object, present], a = relu(x W1 + b1), c = relu(a W2 + b2),
log p_T = log_softmax((c W3 + b3) / T). An absent input is all zeros, and its flag in `present` is zero.
Of a part whose name was met, log p = log_softmax((1 - u) log p_K + u log r / S) with r the shares of its name; of any
other, log p_T.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.materials.prediction.observation import INPUTS, MatterObservation
from neurok.materials.prediction.words import count_words


@dataclass(frozen=True)
class NameMixing:
    """How what is known of a name counts: its share u, the network's temperature K beside it, and its own, S."""

    share: float = 0.0
    beside: float = 1.0
    own: float = 1.0


@dataclass(frozen=True)
class MatterNetwork:
    """tensors: mean, scale of the numbers [40] and per member W1, b1, ... W3, b3 (named 0.W1 ...); vocabulary: of all
    names; materials: of the answer; temperature: T, and sure: the chance of an elastic behaviour from which a part is
    to deform, both chosen on kinds left out of training. names: the words of names that were met, with log r, [k] each;
    mixing: u, K and S, likewise chosen."""

    tensors: Mapping[str, Array]
    vocabulary: tuple[str, ...]
    materials: tuple[str, ...]
    temperature: float
    members: int
    sure: float = 1.0
    names: Mapping[tuple[str, ...], Array] = field(default_factory=dict)
    mixing: NameMixing = NameMixing()

    def answer(self, observation: MatterObservation, present: Mask | None = None) -> Array:
        """log p of every material for every part, [p, k]; `present` leaves inputs out."""
        blocks = encode_inputs(observation, self.vocabulary)
        shown = observation.present if present is None else observation.present & present
        x = join_inputs(blocks, shown, self.tensors["mean"], self.tensors["scale"])
        outputs = np.stack([self._run(x, member) for member in range(self.members)])
        found = average_members(outputs, self.temperature)
        named = shown[:, INPUTS.index("name")]
        known = [p for p in range(observation.count) if named[p] and observation.names[p] in self.names]
        if known:
            mixing = self.mixing
            beside = average_members(outputs[:, known], mixing.beside)
            met = np.stack([self.names[observation.names[p]] for p in known])
            found[known] = log_softmax((1.0 - mixing.share) * beside + mixing.share * met / mixing.own)
        return found

    def _run(self, x: Array, member: int) -> Array:
        w = {name: self.tensors[f"{member}.{name}"] for name in ("W1", "b1", "W2", "b2", "W3", "b3")}
        a = np.maximum(x @ w["W1"] + w["b1"], 0.0)
        c = np.maximum(a @ w["W2"] + w["b2"], 0.0)
        return c @ w["W3"] + w["b3"]


def average_members(outputs: Array, temperature: float) -> Array:
    """log of the mean of p over the members of an ensemble, [p, k], of what they put out, [members, p, k]."""
    return log_softmax(np.logaddexp.reduce(log_softmax(outputs / temperature), axis=0))


def encode_inputs(observation: MatterObservation, vocabulary: Sequence[str]) -> list[Array]:
    """The values of each of INPUTS, [p, d] each."""
    others = [observation.other_names(part) for part in range(observation.count)]
    return [
        observation.shape,
        observation.color,
        observation.gloss,
        count_words(observation.names, vocabulary),
        count_words(others, vocabulary),
        count_words([observation.title] * observation.count, vocabulary),
    ]


def join_inputs(blocks: Sequence[Array], present: Mask, mean: Array, scale: Array) -> Array:
    """One row per part, numbers standardised, absent inputs zero, their flags at the end, [p, d]."""
    widths = np.cumsum([0, *(block.shape[1] for block in blocks[:3])])
    numbers = [(b - mean[i:j]) / scale[i:j] for b, i, j in zip(blocks[:3], widths, widths[1:])]
    shown = [np.where(present[:, i, None], block, 0.0) for i, block in enumerate([*numbers, *blocks[3:]])]
    return np.concatenate([*(np.clip(block, -5.0, 5.0) for block in shown), present.astype(np.float64)], axis=1)


def log_softmax(values: Array) -> Array:
    """Values less the log of the sum of their exponentials, along the last axis."""
    top = values.max(axis=-1, keepdims=True)
    return values - top - np.log(np.exp(values - top).sum(axis=-1, keepdims=True))


def leave_out(count: int, *inputs: str) -> Mask:
    """A mask for `present` that leaves some inputs out, [p, 6]."""
    mask = np.ones((count, len(INPUTS)), dtype=bool)
    mask[:, [INPUTS.index(name) for name in inputs]] = False
    return mask
