"""The loop: conditions and a kinematics become a trajectory.

Between contacts and holds a step is the chosen integrator's. A step in which something touches or is held is
Moreau's: the semi-implicit velocity first, then the holds (stiff, solved with the mass matrix), then contact
impulses and limits, then the position with the final velocity. A step that cannot be solved is halved, and said so.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from neurok.kinematics.free import Free
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.contact import impulses, touching
from neurok.mechanics.integrators import INTEGRATORS, StepFailed
from neurok.mechanics.lagrangian import Terms, evaluate, point_jacobian
from neurok.mechanics.scene import Scene, build
from neurok.mechanics.trajectory import Trajectory

Array = NDArray[np.float64]

HOLD = 1e6  # how much stiffer a hold is than the object is heavy at that point
HALVINGS = 4  # so the smallest step is a sixteenth; speeds beyond it are limited, and said so
STRIDE = 0.5  # the farthest a coordinate may go in one step, in spreads (a turn of the base: half a radian)
REACH = 0.05  # the farthest a held point is moved in one step, of the diagonal
SLOP = 1e-4  # penetration that is left alone, of the diagonal


@dataclass(frozen=True)
class State:
    """q, v [k], the time [s], and the kinematics with the base where it is."""

    space: Kinematics
    q: Array
    v: Array
    t: float


@dataclass(frozen=True)
class Tally:
    """What happened on the way, for the status sentence."""

    steps: int = 0
    halved: int = 0
    smallest: float = np.inf
    limited: int = 0
    contacts: int = 0
    pull_force: float = 0.0


def animate(
    space: Kinematics, conditions: Conditions, *, progress: Callable[[float], None] | None = None
) -> Trajectory:
    """Simulate an object's motion under conditions.

    progress: called with the share done, 0 to 1.
    """
    if conditions.base == "free" and space.rigid_count == 0:
        space = Free(space)
    scene = build(space, conditions)
    return simulate(scene, first_state(scene, conditions), conditions, progress=progress)


def first_state(scene: Scene, conditions: Conditions) -> State:
    """Where the object begins: displaced, moving, or one sampled state where nothing at all was asked for."""
    from neurok.mechanics.inverse import solve_points, solve_velocity

    space = scene.system.space
    q = space.rest.numpy().astype(np.float64).copy()
    if conditions.is_silent:
        q = space.sample(1, torch.Generator().manual_seed(conditions.seed))[0].numpy().astype(np.float64)
    starts = len(conditions.starts)
    if starts:
        moves = np.array([s.by for s in conditions.starts], dtype=np.float64)
        q = solve_points(scene.system, np.stack(scene.wish_shares[:starts]), moves, seed=conditions.seed)
    v = np.zeros_like(q)
    if conditions.velocities:
        wanted = np.array([w.velocity for w in conditions.velocities], dtype=np.float64)
        v = solve_velocity(scene.system, q, np.stack(scene.wish_shares[starts:]), wanted)
    return State(space, q, v, 0.0)


def simulate(
    scene: Scene, state: State, conditions: Conditions, *, progress: Callable[[float], None] | None = None
) -> Trajectory:
    """Step from a first state and record every frame."""
    frames = max(int(round(conditions.seconds * conditions.fps)), 1)
    interval = conditions.seconds / frames
    per_frame = max(int(np.ceil(interval / conditions.dt - 1e-9)), 1)
    h = interval / per_frame
    stepper = Stepper(scene, INTEGRATORS[conditions.integrator])
    records = [stepper.record(state)]
    for frame in range(frames):
        touched, force = 0, 0.0
        for i in range(per_frame):
            state = stepper.advance(state, h)
            # Times are products, not sums, so that windows open and close on the step they name.
            state = replace(state, t=(frame * per_frame + i + 1) * h)
            touched, force = stepper.touched, max(force, stepper.force)
        records.append(stepper.record(state, touched, force))
        if progress is not None:
            progress((frame + 1) / frames)
    states, velocities, bases, kinetic, potential, contacts, forces = (np.array(c) for c in zip(*records))
    return Trajectory(
        space=scene.system.space,
        time=np.arange(frames + 1) * interval,
        states=states,
        velocities=velocities,
        bases=bases,
        kinetic=kinetic,
        potential=potential,
        contacts=contacts,
        pull_force=forces,
        status=stepper.sentence(conditions, h),
    )


class Stepper:
    """Takes steps of one scene with one integrator and remembers what was noteworthy."""

    def __init__(self, scene: Scene, integrator) -> None:
        self.scene, self.system, self.integrator = scene, scene.system, integrator
        self.tally = Tally()
        self.touched, self.force = 0, 0.0
        self._begin, self._deepest = 0, 0
        self._origins: dict[int, Array] = {}
        self._terms: tuple[State, Terms] | None = None

    def record(self, state: State, touched: int = 0, force: float = 0.0):
        base = state.space.T_base if isinstance(state.space, Free) else np.eye(4)
        terms = self.terms(state)
        joule = self.system.unit**2
        newton = self.system.unit
        return state.q, state.v, base, terms.kinetic * joule, terms.potential * joule, touched, force * newton

    def terms(self, state: State) -> Terms:
        """The equation of motion at a state; the last one is remembered."""
        # Only pushes depend on time; with them, a window may open or close between two looks at one state.
        if self._terms is None or self.system.pushes or not _same(self._terms[0], state):
            self._terms = state, evaluate(self.system, state.space, state.q, state.v, state.t)
        return self._terms[1]

    def advance(self, state: State, h: float, depth: int = 0) -> State:
        """One step of h, in two halves where it cannot be taken whole.

        A step after a hard one begins one halving below what that one needed, so that hard times cost no more
        failures than they must.
        """
        if depth == 0:
            self._deepest, self._begin = 0, max(self._deepest - 1, 0)
        if depth >= self._begin:
            self.touched, self.force = 0, 0.0
            try:
                after = self._try(state, h, last=depth == HALVINGS)
                self.tally = replace(self.tally, steps=self.tally.steps + 1)
                self._deepest = max(self._deepest, depth)
                return after
            except StepFailed:
                pass
        self.tally = replace(self.tally, halved=self.tally.halved + 1, smallest=min(self.tally.smallest, h / 2))
        return self.advance(self.advance(state, h / 2, depth + 1), h / 2, depth + 1)

    def _try(self, state: State, h: float, *, last: bool) -> State:
        with np.errstate(all="ignore"):  # a step that overflows is caught below, as one that fails
            now = self.terms(state)
            holds = self._holds(state, now, h)
            touch = self._touch(state, now, h)
            smooth = not holds and touch is None and not self._meets_limit(state, now, h)
            q, v = self._attempt(state, now, h, holds, touch, smooth=smooth, last=last)
        space = state.space
        if isinstance(space, Free):
            space, q, v = space.recentred(q, v)
        return State(space, q, v, state.t + h)

    def _attempt(self, state: State, now: Terms, h: float, holds, touch, *, smooth: bool, last: bool):
        """The chosen scheme; at the smallest step the sturdier one, and at last a slower motion."""
        try:
            if smooth:
                q, v = self.integrator.step(self.system, state.space, now, state.q, state.v, state.t, h)
            else:
                q, v = self._moreau(state, now, h, holds, touch)
            self._check(state, now, q, v, h, smooth=smooth)
            return q, v
        except StepFailed:
            if not last:
                raise
        try:
            q, v = self._moreau(state, now, h, holds, touch)
            self._check(state, now, q, v, h, smooth=False)
            return q, v
        except StepFailed:
            return self._limited(state, now, h)

    def _check(self, state: State, now: Terms, q: Array, v: Array, h: float, *, smooth: bool) -> None:
        """Refuse steps that are not finite, go too far, or make energy out of nothing."""
        if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
            raise StepFailed
        reach = STRIDE * state.space.spread.numpy().astype(np.float64)
        reach[3 : min(6, state.space.rigid_count)] = 0.5
        if np.any(np.abs(q - state.q) > reach):
            raise StepFailed
        if smooth:
            end = evaluate(self.system, state.space, q, v, state.t + h * (1 - 1e-12))
            self._terms = State(state.space, q, v, state.t + h), end
            work = 0.5 * (q - state.q) @ (now.force + end.force)
            kick = float(now.force @ np.linalg.solve(now.mass, now.force)) * h * h
            if abs(end.kinetic - now.kinetic - work) > 0.5 * max(end.kinetic, now.kinetic) + 4 * kick:
                raise StepFailed

    def _limited(self, state: State, now: Terms, h: float) -> tuple[Array, Array]:
        """The last resort at the smallest step: slow down until the step is short enough to be taken."""
        self.tally = replace(self.tally, limited=self.tally.limited + 1)
        reach = STRIDE * state.space.spread.numpy().astype(np.float64)
        reach[3 : min(6, state.space.rigid_count)] = 0.5
        fastest = np.max(np.abs(state.v) * h / reach, initial=0.0)
        v = state.v * (0.5 / max(fastest, 0.5)) if np.isfinite(fastest) else np.zeros_like(state.v)
        return state.q + h * v, v

    def _holds(self, state: State, now: Terms, h: float) -> list[tuple[Array, Array]]:
        """(J [3, k], wanted velocity [3]) of every hold that acts in this step."""
        found = []
        for index, held in enumerate(self.scene.held):
            if not held.start - 1e-9 <= state.t < held.end - 1e-9:
                continue
            at = held.share @ now.jet.value
            if index not in self._origins:
                self._origins[index] = at
            want = held.place(state.t + h, self._origins[index]) - at
            length = np.linalg.norm(want)
            most = REACH * self.system.space.mesh.diagonal
            found.append((point_jacobian(held.share, now.jet), want * min(1.0, most / max(length, 1e-300)) / h))
        return found

    def _touch(self, state: State, now: Terms, h: float):
        """The contacts that this step may close, or None."""
        contacts = self.scene.contacts
        if contacts is None:
            return None
        positions = contacts.shares @ now.jet.value
        speed = contacts.shares @ np.einsum("k,kra->ra", state.v, now.jet.jacobian)
        pull = float(np.linalg.norm(self.system.gravity))
        margin = 1.5 * h * (float(np.linalg.norm(speed, axis=1).max(initial=0.0)) + 2 * h * pull)
        margin += SLOP * self.system.space.mesh.diagonal
        return touching(contacts, positions, now.jet.jacobian, margin)

    def _meets_limit(self, state: State, now: Terms, h: float) -> bool:
        """Whether a coordinate would cross a limit in this step; it is then stopped there, as by a contact."""
        if not self.system.wall.any():
            return False
        ahead = state.q + h * (state.v + h * now.acceleration)
        lower, upper = state.space.lower.numpy(), state.space.upper.numpy()
        return bool(np.any((self.system.wall > 0) & ((ahead < lower) | (ahead > upper))))

    def _moreau(self, state: State, now: Terms, h: float, holds, touch) -> tuple[Array, Array]:
        effective = now.mass + h * now.damping + h * h * now.stiffness
        try:
            v = state.v + h * np.linalg.solve(effective, now.force - now.velocity_term - h * now.stiffness @ state.v)
            if holds:
                effective, v = self._hold(effective, v, holds, h)
            rows, least, friction = self._one_sided(state, v, h, touch)
            if len(rows):
                v, pressed = impulses(effective, v, rows, least, friction)
                self.touched = int(np.sum(pressed[: 0 if touch is None else len(touch.gap), 0] > 0))
                self.tally = replace(self.tally, contacts=max(self.tally.contacts, self.touched))
        except np.linalg.LinAlgError:
            raise StepFailed from None
        q = state.q + h * v
        if touch is not None:
            q = self._push_out(effective, q, touch)
        return q, v

    def _hold(self, effective: Array, v: Array, holds, h: float) -> tuple[Array, Array]:
        """min 1/2 |v' - v|_E^2 + w/2 |J v' - u|^2: a stiff spring that gives way only where the object cannot go."""
        held, right = effective.copy(), effective @ v
        weights = []
        for J, want in holds:
            mobility = np.trace(J @ np.linalg.solve(effective, J.T)) / 3
            weight = HOLD / mobility if mobility > 0 else 0.0
            weights.append(weight)
            held += weight * J.T @ J
            right += weight * J.T @ want
        after = np.linalg.solve(held, right)
        for weight, (J, want) in zip(weights, holds):
            # Only the part along directions in which the point can move is a force; the rest meets no resistance.
            U, size, _ = np.linalg.svd(J, full_matrices=False)
            can = U[:, size > 1e-9 * max(size.max(initial=0.0), 1e-300)]
            pull = weight * np.linalg.norm(can.T @ (want - J @ after)) / h
            self.force = max(self.force, float(pull))
        self.tally = replace(self.tally, pull_force=max(self.tally.pull_force, self.force))
        return held, after

    def _one_sided(self, state: State, v: Array, h: float, touch) -> tuple[Array, Array, Array]:
        """Rows of everything that only pushes: contacts, then coordinates that would cross a limit."""
        k = len(v)
        rows, least, friction = [], [], []
        if touch is not None:
            rows.append(touch.rows)
            least.append(-np.maximum(touch.gap, 0.0) / h)
            friction.append(touch.friction)
        lower, upper = state.space.lower.numpy(), state.space.upper.numpy()
        for sign, edge in ((1.0, lower), (-1.0, upper)):
            room = sign * (state.q - edge)
            for i in np.flatnonzero((self.system.wall > 0) & (room + h * sign * v < 0)):
                row = np.zeros((1, 3, k))
                row[0, 0, i] = sign
                rows.append(row)
                least.append(np.array([-max(room[i], 0.0) / h]))
                friction.append(np.zeros(1))
        if not rows:
            return np.zeros((0, 3, k)), np.zeros(0), np.zeros(0)
        return np.concatenate(rows), np.concatenate(least), np.concatenate(friction)

    def _push_out(self, effective: Array, q: Array, touch) -> Array:
        """Take half of any remaining penetration out of the position, not the velocity."""
        slop = SLOP * self.system.space.mesh.diagonal
        depth = -touch.gap - slop
        deep = depth > 0
        if not deep.any():
            return q
        shift, _ = impulses(effective, np.zeros_like(q), touch.rows[deep], 0.5 * depth[deep], np.zeros(deep.sum()))
        return q + shift

    def sentence(self, conditions: Conditions, h: float) -> str:
        """How it went."""
        tally = self.tally
        masses = self.scene.masses
        origin = (
            "asked for" if conditions.mass else "density x volume" if masses.bones is None else "stated by the file"
        )
        text = f"{conditions.seconds:g} s in {tally.steps} steps of 1/{1 / h:.0f} s ({conditions.integrator})"
        text += f"; mass {masses.total:.3g} kg ({origin})"
        if tally.halved:
            text += f"; {tally.halved} steps were halved, down to 1/{1 / tally.smallest:.0f} s"
        if tally.limited:
            text += f"; in {tally.limited} steps the speed had to be limited: take a smaller dt or milder wishes"
        if tally.contacts:
            text += f"; up to {tally.contacts} contacts at a time"
        if tally.pull_force:
            text += f"; the strongest hold took {tally.pull_force * self.system.unit:.3g} N"
        return text + "."


def _same(a: State, b: State) -> bool:
    return a.space is b.space and np.array_equal(a.q, b.q) and np.array_equal(a.v, b.v)
