"""The operator that finds the parts and joints of meshes and rigs them."""

from pathlib import Path

import bpy
import numpy as np

from .answers import FoundLinks, read_links
from .axes import Axes
from .command_lines import LINKS, build_find
from .exchange import write_meshes
from .process import Fault
from .rig import choose_bone_names, find_rig, make_rig
from .running import Running
from .splitting import label_faces, split_mesh
from .surface import Surface

MODIFIER = "neurok"


class FindParts(Running):
    """Find which parts of the selected meshes move and how, and give them an armature with these joints"""

    bl_idname = "neurok.find_parts"
    bl_label = "Find Parts and Joints"
    bl_options = {"REGISTER", "UNDO"}
    words = "finding parts and joints"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        cls.poll_message_set("Select a mesh in object mode")
        return context.mode == "OBJECT" and bool(list_selected(context))

    def prepare(self, context: bpy.types.Context, folder: Path, command: str) -> list[str]:
        things = list_selected(context)
        rigged = next((thing.name for thing in things if find_rig(thing) is not None), None)
        if rigged is not None:
            raise Fault(f"{rigged} has its joints already; undo, or select another object.")
        for thing in things:
            if any(modifier.show_viewport for modifier in thing.modifiers):
                self.report({"WARNING"}, f"the modifiers of {thing.name} are left aside; apply them to have them seen.")
        self._axes = Axes(np.eye(4), context.scene.unit_settings.scale_length)
        self._surfaces = write_meshes(things, self._axes, folder)
        self._name = (context.active_object if context.active_object in things else things[0]).name
        return build_find(command)

    def take_in(self, context: bpy.types.Context, folder: Path) -> str:
        found = read_links(folder / LINKS)
        if not any(joint.kind != "fixed" for joint in found.joints):
            raise Fault(f"nothing of {self._name} was found to move; split it into the parts that do, and try again.")
        taken = {group.name for surface in self._surfaces for group in surface.thing.vertex_groups}
        bones = choose_bone_names(found.names, taken)
        mixed = self._split(found, list(bones.values()))
        if mixed:
            self.report({"WARNING"}, f"{mixed} faces lie in several parts; triangulate them for cleaner borders.")
        rig = self._rig(context, found, bones)
        names = [joint.name for joint in found.joints if joint.kind != "fixed"]
        return f"{rig.name}: {len(found.names)} parts, {len(names)} joints ({', '.join(names[:6])})."

    def _split(self, found: FoundLinks, groups: list[str]) -> int:
        """Split every object into its links; how many faces lie in several."""
        counts = [len(surface.triangles) for surface in self._surfaces]
        links = np.split(found.label_triangles(sum(counts)), np.cumsum(counts)[:-1])
        mixed = 0
        for surface, link in zip(self._surfaces, links):
            label, several = label_faces(link, surface.face, len(surface.thing.data.polygons))
            split_mesh(surface.thing, label, groups)
            mixed += several
        return mixed

    def _rig(self, context: bpy.types.Context, found: FoundLinks, bones: dict[str, str]) -> bpy.types.Object:
        first = self._surfaces[0].thing
        points = self._axes.read_points(np.concatenate([surface.vertices for surface in self._surfaces]))
        bounds = np.stack([points.min(axis=0), points.max(axis=0)])
        rig = make_rig(f"{self._name} rig", found, bones, bounds, self._axes, first.users_collection[0])
        for surface in self._surfaces:
            attach_mesh(surface, rig)
        return rig


def attach_mesh(surface: Surface, rig: bpy.types.Object) -> None:
    """Have an armature deform an object, before all other modifiers, and carry it where nothing else does."""
    thing = surface.thing
    modifier = thing.modifiers.new(MODIFIER, "ARMATURE")
    modifier.object = rig
    thing.modifiers.move(len(thing.modifiers) - 1, 0)
    if thing.parent is None:
        thing.parent = rig
        thing.matrix_parent_inverse = rig.matrix_world.inverted()


def list_selected(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected meshes, the active one first."""
    things = [thing for thing in context.selected_objects if thing.type == "MESH"]
    return sorted(things, key=lambda thing: (thing != context.active_object, thing.name))
