"""The loop of the material point method: a mesh and conditions become a trajectory of its surface.

Velocities are kept half a step before positions: v(-h/2) = v(0) - g h / 2, so that a free fall is a parabola to
rounding. All is in metres about the middle of the object, since the solver has single floats.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.geometry.far import choose_frame_dtype
from neurok.geometry.mesh import Mesh
from neurok.geometry.rotation import skew
from neurok.mechanics.barrier import Barrier, BoxBarrier, SphereBarrier, build_barriers
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.masses import assign_parts
from neurok.mechanics.mpm.flow_rules import MAX_YOUNG, Defaults
from neurok.mechanics.mpm.grips import Grip, PointLoad, build_grips, build_loads
from neurok.mechanics.mpm.particle_trajectory import ParticleRecord, ParticleTrajectory, build_particle_trajectory
from neurok.mechanics.mpm.particles import PARTICLE_COUNT, Particles, fill_particles
from neurok.mechanics.mpm.refusals import refuse_rest
from neurok.mechanics.mpm.solver import ParticleSolver, describe_version
from neurok.mechanics.mpm.stepping import Stepping, choose_stepping, relax_times
from neurok.mechanics.mpm.surface_carrier import SurfaceCarrier, build_carrier
from neurok.mechanics.places import require_point
from neurok.mechanics.springs import EARTH_GRAVITY

TOUCH = 0.1  # of a spacing: how near to standing on it a particle touches a barrier
MISSED = 0.01  # of the speeds asked for: what a rigid start may leave of them without a word


@dataclass(frozen=True)
class ParticleScene:
    """Everything that stays the same over a simulation; lengths in metres about `middle` [m], [3], which is the origin
    of `mesh` as well.

    friction: against barriers that have none. twist: velocity of the origin [m/s] and of turning [rad/s] at the start,
    [6]; missed: what it leaves of the velocities asked for, as a share.
    """

    mesh: Mesh
    particles: Particles
    carrier: SurfaceCarrier
    barriers: tuple[Barrier, ...]
    friction: float
    gravity: Array
    grips: tuple[Grip, ...]
    loads: tuple[PointLoad, ...]
    middle: Array
    twist: Array
    missed: float


def animate_particles(
    mesh: Mesh,
    conditions: Conditions,
    *,
    count: int = PARTICLE_COUNT,
    progress: Callable[[float], None] | None = None,
) -> ParticleTrajectory:
    """Simulate an object by particles; count: about how many where no part is thin. progress: the share done."""
    refuse_rest(conditions)
    scene = build_particle_scene(mesh, conditions, count)
    frames = max(int(round(conditions.seconds * conditions.fps)), 1)
    interval = conditions.seconds / frames
    stepping = choose_stepping(scene.particles, _guess_speed(scene, conditions), interval, conditions.dt)
    solver = _begin(scene, stepping)
    mover = _Mover(scene, solver, conditions.damping)
    records = [_record(scene, solver, mesh, stepping.step)]
    for frame in range(frames):
        for i in range(stepping.per_frame):
            mover.advance((frame * stepping.per_frame + i) * stepping.step, stepping.step)
        solver.check()
        records.append(_record(scene, solver, mesh, stepping.step))
        if progress is not None:
            progress((frame + 1) / frames)
    return build_particle_trajectory(mesh, interval, records, _describe(scene, conditions, stepping, frames))


def build_particle_scene(mesh: Mesh, conditions: Conditions, count: int) -> ParticleScene:
    """The particles of an object, what carries its surface, and what acts on it."""
    made = assign_parts(mesh, conditions)
    near = mesh.with_vertices(mesh.vertices - mesh.bounds.mean(axis=0))
    moved = conditions.translate(-mesh.bounds.mean(axis=0), mesh.up_axis)
    particles = fill_particles(near, made, Defaults(conditions.density, conditions.friction), count=count)
    if conditions.mass is not None:
        factor = conditions.mass / float(particles.mass.sum())
        rules = tuple(replace(rule, density=rule.density * factor) for rule in particles.rules)
        particles = replace(particles, rules=rules)
    twist, missed = _fit_twist(near, moved, particles)
    return ParticleScene(
        mesh=near,
        particles=particles,
        carrier=build_carrier(near.vertices * near.unit, particles),
        barriers=tuple(_scale_barrier(barrier, near.unit) for barrier in build_barriers(near, moved)),
        friction=float(np.average(particles.read("friction"), weights=particles.mass)),
        gravity=_choose_gravity(mesh, conditions),
        grips=build_grips(near, moved, particles),
        loads=build_loads(near, moved, particles),
        middle=mesh.bounds.mean(axis=0) * mesh.unit,
        twist=twist,
        missed=missed,
    )


def _scale_barrier(barrier: Barrier, unit: float) -> Barrier:
    """A barrier in metres."""
    moved = replace(barrier, point=barrier.point * unit)
    if isinstance(moved, SphereBarrier):
        return replace(moved, radius=moved.radius * unit)
    return replace(moved, half=moved.half * unit) if isinstance(moved, BoxBarrier) else moved


def _choose_gravity(mesh: Mesh, conditions: Conditions) -> Array:
    """As asked for [m/s^2], [3]; else the Earth's where the object can fall, or stands on something."""
    if conditions.gravity is not None:
        return np.array(conditions.gravity, dtype=np.float64)
    falls = conditions.ground or bool(conditions.obstacles) or conditions.base == "free"
    return -EARTH_GRAVITY * mesh.up_axis if falls else np.zeros(3)


