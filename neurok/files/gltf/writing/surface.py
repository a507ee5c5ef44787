"""Writing vertices and triangles: attribute buffers, and one primitive per material."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from neurok.errors import OutputError
from neurok.files.gltf.numbering import NUMBER_ATTRIBUTE, split_numbers
from neurok.files.gltf.writing.builder import INDEX_TARGET, VERTEX_TARGET, GltfBuilder, JsonObject
from neurok.files.gltf.writing.materials import MaterialTable
from neurok.files.gltf.writing.normals import normalise_normals, normalise_tangents
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import carry_normals, carry_tangents

RESTART_INDEX = 65535  # the index that glTF reserves among 16-bit ones
POINTS_MODE = 0  # primitive mode


class GltfPrimitive(TypedDict, total=False):
    """A primitive of glTF: numbers of accessors by attribute, of indices and of a material."""

    attributes: dict[str, int]
    targets: list[dict[str, int]]
    indices: int
    material: int
    mode: int


@dataclass
class GltfSurface:
    """Writes pieces of one mesh, each with a buffer of some of its vertices.

    influence: the joints that each vertex follows and their weights, each [n, 4 k], for a skin.
    targets: morph displacements [unit], [r, n, 3] float32; turns: changes of NORMAL and TANGENT, the same.
    numbered: whether each vertex carries its number, so that a reader can restore the order.
    """

    builder: GltfBuilder
    mesh: Mesh
    influence: tuple[NDArray, NDArray] | None = None
    targets: NDArray | None = None
    turns: Mapping[str, NDArray] = field(default_factory=dict)
    numbered: bool = False
    _materials: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not np.isfinite(self.mesh.vertices).all():
            raise OutputError("the mesh has vertices that are not finite numbers", "repair the mesh first")
        if self.mesh.vertex_count and np.abs(self.mesh.vertices).max() > np.finfo(np.float32).max:
            raise OutputError("the mesh has vertices too far out for 32-bit numbers", "scale or move it first")
        names = [n for n in self.mesh.attributes if n.startswith("uv") and n[2:].isdigit()]
        self.uv_names = sorted(names, key=lambda n: int(n[2:]))
        uses = [u.uv_set for m in self.mesh.materials for u in m.textures.values()]
        if uses and not self.uv_names:
            self.uv_names = ["uv0"]  # a texture without coordinates shows its corner, as every viewer does
        # What a morph leaves alone needs no targets, unless it leaves all alone: its clip must hang on something.
        self._at_rest = self.targets is not None and not np.any(self.targets)
        self.color = _encode_color(self.mesh.attributes.get("color"))
        self._directions()
        table = MaterialTable(self.builder, {int(n[2:]): place for place, n in enumerate(self.uv_names)})
        self._materials = {index: table.add(m) for index, m in enumerate(self.mesh.materials)}

    def _directions(self) -> None:
        """Normals and tangents of unit length, None where the mesh has none; `stored`: which tangents it had, [n]."""
        stored = {
            k: np.asarray(v, dtype=np.float64) for k, v in self.mesh.attributes.items() if k in ("normal", "tangent")
        }
        self.normal = self.tangent = None
        if "normal" in stored:
            self.normal = normalise_normals(stored["normal"], self.mesh.vertices, self.mesh.faces)
        if self.normal is not None and "tangent" in stored:
            self.tangent = normalise_tangents(stored["tangent"], self.normal)
            self.stored = np.linalg.norm(stored["tangent"][:, :3], axis=1) > 0

    def piece(self, name: str, faces: Indices, vertices: Indices, T_local_world: Array | None = None) -> int:
        """A glTF mesh of the faces with these numbers, whose buffer holds the vertices with those (increasing).

        T_local_world: brings vertices into the frame of the node that carries the piece, [4, 4].
        """
        shared = self._buffer(vertices, faces, np.eye(4) if T_local_world is None else T_local_world)
        primitives: list[GltfPrimitive] = []
        labels = self.mesh.face_material[faces]
        for material in dict.fromkeys(labels.tolist()):
            corners = np.searchsorted(vertices, self.mesh.faces[faces[labels == material]].reshape(-1))
            small = len(vertices) <= RESTART_INDEX
            indices = self.builder.accessor(corners.astype("<u2" if small else "<u4"), target=INDEX_TARGET)
            primitive: GltfPrimitive = {**shared, "indices": indices}
            if material in self._materials:
                primitive["material"] = self._materials[material]
            primitives.append(primitive)
        if not primitives:
            primitives = [{**shared, "mode": POINTS_MODE}]  # vertices without faces
        entry: JsonObject = ({"name": name} if name else {}) | {"primitives": primitives}
        if "targets" in shared:
            entry["weights"] = [0.0] * len(shared["targets"])
        return self.builder.add("meshes", entry)

    def _buffer(self, vertices: Indices, faces: Indices, T_local_world: Array) -> GltfPrimitive:
        """Attributes and morph targets of some vertices, as a primitive names them."""
        take = _to_slice(vertices)
        linear, shift = T_local_world[:3, :3], T_local_world[:3, 3]
        moved = not np.array_equal(T_local_world, np.eye(4))
        position = self.mesh.vertices[take]
        position = position @ linear.T + shift if moved else position
        attributes = {"POSITION": self._vertex(position.astype("<f4"), bounds=True)}
        for name, values, carry in (
            ("NORMAL", self.normal, carry_normals),
            ("TANGENT", self.tangent if self._has_tangents(faces) else None, carry_tangents),
        ):
            if values is not None:
                values = carry(values[take], linear) if moved else values[take]
                attributes[name] = self._vertex(values.astype("<f4"))
        for place, name in enumerate(self.uv_names):
            uv = self.mesh.attributes.get(name)
            uv = np.zeros((len(vertices), 2)) if uv is None else np.nan_to_num(np.asarray(uv)[take])
            attributes[f"TEXCOORD_{place}"] = self._vertex(uv.astype("<f4"))
        if self.color is not None:
            attributes["COLOR_0"] = self._vertex(self.color[take], normalized=self.color.dtype != np.float32)
        if self.influence is not None:
            joints, weights = self.influence
            for place in range(joints.shape[1] // 4):
                four = slice(4 * place, 4 * place + 4)
                attributes[f"JOINTS_{place}"] = self._vertex(joints[take, four])
                attributes[f"WEIGHTS_{place}"] = self._vertex(weights[take, four])
        for name, values in self.mesh.attributes.items():
            if name.startswith("_") and name != NUMBER_ATTRIBUTE:  # what an application keeps for itself
                attributes |= self._private(name, np.asarray(values)[take])
        if self.numbered:
            attributes[NUMBER_ATTRIBUTE] = self._vertex(split_numbers(vertices))
        primitive: GltfPrimitive = {"attributes": attributes}
        if self.targets is not None and (self._at_rest or np.any(self.targets[:, take])):
            primitive["targets"] = self._morph_targets(self.targets, take, attributes)
        return primitive

    def _has_tangents(self, faces: Indices) -> bool:
        """Whether a piece is better off with its tangents: some are stored, and no normal map would be lit by guesses.

        A viewer makes tangents of its own for a primitive without; filled gaps are for single vertices.
        """
        if self.tangent is None:
            return False
        labels = self.mesh.face_material[faces]
        stored = {k: bool(self.stored[self.mesh.faces[faces[labels == k]]].any()) for k in np.unique(labels).tolist()}
        bumpy = [k for k in stored if k >= 0 and "normal" in self.mesh.materials[k].textures]
        return any(stored.values()) and all(stored[k] for k in bumpy)

    def _private(self, name: str, values: NDArray) -> dict[str, int]:
        values = np.nan_to_num(values.reshape(len(values), -1).astype("<f4"))
        if not 1 <= values.shape[1] <= 4:
            return {}
        return {name: self._vertex(values[:, 0] if values.shape[1] == 1 else values)}

    def _morph_targets(
        self, targets: NDArray, take: slice | Indices, attributes: Mapping[str, int]
    ) -> list[dict[str, int]]:
        entries = []
        for index, target in enumerate(targets):
            entries.append({"POSITION": self._vertex(target[take], bounds=True)})
            for name, turn in self.turns.items():
                if name in attributes:
                    entries[-1][name] = self._vertex(turn[index][take])
        return entries

    def _vertex(self, values: NDArray, **options: bool) -> int:
        return self.builder.accessor(values, target=VERTEX_TARGET, **options)


def _encode_color(color: NDArray | None) -> NDArray | None:
    """Colours [n, 4] as 8- or 16-bit fractions where these say exactly the same, else as float32."""
    if color is None:
        return None
    color = np.clip(np.nan_to_num(np.asarray(color, dtype=np.float64)), 0.0, 1.0)
    if color.shape[1] == 3:
        color = np.concatenate([color, np.ones((len(color), 1))], axis=1)
    exact = color.astype("<f4")
    for top, kind in ((255, "u1"), (65535, "<u2")):
        whole = np.round(color * top)
        if np.array_equal((whole / top).astype("<f4"), exact):
            return whole.astype(kind)
    return exact


def _to_slice(numbers: Indices) -> slice | Indices:
    """Consecutive numbers as a slice, which copies nothing."""
    if len(numbers) and numbers[-1] - numbers[0] + 1 == len(numbers):
        return slice(int(numbers[0]), int(numbers[-1]) + 1)
    return numbers
