"""An articulation as simulators want it: a frame, a mesh, a convex hull and an inertia for each link.

Simulators put a link's frame where its joint is, so every body has the frame
of the joint above it, T_world_body = T_world_parent T_parent_joint, and the
link's mesh and inertia are expressed there.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from neurok.errors import OutputError
from neurok.files.hulls import compute_convex_hull
from neurok.files.inertias import compute_link_inertias
from neurok.files.xmltext import make_unique_text
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation, Inertia, Joint, Link, Mimic
from neurok.geometry.components import select_faces
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import quarter_turn, transform
from neurok.geometry.rigid import inverse
from neurok.materials.link_matter import LinkMatter, find_link_matter


@dataclass(frozen=True)
class LinkBody:
    """A link in the frame of the joint above it.

    name: unique and fit for XML. file: a stem for its files, unique too. T_parent_body: [4, 4], from the
    parent body or, for a root, from the world. matter: what it is made of. mesh: in the body's frame, None where there
    is nothing. hulls: convex pieces in the body's frame.
    """

    name: str
    file: str
    T_world_body: Array
    T_parent_body: Array
    mesh: Mesh | None
    hulls: tuple[Mesh, ...]
    inertia: Inertia
    matter: LinkMatter = LinkMatter()


def build_bodies(
    articulation: Articulation,
    inertias: Sequence[Inertia] | None = None,
    *,
    hulls: bool = True,
    reserved: Sequence[str] = (),
) -> list[LinkBody]:
    """One body for each link, in the links' order.

    inertias: one for each link (link frame), which replace those of the file and of the geometry.
    reserved: names that a format has taken for itself.
    """
    frames = _find_frames(articulation)
    given = [link.name or f"link_{index}" for index, link in enumerate(articulation.links)]
    names = make_unique_text([*reserved, *given])[len(reserved) :]
    meshes = [transform(mesh, inverse(T)) for mesh, T in zip(split_links(articulation), frames)]
    matter = find_link_matter(articulation)
    found = compute_link_inertias(articulation, meshes, frames, inertias, matter)
    result = []
    for index, mesh in enumerate(meshes):
        parent = articulation.link_parents[index]
        T_parent = frames[index] if parent < 0 else inverse(frames[parent]) @ frames[index]
        result.append(
            LinkBody(
                name=names[index],
                file=f"{index}_{re.sub(r'[^A-Za-z0-9_-]+', '_', names[index])[:60]}",
                T_world_body=frames[index],
                T_parent_body=T_parent,
                mesh=mesh if mesh.face_count else None,
                hulls=_find_hulls(articulation.links[index], mesh, inverse(frames[index])) if hulls else (),
                inertia=found[index],
                matter=matter[index],
            )
        )
    return result


def compute_link_frame_inertias(articulation: Articulation) -> list[Inertia]:
    """The inertia that simulators get for every link, in SI units and in the link's own frame."""
    thing = convert_to_z_up(articulation)
    found = []
    for body, link in zip(build_bodies(thing, hulls=False), thing.links):
        T = inverse(link.T_world_link) @ body.T_world_body
        R, own = T[:3, :3], body.inertia
        found.append(Inertia(own.mass, R @ own.centre + T[:3, 3], R @ own.tensor @ R.T))
    return found


def _find_hulls(link: Link, mesh: Mesh, T_body_world: Array) -> tuple[Mesh, ...]:
    """The link's own colliders, else the hull of its mesh (in the body's frame)."""
    if link.colliders is None:
        whole = compute_convex_hull(mesh.vertices) if mesh.face_count else None
        return () if whole is None else (whole,)
    return tuple(transform(piece, T_body_world @ link.T_world_link) for piece in link.colliders)


def convert_to_z_up(articulation: Articulation) -> Articulation:
    """The same object in metres with z up, as URDF and MJCF have it. Stated inertias are in SI units already."""
    unit = articulation.mesh.unit
    turn = np.eye(4)
    turn[:3, :3] = quarter_turn(articulation.mesh.up, "z")
    if unit == 1.0 and articulation.mesh.up == "z":
        return articulation
    mesh = transform(articulation.mesh, turn @ np.diag([unit, unit, unit, 1.0]))
    links = tuple(_convert_link(link, turn, unit) for link in articulation.links)
    joints = tuple(_convert_joint(joint, articulation.joints, unit) for joint in articulation.joints)
    return replace(articulation, mesh=replace(mesh, up="z", unit=1.0), links=links, joints=joints)


