"""The neurok command in a process of its own: found, started, watched, and what it says in plain sentences."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PREFIX = "neurok: "  # of every line that the command writes to stderr
# Blender may run with a Python environment of its own, which would break another Python.
LEFT_OUT = ("PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP")
GRACE_SECONDS = 5.0  # that the command may take to end when it is told to
HELP = "set the path of the neurok command in the preferences of the add-on"


class Fault(Exception):
    """What is wrong and what to do about it, in one sentence, as Blender shows it."""


@dataclass(frozen=True)
class Answer:
    """What a command came to. fault: its sentence, '' where all went well."""

    code: int
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    fault: str


def find_command(stated: str) -> str:
    """The path of the neurok command: as stated in the preferences, else on the PATH."""
    if stated:
        path = Path(stated).expanduser()
        if not (path.is_file() and os.access(path, os.X_OK)):
            raise Fault(f"{path} is no program that can be run; {HELP}.")
        return str(path)
    found = shutil.which("neurok")
    if found is None:
        raise Fault(f"there is no neurok command on the PATH; install neurok, or {HELP}.")
    return found


def read_complaints(text: str, code: int) -> Answer:
    """The notes, warnings and the fault that stderr holds; a traceback is told as its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [line.removeprefix(PREFIX) for line in lines if line.startswith(PREFIX)]
    notes = tuple(line.removeprefix("note: ") for line in said if line.startswith("note: "))
    warnings = tuple(line.removeprefix("warning: ") for line in said if line.startswith("warning: "))
    if code == 0:
        return Answer(code, notes, warnings, "")
    faults = [line for line in said if not line.startswith(("note: ", "warning: "))]
    last = lines[-1] if lines else "it said nothing"
    return Answer(code, notes, warnings, faults[-1] if faults else f"neurok ended with code {code}: {last}")


class Process:
    """One run of the command in a folder."""

    def __init__(self, command: Sequence[str], folder: str) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
        self._complaints = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                list(command), cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=self._complaints,
            )  # fmt: skip
        except OSError as fault:
            self._complaints.close()
            raise Fault(f"{command[0]} cannot be run ({fault.strerror}); {HELP}.") from None

    def poll(self) -> Answer | None:
        """What it came to, None while it runs."""
        return None if self._process.poll() is None else self.wait()

    def wait(self) -> Answer:
        code = self._process.wait()
        self._complaints.seek(0)
        text = self._complaints.read().decode("utf-8", "replace")
        return read_complaints(text, code)

    def stop(self) -> None:
        """End it, politely at first."""
        self._process.terminate()
        try:
            self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
