"""Dragging: empties that hold points of parts, and the operator that brings the parts to them."""

from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from .answers import read_fitted, read_shapes
from .command_lines import REPORT, SHAPES, build_drag
from .exchange import write_meshes, write_rig
from .grasp import Grasp, grasp_mesh, grasp_rig
from .posing import list_path, pose_state
from .process import Fault
from .rig import find_rig
from .running import Running
from .shapes import show_shape
from .simulate import find_axes, is_movable

HELD, BONE, POINT = "neurok_held", "neurok_bone", "neurok_point"  # on an empty: whom, which part, where at rest
SIZE = 0.05  # of the diagonal of what is held


class AddHandle(bpy.types.Operator):
    """Add an empty that holds the point of the active object under the 3D cursor; move it, then Drag"""

    bl_idname = "neurok.add_handle"
    bl_label = "Add Drag Handle"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.mode in ("OBJECT", "POSE") and is_movable(context.active_object)

    def execute(self, context: bpy.types.Context) -> set[str]:
        thing = context.active_object
        holder = find_rig(thing) or thing
        try:
            grasp = take_hold(context, holder, context.scene.cursor.location)
        except Fault as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        empty = bpy.data.objects.new(f"{grasp.bone or holder.name} handle", None)
        empty.empty_display_type = "SPHERE"
        empty.empty_display_size = SIZE * max(Vector(thing.dimensions).length, 1e-6)
        empty.location = context.scene.cursor.location
        empty[HELD], empty[BONE] = holder, grasp.bone
        empty[POINT] = list(holder.matrix_world.inverted() @ Vector(grasp.point))
        thing.users_collection[0].objects.link(empty)
        self.report({"INFO"}, f"{empty.name} holds {grasp.bone or holder.name}: move it, then Drag.")
        return {"FINISHED"}


class Drag(Running):
    """Bring the parts to their drag handles; without handles, the part under the 3D cursor to the cursor"""

    bl_idname = "neurok.drag"
    bl_label = "Drag"
    bl_options = {"REGISTER", "UNDO"}
    words = "dragging"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.mode in ("OBJECT", "POSE") and find_held(context.active_object) is not None

    def prepare(self, context: bpy.types.Context, folder: Path, command: str) -> list[str]:
        self._held: bpy.types.Object = find_held(context.active_object)
        self._rig = find_rig(self._held)
        self._axes = find_axes(context, self._rig)
        wanted = list_wanted(context, self._held)
        self._bones = {grasp.bone for grasp, _ in wanted}
        pulls = [
            (
                tuple(self._axes.write_points(grasp.point[None])[0]),
                tuple(self._axes.write_vectors(np.array(target) - grasp.point, are_lengths=True)),
            )
            for grasp, target in wanted
        ]
        if self._rig is not None:
            write_rig(self._rig, self._axes, folder)
        else:
            (self._surface,) = write_meshes([self._held], self._axes, folder)
        return build_drag(command, pulls, with_joints=self._rig is not None)

    def take_in(self, context: bpy.types.Context, folder: Path) -> str:
        if self._rig is None:
            show_shape(self._surface, self._axes, read_shapes(folder / SHAPES)[1])
            return f"{self._held.name} is dragged."
        wanted = set().union(*(list_path(self._rig, bone) for bone in self._bones))
        pose_state(self._rig, read_fitted(folder / REPORT), wanted)
        return f"{', '.join(sorted(self._bones))} dragged."


def find_held(thing: bpy.types.Object | None) -> bpy.types.Object | None:
    """What an active object drags: an empty what it holds, a rig or a mesh itself."""
    if thing is None:
        return None
    if HELD in thing:
        held: bpy.types.Object | None = thing[HELD]
        return held
    return (find_rig(thing) or thing) if is_movable(thing) else None


def take_hold(context: bpy.types.Context, holder: bpy.types.Object, place: Vector, bone: str = "") -> Grasp:
    """The point of a rig or a mesh nearest to a place in the world."""
    if find_rig(holder) is None:
        return grasp_mesh(context, holder, place)
    return grasp_rig(context, holder, place, bone)


def list_wanted(context: bpy.types.Context, held: bpy.types.Object) -> list[tuple[Grasp, Vector]]:
    """The points that are held, world at rest, and where they are wanted in the world."""
    handles = [thing for thing in context.scene.objects if thing.get(HELD) == held and thing.visible_get()]
    if handles:
        rest = [held.matrix_world @ Vector(handle[POINT]) for handle in handles]
        return [
            (Grasp(np.array(point), handle[BONE]), handle.matrix_world.translation)
            for handle, point in zip(handles, rest)
        ]
    bone = context.active_pose_bone
    place = context.scene.cursor.location
    named = bone.name if bone is not None and bone.id_data == held and context.mode == "POSE" else ""
    return [(take_hold(context, held, place, named), place)]
