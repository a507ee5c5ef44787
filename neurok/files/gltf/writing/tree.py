"""The node tree to be written, while only parts matter: one node for each, as the mesh has them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from neurok.files.gltf.writing.builder import JsonObject
from neurok.files.gltf.writing.pieces import GltfPiece
from neurok.files.part_tree import order_parents_first
from neurok.geometry.mesh import Part


@dataclass
class PlannedNode:
    """A node to be written: its name, its own fields, the piece it shows, the bone it is, and its children."""

    name: str
    piece: GltfPiece | None = None
    bone: int = -1  # the bone this node is
    entry: JsonObject = field(default_factory=dict)
    children: list["PlannedNode"] = field(default_factory=list)


def walk_nodes(places: Sequence[PlannedNode]) -> Iterator[tuple[PlannedNode, PlannedNode | None]]:
    """Every planned node with its parent, depth first, which is the order in which readers meet them."""
    stack: list[tuple[PlannedNode, PlannedNode | None]] = [(p, None) for p in reversed(places)]
    while stack:
        place, above = stack.pop()
        yield place, above
        stack.extend((child, place) for child in reversed(place.children))


def list_pieces(places: Sequence[PlannedNode]) -> list[GltfPiece]:
    """The pieces in the order in which readers meet them."""
    return [place.piece for place, _ in walk_nodes(places) if place.piece is not None]


def plan_part_nodes(parts: Sequence[Part], pieces: Sequence[GltfPiece], rest_name: str) -> list[PlannedNode]:
    """The tree of the parts as it stands; faces without a part get a node called rest_name."""
    order_parents_first(parts)  # or there is no tree to be written
    places = [PlannedNode(part.name) for part in parts]
    loose = []
    for piece in pieces:
        if piece.part >= 0:
            places[piece.part].piece = piece
        else:
            loose.append(PlannedNode(rest_name, piece))
    for part, place in zip(parts, places):
        if part.parent >= 0:
            places[part.parent].children.append(place)
    return [place for part, place in zip(parts, places) if part.parent < 0] + loose
