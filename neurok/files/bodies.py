"""An articulation as simulators want it: a frame, a mesh, a convex hull and an inertia for each link.

Simulators put a link's frame where its joint is, so every body has the frame
of the joint above it, T_world_body = T_world_parent T_parent_joint, and the
link's mesh and inertia are expressed there.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neurok.errors import InputError, OutputError
from neurok.files.hulls import convex_hull
from neurok.geometry.articulation import Articulation, Inertia, Joint, Mimic
from neurok.geometry.components import select_faces
from neurok.geometry.measure import is_closed, shell_inertia, solid_inertia
from neurok.geometry.mesh import Array, Mesh, Part
from neurok.geometry.placement import transform

DENSITY = 1000.0  # [kg/m^3], water
SHELL_THICKNESS = 0.005  # of the link's diagonal, where its surface bounds no volume
HELPER_MASS = 1e-6  # of the whole object's mass, for a moving link without geometry
# Below these, simulators refuse a moving body.
LEAST_MASS = 1e-9  # [kg]
LEAST_INERTIA = 1e-12  # [kg m^2]


@dataclass(frozen=True)
class Body:
    """A link in the frame of the joint above it.

    name: unique and fit for XML. file: a stem for its files, unique too. T_parent_body: [4, 4], from the
    parent body or, for a root, from the world. mesh, hull: in the body's frame, None where there is nothing.
    """

    name: str
    file: str
    T_world_body: Array
    T_parent_body: Array
    mesh: Mesh | None
    hull: Mesh | None
    inertia: Inertia


def bodies(articulation: Articulation, inertias: Sequence[Inertia] | None = None, *, hulls: bool = True) -> list[Body]:
    """One body for each link, in the links' order; `inertias` (link frame) stand above all others where given."""
    frames = _frames(articulation)
    names = unique(link.name or f"link_{index}" for index, link in enumerate(articulation.links))
    meshes = [transform(mesh, _inverse(T)) for mesh, T in zip(split_links(articulation), frames)]
    found = _inertias(articulation, meshes, frames, inertias)
    result = []
    for index, mesh in enumerate(meshes):
        parent = articulation.link_parents[index]
        T_parent = frames[index] if parent < 0 else _inverse(frames[parent]) @ frames[index]
        result.append(
            Body(
                name=names[index],
                file=f"{index}_{re.sub(r'[^A-Za-z0-9_-]+', '_', names[index])[:60]}",
                T_world_body=frames[index],
                T_parent_body=T_parent,
                mesh=mesh if mesh.face_count else None,
                hull=convex_hull(mesh.vertices) if hulls and mesh.face_count else None,
                inertia=found[index],
            )
        )
    return result


def unique(names: Iterable[str]) -> list[str]:
    """Names without what XML cannot hold, each once; a second 'lid' becomes 'lid_2'."""
    taken: set[str] = set()
    result = []
    for name in names:
        clean = xml_text(name) or "unnamed"
        free, number = clean, 1
        while free in taken:
            number += 1
            free = f"{clean}_{number}"
        taken.add(free)
        result.append(free)
    return result


def xml_text(name: str) -> str:
    """A name without the control characters and half pairs that XML cannot hold."""
    return re.sub(r"[^ -\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]+", "_", name).strip()


