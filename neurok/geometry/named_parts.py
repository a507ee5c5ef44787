"""Named parts: what a person can name of an object, and where they take hold of it."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neurok.errors import OptionError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.grasp import Hinge, find_grasp
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints

MAX_LISTED = 20  # names that a sentence lists


@dataclass(frozen=True)
class NamedPart:
    """A piece of an object that has a name.

    mesh: the object. faces: of the mesh, [f]. hinge: what holds it, None where it does not move, or nobody knows.
    stands: whether it carries the others. motion: how it moves against what carries it: 'turns', 'slides', 'twists',
    'fixed', or '' where nobody knows. joint: the name of the joint that moves it, '' for none. carrier: the name of
    what carries it, '' for none. source: 'file', where the file itself has the name, or 'found'. other_names: what else
    the file calls it.
    """

    name: str
    mesh: Mesh
    faces: Indices
    hinge: Hinge | None = None
    stands: bool = False
    motion: str = ""
    joint: str = ""
    carrier: str = ""
    source: str = "file"
    other_names: tuple[str, ...] = ()

    @property
    def bounds(self) -> Array:
        """Lower and upper corner of its box [unit], [2, 3]."""
        points = self.mesh.vertices[np.unique(self.mesh.faces[self.faces])]
        return np.stack([points.min(axis=0), points.max(axis=0)])

    @cached_property
    def grasp(self) -> SurfacePoints:
        """Where a person would take hold of it, one point (see `grasp`)."""
        return find_grasp(self.mesh, self.faces, self.hinge, stands=self.stands)

    def place_grasp(self, mesh: Mesh) -> tuple[float, float, float]:
        """Where its grasp is on a mesh of the same faces [unit]."""
        x, y, z = self.grasp.weights[0] @ mesh.vertices[mesh.faces[self.grasp.face[0]]]
        return float(x), float(y), float(z)


def find_named(parts: Sequence[NamedPart], name: str) -> NamedPart:
    """The part of this name, or the one of which the file has this name; an OptionError that names the nearest."""
    wanted = name.strip()
    for part in parts:
        if part.name == wanted:
            return part
    for part in parts:
        if wanted in part.other_names:
            return part
    known = [part.name for part in parts]
    folded = {each.casefold(): each for each in known}
    close = [folded[each] for each in difflib.get_close_matches(wanted.casefold(), folded, n=3, cutoff=0.5)]
    listed = ", ".join(known[:MAX_LISTED]) + (f" and {len(known) - MAX_LISTED} more" if len(known) > MAX_LISTED else "")
    offer = f"did you mean {' or '.join(repr(each) for each in close)}? " if close else ""
    remedy = f"{offer}The parts are: {listed}" if known else "nothing of it has a name: give X,Y,Z instead"
    raise OptionError(f"the object has no part '{wanted[:60]}'", remedy)
