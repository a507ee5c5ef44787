"""Armature: a little mass that coordinates have on their own, where the mass matrix would be singular without."""

import numpy as np
import torch

from neurok.geometry.arrays import Array, Mask
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import Carrier
from neurok.mechanics.gram import RowMatrix, compute_gram

SAMPLE_COUNT = 3  # states besides rest in which it is looked for
MIN_INERTIA_SHARE = 1e-3  # of the heaviest elastic coordinate's inertia: the least that any of them has


def compute_armature(space: Kinematics, carrier: Carrier, inertia: RowMatrix) -> Array:
    """The armature of a state space, [k, k]; inertia: G, of the rows, [r, r].

    The mass matrix is singular for coordinates that move nothing, and for those that move the same thing the same way
    (two joints about one axis with nothing between); this is looked for at rest and in a few sampled states. Learned
    modes are often nearly of that kind: what several of them do together, and which moves next to nothing, would answer
    to the least force.
    """
    if not space.size:
        return np.zeros((0, 0))
    single, lift = np.zeros(space.size), np.zeros((space.size, space.size))
    samples = space.prior.sample(SAMPLE_COUNT, torch.Generator().manual_seed(0))
    for number, q in enumerate([space.rest, *samples]):
        state = q.numpy().astype(np.float64)
        J = carrier.compute_jet(space, state, np.zeros_like(state)).jacobian
        mass = compute_gram(J, inertia, J)
        single = np.maximum(single, _support_massless(mass, space.base_count))
        if number == 0 and space.is_elastic and space.elasticity is None:
            rows = slice(space.base_count, None)
            lift[rows, rows] = _lift_inertia(_free_from_base(mass, space.base_count), space.prior.deviation[rows])
    return lift + np.diag(single)


def _support_massless(mass: Array, base_count: int) -> Array:
    """A little mass for each coordinate that takes part in motions without any, else zero, [k]; mass: [k, k]."""
    own = np.diagonal(mass)
    most = max(own.max(), 1e-300)
    own = np.where(own < 1e-12 * most, 1e-6 * max(most, 1e-12), own)
    scaled = mass / np.sqrt(np.outer(own, own))
    singular = _find_massless(scaled)
    # A base that its parts can imitate has its own mass still: more of it, and it would not fall as it should.
    base = slice(base_count)
    singular[base] = _find_massless(scaled[base, base])
    return np.where(singular, 1e-6 * own, 0.0)


def _find_massless(mass: Array) -> Mask:
    """Which coordinates take part in motions that a mass matrix of unit diagonal [k, k] says move nothing, [k]."""
    values, vectors = np.linalg.eigh(mass)
    return np.any(np.abs(vectors[:, values < 1e-10]) > 1e-3, axis=1)


def _free_from_base(mass: Array, base_count: int) -> Array:
    """The mass that the inner coordinates move while the base gives way, [k - b, k - b]: modes that imitate the base
    together move nothing then."""
    base, rows = slice(base_count), slice(base_count, None)
    return mass[rows, rows] - mass[rows, base] @ np.linalg.pinv(mass[base, base]) @ mass[base, rows]


def _lift_inertia(mass: Array, deviation: Array) -> Array:
    """What lifts the inertia of any direction to a share of the greatest, [k, k]; deviation: the prior's, [k]."""
    values, vectors = np.linalg.eigh(mass * np.outer(deviation, deviation))
    lift = np.maximum(MIN_INERTIA_SHARE * values.max(initial=0.0) - values, 0.0)
    return (vectors * lift) @ vectors.T / np.outer(deviation, deviation)
