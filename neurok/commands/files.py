"""What the verbs share about files: reading the input with its options, checking and writing the outputs."""

import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from neurok.commands.say import note, progress
from neurok.errors import InputError, NeurokError, OptionError, OutputError
from neurok.files.axes_note import SUFFIXES_WITHOUT_AXES
from neurok.files.destination import TEMPORARY_PREFIX, check_destination
from neurok.files.registry import WRITERS, Asset, check_output, load, save_files
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion
from neurok.geometry.placement import transform

MAX_COORDINATE = 1e30  # of a coordinate: squares of squares, as moments of inertia hold, are still numbers
# Rotations that make an upward axis z.
UPRIGHT_ROTATIONS = {
    "x": [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
    "y": [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
    "z": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
}


def open_input(path: str, *, up: str = "auto", allow_outside: bool = False) -> Asset:
    """What the file holds, with the upward axis the user knows; says what its reader had to say."""
    with progress("reading"):
        asset = load(path, allow_outside=allow_outside)
    for line in asset.notes:
        note(f"{Path(path).name}: {line}")
    if np.abs(asset.mesh.vertices).max(initial=0.0) > MAX_COORDINATE:
        raise InputError(f"{Path(path).name} has coordinates above {MAX_COORDINATE:g}", "scale the file down")
    return turn_upright(asset, path, up)


def open_model(weights: str | None) -> Any:
    """The model of a folder of weights; None where none is named, which stands for the one that came with neurok."""
    if weights is None:
        return None
    from neurok.networks.weights import load_model

    return load_model(weights)


def turn_upright(asset: Asset, path: str, up: str) -> Asset:
    """The asset with another upward axis, where its format leaves that open."""
    if up == "auto" or up == asset.mesh.up:
        return asset
    if Path(path).suffix.lower() not in SUFFIXES_WITHOUT_AXES:
        note(f"--up {up} is left aside: {Path(path).name} itself says that {asset.mesh.up} is up")
        return asset
    return replace(asset, mesh=replace(asset.mesh, up=up))


def bring_into_axes(mesh: Mesh, other: Mesh, path: str) -> Mesh:
    """The mesh of a second file in the axes and units of the first, where the formats of both say what theirs are."""
    if Path(path).suffix.lower() in SUFFIXES_WITHOUT_AXES or (mesh.up, mesh.unit) == (other.up, other.unit):
        return mesh
    T = np.eye(4)
    T[:3, :3] = np.array(UPRIGHT_ROTATIONS[other.up]).T @ UPRIGHT_ROTATIONS[mesh.up] * (mesh.unit / other.unit)
    words = f"{mesh.up} up and units of {mesh.unit:g} m"
    note(f"{Path(path).name} has {words}: it is brought into the object's axes and units")
    return replace(transform(mesh, T), up=other.up, unit=other.unit)


def check_outputs(outputs: Sequence[str], *kinds: type) -> None:
    """Fail before the work where a result could not be written, or not as one of these kinds."""
    good = [suffix for suffix, (_, holds) in WRITERS.items() if any(kind in kinds for kind in holds)]
    for index, path in enumerate(outputs):
        check_output(path, WRITERS if Path(path).suffix.lower() in WRITERS else good)
        if Path(path).resolve() in [Path(other).resolve() for other in outputs[:index]]:
            raise OptionError(f"{path} is named twice", "give each output its own name")
        if Path(path).suffix.lower() not in good:
            words = " or ".join(kind.__name__.lower() for kind in kinds)
            raise OutputError(f"{Path(path).suffix} holds no {words}", f"use one of: {' '.join(good)}")


def check_json(path: str | None) -> None:
    """Fail before the work where figures could not be written; None and '-' name no file."""
    if path in (None, "-"):
        return
    if os.path.isdir(path):
        raise OutputError(f"{path} is a folder", "name a file in it")
    try:
        check_destination(path)
    except OutputError as fault:
        raise OutputError(f"{path} cannot be written: {fault.problem}", fault.remedy) from None


def check_folder(folder: str | None) -> None:
    """Fail before the work where a report's folder could not be made."""
    if folder is None:
        return
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise OutputError(f"{folder} is a file", "name a folder for the report")
    check_destination(Path(folder) / "report" if os.path.isdir(folder) else Path(folder).absolute())


def write_all(
    things: Iterable[tuple[Mesh | Motion | Articulation | Sequence[Motion], str]],
    progress: Callable[[float], None] | None = None,
) -> list[Path]:
    """Write each thing to its path; all files that came of it, each main file before those it names.

    What was finished before a fault stays, and is said.
    """
    things = list(things)
    written: list[Path] = []
    for done, (thing, path) in enumerate(things, start=1):
        try:
            files = save_files(thing, path)
            written += [files[-1], *files[:-1]]
        except NeurokError as fault:
            if written:
                note(f"already written: {', '.join(map(str, written))}")
            raise fault
        if progress is not None:
            progress(done / len(things))
    return written


def write_text(text: str, path: Path) -> Path:
    """Write a text under a temporary name that is renamed when all is there."""
    handle, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text + "\n")
        os.chmod(name, 0o666 & ~_umask())  # temporary files are for their owner alone; results are not
        os.replace(name, path)
    except OSError as fault:
        raise OutputError(f"{path} cannot be written ({fault.strerror or fault})", "choose another place") from fault
    finally:
        Path(name).unlink(missing_ok=True)
    return path


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
