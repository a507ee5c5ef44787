"""What each face of a mesh is made of: the nearest statement on the way from its part up to the whole object.

A part may be stated by name (by a person), by the file, or not at all; then what holds for the part above it holds for
it too, quantity by quantity, and at last what holds for the whole object.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

import numpy as np

from neurok.errors import OptionError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import order_parts
from neurok.materials.library import MaterialLibrary
from neurok.materials.part_properties import FACTORS, PartProperties
from neurok.materials.properties import MaterialProperties
from neurok.materials.stated_parts import read_statement

STATED_RESTITUTION = "stated_restitution"  # that which a person states as a number, not that of a material
SHOWN_NAMES = 20  # how many parts an error lists


@dataclass(frozen=True)
class PartAssignment:
    """The properties of the parts of a mesh, and of faces without a part.

    properties: of each part, and last of faces of no part, [p + 1]. factors: stiffness, damping and what is stated of
    restitution, of each, likewise. index: which of these each face has, [m].
    """

    properties: tuple[MaterialProperties, ...]
    factors: tuple[Mapping[str, float], ...]
    index: Indices

    def read(self, name: str, default: float) -> Array:
        """A quantity, stiffness or damping of each face, [m]; the default where nobody states it."""
        is_factor = name in FACTORS or name == STATED_RESTITUTION
        tables = self.factors if is_factor else [vars(each) for each in self.properties]
        values = [table.get(name) for table in tables]
        return np.array([default if value is None else value for value in values], dtype=np.float64)[self.index]

    def states(self, name: str) -> bool:
        """Whether anything is stated of a quantity for any part."""
        return any(getattr(each, name) is not None for each in self.properties)

    @cached_property
    def materials(self) -> tuple[str, ...]:
        """The names of the materials that faces have, "" for none."""
        used = np.unique(self.index)
        named = (self.properties[i].material for i in used)
        return tuple(dict.fromkeys(row.name if row is not None else "" for row in named))


def assign_properties(
    mesh: Mesh, stated: Mapping[str, PartProperties], whole: PartProperties, library: MaterialLibrary
) -> PartAssignment:
    """The properties of all parts; stated: by the names of parts. whole: of the object where no part says more."""
    known = [part.name for part in mesh.parts]
    for name in stated:
        if name not in known:
            raise _miss_part(name, known)
    found = list_statements(mesh, stated, whole, library)
    resolved: dict[PartProperties, MaterialProperties] = {}  # of thousands of parts, most state the same
    for one, label in zip(found, [*known, "no name"]):
        if one not in resolved:
            resolved[one] = one.resolve(library, label)
    factors = {one: _list_factors(one) for one in resolved}
    return PartAssignment(
        properties=tuple(resolved[one] for one in found),
        factors=tuple(factors[one] for one in found),
        index=np.where(mesh.face_part >= 0, mesh.face_part, len(mesh.parts)),
    )


def list_statements(
    mesh: Mesh, stated: Mapping[str, PartProperties], whole: PartProperties, library: MaterialLibrary
) -> list[PartProperties]:
    """What is stated of each part by itself, those above it and the whole, and last of faces of no part, [p + 1]."""
    found = [whole] * len(mesh.parts)
    nothing = PartProperties()
    for index in order_parts(mesh.parts):
        part = mesh.parts[index]
        own = read_statement(part, library) if part.properties else nothing
        above = found[part.parent] if part.parent >= 0 else whole
        found[index] = above.merge(own.merge(stated.get(part.name, nothing)))
    return [*found, whole]


def _list_factors(one: PartProperties) -> dict[str, float]:
    stated = {name: getattr(one, name) for name in FACTORS} | {STATED_RESTITUTION: one.restitution}
    return {name: value for name, value in stated.items() if value is not None}


def _miss_part(name: str, known: list[str]) -> OptionError:
    """The error for a part that is not there, with the nearest names, else with all."""
    names = sorted(set(known))
    near = get_close_matches(name, names, 3, 0.5)
    listed = ", ".join(near or names[:SHOWN_NAMES]) or "the file names none"
    return OptionError(f"there is no part '{name}'", f"{'the nearest are' if near else 'the parts are'}: {listed}")
