"""The brick: a cube of elastic matter with twenty nodes, its corners and the middles of its edges.

Displacements within are sums of N_i u_i, complete to the second degree, so that a brick bends without locking. With
B the derivatives of N, in Voigt's order xx yy zz yz zx xy, and D Hooke's law of (E, nu),

    K = int B^T D B dV,      M = int rho N^T N dV.

Matter may fill a brick in part (the finite cell method of Parvizian, Duester and Rank, 2007). Both integrands are
polynomials of at most the fourth degree in each coordinate, so that any filling counts through its weights at the
5 x 5 x 5 points of a Gauss rule alone: those with which the rule integrates such polynomials over the filling.
"""

from functools import cache
from itertools import product

import numpy as np

from neurok.geometry.arrays import Array, Indices

# In half sides of a brick: corners have no middle coordinate, edges one.
NODES: Indices = np.array([p for p in product(range(3), repeat=3) if p.count(1) <= 1])
RULE_ORDER = 5  # points an axis, which hold any polynomial of the fourth degree
_GAUSS, _GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(RULE_ORDER)
RULE: Array = np.array(list(product(_GAUSS, repeat=3)))  # of [-1, 1]^3
FULL_WEIGHTS: Array = np.array([np.prod(w) for w in product(_GAUSS_WEIGHTS, repeat=3)]) / 8.0  # of volume one
VOIGT = ((0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1))


def shape_functions(x: Array) -> tuple[Array, Array]:
    """N [p, 20] and its derivatives [p, 20, 3] at points x of [-1, 1]^3, [p, 3]."""
    side = NODES - 1.0
    middle = side == 0
    x = x[:, None, :]
    factor = np.where(middle, 1.0 - x**2, 0.5 * (1.0 + side * x))
    slope = np.where(middle, -2.0 * x, 0.5 * np.broadcast_to(side, factor.shape))
    bubble = factor.prod(axis=2)
    steep = np.stack([slope[..., a] * np.delete(factor, a, axis=2).prod(axis=2) for a in range(3)], axis=2)
    # A corner's function vanishes on the middles of its edges as well.
    corner = ~middle.any(axis=1)
    sag = np.where(corner, (side * x).sum(axis=2) - 2.0, 1.0)
    return bubble * sag, steep * sag[..., None] + bubble[..., None] * np.where(corner[:, None], side, 0.0)


def rule_weights(x: Array) -> Array:
    """What a unit of matter at points x of [-1, 1]^3 [p, 3] adds to the weights of the rule, [p, 125]."""
    one, two, three = np.moveaxis(_lagrange(x), 1, 0)
    return (one[:, :, None, None] * two[:, None, :, None] * three[:, None, None, :]).reshape(len(x), -1)


def _lagrange(x: Array) -> Array:
    """The polynomials that are one at one point of the Gauss rule and zero at the others, [..., 5]."""
    found = np.ones((*x.shape, RULE_ORDER))
    for i, j in product(range(RULE_ORDER), repeat=2):
        if i != j:
            found[..., i] *= (x - _GAUSS[j]) / (_GAUSS[i] - _GAUSS[j])
    return found


def hooke(poisson: float) -> Array:
    """D of an isotropic material whose Young's modulus is one, [6, 6]."""
    lame = poisson / ((1 + poisson) * (1 - 2 * poisson))
    shear = 0.5 / (1 + poisson)
    D = np.diag([2 * shear] * 3 + [shear] * 3)
    D[:3, :3] += lame
    return D


@cache
def stiffness_table(poisson: float) -> Array:
    """B^T D B at each point of the rule, for a brick of side one and E one, [125, 60 x 60]; nodes' x, y, z in turn."""
    B = _strains(RULE)
    return (B.swapaxes(1, 2) @ hooke(poisson) @ B).reshape(len(RULE), -1)


@cache
def mass_table() -> Array:
    """N^T N at each point of the rule, [125, 20 x 20]."""
    N = shape_functions(RULE)[0]
    return (N[:, :, None] * N[:, None, :]).reshape(len(RULE), -1)


def _strains(x: Array) -> Array:
    """B at points of [-1, 1]^3 in a brick of side one, [p, 6, 60]."""
    slope = 2.0 * shape_functions(x)[1]
    B = np.zeros((len(x), 6, len(NODES), 3))
    for row, (a, b) in enumerate(VOIGT):
        B[:, row, :, a] += slope[:, :, b]
        if a != b:
            B[:, row, :, b] += slope[:, :, a]
    return B.reshape(len(x), 6, -1)
