"""Reading stages, in the child process that runs the parser."""

import json
import re
import sys
import traceback
from math import ceil
from pathlib import Path
from typing import Any

from neurok.errors import InputError, NeurokError

EXPORT_AGAIN = "export it again"


def main() -> None:
    """Read what the first argument asks for; leave an asset or a fault in the result folder."""
    request = json.loads(sys.argv[1])
    limit_resources(request["memory"], request["seconds"])
    result = Path(request["result"])
    try:
        _read_request(request, result)
    except NeurokError as fault:
        _write_fault(result, fault)
    except MemoryError:
        _write_fault(
            result, InputError(f"{request['name']} needs more memory than is allowed for its size", EXPORT_AGAIN)
        )
    except Exception as fault:
        # USD lets a file give any attribute any type, so damage surfaces as any exception. The reason goes
        # into the message and the place to stderr, so that a fault of ours can still be told apart.
        traceback.print_tb(fault.__traceback__)
        _write_fault(
            result, InputError(f"{request['name']} cannot be understood ({_describe_fault(fault)})", EXPORT_AGAIN)
        )


def _describe_fault(fault: Exception) -> str:
    """One line of what an exception says; USD wraps its own words in where they were said."""
    try:
        text = " ".join(str(fault).split())
    except UnicodeDecodeError:  # USD quotes the file's bytes
        text = ""
    said = re.search(r"Error in '.*?' at line \d+ in file \S+ : '(.*?)'? *(Error in|$)", text)
    text = (said[1] if said else text)[:200].strip()
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__


def _read_request(request: dict[str, Any], result: Path) -> None:
    from neurok.files.usd.assets import read_asset
    from neurok.files.usd.layers import StageFolder
    from neurok.files.usd.transfer import pack

    folder = StageFolder(request["name"], Path(request["root"]), request["outside"])
    pack(read_asset(Path(request["path"]), folder), result)


def limit_resources(memory: int, seconds: float) -> None:
    """Bound this process to so much address space [bytes] and processor time [s].

    A process that is bound already, as the one that reads an upload is, may lower its bounds and never raise them.
    """
    try:
        import resource
    except ImportError:  # Windows: the parent's time limit remains
        return
    _lower_limit(resource.RLIMIT_AS, memory, memory)
    _lower_limit(resource.RLIMIT_CPU, ceil(seconds) + 1, ceil(seconds) + 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _lower_limit(kind: int, soft: int, hard: int) -> None:
    """Set both bounds of one resource, neither above the hard bound that holds already."""
    import resource

    _, highest = resource.getrlimit(kind)
    if highest != resource.RLIM_INFINITY:
        soft, hard = min(soft, highest), min(hard, highest)
    resource.setrlimit(kind, (soft, hard))


def _write_fault(result: Path, fault: NeurokError) -> None:
    (result / "asset.json").unlink(missing_ok=True)
    (result / "fault.json").write_text(json.dumps([fault.problem, fault.remedy]))
