"""From a kinematics and conditions to everything a simulation needs: masses, springs, forces, contacts, pulls."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from neurok.geometry.arrays import Array
from neurok.geometry.surface import SurfacePoints, find_nearest, move_to_corner, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.armature import compute_armature
from neurok.mechanics.barrier import Barrier, build_barriers
from neurok.mechanics.candidates import choose_contact_points
from neurok.mechanics.carrier import Carrier, carry
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.contact import Contacts
from neurok.mechanics.forces import PointForce, build_air_flow
from neurok.mechanics.holds import HeldPoint, build_pins, build_pulls
from neurok.mechanics.lagrangian import System
from neurok.mechanics.masses import MassPoints, assign_parts, place_mass_points
from neurok.mechanics.meeting_parts import build_self_contacts
from neurok.mechanics.places import require_point
from neurok.mechanics.rubbing import excuse_start
from neurok.mechanics.self_contact import SelfContacts
from neurok.mechanics.springs import EARTH_GRAVITY, RestInertia, build_springs
from neurok.mechanics.state import State

MAX_STRIDE = 0.5  # the farthest a coordinate may go in one step, in deviations of the prior
MAX_BASE_TURN = 0.5  # the farthest a free base may turn in one step [rad]
WHOLE_RANGE = 3.0  # the same for a coordinate that moves little, in deviations: from one limit to the other and beyond
SMALL_MOTION = 0.01  # of the diagonal: a coordinate that moves nothing farther may cross its whole range in one step
EMBEDDED_DEPTH = 1e-3  # of the diagonal: a point of a fixed object that is this deep in a barrier at rest belongs there
CONTACT_SLOP = 1e-4  # penetration that is left alone, of the diagonal
WIND_SAMPLE_COUNT = 256


@dataclass(frozen=True)
class ConditionShares:
    """H of the points that the conditions name, one row for each, [., r]."""

    pulls: Array
    pins: Array
    pushes: Array
    starts: Array
    velocities: Array


@dataclass(frozen=True)
class Scene:
    """The system and what acts on it beyond smooth forces.

    stride: the farthest each coordinate may go in one step, [k]. gravity: [m/s^2], [3]. Gravity and stiffness are those
    that were chosen where the conditions leave them open.
    """

    system: System
    masses: MassPoints
    contacts: Contacts | None
    self_contacts: SelfContacts | None
    held: tuple[HeldPoint, ...]
    stride: Array
    condition_shares: ConditionShares
    gravity: Array
    stiffness: float


@dataclass(frozen=True)
class _ScenePoints:
    """Points of the surface at rest that a simulation follows, and H of each set, [., r].

    named: those of pulls, pins, pushes, starts and velocities, in turn. air_corners: the corners of the faces on which
    the samples of the air lie.
    """

    named: SurfacePoints
    touch: SurfacePoints
    air: SurfacePoints
    carrier: Carrier
    mass_share: csr_matrix
    named_shares: ConditionShares
    touch_share: csr_matrix
    air_share: csr_matrix
    air_corner_shares: list[csr_matrix]


def build_scene(
    space: Kinematics, conditions: Conditions, *, dense: bool = False, mass_count: int | None = None
) -> Scene:
    """Everything that stays the same over the simulation.

    dense: use the points themselves instead of the skin's bones (the slow twin). mass_count: how many mass points.
    """
    gravity = _choose_gravity(space, conditions)
    stiffness = _choose_stiffness(space, conditions, gravity)
    masses = place_mass_points(space, conditions, stiffness=stiffness, count=mass_count)
    masses = replace(masses, bones=None) if dense else masses
    barriers = build_barriers(space.mesh, conditions)
    points = _place_points(space, conditions, masses, has_barriers=bool(barriers), dense=dense)
    rest = _measure_rest(space, masses, points, stiffness)
    system = _build_system(space, conditions, masses, points, rest, gravity)
    shares = points.named_shares
    pinned_places = points.named.position[len(conditions.pulls) :]
    return Scene(
        system=system,
        masses=masses,
        contacts=_build_contacts(space, conditions, points, barriers) if barriers else None,
        self_contacts=None if dense else _build_self_contacts(space, conditions),
        held=(*build_pulls(conditions, shares.pulls), *build_pins(shares.pins, pinned_places)),
        stride=_limit_strides(space, points.mass_share, rest.jacobian, system.springs.wall),
        condition_shares=shares,
        gravity=gravity,
        stiffness=stiffness,
    )


def _choose_gravity(space: Kinematics, conditions: Conditions) -> Array:
    """As asked for [m/s^2], [3]; else the Earth's where the object can fall, or stands on something."""
    if conditions.gravity is not None:
        return np.array(conditions.gravity, dtype=np.float64)
    falls = conditions.ground or bool(conditions.obstacles) or space.has_free_base
    return -EARTH_GRAVITY * space.mesh.up_axis if falls else np.zeros(3)


def _choose_stiffness(space: Kinematics, conditions: Conditions, gravity: Array) -> float:
    """As asked for; else one, or none where gravity acts on joints."""
    if conditions.stiffness is not None:
        return conditions.stiffness
    return 0.0 if gravity.any() and not space.is_elastic else 1.0


