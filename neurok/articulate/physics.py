"""Masses, inertias, damping and friction of predicted links and joints, from geometry and a density."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from neurok.errors import InputError, OptionError
from neurok.files.bodies import split_links
from neurok.files.inertias import DENSITY, SHELL_THICKNESS, compute_geometric_inertia
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Inertia, Joint
from neurok.geometry.measure import assess_pieces
from neurok.geometry.placement import transform
from neurok.materials.link_matter import find_link_matter

# Set by hand, never measured.
SETTLING_TIME = 1.0  # [s] in which a part that is let go loses most of its speed
SLIDE_FRICTION, TURN_FRICTION = 0.05, 0.01  # over the weight: of a slide, and of a hinge at the radius of gyration
SIZE_BOUNDS = 1e-4, 1e5  # [m], of the diagonal, that simulators can hold


def add_physics(
    articulation: Articulation, *, density: float = DENSITY, mass: float | None = None,
    damping: float | None = None, friction: float | None = None, settled: Collection[str] = (),
) -> Articulation:  # fmt: skip
    """The articulation with an inertia for every link that states none, and joints that lose energy.

    density [kg/m^3]: of solids, and of shells half a per cent of the diagonal thick where a link bounds no volume;
    links cut out of one closed surface are solid where they were cut. Where parts state a material, that one's holds.
    mass [kg]: of the whole; the links share it as their density gives. damping [N m s/rad or N s/m] and friction
    [N m or N]: the same for every joint; where not given, what the joint states, else in proportion to what it moves.
    settled: names of joints for which zero is a statement.
    """
    for label, value in (("density", density), ("mass", mass)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise OptionError(f"a {label} of {value}", "give a number above zero")
    _check_place(articulation)
    links = list(articulation.links)
    unit = articulation.mesh.unit
    pieces = split_links(articulation)
    cut, shell = assess_pieces(articulation.mesh, pieces, SHELL_THICKNESS * articulation.mesh.diagonal)
    matter = find_link_matter(articulation)
    for index, (link, piece) in enumerate(zip(links, pieces)):
        if link.inertia is not None and np.any(link.inertia.tensor):
            continue
        metres = transform(piece, np.diag([unit, unit, unit, 1.0]) @ np.linalg.inv(link.T_world_link))
        found = compute_geometric_inertia(metres, shell * unit, cut=cut, matter=matter[index])
        if found is not None:  # a mass without a tensor is spread as the geometry is
            factor = density / DENSITY if matter[index].density is None else 1.0
            if link.inertia is not None:
                factor = link.inertia.mass / found.mass
            links[index] = replace(link, inertia=_scale_inertia(found, factor))
    if mass is not None:
        whole = sum(link.inertia.mass for link in links if link.inertia is not None)
        if whole > 0:
            links = [replace(l, inertia=_scale_inertia(l.inertia, mass / whole)) if l.inertia else l for l in links]
    weighed = replace(articulation, links=tuple(links))
    usual = _estimate_resistances(weighed, settled)
    joints = tuple(
        replace(
            joint,
            damping=(joint.damping or usual[index, 0]) if damping is None else damping,
            friction=(joint.friction or usual[index, 1]) if friction is None else friction,
        )
        for index, joint in enumerate(weighed.joints)
    )
    return replace(weighed, joints=joints)


def compute_max_offset() -> float:
    """Diagonals from the origin at which the single precision of simulators' files keeps half of its digits: 2896."""
    return float(np.finfo(np.float32).eps ** -0.5)


def _check_place(articulation: Articulation) -> None:
    """Fail where an object is too large, too small or too far away to be simulated."""
    mesh = articulation.mesh
    size = mesh.diagonal * mesh.unit
    if not SIZE_BOUNDS[0] <= size <= SIZE_BOUNDS[1]:
        raise InputError(
            f"the object is {size:.3g} m across, and simulators take {SIZE_BOUNDS[0]:g} to {SIZE_BOUNDS[1]:g} m",
            "say how long its unit is (--unit), or scale it",
        )
    offset = compute_max_offset()
    if not np.linalg.norm(mesh.bounds.mean(axis=0)) <= offset * mesh.diagonal:
        raise InputError(f"the object lies more than {offset:.0f} times its size from the origin", "move it there")


def _scale_inertia(inertia: Inertia, factor: float) -> Inertia:
    return Inertia(inertia.mass * factor, inertia.centre, inertia.tensor * factor)


def _estimate_resistances(articulation: Articulation, settled: Collection[str]) -> Array:
    """Damping [N m s/rad or N s/m] and friction [N m or N] of joints that state none, [joints, 2].

    A joint that follows another resists where it is led: at the rate u its damping d is u^2 d there, its friction f
    is |u| f. A coupling that a simulator keeps softly would else be pulled apart by them.
    """
    found = np.array([_estimate_resistance(articulation, joint) for joint in articulation.joints]).reshape(-1, 2)
    found[[joint.name in settled for joint in articulation.joints]] = 0.0
    A, _ = articulation.coupling
    metres = np.array([1.0 if freedom.turns else articulation.mesh.unit for freedom in articulation.freedoms])
    for d, freedom in enumerate(articulation.freedoms):
        if articulation.joints[freedom.joint].mimic is None:
            continue
        lead = articulation.coordinate_freedoms[int(np.argmax(np.abs(A[d])))]
        rate = float(np.abs(A[d]).max()) * metres[d] / metres[lead]
        found[articulation.freedoms[lead].joint] += found[freedom.joint] * (rate**2, rate)
        found[freedom.joint] = 0.0
    return found


def _estimate_resistance(articulation: Articulation, joint: Joint) -> tuple[float, float]:
    mass, moment = _weigh_moved(articulation, joint)
    weight = 9.81 * mass  # [N] on Earth
    if joint.kind == "prismatic":
        return mass / SETTLING_TIME, SLIDE_FRICTION * weight
    gyration = np.sqrt(moment / mass) if mass > 0 else 0.0
    return moment / SETTLING_TIME, TURN_FRICTION * weight * gyration


def _weigh_moved(articulation: Articulation, joint: Joint) -> tuple[float, float]:
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
