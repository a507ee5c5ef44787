"""Does an object have what was asked of it?"""

from dataclasses import dataclass

import numpy as np

from neurok.data.procedural.choices import ProgramChoice
from neurok.data.procedural.procedural import ProceduralObject
from neurok.generate.looks import find_substance
from neurok.generate.parts import count_parts, find_faces, find_word, singular
from neurok.generate.programs import ProgramCard
from neurok.generate.request import Attribute
from neurok.generate.shaping import compute_areas
from neurok.geometry.arrays import Mask

SIZE_TOLERANCE = 0.02  # relative: what "40 cm wide" allows
MATERIAL_SHARE = 0.5  # of a part's area that must be of the material or colour asked for
# Words for the same small fittings: who wants none of one wants none of the others.
FITTINGS = {"handle": ("handle", "grip", "bow", "knob", "pull")}


@dataclass(frozen=True)
class MadeObject:
    """An object, the choices its program made, and the card of the program."""

    thing: ProceduralObject
    choices: tuple[ProgramChoice, ...]
    card: ProgramCard


def find_absent_words(card: ProgramCard, word: str) -> list[str]:
    """The program's words for a part that should not be there."""
    resolved = find_word(card, word)
    return list(dict.fromkeys([*FITTINGS.get(word, ()), *([resolved] if resolved else [])]))


def meets(made: MadeObject, attribute: Attribute) -> bool:
    """Whether an object has an attribute."""
    return _MEASURES[attribute.sort](made, attribute)


def _meets_count(made: MadeObject, attribute: Attribute) -> bool:
    return count_asked(made, attribute.part) == attribute.value


def count_asked(made: MadeObject, word: str) -> int:
    """How many parts a word means: the count that the program says it made, else what is there."""
    named = [choice.value for choice in made.choices if choice.kind == "count" and singular(choice.name) == word]
    if named:
        return int(named[-1])
    resolved = find_word(made.card, word)
    return count_parts(made.thing, resolved) if resolved else 0


def _meets_material(made: MadeObject, attribute: Attribute) -> bool:
    wanted = str(attribute.value)
    return _find_share(made, attribute, [find_substance(m) == wanted for m in made.thing.mesh.materials])


def _meets_colour(made: MadeObject, attribute: Attribute) -> bool:
    wanted = str(attribute.value)
    return _find_share(made, attribute, [m.name.split(" ")[0] == wanted for m in made.thing.mesh.materials])


def _find_share(made: MadeObject, attribute: Attribute, good: list[bool]) -> bool:
    mesh = made.thing.mesh
    faces = find_asked_faces(made, attribute.part)
    areas = compute_areas(mesh)
    whole = float(areas[faces].sum())
    own = float(areas[faces & np.asarray(good)[mesh.face_material]].sum())
    return whole > 0.0 and own >= MATERIAL_SHARE * whole


def find_asked_faces(made: MadeObject, word: str) -> Mask:
    """The faces of a so-called part, of all for an empty word, [m]."""
    if not word:
        return np.ones(made.thing.mesh.face_count, dtype=bool)
    resolved = find_word(made.card, word)
    return find_faces(made.thing, resolved) if resolved else np.zeros(made.thing.mesh.face_count, dtype=bool)


def _meets_size(made: MadeObject, attribute: Attribute) -> bool:
    return abs(measure_extent(made.thing, attribute.part) / float(attribute.value) - 1.0) <= SIZE_TOLERANCE


def measure_extent(thing: ProceduralObject, axis: str) -> float:
    """Width along x, depth along y, height along z; the length is the longer of the first two [m]."""
    x, y, z = np.ptp(thing.mesh.vertices, axis=0)
    return float({"width": x, "depth": y, "height": z, "length": max(x, y)}[axis])


def _meets_absence(made: MadeObject, attribute: Attribute) -> bool:
    words = find_absent_words(made.card, attribute.part)
    switch = _find_switch(made, attribute.part)
    return not any(count_parts(made.thing, word) for word in words) and switch is not True


def _meets_presence(made: MadeObject, attribute: Attribute) -> bool:
    switch = _find_switch(made, attribute.part)
    if switch is not None:
        return switch
    resolved = find_word(made.card, attribute.part)
    return resolved is not None and count_parts(made.thing, resolved) > 0


def _find_switch(made: MadeObject, word: str) -> bool | None:
    found = [c.value for c in made.choices if c.kind == "yes or no" and singular(c.name) == word]
    return bool(found[-1]) if found else None


def _meets_option(made: MadeObject, attribute: Attribute) -> bool:
    found = [c.value for c in made.choices if c.name == attribute.part and c.kind in ("option", "yes or no")]
    wanted: object = {"yes": True, "no": False}.get(str(attribute.value), attribute.value)
    return bool(found) and wanted in (found[-1], str(found[-1]))


_MEASURES = {
    "count": _meets_count, "material": _meets_material, "colour": _meets_colour, "size": _meets_size,
    "absent": _meets_absence, "present": _meets_presence, "option": _meets_option,
}  # fmt: skip
