"""The node tree to be written: parts below parts, or below the bones that carry them."""

from collections.abc import Iterator, Sequence
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
    is_part: bool = False  # whether a bone stands for a part of its name as well
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


def skinned_places(parts: Sequence[Part], pieces: Sequence[Piece], rest_name: str, bones: Sequence[str]) -> list[Place]:
    """Parts that a skin moves, side by side: glTF wants them at the root, as their parents do not move them.

    Groups without faces keep their tree, except those that are there for the bones.
    """
    check_parts(parts)
    named = set(bones)
    skip = {piece.part for piece in pieces} | {i for i, part in enumerate(parts) if part.name in named}
    kept: dict[int, Place] = {}
    roots = []
    for index in _parents_first(parts):
        if index in skip:
            continue
        kept[index] = Place(parts[index].name)
        above = parts[index].parent
        while above >= 0 and above not in kept:
            above = parts[above].parent
        (kept[above].children if above >= 0 else roots).append(kept[index])
    return roots + [Place(parts[p.part].name if p.part >= 0 else rest_name, p) for p in pieces]


def bone_places(
    parts: Sequence[Part], pieces: Sequence[Piece], names: Sequence[str], parents: Indices, entries: Sequence[dict]
) -> list[Place]:
    """The tree of the bones, and below each bone the parts it carries.

    A bone and the topmost part on it are one node where they have the same name. A part whose faces
    follow several bones is shown by a node of its name below each. Groups that span bones stay above
    them where they hold everything, else beside them.
    """
    check_parts(parts)
    bones = [Place(name, bone=b, entry=dict(entry)) for b, (name, entry) in enumerate(zip(names, entries))]
    home = _homes(parts, pieces, names)
    roots: list[Place] = []
    top = roots
    order = _parents_first(parts)
    lifted = set()
    level = [p for p in order if parts[p].parent < 0]
    while len(level) == 1 and home[level[0]] == set():
        place = Place(parts[level[0]].name)
        top.append(place)
        top, lifted = place.children, lifted | {level[0]}
        level = [p for p in order if parts[p].parent == level[0]]
    placed: dict[tuple[int, int], Place] = {}
    for part in order:
        if part not in lifted:
            for bone in sorted(home[part]) or [-1]:
                _put(part, bone, parts, bones, placed, top)
    for piece in pieces:
        carrier = placed[piece.part, piece.bone] if piece.part >= 0 else bones[piece.bone]
        if carrier.piece is not None:  # the bone is a part that has faces; those without a part hang below
            carrier.children.append(Place(carrier.name))
            carrier = carrier.children[-1]
        carrier.piece = piece
    for bone, parent in zip(bones, parents):
        (bones[parent].children if parent >= 0 else top).append(bone)
    return roots


def _put(
    part: int,
    bone: int,
    parts: Sequence[Part],
    bones: list[Place],
    placed: dict[tuple[int, int], Place],
    top: list[Place],
) -> None:
    """Hang a part on the nearest part above it on the same bone, else on the bone (or make it one with the bone)."""
    above = parts[part].parent
    while above >= 0 and (above, bone) not in placed:
        above = parts[above].parent
    name = parts[part].name
    if above < 0 and bone >= 0 and bones[bone].name == name and not bones[bone].is_part:
        bones[bone].is_part = True
        placed[part, bone] = bones[bone]
        return
    placed[part, bone] = Place(name)
    siblings = placed[above, bone].children if above >= 0 else bones[bone].children if bone >= 0 else top
    siblings.append(placed[part, bone])


def _homes(parts: Sequence[Part], pieces: Sequence[Piece], names: Sequence[str]) -> list[set[int]]:
    """The bones each part is carried by: those of its faces; of a group, the bone of its name or that of all below."""
    home: list[set[int]] = [set() for _ in parts]
    for piece in pieces:
        if piece.part >= 0:
            home[piece.part].add(piece.bone)
    taken = {names[b] for bones in home for b in bones}
    free: dict[str, int] = {}
    for bone, name in reversed(list(enumerate(names))):
        free[name] = bone
    below: list[set[int]] = [set(h) for h in home]
    for part in reversed(_parents_first(parts)):
        if not home[part]:
            name = parts[part].name
            if name in free and name not in taken:
                home[part] = {free.pop(name)}
            elif len(below[part]) == 1:
                home[part] = set(below[part])
        if parts[part].parent >= 0:
            below[parts[part].parent] |= below[part] | home[part]
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
