"""What things of a name were made of: the shares of materials over all parts that the name was met for."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from neurok.geometry.arrays import Array
from neurok.training.materials.examples import MatterExample

SMOOTHING = 0.5  # parts' worth of the whole table's shares added to each row of a look-up
FLOOR = 1e-4  # chance of what was never seen


def tabulate_names(examples: Sequence[MatterExample]) -> dict[tuple[str, ...], Array]:
    """log of the chance of each material, [k], by the words of a name."""
    counts: defaultdict[tuple[str, ...], Array] = defaultdict(lambda: np.zeros(examples[0].target.shape[1]))
    for one in examples:
        for words, row in zip(one.observation.names, one.target):
            counts[words] += row
    whole = np.sum([*counts.values()], axis=0)
    return {words: np.log(smooth_counts(row, whole)) for words, row in sorted(counts.items()) if words}


def smooth_counts(row: Array, whole: Array) -> Array:
    """Chances from counts of one key, [k], drawn a little towards those of all keys, [k]."""
    prior = whole / whole.sum() + FLOOR
    chance = row + SMOOTHING * prior / prior.sum()
    found: Array = (chance / chance.sum() + FLOOR) / (1.0 + FLOOR * len(chance))
    return found