def _fit_twist(mesh: Mesh, conditions: Conditions, particles: Particles) -> tuple[Array, float]:
    """The rigid velocity of least energy that comes nearest to those asked for, and what it leaves of them."""
    if not conditions.velocities:
        return np.zeros(6), 0.0
    points = mesh.unit * np.array([require_point(one.point) for one in conditions.velocities], dtype=np.float64)
    wanted = mesh.unit * np.array([one.velocity for one in conditions.velocities], dtype=np.float64)
    rows = np.concatenate([np.tile(np.eye(3), (len(points), 1, 1)), -skew(points)], axis=2).reshape(-1, 6)
    P = np.concatenate([np.tile(np.eye(3), (len(particles.mass), 1, 1)), -skew(particles.position)], axis=2)
    energy = np.einsum("p,pki,pkj->ij", particles.mass, P, P)
    root = np.linalg.cholesky(energy + 1e-9 * np.trace(energy) * np.eye(6))
    twist = np.linalg.solve(root.T, np.linalg.lstsq(np.linalg.solve(root, rows.T).T, wanted.ravel(), rcond=1e-9)[0])
    left = np.linalg.norm((rows @ twist).reshape(-1, 3) - wanted, axis=1).max()
    return twist, float(left / max(np.linalg.norm(wanted, axis=1).max(), 1e-300))


def _guess_speed(scene: ParticleScene, conditions: Conditions) -> float:
    """About the greatest speed at which something may be touched or led [m/s]."""
    speed = float(np.linalg.norm(_move_rigidly(scene), axis=1).max())
    gaps = [float(barrier.measure_gap(scene.particles.position)[0].min()) for barrier in scene.barriers]
    fall = float(np.linalg.norm(scene.gravity))
    dropped = max((min(fall * conditions.seconds, np.sqrt(2 * fall * max(gap, 0.0))) for gap in gaps), default=0.0)
    return speed + dropped


def _move_rigidly(scene: ParticleScene) -> Array:
    """The velocities of the particles at the start [m/s], [p, 3]."""
    return scene.twist[:3] + np.cross(scene.twist[3:], scene.particles.position)


def _begin(scene: ParticleScene, stepping: Stepping) -> ParticleSolver:
    """The solver at the start, its velocities half a step before it."""
    velocity = _move_rigidly(scene) - 0.5 * stepping.step * scene.gravity
    gradient = np.tile(skew(scene.twist[None, 3:]), (len(velocity), 1, 1))
    relax = relax_times(scene.particles, stepping)
    return ParticleSolver(
        scene.particles, velocity, gradient, relax, scene.gravity, scene.barriers, scene.friction
    )  # fmt: skip


