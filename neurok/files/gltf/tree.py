"""The node tree to be written: parts below parts, or below the bones that carry them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from neurok.errors import OutputError
from neurok.files.gltf.pieces import Piece
from neurok.geometry.mesh import Indices, Part


@dataclass
class Place:
    """A node to be: its name, its own fields, the piece it shows, the bone it is, and what hangs on it."""

    name: str
    piece: Piece | None = None
    bone: int = -1  # the bone this node is
    entry: dict = field(default_factory=dict)
    children: list["Place"] = field(default_factory=list)


def walk(places: Sequence[Place]) -> Iterator[tuple[Place, Place | None]]:
    """Every place with the one above it, depth first, which is the order readers meet them in."""
    stack: list[tuple[Place, Place | None]] = [(p, None) for p in reversed(places)]
    while stack:
        place, above = stack.pop()
        yield place, above
        stack.extend((child, place) for child in reversed(place.children))


def part_places(parts: Sequence[Part], pieces: Sequence[Piece], rest_name: str) -> list[Place]:
    """The tree of the parts as it stands; faces without a part get a node called rest_name."""
    check_parts(parts)
    places = [Place(part.name) for part in parts]
    loose = []
    for piece in pieces:
        if piece.part >= 0:
            places[piece.part].piece = piece
        else:
            loose.append(Place(rest_name, piece))
    for part, place in zip(parts, places):
        if part.parent >= 0:
            places[part.parent].children.append(place)
    return [place for part, place in zip(parts, places) if part.parent < 0] + loose


def skinned_places(
    parts: Sequence[Part], pieces: Sequence[Piece], rest_name: str, bones: "Bones"
) -> tuple[list[Place], list[Place]]:
    """The bones among the groups without faces, under one root; and the parts that the skin moves, side by side.

    glTF wants those at the root, as what is above them does not move them.
    """
    shown = {piece.part for piece in pieces}
    groups = [Part("", part.parent) if i in shown else part for i, part in enumerate(parts)]
    tree = bone_places(groups, (), bones, left_out=shown)
    if len(tree) > 1:
        tree = [Place("skeleton", children=tree)]  # joints need a common root
    return tree, [Place(parts[p.part].name if p.part >= 0 else rest_name, p) for p in pieces]


@dataclass(frozen=True)
class Bones:
    """Names, parents and own fields of the bones; the still ones are the world itself and need no node."""

    names: Sequence[str]
    parents: Indices
    entries: Sequence[dict]
    still: frozenset[int] = frozenset()


def bone_places(
    parts: Sequence[Part], pieces: Sequence[Piece], bones: Bones, *, left_out: Collection[int] = ()
) -> list[Place]:
    """The tree of the bones, and below each bone the parts it carries.

    A bone and the topmost part on it are one node where they have the same name. A part whose faces
    follow several bones is shown by a node of its name below each. A group stays with what is below it
    where that is one bone, above bones that were below it, and otherwise where it was.
    """
    check_parts(parts)
    forest = _Forest(parts, bones)
    home = _homes(parts, pieces, bones, left_out)
    order = [p for p in _parents_first(parts) if p not in left_out]
    for part in order:
        for bone in sorted(home[part]) or [WORLD]:
            forest.put(part, bone)
    for piece in pieces:
        forest.show(piece)
    for bone, parent in enumerate(bones.parents):
        if bone not in bones.still:
            forest.hang(bone, int(parent))
    return forest.roots


WORLD = -1  # the bone of what no bone carries


class _Forest:
    """Places of parts and bones while they are hung on each other."""

    def __init__(self, parts: Sequence[Part], bones: Bones) -> None:
        self.parts, self.still = parts, bones.still
        self.roots: list[Place] = []
        self.bones = [Place(name, bone=b, entry=dict(e)) for b, (name, e) in enumerate(zip(bones.names, bones.entries))]
        self.placed: dict[tuple[int, int], Place] = {}  # (part, bone)
        self.first: dict[int, int] = {}  # bone -> the first part that was hung on it

    def put(self, part: int, bone: int) -> None:
        """Hang a part on the nearest part above it on the same bone, else on the bone or make it one with the bone."""
        above, name = self._above(part, bone), self.parts[part].name
        if above is None and bone != WORLD:
            merged = self.bones[bone].name == name and bone not in self.first
            self.first.setdefault(bone, part)
            if merged:
                self.placed[part, bone] = self.bones[bone]
                return
        place = self.placed[part, bone] = Place(name)
        siblings = self.roots if bone == WORLD else self.bones[bone].children
        (siblings if above is None else above.children).append(place)

    def show(self, piece: Piece) -> None:
        """Have a node show a piece: that of its part, else that of its bone."""
        bone = WORLD if piece.bone in self.still else piece.bone
        carrier = self.placed[piece.part, bone] if piece.part >= 0 else self.bones[bone]
        if carrier.piece is not None:  # the bone is a part that has faces; those without a part hang below
            carrier.children.append(Place(carrier.name))
            carrier = carrier.children[-1]
        carrier.piece = piece

    def hang(self, bone: int, parent: int) -> None:
        """Hang a bone on its parent; a root on the group that was above its first part, else on the one above all."""
        if parent >= 0 and parent not in self.still:
            self.bones[parent].children.append(self.bones[bone])
            return
        if bone in self.first:
            above = self._above(self.first[bone], WORLD)
        else:
            above = next((p for (_, b), p in self.placed.items() if b == WORLD), None) if len(self.roots) == 1 else None
        (self.roots if above is None else above.children).append(self.bones[bone])

    def _above(self, part: int, bone: int) -> Place | None:
        above = self.parts[part].parent
        while above >= 0 and (above, bone) not in self.placed:
            above = self.parts[above].parent
        return self.placed[above, bone] if above >= 0 else None


def _homes(parts: Sequence[Part], pieces: Sequence[Piece], bones: Bones, left_out: Collection[int]) -> list[set[int]]:
    """The bones each part is carried by: those of its faces; of a group the bone of its name, else the one
    of all below it, else that of the part above it. Empty where there is none of these."""
    home: list[set[int]] = [set() for _ in parts]
    for piece in pieces:
        if piece.part >= 0:
            home[piece.part].add(WORLD if piece.bone in bones.still else piece.bone)
    taken = {b for carriers in home for b in carriers}
    named: dict[str, list[int]] = {}
    for bone, name in enumerate(bones.names):
        if bone not in bones.still:
            named.setdefault(name, []).append(bone)
    order = _parents_first(parts)
    for part in order:
        free = [b for b in named.get(parts[part].name, []) if b not in taken]
        if not home[part] and free and part not in left_out:
            home[part] = {free[0]}
            taken.add(free[0])
    below = [set(carriers) for carriers in home]
    for part in reversed(order):
        if not home[part] and len(below[part]) == 1:
            home[part] = set(below[part])
        if parts[part].parent >= 0:
            below[parts[part].parent] |= below[part]
    for part in order:
        above = parts[part].parent
        if not home[part] and above >= 0 and len(home[above]) == 1:
            home[part] = set(home[above])
    return home


def check_parts(parts: Sequence[Part]) -> None:
    """Parts must be a forest, or the file would have a loop."""
    if len(_parents_first(parts)) != len(parts):
        raise OutputError("the parts of the mesh hang on each other in a circle", "give each part a parent above it")


def _parents_first(parts: Sequence[Part]) -> list[int]:
    children: dict[int, list[int]] = {}
    for index, part in enumerate(parts):
        children.setdefault(part.parent if 0 <= part.parent < len(parts) else -1, []).append(index)
    order = list(children.get(-1, []))
    for index in order:
        order += children.get(index, [])
    return order


def span(places: Sequence[Place]) -> list[Piece]:
    """The pieces in the order in which readers meet them."""
    return [place.piece for place, _ in walk(places) if place.piece is not None]


def faces_span_bones(faces: Indices, vertex_bone: Indices) -> bool:
    """Whether a face has corners on different bones, so that no node could carry it."""
    bones = vertex_bone[faces]
    return bool(np.any(bones != bones[:, :1]))
