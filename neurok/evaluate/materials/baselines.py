"""Baselines that look up what the training parts were made of: the most common, by part name, by category and part."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from neurok.geometry.arrays import Array
from neurok.training.materials.examples import MatterExample
from neurok.training.materials.names import smooth_counts


class MaterialLookup:
    """Shares of materials over keys of parts, with coarser keys where a finer one was never seen."""

    def __init__(self, examples: Sequence[MatterExample], levels: Sequence[str]) -> None:
        self.levels = tuple(levels)
        self.tables: list[Mapping[object, Array]] = [_count(examples, level) for level in self.levels]

    def answer(self, one: MatterExample) -> Array:
        """log p of every material for every part, [p, k]."""
        return np.log(np.stack([self._find(one, part) for part in range(one.observation.count)]))

    def _find(self, one: MatterExample, part: int) -> Array:
        whole = self.tables[-1][make_key(one, part, self.levels[-1])]
        for table, level in zip(self.tables, self.levels):
            row = table.get(make_key(one, part, level))
            if row is not None:
                return smooth_counts(row, whole)
        raise AssertionError("the last level has a row for every part")


def make_key(one: MatterExample, part: int, level: str) -> object:
    """What a part is looked up by: nothing, its words, or its category and words."""
    words = one.observation.names[part]
    keys: dict[str, object] = {"majority": (), "name": words, "category": (one.category.lower(), words)}
    return keys[level]


def _count(examples: Sequence[MatterExample], level: str) -> Mapping[object, Array]:
    table: defaultdict[object, Array] = defaultdict(lambda: np.zeros(examples[0].target.shape[1]))
    for one in examples:
        for part in range(one.observation.count):
            table[make_key(one, part, level)] += one.target[part]
    return dict(table)


BASELINES = {
    "majority": ("majority",),
    "part name": ("name", "majority"),
    "category + part": ("category", "name", "majority"),
}
