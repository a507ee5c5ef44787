"""Our own .npz: vertices, faces, and, for a motion, time and frames, as plain arrays.

    vertices [unit], [n, 3] float64     faces, [m, 3] int64
    time [s], [t] float64               frames [unit], [t, n, 3] float32 or float64
    up, the letter of the upward axis   unit, metres per file unit

The same content always gives the same bytes. Reading never unpickles, and no
array is made before its header has been found to agree with the bytes there are.
"""

import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from neurok.errors import InputError, NeurokError, OutputError
from neurok.files.registry import Asset
from neurok.files.source import MAX_FILE_BYTES, MAX_UNPACK_RATIO, Source
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion

ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can state: no clock in the bytes
ARRAY_NAMES = ("vertices", "faces", "time", "frames", "up", "unit")
WRITE_AGAIN = "write it again with numpy.savez"


def read(source: Source) -> Asset:
    """The mesh of an .npz file and its motion, if it has one."""
    arrays = _read_arrays(source)
    for key in ("vertices", "faces"):
        if key not in arrays:
            raise InputError(f"{source.name} has no array '{key}'", f"give the arrays {', '.join(ARRAY_NAMES[:4])}")
    mesh = Mesh(
        vertices=_check_numbers(source, arrays, "vertices", (None, 3)),
        faces=_check_faces(source, arrays["faces"]),
        up=_read_up(source, arrays),
        unit=_read_unit(source, arrays),
    )
    if ("time" in arrays) != ("frames" in arrays):
        raise InputError(f"{source.name} has only one of 'time' and 'frames'", "give both for a motion, or neither")
    if "frames" not in arrays:
        return Asset(mesh)
    time = _check_numbers(source, arrays, "time", (None,))
    frames = _check_numbers(source, arrays, "frames", (len(time), mesh.vertex_count, 3))
    try:
        return Asset(mesh, (Motion(mesh, time, positions=frames),))
    except NeurokError as fault:
        raise InputError(f"{source.name}: {fault.problem}", fault.remedy) from None


def write(thing: Mesh | Motion | list[Motion], folder: Path, name: str) -> None:
    """Write a mesh or one motion as folder/name."""
    if isinstance(thing, (list, tuple)):
        if len(thing) != 1:
            raise OutputError(f"{name} holds one motion, not {len(thing)}", "write one file per motion, or a .glb")
        thing = thing[0]
    mesh = thing.mesh if isinstance(thing, Motion) else thing
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_STORED) as archive:
        _write_array(archive, "vertices", mesh.vertices)
        _write_array(archive, "faces", mesh.faces)
        _write_array(archive, "up", np.array(mesh.up))
        _write_array(archive, "unit", np.array(float(mesh.unit)))
        if isinstance(thing, Motion):
            _write_array(archive, "time", thing.time)
            _write_frames(archive, thing)


# ---------------------------------------------------------------- writing


def _write_array(archive: zipfile.ZipFile, key: str, array: NDArray) -> None:
    array = np.ascontiguousarray(array).reshape(np.shape(array))
    _write_chunks(archive, key, array.dtype, array.shape, [array])


def _write_frames(archive: zipfile.ZipFile, motion: Motion) -> None:
    """Frame by frame: a skin's frames need not fit into memory together."""
    single = motion.positions is not None and motion.positions.dtype == np.float32
    dtype = np.dtype(np.float32 if single else np.float64)
    frames: Iterator[NDArray] = (motion.frame(i).astype(dtype) for i in range(motion.frame_count))
    _write_chunks(archive, "frames", dtype, (motion.frame_count, motion.mesh.vertex_count, 3), frames)


def _write_chunks(
    archive: zipfile.ZipFile, key: str, dtype: np.dtype, shape: tuple[int, ...], chunks: Iterable[NDArray]
) -> None:
    header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    with archive.open(zipfile.ZipInfo(f"{key}.npy", ZIP_EPOCH), "w", force_zip64=True) as stream:
        npy.write_array_header_1_0(stream, header)
        for chunk in chunks:
            stream.write(np.ascontiguousarray(chunk).tobytes())


# ---------------------------------------------------------------- reading


