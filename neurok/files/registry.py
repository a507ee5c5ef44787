"""Which format reads and writes which suffix; load and save by suffix.

A reader is `read(source: Source) -> Asset`; a writer is
`write(thing, folder: Path, name: str) -> None` and puts its files into an
empty temporary folder, from where they are moved to their place once all is
written: an interrupted or failed save leaves nothing behind.
"""

import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from neurok.errors import InputError, MissingExtra, OutputError, unknown
from neurok.files.destination import TEMPORARY_PREFIX, check_destination
from neurok.files.source import Source, open_archive
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion


@dataclass(frozen=True)
class Asset:
    """The content of a file: the mesh, its motions, its articulation, and the reader's notes.

    states_axes: whether the file itself says which axis is up, and how long its unit is.
    """

    mesh: Mesh
    motions: tuple[Motion, ...] = ()
    articulation: Articulation | None = None
    notes: tuple[str, ...] = ()
    states_axes: bool = True


# suffix -> module with `read`
READERS = {
    ".glb": "neurok.files.gltf",
    ".gltf": "neurok.files.gltf",
    ".obj": "neurok.files.obj",
    ".ply": "neurok.files.ply",
    ".stl": "neurok.files.stl",
    ".off": "neurok.files.off",
    ".usd": "neurok.files.usd",
    ".usda": "neurok.files.usd",
    ".usdc": "neurok.files.usd",
    ".usdz": "neurok.files.usd",
    ".urdf": "neurok.files.urdf",
    ".xml": "neurok.files.mjcf",
    ".npz": "neurok.files.npz",
}

# suffix -> (module with `write`, what it can hold)
WRITERS = {
    ".glb": ("neurok.files.gltf", (Mesh, Motion, Articulation)),
    ".gltf": ("neurok.files.gltf", (Mesh, Motion, Articulation)),
    ".usd": ("neurok.files.usd", (Mesh, Motion, Articulation)),
    ".usda": ("neurok.files.usd", (Mesh, Motion, Articulation)),
    ".usdc": ("neurok.files.usd", (Mesh, Motion, Articulation)),
    ".urdf": ("neurok.files.urdf", (Articulation,)),
    ".xml": ("neurok.files.mjcf", (Articulation,)),
    ".obj": ("neurok.files.obj", (Mesh,)),
    ".ply": ("neurok.files.ply", (Mesh,)),
    ".stl": ("neurok.files.stl", (Mesh,)),
    ".off": ("neurok.files.off", (Mesh,)),
    ".npz": ("neurok.files.npz", (Mesh, Motion)),
    ".html": ("neurok.files.html", (Motion,)),
    ".mp4": ("neurok.files.pictures", (Motion,)),
    ".png": ("neurok.files.pictures", (Mesh, Motion)),
}


def load(path: str | Path, *, allow_outside: bool = False) -> Asset:
    """Read any supported file, a PartNet-Mobility folder or a zip of one."""
    asset = load_unchecked(path, allow_outside=allow_outside)
    name = Path(path).name or str(path)
    if asset.mesh.vertex_count == 0:
        raise InputError(f"{name} holds no vertices", "check that the export included the object")
    bad = int(np.sum(~np.isfinite(asset.mesh.vertices).all(axis=1)))
    if bad:
        raise InputError(
            f"{name} has vertices that are not finite numbers ({bad} of {asset.mesh.vertex_count})",
            "export it again, or delete those vertices",
        )
    return asset


def load_unchecked(path: str | Path, *, allow_outside: bool = False) -> Asset:
    """As `load`, also where there are no vertices or some are not finite: for looking at what is wrong with a file."""
    path = Path(path)
    if path.is_dir() or path.suffix.lower() == ".zip":
        source = _find_urdf(path, allow_outside)
    else:
        source = Source(path, outside=allow_outside)
    if source.suffix not in READERS:
        if not source.suffix and not os.path.exists(path):
            raise InputError(f"there is no file {path}", "check the path")
        raise InputError(
            f"{source.name} has the suffix '{source.suffix}', which is not read", f"use one of: {' '.join(READERS)}"
        )
    return import_module(READERS[source.suffix]).read(source)


