"""A colour for each link of an object that has none, different from those around it."""

from dataclasses import replace

import numpy as np

from neurok.files.bodies import split_links
from neurok.geometry.arrays import Mask, sum_by_label
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Material, Mesh
from neurok.geometry.triangles import area_vectors

# The base is the first; the others, from Okabe and Ito's palette that the colour-blind can tell apart, in the order in
# which they differ most.
PALETTE = ("b8b8b0", "e69f00", "0072b2", "009e73", "cc79a7", "56b4e9", "d55e00", "f0e442")


def paint_links(articulation: Articulation) -> Articulation:
    """The articulation with a material per link where its mesh has neither materials nor colours."""
    mesh = articulation.mesh
    colored = any("color" in table for table in (mesh.attributes, mesh.corner_attributes, mesh.face_attributes))
    if colored or np.any(mesh.face_material >= 0):
        return articulation
    a, b, c = np.asarray(articulation.vertex_link)[mesh.faces].T
    materials = tuple(
        Material(link.name, make_color(PALETTE[shade]), roughness=0.7, double_sided=True)
        for link, shade in zip(articulation.links, choose_shades(articulation))
    )
    return replace(articulation, mesh=replace(mesh, materials=materials, face_material=np.where(b == c, b, a)))


def make_color(digits: str) -> tuple[float, float, float, float]:
    """Six hexadecimal digits as red, green, blue and alpha in 0 to 1."""
    red, green, blue = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
    return red, green, blue, 1.0


def choose_shades(articulation: Articulation) -> list[int]:
    """An index of the palette for each link: the first for roots; of the others, the least used by neighbours, then by
    all. Neighbours are links whose boxes come within a per cent of the diagonal of each other."""
    boxes = [mesh.bounds if mesh.face_count else None for mesh in split_links(articulation)]
    reach = 0.01 * articulation.mesh.diagonal
    shades: list[int] = []
    for link, box in enumerate(boxes):
        if articulation.parent_joint[link] < 0:
            shades.append(0)
            continue
        near = [
            shades[other] for other, there in enumerate(boxes[:link])
            if box is not None and there is not None
            and np.all(box[0] <= there[1] + reach) and np.all(there[0] <= box[1] + reach)
        ]  # fmt: skip
        shades.append(min(range(1, len(PALETTE)), key=lambda shade: (near.count(shade), shades.count(shade), shade)))
    return shades


def is_painted(mesh: Mesh) -> bool:
    """Whether the materials of a mesh are those of `paint_links`: plain ones in colours of the palette."""
    known = np.array([make_color(digits)[:3] for digits in PALETTE])
    return bool(mesh.materials) and not any(
        material.textures or np.abs(known - material.base_color[:3]).max(axis=1).min() > 0.01
        for material in mesh.materials
    )


def find_color(mesh: Mesh, vertices: Mask) -> tuple[float, float, float, float]:
    """The colour that most of the surface between some vertices [n] has, in a mesh that is painted."""
    inside = np.flatnonzero(vertices[mesh.faces].all(axis=1))
    area = np.linalg.norm(area_vectors(mesh.vertices, mesh.faces[inside]), axis=1)
    share = sum_by_label(np.maximum(mesh.face_material[inside], 0), area, len(mesh.materials))
    return mesh.materials[int(np.argmax(share))].base_color
