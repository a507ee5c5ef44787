"""What parts may be made of by their names: the lists of 3DCoMPaT (BSD-3-Clause, (c) 2023 Vision CAIR, KAUST).

A list is what is compatible, not what an object is of: its materials share the chance evenly.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neurok.data.procedural.compositions import read_weights
from neurok.geometry.arrays import Array

STRIDE = 4  # every fourth model: most models of a class have the same lists
LISTS = (("200_pm_map_coarse.json", "200_classes.json"), ("v2_pm_map_fine.json", "v2_classes.json"))
# The fine materials behind a word of the lists, judged by the project; wax is none of the library's.
FINE = {
    "metal": "mild_steel 5 stainless_steel 2 aluminium 2.5 brass 0.5",
    "wood": "hardwood 5 softwood 2.5 fibreboard 2 plywood 0.5",
    "plastic": "abs 7 polypropylene 2 polyethylene 0.5 polycarbonate 0.5",
    "ceramic": "porcelain 8 earthenware 2",
    "fabric": "cotton 6 polyester 3 wool 1",
    "leather": "leather 7 vinyl 3",
    "plant": "leaf 5 plant_stem 5",
    "glass": "glass",
    "granite": "stone",
    "marble": "stone",
    "rubber": "rubber",
    "soil": "soil",
    "paper": "paper",
    "wax": "",
}


@dataclass(frozen=True)
class ListedModel:
    """One model of the lists: its class, its parts and the chance of each material for each, [p, k]."""

    name: str
    category: str
    parts: tuple[str, ...]
    target: Array


def read_lists(folder: Path, materials: Sequence[str], stride: int = STRIDE) -> Iterator[ListedModel]:
    """Models of both lists whose parts name a material that the library has."""
    for lists, classes in LISTS:
        kinds = json.loads((folder / classes).read_text())
        models = json.loads((folder / lists).read_text())
        for name in sorted(models)[::stride]:
            rows = {part: spread_chance(words, materials) for part, words in models[name].items()}
            kept = {part: row for part, row in rows.items() if row.sum() > 0}
            if kept:
                yield ListedModel(name, kinds[int(name[:2], 16)], tuple(kept), np.stack([*kept.values()]))


def spread_chance(words: Sequence[str], materials: Sequence[str]) -> Array:
    """Even chances of the coarse words, each spread over its fine materials, [k]; zeros where none is known."""
    row = np.zeros(len(materials))
    for word in {word.lower() for word in words}:
        weights = read_weights(FINE[word])
        for name, weight in weights.items():
            row[materials.index(name)] += weight / sum(weights.values())
    return row / max(row.sum(), 1e-12)