def _read_arrays(source: Source) -> dict[str, NDArray]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(source.data()))
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as fault:
        raise InputError(f"{source.name} is not a readable .npz file ({fault})", WRITE_AGAIN) from None
    return {key: _read_array(source, archive, members[key]) for key in ARRAY_NAMES if key in members}


def _read_array(source: Source, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray:
    what = f"the array '{info.filename}' in {source.name}"
    bomb = info.file_size > 64 << 20 and info.file_size > MAX_UNPACK_RATIO * max(info.compress_size, 1)
    if bomb or info.file_size > MAX_FILE_BYTES:
        raise InputError(f"{what} unpacks to {info.file_size / 1e9:.1f} GB", "unpack it by hand if you trust it")
    try:
        with archive.open(info) as stream:
            content = stream.read(info.file_size + 1)
    except Exception as fault:  # zlib.error, BadZipFile, RuntimeError, ...: they have no common base
        raise InputError(f"{what} cannot be unpacked ({fault})", WRITE_AGAIN) from fault
    stream = io.BytesIO(content)
    try:
        version = npy.read_magic(stream)
        read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
        shape, fortran, dtype = read_header(stream)
    except Exception as fault:  # numpy evaluates the header as a Python literal: any kind of error may come out
        raise InputError(f"{what} has a damaged header", WRITE_AGAIN) from fault
    if dtype.hasobject:
        raise InputError(f"{what} holds Python objects, which are not read", "store plain numbers")
    if dtype.kind not in "fiubU" or any(size < 0 for size in shape):
        raise InputError(f"{what} holds {dtype}", "store plain numbers")
    count = 1
    for size in shape:
        count *= int(size)
    body = memoryview(content)[stream.tell() :]
    if dtype.itemsize * count != len(body):
        raise InputError(f"{what} says {shape} of {dtype}, which is not what it holds", WRITE_AGAIN)
    if count == 0:
        return np.zeros(shape, dtype)
    return np.frombuffer(body, dtype=dtype).reshape(shape, order="F" if fortran else "C")


def _check_numbers(source: Source, arrays: dict[str, NDArray], key: str, shape: tuple[int | None, ...]) -> NDArray:
    """A finite float array of the given shape (None: any length); float32 stays float32."""
    array = arrays[key]
    fits = array.ndim == len(shape) and all(want in (None, size) for want, size in zip(shape, array.shape))
    if not fits or array.dtype.kind not in "fiu":
        wanted = ", ".join("any" if size is None else str(size) for size in shape)
        raise InputError(f"'{key}' in {source.name} is {array.dtype} of shape {array.shape}", f"give floats [{wanted}]")
    array = array.astype(np.float32 if array.dtype == np.float32 else np.float64, copy=False)
    if not np.isfinite(array).all():
        raise InputError(f"'{key}' in {source.name} has values that are not finite numbers", "remove them")
    return array


def _check_faces(source: Source, faces: NDArray) -> NDArray:
    if faces.dtype.kind not in "iu":
        raise InputError(f"'faces' in {source.name} is {faces.dtype}", "give integers")
    if faces.dtype == np.uint64 and faces.size and faces.max() > np.iinfo(np.int64).max:
        raise InputError(f"'faces' in {source.name} refers to vertex {faces.max()}", WRITE_AGAIN)
    return faces.astype(np.int64)


def _read_up(source: Source, arrays: dict[str, NDArray]) -> str:
    if "up" not in arrays:
        return "y"
    if arrays["up"].dtype.kind != "U" or arrays["up"].size != 1:
        raise InputError(f"'up' in {source.name} is not a letter", "give 'x', 'y' or 'z'")
    try:
        return str(arrays["up"].reshape(-1)[0])
    except ValueError:  # four bytes that are no character
        raise InputError(f"'up' in {source.name} is not a letter", "give 'x', 'y' or 'z'") from None


def _read_unit(source: Source, arrays: dict[str, NDArray]) -> float:
    if "unit" not in arrays:
        return 1.0
    unit = _check_numbers(source, arrays, "unit", ())
    if unit <= 0:
        raise InputError(f"'unit' in {source.name} is {unit:g}", "give metres per file unit, above zero")
    return float(unit)
