"""part_list: every part of an object that a person can name, with how it moves and where it is taken hold of.

The file's names come first, then plain ones such as drawer_1, lid and door_left for what the file leaves nameless.
Where a file has no joints, they are found as `neurok articulate` finds them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from neurok.articulate.examples import BATCH_PART_COUNT
from neurok.articulate.learned_parts import find_any_parts
from neurok.articulate.naming import GENERIC_NAME, name_links
from neurok.articulate.predict import predict_articulation
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation, Joint
from neurok.geometry.grasp import Hinge
from neurok.geometry.links import find_moving_joints
from neurok.geometry.mesh import Mesh, Part
from neurok.geometry.named_parts import NamedPart, find_named
from neurok.geometry.parts import find_coats

MOTION_WORDS = {
    "revolute": "turns", "continuous": "turns", "prismatic": "slides", "screw": "twists", "cylindrical": "twists",
}  # fmt: skip


@dataclass(frozen=True)
class PartList:
    """The parts of an object; joints: the file's, or those that were found (None: not looked for); origin: in words."""

    parts: tuple[NamedPart, ...]
    joints: Articulation | None
    origin: str


def list_parts(
    mesh: Mesh, joints: Articulation | None = None, progress: Callable[[float], None] | None = None
) -> PartList:
    """All parts of a mesh, or of an object with joints, that have a name or get one."""
    if joints is not None and len(joints.links) > 1:
        named = name_links(joints)
        return PartList(_list_all(named, [link.name for link in joints.links]), named, "the links of the file")
    found_parts = find_any_parts(mesh)
    pieces, origin = found_parts.parts, found_parts.origin
    if pieces.count > BATCH_PART_COUNT:  # the search would take minutes
        origin = f"{origin}; {pieces.count} are too many to be tried for joints"
        return PartList(tuple(_list_pieces(mesh, None, _find_coats(mesh))), None, origin)
    found = predict_articulation(mesh, pieces, motions=found_parts.motions, progress=progress)
    known = {part.name for part in mesh.parts}
    own = [link.name if link.name in known else "" for link in found.links]
    return PartList(_list_all(found, own, _find_coats(mesh)), found, origin)


def _find_coats(mesh: Mesh) -> set[str]:
    """The names of pieces that are one material of a piece above them: no parts of their own."""
    return {mesh.parts[index].name for index in find_coats(mesh)}


def _list_all(joints: Articulation, own_names: list[str], aside: Collection[str] = ()) -> tuple[NamedPart, ...]:
    """The links that have a surface, and below them the named pieces of the file, but for some names."""
    links = list(_list_links(joints, own_names))
    taken = {name for part in links for name in (part.name, *part.other_names)}
    found = [*links, *_list_pieces(joints.mesh, joints, taken | set(aside))]
    return tuple(sorted(found, key=lambda part: part.source != "file"))


def _list_links(joints: Articulation, own_names: list[str]) -> Iterator[NamedPart]:
    """A part for each link with faces; own_names: what the file calls the links, '' for nothing."""
    face_link = np.asarray(joints.vertex_link)[joints.mesh.faces[:, 0]]
    for index, link in enumerate(joints.links):
        faces = np.flatnonzero(face_link == index)
        if len(faces):
            own = own_names[index]
            other = (own,) if own and own != link.name else ()
            yield _describe_part(joints, link.name, faces, index, "file" if own == link.name else "found", other)


def _list_pieces(mesh: Mesh, joints: Articulation | None, taken: set[str]) -> Iterator[NamedPart]:
    """A part for each name among the pieces of the file that means something and is not taken."""
    below = _gather_faces(mesh)
    rows = list(range(len(mesh.parts)))
    if joints is not None:  # what a file of joints names far below its links are pieces of drawings
        links = {link.name for link in joints.links} | taken
        tops = [row for row, part in enumerate(mesh.parts) if part.parent < 0 or mesh.parts[part.parent].name in links]
        rows = [row for row in rows if row in set(tops)]
    for name in dict.fromkeys(mesh.parts[row].name for row in rows):
        if name in taken or GENERIC_NAME.fullmatch(name.strip()):
            continue
        own = [below[row] for row in rows if mesh.parts[row].name == name]
        faces = np.unique(np.concatenate(own))
        if not len(faces):
            continue
        if joints is None:
            yield NamedPart(name, mesh, faces)
        else:
            link = np.bincount(np.asarray(joints.vertex_link)[mesh.faces[faces, 0]]).argmax()
            yield _describe_part(joints, name, faces, int(link), "file", ())


