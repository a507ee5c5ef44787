"""Writes a plain GLB: nodes with triangles and materials, vertices and triangles in the order in which they come.

Blender's own exporter splits and reorders vertices, and then nobody knows which of them neurok speaks of.
"""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

POSITIONS, INDICES = 34962, 34963  # buffer targets of glTF
FLOAT, UNSIGNED_INT = 5126, 5125  # component types of glTF


@dataclass(frozen=True)
class Material:
    """A name and a colour, red, green, blue and alpha from 0 to 1."""

    name: str
    colour: tuple[float, float, float, float]


@dataclass(frozen=True)
class Piece:
    """A node: vertices [m], [n, 3], and the triangles [k, 3] of each of its materials, -1 for none."""

    name: str
    vertices: NDArray[np.float64]
    triangles: tuple[tuple[int, NDArray[np.int64]], ...]

    @property
    def triangle_count(self) -> int:
        return sum(len(rows) for _, rows in self.triangles)


class _Buffer:
    """The binary chunk, with its views and accessors."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, int]] = []
        self.accessors: list[dict[str, object]] = []

    def add(self, array: NDArray[np.generic], target: int, entry: dict[str, object]) -> int:
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes, "target": target}
        self.data += array.tobytes()  # all numbers have four bytes, so that every view is aligned
        self.views.append(view)
        self.accessors.append({"bufferView": len(self.views) - 1, "count": len(array), **entry})
        return len(self.accessors) - 1

    def add_positions(self, points: NDArray[np.float32]) -> int:
        bounds: dict[str, object] = {"min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()}
        return self.add(points, POSITIONS, {"componentType": FLOAT, "type": "VEC3", **bounds})

    def add_indices(self, triangles: NDArray[np.int64]) -> int:
        numbers = triangles.astype("<u4").reshape(-1)
        return self.add(numbers, INDICES, {"componentType": UNSIGNED_INT, "type": "SCALAR"})


def write_glb(path: Path, pieces: Sequence[Piece], materials: Sequence[Material] = ()) -> None:
    """Write the pieces as nodes side by side; each is written about its own middle, since positions are single."""
    buffer = _Buffer()
    shown = [piece for piece in pieces if piece.triangle_count]
    meshes, nodes = [], []
    for number, piece in enumerate(shown):
        middle = 0.5 * (piece.vertices.min(axis=0) + piece.vertices.max(axis=0))
        position = buffer.add_positions((piece.vertices - middle).astype("<f4"))
        primitives = [
            {"attributes": {"POSITION": position}, "indices": buffer.add_indices(rows)}
            | ({"material": material} if material >= 0 else {})
            for material, rows in piece.triangles
            if len(rows)
        ]
        meshes.append({"name": piece.name, "primitives": primitives})
        nodes.append({"name": piece.name, "mesh": number, "translation": middle.tolist()})
    document: dict[str, object] = {
        "asset": {"version": "2.0", "generator": "neurok for Blender"},
        "scene": 0, "scenes": [{"nodes": list(range(len(nodes)))}], "nodes": nodes, "meshes": meshes,
        "accessors": buffer.accessors, "bufferViews": buffer.views, "buffers": [{"byteLength": len(buffer.data)}],
    }  # fmt: skip
    if materials:
        document["materials"] = [
            {"name": each.name, "pbrMetallicRoughness": {"baseColorFactor": list(each.colour)}} for each in materials
        ]
    _write_chunks(path, json.dumps(document).encode(), bytes(buffer.data))


def _write_chunks(path: Path, text: bytes, data: bytes) -> None:
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as stream:
        stream.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)))
        stream.write(struct.pack("<I4s", len(text), b"JSON") + text)
        stream.write(struct.pack("<I4s", len(data), b"BIN\0") + data)
