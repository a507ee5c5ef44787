"""What the panel lets one choose, kept with the scene; the operators have the same properties."""

import bpy

SIMULATION = {
    "seconds": bpy.props.FloatProperty(name="Seconds", default=2.0, min=0.05, max=60.0, subtype="TIME_ABSOLUTE"),
    "fps": bpy.props.FloatProperty(
        name="Frames a second", default=0.0, min=0.0, max=240.0, description="0: as the scene has it"
    ),
    "gravity": bpy.props.FloatVectorProperty(
        name="Gravity", default=(0.0, 0.0, -9.81), subtype="ACCELERATION", description="In the axes of the world, m/s²"
    ),
    "ground": bpy.props.BoolProperty(name="Ground", default=False, description="A floor just below the object"),
    "action": bpy.props.EnumProperty(
        name="Hand",
        items=(
            ("NONE", "None", "Nothing but gravity acts"),
            ("PULL", "Pull", "The point under the 3D cursor is moved by the vector, in Blender's unit, then let go"),
            ("PUSH", "Push", "The vector is a force on the point under the 3D cursor, in newtons, for a moment"),
        ),
    ),
    "vector": bpy.props.FloatVectorProperty(name="Vector", default=(0.0, 0.0, 0.2), description="In the world's axes"),
    "material": bpy.props.StringProperty(name="Material", description="Of the whole, as oak or rubber; empty: guessed"),
    "from_pose": bpy.props.BoolProperty(
        name="Begin as posed", default=True, description="Begin where the bones are now, else at rest"
    ),
}


class Settings(bpy.types.PropertyGroup):
    """The choices of the panel."""

    __annotations__ = dict(SIMULATION)
