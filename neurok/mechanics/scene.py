"""From a kinematics and conditions to everything a simulation needs: masses, springs, forces, contacts, pulls."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix, vstack

from neurok.geometry.arrays import Array
from neurok.geometry.measure import is_closed
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, find_nearest, move_to_corner, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.barrier import Barrier
from neurok.mechanics.candidates import contact_points
from neurok.mechanics.carrier import Carrier, carry
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.contact import Contacts
from neurok.mechanics.forces import AIR, Push, Wind
from neurok.mechanics.holds import Held, pins, pulls
from neurok.mechanics.lagrangian import STIFFNESS_DAMPING, WALL_DAMPING, WALL_RATE, System, gram
from neurok.mechanics.masses import MassPoints, compact, face_property, mass_points

EARTH = 9.81  # m/s^2
SPRING_RATE = 2 * np.pi * 1.0  # what stiffness 1 means for each coordinate alone [rad/s]
SAG = 0.06  # diagonals: how far a body that bends gives way to its own weight at stiffness 1, about, at the most
LIGHTEST = 1e-3  # of the heaviest elastic coordinate's inertia: the least that any of them has
STRIDE = 0.5  # the farthest a coordinate may go in one step, in spreads (a turn of the base: half a radian)
SMALL = 0.01  # of the diagonal: a coordinate that moves nothing farther may cross its whole range in one step
DEEP = 1e-3  # of the diagonal: a point of a fixed object that is this deep in a barrier at rest belongs there
SLOP = 1e-4  # penetration that is left alone, of the diagonal
WIND_SAMPLES = 256


@dataclass(frozen=True)
class Scene:
    """The system and what acts on it beyond smooth forces."""

    system: System
    masses: MassPoints
    contacts: Contacts | None
    held: tuple[Held, ...]
    stride: Array  # the farthest each coordinate may go in one step, [k]
    wish_shares: tuple[Array, Array, Array]  # H of the points of pins, starts and velocities, [., r] each
    gravity: Array  # [m/s^2], as taken
    stiffness: float  # as taken


def build(space: Kinematics, c: Conditions, *, dense: bool = False, mass_count: int | None = None) -> Scene:
    """Everything that stays the same over the simulation.

    dense: use the points themselves instead of the skin's bones (the slow twin).
    """
    mesh = space.mesh
    gravity = _gravity(space, c)
    stiffness = c.stiffness
    if stiffness is None:
        stiffness = 0.0 if gravity.any() and not space.is_elastic else 1.0
    masses = mass_points(space, c, stiffness=stiffness, count=mass_count)
    if dense:
        masses = replace(masses, bones=None)
    asked: tuple[Any, ...] = (*c.pulls, *c.pins, *c.pushes, *c.starts, *c.velocities)
    wanted = [wish.point for wish in asked]
    points = find_nearest(mesh, np.array(wanted, dtype=np.float64)) if wanted else masses.where.subset([])
    barriers = _barriers(mesh, c)
    touch = contact_points(space, c.seed) if barriers else masses.where.subset([])
    air = sample_even(mesh, WIND_SAMPLES, np.random.default_rng(c.seed)) if any(c.wind) else masses.where.subset([])
    air_corners = [move_to_corner(mesh, air, i) for i in range(3)]
    carrier, shares = carry(space, [masses.where, points, touch, air, *air_corners], dense=dense)
    mass_share, point_share, touch_share, air_share, *corner_shares = shares
    inertia = masses.inertia(mass_share)

    ends = np.cumsum([len(c.pulls), len(c.pins), len(c.pushes), len(c.starts)])
    pulled, pinned, pushed, started, moving = np.split(point_share.toarray(), ends)
    rest = space.rest.numpy().astype(np.float64)
    J = carrier.jet(space, rest, np.zeros_like(rest)).jacobian
    armature = _armature(space, carrier, inertia)
    damping = _damping(masses, mass_share)
    springs = _springs(space, c, J, inertia, masses.inertia(mass_share, masses.stiffness), damping, armature, stiffness)
    system = System(
        space=space,
        carrier=carrier,
        inertia=inertia,
        moment=masses.moment(mass_share),
        damping=damping,
        **springs,
        gravity=gravity / mesh.unit,
        pushes=tuple(
            Push(row, np.array(push.force) / mesh.unit, push.start, push.end) for row, push in zip(pushed, c.pushes)
        ),
        wind=_wind(c, air, air_share, corner_shares, mesh) if any(c.wind) else None,
        armature=armature,
        unit=mesh.unit,
    )
    return Scene(
        system=system,
        masses=masses,
        contacts=_contacts(space, c, touch, touch_share, barriers),
        held=(*pulls(c, pulled), *pins(pinned, points.position[len(c.pulls) :])),
        stride=_stride(space, mass_share, J, system.wall),
        wish_shares=(pinned, started, moving),
        gravity=gravity,
        stiffness=stiffness,
    )


def _gravity(space: Kinematics, c: Conditions) -> Array:
    if c.gravity is not None:
        return np.array(c.gravity, dtype=np.float64)
    falls = c.ground or bool(c.obstacles) or space.has_free_base
    return -EARTH * space.mesh.up_axis if falls else np.zeros(3)


def _damping(masses: MassPoints, shares: csr_matrix) -> float | Array | csr_matrix:
    """The rate at which all points are damped [1/s], or G with each point's own in it."""
    rates = masses.damping
    return float(rates[0]) if np.all(rates == rates[0]) else masses.inertia(shares, rates)


