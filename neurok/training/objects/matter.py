"""Materials as numbers: the quantities of each, their means over chances, and what an encoder is told of them."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.materials.library import load_library
from neurok.materials.material import Behaviour
from neurok.networks.part_code import QUANTITIES
from neurok.training.materials.examples import list_solids

LOGARITHMIC = ("young", "yield_stress", "density")  # told by log10
BEHAVIOURS = tuple(each for each in Behaviour if each != Behaviour.FLUID)
TOLD = 1 + len(QUANTITIES) + len(BEHAVIOURS)  # numbers that tell a point's material


@dataclass(frozen=True)
class QuantityTable:
    """Of every material: quantities (log10 of some) less their mean over their deviation [k, 5], which of them it has
    [k, 5], and its behaviour as a row of BEHAVIOURS [k]. mean, deviation: [5]."""

    values: Array
    has: Mask
    behaviour: Array
    mean: Array
    deviation: Array


@cache
def tabulate_matter() -> QuantityTable:
    """The table of the materials of `list_solids`."""
    library = load_library()
    rows = [[library.find(name).find_typical(q) for q in QUANTITIES] for name in list_solids()]
    raw = np.array([[np.nan if v is None else v for v in row] for row in rows], dtype=np.float64)
    for column, quantity in enumerate(QUANTITIES):
        if quantity in LOGARITHMIC:
            raw[:, column] = np.log10(raw[:, column])
    mean, deviation = np.nanmean(raw, axis=0), np.nanstd(raw, axis=0)
    behaviour = np.array([BEHAVIOURS.index(library.find(name).behaviour) for name in list_solids()])
    has = ~np.isnan(raw)
    return QuantityTable(np.where(has, (raw - mean) / deviation, 0.0), has, behaviour, mean, deviation)


def average_quantities(chance: Array) -> tuple[Array, Mask]:
    """Mean quantities of chances of materials [n, k], over those that have them; and where any has, [n, 5] each."""
    table = tabulate_matter()
    weight = chance @ table.has
    return chance @ (table.values * table.has) / np.maximum(weight, 1e-9), weight > 0.5


def tell_matter(chance: Array) -> Array:
    """What an encoder is told of materials by chances [n, k]: that it is told, quantities, behaviours, [n, TOLD]."""
    table = tabulate_matter()
    values, has = average_quantities(chance)
    behaviours = chance @ np.eye(len(BEHAVIOURS))[table.behaviour]
    return np.column_stack([np.ones(len(chance)), np.where(has, values, 0.0), behaviours])
