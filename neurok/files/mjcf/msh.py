"""MSH, the binary mesh of former versions of MuJoCo: four counts, then single precision numbers and indices."""

import numpy as np

from neurok.errors import InputError
from neurok.geometry.mesh import Mesh

HEADER_BYTES = 16


def read_msh(data: bytes, name: str) -> Mesh:
    """The vertices, texture coordinates and faces of a file's bytes."""
    broken = InputError(f"{name} is no MSH file, or a damaged one", "export it again, as OBJ if possible")
    if len(data) < HEADER_BYTES:
        raise broken
    points, normals, coordinates, faces = (int(x) for x in np.frombuffer(data[:HEADER_BYTES], dtype="<i4"))
    sizes = [3 * points, 3 * normals, 2 * coordinates, 3 * faces]
    if min(sizes) < 0 or points == 0 or HEADER_BYTES + 4 * sum(sizes) != len(data):
        raise broken
    numbers = np.frombuffer(data[HEADER_BYTES:], dtype="<f4")
    ends = np.cumsum(sizes)
    vertices = numbers[: ends[0]].reshape(-1, 3).astype(np.float64)
    corners = np.frombuffer(data[HEADER_BYTES + 4 * int(ends[2]) :], dtype="<i4").reshape(-1, 3)
    if not np.isfinite(vertices).all():
        raise broken
    uv = numbers[ends[1] : ends[2]].reshape(-1, 2)
    return Mesh(vertices, corners, attributes={"uv0": uv} if len(uv) == len(vertices) else {})
