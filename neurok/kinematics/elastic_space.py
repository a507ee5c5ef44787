"""The state space of an object whose materials are known: elastic coordinates, behind those of its joints if any.

Each link is a body of its own, filled with its materials, whose slowest vibrations are coordinates. The base stands on
its foot or is free; every other link hangs on the one above.
"""

import numpy as np

from neurok.elastic.body import build_body, build_rigid_body, cut_body
from neurok.elastic.joined import EXTENT, MAX_VIBRATIONS, JoinedBodies, join_bodies
from neurok.elastic.matter import FaceMaterials
from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.elastic_links import ElasticLinks
from neurok.kinematics.kinematics import Elasticity, Kinematics, StatedMasses
from neurok.kinematics.prior import normal_prior
from neurok.kinematics.twists import Twists


def elastic_space(
    mesh: Mesh,
    made: FaceMaterials,
    *,
    joints: Articulation | None = None,
    base: str = "fixed",
    count: int = MAX_VIBRATIONS,
) -> Kinematics:
    """The joints of an object, if any, and its slowest vibrations, at most `count`."""
    if len(made.index) != mesh.face_count:
        raise InputError("the materials do not fit the mesh", "give one for each face")
    hosts, origin = _find_hosts(mesh, joints), mesh.bounds.mean(axis=0)
    bodies, vertices = {}, {}
    for link in np.unique(hosts[mesh.faces[:, 0]]).tolist():
        piece, own, vertices[link] = cut_body(mesh, made, hosts[mesh.faces[:, 0]] == link)
        if own.elastic.any():
            seat = _find_seat(mesh, joints, hosts, link, base)
            bodies[link] = build_body(piece, own, count, seat, origin)
        else:
            bodies[link] = build_rigid_body(piece, own)
    found = join_bodies(
        bodies, vertices, mesh.vertex_count, origin=origin, diagonal=mesh.diagonal, count=count
    )  # fmt: skip
    elastic = _build_twists(mesh, found, origin)
    return elastic if joints is None else ElasticLinks(Articulated(joints), elastic, found.host)


def _build_twists(mesh: Mesh, found: JoinedBodies, origin: Array) -> Twists:
    """The vibrations as a space of twists, each handle a bone."""
    frames = np.tile(np.eye(4), (len(found.seat), 1, 1))
    frames[:, :3, 3] = found.seat
    names = tuple(f"piece {i + 1}" for i in range(len(found.seat)))
    skin = Skin(found.follow, found.weight, names, np.full(len(found.seat), -1), frames)
    basis = np.concatenate([found.twist[..., 3:], found.twist[..., :3]], axis=2).swapaxes(1, 2)
    count = len(found.stiffness)
    space = Twists(
        mesh,
        skin,
        basis,
        origin=origin,
        names=tuple(f"vibration {i + 1}" for i in range(count)),
        prior=normal_prior(np.full((count, 2), EXTENT)),
    )
    space.elasticity = Elasticity(np.diag(found.stiffness), np.diag(found.damping))
    space.stated_masses = StatedMasses(inertia=found.inertia)
    return space


def _find_hosts(mesh: Mesh, joints: Articulation | None) -> Indices:
    """The bone of `joints` that each vertex belongs to, [n]: parents before children."""
    if joints is None:
        return np.zeros(mesh.vertex_count, dtype=np.int64)
    bone = np.empty(len(joints.links), dtype=np.int64)
    bone[list(joints.order)] = np.arange(len(joints.links))
    return bone[joints.vertex_link]


def _find_seat(mesh: Mesh, joints: Articulation | None, hosts: Indices, link: int, base: str) -> Array | None:
    """What holds a body: its foot, as the upward direction [3]; the surface of the link above, [n, 3]; or nothing."""
    parent = -1 if joints is None else int(joints.link_parents[joints.order[link]])
    if joints is not None and parent >= 0:
        above = list(joints.order).index(parent)
        if (hosts == above).any():
            return mesh.vertices[hosts == above]
    return mesh.up_axis if base == "fixed" or parent >= 0 else None
