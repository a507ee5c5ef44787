"""A picture of drawn objects, each with the train object that is nearest to it on its right."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from neurok.data.procedural.procedural import ProceduralObject
from neurok.evaluate.object_sets import PointedObject
from neurok.files.registry import load, save
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.placement import transform

MAX_SHOWN = 12
COLUMNS = 4  # pairs in a row
QUARTER = np.array([[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


@dataclass
class NearestSheet:
    """Collects pairs of a drawn object and its nearest train object; data: where the train objects are."""

    data: Path
    pairs: list[tuple[Mesh, str]] = field(default_factory=list)

    def add(self, thing: ProceduralObject, nearest: PointedObject) -> None:
        self.pairs.append((thing.mesh, nearest.name))

    def write(self, folder: Path) -> list[Path]:
        """The picture, pairs spread evenly over all; nothing where there are none."""
        if not self.pairs:
            return []
        placed = []
        chosen = self.pairs[:: max(1, len(self.pairs) // MAX_SHOWN)][:MAX_SHOWN]
        for number, (mesh, name) in enumerate(chosen):
            row, column = divmod(number, COLUMNS)
            real = transform(load(self.data / "partnet_mobility" / name / "mobility.urdf").mesh, QUARTER)
            placed.append(_place(mesh, 2.7 * column, 1.9 * row))
            placed.append(_place(real, 2.7 * column + 1.15, 1.9 * row))
        path = folder / "nearest.png"
        save(merge(placed), path)
        return [path]


def _place(mesh: Mesh, x: float, y: float) -> Mesh:
    """A mesh of one unit's size, standing at a place."""
    lower, upper = mesh.bounds
    middle = np.array([(lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, lower[2]])
    size = float((upper - lower).max())
    return replace(mesh, vertices=(mesh.vertices - middle) / size + (x, y, 0.0), up="z")
