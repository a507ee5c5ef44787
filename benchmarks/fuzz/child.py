"""The process in which cases run, with bounds: `python -m benchmarks.fuzz.child SEED FIRST LAST`.

It says on its standard output when a case begins and how it ended; whatever the case itself prints is caught.
"""

import contextlib
import io
import os
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

from benchmarks.fuzz.cases import list_seeds, run_case
from neurok.errors import NeurokError

CASE_SECONDS = 20.0  # of the processor's time
CASE_CLOCK_SECONDS = 240.0  # of the clock, which others on the machine slow down
CASE_BYTES = 4 << 30
GOOD_CODES = (0, 1, 2, 3)  # 1: `check` found something wrong, 3: --strict did
MEMORY_WORDS = "memory than"


class TookTooLong(BaseException):
    """No part of the package may catch it."""


def main(seed: int, first: int, last: int) -> None:
    spoken = os.fdopen(os.dup(1), "w", buffering=1)
    list_seeds()
    import neurok.kinematics.articulated  # noqa: F401  # torch is part of what the process has from the start

    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + CASE_BYTES, resource.RLIM_INFINITY))
    for kind in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(kind, _raise_timeout)
    for number in range(first, last):
        print(f"begin {number}", file=spoken)
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime + 2 * CASE_SECONDS)  # for what never comes back to Python
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        print(f"end {number} {judge_case(number, seed)}", file=spoken)


def _raise_timeout(*_: object) -> None:
    raise TookTooLong


def judge_case(number: int, seed: int) -> str:
    """'fine', or what went wrong in one line."""
    caught = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(caught),
        contextlib.redirect_stderr(caught),
    ):
        try:
            signal.setitimer(signal.ITIMER_PROF, CASE_SECONDS)
            signal.setitimer(signal.ITIMER_REAL, CASE_CLOCK_SECONDS)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                code = run_case(number, seed, Path(folder))
        except TookTooLong:
            return "hang"
        except NeurokError as fault:
            caught.write(str(fault))
            code = 2
        except MemoryError:
            return "memory"
        except BaseException as fault:
            place = traceback.extract_tb(fault.__traceback__)[-1]
            text = " ".join(str(fault).split())[:120].encode("ascii", "replace").decode()
            return f"traceback {type(fault).__name__} at {Path(place.filename).name}:{place.lineno}: {text}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    if MEMORY_WORDS in caught.getvalue():
        return "memory"
    return "fine" if not isinstance(code, int) or code in GOOD_CODES else f"traceback exit code {code}"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
