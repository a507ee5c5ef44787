"""The panel in the sidebar of the 3D view."""

import bpy

from .settings import SIMULATION


class Panel(bpy.types.Panel):
    """Find, simulate, drag"""

    bl_idname = "VIEW3D_PT_neurok"
    bl_label = "neurok"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "neurok"

    def draw(self, context: bpy.types.Context) -> None:
        layout, chosen = self.layout, context.scene.neurok
        layout.operator("neurok.find_parts", icon="ARMATURE_DATA")
        box = layout.box()
        for name in SIMULATION:
            if name != "vector" or chosen.action != "NONE":
                box.prop(chosen, name)
        box.operator("neurok.simulate", icon="PLAY")
        row = layout.row(align=True)
        row.operator("neurok.add_handle", icon="EMPTY_AXIS")
        row.operator("neurok.drag", icon="VIEW_PAN")
