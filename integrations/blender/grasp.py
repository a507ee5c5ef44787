"""Where a hand takes hold: the part under a place, and the point of it at rest."""

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from .process import Fault
from .rig import list_meshes


@dataclass(frozen=True)
class Grasp:
    """A point of a part at rest, world axes, [3], and the bone that carries it, '' where there are none."""

    point: NDArray[np.float64]
    bone: str = ""


def grasp_rig(context: bpy.types.Context, rig: bpy.types.Object, place: Vector, bone: str = "") -> Grasp:
    """The point of a rigged object's present surface that is nearest to a place in the world.

    bone: to take the part of that bone, whichever is nearer.
    """
    graph = context.evaluated_depsgraph_get()
    near, carrier = min(
        (_find_nearest(thing.evaluated_get(graph), place, bone, rig) for thing in list_meshes(rig)),
        key=lambda found: (found[0] - place).length,
        default=(place, ""),
    )
    if not carrier:
        raise Fault(f"no part of {rig.name} is near the 3D cursor; put the cursor onto one.")
    pose = rig.pose.bones[carrier]
    back = rig.matrix_world @ pose.bone.matrix_local @ pose.matrix.inverted() @ rig.matrix_world.inverted()
    return Grasp(np.array(back @ near, dtype=np.float64), carrier)


def grasp_mesh(context: bpy.types.Context, thing: bpy.types.Object, place: Vector) -> Grasp:
    """The point of an object's surface that is nearest to a place in the world."""
    found, near, _, _ = thing.closest_point_on_mesh(thing.matrix_world.inverted() @ place)
    if not found:
        raise Fault(f"no part of {thing.name} is near the 3D cursor; put the cursor onto one.")
    return Grasp(np.array(thing.matrix_world @ near, dtype=np.float64))


def _find_nearest(thing: bpy.types.Object, place: Vector, bone: str, rig: bpy.types.Object) -> tuple[Vector, str]:
    """The nearest point of an evaluated object, world, and the bone that carries it; infinitely far where none is."""
    far = Vector((float("inf"),) * 3)
    inside = thing.matrix_world.inverted() @ place
    faces = [face for face in thing.data.polygons if not bone or find_bone(thing, face, rig) == bone]
    if not faces:
        return far, ""
    if not bone:
        found, near, _, index = thing.closest_point_on_mesh(inside)
        return (thing.matrix_world @ near, find_bone(thing, thing.data.polygons[index], rig)) if found else (far, "")
    near = nearest_of(thing, [list(face.vertices) for face in faces], inside)
    return thing.matrix_world @ near, bone


def nearest_of(thing: bpy.types.Object, faces: Sequence[Sequence[int]], place: Vector) -> Vector:
    """The nearest point of some faces of an object, in its own axes."""
    from mathutils.bvhtree import BVHTree

    near: Vector = BVHTree.FromPolygons([v.co for v in thing.data.vertices], faces).find_nearest(place)[0]
    return near


def find_bone(thing: bpy.types.Object, face: bpy.types.MeshPolygon, rig: bpy.types.Object) -> str:
    """The bone that a face follows most, '' where it follows none."""
    entries = thing.data.vertices[face.vertices[0]].groups
    named = [(entry.weight, thing.vertex_groups[entry.group].name) for entry in entries]
    return max((pair for pair in named if pair[1] in rig.data.bones), default=(0.0, ""))[1]