def _convert_link(link: Link, turn: Array, unit: float) -> Link:
    """The link in metres and with z up. Its own axes do not turn, so quantities in its frame are only scaled."""
    pieces = link.colliders
    if pieces is not None:
        pieces = tuple(transform(piece, np.diag([unit, unit, unit, 1.0])) for piece in pieces)
    return replace(link, T_world_link=turn @ _scale_translation(link.T_world_link, unit), colliders=pieces)


def _convert_joint(joint: Joint, joints: Sequence[Joint], unit: float) -> Joint:
    def length(kind: str) -> float:
        return unit if kind == "prismatic" else 1.0

    mimic = joint.mimic
    if mimic is not None:
        rate = length(joint.kind) / length(joints[mimic.joint].kind)
        mimic = Mimic(mimic.joint, mimic.multiplier * rate, mimic.offset * length(joint.kind))
    return replace(
        joint, origin=_scale_translation(joint.origin, unit), lower=joint.lower * length(joint.kind),
        upper=joint.upper * length(joint.kind), pitch=joint.pitch * unit,
        slide=(joint.slide[0] * unit, joint.slide[1] * unit), mimic=mimic,
    )  # fmt: skip


def _scale_translation(T: Array, unit: float) -> Array:
    T = np.array(T, dtype=np.float64)
    T[:3, 3] *= unit
    return T


def _find_frames(articulation: Articulation) -> list[Array]:
    """T_world_body of each link, [4, 4]."""
    frames: list[Array] = []
    for index, link in enumerate(articulation.links):
        above = articulation.parent_joint[index]
        T = np.asarray(link.T_world_link, dtype=np.float64)
        if above >= 0:
            joint = articulation.joints[above]
            T = articulation.links[joint.parent].T_world_link @ joint.origin
        if not np.allclose(T[:3, :3] @ T[:3, :3].T, np.eye(3), atol=1e-6) or np.linalg.det(T[:3, :3]) < 0:
            raise OutputError(
                f"the frame of link '{link.name}' is scaled or mirrored, which simulators cannot hold",
                "apply the scale to the mesh first",
            )
        frames.append(T)
    return frames


# ---------------------------------------------------------------- meshes


def split_links(articulation: Articulation) -> list[Mesh]:
    """The mesh of each link, in the world frame, vertices in their old order.

    A face between two links goes with the majority of its corners, and takes copies of the others along.
    """
    mesh, vertex_link = articulation.mesh, np.asarray(articulation.vertex_link)
    a, b, c = vertex_link[mesh.faces].T
    face_link = np.where(b == c, b, a)
    return [
        _cut_link(mesh, np.flatnonzero(vertex_link == index), np.flatnonzero(face_link == index), link.name)
        for index, link in enumerate(articulation.links)
    ]


def _cut_link(mesh: Mesh, own: Indices, chosen: Indices, link: str) -> Mesh:
    """The mesh of these vertices and faces, with the materials and parts in use."""
    piece = select_faces(mesh, chosen)
    used = np.concatenate([own, np.setdiff1d(piece.faces, own)])
    place = np.full(mesh.vertex_count, -1)
    place[used] = np.arange(len(used))
    piece = replace(
        piece,
        vertices=mesh.vertices[used],
        faces=place[piece.faces],
        attributes={name: np.asarray(value)[used] for name, value in mesh.attributes.items()},
    )
    return _keep_own_parts(drop_unused_materials(piece), link)


def drop_unused_materials(mesh: Mesh) -> Mesh:
    """The mesh with those of its materials that its faces show."""
    shown = np.unique(mesh.face_material[mesh.face_material >= 0])
    place = np.full(len(mesh.materials) + 1, -1)
    place[shown] = np.arange(len(shown))
    return replace(mesh, materials=tuple(mesh.materials[i] for i in shown), face_material=place[mesh.face_material])


def _keep_own_parts(piece: Mesh, link: str) -> Mesh:
    """The mesh with the parts its faces are in, without the one that is the link itself."""
    parts = piece.parts
    keep: set[int] = set()
    for part in np.unique(piece.face_part[piece.face_part >= 0]).tolist():
        while part >= 0 and part not in keep:
            keep.add(part)
            part = parts[part].parent
    itself = {part for part in keep if parts[part].parent < 0 and parts[part].name == link}
    kept = sorted(keep - itself)
    place = np.full(len(parts) + 1, -1)
    place[kept] = np.arange(len(kept))
    renumbered = tuple(replace(parts[i], parent=int(place[parts[i].parent])) for i in kept)
    return replace(piece, parts=renumbered, face_part=place[piece.face_part])
