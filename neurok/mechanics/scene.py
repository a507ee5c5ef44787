"""From a kinematics and conditions to everything a simulation needs: masses, springs, forces, contacts, pulls."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from neurok.geometry.measure import is_closed
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, at_vertices, farthest_points, nearest, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics import conditions as wishes
from neurok.mechanics.carrier import carry, join
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.contact import Barrier, Contacts
from neurok.mechanics.lagrangian import (
    AIR,
    STIFFNESS_DAMPING,
    WALL_DAMPING,
    WALL_RATE,
    Push,
    System,
    Wind,
    gram,
)
from neurok.mechanics.masses import MassPoints, face_property, mass_points

Array = NDArray[np.float64]

EARTH = 9.81  # m/s^2
SPRING_RATE = 2 * np.pi * 1.0  # what stiffness 1 means for each coordinate alone [rad/s]
CONTACT_VERTICES = 512
CONTACT_POOL = 20_000  # vertices among which the contact points are sought
CONTACT_SAMPLES = 128
WIND_SAMPLES = 256


@dataclass(frozen=True)
class Held:
    """A point held to a path over a window of time; `place(t, origin)` is where it should be, [3].

    origin is where the point was when the hold began.
    """

    share: Array
    start: float
    end: float
    place: Callable[[float, Array], Array]
    what: str


@dataclass(frozen=True)
class Scene:
    """The system and what acts on it beyond smooth forces."""

    system: System
    masses: MassPoints
    contacts: Contacts | None
    held: tuple[Held, ...]
    wish_shares: tuple[Array, ...]  # of the points of starts and velocities, in order
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
    points = nearest(mesh, np.array(wanted, dtype=np.float64).reshape(-1, 3))
    touch = _contact_points(mesh, c)
    air = sample_even(mesh, WIND_SAMPLES, np.random.default_rng(c.seed)) if any(c.wind) else masses.where.subset([])
    air_corners = [_corner(air, mesh, i) for i in range(3)]
    carrier, shares = carry(space, [masses.where, points, touch, air, *air_corners], dense=dense)
    mass_share, point_share, touch_share, air_share, *corner_shares = shares
    inertia = masses.inertia(mass_share)

    rest = space.rest.numpy().astype(np.float64)
    J = carrier.jet(space, rest, np.zeros_like(rest)).jacobian
    own = np.diagonal(gram(J, inertia, J)).copy()
    armature = np.where(own < 1e-12 * max(own.max(initial=0.0), 1e-300), 1e-6 * max(own.max(initial=0.0), 1e-12), 0.0)
    own = own + armature
    soft = np.diagonal(gram(J, masses.inertia(mass_share, masses.stiffness), J)) + armature * stiffness
    springs = SPRING_RATE**2 * soft
    springs[: space.rigid_count] = 0.0
    wall = np.where(np.arange(space.size) < space.rigid_count, 0.0, WALL_RATE**2 * own) * c.limits
    rate = float(masses.damping.max(initial=0.0))
    system = System(
        space=space,
        carrier=carrier,
        inertia=inertia,
        moment=masses.moment(mass_share),
        damping=masses.inertia(mass_share, masses.damping) if rate > 0 else None,
        stiffness=springs,
        stiffness_damping=STIFFNESS_DAMPING * rate * springs,
        wall=wall,
        wall_damping=(WALL_DAMPING if rate > 0 else 0.0) * wall,
        gravity=gravity / mesh.unit,
        pushes=_pushes(c, point_share, mesh.unit),
        wind=_wind(c, air, air_share, corner_shares, mesh) if any(c.wind) else None,
        armature=armature,
        unit=mesh.unit,
    )
    rows = [np.asarray(row.todense()).ravel() for row in point_share]
    first_wish = len(c.pulls) + len(c.pins) + len(c.pushes)
    return Scene(
        system=system,
        masses=masses,
        contacts=_contacts(mesh, c, touch, touch_share),
        held=_held(c, rows, points),
        wish_shares=tuple(rows[first_wish:]),
        gravity=gravity,
        stiffness=stiffness,
    )


def _gravity(space: Kinematics, c: Conditions) -> Array:
    if c.gravity is not None:
        return np.array(c.gravity, dtype=np.float64)
    falls = c.ground or bool(c.obstacles) or space.rigid_count > 0
    return -EARTH * space.mesh.up_axis if falls else np.zeros(3)


def _contact_points(mesh: Mesh, c: Conditions) -> SurfacePoints:
    """Corners first (vertices far apart), then some of the surface between them."""
    corners = at_vertices(mesh)
    if not (c.ground or c.obstacles):
        return corners.subset(np.arange(0))
    used = np.flatnonzero(corners.face >= 0)
    used = used[:: max(len(used) // CONTACT_POOL, 1)]
    start = int(np.argmax(np.linalg.norm(mesh.vertices[used] - mesh.bounds.mean(axis=0), axis=1)))
    far = used[farthest_points(mesh.vertices[used], min(CONTACT_VERTICES, len(used)), start=start)]
    between = sample_even(mesh, CONTACT_SAMPLES, np.random.default_rng(c.seed))
    return join([corners.subset(far), between])


def _contacts(mesh: Mesh, c: Conditions, touch: SurfacePoints, shares: csr_matrix) -> Contacts | None:
    barriers = []
    if c.ground:
        up = mesh.up_axis
        height = float((mesh.vertices @ up).min()) if c.ground_height is None else c.ground_height
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
    if not barriers:
        return None
    return Contacts(shares, face_property(mesh, c, "friction", c.friction)[touch.face], tuple(barriers))


def _corner(where: SurfacePoints, mesh: Mesh, index: int) -> SurfacePoints:
    """One corner of the face under each point."""
    weights = np.tile(np.eye(3)[index], (where.count, 1))
    position = mesh.vertices[where.corners[:, index]]
    return SurfacePoints(where.face, where.corners, weights, position, where.normal, where.area)


def _wind(c: Conditions, air: SurfacePoints, share: csr_matrix, corners: list[csr_matrix], mesh: Mesh) -> Wind:
    # The air meets one side of a closed body, either side of a sheet; a body has a surface on both.
    sides = 0.5 if is_closed(mesh) else 1.0
    velocity = np.array(c.wind) / mesh.unit
    return Wind(velocity, tuple(corners), share, sides * air.area, AIR * mesh.unit**3)


def _pushes(c: Conditions, point_share: csr_matrix, unit: float) -> tuple[Push, ...]:
    first = len(c.pulls) + len(c.pins)
    found = []
    for i, push in enumerate(c.pushes):
        share = np.asarray(point_share[first + i].todense()).ravel()
        found.append(Push(share, np.array(push.force) / unit, push.start, push.end))
    return tuple(found)


def _held(c: Conditions, rows: list[Array], points: SurfacePoints) -> tuple[Held, ...]:
    held = []
    for i, pull in enumerate(c.pulls):
        end = c.seconds / 3 if pull.end is None else pull.end
        if pull.path:
            end = pull.path[-1][0] if pull.end is None else pull.end
            held.append(Held(rows[i], max(pull.start, pull.path[0][0]), end, _along_path(pull), f"pull {i + 1}"))
        else:
            held.append(Held(rows[i], pull.start, max(end, pull.start), _along_line(pull, end), f"pull {i + 1}"))
    for i, _ in enumerate(c.pins):
        place = points.position[len(c.pulls) + i]
        held.append(Held(rows[len(c.pulls) + i], 0.0, np.inf, lambda t, o, place=place: place, f"pin {i + 1}"))
    return tuple(held)


def _along_line(pull: wishes.Pull, end: float) -> Callable[[float, Array], Array]:
    duration = max(end - pull.start, 1e-9)

    def place(t: float, origin: Array) -> Array:
        goal = origin + np.array(pull.by) if pull.by is not None else np.array(pull.to)
        share = min(max((t - pull.start) / duration, 0.0), 1.0)
        return origin + share * (goal - origin)

    return place


def _along_path(pull: wishes.Pull) -> Callable[[float, Array], Array]:
    rows = np.array(pull.path)

    def place(t: float, origin: Array) -> Array:
        return np.array([np.interp(t, rows[:, 0], rows[:, a]) for a in (1, 2, 3)])

    return place
