"""Reading stages, in this process: the file is put on disk, and a child process with limits of its own parses it."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

from neurok.errors import InputError
from neurok.files.registry import Asset
from neurok.files.source import Source, open_archive
from neurok.files.usd.transfer import unpack_asset

MAGIC_BYTES = (b"#usda", b"PXR-USDC", b"#sdf")
STAGE_SUFFIXES = (".usd", ".usda", ".usdc")
BASE_MEMORY_BYTES = 6 << 30  # bytes of address space for the parser, libraries and all ...
MEMORY_PER_BYTE = 64  # ... and more for large files: crate files are compressed
BASE_SECONDS = 60.0
SECONDS_PER_MEGABYTE = 1.0
EXPORT_AGAIN = "export it again"
CHILD_PROGRAM = "from neurok.files.usd.child import main; main()"


def read(source: Source) -> Asset:
    """The asset in a USD file; whatever is wrong with the file is an InputError."""
    with tempfile.TemporaryDirectory(prefix="neurok-usd-") as name:
        folder = Path(name)
        path, root = _put_on_disk(source, folder / "files")
        result = folder / "result"
        result.mkdir()
        _run_parser(source, path, root, result)
        return unpack_asset(result)


def _put_on_disk(source: Source, folder: Path) -> tuple[Path, Path]:
    """The stage's path and the folder that it may not leave."""
    if source.archive is not None and source.member is not None:
        return _extract_archive(source, source.archive, source.member, folder)
    data = source.data()
    if source.suffix == ".usdz":
        return _extract_package(source, folder)
    _check_magic(source.name, data)
    return source.path.resolve(), source.root


def _check_magic(name: str, data: bytes) -> None:
    if not data:
        raise InputError(f"{name} is empty", EXPORT_AGAIN)
    if not data.startswith(MAGIC_BYTES):
        raise InputError(f"{name} is not a USD file: it starts with {data[:8]!r}", EXPORT_AGAIN)


def _extract_archive(source: Source, archive: ZipFile, stage: PurePosixPath, folder: Path) -> tuple[Path, Path]:
    """The stage in a zip with all that lies beside and below it."""
    for info in archive.infolist():
        member = PurePosixPath(info.filename)
        if not info.is_dir() and (member == stage or member.is_relative_to(stage.parent)):
            _write_member(folder, member, source.unpack(archive, info.filename))
    path = folder / stage
    _check_magic(source.name, path.read_bytes()[:16])
    return path, folder.resolve()


def _extract_package(source: Source, folder: Path) -> tuple[Path, Path]:
    """A .usdz is a zip whose first file is the stage."""
    archive = open_archive(source.path)
    members = [info.filename for info in archive.infolist() if not info.is_dir()]
    package = Source(source.path)
    stages = [name for name in members if PurePosixPath(name).suffix.lower() in STAGE_SUFFIXES]
    if not stages:
        raise InputError(f"{source.name} holds no USD stage", EXPORT_AGAIN)
    for name in members:
        _write_member(folder, PurePosixPath(name), package.unpack(archive, name))
    path = folder / stages[0]
    _check_magic(f"{stages[0]} in {source.name}", path.read_bytes()[:16])
    return path, folder.resolve()


def _write_member(folder: Path, member: PurePosixPath, data: bytes) -> None:
    if member.is_absolute() or ".." in member.parts or "\\" in str(member):
        raise InputError(f"the archive has a member '{member}', which leads out of it", "pack it again")
    target = folder / member
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    except (OSError, ValueError) as fault:
        problem = f"the archive's member '{str(member)[:80]}' cannot be unpacked ({fault})"
        raise InputError(problem, "pack it again") from None


def _run_parser(source: Source, path: Path, root: Path, result: Path) -> None:
    """Run the parser in a process of its own; its result lies in a folder afterwards."""
    size = path.stat().st_size
    seconds = BASE_SECONDS + SECONDS_PER_MEGABYTE * size / 1e6
    request = {
        "name": source.name,
        "path": str(path),
        "root": str(root),
        "outside": source.outside,
        "result": str(result),
        "memory": BASE_MEMORY_BYTES + MEMORY_PER_BYTE * size,
        "seconds": seconds,
    }
    # -P: modules are never looked for in the working folder.
    command = [sys.executable, "-P", "-c", CHILD_PROGRAM, json.dumps(request)]
    try:
        done = subprocess.run(
            command, cwd=result, env=_make_environment(), capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"{source.name} was not read within {seconds:.0f} s", EXPORT_AGAIN) from None
    fault = result / "fault.json"
    if fault.is_file():
        problem, remedy = json.loads(fault.read_text())
        raise InputError(problem, remedy)
    if done.returncode != 0 or not (result / "asset.json").is_file():
        raise InputError(
            f"{source.name} is damaged: it stops the USD parser (exit code {done.returncode})", EXPORT_AGAIN
        )


def _make_environment() -> dict[str, str]:
    """This process's environment without USD's own switches, and with this process's module path."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PXR_", "USD_", "TF_", "PYTHON"))}
    places = [os.path.abspath(place) for place in sys.path]
    return {**kept, "PYTHONPATH": os.pathsep.join(places), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
