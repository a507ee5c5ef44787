"""Windows: several steps of the variational midpoint rule, solved together as one system.

With w_n the mid-step velocity of step n, m_n = q_0 + h (w_1 + .. + w_n-1 + w_n / 2) and g = dT/dq + f,

    M(m_n) w_n - h/2 g(m_n, w_n) = p_n-1,      p_n = p_0 + h (g_1 + .. + g_n),

all n at once. With M, D and K of some state in place of the derivatives the equations are linear in the corrections:
their matrix is block triangular, and the same along its diagonals,

    L_0 = M + h/2 D + h^2/4 K,      L_n = h D + n h^2 K,

so that one inverse, formed once for many windows, turns what is missed into corrections that shrink a hundredfold each
time. The momenta of all steps are one evaluation of many states, which shares what Python costs among them. The steps
are those of `integrators.VariationalMidpoint` up to TOLERANCE.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.integrators import StepFailed, invert
from neurok.mechanics.lagrangian import ManyMomenta, System, Terms, compute_many_momenta, compute_pose_terms

WINDOW_STEPS = 16  # at most: with more, arrays leave the fast memory, and corrections shrink less
TOLERANCE = 1e-8  # of the velocities, of the last correction: what is left is a hundredth of it
LOOSE_TOLERANCE = 1e-5  # of the same, where that many corrections came no nearer
MAX_CORRECTIONS = 24  # of a window: one that is far off after them is left to single steps


@dataclass(frozen=True)
class WindowStart:
    """Where a window begins: position and momenta, and the rate g of momenta at some middle and velocity near to it,
    from which corrections are guessed; [k] each."""

    q: Array
    p: Array
    rate: Array
    middle: Array
    velocity: Array


@dataclass(frozen=True)
class WindowSteps:
    """The steps of one window. q, p: after each step; w: in the middle of each, [n, k] all.

    following: where the next window begins. corrections: how many there were. gain: the greatest rise of energy from
    one mid-step to the next; kinetic: the greatest kinetic energy; kick: what the forces give in one step.
    """

    q: Array
    p: Array
    w: Array
    following: WindowStart
    corrections: int
    gain: float
    kinetic: float
    kick: float


@dataclass(frozen=True)
class WindowSolver:
    """Solves windows of steps of h. inverse: of the linear equations, [N k, N k]; inverse_mass: of M; damping,
    stiffness: D and K, [k, k]."""

    system: System
    space: Kinematics
    h: float
    inverse: Array
    inverse_mass: Array
    damping: Array
    stiffness: Array

    @staticmethod
    def linearise(system: System, space: Kinematics, now: Terms, h: float) -> "WindowSolver":
        """About a state, where the terms are `now`."""
        drag, stiff = h * now.damping, h * h * now.stiffness
        inverse = _invert_triangular(now.mass + 0.5 * drag + 0.25 * stiff, drag, stiff)
        return WindowSolver(system, space, h, inverse, invert(now.mass), now.damping, now.stiffness)

    def solve(self, start: WindowStart, t: float, count: int) -> WindowSteps:
        """So many steps from a start at a time t [s]."""
        h, w = self.h, self._guess(start, count)
        for corrections in range(1, MAX_CORRECTIONS + 1):
            middle = start.q + h * (_sum_before(w) + 0.5 * w)
            found = compute_many_momenta(self.system, self.space, middle, w, t)
            correction = self._correct(found.p - h / 2 * found.rate - start.p - h * _sum_before(found.rate))
            w = w + correction
            size = float(np.abs(correction).max())
            if not np.isfinite(size):
                raise StepFailed
            if size <= TOLERANCE * np.abs(w).max() or corrections == MAX_CORRECTIONS:
                break
        if size > LOOSE_TOLERANCE * np.abs(w).max():
            raise StepFailed
        return self._conclude(start, w, correction, found, corrections)

    def _conclude(
        self, start: WindowStart, w: Array, correction: Array, found: ManyMomenta, corrections: int
    ) -> WindowSteps:
        """The steps that end a window; found: the momenta before the last correction, which the rates still lack."""
        h = self.h
        kinetic, potential = found.find_energy()
        moved = h * (_sum_before(correction) + 0.5 * correction)
        rate = found.rate - moved @ self.stiffness - correction @ self.damping
        q, p = start.q + h * np.cumsum(w, axis=0), start.p + h * np.cumsum(rate, axis=0)
        return WindowSteps(
            q=q,
            p=p,
            w=w,
            following=WindowStart(q[-1], p[-1], rate[-1], q[-1] - 0.5 * h * w[-1], w[-1]),
            corrections=corrections,
            gain=float(np.diff(kinetic + potential).max(initial=0.0)),
            kinetic=float(kinetic.max()),
            kick=h * h * float((rate @ self.inverse_mass * rate).sum(axis=1).max()),
        )

    def _guess(self, start: WindowStart, count: int) -> Array:
        """Mid-step velocities by the linear equations alone, [count, k]."""
        w = np.tile(self.inverse_mass @ start.p, (count, 1))
        middle = start.q + self.h * (np.arange(count)[:, None] + 0.5) * w
        rate = start.rate - (middle - start.middle) @ self.stiffness - (w - start.velocity) @ self.damping
        return w + self._correct(-self.h * (0.5 * rate + _sum_before(rate)))

    def _correct(self, missed: Array) -> Array:
        """The corrections of velocities that miss so much momentum, [n, k] both."""
        size = missed.size
        return -(self.inverse[:size, :size] @ missed.ravel()).reshape(missed.shape)

    def find_velocities(self, states: Array, momenta: Array, t: float) -> tuple[Array, Array]:
        """v with M(q) v = p, and the energies, [2, n]; states, momenta: [n, k]."""
        v = momenta @ self.inverse_mass
        for _ in range(MAX_CORRECTIONS):
            found = compute_many_momenta(self.system, self.space, states, v, t)
            correction = (momenta - found.p) @ self.inverse_mass
            v = v + correction
            if np.abs(correction).max() <= TOLERANCE * np.abs(v).max():
                break
        else:
            masses = [compute_pose_terms(self.system, self.space, q).mass for q in states]
            v = np.linalg.solve(np.array(masses), momenta[..., None])[..., 0]
        return v, np.array([0.5 * (momenta * v).sum(axis=1), found.find_energy()[1]])


def _sum_before(x: Array) -> Array:
    """Of each row the sum of those before it."""
    sums = np.zeros_like(x)
    np.cumsum(x[:-1], axis=0, out=sums[1:])
    return sums


def _invert_triangular(own: Array, drag: Array, stiff: Array) -> Array:
    """The inverse of the block triangular matrix with `own` on its diagonal and drag + n stiff n blocks below it.

    It is of the same form, X_0 = own^-1 and X_n = -X_0 (L_n X_0 + .. + L_1 X_n-1).
    """
    k = len(own)
    first = invert(own)
    blocks = [first]
    sums, ramp = np.zeros((k, k)), np.zeros((k, k))
    for _ in range(1, WINDOW_STEPS):
        sums += blocks[-1]  # X_0 + .. + X_n-1
        ramp += sums  # n X_0 + .. + X_n-1
        blocks.append(-first @ (drag @ sums + stiff @ ramp))
    matrix = np.zeros((WINDOW_STEPS, k, WINDOW_STEPS, k))
    for n, block in enumerate(blocks):
        rows = np.arange(n, WINDOW_STEPS)
        matrix[rows, :, rows - n] = block
    return matrix.reshape(WINDOW_STEPS * k, -1)
