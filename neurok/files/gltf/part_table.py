"""Which part is which: how the tree of a mesh's parts survives where the nodes cannot form that tree.

Nodes are the parts of a file, unless bones had to be put between them, a skinned part to
the root, or faces without a part into a node of their own. A table of the parts is then
kept with the scene, in the order of the mesh, and the nodes that show faces say whose.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.files.gltf.reading import fields
from neurok.files.gltf.reading.container import GltfDocument
from neurok.files.gltf.reading.fields import Record
from neurok.files.gltf.reading.scene import GltfScene
from neurok.files.gltf.writing.builder import GltfBuilder
from neurok.files.part_tree import parse_parts
from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import Mesh, Part
from neurok.materials.stated_parts import find_statement, keep_known

PREFIX = "neurok:"  # of what the extras of a node say of the material of its part


def write_part_table(builder: GltfBuilder, parts: Sequence[Part]) -> None:
    """Add the table of parts to the file where the nodes themselves do not show the tree of parts."""
    nodes = builder.tables["nodes"]
    parents = {child: node for node, entry in enumerate(nodes) for child in entry.get("children", ())}
    seen = [(entry.get("name"), parents.get(node, -1)) for node, entry in enumerate(nodes)]
    same = seen == [(part.name, part.parent) for part in parts] and all(
        node == part for node, part in builder.node_part.items()
    )
    if same or not parts:
        return
    names, above = [part.name for part in parts], [part.parent for part in parts]
    builder.scene_extras["parts"] = {"names": names, "parents": above}
    for node, part in builder.node_part.items():
        nodes[node]["extras"] = {**nodes[node].get("extras", {}), "part": part}


def state_node(builder: GltfBuilder, node: int, mesh: Mesh, part: int) -> None:
    """Say in the extras of a node what its part is made of: `neurok:material`, `neurok:density` and so on."""
    said = {f"{PREFIX}{key}": value for key, value in find_statement(mesh, part).items()}
    if said:
        entry = builder.tables["nodes"][node]
        entry["extras"] = {**entry.get("extras", {}), **said}


def read_properties(parts: Sequence[Part], owner: Indices, scene: GltfScene) -> tuple[Part, ...]:
    """The parts with what their nodes state of materials; owner: as `read_parts` gives it."""
    found = list(parts)
    for node, part in zip(scene.nodes, owner.tolist()):
        extras = _as_record(node.item.get("extras"))
        said = keep_known({key.removeprefix(PREFIX): v for key, v in extras.items() if key.startswith(PREFIX)})
        if said and part >= 0 and not found[part].properties:
            found[part] = replace(found[part], properties=said)
    return tuple(found)


def read_parts(document: GltfDocument, scene: GltfScene) -> tuple[tuple[Part, ...], Indices]:
    """The parts of the displayed scene, and the part that each shown node's faces belong to (-1 for none), [shown]."""
    nodes = scene.nodes[: scene.shown]
    table = _as_record(_as_record(_as_record(scene.item).get("extras")).get("parts"))
    if table:
        found = _parse_table(table)
        if found is not None:
            owner = _find_owners(found, scene)
            if owner is not None:
                return found, owner
        document.add_note("the file's table of parts does not fit its nodes any more; the nodes are the parts")
    return tuple(Part(node.name, node.parent) for node in nodes), np.arange(len(nodes))


def _as_record(value: object) -> Record:
    """The value as a JSON object, empty where it is none: the extras of other programs may be anything."""
    return value if isinstance(value, dict) else {}


def _parse_table(table: Record) -> tuple[Part, ...] | None:
    names, parents = table.get("names"), table.get("parents")
    if not isinstance(names, list) or not isinstance(parents, list):
        return None
    if not all(isinstance(name, str) for name in names) or not all(type(p) is int for p in parents):
        return None
    return parse_parts([fields.text({"name": name}, "name") for name in names], parents)


def _find_owners(parts: Sequence[Part], scene: GltfScene) -> Indices | None:
    """The part of each shown node that has faces, [shown]; None where a node states no part or has been renamed."""
    owner = np.full(scene.shown, -1)
    for place, node in enumerate(scene.nodes[: scene.shown]):
        if node.item.get("mesh") is None:
            continue
        part = _as_record(node.item.get("extras")).get("part")
        if type(part) is not int or not -1 <= part < len(parts):
            return None
        if part >= 0 and parts[part].name != fields.text(node.item, "name"):
            return None
        owner[place] = part
    return owner
