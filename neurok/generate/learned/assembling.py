"""Shaped parts become an object like those of the programs: links, joints, colours and materials."""

from dataclasses import replace

import numpy as np
import torch

from neurok.data.procedural.procedural import ProceduralObject
from neurok.generate.learned.boxes import find_colliders
from neurok.generate.learned.carving import find_pitch, find_range
from neurok.generate.learned.layout import JOINT_TYPES, Layout
from neurok.generate.learned.trimming import Movable
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Material, Mesh, Part, merge
from neurok.materials.library import MaterialLibrary, load_library
from neurok.materials.part_properties import PartProperties
from neurok.materials.prediction.looks import to_linear
from neurok.materials.stated_parts import list_entries
from neurok.networks.part_code import PartCoder

WORDS = {0: "fixed", 1: "hinged", 2: "sliding", 3: "turning", 4: "screwed"}  # by the joint's type
LOOK_COUNT = 400  # points by which a part's colour and material are told


def assemble_object(
    shaped: Movable, coder: PartCoder, materials: tuple[str, ...], *, kind: str, scale: float, seed: int
) -> ProceduralObject:
    """The object in metres, standing on z = 0. materials: what codes tell apart; scale: metres per unit."""
    layout, library = shaped.layout, load_library()
    low = min(float(mesh.vertices[:, 2].min()) for mesh in shaped.meshes)
    names, holders = _name_parts(layout.joint), find_holders(layout)
    moving = [part for part in range(layout.count) if holders[part] == part]
    painted = [_paint_part(coder, shaped, part, (materials, library, names[part])) for part in range(layout.count)]
    links = []
    for part in moving:
        place = layout.pivot[part] if part else np.zeros(3)
        T = np.eye(4)
        T[:3, 3] = scale * (place - (0.0, 0.0, low))
        own = [piece for each in np.flatnonzero(holders == part) for piece in _find_pieces(shaped, int(each))]
        colliders = tuple(replace(piece, vertices=scale * (piece.vertices - place)) for piece in own)
        links.append(Link(names[part], T, colliders=colliders or None))
    row = {part: number for number, part in enumerate(moving)}
    owner = np.repeat([row[int(holder)] for holder in holders], [mesh.vertex_count for mesh in painted])
    joints = tuple(
        _make_joint(shaped, links, (row[part], row[int(holders[layout.parent[part]])]), part, scale)
        for part in moving[1:]
    )
    merged = merge([replace(mesh, vertices=scale * (mesh.vertices - (0.0, 0.0, low))) for mesh in painted])
    articulation = Articulation(merged, owner, tuple(links), joints, name=kind)
    return ProceduralObject(kind, seed, articulation, np.zeros(len(owner), dtype=bool))


def find_holders(layout: Layout) -> Indices:
    """The part that each belongs to: itself, or where it is fixed the one that holds it, [p]."""
    holders = np.arange(layout.count)
    for part in range(1, layout.count):
        if layout.joint[part] == 0:
            holders[part] = holders[layout.parent[part]]
    return holders


def _find_pieces(shaped: Movable, part: int) -> tuple[Mesh, ...]:
    return find_colliders(shaped.meshes[part], shaped.grids[part])


def _paint_part(
    coder: PartCoder, shaped: Movable, part: int, words: tuple[tuple[str, ...], MaterialLibrary, str]
) -> Mesh:
    """The mesh of a part in its colour, with what it is made of."""
    materials, library, label = words
    mesh = shaped.meshes[part]
    color, made = tell_looks(coder, shaped.layout, part, mesh.vertices)
    name = materials[int(np.argmax(made))]
    look = library.find(name).look
    red, green, blue = (float(channel) for channel in to_linear(color))
    tint = (red, green, blue, 1.0 - 0.65 * look.transmission)
    mode = "BLEND" if look.transmission > 0 else "OPAQUE"
    surface = Material(name, tint, look.metallic, look.roughness, alpha_mode=mode)
    stated = Part(label, -1, list_entries(PartProperties(material=name), library))
    zeros = np.zeros(mesh.face_count, dtype=np.int64)
    return replace(mesh, materials=(surface,), face_material=zeros, parts=(stated,), face_part=zeros)


def _name_parts(joint: Indices) -> tuple[str, ...]:
    count: dict[str, int] = {}
    names = ["base"]
    for kind in joint[1:]:
        word = WORDS[int(kind)]
        count[word] = count.get(word, 0) + 1
        names.append(f"{word}_{count[word]}")
    return tuple(names)


def _make_joint(shaped: Movable, links: list[Link], rows: tuple[int, int], part: int, scale: float) -> Joint:
    """The joint of a moving part; rows: of its link and of the one that holds it."""
    layout, (own, parent) = shaped.layout, rows
    kind, name = int(layout.joint[part]), links[own].name
    origin = np.linalg.inv(links[parent].T_world_link) @ links[own].T_world_link
    lower, upper = find_range(layout, part)
    axis = layout.axis[part]
    if kind == 3:
        return Joint(name, "continuous", parent, own, origin, axis)
    if kind == 2:
        lower, upper = lower * scale, upper * scale
    pitch = scale * find_pitch(layout, part) if kind == 4 else 0.0
    return Joint(name, JOINT_TYPES[kind], parent, own, origin, axis, lower, upper, pitch=pitch)


def tell_looks(coder: PartCoder, layout: Layout, part: int, points: Array) -> tuple[Array, Array]:
    """The mean colour of a part at points of its surface, sRGB [3], and the chances of its materials, [k]."""
    chosen = points[:: max(1, len(points) // LOOK_COUNT)]
    local = torch.from_numpy((chosen - layout.centre[part]) / layout.half[part]).float()[None].clamp(-1.1, 1.1)
    aspect = torch.from_numpy(np.log(layout.half[part] / layout.half[part].max())[None]).float()
    with torch.inference_mode():
        told = coder.decode(torch.from_numpy(layout.code[part][None]).float(), aspect, local)
    color = np.clip(told.color[0].double().numpy().mean(axis=0), 0.0, 1.0)
    return color, torch.softmax(told.logits[0], dim=-1).mean(dim=0).double().numpy()
