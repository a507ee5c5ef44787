"""Uploads: strangers' bytes become an asset in a process of their own, with little memory and little time.

Only the suffix of the browser's name is used, and only to choose the reader: the bytes lie under a name of ours in
a temporary folder, which goes when the asset is there.
"""

import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

from neurok.errors import InputError, NeurokError
from neurok.files.registry import READERS, Asset

LARGEST = 128 << 20  # bytes of an upload
MEMORY = 4 << 30  # bytes the reader may take
SECONDS = 60.0  # it may take, by its own clock and by ours
MOST_VERTICES = 2_000_000
SUFFIXES = (*(suffix for suffix in READERS if suffix not in (".gltf", ".urdf")), ".zip")


def suffix_of(name: str) -> str:
    """The suffix of a browser's file name, where there is a reader for one file of that kind."""
    suffix = os.path.splitext(name)[1].lower()
    if suffix in (".gltf", ".urdf"):
        raise InputError(f"a {suffix} file names others that were not sent", "send a .glb, or a .zip with the URDF")
    if suffix not in SUFFIXES:
        shown = f"'{suffix[:12]}'" if suffix else "no suffix"
        raise InputError(f"a file with {shown} cannot be opened", f"use one of: {' '.join(SUFFIXES)}")
    return suffix


def title_of(name: str) -> str:
    """What a page may show of a browser's file name."""
    stem = os.path.splitext(name.replace("\\", "/").rsplit("/", 1)[-1])[0]
    return "".join(c for c in stem if c.isprintable())[:60] or "upload"


def read_upload(folder: Path, name: str, shown: str) -> Asset:
    """The asset in a file of ours in a folder of ours, read by a process that cannot take the server along.

    shown: what the person calls the file.
    """
    from neurok.files.usd.transfer import unpack

    command = [sys.executable, "-m", "neurok.viewer.uploads", str(folder), name]
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT")}
    environment = {**kept, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, timeout=SECONDS + 10, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"the file took more than {SECONDS:.0f} s to read", "reduce it and try again") from None
    fault = folder / "fault.json"
    if fault.is_file():
        # The reader knows the file by our name, which says nothing to the person who sent it.
        raise InputError(*(text.replace(name, shown) for text in json.loads(fault.read_text())))
    if done.returncode or not (folder / "asset.json").is_file():
        raise InputError("the file broke its reader, or needs more memory or time than is allowed", "export it again")
    return unpack(folder)


def main() -> None:
    """The process of its own: read the file, leave an asset or a fault beside it."""
    folder, name = Path(sys.argv[1]), sys.argv[2]
    from neurok.files.usd.child import limit
    from neurok.files.usd.transfer import pack

    limit(MEMORY, SECONDS)
    try:
        pack(_checked(folder / name), folder)
    except NeurokError as fault:
        _report(folder, fault.problem, fault.remedy)
    except MemoryError:
        _report(folder, "the file needs more memory than is allowed", "reduce it and try again")
    except Exception:  # a fault of ours: the server lives on, and the log says where
        traceback.print_exc()
        _report(folder, "the file cannot be understood", "export it again")


def _checked(path: Path) -> Asset:
    from neurok.files.registry import load

    asset = load(path)
    if asset.mesh.vertex_count > MOST_VERTICES:
        problem = f"the file has {asset.mesh.vertex_count:,} vertices, and the viewer shows {MOST_VERTICES:,} at most"
        raise InputError(problem, "reduce it first")
    if asset.mesh.face_count == 0:
        raise InputError("the file has no faces, only points", "give a mesh with a surface")
    return asset


def _report(folder: Path, problem: str, remedy: str) -> None:
    (folder / "asset.json").unlink(missing_ok=True)
    said = [text.replace(str(folder) + os.sep, "") for text in (problem, remedy)]
    (folder / "fault.json").write_text(json.dumps(said))


if __name__ == "__main__":
    main()
