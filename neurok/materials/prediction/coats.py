"""Coats: parts cut where their surface changes, for one name often covers several materials.

A file that names its pieces (OBJ groups, glTF nodes, visuals of a URDF) gives most of them one surface. Pieces of one
part with the same surface are one coat; a part whose pieces all look alike stays whole.
"""

from collections import Counter
from zlib import crc32

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.components import identical_rows, weld_map
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts
from neurok.geometry.triangles import area_vectors, face_areas

# Set by hand, never measured.
COLOR_STEPS = 12  # levels of a colour channel that count as different surfaces
MIN_COAT_SHARE = 3e-4  # of the object's area; smaller coats go with the largest of their part
WELD_TOLERANCE = 1e-6  # of the diagonal, within which the corners of twin faces agree


def find_outer_twins(mesh: Mesh) -> Mask:
    """One face of every set of coincident ones, [m]: the one that looks away from the middle of the mesh.

    Many files hold each face twice, once for either side, often with a different surface inside.
    """
    corner = weld_map(mesh.vertices, WELD_TOLERANCE * mesh.diagonal)
    group = identical_rows(np.sort(corner[mesh.faces], axis=1))
    centres = mesh.vertices[mesh.faces].mean(axis=1)
    outward = np.sum(area_vectors(mesh.vertices, mesh.faces) * (centres - mesh.vertices.mean(axis=0)), axis=1)
    order = np.lexsort((-outward, group))
    first = np.concatenate([[True], np.diff(group[order]) > 0]) if len(order) else np.zeros(0, dtype=bool)
    kept = np.zeros(mesh.face_count, dtype=bool)
    kept[order[first]] = True
    return kept


def split_coats(mesh: Mesh, parts: Parts) -> Parts:
    """The parts cut into coats, named part/0, part/1, ... in the order of the file where there are several."""
    outer = find_outer_twins(mesh)
    areas = face_areas(mesh.vertices, mesh.faces)
    surface = number_surfaces(mesh)
    # Every named piece of a part takes the surface that covers most of it.
    pieces = identical_rows(np.stack([parts.face, mesh.face_part], axis=1))
    coat = _find_main_surface(pieces, surface, np.where(outer, areas, 0.0))[pieces]
    labels = identical_rows(np.stack([parts.face, coat], axis=1))
    labels = _drop_specks(labels, parts.face, np.where(outer, areas, 0.0))
    return _name_coats(labels, parts)


def number_surfaces(mesh: Mesh) -> Indices:
    """A number for the look of every face, [m]: the same for materials of about one colour and one texture."""
    keys = [_describe_surface(mesh, index) for index in range(-1, len(mesh.materials))]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys])[mesh.face_material + 1]


def _describe_surface(mesh: Mesh, index: int) -> tuple[object, ...]:
    if index < 0:
        return ()
    material = mesh.materials[index]
    use = material.textures.get("base_color")
    texture = 0 if use is None else crc32(use.texture.image)
    return (*(round(COLOR_STEPS * channel) for channel in material.base_color), texture)


def _find_main_surface(pieces: Indices, surface: Indices, areas: Array) -> Indices:
    """The surface with the greatest area in each piece, [pieces]."""
    table = np.zeros((int(pieces.max()) + 1, int(surface.max()) + 1))
    np.add.at(table, (pieces, surface), areas + 1e-30)
    return np.argmax(table, axis=1)


def _drop_specks(labels: Indices, part: Indices, areas: Array) -> Indices:
    """Coats without area to speak of, given to the largest of their part, [m]."""
    size = np.bincount(labels, areas)
    owner = np.zeros(len(size), dtype=np.int64)
    owner[labels] = part
    largest = np.array([max(np.flatnonzero(owner == own), key=lambda k: size[k]) for own in range(part.max() + 1)])
    target = np.where(size < MIN_COAT_SHARE * size.sum(), largest[owner], np.arange(len(size)))
    return target[labels]


def _name_coats(labels: Indices, parts: Parts) -> Parts:
    """Coats numbered part after part, in the order in which they come in the file."""
    first = {label: int(np.argmax(labels == label)) for label in np.unique(labels)}
    order = sorted(first, key=lambda label: (parts.face[first[label]], first[label]))
    count = Counter(int(parts.face[first[label]]) for label in order)
    seen: Counter[int] = Counter()
    names, number = [], np.zeros(int(labels.max()) + 1, dtype=np.int64)
    for index, label in enumerate(order):
        own = int(parts.face[first[label]])
        names.append(parts.names[own] if count[own] == 1 else f"{parts.names[own]}/{seen[own]}")
        seen[own] += 1
        number[label] = index
    return Parts(number[labels], tuple(names))
