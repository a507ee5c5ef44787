"""Children: processes of their own for what is slow or strange; the server neither waits for them nor dies of them."""

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from neurok.errors import InputError, NeurokError

LOG = logging.getLogger("neurok.viewer")
# The variables of the environment that a child gets, besides all that begin with NEUROK_.
KEPT_VARIABLES = (
    "PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT", "HOME", "LIBGL_ALWAYS_SOFTWARE", "EGL_PLATFORM",
)  # fmt: skip
TIMEOUT_CODES = [-getattr(signal, name) for name in ("SIGXCPU", "SIGKILL") if hasattr(signal, name)]
MAX_MEMORY = 4 << 30  # bytes that a child may take
CLOCK_FACTOR = 4.0  # times the processor's time a child may take, by the clock: machines are shared
MAX_LOG_BYTES = 4000  # of what a child wrote to stderr
MAX_REASON_LENGTH = 200  # characters of an exception's text


class ChildFailure(InputError):
    """A child failed by a fault of ours, not of what it was given.

    reason: the exception in one line, as in "KeyError: 'prior'"; the log says where it was raised.
    """

    def __init__(self, problem: str, remedy: str, reason: str) -> None:
        super().__init__(problem, remedy)
        self.reason = reason

    def __reduce__(self) -> tuple[type["ChildFailure"], tuple[str, str, str]]:
        return type(self), (self.problem, self.remedy, self.reason)


async def run_child(module: str, folder: Path, *args: str, seconds: float) -> None:
    """Have `python -m module FOLDER SECONDS ARGS` do its work in a folder of ours.

    A TimeoutError where it takes longer [s of the processor's time]; it is ended then, and also where whoever waits
    for it is cancelled. An InputError where it left one, a ChildFailure where it broke.
    """
    environment = {k: value for k, value in os.environ.items() if k in KEPT_VARIABLES or k.startswith("NEUROK_")}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    # Complaints go to a file without a name: of a pipe, an ended child's end could outlive it in a child of its own,
    # and whoever waits for the child waits for the pipe.
    with tempfile.TemporaryFile() as complaints:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", module, str(folder), str(seconds), *args, cwd=folder, env=environment,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=complaints,
        )  # fmt: skip
        try:
            await asyncio.wait_for(process.wait(), CLOCK_FACTOR * seconds)
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        text = _read_end(complaints)
    if text:
        LOG.warning("%s said:\n%s", module, text)
    _raise_fault(folder / "fault.json")
    if process.returncode in TIMEOUT_CODES:
        raise TimeoutError
    if process.returncode:
        raise InputError("that needs more memory or time than is allowed", "use a smaller object")


def _raise_fault(path: Path) -> None:
    """Raise the fault that a child left in a file, if it left one."""
    if not path.is_file():
        return
    problem, remedy, reason = json.loads(path.read_text())
    path.unlink()
    raise ChildFailure(problem, remedy, reason) if reason else InputError(problem, remedy)


def _read_end(complaints: BinaryIO) -> str:
    """The last bytes of a file as text."""
    size = complaints.seek(0, os.SEEK_END)
    complaints.seek(max(size - MAX_LOG_BYTES, 0))
    return complaints.read().decode(errors="replace").strip()


def run_as_child(work: Callable[..., None], *, broken: tuple[str, str]) -> None:
    """What the main program of a child does: work(folder, args...) within bounds; a fault is left in the folder.

    broken: problem and remedy where the fault is ours; its reason is left beside them, its traceback goes to stderr.
    """
    from neurok.files.usd.child import limit_resources

    folder, seconds = Path(sys.argv[1]), float(sys.argv[2])
    limit_resources(MAX_MEMORY, max(seconds, 1.0))
    try:
        work(folder, *sys.argv[3:])
    except NeurokError as fault:
        _leave_fault(folder, fault.problem, fault.remedy)
    except MemoryError:
        _leave_fault(folder, "that needs more memory than is allowed", "use a smaller object")
    except Exception as fault:  # a fault of ours: the server lives on, and its log says where
        traceback.print_exc()
        text = " ".join(str(fault).split())[:MAX_REASON_LENGTH]
        _leave_fault(folder, *broken, reason=f"{type(fault).__name__}: {text}" if text else type(fault).__name__)


def _leave_fault(folder: Path, problem: str, remedy: str, reason: str = "") -> None:
    texts = [text.replace(str(folder) + os.sep, "") for text in (problem, remedy, reason)]
    (folder / "fault.json").write_text(json.dumps(texts))
