"""neurok in Blender: find the parts and joints of a mesh, simulate them to key frames, drag them.

Blender's own Python has no torch, so the work is done by the `neurok` command in a process of its own; the two
exchange a GLB and JSON through a temporary folder. The modules `glb`, `axes`, `answers`, `command_lines` and `process`
know nothing of Blender.
"""

import bpy

from .find_parts import FindParts
from .handles import AddHandle, Drag
from .panel import Panel
from .preferences import CheckCommand, Preferences
from .settings import Settings
from .simulate import Simulate

CLASSES = (Preferences, CheckCommand, Settings, FindParts, Simulate, AddHandle, Drag, Panel)


def register() -> None:
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.Scene.neurok = bpy.props.PointerProperty(type=Settings)


def unregister() -> None:
    del bpy.types.Scene.neurok
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
