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
KEPT = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT", "HOME", "LIBGL_ALWAYS_SOFTWARE", "EGL_PLATFORM")
TIME_IS_UP = [-getattr(signal, name) for name in ("SIGXCPU", "SIGKILL") if hasattr(signal, name)]
MEMORY = 4 << 30  # bytes a child may take
PATIENCE = 4.0  # times the processor's time it may take, by the clock: machines are shared


async def run_child(module: str, folder: Path, *args: str, seconds: float) -> None:
    """Have `python -m module FOLDER SECONDS ARGS` do its work in a folder of ours.

    A TimeoutError where it takes longer [s of the processor's time]; it is ended then, and also where whoever waits
    for it is cancelled. An InputError where it left one, or broke.
    """
    environment = {name: value for name, value in os.environ.items() if name in KEPT or name.startswith("NEUROK_")}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    # Complaints go to a file without a name: of a pipe, an ended child's end could outlive it in a child of its own,
    # and whoever waits for the child waits for the pipe.
    with tempfile.TemporaryFile() as complaints:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", module, str(folder), str(seconds), *args, cwd=folder, env=environment,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=complaints,
        )  # fmt: skip
        try:
            await asyncio.wait_for(process.wait(), PATIENCE * seconds)
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        said = _end_of(complaints)
    if said:
        LOG.warning("%s said:\n%s", module, said)
    fault = folder / "fault.json"
    if fault.is_file():
        problem, remedy = json.loads(fault.read_text())
        fault.unlink()
        raise InputError(problem, remedy)
    if process.returncode in TIME_IS_UP:
        raise TimeoutError
    if process.returncode:
        raise InputError("that needs more memory or time than is allowed", "use a smaller object")


def _end_of(complaints: BinaryIO, most: int = 4000) -> str:
    """The last bytes of a file as text."""
    size = complaints.seek(0, os.SEEK_END)
    complaints.seek(max(size - most, 0))
    return complaints.read().decode(errors="replace").strip()


def child_main(work: Callable[..., None], *, broken: tuple[str, str]) -> None:
    """What a child's `main` does: work(folder, args...) within bounds; a fault is left in the folder.

    broken: problem and remedy where the fault is ours; where it happened goes to stderr.
    """
    from neurok.files.usd.child import limit_resources

    folder, seconds = Path(sys.argv[1]), float(sys.argv[2])
    limit_resources(MEMORY, max(seconds, 1.0))
    try:
        work(folder, *sys.argv[3:])
    except NeurokError as fault:
        _leave(folder, fault.problem, fault.remedy)
    except MemoryError:
        _leave(folder, "that needs more memory than is allowed", "use a smaller object")
    except Exception:  # a fault of ours: the server lives on, and its log says where
        traceback.print_exc()
        _leave(folder, *broken)


def _leave(folder: Path, problem: str, remedy: str) -> None:
    said = [text.replace(str(folder) + os.sep, "") for text in (problem, remedy)]
    (folder / "fault.json").write_text(json.dumps(said))
