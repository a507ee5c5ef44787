"""Where blocks stand in the tree of prims, and how the file's own order is kept.

Three layouts: the tree of parts as the file had it; blocks below the links
that carry them; one mesh with subsets where parts share vertices. In the
latter two the tree of parts is kept as a table on the root.
"""

import numpy as np
from pxr import Sdf, Usd, UsdGeom, Vt

from neurok.files.part_tree import order_parents_first
from neurok.files.usd.blocks import MIXED_PARTS, UsdBlock
from neurok.files.usd.names import make_identifier
from neurok.files.usd.surface import UsdSurface, set_points, to_ints, write_surface
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh

RESERVED_NAMES = {"Materials", "Skeleton", "Joints", "PhysicsScene"}  # names below the root that are ours

Placed = list[tuple[UsdGeom.Mesh, UsdBlock]]


def place_by_parts(surface: UsdSurface, root: Usd.Prim, blocks: list[UsdBlock]) -> Placed:
    """Blocks as the leaves of the part tree, below the root."""
    if any(block.part == MIXED_PARTS for block in blocks):
        write_part_table(root, surface.mesh)
        return [(write_surface(surface, make_child_path(root, "mesh"), block), block) for block in blocks]
    mesh = surface.mesh
    by_part = {block.part: block for block in blocks}
    parents = {part.parent for part in mesh.parts}
    taken: dict[str, set[str]] = {str(root.GetPath()): set(RESERVED_NAMES)}
    paths: dict[int, str] = {-1: str(root.GetPath())}
    placed: Placed = []
    for k in order_parents_first(mesh.parts):
        part = mesh.parts[k]
        above = paths[part.parent]
        paths[k] = f"{above}/{make_identifier(part.name, taken.setdefault(above, set()))}"
        if k in by_part and k not in parents:
            prim = write_surface(surface, paths[k], by_part[k])
            placed.append((prim, by_part[k]))
        else:
            prim = UsdGeom.Xform.Define(surface.stage, paths[k])
        prim.GetPrim().SetDisplayName(part.name)
        prim.GetPrim().SetCustomDataByKey("neurok:part", k)
    for k, block in by_part.items():
        if k < 0 or k in parents:  # the faces of a part that has parts of its own
            above = paths[k]
            prim = write_surface(surface, f"{above}/{make_identifier('mesh', taken.setdefault(above, set()))}", block)
            prim.GetPrim().SetCustomDataByKey("neurok:inner", True)
            placed.append((prim, block))
    return placed


def place_below(surface: UsdSurface, carrier: Usd.Prim, T_local: Array, blocks: list[UsdBlock]) -> Placed:
    """Blocks below the prim that carries them; T_local [4, 4] takes the mesh's axes to the carrier's.

    The table of parts must be on the root: the prims' own tree is that of the carriers.
    """
    placed: Placed = []
    for block in blocks:
        name = surface.mesh.parts[block.part].name if block.part >= 0 else "mesh"
        prim = write_surface(surface, make_child_path(carrier, name), block, T_local)
        set_points(prim, surface.mesh.vertices[block.vertices] @ T_local[:3, :3].T + T_local[:3, 3])
        prim.GetPrim().SetDisplayName(name)
        prim.GetPrim().SetCustomDataByKey("neurok:part", block.part)
        placed.append((prim, block))
    return placed


def write_part_table(root: Usd.Prim, mesh: Mesh) -> None:
    """The names and parents of all parts as attributes of the root."""
    types = Sdf.ValueTypeNames
    root.CreateAttribute("neurok:partNames", types.StringArray, True).Set([part.name for part in mesh.parts])
    root.CreateAttribute("neurok:partParents", types.IntArray, True).Set(
        to_ints(np.array([p.parent for p in mesh.parts]))
    )


def write_order(stage: Usd.Stage, mesh: Mesh, placed: Placed) -> None:
    """Where reading the prims in turn would not give the file's order back, say on each prim which it holds.

    To be called last: what a variant says of a prim moves that prim to the front.
    """
    by_path = {prim.GetPath(): block for prim, block in placed}
    blocks = [by_path[prim.GetPath()] for prim in stage.Traverse() if prim.GetPath() in by_path]
    vertices = np.concatenate([block.vertices for block in blocks])
    faces = np.concatenate([block.faces for block in blocks])
    if np.array_equal(vertices, np.arange(len(vertices))) and np.array_equal(faces, np.arange(len(faces))):
        return
    for prim, block in placed:
        for key, values in (("neurok:vertices", block.vertices), ("neurok:faces", block.faces)):
            array: Vt.IntArray = to_ints(values)
            prim.GetPrim().CreateAttribute(key, Sdf.ValueTypeNames.IntArray, True).Set(array)


def make_child_path(prim: Usd.Prim, name: str) -> str:
    """The path of a new child with a valid form of that name."""
    taken = {child.GetName() for child in prim.GetAllChildren()} | RESERVED_NAMES
    return f"{prim.GetPath()}/{make_identifier(name, taken)}"
