"""The links of an articulation as bones: their skin, their motions at given states, and the joints that move them."""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.motion import Skin, rigid_skin
from neurok.geometry.rigid import exp_twist


def link_motions(articulation: Articulation, states: Array) -> Array:
    """X_link = prod exp([S_d] theta_d) along the path from the base, for all states [t, k] at once, [t, L, 4, 4]."""
    A, b = articulation.coupling
    theta = np.asarray(states) @ A.T + b
    motions = np.tile(np.eye(4), (len(theta), len(articulation.links), 1, 1))
    place = {link: row for row, link in enumerate(articulation.order)}
    for link in articulation.order:
        above = articulation.parent_joint[link]
        if above < 0:
            continue
        X = motions[:, place[articulation.joints[above].parent]]
        for d, freedom in enumerate(articulation.freedoms):
            if freedom.joint == above:
                X = X @ exp_twist(freedom.screw * theta[:, d, None])
        motions[:, place[link]] = X
    return motions


def link_skin(articulation: Articulation, motions: Array | None = None) -> Skin:
    """One bone per link, parents first, sitting where the joint above the link sits.

    motions: of the links away from zero, parents first, [L, 4, 4], where the reference is another pose than zero.
    """
    order = list(articulation.order)
    bone = np.empty(len(order), dtype=np.int64)
    bone[order] = np.arange(len(order))
    parents = articulation.link_parents[order]
    frames = np.stack([articulation.links[link].T_world_link for link in order])
    return rigid_skin(
        bone[articulation.vertex_link],
        tuple(articulation.links[link].name for link in order),
        np.where(parents >= 0, bone[parents], -1),
        frames if motions is None else motions @ frames,
    )


def find_moving_joints(articulation: Articulation) -> Indices:
    """The nearest joint with a range above each link, [L]; -1 for links that never move."""
    found = np.full(len(articulation.links), -1)
    for link in articulation.order:
        above = articulation.parent_joint[link]
        if above >= 0:
            joint = articulation.joints[above]
            slides = joint.kind == "cylindrical" and joint.slide[1] > joint.slide[0]
            moves = joint.kind != "fixed" and (joint.kind == "continuous" or joint.upper > joint.lower or slides)
            found[link] = above if moves else found[joint.parent]
    return found
