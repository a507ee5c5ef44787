"""Boundary conditions: whether a first state and its rates are found again from a few points of a decoded motion.

States and rates are drawn, eight points of the surface are followed, and the state and the rates are sought that bring
them there and move them so, as for the conditions `starts` and `velocities`. The points are those that tell most: one
after another, each the one that most enlarges det(1e-6 + sum_p J_p^T J_p), J_p its Jacobian per spread, in diagonals.
"""

from typing import Any

import numpy as np
import torch

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.surface import sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import carry
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.inverse import solve_points, solve_velocity
from neurok.mechanics.scene import build_scene

FOLLOWED_POINT_COUNT = 8
CANDIDATE_COUNT = 512
MOTION_COUNT = 4


def measure_boundary(space: Kinematics, motions: int = MOTION_COUNT, seed: int = 0) -> dict[str, Any]:
    """The largest errors over drawn motions of a skin.

    state: of any coordinate [spreads]. shape: of the surface, RMS [diagonal]. rates: of any coordinate [spreads per
    second], where a drawn rate is about one. speed: of the surface, RMS, of its true one.
    """
    where = sample_even(space.mesh, CANDIDATE_COUNT, np.random.default_rng(seed))
    carrier, (shares,) = carry(space, [where])
    system = build_scene(space, Conditions()).system
    generator = torch.Generator().manual_seed(seed)
    spread, size = space.prior.deviation, space.mesh.diagonal
    states = space.prior.sample(motions, generator).numpy().astype(np.float64)
    rates = torch.randn(states.shape, generator=generator, dtype=torch.float64).numpy() * spread
    worst = {"state": 0.0, "shape": 0.0, "rates": 0.0, "speed": 0.0}
    for q, v in zip(states, rates):
        x, J = _follow_points(carrier, shares, space, q)
        speed = np.einsum("mak,k->ma", J, v)
        chosen = choose_informative_points(J * spread / size, FOLLOWED_POINT_COUNT)
        rows = shares[chosen].toarray()
        found = solve_points(system, rows, x[chosen] - where.position[chosen], seed=seed)
        found = solve_points(system, rows, x[chosen] - where.position[chosen], starts=[found])
        rate = solve_velocity(system, found, rows, speed[chosen])
        y, K = _follow_points(carrier, shares, space, found)
        errors = {
            "state": float(np.abs((found - q) / spread).max()),
            "shape": _compute_rms(y - x) / size,
            "rates": float(np.abs((rate - v) / spread).max()),
            "speed": _compute_rms(np.einsum("mak,k->ma", K, rate) - speed) / max(_compute_rms(speed), 1e-300),
        }
        worst = {name: max(worst[name], errors[name]) for name in worst}
    return {"points": FOLLOWED_POINT_COUNT, "motions": motions, **worst}


def choose_informative_points(J: Array, count: int) -> Indices:
    """The points that tell most of a state, greedily; J [m, 3, k]: their Jacobians."""
    m, _, k = J.shape
    H = 1e-6 * np.eye(k)
    chosen: list[int] = []
    for _ in range(min(count, m)):
        # det(H + J^T J) = det(H) det(1 + J H^-1 J^T), for all points at once.
        gain = np.linalg.det(np.eye(3) + J @ np.linalg.solve(H, J.transpose(0, 2, 1)))
        gain[chosen] = -np.inf
        chosen.append(int(np.argmax(gain)))
        H = H + J[chosen[-1]].T @ J[chosen[-1]]
    return np.array(chosen)


def _follow_points(carrier: Any, shares: Any, space: Kinematics, q: Array) -> tuple[Array, Array]:
    """Places [m, 3] and Jacobians [m, 3, k] of points."""
    jet = carrier.compute_jet(space, q, np.zeros_like(q))
    J = np.stack([shares @ column for column in jet.jacobian], axis=2)
    return np.asarray(shares @ jet.value), J


def _compute_rms(vectors: Array) -> float:
    return float(np.sqrt(np.mean(np.sum(vectors**2, axis=1))))
