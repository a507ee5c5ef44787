"""Free runs: stretches of a simulation in which nothing touches, is held or meets a limit, stepped by windows.

Only where a space knows many lines at once does this pay. A window that cannot be solved, or in which a limit comes
near, is left to single steps; after that, windows are tried again in a while.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array
from neurok.mechanics.integrators import StepFailed, VariationalMidpoint
from neurok.mechanics.state import State
from neurok.mechanics.stepper import Stepper
from neurok.mechanics.trajectory import FrameRecord
from neurok.mechanics.windows import WINDOW_STEPS, WindowSolver, WindowStart, WindowSteps

SLOW_CORRECTIONS = 6  # after which the masses are weighed anew
RUN_STEPS = 128  # at most, before progress is told
MIN_PAUSE, MAX_PAUSE = 8, 64  # single steps before windows are tried again
ENERGY_SHARE = 0.5  # of the kinetic energy, and
ENERGY_KICKS = 4.0  # times what the forces give in one step: a window that gains more is not trusted


@dataclass(frozen=True)
class FreeStretch:
    """What a free run did: the frames that fell into it, the state after it, and how many steps there were."""

    records: list[FrameRecord]
    state: State
    count: int


class FreeRun:
    """Takes many steps of h at once where it can.

    per_frame: steps of a frame; edges: times at which something begins or ends to act, sorted.
    """

    def __init__(self, stepper: Stepper, h: float, per_frame: int, edges: Array) -> None:
        self.stepper, self.h, self.per_frame, self.edges = stepper, h, per_frame, edges
        scene, space = stepper.scene, stepper.system.space
        meets = scene.contacts is not None or scene.self_contacts is not None
        is_midpoint = isinstance(stepper.integrator, VariationalMidpoint)
        self.is_open = is_midpoint and space.has_many_lines and not space.has_free_base and not meets
        wall = stepper.system.springs.wall > 0
        self._lower = np.where(wall, space.lower.numpy(), -np.inf)
        self._upper = np.where(wall, space.upper.numpy(), np.inf)
        self._wait, self._pause = 0, MIN_PAUSE
        self._solver: WindowSolver | None = None
        self._ahead: tuple[State, WindowStart] | None = None

    def run(self, state: State, step: int, last: int) -> FreeStretch | None:
        """The next steps, up to the step `last` at most; None where a single step is called for."""
        if not self.is_open:
            return None
        count = min(self._count_steps(state.t), last - step, RUN_STEPS)
        if self._wait > 0 or count < 1:
            self._wait -= 1
            return None
        with np.errstate(all="ignore"):  # what overflows is caught as a window that fails
            found = self._take_windows(state, count)
        if not found:
            self._ahead = None
            self._wait, self._pause = self._pause, min(2 * self._pause, MAX_PAUSE)
            return None
        self._pause = MIN_PAUSE
        return self._finish(state, step, found)

    def _count_steps(self, t: float) -> int:
        """How many whole steps there are before something begins or ends, none where something is held."""
        if any(held.start <= t < held.end for held in self.stepper.scene.held):
            return 0
        ahead = self.edges[self.edges > t]
        return int((ahead[0] - t) / self.h + 1e-6) if len(ahead) else RUN_STEPS

    def _take_windows(self, state: State, count: int) -> list[WindowSteps]:
        """Windows of so many steps in all, or fewer where one of them is not to be trusted."""
        if self._ahead is None or self._ahead[0] is not state:
            try:
                now = self.stepper.evaluate_terms(state)
                self._solver = WindowSolver.linearise(self.stepper.system, state.space, now, self.h)
            except StepFailed:  # the single steps that follow meet it too, and know what to do about it
                return []
            self._ahead = state, WindowStart(state.q, now.mass @ state.v, now.force, state.q, state.v)
        assert self._solver is not None
        start, found = self._ahead[1], []
        for begin in range(0, count, WINDOW_STEPS):
            try:
                steps = self._solver.solve(start, state.t + begin * self.h, min(WINDOW_STEPS, count - begin))
            except StepFailed:
                break
            if not self._is_trusted(steps):
                break
            found.append(steps)
            start = steps.following
            if steps.corrections > SLOW_CORRECTIONS:
                break
        return found

    def _is_trusted(self, steps: WindowSteps) -> bool:
        """Whether no step goes too far, comes to a limit, or makes energy out of nothing."""
        move = np.abs(self.h * steps.w)
        if np.any(move > self.stepper.scene.stride):
            return False
        if steps.gain > ENERGY_SHARE * steps.kinetic + ENERGY_KICKS * steps.kick:
            return False
        return bool(np.all(steps.q - move > self._lower) and np.all(steps.q + move < self._upper))

    def _finish(self, state: State, step: int, windows: list[WindowSteps]) -> FreeStretch:
        """The frames among the steps, and the state after the last one."""
        q, p = (np.concatenate([getattr(x, name) for x in windows]) for name in ("q", "p"))
        count = len(q)
        frames = np.flatnonzero((step + 1 + np.arange(count)) % self.per_frame == 0)
        told = np.union1d(frames, [count - 1])
        assert self._solver is not None
        v, energy = self._solver.find_velocities(q[told], p[told], state.t)
        unit = self.stepper.system.unit
        records = [
            FrameRecord(q[n], v[i], state.space.T_base, energy[0, i] * unit**2, energy[1, i] * unit**2, 0, 0.0)
            for i, n in enumerate(frames)
        ]
        self.stepper.count_free_steps(count)
        after = State(state.space, q[-1], v[-1], (step + count) * self.h)
        is_slow = windows[-1].corrections > SLOW_CORRECTIONS
        self._ahead = None if is_slow else (after, windows[-1].following)
        return FreeStretch(records, after, count)