def upright(articulation: Articulation) -> Articulation:
    """The same object in metres with z up, as URDF and MJCF have it. Stated inertias are in SI units already."""
    unit = articulation.mesh.unit
    turn = np.eye(4)
    turn[:3, :3] = {
        "x": [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
        "y": [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
        "z": np.eye(3),
    }[articulation.mesh.up]
    if unit == 1.0 and articulation.mesh.up == "z":
        return articulation
    mesh = transform(articulation.mesh, turn @ np.diag([unit, unit, unit, 1.0]))
    links = tuple(replace(link, T_world_link=turn @ _scaled(link.T_world_link, unit)) for link in articulation.links)
    joints = tuple(_joint_in_metres(joint, articulation.joints, unit) for joint in articulation.joints)
    return replace(articulation, mesh=replace(mesh, up="z", unit=1.0), links=links, joints=joints)


def _joint_in_metres(joint: Joint, joints: Sequence[Joint], unit: float) -> Joint:
    def length(kind: str) -> float:
        return unit if kind == "prismatic" else 1.0

    mimic = joint.mimic
    if mimic is not None:
        rate = length(joint.kind) / length(joints[mimic.joint].kind)
        mimic = Mimic(mimic.joint, mimic.multiplier * rate, mimic.offset * length(joint.kind))
    return replace(
        joint, origin=_scaled(joint.origin, unit), lower=joint.lower * length(joint.kind),
        upper=joint.upper * length(joint.kind), pitch=joint.pitch * unit,
        slide=(joint.slide[0] * unit, joint.slide[1] * unit), mimic=mimic,
    )  # fmt: skip


def _scaled(T: Array, unit: float) -> Array:
    T = np.array(T, dtype=np.float64)
    T[:3, 3] *= unit
    return T


def _frames(articulation: Articulation) -> list[Array]:
    """T_world_body of each link, [4, 4]."""
    frames = []
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


def _inverse(T: Array) -> Array:
    inverse = np.eye(4)
    inverse[:3, :3] = T[:3, :3].T
    inverse[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return inverse


# ---------------------------------------------------------------- meshes


def split_links(articulation: Articulation) -> list[Mesh]:
    """The mesh of each link, in the world frame, vertices in their old order.

    A face between two links goes with the majority of its corners, and takes copies of the others along.
    """
    mesh, vertex_link = articulation.mesh, np.asarray(articulation.vertex_link)
    a, b, c = vertex_link[mesh.faces].T
    face_link = np.where(b == c, b, a)
    return [
        _piece(mesh, np.flatnonzero(vertex_link == index), np.flatnonzero(face_link == index), link.name)
        for index, link in enumerate(articulation.links)
    ]


def _piece(mesh: Mesh, own: Array, chosen: Array, link: str) -> Mesh:
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
    return _own_parts(used_materials(piece), link)


def used_materials(mesh: Mesh) -> Mesh:
    """The mesh with those of its materials that its faces show."""
    shown = np.unique(mesh.face_material[mesh.face_material >= 0])
    place = np.full(len(mesh.materials) + 1, -1)
    place[shown] = np.arange(len(shown))
    return replace(mesh, materials=tuple(mesh.materials[i] for i in shown), face_material=place[mesh.face_material])


def _own_parts(piece: Mesh, link: str) -> Mesh:
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
    renumbered = tuple(Part(parts[i].name, int(place[parts[i].parent])) for i in kept)
    return replace(piece, parts=renumbered, face_part=place[piece.face_part])


# ---------------------------------------------------------------- inertias


def _inertias(
    articulation: Articulation, meshes: Sequence[Mesh], frames: Sequence[Array], given: Sequence[Inertia] | None
) -> list[Inertia]:
    """A physical inertia for every link, in its body's frame: the given, else the stated, else the geometry's."""
    if given is not None and len(given) != len(articulation.links):
        raise OutputError(
            f"{len(given)} inertias are given for {len(articulation.links)} links", "give one for each link"
        )
    found: list[Inertia | None] = []
    for index, link in enumerate(articulation.links):
        T_body_link = _inverse(frames[index]) @ link.T_world_link
        stated = given[index] if given is not None else link.inertia
        if stated is not None and stated.mass > 0:
            found.append(_completed(_moved(stated, T_body_link), meshes[index]))
        else:
            found.append(geometric_inertia(meshes[index]))
    whole = sum(inertia.mass for inertia in found if inertia is not None)
    mass = max(HELPER_MASS * whole, LEAST_MASS)
    size = 0.01 * articulation.mesh.diagonal if articulation.mesh.vertex_count else 1.0
    helper = Inertia(mass, np.zeros(3), mass * size**2 * np.eye(3))
    return [physical(inertia if inertia is not None else helper) for inertia in found]


def geometric_inertia(mesh: Mesh) -> Inertia | None:
    """Of the solid a closed mesh bounds, else of a thin shell; None for a mesh without area. Mesh in metres."""
    if mesh.face_count == 0:
        return None
    if is_closed(mesh):
        try:
            return solid_inertia(mesh, DENSITY)
        except InputError:  # closed but flat, such as a sheet with a front and a back: a shell
            pass
    try:
        return shell_inertia(mesh, DENSITY * SHELL_THICKNESS * mesh.diagonal)
    except InputError:  # no area at all
        return None


def _moved(inertia: Inertia, T: Array) -> Inertia:
    R = T[:3, :3]
    return Inertia(inertia.mass, R @ inertia.centre + T[:3, 3], R @ inertia.tensor @ R.T)


def _completed(inertia: Inertia, mesh: Mesh) -> Inertia:
    """A stated mass without a tensor gets the geometry's distribution."""
    if np.any(inertia.tensor):
        return inertia
    shape = geometric_inertia(mesh)
    if shape is None:
        return inertia
    arm = shape.centre - inertia.centre
    tensor = shape.tensor / shape.mass + (arm @ arm) * np.eye(3) - np.outer(arm, arm)
    return replace(inertia, tensor=inertia.mass * tensor)


def physical(inertia: Inertia) -> Inertia:
    """The nearest inertia a simulator accepts: positive, and no moment greater than the sum of the other two."""
    tensor = 0.5 * (inertia.tensor + inertia.tensor.T)
    moments, axes = np.linalg.eigh(tensor)
    least = max(LEAST_INERTIA, 1e-9 * moments[2])
    better = np.maximum(moments, least)
    lack = better[2] * (1 + 1e-9) - better[0] - better[1]
    if lack > 0:
        better[:2] += lack / 2
    if not np.array_equal(better, moments):
        tensor = axes @ np.diag(better) @ axes.T
        tensor = 0.5 * (tensor + tensor.T)
    return Inertia(max(float(inertia.mass), LEAST_MASS), np.asarray(inertia.centre, dtype=np.float64), tensor)
