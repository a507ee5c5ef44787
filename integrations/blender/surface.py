"""The surfaces of Blender's objects as neurok gets them, and which triangle came of which face."""

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from .axes import Axes
from .glb import Material, Piece


@dataclass(frozen=True)
class Surface:
    """The triangles of one object in the order in which they are written.

    vertices: in the axes of the file [m], [n, 3]. triangles [k, 3]; face: of Blender's, [k]; material: slot, [k].
    """

    thing: bpy.types.Object
    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    face: NDArray[np.int64]
    material: NDArray[np.int64]


def read_surface(thing: bpy.types.Object, axes: Axes) -> Surface:
    """The mesh of an object as it is stored, without modifiers; triangles of one material come together."""
    mesh = thing.data
    local = read_column(mesh.vertices, "co", 3)
    T = np.array(thing.matrix_world)
    mesh.calc_loop_triangles()
    triangles = read_column(mesh.loop_triangles, "vertices", 3, np.int32).astype(np.int64)
    face = read_column(mesh.loop_triangles, "polygon_index", 1, np.int32)[:, 0].astype(np.int64)
    material = read_column(mesh.polygons, "material_index", 1, np.int32)[:, 0].astype(np.int64)[face]
    order = np.argsort(material, kind="stable")
    if np.linalg.det(T[:3, :3]) < 0:  # a mirrored object: its faces look outwards in the file too
        triangles = triangles[:, [0, 2, 1]]
    world = local @ T[:3, :3].T + T[:3, 3]
    return Surface(thing, axes.write_points(world), triangles[order], face[order], material[order])


def read_column(rows: bpy.types.bpy_prop_collection, name: str, width: int, kind: type = np.float32) -> NDArray:
    """One attribute of a collection, [rows, width]."""
    values: NDArray = np.empty(width * len(rows), dtype=kind)
    rows.foreach_get(name, values)
    return values.reshape(-1, width).astype(np.float64) if kind is np.float32 else values.reshape(-1, width)


def list_materials(surfaces: Sequence[Surface]) -> tuple[list[Material], list[NDArray[np.int64]]]:
    """All materials of some objects, and for each object the number of each of its slots, -1 for empty ones."""
    numbers: dict[str, int] = {}
    found: list[Material] = []
    slots = []
    for surface in surfaces:
        mine = [-1] * max(1, len(surface.thing.material_slots))
        for slot, entry in enumerate(surface.thing.material_slots):
            if entry.material is None:
                continue
            if entry.material.name not in numbers:
                numbers[entry.material.name] = len(found)
                found.append(Material(entry.material.name, read_colour(entry.material)))
            mine[slot] = numbers[entry.material.name]
        slots.append(np.array(mine))
    return found, slots


def read_colour(material: bpy.types.Material) -> tuple[float, float, float, float]:
    """The base colour of a material's Principled shader, else its colour in the viewport."""
    nodes = material.node_tree.nodes if material.use_nodes and material.node_tree else ()
    shader = next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)
    r, g, b, a = shader.inputs["Base Color"].default_value if shader else material.diffuse_color
    return min(max(r, 0.0), 1.0), min(max(g, 0.0), 1.0), min(max(b, 0.0), 1.0), min(max(a, 0.0), 1.0)


def build_piece(surface: Surface, slots: NDArray[np.int64]) -> Piece:
    """An object as one node, its vertices as they are."""
    number = slots[np.clip(surface.material, 0, len(slots) - 1)]
    # By runs and not by materials: so the triangles keep their order, which neurok's answer counts.
    ends = np.flatnonzero(np.diff(number)) + 1
    rows = np.split(surface.triangles, ends)
    kinds = number[np.concatenate([[0], ends])] if len(number) else []
    return Piece(surface.thing.name, surface.vertices, tuple((int(kind), run) for kind, run in zip(kinds, rows)))
