"""Small glTF files, put together number by number: what the tests of the reader read."""

import json
import struct
from pathlib import Path

import numpy as np

from neurok.files.gltf import read
from neurok.files.registry import Asset
from neurok.files.source import Source

COMPONENTS = {"int8": 5120, "uint8": 5121, "int16": 5122, "uint16": 5123, "uint32": 5125, "float32": 5126}
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=np.float32)
SQUARE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=np.float32)


class Draft:
    """A glTF tree and its one buffer."""

    def __init__(self) -> None:
        self.tree: dict = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": [], "buffers": []}
        self.data = b""

    def view(self, data: bytes, **extra: object) -> int:
        self.data += b"\0" * (-len(self.data) % 4)
        self.tree["bufferViews"].append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data), **extra})
        self.data += data
        return len(self.tree["bufferViews"]) - 1

    def accessor(self, array: np.ndarray, **extra: object) -> int:
        array = np.asarray(array)
        item = {
            "bufferView": self.view(array.tobytes()),
            "componentType": COMPONENTS[array.dtype.name],
            "count": len(array),
            "type": KINDS[array[0].size if len(array) else 1],
        }
        self.tree["accessors"].append({**item, **extra})
        return len(self.tree["accessors"]) - 1

    def add(self, kind: str, item: dict) -> int:
        self.tree.setdefault(kind, []).append(item)
        return len(self.tree[kind]) - 1

    def mesh(self, positions: np.ndarray = TRIANGLE, indices: object = None, **extra: object) -> int:
        """A mesh of one primitive; extra goes into the primitive, `attributes` beside the positions."""
        attributes = {"POSITION": self.accessor(positions), **extra.pop("attributes", {})}
        primitive = {"attributes": attributes, **extra}
        if indices is not None:
            primitive["indices"] = self.accessor(np.asarray(indices, dtype=np.uint16))
        return self.add("meshes", {"primitives": [primitive]})

    def animation(self, node: int, path: str, times: object, values: object, kind: str = "LINEAR") -> int:
        sampler = {
            "input": self.accessor(np.asarray(times, dtype=np.float32)),
            "output": self.accessor(np.asarray(values, dtype=np.float32)),
            "interpolation": kind,
        }
        channel = {"sampler": 0, "target": {"node": node, "path": path}}
        return self.add("animations", {"samplers": [sampler], "channels": [channel]})

    def glb(self) -> bytes:
        tree = {**self.tree, "buffers": [{"byteLength": len(self.data)}]}
        return pack(tree, self.data)

    def read(self, folder: Path) -> Asset:
        path = folder / "scene.glb"
        path.write_bytes(self.glb())
        return read(Source(path))


def pack(tree: object, data: bytes) -> bytes:
    """A GLB of a tree (or of raw JSON text) and a binary chunk."""
    text = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    length = 12 + 8 + len(text) + 8 + len(data)
    head = struct.pack("<4sIIII", b"glTF", 2, length, len(text), 0x4E4F534A)
    return head + text + struct.pack("<II", len(data), 0x004E4942) + data


def turn(axis: int, degrees: float) -> list[float]:
    """The quaternion (x, y, z, w) of a turn about a coordinate axis."""
    half = np.radians(degrees) / 2
    q = [0.0, 0.0, 0.0, float(np.cos(half))]
    q[axis] = float(np.sin(half))
    return q


def arm() -> Draft:
    """Four points on a rod along y, the upper two on a joint at y = 1 that bends by 90 degrees within a second."""
    draft = Draft()
    points = np.array([[0, 0, 0], [0.1, 1, 0], [0, 2, 0], [0.1, 2, 0]], dtype=np.float32)
    bind = np.stack([np.eye(4), np.eye(4)]).astype(np.float32)
    bind[1, 1, 3] = -1.0
    joints = np.array([[0, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]], dtype=np.uint8)
    weights = np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]], dtype=np.float32)
    attributes = {"JOINTS_0": draft.accessor(joints), "WEIGHTS_0": draft.accessor(weights)}
    mesh = draft.mesh(points, [0, 1, 2, 1, 3, 2], attributes=attributes)
    matrices = draft.accessor(bind.transpose(0, 2, 1).reshape(2, 16))
    draft.add("skins", {"joints": [1, 2], "inverseBindMatrices": matrices})
    draft.add("nodes", {"name": "rod", "mesh": mesh, "skin": 0, "translation": [5, 5, 5]})
    draft.add("nodes", {"name": "lower", "children": [2]})
    draft.add("nodes", {"name": "upper", "translation": [0, 1, 0]})
    draft.add("scenes", {"nodes": [0, 1]})
    draft.animation(2, "rotation", [0, 1], [turn(2, 0), turn(2, 90)])
    return draft


def everything() -> Draft:
    """A bit of all that the reader knows, small enough to be mutated byte by byte."""
    draft = arm()
    image = draft.view(b"\x89PNG not really")
    draft.add("images", {"bufferView": image, "mimeType": "image/png"})
    draft.add("samplers", {"wrapS": 33071})
    draft.add("textures", {"source": 0, "sampler": 0})
    draft.add("materials", {"name": "red", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}})
    delta = draft.accessor(np.ones((4, 3), dtype=np.float32))
    sparse = {
        "count": 1,
        "indices": {"bufferView": draft.view(np.array([2], dtype=np.uint16).tobytes()), "componentType": 5123},
        "values": {"bufferView": draft.view(np.ones(3, dtype=np.float32).tobytes())},
    }
    base = {"componentType": 5126, "count": 4, "type": "VEC3", "sparse": sparse}
    color = draft.accessor(np.full((4, 4), 128, dtype=np.uint8), normalized=True)
    normal = draft.accessor(np.tile(np.float32([0, 0, 1]), (4, 1)))
    attributes = {"COLOR_0": color, "NORMAL": normal}
    mesh = draft.mesh(SQUARE, [0, 1, 2, 3], mode=5, material=0, attributes=attributes)
    draft.tree["meshes"][mesh]["primitives"][0]["targets"] = [
        {"POSITION": delta},
        {"POSITION": draft.add("accessors", base)},
    ]
    node = draft.add("nodes", {"mesh": mesh, "matrix": [-2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1]})
    draft.tree["scenes"][0]["nodes"].append(node)
    draft.animation(node, "weights", [0, 0.5, 1], [0, 0, 1, 0, 0.5, 0.5])
    spline = np.zeros((2, 3, 3))
    spline[1, 1] = 1.0
    draft.animation(1, "translation", [0, 1], spline.reshape(-1, 3), "CUBICSPLINE")
    return draft