class _Mover:
    """Goes on step by step, with what is held and pushed."""

    def __init__(self, scene: ParticleScene, solver: ParticleSolver, damping: float) -> None:
        self.scene, self.solver, self.damping = scene, solver, damping
        self.origins: dict[int, Array] = {}

    def advance(self, t: float, h: float) -> None:
        """From t to t + h [s]."""
        if self.damping:
            self.solver.damp(float(np.exp(-self.damping * h)))
        if self.scene.loads:
            self.solver.push(self._sum_loads(t, h))
        if self.scene.grips:
            self.solver.hold(*self._lead(t, h))
        self.solver.step(h)

    def _sum_loads(self, t: float, h: float) -> Array:
        force = np.zeros_like(self.scene.particles.position)
        for load in self.scene.loads:
            share = max(min(load.end, t + h) - max(load.start, t), 0.0) / h  # its impulse is kept, however short it is
            if share > 0:
                force[load.particle] += share * load.force / len(load.particle)
        return force

    def _lead(self, t: float, h: float) -> tuple[Mask, Array]:
        """Which particles are held in a step, [p], and how fast they are led [m/s], [p, 3]."""
        x = self.solver.position
        held, velocity = np.zeros(len(x), dtype=bool), np.zeros_like(x)
        for number, grip in enumerate(self.scene.grips):
            if grip.is_active(t, h):
                point = x[grip.particle].mean(axis=0) + grip.offset
                origin = self.origins.setdefault(number, point)
                held[grip.particle] = True
                velocity[grip.particle] = (grip.place(t + h, origin) - point) / h
        return held, velocity


def _record(scene: ParticleScene, solver: ParticleSolver, mesh: Mesh, h: float) -> ParticleRecord:
    """What is kept of a frame."""
    x, v, mass = solver.position, solver.velocity, scene.particles.mass
    reach = (0.5 + TOUCH) * scene.particles.spacing
    touching = np.zeros(len(x), dtype=bool)
    for barrier in scene.barriers:
        touching |= barrier.measure_gap(x)[0] <= reach
    if not touching.any() and not scene.grips:  # in flight: what is known half a step before
        v = v + 0.5 * h * scene.gravity
    vertices = (scene.carrier.carry(x) + scene.middle) / mesh.unit
    return ParticleRecord(
        vertices=vertices.astype(choose_frame_dtype(mesh)),
        kinetic=0.5 * float(mass @ (v**2).sum(axis=1)),
        potential=-float(mass @ ((x + scene.middle) @ scene.gravity)),
        contacts=int(np.count_nonzero(touching)),
    )


def _describe(scene: ParticleScene, conditions: Conditions, stepping: Stepping, frames: int) -> str:
    """How it went, in one sentence."""
    particles, cell = scene.particles, 2e3 * scene.particles.spacing
    said = [
        f"{conditions.seconds:g} s in {frames * stepping.per_frame} steps of 1/{1 / stepping.step:.0f} s by material "
        f"points ({describe_version()}): {len(particles.volume)} particles in cells of {cell:.3g} mm",
        f"mass {float(particles.mass.sum()):.3g} kg",
    ]
    if stepping.rate:
        rate = f"{stepping.rate / (2 * np.pi):.2g} Hz"
        said.append(
            f"the steps take energy from its slowest vibration (about {rate}) by a loss factor of about "
            f"{stepping.loss:.2g}, and a smaller --dt takes less"
        )
    if particles.thinnest < 2 * particles.spacing:
        said.append(
            f"its thinnest part ({1e3 * particles.thinnest:.3g} mm) is thinner than a cell and bends too stiffly"
        )
    used = [particles.rules[i] for i in np.unique(particles.rule)]
    capped = sorted({rule.name for rule in used if rule.is_capped})
    if capped:
        said.append(f"{', '.join(capped)} taken as no stiffer than {MAX_YOUNG:.0e} Pa")
    if len({rule.friction for rule in used}) > 1:
        said.append(f"all of it slides with the mean friction of its parts, {scene.friction:.2g}")
    if scene.missed > MISSED:
        said.append(f"it starts as a rigid body, which leaves {scene.missed:.0%} of the velocities asked for")
    return "; ".join(said) + "."
