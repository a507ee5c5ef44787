"""Statements about parts that travel with a mesh, in the properties of its parts, from file to file.

Keys are the names of `PartProperties`. A material that neurok's own library does not have is written with its numbers,
so that the file says enough alone.
"""

from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np

from neurok.geometry.mesh import Mesh, Part
from neurok.materials.library import MaterialLibrary, load_library
from neurok.materials.part_properties import PartProperties
from neurok.materials.quantities import QUANTITIES

KEYS = ("material", "deforms", *QUANTITIES)
WHOLE_NAME = "object"  # of the part that faces without one get, where the whole is stated


def keep_known(found: Mapping[str, object]) -> dict[str, str | float]:
    """What of a file's entries says something of a part: known keys, with numbers that some solid has."""
    kept: dict[str, str | float] = {}
    for key, value in found.items():
        if key == "material" and isinstance(value, str) and value.strip():
            kept[key] = value
        if key == "deforms" and isinstance(value, bool):
            kept[key] = value
        if key in QUANTITIES and isinstance(value, int | float) and not isinstance(value, bool):
            if QUANTITIES[key].allows(value):
                kept[key] = float(value)
    return kept


def read_statement(part: Part, library: MaterialLibrary) -> PartProperties:
    """What a part itself states; a material that the library does not know counts by its numbers alone."""
    material = part.properties.get("material")
    known = isinstance(material, str) and library.knows(material)
    numbers = {key: float(value) for key, value in part.properties.items() if key in QUANTITIES}
    deforms = part.properties.get("deforms")
    rigid = None if deforms is None else bool(deforms)
    return PartProperties(**numbers, material=str(material) if known else None, deforms=rigid)


def find_statement(mesh: Mesh, index: int) -> dict[str, str | float]:
    """What holds for a part of the mesh: its own statement before those of the parts above it."""
    chain: dict[int, None] = {}
    while index >= 0 and index not in chain:
        chain[index] = None
        index = mesh.parts[index].parent
    found: dict[str, str | float] = {}
    for place in reversed(chain):
        own = mesh.parts[place].properties
        found = dict(own) if "material" in own else {**found, **own}
    return found


def state_parts(
    mesh: Mesh, stated: Mapping[str, PartProperties], whole: PartProperties, library: MaterialLibrary
) -> Mesh:
    """The mesh whose parts carry these statements; whole: of what no part says."""
    if whole != PartProperties() and np.any(mesh.face_part < 0):
        loose = np.where(mesh.face_part < 0, len(mesh.parts), mesh.face_part)
        mesh = replace(mesh, parts=(*mesh.parts, Part(WHOLE_NAME)), face_part=loose)
    parts = []
    for part in mesh.parts:
        said = read_statement(part, library).merge(stated.get(part.name, PartProperties()))
        said = whole.merge(said) if part.parent < 0 else said
        parts.append(replace(part, properties=list_entries(said, library)))
    return replace(mesh, parts=tuple(parts))


def list_entries(said: PartProperties, library: MaterialLibrary) -> dict[str, str | float]:
    """A statement as the properties of a part."""
    entries = {each.name: getattr(said, each.name) for each in fields(said) if each.name in KEYS}
    if said.material is not None:
        row = library.find(said.material)
        entries["material"] = row.name
        if load_library().materials.get(row.name) != row:
            entries |= {key: row.find_typical(key) for key in QUANTITIES if entries[key] is None}
    return {key: value for key, value in entries.items() if value is not None}