def load_mesh(path: str | Path, *, allow_outside: bool = False) -> Mesh:
    """The mesh of any supported file, as it stands."""
    return load(path, allow_outside=allow_outside).mesh


def save(thing: Mesh | Motion | Articulation | Sequence[Motion], path: str | Path) -> Path:
    """Write by suffix, under a temporary name that is renamed when all is there; several motions become clips."""
    return save_files(thing, path)[-1]


def save_files(thing: Mesh | Motion | Articulation | Sequence[Motion], path: str | Path) -> list[Path]:
    """As `save`; returns all files and folders that now lie beside each other, the main one last."""
    path = Path(path)
    check_output(path)
    module, kinds = WRITERS[path.suffix.lower()]
    clips = list(thing) if isinstance(thing, (list, tuple)) else [thing]
    if not clips:
        raise OutputError(f"there is nothing to write to {path}", "give a mesh or a motion")
    if isinstance(clips[0], Motion) and Motion not in kinds and Mesh in kinds:
        raise OutputError(f"{path.suffix} holds no motion", "use .glb, .usdc, .npz or .mp4")
    if isinstance(clips[0], Mesh) and kinds == (Articulation,):
        raise OutputError(f"{path.suffix} needs joints, and this object has none", "use .glb, .usdc, .obj or .ply")
    if not isinstance(clips[0], kinds):
        raise OutputError(
            f"{path.suffix} does not hold a {type(clips[0]).__name__.lower()}",
            f"it holds: {', '.join(k.__name__.lower() for k in kinds)}",
        )
    return save_written(path, lambda folder, name: import_module(module).write(thing, folder, name))


def save_written(path: Path, write: Callable[[Path, str], None]) -> list[Path]:
    """All that `write` puts under a name into an empty folder, moved to its place when all is there."""
    written = tempfile.mkdtemp(prefix=TEMPORARY_PREFIX, dir=path.parent)
    try:
        write(Path(written), path.name)
        entries = sorted(os.listdir(written), key=lambda name: name == path.name)  # the main file last
        for entry in entries:
            target = path.parent / entry
            if target.is_dir():
                shutil.rmtree(target)
            os.replace(os.path.join(written, entry), target)
    except OSError as fault:
        raise OutputError(f"{path} cannot be written ({fault.strerror or fault})", "choose another place") from fault
    finally:
        shutil.rmtree(written, ignore_errors=True)
    return [path.parent / entry for entry in entries]


def check_output(path: str | Path, suffixes: Iterable[str] = tuple(WRITERS)) -> None:
    """Raise an error before the work begins where a result could not be written; `suffixes` are the accepted ones."""
    path = Path(path)
    if os.path.isdir(path):  # unlike Path's, never an error: a name may be too long for any file
        raise OutputError(f"{path} is a folder", "name a file in it")
    if path.suffix.lower() not in suffixes:
        raise unknown("output suffix", path.suffix or path.name, suffixes)
    if WRITERS.get(path.suffix.lower(), ("",))[0] == "neurok.files.usd" and find_spec("pxr") is None:
        raise MissingExtra("a USD file", "usd")
    check_destination(path)


def _find_urdf(path: Path, allow_outside: bool) -> Source:
    """The URDF in a PartNet-Mobility folder or in a zip of one."""
    if path.is_dir():
        found = [path / "mobility.urdf"] if (path / "mobility.urdf").is_file() else sorted(path.glob("*.urdf"))
        if not found:
            raise InputError(f"the folder {path} holds no .urdf file", "name the file to read instead")
        if len(found) > 1:
            warnings.warn(f"{path} holds {len(found)} URDF files; {found[0].name} is read", stacklevel=3)
        return Source(found[0], outside=allow_outside)
    if not path.is_file():
        raise InputError(f"there is no file {path}", "check the path")
    archive = open_archive(path)
    members = sorted((n for n in archive.namelist() if n.lower().endswith(".urdf")), key=lambda n: (n.count("/"), n))
    if not members:
        raise InputError(f"{path.name} holds no .urdf file", "pack a PartNet-Mobility folder, or name another file")
    return Source(path, archive=archive, member=members[0])
