"""Parts: the pieces of a mesh that may move against each other, as a label of every face."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Indices


@dataclass(frozen=True)
class Parts:
    """The part of each face, [m], and the parts' names; every part has a face."""

    face: Indices
    names: tuple[str, ...]

    @property
    def count(self) -> int:
        return len(self.names)


def name_parts(labels: Indices, names: Sequence[str]) -> Parts:
    """Labels renumbered without gaps, names made different."""
    used, face = np.unique(labels, return_inverse=True)
    chosen: list[str] = []
    for number in used:
        name = names[number] or f"part_{number}"
        chosen.append(name if name not in chosen else f"{name}_{number}")
    return Parts(face.reshape(-1), tuple(chosen))