def _springs(
    space: Kinematics, c: Conditions, J: Array, inertia, soft, damping, armature: Array, stiffness: float
) -> dict[str, Array]:
    """Springs to rest and what they damp, [k, k]; springs at the limits and their damping, per coordinate, [k].

    inertia, soft, damping: G, plain and with each point's stiffness and damping rate in it (or the rate of all).
    A joint has a spring of its own. What is elastic resists a deviation by the root of the inertia that it moves: with
    the same spring for all, slight deviations would ring at hundreds of hertz; with springs as their inertia, all would
    swing alike, and a pull would take the lightest way there instead of a likely one. The heaviest way swings at the
    rate of `_spring_rate`, the lightest (a thousandth of it, see LIGHTEST) at 5.6 times that.
    """

    def own_of(G: Array | csr_matrix) -> Array:
        return np.array([float(np.sum(rows * (G @ rows))) for rows in J]).reshape(-1)

    own = own_of(inertia) + np.diagonal(armature)
    inner = np.arange(space.size) >= space.base_count
    springs = (
        SPRING_RATE**2 * np.where(inner, own_of(soft) + np.diagonal(armature) * stiffness, 0.0) * np.eye(space.size)
    )
    if space.is_elastic:
        rows = slice(space.base_count, None)
        weighed = (gram(J, soft, J) + armature * stiffness)[rows, rows]
        springs[rows, rows] = _spring_rate(space) ** 2 * _rooted(weighed, space.prior.deviation[rows])
    wall = np.where(inner & c.limits, WALL_RATE**2 * own, 0.0)
    rate = np.maximum((damping * own_of(inertia) if isinstance(damping, float) else own_of(damping)) / own, 0.0)
    return {
        "stiffness": springs,
        "stiffness_damping": STIFFNESS_DAMPING * np.sqrt(np.outer(rate, rate)) * springs,
        "wall": wall,
        "wall_damping": np.where(rate > 0, WALL_DAMPING, 0.0) * wall,
    }


def _spring_rate(space: Kinematics) -> float:
    """What stiffness 1 means for what is elastic [rad/s].

    A spring of the rate w gives way to gravity by g / w^2, whatever the size: at one hertz by 25 cm, which folds up a
    rabbit of that size. A body that bends is stiff enough to sag by no more than a share of its own size.
    """
    if space.prior.is_sparse:
        return SPRING_RATE
    return max(SPRING_RATE, float(np.sqrt(EARTH / (SAG * max(space.mesh.diagonal * space.mesh.unit, 1e-300)))))


def _armature(space: Kinematics, carrier: Carrier, inertia: Array | csr_matrix) -> Array:
    """A little mass of coordinates on their own, [k, k], where the mass matrix would be singular without.

    That is so for coordinates that move nothing, and for those that move the same thing the same way (two joints
    about one axis with nothing between); seen at rest and in a few sampled states. Learned modes are often nearly of
    that kind: what several of them do together, and which moves next to nothing, would answer to the least force.
    """
    states = [space.rest, *space.prior.sample(3, torch.Generator().manual_seed(0))] if space.size else []
    single = np.zeros(space.size)
    lifted = np.zeros((space.size, space.size))
    for number, q in enumerate(states):
        state = q.numpy().astype(np.float64)
        J = carrier.jet(space, state, np.zeros_like(state)).jacobian
        mass = gram(J, inertia, J)
        own = np.diagonal(mass)
        most = max(own.max(), 1e-300)
        own = np.where(own < 1e-12 * most, 1e-6 * max(most, 1e-12), own)
        scaled = mass / np.sqrt(np.outer(own, own))
        singular = _without_mass(scaled)
        # A base that its parts can imitate has its own mass still: more of it, and it would not fall as it should.
        base = slice(space.base_count)
        singular[base] = _without_mass(scaled[base, base])
        single = np.maximum(single, np.where(singular, 1e-6 * own, 0.0))
        if number == 0 and space.is_elastic:
            rows = slice(space.base_count, None)
            # What they move while the base gives way: modes that imitate the base together move nothing then.
            beside = mass[rows, rows] - mass[rows, base] @ np.linalg.pinv(mass[base, base]) @ mass[base, rows]
            lifted[rows, rows] = _lifted(beside, space.prior.deviation[rows])
    return lifted + np.diag(single)