def _place_points(
    space: Kinematics, conditions: Conditions, masses: MassPoints, *, has_barriers: bool, dense: bool
) -> _ScenePoints:
    """The points of the surface that matter; those that nothing needs are none."""
    mesh, c = space.mesh, conditions
    none = masses.where.subset(np.zeros(0, dtype=np.int64))
    groups = (c.pulls, c.pins, c.pushes, c.starts, c.velocities)
    places = [require_point(condition.point) for group in groups for condition in group]
    named = find_nearest(mesh, np.array(places, dtype=np.float64)) if places else none
    touch = choose_contact_points(space, c.seed) if has_barriers else none
    air = sample_even(mesh, WIND_SAMPLE_COUNT, np.random.default_rng(c.seed)) if any(c.wind) else none
    air_corners = [move_to_corner(mesh, air, i) for i in range(3)]
    carrier, shares = carry(space, [masses.where, named, touch, air, *air_corners], dense=dense)
    mass_share, named_share, touch_share, air_share, *corner_shares = shares
    ends = np.cumsum([len(group) for group in groups[:-1]])
    return _ScenePoints(
        named=named,
        touch=touch,
        air=air,
        carrier=carrier,
        mass_share=mass_share,
        named_shares=ConditionShares(*np.split(named_share.toarray(), ends)),
        touch_share=touch_share,
        air_share=air_share,
        air_corner_shares=corner_shares,
    )


def _measure_rest(space: Kinematics, masses: MassPoints, points: _ScenePoints, stiffness: float) -> RestInertia:
    """What the coordinates move at rest, against which springs and limits are weighed."""
    rest = space.rest.numpy().astype(np.float64)
    inertia, rates = masses.compute_inertia(points.mass_share), masses.damping
    is_even = bool(np.all(rates == rates[0]))
    return RestInertia(
        jacobian=points.carrier.compute_jet(space, rest, np.zeros_like(rest)).jacobian,
        mass=inertia,
        soft=masses.compute_inertia(points.mass_share, masses.stiffness),
        stiffness=stiffness,
        damping=float(rates[0]) if is_even else masses.compute_inertia(points.mass_share, rates),
        armature=compute_armature(space, points.carrier, inertia),
    )


def _build_system(
    space: Kinematics,
    conditions: Conditions,
    masses: MassPoints,
    points: _ScenePoints,
    rest: RestInertia,
    gravity: Array,
) -> System:
    """The equation of motion, in file units, kilograms and seconds."""
    mesh, wind = space.mesh, None
    if any(conditions.wind):
        wind = build_air_flow(mesh, conditions.wind, points.air.area, points.air_share, points.air_corner_shares)
    pushes = tuple(
        PointForce(share, np.array(push.force) / mesh.unit, push.start, push.end)
        for share, push in zip(points.named_shares.pushes, conditions.pushes)
    )
    return System(
        space=space,
        carrier=points.carrier,
        inertia=rest.mass,
        moment=masses.compute_moment(points.mass_share),
        damping=rest.damping,
        springs=build_springs(space, rest, limits=conditions.limits),
        gravity=gravity / mesh.unit,
        pushes=pushes,
        wind=wind,
        armature=rest.armature,
        unit=mesh.unit,
    )


def _limit_strides(space: Kinematics, shares: csr_matrix, J: Array, wall: Array) -> Array:
    """The farthest each coordinate may go in one step, [k]: buttons and keys may go in and out at once."""
    deviation = space.prior.deviation
    stride = MAX_STRIDE * deviation
    stride[3 : min(6, space.base_count)] = MAX_BASE_TURN
    moved = np.array([np.linalg.norm(shares @ rows, axis=1).max(initial=0.0) for rows in J]) * 2 * deviation
    is_walled = (wall > 0) & np.isfinite((space.upper - space.lower).numpy())
    return np.where(is_walled & (moved < SMALL_MOTION * space.mesh.diagonal), WHOLE_RANGE * deviation, stride)


def _build_contacts(
    space: Kinematics, conditions: Conditions, points: _ScenePoints, barriers: tuple[Barrier, ...]
) -> Contacts:
    """What can touch what.

    A soft object with a fixed base that stands in a barrier cannot be lifted out of it: pairs of a barrier and a point
    that is deep in it at rest are left alone, or they would hold up all the others.
    """
    mesh, touch = space.mesh, points.touch
    made = assign_parts(mesh, conditions)
    # What is elastic bounces by its springs: a restitution holds there only where it is stated as a number.
    rebound = "restitution" if not space.is_elastic else "stated_restitution"
    gaps = np.array([barrier.measure_gap(touch.position)[0] for barrier in barriers])
    within = (gaps < -EMBEDDED_DEPTH * mesh.diagonal) & (space.is_elastic and not space.has_free_base)
    return Contacts(
        points.touch_share,
        made.read("friction", conditions.friction)[touch.face],
        made.read(rebound, 0.0)[touch.face],
        barriers,
        CONTACT_SLOP * mesh.diagonal,
        within,
    )


def _build_self_contacts(space: Kinematics, conditions: Conditions) -> SelfContacts | None:
    """What parts of the object may touch each other."""
    if not conditions.self_contact:
        return None
    friction = assign_parts(space.mesh, conditions).read("friction", conditions.friction)
    slop = CONTACT_SLOP * space.mesh.diagonal
    return build_self_contacts(space, friction, slop, limited=conditions.limits, seed=conditions.seed)


def begin_scene(scene: Scene, state: State) -> Scene:
    """The scene of a motion that begins at a state: parts that pass through each other there go on to do so."""
    if scene.self_contacts is None:
        return scene
    contacts = excuse_start(scene.self_contacts, state.space, scene.system.carrier, state.q)
    return replace(scene, self_contacts=contacts)
