"""Newton's implicit material point solver on the processor: particles, colliders and steps (extra `mpm`).

Newton and Warp are loaded here and nowhere else. What touches is told at the particles (basis `pic8`), which stand half
a spacing off what they touch, so that their surface does not sink in.
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from neurok.errors import InputError, MissingExtra
from neurok.geometry.arrays import Array, Mask
from neurok.mechanics.barrier import Barrier, BoxBarrier, PlaneBarrier, SphereBarrier
from neurok.mechanics.mpm.particles import Particles

ITERATIONS, TOLERANCE = 60, 1e-4  # of the solver of a step
PLANE_WIDTH = 100.0  # sizes of the object: a plane is a square so wide
BOUND = 1e6  # m; nothing gets so far


def is_installed() -> bool:
    """Whether the extra is there, without loading it."""
    from importlib.util import find_spec

    return find_spec("newton") is not None and find_spec("warp") is not None


def describe_version() -> str:
    """'Newton 1.8.0'."""
    from importlib.metadata import version

    return f"Newton {version('newton')}"


def _load() -> Any:
    """Newton, which says nothing of its own."""
    if not is_installed():
        raise MissingExtra("moving what yields and flows (--engine mpm)", "mpm")
    import warp

    warp.config.log_level = warp.LOG_ERROR
    warp.config.enable_backward = False  # a third less to compile in the first run
    with _hush("Warp CUDA warning"):
        warp.init()
    import newton

    return newton


@contextmanager
def _hush(beginning: str) -> Iterator[None]:
    """Without the lines that a library of C writes to stderr with this beginning."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as aside:
        os.dup2(aside.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            aside.seek(0)
            said = aside.read().decode(errors="replace").splitlines(keepends=True)
            sys.stderr.write("".join(line for line in said if not line.startswith(beginning)))


class ParticleSolver:
    """Particles under gravity and contact; positions and velocities are read and set between steps."""

    def __init__(
        self, particles: Particles, velocity: Array, gradient: Array, relax: Array, gravity: Array,
        barriers: Sequence[Barrier], friction: float,
    ) -> None:  # fmt: skip
        """velocity [m/s], [p, 3]; gradient [1/s], [p, 3, 3]; relax [s], [p]; gravity [m/s^2], [3]; barriers in metres;
        friction: where a barrier has none."""
        self._newton = _load()
        builder = self._newton.ModelBuilder()
        self._newton.solvers.SolverImplicitMPM.register_custom_attributes(builder)
        self._mass = particles.mass.astype(np.float32)
        builder.add_particles(
            pos=particles.position.tolist(),
            vel=velocity.tolist(),
            mass=self._mass.tolist(),
            radius=(0.5 * np.cbrt(particles.volume)).tolist(),
        )
        size = float(np.linalg.norm(np.ptp(particles.position, axis=0))) + particles.spacing
        for barrier in barriers:
            self._add_barrier(builder, barrier, friction, 0.5 * particles.spacing, size)
        self._model = builder.finalize(device="cpu")
        self._model.set_gravity(tuple(float(g) for g in gravity))
        self._set_material(particles, relax)
        self._now, self._next = self._model.state(), self._model.state()
        self._now.mpm.particle_qd_grad.assign(gradient.astype(np.float32))
        self._solver = self._newton.solvers.SolverImplicitMPM(self._model, self._configure(2.0 * particles.spacing))
        self._held = np.zeros(len(self._mass), dtype=bool)

    def _add_barrier(self, builder: Any, barrier: Barrier, friction: float, margin: float, size: float) -> None:
        """A fixed body; margin [m]: how far particles stand off it."""
        mu = friction if barrier.friction is None else barrier.friction
        config = self._newton.ModelBuilder.ShapeConfig(mu=mu, margin=margin)
        place = tuple(float(x) for x in barrier.point)
        if isinstance(barrier, PlaneBarrier):
            width = PLANE_WIDTH * size
            pose = (*place, *_turn_up(barrier.normal))
            builder.add_shape_plane(plane=None, xform=pose, width=width, length=width, cfg=config)
        elif isinstance(barrier, SphereBarrier):
            builder.add_shape_sphere(-1, xform=(*place, 0.0, 0.0, 0.0, 1.0), radius=barrier.radius, cfg=config)
        elif isinstance(barrier, BoxBarrier):
            hx, hy, hz = (float(x) for x in barrier.half)
            builder.add_shape_box(-1, xform=(*place, 0.0, 0.0, 0.0, 1.0), hx=hx, hy=hy, hz=hz, cfg=config)
        else:
            raise TypeError(barrier)

    def _set_material(self, particles: Particles, relax: Array) -> None:
        made = self._model.mpm
        tension = particles.read("holds_tension")
        for target, values in (
            (made.young_modulus, particles.read("young")),
            (made.poisson_ratio, particles.read("poisson")),
            (made.damping, relax),
            (made.yield_stress, particles.read("yield_shear")),
            (made.friction, particles.read("slope")),
            (made.tensile_yield_ratio, tension),
        ):
            target.assign(np.asarray(values, dtype=np.float32))

    def _configure(self, cell: float) -> Any:
        config = self._newton.solvers.SolverImplicitMPM.Config()
        config.voxel_size, config.air_drag = cell, 0.0
        config.max_iterations, config.tolerance = ITERATIONS, TOLERANCE
        config.collider_basis = "pic8"
        return config

    @property
    def position(self) -> Array:
        """[m], [p, 3]."""
        return np.asarray(self._now.particle_q.numpy(), dtype=np.float64)

    @property
    def velocity(self) -> Array:
        """[m/s], [p, 3]."""
        return np.asarray(self._now.particle_qd.numpy(), dtype=np.float64)

    def damp(self, factor: float) -> None:
        """All motion times a factor."""
        for values in (self._now.particle_qd, self._now.mpm.particle_qd_grad):
            values.assign(values.numpy() * np.float32(factor))

    def push(self, force: Array) -> None:
        """The force [N] on each particle in the next steps, [p, 3]."""
        self._now.particle_f.assign(force.astype(np.float32))
        self._next.particle_f.assign(force.astype(np.float32))

    def hold(self, held: Mask, velocity: Array) -> None:
        """Particles [p] that move as they are told in the next step, with velocities [m/s], [p, 3]."""
        if (held != self._held).any():
            self._held = held.copy()
            self._model.particle_mass.assign(np.where(held, np.float32(0.0), self._mass))
            self._solver.notify_model_changed(self._newton.ModelFlags.MODEL_PROPERTIES)
        if held.any():
            told = np.where(held[:, None], velocity.astype(np.float32), self._now.particle_qd.numpy())
            self._now.particle_qd.assign(told)
            grad = self._now.mpm.particle_qd_grad
            grad.assign(np.where(held[:, None, None], np.float32(0.0), grad.numpy()))

    def step(self, h: float) -> None:
        """Go on by h [s]."""
        self._solver.step(self._now, self._next, None, None, h)
        self._now, self._next = self._next, self._now

    def check(self) -> None:
        """Refuse to go on where the particles fly apart."""
        x = self._now.particle_q.numpy()
        if not np.isfinite(x).all() or np.abs(x).max() > BOUND:
            raise InputError("the particles fly apart", "take a smaller --dt, milder conditions, or --engine reduced")


def _turn_up(normal: Array) -> tuple[float, float, float, float]:
    """The quaternion (x, y, z, w) of the shortest turn from z to a unit normal [3]."""
    if normal[2] < -1.0 + 1e-12:
        return 1.0, 0.0, 0.0, 0.0
    axis = np.cross([0.0, 0.0, 1.0], normal)
    quaternion = np.array([*axis, 1.0 + normal[2]])
    x, y, z, w = (float(c) for c in quaternion / np.linalg.norm(quaternion))
    return x, y, z, w
