"""Impulses of one-sided constraints with Coulomb friction: sticking solved at once, else projected Gauss-Seidel.

    u = N v,   A = N E^-1 N^T,   u + A p:   0 <= p_n  _|_  u_n - least >= 0,   |p_t| <= mu p_n against the sliding

with E the effective mass matrix of the step and N the rows of normals and tangents.
"""

import numpy as np

from neurok.geometry.arrays import Array, Mask

MAX_SWEEPS = 100  # fewer where there are many contacts, so that
MAX_UPDATES = 1600  # a step never needs more than so many
SETTLED_TOLERANCE = 1e-6  # relative change of the velocities at which the sweeps stop


def solve_impulses(
    effective: Array, v: Array, rows: Array, least: Array, friction: Array, guess: Array
) -> tuple[Array, Array]:
    """The velocity after the impulses, [k], and the impulses, [c, 3].

    rows [c, 3, k]: normal and tangents; least [c]: the lowest normal speed allowed; friction [c];
    guess [c, 3]: impulses to begin with.
    """
    count, _, k = rows.shape
    N = rows.reshape(3 * count, k)
    response = np.linalg.solve(effective, N.T)  # [k, 3c]
    A = N @ response
    u = N @ v
    diagonal = A.diagonal()
    moves = diagonal > 1e-12 * max(diagonal.max(initial=0.0), 1e-300)
    rubs = moves.reshape(count, 3)[:, 1:].any(axis=1) & (friction > 0)
    # Redundant contacts may trade impulses for ever; it is the velocities that have to settle.
    settled = SETTLED_TOLERANCE * (np.abs(u).max(initial=0.0) + np.abs(least).max(initial=0.0) + 1e-300)
    p = _solve_sticking(A, u, least, friction, moves, rubs, settled)
    if p is None:
        p = _sweep_contacts(A, u, least, friction, moves, rubs, guess, settled)
    return v + response @ p.ravel(), p


def _solve_sticking(
    A: Array, u: Array, least: Array, friction: Array, moves: Mask, rubs: Mask, settled: float
) -> Array | None:
    """The impulses [c, 3] if every contact stays closed and sticks: a linear system; None where that is not so."""
    count = len(least)
    taken = moves.reshape(count, 3) & np.stack([np.ones(count, dtype=bool), rubs, rubs], axis=1)
    solved = np.flatnonzero(taken.ravel())
    wanted = -u
    wanted[::3] += least
    flat = np.zeros(3 * count)
    matrix = A[np.ix_(solved, solved)]
    try:
        flat[solved] = np.linalg.lstsq(matrix, wanted[solved], rcond=1e-10)[0]
    except np.linalg.LinAlgError:
        return None
    if not np.all(np.abs(matrix @ flat[solved] - wanted[solved]) <= settled):
        return None
    p = flat.reshape(count, 3)
    holds = (p[:, 0] >= 0) & (np.hypot(p[:, 1], p[:, 2]) <= friction * p[:, 0] + 1e-12 * np.abs(p).max(initial=0.0))
    return p if np.all(holds) else None


def _sweep_contacts(
    A: Array, u: Array, least: Array, friction: Array, moves: Mask, rubs: Mask, guess: Array, settled: float
) -> Array:
    """Projected Gauss-Seidel, contact by contact: the normal first, then the friction within its disc; [c, 3]."""
    count = len(least)
    p = np.where(moves.reshape(count, 3), guess, 0.0)
    p[~rubs, 1:] = 0.0
    blocks = A.reshape(count, 3, 3 * count)
    u = u + p.ravel() @ A
    floor, mu, values = least.tolist(), friction.tolist(), p.tolist()
    # Per contact: the 3 x 3 of A at it, in plain numbers, which are quicker than arrays of three.
    own = [blocks[c, :, 3 * c : 3 * c + 3].tolist() for c in range(count)]
    active = [c for c in range(count) if moves[3 * c]]
    rubbing = rubs.tolist()
    for _ in range(min(MAX_SWEEPS, MAX_UPDATES // max(len(active), 1) + 10)):
        change = 0.0
        for c in active:
            (a, ax, ay), (_, bx, _), (_, _, cy) = own[c]
            un, ux, uy = u[3 * c : 3 * c + 3].tolist()
            n, x, y = values[c]
            step = max(-n, (floor[c] - un) / a)
            n += step
            dx = dy = 0.0
            if rubbing[c]:
                size = max(bx, cy)
                dx, dy = _project_friction(x, y, ux + ax * step, uy + ay * step, size, mu[c] * n)
                change = max(change, abs(dx) * size, abs(dy) * size)
            if step or dx or dy:
                values[c] = [n, x + dx, y + dy]
                change = max(change, abs(step) * a)
                u += np.array((step, dx, dy)) @ blocks[c]
        if change <= settled:
            break
    return np.array(values).reshape(count, 3)


def _project_friction(x: float, y: float, ux: float, uy: float, size: float, radius: float) -> tuple[float, float]:
    """One projected step of the friction (x, y) against the sliding (ux, uy), within the disc of this radius."""
    to_x, to_y = x - ux / size, y - uy / size
    length = (to_x * to_x + to_y * to_y) ** 0.5
    if length > radius:
        to_x, to_y = to_x * radius / length, to_y * radius / length
    return to_x - x, to_y - y
