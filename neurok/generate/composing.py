"""What the parts of a generated object are made of, as statements of the library's materials that travel into files.

What a person asked for counts first; else the likeliest material that compositions.toml has for the look of a piece in
its category.
"""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from neurok.data.procedural.compositions import find_materials
from neurok.data.procedural.procedural import ProceduralObject
from neurok.generate.looks import FAMILY_SUBSTANCES, LIBRARY_NAMES, NEAREST_NAMES, SUBSTANCES, find_substance
from neurok.geometry.mesh import Material, Mesh
from neurok.materials.library import load_library
from neurok.materials.part_properties import PartProperties
from neurok.materials.stated_parts import list_entries


def state_materials(thing: ProceduralObject, asked: Collection[str] = ()) -> ProceduralObject:
    """The object whose pieces say what they are made of; asked: the substances that a person named."""
    mesh = thing.mesh
    parts = list(mesh.parts)
    for piece in np.unique(mesh.face_part[mesh.face_part >= 0]):
        stated = compose_piece(thing.category, mesh, int(piece), asked)
        parts[piece] = replace(parts[piece], properties=list_entries(stated, load_library()))
    stated_mesh = replace(mesh, parts=tuple(parts))
    return replace(thing, articulation=replace(thing.articulation, mesh=stated_mesh))


def compose_piece(category: str, mesh: Mesh, piece: int, asked: Collection[str] = ()) -> PartProperties:
    """What one piece is made of."""
    part = mesh.parts[piece]
    used = mesh.face_material[mesh.face_part == piece]
    look = mesh.materials[int(np.bincount(used).argmax())]
    substance = find_substance(look)
    if substance is not None and substance in asked:
        return state_substance(substance)
    link = mesh.parts[part.parent].name if part.parent >= 0 else ""
    weights = _find_weights(category, link, look.name.split(" ")[-1])
    if weights:
        return PartProperties(material=max(weights, key=lambda name: weights[name]))
    return state_substance(name_substance(look))


def _find_weights(category: str, link: str, family: str) -> dict[str, float]:
    """The materials of a piece by weight; none where its look is not of the palette."""
    try:
        return find_materials(category, link, family)[0]
    except KeyError:
        return {}


def name_substance(look: Material) -> str:
    """The substance that a look stands for; plastic where nothing is known."""
    return find_substance(look) or FAMILY_SUBSTANCES.get(look.name.split(" ")[-1], "plastic")


def state_substance(name: str) -> PartProperties:
    """A substance as a material of the library, with its own density where the library has but its like."""
    if name in LIBRARY_NAMES:
        return PartProperties(material=LIBRARY_NAMES[name])
    return PartProperties(material=NEAREST_NAMES[name], density=SUBSTANCES[name].density)