def _without_mass(mass: Array) -> Array:
    """Which coordinates take part in motions that a mass matrix of unit diagonal [k, k] says move nothing, [k]."""
    values, vectors = np.linalg.eigh(mass)
    return np.any(np.abs(vectors[:, values < 1e-10]) > 1e-3, axis=1)


def _lifted(mass: Array, spread: Array) -> Array:
    """What lifts the inertia of any deviation to a share of the greatest, [k, k]; spread: one deviation, [k]."""
    values, vectors = np.linalg.eigh(mass * np.outer(spread, spread))
    lift = np.maximum(LIGHTEST * values.max(initial=0.0) - values, 0.0)
    return (vectors * lift) @ vectors.T / np.outer(spread, spread)


def _rooted(weighed: Array, spread: Array) -> Array:
    """Springs [k, k]: of each direction the geometric mean of its own inertia and of the greatest, per deviation."""
    values, vectors = np.linalg.eigh(weighed * np.outer(spread, spread))
    roots = np.sqrt(np.maximum(values, 0.0) * max(values.max(initial=0.0), 0.0))
    return (vectors * roots) @ vectors.T / np.outer(spread, spread)


def _stride(space: Kinematics, shares: csr_matrix, J: Array, wall: Array) -> Array:
    """The farthest each coordinate may go in one step, [k]: buttons and keys may go in and out at once."""
    spread = space.prior.deviation
    stride = STRIDE * spread
    stride[3 : min(6, space.base_count)] = 0.5
    moved = np.array([np.linalg.norm(shares @ rows, axis=1).max(initial=0.0) for rows in J]) * 2 * spread
    walled = (wall > 0) & np.isfinite((space.upper - space.lower).numpy())
    return np.where(walled & (moved < SMALL * space.mesh.diagonal), 3 * spread, stride)


def _barriers(mesh: Mesh, c: Conditions) -> tuple[Barrier, ...]:
    """What the object cannot pass: the ground, and obstacles."""
    barriers = []
    if c.ground:
        up = mesh.up_axis
        height = float((mesh.bounds @ up).min()) if c.ground_height is None else c.ground_height
        barriers.append(Barrier("plane", height * up, normal=up))
    for obstacle in c.obstacles:
        normal = None
        if obstacle.normal is not None:
            normal = np.array(obstacle.normal) / np.linalg.norm(obstacle.normal)
        half = None if obstacle.size is None else np.array(obstacle.size) / 2
        friction = -1.0 if obstacle.friction is None else obstacle.friction
        barriers.append(
            Barrier(obstacle.kind, np.array(obstacle.point), normal, obstacle.radius or 0.0, half, friction)
        )
    return tuple(barriers)


def _contacts(
    space: Kinematics, c: Conditions, touch: SurfacePoints, shares: csr_matrix, barriers: tuple[Barrier, ...]
) -> Contacts | None:
    """What can touch what. A soft object with a fixed base that stands in a barrier cannot be lifted out of it: pairs
    of a barrier and a point that is deep in it at rest are left alone, or they would hold up all the others."""
    if not barriers:
        return None
    mesh = space.mesh
    friction = face_property(mesh, c, "friction", c.friction)[touch.face]
    gaps = np.array([barrier.gap(touch.position)[0] for barrier in barriers])
    within = (gaps < -DEEP * mesh.diagonal) & (space.is_elastic and space.base_count == 0)
    return Contacts(shares, friction, barriers, SLOP * mesh.diagonal, within)


def _wind(c: Conditions, air: SurfacePoints, share: csr_matrix, corners: list[csr_matrix], mesh: Mesh) -> Wind:
    # The air meets one side of a closed body, either side of a sheet; a body has a surface on both.
    sides = 0.5 if is_closed(mesh) else 1.0
    first, second, third = corners
    return Wind(
        velocity=np.array(c.wind) / mesh.unit,
        area=sides * air.area,
        density=AIR * mesh.unit**3,
        middle=compact(share),
        spread=compact(share.T.tocsr()),
        edges=compact(vstack([second - first, third - first]).tocsr()),
    )
