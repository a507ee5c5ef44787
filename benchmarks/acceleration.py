"""Our acceleration against the explicit Christoffel sum, in one run, on the same mass points.

Ours needs M and the velocity term c = sum_i m_i J_i^T d^2/ds^2 x_i(q + s v); the explicit form differentiates
the whole mass matrix, forms all k^3 symbols and contracts them:

    c_i = sum_jk Gamma_ijk v_j v_k,    Gamma_ijk = (d_k M_ij + d_j M_ik - d_i M_jk) / 2.

Both in float64, on one thread, with gravity, up to the solved acceleration. Two explicit forms are timed and the
quicker one counts: one whose derivative pushes all k tangents through an einsum, one that makes M a single
product of two matrices. Ours is timed both ways: over the skin's bones (the default for a skin) and over the
points themselves, with the nested forward-mode derivative (what any other kinematics takes). The latter pushes
about k + 4 copies of all points through the kinematics where the explicit form pushes (k + 1)^2, which is 14 times
as many at 16 coordinates; it has no bound of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.func import jacfwd

from benchmarks.figures import Figure, fastest
from neurok.geometry.arrays import Array
from neurok.kinematics.articulated import Articulated
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.lagrangian import evaluate
from neurok.mechanics.scene import build_scene
from tests.mechanics.objects import chain

FALLING = Conditions(gravity=(0.0, -9.81, 0.0), damping=0.0, stiffness=0.0, limits=False)
LEAST = 20.0  # times, at the largest number of coordinates


@dataclass(frozen=True)
class Sizes:
    """coordinates: of the chains; points: that carry the mass; rounds of interleaved timings."""

    coordinates: tuple[int, ...] = (2, 8, 16)
    points: tuple[int, ...] = (512, 4096)
    rounds: int = 5


def measure(sizes: Sizes) -> list[Figure]:
    torch.set_num_threads(1)
    figures = []
    for points in sizes.points:
        for k in sizes.coordinates:
            forms = accelerations(k, points)
            seconds = fastest(forms, rounds=sizes.rounds, slice_seconds=0.05)
            explicit = min(seconds["explicit, einsum"], seconds["explicit, product"])
            least = LEAST if k == max(sizes.coordinates) else None
            told = f"{k:2} coordinates, {points} points"
            figures.append(Figure(f"Christoffel sum / ours (bones), {told}", explicit / seconds["bones"], "x", least))
            figures.append(Figure(f"Christoffel sum / ours (points), {told}", explicit / seconds["points"], "x"))
    return figures


def accelerations(k: int, points: int) -> dict[str, Callable[[], Array]]:
    """The same acceleration [k] of a chain of k hinges with some mass points, in every form."""
    space = Articulated(chain(k))
    random = np.random.default_rng(0)
    q, v = 0.5 * random.normal(size=k), random.normal(size=k)
    bones = build_scene(space, FALLING, mass_count=points)
    dense = build_scene(space, FALLING, mass_count=points, dense=True)
    mass, gravity = torch.from_numpy(bones.masses.mass), torch.from_numpy(bones.system.gravity)
    state, speed = torch.from_numpy(q), torch.from_numpy(v)

    def positions(s: Tensor) -> Tensor:
        return space.positions(s, bones.masses.where)

    return {
        "bones": lambda: evaluate(bones.system, space, q, v, 0.0).acceleration,
        "points": lambda: evaluate(dense.system, space, q, v, 0.0).acceleration,
        "explicit, einsum": lambda: christoffel(by_einsum(positions, mass), mass, gravity, state, speed),
        "explicit, product": lambda: christoffel(by_product(positions, mass), mass, gravity, state, speed),
    }


# A mass matrix, twice (jacfwd differentiates the first and hands on the second), and J [m, 3, k].
MassMatrix = Callable[[Tensor], tuple[Tensor, tuple[Tensor, Tensor]]]


def by_einsum(positions: Callable[[Tensor], Tensor], mass: Tensor) -> MassMatrix:
    """M as it is written: sum_i m_i J_i^T J_i."""

    def matrix(state: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        J = jacfwd(positions)(state)
        M = torch.einsum("m,mai,maj->ij", mass, J, J)
        return M, (M, J)

    return matrix


def by_product(positions: Callable[[Tensor], Tensor], mass: Tensor) -> MassMatrix:
    """M as one product, of J scaled by the roots of the masses."""
    root = mass.sqrt()[:, None]

    def matrix(state: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        J = jacfwd(lambda s: root * positions(s))(state)
        flat = J.reshape(-1, len(state))
        M = flat.T @ flat
        return M, (M, J / root[..., None])

    return matrix


def christoffel(matrix: MassMatrix, mass: Tensor, gravity: Tensor, q: Tensor, v: Tensor) -> Array:
    """M^-1 (weight - c) with every symbol formed, [k]."""
    dM, (M, J) = jacfwd(matrix, has_aux=True)(q)  # dM[i, j, k] = d_k M_ij
    gamma = 0.5 * (dM + dM.permute(0, 2, 1) - dM.permute(2, 0, 1))
    term = torch.einsum("ijk,j,k->i", gamma, v, v)
    weight = torch.einsum("m,mai,a->i", mass, J, gravity)
    return torch.linalg.solve(M, weight - term).numpy()
