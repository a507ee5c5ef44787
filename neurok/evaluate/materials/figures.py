"""The figures of predicted materials, in the columns of SOPHY, with likelihood and calibration."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.materials.library import MaterialLibrary
from neurok.materials.prediction.prediction import sum_behaviours

BIN_COUNT = 10  # of chances, for the calibration error
# SOPHY's own row, as given in its talk: behaviour [share], then mean absolute errors of log E, nu, log sigma, phi, rho.
SOPHY = {"behaviour": 0.9355, "young": 0.45, "poisson": 3.06e-2, "yield_stress": 0.29, "friction_angle": 1.28e-2,
         "density": 0.09}  # fmt: skip
SOPHY_NOTE = (
    "SOPHY's row does not compare directly: on its own 362 objects of 12 soft kinds, per surface point, with labels"
    " that a language model proposed; apparently of an auto-encoder that was given the materials; the base of its"
    " logarithms, the scale of rho and the unit of phi are not stated"
)
LOGARITHMIC = ("young", "yield_stress", "density")  # errors of log10; density in kg/m3


@dataclass(frozen=True)
class MatterFigures:
    """One row of the table. errors: mean absolute errors, by quantity, where truth and answer both have it."""

    parts: int
    behaviour: float
    fine: float
    errors: dict[str, float]
    log_likelihood: float
    calibration: float
    behaviour_calibration: float


def measure_matter(
    log_chance: Array, target: Array, materials: Sequence[str], library: MaterialLibrary
) -> MatterFigures:
    """The figures of chances [n, k] against what the parts are known to be made of, [n, k].

    A row of several materials is one whose behaviour is known but not its material: it counts for behaviour alone.
    """
    behaviours = [library.find(name).behaviour for name in materials]
    chance = np.exp(log_chance)
    told = [sum_behaviours(row, behaviours) for row in chance]
    truth = np.argmax(target, axis=1)
    right = np.array([behaviours[t] == behaviour for t, (behaviour, _) in zip(truth, told)])
    fitting = np.array([[b == behaviour for b in behaviours] for behaviour, _ in told])
    best = np.argmax(np.where(fitting, chance, -1.0), axis=1)
    fine = target.max(axis=1) > 0.99
    sure = chance[np.arange(len(best)), best]
    hit = best[fine] == truth[fine]
    return MatterFigures(
        len(truth), float(right.mean()), float(hit.mean()),
        {q: measure_error(q, best[fine], truth[fine], materials, library) for q in SOPHY if q != "behaviour"},
        float(log_chance[np.arange(len(truth)), truth][fine].mean()),
        measure_calibration(sure[fine], hit), measure_calibration(np.array([p for _, p in told]), right),
    )  # fmt: skip


def measure_error(
    quantity: str, told: Indices, truth: Indices, materials: Sequence[str], library: MaterialLibrary
) -> float:
    """The mean absolute difference of typical values, of logarithms where they span decades; NaN where none has it."""
    values = np.array([library.find(name).find_typical(quantity) or np.nan for name in materials], dtype=np.float64)
    values = np.log10(values) if quantity in LOGARITHMIC else values
    apart = np.abs(values[told] - values[truth])
    return float(np.nanmean(apart)) if np.isfinite(apart).any() else float("nan")


def measure_calibration(chance: Array, right: Array) -> float:
    """Expected calibration error: sum over bins of chance of |mean chance - share right| by the bin's share."""
    place = np.minimum((chance * BIN_COUNT).astype(int), BIN_COUNT - 1)
    size = np.bincount(place, minlength=BIN_COUNT)
    gap = np.abs(np.bincount(place, chance, BIN_COUNT) - np.bincount(place, right.astype(float), BIN_COUNT))
    return float(gap.sum() / max(size.sum(), 1))
