"""Compositions: what the parts of our own objects are made of, and what people call them.

The programs draw looks (palette.py); compositions.toml says what stands behind a look in each category. Drawn by a seed
of its own, so the objects themselves stay what they were, byte by byte.
"""

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from zlib import crc32

import numpy as np

from neurok.data.procedural.procedural import ProceduralObject
from neurok.errors import InputError
from neurok.geometry.parts import Parts, name_parts

Rng = np.random.Generator


@dataclass(frozen=True)
class CompositionRule:
    """Parts of some links and some families of the palette, what they are made of by weight, and other names."""

    links: tuple[str, ...]
    families: tuple[str, ...]
    materials: dict[str, float]
    names: tuple[str, ...]

    def fits(self, link: str, family: str) -> bool:
        linked = any(fnmatchcase(link, pattern) for pattern in self.links)
        return linked and any(fnmatchcase(family, pattern) for pattern in self.families)


@dataclass(frozen=True)
class MadeParts:
    """The parts of a made object, one for each link and family; the material and the plain name of each."""

    parts: Parts
    materials: tuple[str, ...]
    names: tuple[str, ...]


def draw_composition(thing: ProceduralObject, draw: int = 0) -> MadeParts:
    """The parts of an object with what they are made of; another draw gives other materials and names."""
    rng = np.random.default_rng([crc32(b"matter"), crc32(thing.category.encode()), thing.seed, draw])
    mesh = thing.mesh
    above = [mesh.parts[part.parent].name if part.parent >= 0 else "" for part in mesh.parts]
    parts = name_parts(mesh.face_part, [f"{link}/{part.name}" for link, part in zip(above, mesh.parts)])
    chosen: dict[tuple[str, str], tuple[str, str]] = {}
    rows = []
    for label in np.unique(mesh.face_part):
        link, family = above[label], mesh.parts[label].name
        alike = (strip_number(link), family)
        if alike not in chosen:  # castors 1 to 5 of one chair are of one kind
            chosen[alike] = _draw_part(thing.category, link, family, rng)
        rows.append(chosen[alike])
    return MadeParts(parts, tuple(material for material, _ in rows), tuple(name for _, name in rows))


def strip_number(name: str) -> str:
    """A name without the number at its end."""
    return name.rstrip("0123456789").rstrip("_")


def find_materials(category: str, link: str, family: str) -> tuple[dict[str, float], tuple[str, ...]]:
    """The weights of the materials of a part, and the names it may go by."""
    families, rules = read_compositions()
    rule = next((rule for rule in rules.get(category, ()) if rule.fits(link, family)), None)
    if rule is None:
        return families[family], ()
    return rule.materials or families[family], rule.names


def _draw_part(category: str, link: str, family: str, rng: Rng) -> tuple[str, str]:
    materials, names = find_materials(category, link, family)
    weights = np.array([*materials.values()])
    material = [*materials][int(rng.choice(len(weights), p=weights / weights.sum()))]
    own = strip_number(link).replace("_", " ")
    return material, own if not names or rng.random() < 0.3 else names[int(rng.integers(len(names)))]


@cache
def read_compositions() -> tuple[dict[str, dict[str, float]], dict[str, tuple[CompositionRule, ...]]]:
    """The materials of every family, and the rules of every category."""
    text = files("neurok.data.procedural").joinpath("compositions.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    families = {name: read_weights(entry) for name, entry in content["families"].items()}
    rules = {name: tuple(_read_rule(row) for row in rows) for name, rows in content["rules"].items()}
    return families, rules


def _read_rule(row: list[str]) -> CompositionRule:
    links, families, materials, names = [*row, ""][:4]
    spoken = tuple(name for name in names.split("|") if name)
    return CompositionRule(tuple(links.split("|")), tuple(families.split()), read_weights(materials), spoken)


def read_weights(text: str) -> dict[str, float]:
    """'abs 7 rubber 3' or 'brass' as weights by name."""
    words = text.split()
    found: dict[str, float] = {}
    for place, word in enumerate(words):
        if word.replace(".", "").isdigit():
            continue
        following = words[place + 1] if place + 1 < len(words) else "1"
        found[word] = float(following) if following.replace(".", "").isdigit() else 1.0
    if any(weight <= 0 for weight in found.values()):
        raise InputError(f"the weights '{text}' are not all positive", "give numbers above zero")
    return found
