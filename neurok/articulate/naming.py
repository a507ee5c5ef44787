"""Plain names for links and joints that have none: drawer_1, lid, door_left, from place and shape.

Each rule looks at the motion, the box of the link along the object's axes with z up, and where it lies. None knows a
category, and where none fits the name is part_N. All lengths are shares of the object's diagonal. The same mesh gets
the same names, as parts of one kind are numbered by their place: from the top down, from left to right.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from neurok.files.bodies import split_links
from neurok.files.names import make_unique
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Joint
from neurok.geometry.placement import quarter_turn

# What programs call a piece that nobody named.
GENERIC_NAME = re.compile(
    r"(part|object|obj|mesh|node|group|geometry|geom|component|solid|shape|link|default|body|element|item|piece"
    r"|polysurface|primitive)?[\s_.:-]*\d*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class LinkPlace:
    """A moving link: its motion, its box and where it lies in the object; z is up, the object's diagonal is 1.

    kind: of its joint. axis, pivot: unit and a point, [3]. way: how far the joint goes [rad, or diagonals], infinite
    without limits. lower, upper: corners of the box, [3]; height: of its centre in the object, 0 to 1. middle: the
    centre of the object, [3].
    """

    kind: str
    axis: Array
    pivot: Array
    way: float
    lower: Array
    upper: Array
    height: float
    middle: Array

    @property
    def extent(self) -> Array:
        return self.upper - self.lower

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.extent))

    @property
    def centre(self) -> Array:
        return 0.5 * (self.lower + self.upper)

    @property
    def thin(self) -> int:
        """The axis along which the box is thinnest."""
        return int(np.argmin(self.extent))

    @property
    def is_flat(self) -> bool:
        least, middle, _ = np.sort(self.extent)
        return bool(least < 0.3 * middle)

    @property
    def is_long(self) -> bool:
        _, middle, most = np.sort(self.extent)
        return bool(most > 3 * middle)

    @property
    def is_upright(self) -> bool:
        """Whether the axis is vertical, within 25 degrees."""
        return bool(abs(self.axis[2]) > 0.9)

    @property
    def is_level(self) -> bool:
        """Whether the axis is horizontal, within 25 degrees."""
        return bool(abs(self.axis[2]) < 0.42)

    @property
    def is_round(self) -> bool:
        """Whether the box is as wide as high across an axis along the box, with the axis through its middle."""
        along = int(np.argmax(np.abs(self.axis)))
        across = np.delete(self.extent, along)
        off = self.centre - self.pivot - ((self.centre - self.pivot) @ self.axis) * self.axis
        central = np.linalg.norm(off) < 0.1 * across.max()
        return bool(abs(self.axis[along]) > 0.9 and across.min() > 0.8 * across.max() and central)

    @property
    def front(self) -> Array:
        """The horizontal direction to which the link faces: where it slides to, else out of the object, [3]."""
        if self.kind == "prismatic":
            return np.asarray(self.axis)
        out = np.zeros(3)
        out[self.thin] = self.centre[self.thin] - self.middle[self.thin]
        return out


def call_link(place: LinkPlace) -> str:
    """What a moving link is called by its motion, shape and place; 'part' where no rule fits."""
    if place.kind == "prismatic":
        return _call_slide(place)
    if place.kind == "continuous" or not np.isfinite(place.way):
        return _call_endless(place)
    return _call_turn(place) if place.kind == "revolute" else "part"


def _call_slide(place: LinkPlace) -> str:
    along = float(place.extent[int(np.argmax(np.abs(place.axis)))])
    if place.size < 0.15:
        return "button" if place.way < place.size else "slider"
    if place.is_flat and abs(place.axis[place.thin]) < 0.42:
        return "tray" if place.is_level and place.thin == 2 else "panel"
    if place.is_level and along > 0.25 * float(place.extent.max()):
        return "drawer"
    if place.is_upright and place.is_flat and place.thin == 2 and place.height > 0.6:
        return "lid"
    return "slider"


def _call_endless(place: LinkPlace) -> str:
    if not place.is_round:
        return "rotor"
    if place.is_level and place.height < 0.4 and place.size > 0.1:
        return "wheel"
    return "knob" if place.size < 0.2 else "rotor"


def _call_turn(place: LinkPlace) -> str:
    if place.is_round and place.size < 0.2:
        return "knob"
    if place.is_flat and not place.is_long and place.size > 0.2:
        if place.is_upright and place.thin != 2:
            return "door"
        if place.is_level and place.thin == 2 and place.height > 0.6:
            return "lid"
        return "flap" if place.is_level and abs(place.axis[place.thin]) < 0.42 else "panel"
    if place.is_long:
        return "arm" if place.size > 0.3 else "lever"
    return "part"


# ---------------------------------------------------------------- all links of an object


def name_links(articulation: Articulation) -> Articulation:
    """The articulation with plain names for links that have none of their own, and for their joints."""
    nameless = [index for index, link in enumerate(articulation.links) if GENERIC_NAME.fullmatch(link.name.strip())]
    if not nameless:
        return articulation
    places = _place_links(articulation)
    words: dict[int, str] = {}
    for index in nameless:
        place = places.get(index)
        words[index] = _call_still(articulation, index) if place is None else call_link(place)
    names = {index: link.name for index, link in enumerate(articulation.links) if index not in words}
    for word in dict.fromkeys(words.values()):
        names |= _number_links(word, [index for index in nameless if words[index] == word], places)
    # Names of the file come first: a second 'lid' is ours to change.
    order = sorted(names, key=lambda index: (index in words, index))
    final = dict(zip(order, make_unique(names[index] for index in order)))
    links = tuple(replace(link, name=final[index]) for index, link in enumerate(articulation.links))
    joints = [_rename_joint(articulation, joint, final[joint.child]) for joint in articulation.joints]
    fresh = make_unique(joint.name for joint in joints)
    return replace(
        articulation, links=links, joints=tuple(replace(joint, name=name) for joint, name in zip(joints, fresh))
    )


def _call_still(articulation: Articulation, index: int) -> str:
    """What a link is called that does not move by a joint of its own: the base, or the body fixed to a bare base."""
    above = int(articulation.parent_joint[index])
    if above < 0:
        return "base"
    joint = articulation.joints[above]
    bare = articulation.parent_joint[joint.parent] < 0 and not np.any(articulation.vertex_link == joint.parent)
    return "body" if joint.kind == "fixed" and bare else "part"


def _rename_joint(articulation: Articulation, joint: Joint, link: str) -> Joint:
    """A joint that is named after its link follows it; so does one without a name."""
    old = articulation.links[joint.child].name
    generic = joint.name == f"{old}_joint" or GENERIC_NAME.fullmatch(re.sub(r"(?i)joint", "", joint.name).strip("_ "))
    return replace(joint, name=f"{link}_joint") if generic else joint


def _number_links(word: str, links: list[int], places: dict[int, LinkPlace]) -> dict[int, str]:
    """Names of all links of one kind: numbered by their place, or left and right where two doors share a front."""
    if word in ("base", "body"):
        return {index: word for index in links}
    ordered = sorted(links, key=lambda index: (_rank_place(places[index]) if index in places else (), index))
    if len(links) == 1 and word != "part":
        return {links[0]: word}
    if word == "door" and len(links) == 2:
        (one, right), (other, along) = (_find_side(places[index]) for index in links)
        if np.allclose(right, along, atol=1e-6) and np.any(right) and abs(one - other) > 0.1:
            return {links[0]: f"{word}_{'left' if one < other else 'right'}",
                    links[1]: f"{word}_{'right' if one < other else 'left'}"}  # fmt: skip
    return {index: f"{word}_{number}" for number, index in enumerate(ordered, start=1)}


def _rank_place(place: LinkPlace) -> tuple[float, ...]:
    """From the top down, then from left to right, then by what is left of the place; rounded, as parts align."""
    level = -round(float(place.centre[2]) / 0.05)
    return level, round(_find_side(place)[0], 3), *(round(float(x), 3) for x in place.centre)


def _find_side(place: LinkPlace) -> tuple[float, Array]:
    """How far to the right a link lies for someone who looks at its front, and that direction, [3]."""
    front = np.array([place.front[0], place.front[1], 0.0])
    length = np.linalg.norm(front)
    if length < 1e-9:
        return float(place.centre[0]), np.zeros(3)
    right = np.cross([0.0, 0.0, 1.0], front / length)
    return float(place.centre @ right), right


def _place_links(articulation: Articulation) -> dict[int, LinkPlace]:
    """Every moving link that has a surface, placed in the object."""
    mesh = articulation.mesh
    turn, size = quarter_turn(mesh.up, "z"), mesh.diagonal or 1.0
    lowest, highest = np.sort(mesh.bounds @ turn.T / size, axis=0)
    found = {}
    pieces = split_links(articulation)
    for joint in articulation.joints:
        piece = pieces[joint.child]
        if joint.kind == "fixed" or not piece.face_count:
            continue
        T = articulation.links[joint.parent].T_world_link @ joint.origin
        points = piece.vertices[np.unique(piece.faces)] @ turn.T / size
        lower, upper = points.min(axis=0), points.max(axis=0)
        axis = turn @ T[:3, :3] @ joint.axis
        if abs(joint.lower) > abs(joint.upper):
            axis = -axis  # along its longer way
        centre = 0.5 * (lower + upper)
        height = (centre[2] - lowest[2]) / max(highest[2] - lowest[2], 1e-12)
        way = (joint.upper - joint.lower) / (size if joint.kind == "prismatic" else 1.0)
        found[joint.child] = LinkPlace(
            joint.kind, axis, turn @ T[:3, 3] / size, way, lower, upper, float(height), 0.5 * (lowest + highest)
        )
    return found
