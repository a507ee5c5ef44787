"""Where the neurok command is."""

import subprocess

import bpy

from .process import Fault, find_command

PATIENCE_SECONDS = 60.0


class Preferences(bpy.types.AddonPreferences):
    """The preferences of the add-on."""

    bl_idname = __package__
    # As a dictionary and not as annotations, which are types, and these are none.
    __annotations__ = {
        "command": bpy.props.StringProperty(
            name="neurok command", subtype="FILE_PATH", default="",
            description="The path of the neurok command; empty: as found on the PATH",
        ),
    }  # fmt: skip

    def draw(self, context: bpy.types.Context) -> None:
        self.layout.prop(self, "command")
        self.layout.operator("neurok.check_command")


def read_command(context: bpy.types.Context) -> str:
    """The path of the neurok command."""
    entry = context.preferences.addons.get(__package__)
    return find_command(entry.preferences.command if entry else "")


class CheckCommand(bpy.types.Operator):
    """Say which neurok is found"""

    bl_idname = "neurok.check_command"
    bl_label = "Check"

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            command = read_command(context)
            done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        except (Fault, OSError, subprocess.TimeoutExpired) as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        said = done.stdout.strip()
        if done.returncode or not said.startswith("neurok "):
            self.report({"ERROR"}, f"{command} does not answer like neurok; name another.")
            return {"CANCELLED"}
        self.report({"INFO"}, f"{said} is at {command}.")
        return {"FINISHED"}
