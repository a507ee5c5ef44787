"""Springs: what draws a state back to rest, and back where it is not admissible.

With J_i the rows' derivative by coordinate i at rest, G the inertia of the rows, G_s the same with the stiffness of
each point in it, s the stiffness of the object and A its armature, a joint has a spring of its own,

    K_ii = w^2 (<J_i, G_s J_i> + s A_ii),      w = SPRING_RATE,

and the coordinates of an elastic space share one matrix, which is that of its materials where these are known. Else,
in deviations, D = diag(prior.deviation),

    D (J^T G_s J + s A) D = V diag(l) V^T,     K = w^2 D^-1 V diag(sqrt(l l_max)) V^T D^-1.

A limit of coordinate i has the spring k_i = WALL_RATE^2 (<J_i, G J_i> + A_ii). The coordinates of a free base have
neither.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch.func import jacfwd

from neurok.geometry.arrays import Array
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.gram import RowMatrix, compute_gram

EARTH_GRAVITY = 9.81  # m/s^2
SPRING_RATE = 2 * np.pi * 1.0  # what stiffness 1 means for each coordinate alone [rad/s]
MAX_SAG = 0.06  # diagonals: how far a soft body gives way to its own weight at stiffness 1, about, at the most
WALL_RATE = 2 * np.pi * 10.0  # how fast a limit pushes back [rad/s]
WALL_DAMPING = 0.02  # of a limit's stiffness [s]; a limit takes energy out where there is damping at all
STIFFNESS_DAMPING = 0.02  # of the stiffness, per unit of damping rate [s^2]


@dataclass(frozen=True)
class Springs:
    """The springs of k coordinates.

    stiffness: K, to rest, [k, k], and what these springs damp, [k, k].
    wall: k_i, at the limits of each coordinate, zero where there is none, [k], and what these springs damp, [k].
    """

    stiffness: Array
    stiffness_damping: Array
    wall: Array
    wall_damping: Array


@dataclass(frozen=True)
class RestInertia:
    """What the coordinates move at rest.

    jacobian: J, that of the rows, [k, r, 3]. mass: G, [r, r]. soft: G_s, [r, r]. stiffness: s, of the whole object.
    damping: the rate of all points [1/s], or G with each point's own in it, [r, r]. armature: A, [k, k].
    """

    jacobian: Array
    mass: RowMatrix
    soft: RowMatrix
    stiffness: float
    damping: float | RowMatrix
    armature: Array

    def measure_own(self, G: RowMatrix) -> Array:
        """What each coordinate moves by itself, <J_i, G J_i>, [k]."""
        return np.array([float(np.sum(rows * (G @ rows))) for rows in self.jacobian]).reshape(-1)

    def measure_rates(self) -> Array:
        """The rate at which the motion of each coordinate by itself is damped [1/s], [k]."""
        own = self.measure_own(self.mass) + np.diagonal(self.armature)
        if isinstance(self.damping, float):
            return np.maximum(self.damping * self.measure_own(self.mass) / own, 0.0)
        return np.maximum(self.measure_own(self.damping) / own, 0.0)


def build_springs(space: Kinematics, rest: RestInertia, *, limits: bool) -> Springs:
    """The springs of a state space; limits: whether those of the coordinates hold.

    With the same spring for all, slight deviations of an elastic space would ring at hundreds of hertz; with springs as
    their inertia, all would swing alike, and a pull would take the lightest way there instead of a likely one. So a
    direction resists by the root of the inertia that it moves: the heaviest one swings at the rate of
    `_choose_spring_rate`, the lightest (a thousandth of it, see `armature.MIN_INERTIA_SHARE`) at 5.6 times that.
    """
    inner = np.arange(space.size) >= space.base_count
    own_spring = rest.measure_own(rest.soft) + np.diagonal(rest.armature) * rest.stiffness
    stiffness = SPRING_RATE**2 * np.where(inner, own_spring, 0.0) * np.eye(space.size)
    if space.elasticity is None and space.is_elastic:
        rows = slice(space.base_count, None)
        weighed = (compute_gram(rest.jacobian, rest.soft, rest.jacobian) + rest.armature * rest.stiffness)[rows, rows]
        stiffness[rows, rows] = _choose_spring_rate(space) ** 2 * _take_root(weighed, space.prior.deviation[rows])
    own = rest.measure_own(rest.mass) + np.diagonal(rest.armature)
    wall = np.where(inner & limits, WALL_RATE**2 * own, 0.0)
    rate = rest.measure_rates()
    stiffness_damping = STIFFNESS_DAMPING * np.sqrt(np.outer(rate, rate)) * stiffness
    if space.elasticity is not None:
        given = space.elasticity.is_elastic
        either, unit = given[:, None] | given, space.mesh.unit
        stiffness = np.where(either, space.elasticity.stiffness / unit**2, stiffness)
        # Without damping a motion keeps its energy, whatever it is made of.
        stiffness_damping = np.where(
            either, (rate.max(initial=0.0) > 0) * space.elasticity.damping / unit**2, stiffness_damping
        )
    return Springs(
        stiffness=stiffness,
        stiffness_damping=stiffness_damping,
        wall=wall,
        wall_damping=np.where(rate > 0, WALL_DAMPING, 0.0) * wall,
    )


def _choose_spring_rate(space: Kinematics) -> float:
    """What stiffness 1 means for what is elastic [rad/s].

    A spring of the rate w gives way to gravity by g / w^2, whatever the size: at one hertz by 25 cm, which folds up a
    rabbit of that size. A soft body is stiff enough to sag by no more than a share of its own size.
    """
    if space.prior.is_sparse:
        return SPRING_RATE
    return max(
        SPRING_RATE, float(np.sqrt(EARTH_GRAVITY / (MAX_SAG * max(space.mesh.diagonal * space.mesh.unit, 1e-300))))
    )


def _take_root(weighed: Array, deviation: Array) -> Array:
    """Springs [k, k]: of each direction the geometric mean of its own inertia and of the greatest, per deviation."""
    values, vectors = np.linalg.eigh(weighed * np.outer(deviation, deviation))
    roots = np.sqrt(np.maximum(values, 0.0) * max(values.max(initial=0.0), 0.0))
    return (vectors * roots) @ vectors.T / np.outer(deviation, deviation)


# ---------------------------------------------------------------- at a state


@dataclass(frozen=True)
class SpringTerms:
    """What the springs do at one state.

    force: their damping included, [k]. potential: their energy. stiffness, damping: of the force, [k, k] each.
    """

    force: Array
    potential: float
    stiffness: Array
    damping: Array


def evaluate_springs(springs: Springs, rest: Array, space: Kinematics, q: Array, v: Array) -> SpringTerms:
    """Springs to rest [k], and those between a state and the nearest admissible one.

    The latter's energy is V = 1/2 sum_i k_i (q - admit(q))_i^2, and their push is the gradient of V, through the
    derivative of `admit`: at a ball the springs of coordinates differ and the nearest state moves along, and a push by
    the springs alone would make energy.
    """
    away = q - rest
    drawn = springs.stiffness @ away
    inside = SpringTerms(
        force=-drawn - springs.stiffness_damping @ v,
        potential=0.5 * float(drawn @ away),
        stiffness=springs.stiffness,
        damping=springs.stiffness_damping,
    )
    state = torch.from_numpy(q)
    nearest = space.admit(state).numpy()
    beyond = q - nearest
    if not (springs.wall @ np.abs(beyond)) > 0:
        return inside
    if np.array_equal(nearest, np.clip(q, space.lower.numpy(), space.upper.numpy())):
        slope = np.diag((beyond != 0).astype(np.float64))  # each coordinate by itself
    else:
        slope = np.eye(len(q)) - jacfwd(space.admit)(state).numpy()
    damping = (slope.T * springs.wall_damping) @ slope
    return SpringTerms(
        force=inside.force - slope.T @ (springs.wall * beyond) - damping @ v,
        potential=inside.potential + 0.5 * float(springs.wall @ beyond**2),
        stiffness=inside.stiffness + (slope.T * springs.wall) @ slope,
        damping=inside.damping + damping,
    )
