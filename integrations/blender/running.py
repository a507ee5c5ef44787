"""What the operators share: a command of neurok that runs while Blender goes on, and how its words are shown."""

import tempfile
import time
from pathlib import Path

import bpy

from .preferences import read_command
from .process import Answer, Fault, Process

TICK_SECONDS = 0.2


class Running(bpy.types.Operator):
    """An operator that prepares a folder, has neurok work in it, and takes in what came of it.

    Called from a button it lets Blender go on and can be cancelled with Esc; called from a script it waits.
    """

    words = "neurok is working"

    def prepare(self, context: bpy.types.Context, folder: Path, command: str) -> list[str]:
        """Write what neurok needs into a folder; the command line. command: the path of neurok."""
        raise NotImplementedError

    def take_in(self, context: bpy.types.Context, folder: Path) -> str:
        """Change the scene by what neurok left in the folder; a sentence on it."""
        raise NotImplementedError

    # ------------------------------------------------------------ called by Blender

    def execute(self, context: bpy.types.Context) -> set[str]:
        if not self._start(context):
            return {"CANCELLED"}
        try:
            return self._finish(context, self._process.wait())
        finally:
            self._folder.cleanup()

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        self.read_settings(context)
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if not self._start(context):
            return {"CANCELLED"}
        self._begun = time.monotonic()
        manager = context.window_manager
        self._timer = manager.event_timer_add(TICK_SECONDS, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type == "ESC":
            self._process.stop()
            self._clear_up(context)
            self.report({"WARNING"}, "neurok was cancelled.")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        answer = self._process.poll()
        if answer is None:
            context.workspace.status_text_set(f"{self.words}: {time.monotonic() - self._begun:.0f} s (Esc cancels)")
            return {"PASS_THROUGH"}
        try:
            return self._finish(context, answer)
        finally:
            self._clear_up(context)

    def read_settings(self, context: bpy.types.Context) -> None:
        """Take over what the panel says."""

    # ------------------------------------------------------------ inside

    def _start(self, context: bpy.types.Context) -> bool:
        """Prepare the folder and start the command; False, and a report, where that cannot be done."""
        self._folder = tempfile.TemporaryDirectory(prefix="neurok-")
        try:
            line = self.prepare(context, Path(self._folder.name), read_command(context))
            self._process = Process(line, self._folder.name)
        except Fault as fault:
            self._folder.cleanup()
            self.report({"ERROR"}, str(fault))
            return False
        except BaseException:
            self._folder.cleanup()
            raise
        return True

    def _finish(self, context: bpy.types.Context, answer: Answer) -> set[str]:
        for kind, lines in (("INFO", answer.notes), ("WARNING", answer.warnings)):
            for line in lines:
                self.report({kind}, line)
        if answer.fault:
            self.report({"ERROR"}, answer.fault)
            return {"CANCELLED"}
        try:
            self.report({"INFO"}, self.take_in(context, Path(self._folder.name)))
        except Fault as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        return {"FINISHED"}

    def _clear_up(self, context: bpy.types.Context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        context.workspace.status_text_set(None)
        self._folder.cleanup()
