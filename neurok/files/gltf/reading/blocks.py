"""Geometry: the primitives of meshes, decoded into blocks of vertices that one node shows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.files.gltf.reading import fields
from neurok.files.gltf.reading.accessors import (
    decode_accessor,
    decode_finite,
    decode_indices,
    denormalise,
    read_accessor_count,
    read_accessor_width,
)
from neurok.files.gltf.reading.compression import decode_draco, find_draco_view
from neurok.files.gltf.reading.container import GltfDocument
from neurok.files.gltf.reading.fields import Record, damage_error
from neurok.files.gltf.reading.scene import GltfScene
from neurok.files.gltf.reading.skins import BoundSkin, SkinBinding, VertexWeights, read_node_binding, read_weights
from neurok.geometry.arrays import Array, Indices

PRIMITIVE_MODES = ("points", "lines", "line loops", "line strips", "triangles", "strips", "fans")


@dataclass(frozen=True)
class GltfGeometry:
    """One set of vertices, in the mesh's own axes, and the triangles that use it.

    positions [n, 3]; attributes by Mesh's names, each [n, d] float32.
    primitives: triangles [m, 3] and their material (or -1).
    morphs: per target, displacements by name (`position`, `normal`, `tangent`), each [n, 3].
    influence: the joints that the vertices follow, where the file says so.
    """

    positions: Array
    attributes: dict[str, NDArray]
    primitives: tuple[tuple[Indices, int], ...]
    morphs: tuple[dict[str, NDArray], ...]
    influence: VertexWeights | None


@dataclass(frozen=True)
class GltfBlock:
    """A geometry as one node shows it; influences are the default weights of its morph targets, [k]."""

    node: int
    geometry: GltfGeometry
    skin: BoundSkin | None
    influences: Array


def read_blocks(document: GltfDocument, scene: GltfScene) -> tuple[GltfBlock, ...]:
    """The blocks of all shown nodes, depth-first, primitives in file order."""
    shown = [
        (i, fields.optional_index(node.item, "mesh", node.name)) for i, node in enumerate(scene.nodes[: scene.shown])
    ]
    instances = [(i, mesh) for i, mesh in shown if mesh is not None]
    groups = {mesh: _group_primitives(document, mesh) for mesh in dict.fromkeys(m for _, m in instances)}
    if not any(groups.values()):
        _refuse_bare_points(document, list(groups))
    _check_size(document, groups, [mesh for _, mesh in instances])
    geometries = {m: [_read_geometry(document, m, group) for group in groups[m]] for m in groups}
    skins: dict[int, SkinBinding] = {}
    blocks = []
    for i, mesh in instances:
        binding = read_node_binding(document, scene, i, skins)
        for geometry in geometries[mesh]:
            blocks.append(_read_block(document, scene, i, mesh, geometry, binding))
    return tuple(blocks)


def _read_block(
    document: GltfDocument, scene: GltfScene, node: int, mesh: int, geometry: GltfGeometry, binding: SkinBinding | None
) -> GltfBlock:
    name = scene.nodes[node].name
    skin = None if binding is None else _bind_skin(document, name, geometry, binding)
    given = fields.any_numbers(scene.nodes[node].item, "weights", name)
    given = given or fields.any_numbers(document.item("meshes", mesh), "weights", f"mesh {mesh}")
    influences = np.zeros(len(geometry.morphs))
    count = min(len(given), len(influences))
    influences[:count] = given[:count]
    return GltfBlock(node, geometry, skin, influences)


def _bind_skin(document: GltfDocument, name: str, geometry: GltfGeometry, binding: SkinBinding) -> BoundSkin | None:
    """The skin of a node over a geometry; None, with a note, where the geometry has no weights."""
    influence = geometry.influence
    if influence is None:
        document.add_note(f"{name} has a skin and no weights; it is moved as a rigid node")
        return None
    if len(influence.joints) and influence.joints.max() >= len(binding.joints):
        raise damage_error(f"a vertex of {name} follows joint {influence.joints.max()} of {len(binding.joints)}")
    return BoundSkin(binding, influence)


def _group_primitives(document: GltfDocument, mesh: int) -> list[list[Record]]:
    """Primitives that draw triangles, together where their vertices are the very same accessors."""
    groups: dict[str, list[Record]] = {}
    what = f"mesh {mesh}"
    for primitive in fields.records(document.item("meshes", mesh), "primitives", what):
        mode = fields.index(primitive, "mode", what, 4)
        if mode >= len(PRIMITIVE_MODES):
            raise damage_error(f"a primitive of {what} has the unknown mode {mode}")
        attributes = fields.record(primitive, "attributes", what)
        if mode < 4:
            document.add_note(f"{PRIMITIVE_MODES[mode]} in {what} are left out: only triangles are read")
        elif "POSITION" not in attributes:
            document.add_note(f"a primitive of {what} without positions is left out")
        else:
            targets = fields.records(primitive, "targets", what)
            key = repr((sorted(attributes.items(), key=repr), targets, find_draco_view(primitive)))
            groups.setdefault(key, []).append(primitive)
    return list(groups.values())


def _refuse_bare_points(document: GltfDocument, meshes: list[int]) -> None:
    """An error for a scene that draws points or lines alone: they have no surface that could move."""
    primitives = [p for m in meshes for p in fields.records(document.item("meshes", m), "primitives", f"mesh {m}")]
    drawn = {PRIMITIVE_MODES[mode] for p in primitives if (mode := fields.index(p, "mode", "a primitive", 4)) < 4}
    if drawn:
        raise InputError(
            f"the file holds only {' and '.join(sorted(drawn))}, no triangles",
            "make a surface of them (a scanner's program or MeshLab does) and export that",
        )


def _check_size(document: GltfDocument, groups: dict[int, list[list[Record]]], instances: list[int]) -> None:
    """Refuse a small file that would become enormous, by many nodes that show one mesh or by many attributes."""
    vertices: dict[int, int] = {}
    corners: dict[int, int] = {}
    widths: dict[str, int] = {}
    for mesh, members in groups.items():
        vertices[mesh] = corners[mesh] = 0
        for group in members:
            attributes = {
                k: fields.whole(v, k) for k, v in fields.record(group[0], "attributes", "a primitive").items()
            }
            count = read_accessor_count(document, attributes["POSITION"])
            vertices[mesh] += count
            for name, place in attributes.items():
                widths[name] = max(widths.get(name, 0), read_accessor_width(document, place))
            for primitive in group:
                indices = fields.optional_index(primitive, "indices", "a primitive")
                corners[mesh] += count if indices is None else read_accessor_count(document, indices)
    # Positions and faces are kept twice: as decoded and as displayed.
    document.reserve_memory(sum(vertices[m] * (48 + 8 * sum(widths.values())) + corners[m] * 24 for m in instances))


def _read_geometry(document: GltfDocument, mesh: int, group: list[Record]) -> GltfGeometry:
    what = f"mesh {mesh}"
    places = fields.record(group[0], "attributes", what)
    if find_draco_view(group[0]) is None:
        arrays = {k: decode_accessor(document, fields.whole(v, f"{k[:40]} of {what}")) for k, v in places.items()}
        triangles = None
    else:
        triangles, arrays = _read_draco_arrays(document, group[0], places, what)
    count = len(arrays["POSITION"])
    for name, array in arrays.items():
        if len(array) != count:
            raise damage_error(f"{what} has {len(array)} values of {name[:40]} for {count} vertices")
    _check_positions(arrays["POSITION"], what)
    morphs = tuple(_read_morph(document, target, count, what) for target in fields.records(group[0], "targets", what))
    influence = read_weights(arrays, what)
    primitives = tuple(
        (
            _read_triangles(document, p, count, what) if triangles is None else triangles,
            fields.index(p, "material", what) if p.get("material") is not None else -1,
        )
        for p in group
    )
    return GltfGeometry(arrays["POSITION"], _rename_attributes(document, arrays, what), primitives, morphs, influence)


def _check_positions(positions: NDArray, what: str) -> None:
    if positions.shape[1] != 3:
        raise damage_error(f"{what} has positions of {positions.shape[1]} numbers")
    if positions.dtype.kind == "f" and not np.isfinite(positions).all():
        raise damage_error(f"{what} has positions that are not finite")


def _read_draco_arrays(
    document: GltfDocument, primitive: Record, places: Record, what: str
) -> tuple[Indices, dict[str, NDArray]]:
    """Triangles and attributes of a Draco primitive; attributes outside the stream come from their accessors."""
    faces, decoded = decode_draco(document, primitive)
    arrays = {}
    for name, place in places.items():
        place = fields.whole(place, f"{name[:40]} of {what}")
        if name not in decoded:
            arrays[name] = decode_accessor(document, place)
            continue
        accessor = document.item("accessors", place)
        array = decoded[name]
        if array.shape[1] != read_accessor_width(document, place):
            raise damage_error(f"{name[:40]} of {what} has {array.shape[1]} numbers in its Draco stream")
        arrays[name] = denormalise(array) if accessor.get("normalized") is True else array
    if len(faces) and (faces.min() < 0 or faces.max() >= len(arrays["POSITION"])):
        raise damage_error(f"{what} refers to vertex {faces.max()} of {len(arrays['POSITION'])}")
    return faces, arrays


def _read_triangles(document: GltfDocument, primitive: Record, count: int, what: str) -> Indices:
    """Triangles of a primitive that is a list, a strip or a fan, indexed or not, [m, 3]."""
    place = fields.optional_index(primitive, "indices", what)
    corners = np.arange(count) if place is None else decode_indices(document, place)
    if len(corners) and corners.max() >= count:
        raise damage_error(f"{what} refers to vertex {corners.max()} of {count}")
    mode = fields.index(primitive, "mode", what, 4)
    if mode == 4:
        if len(corners) % 3:
            document.add_note(f"{what} ends in the middle of a triangle; the rest is left out")
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    if len(corners) < 3:
        return np.zeros((0, 3), dtype=np.int64)
    if mode == 6:
        return np.stack([corners[1:-1], corners[2:], np.broadcast_to(corners[0], len(corners) - 2)], axis=1)
    strip = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    strip[1::2] = strip[1::2][:, [0, 2, 1]]
    # A strip repeats a vertex to jump elsewhere; those slivers are no triangles of the object.
    return strip[(strip[:, 0] != strip[:, 1]) & (strip[:, 1] != strip[:, 2]) & (strip[:, 0] != strip[:, 2])]


def _read_morph(document: GltfDocument, target: Record, count: int, what: str) -> dict[str, NDArray]:
    names = {"POSITION": "position", "NORMAL": "normal", "TANGENT": "tangent"}
    morph = {}
    for key in names.keys() & target.keys():
        array = decode_finite(document, fields.index(target, key, what), width=3)
        if len(array) != count:
            raise damage_error(f"a morph target of {what} has {len(array)} values of {key} for {count} vertices")
        morph[names[key]] = array
    return morph


def _rename_attributes(document: GltfDocument, arrays: dict[str, NDArray], what: str) -> dict[str, NDArray]:
    """Attributes under Mesh's names, float32."""
    result = {}
    for key, array in arrays.items():
        name = _find_attribute_name(key)
        if name is None:
            if not key.startswith(("POSITION", "JOINTS_", "WEIGHTS_")):
                document.add_note(f"the attribute {fields.text({'name': key}, 'name')[:40]} of {what} is left out")
            continue
        plain = array.dtype.kind == "f" or name.startswith("_")
        array = array.astype(np.float32) if plain else denormalise(array)
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            document.add_note(f"{name} of {what} has values that are not finite and is left out")
        elif name == "color" and array.shape[1] == 3:
            result[name] = np.concatenate([array, np.ones((len(array), 1), np.float32)], axis=1)
        elif array.shape[1] == ATTRIBUTE_WIDTHS.get(name.rstrip("0123456789"), array.shape[1]) or name.startswith("_"):
            result[name] = array
        else:
            raise damage_error(f"{name} of {what} has {array.shape[1]} numbers per vertex")
    return result


ATTRIBUTE_WIDTHS = {"normal": 3, "tangent": 4, "uv": 2, "color": 4}


def _find_attribute_name(key: str) -> str | None:
    known = {"NORMAL": "normal", "TANGENT": "tangent", "COLOR_0": "color"}
    if key in known:
        return known[key]
    if key.startswith("TEXCOORD_") and key[9:].isascii() and key[9:].isdigit() and len(key) < 12:
        return f"uv{int(key[9:])}"
    return fields.text({"name": key}, "name") if key.startswith("_") else None
