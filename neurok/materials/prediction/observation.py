"""What is seen of an object's parts before their materials are told; each input may be absent."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts
from neurok.materials.prediction.looks import COLOR_FEATURES, GLOSS_FEATURES, observe_looks
from neurok.materials.prediction.shapes import SHAPE_FEATURES, observe_shapes
from neurok.materials.prediction.words import says_something, split_words

INPUTS = ("shape", "color", "gloss", "name", "neighbours", "object")
# What each input is called in sentences.
INPUT_WORDS = {
    "shape": "its shape", "color": "its colour", "gloss": "its gloss", "name": "its name",
    "neighbours": "the other parts' names", "object": "the object's name",
}  # fmt: skip


@dataclass(frozen=True)
class MatterObservation:
    """All parts of one object. shape [p, 28], color [p, 10], gloss [p, 2]; words of the parts' names and of the
    object's; present: which of INPUTS each part has, [p, 6]."""

    shape: Array
    color: Array
    gloss: Array
    names: tuple[tuple[str, ...], ...]
    title: tuple[str, ...]
    present: Mask

    def __post_init__(self) -> None:
        count = len(self.names)
        for values, features in (
            (self.shape, SHAPE_FEATURES),
            (self.color, COLOR_FEATURES),
            (self.gloss, GLOSS_FEATURES),
        ):
            if values.shape != (count, len(features)):
                raise ValueError(f"features of shape {values.shape} for {count} parts")

    @property
    def count(self) -> int:
        return len(self.names)

    def other_names(self, part: int) -> tuple[str, ...]:
        """The words of all parts but one, and but its own words."""
        own = set(self.names[part])
        return tuple(dict.fromkeys(w for i, n in enumerate(self.names) if i != part for w in n if w not in own))


def observe_matter(mesh: Mesh, parts: Parts, title: str = "") -> MatterObservation:
    """Look at an object's parts. title: what the object is called, if anything."""
    looks = observe_looks(mesh, parts)
    names = tuple(tuple(split_words(name.split("/")[0])) for name in parts.names)
    return assemble_observation(
        observe_shapes(mesh, parts), (looks.color, looks.colored), (looks.gloss, looks.glossed), names,
        tuple(split_words(title)),
    )  # fmt: skip


def assemble_observation(
    shape: Array,
    color: tuple[Array, Mask],
    gloss: tuple[Array, Mask],
    names: tuple[tuple[str, ...], ...],
    title: tuple[str, ...],
) -> MatterObservation:
    """An observation, with which of its inputs are there: values with their masks, and names that say something."""
    named = np.array([says_something(each) for each in names], dtype=bool)
    among = np.array([any(named[i] for i in range(len(named)) if i != part) for part in range(len(named))], dtype=bool)
    titled = np.full(len(named), says_something(title))
    present = np.stack([np.ones(len(named), dtype=bool), color[1], gloss[1], named, among, titled], axis=1)
    return MatterObservation(shape, color[0], gloss[0], names, title, present)
