"""Things as one articulation whose zero is the scene as it stands: what USD, GLB and pictures are made of."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import merge
from neurok.scenes.thing import PlacedThing


def join_things(placed: Sequence[PlacedThing], name: str) -> Articulation:
    """All things side by side, their links and joints called NAME/..., free where nothing holds them."""
    links: list[Link] = []
    joints: list[Joint] = []
    owners, loose = [], []
    for each in placed:
        own = rebase_thing(each)
        first, ahead = len(links), len(joints)
        owners.append(own.vertex_link + first)
        loose += [] if each.thing.held else [first + int(i) for i in np.flatnonzero(own.parent_joint < 0)]
        links += [replace(link, name=f"{each.name}/{link.name}") for link in own.links]
        joints += [_move_joint(joint, each.name, first, ahead) for joint in own.joints]
    mesh = merge([rebase_thing(each).mesh for each in placed], names=[each.name for each in placed])
    return Articulation(mesh, np.concatenate(owners), tuple(links), tuple(joints), name, loose=tuple(loose))


def _move_joint(joint: Joint, name: str, first: int, ahead: int) -> Joint:
    mimic = joint.mimic and replace(joint.mimic, joint=joint.mimic.joint + ahead)
    return replace(
        joint, name=f"{name}/{joint.name}", parent=joint.parent + first, child=joint.child + first, mimic=mimic
    )


def rebase_thing(placed: PlacedThing) -> Articulation:
    """The thing's articulation where it is, its present state as zero: limits count from there."""
    articulation = placed.thing.articulation
    A, b = articulation.coupling
    theta = A @ placed.thing.state + b
    links = tuple(replace(link, T_world_link=T) for link, T in zip(articulation.links, placed.link_places))
    joints = tuple(_rebase_joint(articulation, index, theta) for index in range(len(articulation.joints)))
    mesh = articulation.mesh.with_vertices(placed.vertices)
    return replace(articulation, mesh=mesh, links=links, joints=joints)


def _rebase_joint(articulation: Articulation, index: int, theta: Array) -> Joint:
    joint = articulation.joints[index]
    values = [float(theta[d]) for d, f in enumerate(articulation.freedoms) if f.joint == index]
    if not values:
        return joint
    mimic = joint.mimic
    if mimic is not None:
        lead = next(float(theta[d]) for d, f in enumerate(articulation.freedoms) if f.joint == mimic.joint)
        mimic = replace(mimic, offset=mimic.offset + mimic.multiplier * lead - values[0])
    slide = (joint.slide[0] - values[1], joint.slide[1] - values[1]) if len(values) > 1 else joint.slide
    return replace(joint, lower=joint.lower - values[0], upper=joint.upper - values[0], slide=slide, mimic=mimic)
