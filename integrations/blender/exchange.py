"""What goes into the folder before neurok runs: meshes as they are, or a rig as its links and joints."""

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

from .answers import FoundJoint, write_links
from .axes import Axes
from .command_lines import JOINTS, MESH
from .glb import Piece, write_glb
from .process import Fault
from .rig import list_meshes, read_joints
from .surface import Surface, build_piece, list_materials, read_surface

MIN_RANGE = 1e-9  # rad or m: a joint that moves less has no coordinate


def write_meshes(things: Sequence[bpy.types.Object], axes: Axes, folder: Path) -> list[Surface]:
    """Write objects as nodes of one file."""
    surfaces = [read_surface(thing, axes) for thing in things]
    empty = next((surface.thing.name for surface in surfaces if not len(surface.triangles)), None)
    if empty is not None:
        raise Fault(f"{empty} has no faces; select a mesh that has.")
    materials, slots = list_materials(surfaces)
    write_glb(folder / MESH, [build_piece(*pair) for pair in zip(surfaces, slots)], materials)
    return surfaces


def write_rig(rig: bpy.types.Object, axes: Axes, folder: Path) -> tuple[FoundJoint, ...]:
    """Write what an armature deforms, a node for each bone, at rest, and its joints; gives the joints."""
    joints = read_joints(rig)
    if not joints:
        raise Fault(f"{rig.name} has no joints; find parts and joints of another object.")
    surfaces = [read_surface(thing, axes) for thing in list_meshes(rig)]
    if not surfaces:
        raise Fault(f"{rig.name} deforms no mesh; select an armature that does.")
    materials, slots = list_materials(surfaces)
    bones = [bone.name for bone in rig.data.bones]
    pieces = _build_links(surfaces, slots, bones)
    write_glb(folder / MESH, pieces, materials)
    shown = tuple(piece.name for piece in pieces if piece.triangle_count)
    bare = [joint.child for joint in joints if joint.child not in shown]
    if bare:
        raise Fault(f"the bone {bare[0]} moves no faces; give some to its vertex group, or remove the bone.")
    write_links(folder / JOINTS, shown, joints)
    return joints


def _build_links(surfaces: Sequence[Surface], slots: Sequence[NDArray[np.int64]], bones: Sequence[str]) -> list[Piece]:
    """The triangles of each bone as one piece, of whatever objects they are."""
    vertices = np.concatenate([surface.vertices for surface in surfaces])
    starts = np.cumsum([0, *(len(surface.vertices) for surface in surfaces)])
    triangles = np.concatenate([surface.triangles + start for surface, start in zip(surfaces, starts)])
    material = np.concatenate([s[np.clip(surface.material, 0, len(s) - 1)] for surface, s in zip(surfaces, slots)])
    leader = np.concatenate([find_leaders(surface.thing, bones) for surface in surfaces])[triangles[:, 0]]
    pieces = []
    for number, name in enumerate(bones):
        used, inverse = np.unique(triangles[leader == number], return_inverse=True)
        rows, kinds = inverse.reshape(-1, 3), material[leader == number]
        groups = tuple((int(kind), rows[kinds == kind]) for kind in np.unique(kinds))
        pieces.append(Piece(name, vertices[used], groups))
    return pieces


def find_leaders(thing: bpy.types.Object, bones: Sequence[str]) -> NDArray[np.int64]:
    """The bone that each vertex of an object follows most, [n]; the first one where it follows none."""
    number = {name: index for index, name in enumerate(bones)}
    bone = {group.index: number[group.name] for group in thing.vertex_groups if group.name in number}
    found = np.zeros(len(thing.data.vertices), dtype=np.int64)
    for index, vertex in enumerate(thing.data.vertices):
        weights = [(entry.weight, bone[entry.group]) for entry in vertex.groups if entry.group in bone]
        if weights:
            found[index] = max(weights, key=lambda pair: pair[0])[1]
    return found


def list_coordinates(joints: Sequence[FoundJoint]) -> list[FoundJoint]:
    """The joints that have a coordinate of their own, in the order of neurok's states."""
    return [joint for joint in joints if joint.kind != "fixed" and joint.follow is None and _has_range(joint)]


def _has_range(joint: FoundJoint) -> bool:
    lower, upper = min(joint.limits[0], 0.0), max(joint.limits[1], 0.0)
    return joint.kind == "continuous" or upper - lower > 2 * MIN_RANGE


def clamp_coordinate(joint: FoundJoint, value: float) -> float:
    """A value within the joint's limits, which neurok widens to hold rest."""
    lower, upper = min(joint.limits[0], 0.0), max(joint.limits[1], 0.0)
    return value if joint.kind == "continuous" else min(max(value, lower), upper)
