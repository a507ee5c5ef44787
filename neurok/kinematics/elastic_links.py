"""ElasticLinks: joints and elastic coordinates in one state space, x = sum_b w_b A_l(b)(theta) E_b(eta) x(rest).

A_l is the motion of link l by the joints, E_b that of handle b within the link that it belongs to.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Generator, Tensor

from neurok.geometry.arrays import Array, Indices
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.jet import Jet
from neurok.kinematics.prior import StatePrior
from neurok.kinematics.skinned import Skinned
from neurok.kinematics.translated import translate_space
from neurok.kinematics.twists import Twists


class ElasticLinks(Skinned):
    """The coordinates of the joints theta, and behind them those of the links' vibrations eta.

    host: the bone of `jointed` that each bone of `elastic` belongs to, [b].
    """

    is_elastic = False

    def __init__(self, jointed: Articulated, elastic: Twists, host: Indices) -> None:
        assert elastic.elasticity is not None
        self.jointed, self.elastic, self.host = jointed, elastic, np.asarray(host)
        self.mesh, self.skin = elastic.mesh, elastic.skin
        self.names = (*jointed.names, *elastic.names)
        self.rest = torch.cat([jointed.rest, elastic.rest])
        self.lower, self.upper = torch.cat([jointed.lower, elastic.lower]), torch.cat([jointed.upper, elastic.upper])
        self.prior = join_priors(jointed.prior, elastic.prior)
        self.elasticity = elastic.elasticity.add_base(jointed.size)
        self.stated_masses = elastic.stated_masses

    def transforms(self, q: Tensor) -> Tensor:
        k = self.jointed.size
        return self.jointed.transforms(q[:k])[torch.as_tensor(self.host)] @ self.elastic.transforms(q[k:])

    def admit(self, q: Tensor) -> Tensor:
        k = self.jointed.size
        return torch.cat([self.jointed.admit(q[:k]), self.elastic.admit(q[k:])])

    def translate(self, by: Array) -> "ElasticLinks":
        elastic = self.elastic.translate(by)
        elastic.elasticity = self.elastic.elasticity
        jointed = translate_space(self.jointed, by)
        assert isinstance(jointed, Articulated)
        return ElasticLinks(jointed, elastic, self.host)

    def transforms_jet(self, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        """A E by the product rule: (A E)'' = A'' E + 2 A' E' + A E''."""
        k = self.jointed.size
        A = self.jointed.transforms_jet(q[:k], velocity[:k], rate=rate)
        E = self.elastic.transforms_jet(q[k:], velocity[k:], rate=rate)
        X, J = A.value[self.host], A.jacobian[:, self.host]
        dA = np.tensordot(velocity[:k], J, axes=1)
        dE = np.tensordot(velocity[k:], E.jacobian, axes=1)
        moved = None
        if rate and A.rate is not None and E.rate is not None:
            moved = np.concatenate([A.rate[:, self.host] @ E.value + J @ dE, dA @ E.jacobian + X @ E.rate])
        return Jet(
            value=X @ E.value,
            jacobian=np.concatenate([J @ E.value, X @ E.jacobian]),
            second=A.second[self.host] @ E.value + 2 * dA @ dE + X @ E.second,
            rate=moved,
        )


@dataclass(frozen=True, kw_only=True)
class JoinedPrior(StatePrior):
    """The priors of two sets of coordinates that know nothing of each other."""

    first: StatePrior
    second: StatePrior

    def sample(self, count: int, generator: Generator) -> Tensor:
        return torch.cat([self.first.sample(count, generator), self.second.sample(count, generator)], dim=1)

    def log_density(self, states: Array) -> Array:
        k = len(self.first.rest)
        return self.first.log_density(states[..., :k]) + self.second.log_density(states[..., k:])


def join_priors(first: StatePrior, second: StatePrior) -> JoinedPrior:
    """The prior of the coordinates of one and then the other."""
    return JoinedPrior(
        first=first,
        second=second,
        rest=np.concatenate([first.rest, second.rest]),
        deviation=np.concatenate([first.deviation, second.deviation]),
        penalty=np.concatenate([first.penalty, second.penalty]),
        typical=np.concatenate([first.typical, second.typical], axis=1),
        is_sparse=first.is_sparse and second.is_sparse,
    )
