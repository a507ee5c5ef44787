"""Parts: the pieces of a mesh that may move against each other, as a label of every face."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh, Part

NUMBER = re.compile(r"_\d+$")  # what makes a name unique
MAX_NAMED_PARTS = 512  # of a file, that are taken for parts; to try the motions of more would take many minutes


@dataclass(frozen=True)
class Parts:
    """The part of each face, [m], and the parts' names; every part has a face."""

    face: Indices
    names: tuple[str, ...]

    @property
    def count(self) -> int:
        return len(self.names)


def name_parts(labels: Indices, names: Sequence[str]) -> Parts:
    """Labels renumbered without gaps, names made different."""
    used, face = np.unique(labels, return_inverse=True)
    chosen: dict[str, None] = {}  # in their order
    for number in used:
        name = names[number] or f"part_{number}"
        name = name if name not in chosen else f"{name}_{number}"
        while name in chosen:
            name += "_"
        chosen[name] = None
    return Parts(face.reshape(-1), tuple(chosen))


def order_parts(parts: Sequence[Part]) -> list[int]:
    """The indices of the parts, each after the one above it."""
    order: list[int] = []
    placed = np.zeros(len(parts), dtype=bool)
    for index in range(len(parts)):
        chain = []
        while index >= 0 and not placed[index]:
            placed[index] = True
            chain.append(index)
            index = parts[index].parent
        order += reversed(chain)
    return order


def read_parts(mesh: Mesh) -> Parts | None:
    """The named pieces of the file (glTF nodes, OBJ groups, USD prims); None where no face has one."""
    piece = mesh.face_part
    if not len(mesh.parts) or piece is None or np.all(piece < 0):
        return None
    coats = find_coats(mesh)
    whole = [p.parent if i in coats else i for i, p in enumerate(mesh.parts)]
    labels = np.where(piece < 0, len(mesh.parts), np.array([*whole, len(mesh.parts)])[piece])
    return name_parts(labels, [*(part.name for part in mesh.parts), "rest"])


def find_coats(mesh: Mesh) -> set[int]:
    """The pieces of a mesh that are no parts of their own.

    A node with several materials comes as a piece for each, named after it, and numbered by writers that want every
    name once (wood, wood_2).
    """
    materials = {material.name for material in mesh.materials if material.name}
    names = {part.name for part in mesh.parts} & materials
    plain = [part.name if part.name in materials else NUMBER.sub("", part.name) for part in mesh.parts]
    return {i for i, part in enumerate(mesh.parts) if part.parent >= 0 and plain[i] in names}


def find_pieces(mesh: Mesh) -> Indices:
    """The named piece of each face one level below its link, [m]; -1 where there is none."""
    level = np.full(len(mesh.parts) + 1, -1)
    for index in order_parts(mesh.parts):
        above = mesh.parts[index].parent
        if above >= 0:
            level[index] = index if mesh.parts[above].parent < 0 else level[above]
    return level[mesh.face_part]


def read_piece_parts(articulation: Articulation) -> Parts:
    """Every named piece of every link a part, those of one name together; a link without named pieces is one part."""
    mesh = articulation.mesh
    piece = find_pieces(mesh)
    link = np.asarray(articulation.vertex_link)[mesh.faces[:, 0]]
    pieces = [mesh.parts[index].name if index >= 0 else "" for index in (*range(len(mesh.parts)), -1)]
    names = [pieces[index] or articulation.links[at].name for index, at in zip(piece, link)]
    order = {name: label for label, name in enumerate(dict.fromkeys(names))}
    return name_parts(np.array([order[name] for name in names]), list(order))
