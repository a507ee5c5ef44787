"""What a picture's features say: chances of kinds and of what their programs chose, proportions, and the view.

With standardised features x, h = max(W x + b, 0) and o = V h + c. The first entries of o are of the kinds, with the
chances p = softmax(o / T + u z), where z is what the published network itself says (everyday.py). Then come the answers
to each question, each with a softmax of its own, the logarithms of width over depth and of height over depth, and sine
and cosine of the azimuth and the elevation [rad].
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from neurok.errors import InputError
from neurok.geometry.arrays import Array

SHIPPED = Path(__file__).parents[2] / "weights" / "pictures"
SHAPE_COUNT, VIEW_COUNT = 2, 3  # entries of the output behind the answers


@dataclass(frozen=True)
class Question:
    """A named choice of a kind, and the values that it may have; sort: count, option or 'yes or no'."""

    kind: str
    name: str
    sort: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class PictureOpinion:
    """What the network says of one picture.

    chances: of each kind, the likeliest first. answers: by (kind, choice) the chance of each value. proportions:
    extents along width, depth and height, of which the product is one, [3]. azimuth, elevation [degrees].
    """

    chances: Mapping[str, float]
    answers: Mapping[tuple[str, str], Mapping[str, float]]
    proportions: Array
    azimuth: float
    elevation: float


@dataclass(frozen=True)
class PictureHeads:
    """Arrays by name (W, b, V, c, mean, scale), the kinds, the questions, the temperatures, and the share u."""

    arrays: Mapping[str, Array]
    kinds: tuple[str, ...]
    questions: tuple[Question, ...]
    kind_temperature: float
    answer_temperature: float
    everyday_share: float

    def apply(self, features: Array) -> Array:
        """The outputs o for features [n, d]: [n, m]."""
        a = self.arrays
        x = (features - a["mean"]) / a["scale"]
        h: Array = np.maximum(x @ a["W"].T + a["b"], 0.0)
        outputs: Array = h @ a["V"].T + a["c"]
        return outputs

    def split(self, outputs: Array) -> tuple[Array, list[Array], Array, Array]:
        """Outputs [n, m] as those of kinds [n, k], of each question, of proportions [n, 2] and of the view [n, 3]."""
        ends = np.cumsum([len(self.kinds), *(len(q.answers) for q in self.questions), SHAPE_COUNT])
        kinds, *answers, shape, view = np.split(outputs, ends, axis=1)
        return kinds, answers, shape, view

    def rate_kinds(self, outputs: Array, everyday: Array) -> Array:
        """The chances of the kinds, for outputs [n, m] and z [n, k]: [n, k]."""
        return softmax(outputs[:, : len(self.kinds)] / self.kind_temperature + self.everyday_share * everyday)

    def tell(self, features: Array, everyday: Array) -> PictureOpinion:
        """What the features of one picture [d] and its z [k] say."""
        outputs = self.apply(features[None])
        _, answers, shape, view = self.split(outputs)
        chance = self.rate_kinds(outputs, everyday[None])[0]
        order = np.argsort(-chance)
        found = {
            (q.kind, q.name): dict(zip(q.answers, softmax(row[0] / self.answer_temperature).tolist()))
            for q, row in zip(self.questions, answers)
        }
        logs = np.array([shape[0, 0], 0.0, shape[0, 1]])
        azimuth = math.degrees(math.atan2(view[0, 0], view[0, 1]))
        elevation = float(np.clip(np.degrees(view[0, 2]), -10.0, 80.0))
        return PictureOpinion(
            {self.kinds[k]: float(chance[k]) for k in order}, found, np.exp(logs - logs.mean()), azimuth, elevation
        )


def softmax(values: Array) -> Array:
    """exp(v) / sum exp(v) along the last axis."""
    powers = np.exp(values - values.max(axis=-1, keepdims=True))
    shares: Array = powers / powers.sum(axis=-1, keepdims=True)
    return shares


@cache
def load_heads(folder: Path = SHIPPED) -> PictureHeads:
    """The heads of a folder of weights; those that came with neurok by default."""
    from neurok.networks.weights import read_weights

    tensors, record = read_weights(folder)
    try:
        arrays = {name: tensors[name].double().numpy() for name in ("W", "b", "V", "c", "mean", "scale")}
        questions = tuple(Question(kind, name, sort, tuple(values)) for kind, name, sort, values in record["questions"])
        return PictureHeads(
            arrays,
            tuple(record["kinds"]),
            questions,
            record["kind_temperature"],
            record["answer_temperature"],
            record["everyday_share"],
        )
    except (KeyError, TypeError, ValueError) as fault:
        raise InputError(f"the weights in {folder} are none of pictures ({fault!r})", "name others") from None
