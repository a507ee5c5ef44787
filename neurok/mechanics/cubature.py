"""Cubature: few points with weights of their own that stand for the mass of many.

The kinetic energy of states and rates drawn from the prior, and the momentum along each axis (which is the weight of
the object under gravity), are sums over points, linear in their masses:

    T_r = 1/2 sum_i m_i |J_i(q_r) v_r|^2,     p_r = sum_i m_i J_i(q_r) v_r.

Non-negative least squares finds masses that keep these sums; it leaves at most as many points as there are sums.
Worth it where every point costs, that is where a kinematics is not a skin.
"""

import numpy as np
import torch

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.kinematics import Kinematics

STATES = 24  # drawn from the prior
RATES = 6  # of each state
WHOLE = 10.0  # how much more the total mass counts than any other sum


def cubature(space: Kinematics, where: SurfacePoints, mass: Array, *, seed: int = 0) -> tuple[Indices, Array]:
    """Which of the points to keep, [c], and their masses [kg], [c]; the total is kept exactly."""
    from scipy.optimize import nnls

    sums = _sums(space, where, seed)  # [r, m]
    scale = np.abs(sums) @ mass
    rows = sums[scale > 0] / scale[scale > 0, None]
    rows = np.vstack([rows, np.full(where.count, WHOLE / mass.sum())])
    found, _ = nnls(rows * mass, rows @ mass, maxiter=20 * where.count)
    kept = np.flatnonzero(found > 0)
    weights = found[kept] * mass[kept]
    return kept, weights * (mass.sum() / weights.sum())


def _sums(space: Kinematics, where: SurfacePoints, seed: int) -> Array:
    """What each point adds, per unit of mass, to energies and momenta of random motions, [r, m]."""
    generator = torch.Generator().manual_seed(seed)
    rows = []
    for q in space.prior.sample(STATES, generator):
        q = q.to(torch.float64)
        for _ in range(RATES):
            noise = torch.randn(space.size, generator=generator, dtype=torch.float64)
            rate = noise * torch.from_numpy(space.prior.deviation)
            _, u = torch.func.jvp(lambda state: space.positions(state, where), (q,), (rate,))
            rows.append((u**2).sum(dim=1).numpy())
        rows.extend(u.T.numpy())  # the momenta of the last one
    return np.array(rows)
