"""Which parts of an object a word means, and how many there are."""

import re

import numpy as np

from neurok.data.procedural.procedural import ProceduralObject
from neurok.generate.programs import ProgramCard, name_part
from neurok.geometry.arrays import Indices, Mask
from neurok.geometry.components import vertex_components
from neurok.geometry.mesh import Mesh

# A word for a part, and what programs may call the same thing, the likeliest first.
PART_WORDS: dict[str, tuple[str, ...]] = {
    "handle": ("handle", "grip", "bow", "knob", "pull", "bar", "ring", "ear", "lever"),
    "knob": ("knob", "dial", "button", "handle"),
    "lid": ("lid", "cover", "cap", "flap"),
    "cap": ("cap", "lid", "cover"),
    "cover": ("cover", "lid", "cap"),
    "door": ("door", "leaf", "flap"),
    "leg": ("leg", "post", "foot", "stand"),
    "foot": ("foot", "leg", "base", "stand"),
    "wheel": ("wheel", "castor", "tyre"),
    "castor": ("castor", "wheel"), "caster": ("castor", "wheel"),
    "tyre": ("tyre", "wheel"), "tire": ("tyre", "wheel"),
    "screen": ("screen", "glass", "monitor", "display", "pane"),
    "window": ("window", "pane", "glass", "panes"),
    "pane": ("pane", "glass", "window", "sheet"),
    "blade": ("blade", "leaf"), "rotor": ("blade",),
    "button": ("button", "key"), "key": ("key", "button", "keyboard"),
    "shade": ("shade",), "lampshade": ("shade",), "arm": ("arm", "boom", "jib"),
    "backrest": ("back",), "armrest": ("arm", "arms", "arm rests"), "arm rest": ("arm rests", "arms"),
    "headrest": ("head", "head rest"), "head rest": ("head", "head rest"),
    "seat": ("seat", "cushion", "pad", "plank"), "cushion": ("cushion", "seat", "pad"),
    "body": ("body", "case", "vessel", "pail", "trunk", "carcass", "cabinet", "shell", "can", "frame"),
    "frame": ("frame", "body", "base", "posts"), "case": ("case", "body"), "base": ("base", "foot", "stand", "body"),
    "stand": ("stand", "foot", "base", "stem"), "shelf": ("shelf", "shelves"), "drawer": ("drawer",),
    "front": ("front", "panel", "door", "drawer"), "panel": ("panel", "field", "front"), "top": ("top", "lid", "roof"),
    "spout": ("spout", "nozzle", "spouts"), "jug": ("jug", "carafe"), "carafe": ("jug",), "pot": ("pot", "planter"),
    "leaf": ("leaf", "leave"), "flower": ("flower", "bloom"), "string": ("line",), "rope": ("line", "chain"),
    "chain": ("chain", "line"), "temple": ("temple",), "lens": ("lens", "glass"), "bristle": ("bristle",),
    "aerial": ("aerial", "mast", "antenna"), "antenna": ("aerial", "mast"), "pedal": ("pedal",), "flag": ("flag",),
    "pole": ("pole", "mast", "post"), "post": ("post", "pole"), "bulb": ("bulb", "light"), "rib": ("rib",),
    "canopy": ("panel", "gore", "canopy"), "bucket": ("bucket",), "gripper": ("finger", "gripper"),
    "finger": ("finger",), "dial": ("dial", "knob"), "hinge": ("hinge",), "lock": ("lock", "latch", "hasp"),
    "latch": ("latch", "lock"), "strap": ("strap", "handle"), "band": ("band", "bands"), "trim": ("trim", "rim"),
    "rim": ("rim", "ring"), "tray": ("tray", "drip tray"), "hand": ("hand", "hour", "minute", "second"),
    "face": ("face", "dial"), "pendulum": ("pendulum",), "tongue": ("tongue", "prongs"), "tail": ("tail",),
    "ear": ("ear",),
    "grille": ("cage", "grille", "wires"), "cistern": ("tank", "cistern"), "slat": ("slats", "slat"),
    "sash": ("sash", "leaf"), "rack": ("rack", "shelf"), "turntable": ("turntable",),
}  # fmt: skip
IRREGULAR = {"feet": "foot", "leaves": "leaf", "shelves": "shelf", "knives": "knife", "lenses": "lens",
             "sashes": "sash", "glasses": "glasses", "cacti": "cactus", "latches": "latch", "switches": "switch",
             "boxes": "box", "scissors": "scissors", "pliers": "pliers", "chassis": "chassis", "glass": "glass",
             "brass": "brass", "canvas": "canvas", "canopies": "canopy", "bodies": "body", "branches": "branch",
             "torches": "torch", "benches": "bench", "brushes": "brush", "dishes": "dish", "bus": "bus"}  # fmt: skip


def singular(word: str) -> str:
    """The singular of a plain English noun, of the last word of several."""
    *head, last = word.split(" ")
    if last in IRREGULAR:
        last = IRREGULAR[last]
    elif len(last) > 3 and last.endswith("s") and not last.endswith(("ss", "us", "is")):
        last = last[:-1]
    return " ".join([*head, last])


def means(name: str, word: str) -> bool:
    """Whether the name of a part, 'left_door' or 'drawer_2', says that it is a so-called part."""
    tokens = [singular(token) for token in re.split(r"[ _]+", name_part(name).lower())]
    wanted = [singular(token) for token in word.split(" ")]
    return any(tokens[i : i + len(wanted)] == wanted for i in range(len(tokens)))


def find_word(card: ProgramCard, word: str) -> str | None:
    """What the program calls a so-called part: the word itself, or one that means the same; None where it has none."""
    names = [part.name for part in card.parts]
    return next((other for other in (word, *PART_WORDS.get(word, ())) if any(means(n, other) for n in names)), None)


def find_links(thing: ProceduralObject, word: str) -> list[int]:
    """The links that a word means."""
    return [i for i, link in enumerate(thing.articulation.links) if means(link.name, word)]


def find_faces(thing: ProceduralObject, word: str) -> Mask:
    """The faces of the parts that a word means: of links of that name, else of pieces, [m]."""
    mesh, links = thing.mesh, find_links(thing, word)
    owner = thing.articulation.vertex_link[mesh.faces[:, 0]]
    if links:
        return np.isin(owner, links)
    return find_pieces(mesh, word)


def find_pieces(mesh: Mesh, word: str) -> Mask:
    """The faces of the pieces of that name, [m]."""
    named = [i for i, part in enumerate(mesh.parts) if part.parent >= 0 and means(part.name, word)]
    return np.isin(mesh.face_part, named)


def count_parts(thing: ProceduralObject, word: str) -> int:
    """How many parts a word means: links, else separate pieces of that name."""
    links = find_links(thing, word)
    if links:
        return len(links)
    faces = thing.mesh.faces[find_pieces(thing.mesh, word)]
    return 0 if not len(faces) else int(len(np.unique(_find_owners(thing.mesh)[faces[:, 0]])))


def _find_owners(mesh: Mesh) -> Indices:
    return vertex_components(mesh)[1]
