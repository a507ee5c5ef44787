"""Uploads: strangers' bytes become an asset in a process of their own, with little memory and little time.

Only the suffix of the browser's name is used, and only to choose the reader: the bytes lie under a name of ours in
a temporary folder, which goes when the asset is there.
"""

import asyncio
import os
from pathlib import Path

from neurok.errors import InputError
from neurok.files.registry import READERS, Asset
from neurok.viewer.children import run_as_child, run_child

MAX_UPLOAD_BYTES = 128 << 20  # bytes of an upload
READ_SECONDS = 30.0  # of the processor's time that the reader may take
MAX_VERTICES = 2_000_000
SUFFIXES = (*READERS, ".zip")
# Formats that may hold all there is in one file, and often name others, which a browser does not send along; and what
# to send then.
NAMING = {".gltf": "a .glb", ".urdf": "a .zip of it with its meshes", ".xml": "a .zip of it with its meshes"}


def find_suffix(name: str) -> str:
    """The suffix of a browser's file name, where there is a reader for one file of that kind."""
    suffix = os.path.splitext(name)[1].lower()
    if suffix not in SUFFIXES:
        shown = f"'{suffix[:12]}'" if suffix else "no suffix"
        raise InputError(f"a file with {shown} cannot be opened", f"use one of: {' '.join(SUFFIXES)}")
    return suffix


def make_title(name: str) -> str:
    """What a page may show of a browser's file name."""
    stem = os.path.splitext(name.replace("\\", "/").rsplit("/", 1)[-1])[0]
    return "".join(c for c in stem if c.isprintable())[:60] or "upload"


async def read_upload(folder: Path, name: str, shown: str) -> Asset:
    """The asset in a file of ours in a folder of ours, read by a process that cannot take the server along.

    shown: what the person calls the file.
    """
    from neurok.files.usd.transfer import unpack_asset

    try:
        await run_child("neurok.viewer.uploads", folder, name, seconds=READ_SECONDS)
    except TimeoutError:
        raise InputError(f"the file took more than {READ_SECONDS:.0f} s to read", "reduce it and try again") from None
    except InputError as fault:
        # The reader knows the file by our name, which says nothing to the person who sent it.
        whole = NAMING.get(Path(name).suffix)
        remedy = f"only this file was sent: send {whole}" if whole else fault.remedy.replace(name, shown)
        raise InputError(fault.problem.replace(name, shown), remedy) from None
    return await asyncio.to_thread(unpack_asset, folder)


def _leave_asset(folder: Path, name: str) -> None:
    """In the process of its own: read the file, leave an asset beside it."""
    from neurok.files.registry import load
    from neurok.files.usd.transfer import pack

    asset = load(folder / name)
    if asset.mesh.vertex_count > MAX_VERTICES:
        problem = f"the file has {asset.mesh.vertex_count:,} vertices, and the viewer shows {MAX_VERTICES:,} at most"
        raise InputError(problem, "reduce it first")
    if asset.mesh.face_count == 0:
        raise InputError("the file has no faces, only points", "give a mesh with a surface")
    pack(asset, folder)


if __name__ == "__main__":
    run_as_child(_leave_asset, broken=("the file cannot be understood", "export it again"))
