"""Masses, inertias, damping and friction of predicted links and joints, from geometry and a density."""

from dataclasses import replace

import numpy as np

from neurok.errors import OptionError
from neurok.files.bodies import split_links
from neurok.files.inertias import DENSITY, SHELL_THICKNESS, geometric_inertia
from neurok.geometry.articulation import Articulation, Inertia, Joint
from neurok.geometry.placement import transform

SETTLES = 1.0  # [s] in which a part that is let go loses most of its speed
SLIDING, TURNING = (
    0.05,
    0.01,
)  # friction as a share of the weight, for a slide, and for a hinge at the radius of gyration
GRAVITY = 9.81


def with_physics(
    articulation: Articulation, *, density: float = DENSITY, mass: float | None = None,
    damping: float | None = None, friction: float | None = None,
) -> Articulation:  # fmt: skip
    """The articulation with an inertia for every link that states none, and joints that lose energy.

    density [kg/m^3]: of solids, and of shells half a per cent of the diagonal thick where a link bounds no volume.
    mass [kg]: of the whole; the links share it as their density gives. damping [N m s/rad or N s/m] and friction
    [N m or N]: the same for every joint; where not given, in proportion to what the joint moves.
    """
    for label, value in (("density", density), ("mass", mass)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise OptionError(f"a {label} of {value}", "give a number above zero")
    links = list(articulation.links)
    unit = articulation.mesh.unit
    shell = SHELL_THICKNESS * articulation.mesh.diagonal * unit
    for index, (link, piece) in enumerate(zip(links, split_links(articulation))):
        if link.inertia is not None and np.any(link.inertia.tensor):
            continue
        metres = transform(piece, np.diag([unit, unit, unit, 1.0]) @ np.linalg.inv(link.T_world_link))
        found = geometric_inertia(metres, shell)
        if found is not None:  # a mass without a tensor is spread as the geometry is
            factor = density / DENSITY if link.inertia is None else link.inertia.mass / found.mass
            links[index] = replace(link, inertia=_scaled(found, factor))
    if mass is not None:
        whole = sum(link.inertia.mass for link in links if link.inertia is not None)
        if whole > 0:
            links = [replace(l, inertia=_scaled(l.inertia, mass / whole)) if l.inertia else l for l in links]
    weighed = replace(articulation, links=tuple(links))
    joints = tuple(_resisting(weighed, joint, damping, friction) for joint in weighed.joints)
    return replace(weighed, joints=joints)


def _scaled(inertia: Inertia, factor: float) -> Inertia:
    return Inertia(inertia.mass * factor, inertia.centre, inertia.tensor * factor)


def _resisting(articulation: Articulation, joint: Joint, damping: float | None, friction: float | None) -> Joint:
    mass, moment = _moved(articulation, joint)
    slides = joint.kind == "prismatic"
    gyration = np.sqrt(moment / mass) if mass > 0 else 0.0
    usual = mass / SETTLES if slides else moment / SETTLES
    rubs = SLIDING * mass * GRAVITY if slides else TURNING * mass * GRAVITY * gyration
    return replace(
        joint,
        damping=joint.damping or (usual if damping is None else damping),
        friction=joint.friction or (rubs if friction is None else friction),
    )


def _moved(articulation: Articulation, joint: Joint) -> tuple[float, float]:
    """Mass [kg] of all that a joint moves, and its moment about the joint's axis [kg m^2]."""
    unit = articulation.mesh.unit
    T = articulation.links[joint.parent].T_world_link @ joint.origin
    axis, point = T[:3, :3] @ joint.axis, T[:3, 3] * unit
    below = {joint.child}
    for link in articulation.order:
        if int(articulation.link_parents[link]) in below:
            below.add(link)
    mass = moment = 0.0
    for link in below:
        inertia = articulation.links[link].inertia
        if inertia is None:
            continue
        world = articulation.links[link].T_world_link
        arm = world[:3, :3] @ inertia.centre + world[:3, 3] * unit - point
        along = world[:3, :3].T @ axis
        mass += inertia.mass
        moment += float(along @ inertia.tensor @ along) + inertia.mass * float(arm @ arm - (arm @ axis) ** 2)
    return mass, moment