def _gather_faces(mesh: Mesh) -> list[Indices]:
    """The faces of each piece of a file and of all pieces below it."""
    found: list[list[Indices]] = [[np.flatnonzero(mesh.face_part == index)] for index in range(len(mesh.parts))]
    for index, part in enumerate(mesh.parts):
        at = part.parent
        while at >= 0:
            found[at].append(found[index][0])
            at = mesh.parts[at].parent
    return [np.concatenate(rows) for rows in found]


def _describe_part(
    joints: Articulation, name: str, faces: Indices, link: int, source: str, other: tuple[str, ...]
) -> NamedPart:
    moving = int(find_moving_joints(joints)[link])
    above = int(joints.parent_joint[link])
    joint = joints.joints[moving] if moving >= 0 else joints.joints[above] if above >= 0 else None
    hinge = _describe_hinge(joints, joint) if joint is not None and moving >= 0 else None
    stands = moving < 0 and any(each.parent == link for each in joints.joints)
    motion = "fixed" if moving < 0 else MOTION_WORDS[joints.joints[moving].kind]
    carrier = _find_carrier(joints, joint.parent) if joint is not None else ""
    return NamedPart(
        name, joints.mesh, faces, hinge, stands, motion, joint.name if joint else "", carrier, source, other
    )  # fmt: skip


def _find_carrier(joints: Articulation, link: int) -> str:
    """The name of the nearest link that has a surface, from a link upwards; of the root where none has."""
    shown = set(np.asarray(joints.vertex_link).tolist())
    while link not in shown and joints.link_parents[link] >= 0:
        link = int(joints.link_parents[link])
    return joints.links[link].name


def _describe_hinge(joints: Articulation, joint: Joint) -> Hinge:
    """The axis of a joint in the object's frame, along its longer way."""
    T: Array = joints.links[joint.parent].T_world_link @ joint.origin
    axis = T[:3, :3] @ joint.axis
    return Hinge(joint.kind != "prismatic", T[:3, 3], -axis if abs(joint.lower) > abs(joint.upper) else axis)


def adopt_joints(thing: Any, found: PartList, names: Iterable[str]) -> Any:
    """An asset or a mesh without joints, with those that were found where a part of one of the names moves by them."""
    if found.joints is None or not any(find_named(found.parts, name).hinge for name in names):
        return thing
    joints = replace(found.joints, mesh=label_faces(found.joints.mesh, found))
    return joints if isinstance(thing, Mesh) else replace(thing, articulation=joints, mesh=joints.mesh)


def label_faces(mesh: Mesh, found: PartList) -> Mesh:
    """A mesh that names no pieces, with the links that were found as its pieces; one that does as it is."""
    return mesh if found.joints is None or len(mesh.parts) else _name_links(mesh, found.joints)


def label_links(joints: Articulation) -> Articulation:
    """Joints whose mesh has their links as its pieces where it names none."""
    return joints if len(joints.mesh.parts) else replace(joints, mesh=_name_links(joints.mesh, joints))


def _name_links(mesh: Mesh, joints: Articulation) -> Mesh:
    link = np.asarray(joints.vertex_link)[joints.mesh.faces[:, 0]]
    return replace(mesh, parts=tuple(Part(each.name) for each in joints.links), face_part=link)


def match_piece(mesh: Mesh, found: PartList, name: str) -> str:
    """What the pieces of a mesh call a part."""
    known = {part.name for part in mesh.parts}
    if name in known:
        return name
    part = find_named(found.parts, name)
    return next((each for each in (part.name, *part.other_names) if each in known), name)
