"""What a file of a generated object shows, read without anything of the generator: XML, OBJ, MTL and numbers.

A URDF names links, joints and visuals; an OBJ beside it has the faces, and an MTL the materials. From these come the
parts by their names, how many there are, what they are made of, which colour they have, and how large the object is.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from neurok.geometry.arrays import Array, Indices

SYNONYMS = {
    "handle": ("handle", "grip", "bow", "knob", "pull", "bar", "lever"), "knob": ("knob", "dial", "handle"),
    "lid": ("lid", "cover", "cap"), "wheel": ("wheel", "castor"), "castor": ("castor", "wheel"),
    "leg": ("leg", "post", "foot"), "foot": ("foot", "leg"), "screen": ("screen", "glass", "monitor"),
    "blade": ("blade", "blades"), "door": ("door", "leaf"), "button": ("button", "key"), "leaf": ("leaf", "door"),
    "cap": ("cap", "lid"), "cover": ("cover", "lid"), "backrest": ("back",), "arm rest": ("arm",),
    "armrest": ("arm",), "base": ("base", "foot", "stand"), "stand": ("stand", "foot", "base"),
}  # fmt: skip
# A material that is one of a broader sort.
BROADER = {
    "wood": ("wood", "oak", "pine", "walnut", "bamboo"),
    "metal": ("metal", "steel", "iron", "aluminium", "brass", "bronze", "copper", "chrome", "gold", "silver"),
    "fabric": ("fabric", "wool", "cotton", "canvas"), "ceramic": ("ceramic", "porcelain", "clay"),
    "stone": ("stone", "marble", "concrete"), "steel": ("steel", "chrome"),
}  # fmt: skip
# Hue [turns] of what people call colours, and which are told by lightness alone.
HUES = {"red": 0.0, "orange": 0.07, "yellow": 0.14, "green": 0.33, "turquoise": 0.49, "cyan": 0.52, "teal": 0.5,
        "blue": 0.61, "navy": 0.64, "purple": 0.76, "violet": 0.76, "pink": 0.95, "magenta": 0.9, "brown": 0.06,
        "beige": 0.12, "cream": 0.12}  # fmt: skip
MAX_HUE_ERROR = 0.08  # turns
MIN_SHARE = 0.5  # of a part's area that must be of a material or colour


@dataclass(frozen=True)
class Surface:
    """One visual of a link: names, corners of its faces in the world at rest [m], [m, 3, 3], and their materials."""

    link: str
    name: str
    corners: Array
    materials: tuple[str, ...]
    face_material: Indices

    @cached_property
    def areas(self) -> Array:
        a, b, c = self.corners.swapaxes(0, 1)
        return np.asarray(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1))


@dataclass(frozen=True)
class GeneratedFile:
    """All surfaces of a URDF, and the display colour [sRGB, 0 to 1] and opacity of each material."""

    surfaces: tuple[Surface, ...]
    colours: dict[str, Array]
    links: tuple[str, ...]

    def find(self, word: str) -> list[Surface]:
        """The surfaces of links of a name, else of visuals of a name; of all for the body or nothing."""
        if word in ("", "body", "object", "whole"):
            return list(self.surfaces)
        for other in SYNONYMS.get(word, (word,)):
            found = [s for s in self.surfaces if is_named(s.link, other)]
            found = found or [s for s in self.surfaces if is_named(s.name, other)]
            if found:
                return found
        return []

    def count(self, word: str) -> int:
        """How many parts a word means: links of that name, else connected pieces of visuals of that name."""
        for other in SYNONYMS.get(word, (word,)):
            links = {link for link in self.links if is_named(link, other)}
            shown = {s.link for s in self.surfaces}
            if len(links & shown) > 1 or (links & shown and other != "blades" and other != "blade"):
                return len(links & shown)
            pieces = [s for s in self.surfaces if is_named(s.name, other)]
            if pieces:
                return sum(count_pieces(s.corners) for s in pieces)
        return 0

    @property
    def extent(self) -> Array:
        """Along x, y, z [m]."""
        points = np.concatenate([s.corners.reshape(-1, 3) for s in self.surfaces])
        return np.asarray(np.ptp(points, axis=0))


def is_named(name: str, word: str) -> bool:
    tokens = [_singular(token) for token in re.split(r"[ _]+", name.lower()) if not token.isdigit()]
    wanted = [_singular(token) for token in word.split(" ")]
    return any(tokens[i : i + len(wanted)] == wanted for i in range(len(tokens)))


def _singular(word: str) -> str:
    special = {"feet": "foot", "leaves": "leaf", "shelves": "shelf", "glass": "glass"}
    return special.get(word, word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word)


def count_pieces(corners: Array) -> int:
    """Connected pieces of triangles that share corners."""
    _, index = np.unique(np.round(corners.reshape(-1, 3), 7), axis=0, return_inverse=True)
    parent = np.arange(index.max() + 1)
    faces = index.reshape(-1, 3)
    while True:
        low = parent[faces].min(axis=1)
        before = parent.copy()
        for k in range(3):
            np.minimum.at(parent, faces[:, k], low)
        parent = parent[parent]
        if np.array_equal(parent, before):
            return len(np.unique(parent[faces[:, 0]]))


def has_material(found: GeneratedFile, part: str, value: str) -> bool:
    good = BROADER.get(value, (value,))
    return _covers(found, part, lambda name: any(word in good for word in re.split(r"[ _]+", name)))


def has_colour(found: GeneratedFile, part: str, value: str) -> bool:
    return _covers(found, part, lambda name: matches_colour(found.colours[name][:3], value))


def _covers(found: GeneratedFile, part: str, good: Callable[[str], bool]) -> bool:
    whole = own = 0.0
    for surface in found.find(part):
        right = np.array([good(name) for name in surface.materials])
        whole += float(surface.areas.sum())
        own += float(surface.areas[right[surface.face_material]].sum())
    return whole > 0.0 and own >= MIN_SHARE * whole


def matches_colour(shade: Array, value: str) -> bool:
    """Whether a display colour is what people call so."""
    import colorsys

    hue, saturation, lightness = colorsys.rgb_to_hsv(*(float(c) for c in shade))
    value = "grey" if value == "gray" else value
    if value in ("black", "charcoal"):
        return lightness < 0.3
    if value == "white":
        return lightness > 0.8 and saturation < 0.15
    if value in ("grey", "silver"):
        return saturation < 0.15 and 0.25 < lightness < 0.9
    if value in ("beige", "cream", "ivory"):
        return saturation < 0.4 and lightness > 0.7
    if value not in HUES:
        raise KeyError(value)
    turn = abs(hue - HUES[value])
    return min(turn, 1.0 - turn) <= MAX_HUE_ERROR and saturation > 0.2


def read_urdf(path: Path) -> GeneratedFile:
    """The file as it is at rest."""
    robot = ET.parse(path).getroot()
    places = _place_links(robot)
    surfaces: list[Surface] = []
    colours: dict[str, Array] = {}
    for link in robot.iter("link"):
        name = link.get("name") or ""
        for visual in link.iter("visual"):
            mesh = visual.find("geometry/mesh")
            if mesh is None:
                continue
            corners, materials, rows, shades, _ = _parse_obj(path.parent / (mesh.get("filename") or ""))
            colours.update(shades)
            T = places[name] @ _read_origin(visual.find("origin"))
            world = corners @ T[:3, :3].T + T[:3, 3]
            surfaces.append(Surface(name, visual.get("name") or "", world, materials, rows))
    return GeneratedFile(tuple(surfaces), colours, tuple(link.get("name") or "" for link in robot.iter("link")))


def read_obj(path: Path) -> GeneratedFile:
    """A soft object, as a plain mesh: its groups are its parts."""
    corners, materials, rows, colours, groups = _parse_obj(path)
    surfaces = [
        Surface(name, name, corners[own], materials, rows[own])
        for name in dict.fromkeys(groups) if len(own := np.flatnonzero(np.array(groups) == name))
    ]  # fmt: skip
    return GeneratedFile(tuple(surfaces), colours, tuple(s.link for s in surfaces))


def _place_links(robot: ET.Element) -> dict[str, Array]:
    above: dict[str, tuple[str, Array]] = {}
    for joint in robot.iter("joint"):
        parent, child = joint.find("parent"), joint.find("child")
        if parent is not None and child is not None:
            above[child.get("link") or ""] = (parent.get("link") or "", _read_origin(joint.find("origin")))

    def place(name: str) -> Array:
        if name not in above:
            return np.eye(4)
        parent, T = above[name]
        return place(parent) @ T

    return {link.get("name") or "": place(link.get("name") or "") for link in robot.iter("link")}


def _read_origin(element: ET.Element | None) -> Array:
    T = np.eye(4)
    if element is None:
        return T
    T[:3, 3] = [float(x) for x in (element.get("xyz") or "0 0 0").split()]
    roll, pitch, yaw = (float(x) for x in (element.get("rpy") or "0 0 0").split())
    cr, sr, cp, sp, cy, sy = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
    T[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return T


def _parse_obj(path: Path) -> tuple[Array, tuple[str, ...], Indices, dict[str, Array], list[str]]:
    """Corners [m, 3, 3], material names, the material of each face, colours, and the group of each face."""
    groups: list[str] = []
    group = ""
    points: list[list[float]] = []
    faces: list[list[int]] = []
    rows: list[int] = []
    names: list[str] = [""]
    shades: dict[str, Array] = {"": np.array([0.8, 0.8, 0.8, 1.0])}
    for line in path.read_text().splitlines():
        key, _, rest = line.partition(" ")
        if key == "v":
            points.append([float(x) for x in rest.split()[:3]])
        elif key == "f":
            corners = [int(word.split("/")[0]) - 1 for word in rest.split()]
            for k in range(1, len(corners) - 1):
                faces.append([corners[0], corners[k], corners[k + 1]])
                rows.append(len(names) - 1)
                groups.append(group)
        elif key in ("g", "o"):
            group = rest.strip()
        elif key == "usemtl":
            names.append(rest.strip())
        elif key == "mtllib":
            shades.update(_read_mtl(path.with_name(rest.strip())))
    return np.array(points)[np.array(faces)], tuple(names), np.array(rows), shades, groups


def _read_mtl(path: Path) -> dict[str, Array]:
    found: dict[str, Array] = {}
    name = ""
    for line in path.read_text().splitlines():
        key, _, rest = line.strip().partition(" ")
        if key == "newmtl":
            name = rest.strip()
            found[name] = np.array([0.8, 0.8, 0.8, 1.0])
        elif key == "Kd":
            # our writer leaves colours as linear light; people name what a screen shows
            shown = [max(float(x), 0.0) ** (1 / 2.2) for x in rest.split()[:3]]
            found[name] = np.array([*shown, found[name][3]])
        elif key == "d":
            found[name][3] = float(rest)
    return found
