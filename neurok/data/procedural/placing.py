"""Moving, turning, mirroring and colouring pieces; every function returns a new mesh."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.mesh import NO_LABELS, Material, Mesh, Part, merge
from neurok.geometry.placement import transform
from neurok.geometry.rotation import rotation

Vector = Sequence[float] | Array
Points = Sequence[Sequence[float]] | Array

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def direction(axis: str | Vector) -> Array:
    """A unit vector, [3], from 'x', '-y', ... or any vector."""
    if isinstance(axis, str):
        return np.array(AXES[axis[-1]]) * (-1.0 if axis[0] == "-" else 1.0)
    vector = np.asarray(axis, dtype=np.float64)
    return vector / np.linalg.norm(vector)


def translate(mesh: Mesh, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Mesh:
    return mesh.with_vertices(mesh.vertices + (x, y, z))


def rotate(mesh: Mesh, axis: str | Vector, degrees: float, about: Vector = (0.0, 0.0, 0.0)) -> Mesh:
    """Turned about an axis through a point [m], counter-clockwise when the axis points at you."""
    R = rotation(np.radians(degrees) * direction(axis))
    return mesh.with_vertices((mesh.vertices - about) @ R.T + about)


def mirror(mesh: Mesh, axis: str = "x") -> Mesh:
    """The mirror image across the plane through the origin that the axis pierces; still looking outwards."""
    T = np.diag([*(1.0 - 2.0 * direction(axis)), 1.0])
    return transform(mesh, T)


def align(mesh: Mesh, axis: str | Vector, at: Vector = (0.0, 0.0, 0.0)) -> Mesh:
    """A piece made along +z turned so that its z points along the axis, and moved to a point."""
    w = direction(axis)
    turn = np.cross((0.0, 0.0, 1.0), w)
    sine, cosine = np.linalg.norm(turn), w[2]
    if sine > 1e-12:
        R = rotation(turn / sine * np.arctan2(sine, cosine))
    else:
        R = np.eye(3) if cosine > 0 else np.diag([1.0, -1.0, -1.0])
    return mesh.with_vertices(mesh.vertices @ R.T + np.asarray(at, dtype=np.float64))


def repeat_around(
    mesh: Mesh, count: int, axis: str = "z", about: Vector = (0.0, 0.0, 0.0), start: float = 0.0
) -> list[Mesh]:
    """Copies spread evenly about an axis, the first turned by `start` degrees."""
    return [rotate(mesh, axis, start + 360.0 * i / count, about) for i in range(count)]


def paint(material: Material, *meshes: Mesh | list[Mesh], parts: str = "") -> Mesh:
    """Pieces (or lists of them) as one mesh of one material.

    parts: what each argument is, in words with commas between; nothing where it has no name of its own. What is
    labelled already keeps its label, and what has none is called after the material.
    """
    names = [name.strip() for name in parts.split(",")] if parts else []
    flat = []
    for index, item in enumerate(meshes):
        name = names[index] if index < len(names) else ""
        pieces = item if isinstance(item, list) else [item]
        flat += [piece if piece.parts or not name else label(name, piece) for piece in pieces]
    plain = label(material.name, merge([replace(m, materials=(), face_material=NO_LABELS) for m in flat]))
    owners = np.repeat(np.arange(len(flat)), [m.face_count for m in flat])
    labels, rows = np.unique([m.parts[0].name if m.parts else material.name for m in flat], return_inverse=True)
    none = np.zeros(plain.face_count, dtype=np.int64)
    return replace(
        plain, materials=(material,), face_material=none,
        parts=tuple(Part(str(name)) for name in labels), face_part=rows[owners],
    )  # fmt: skip


def label(name: str, mesh: Mesh) -> Mesh:
    """The mesh as one part with a name for people."""
    return replace(mesh, parts=(Part(name),), face_part=np.zeros(mesh.face_count, dtype=np.int64))
