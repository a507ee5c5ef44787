"""Which things are taken for soft bodies: python -m benchmarks.softness DATA [--more DIR ...].

An object of each procedural kind and a few train objects of every source: for each, the network's log odds that it is a
soft body, the log odds of the part that surest moves, and what follows from both. Kinds that have soft parts beside
joints are left out. The network has seen the train objects of PartNet-Mobility and the animated ones, but not those of
further folders, nor 17 of the procedural kinds.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from neurok.articulate.softness import LOG_ODDS_RATIO, measure_softness, measure_surest_part
from neurok.data import procedural
from neurok.errors import InputError
from neurok.evaluate.objects import Entry, find_objects, read_pairs
from neurok.geometry.mesh import Mesh

MIXED = ("plant_cart", "bag_flap", "chair_cushion", "flag_pole", "accordion", "camera")
COUNT = 36  # objects of a source


def list_things(data: str, more: list[str]) -> Iterator[tuple[str, Mesh, bool]]:
    """Kind, bare mesh, and whether it is a soft body."""
    for kind in procedural.CATEGORIES:
        if kind not in MIXED:
            thing = procedural.make(kind, 1)
            yield kind, _strip(thing.mesh), thing.is_soft
    sources = [(data, "train", False), (data, "animated-train", True), *((folder, "all", False) for folder in more)]
    for folder, split, is_soft in sources:
        for entry in _choose(find_objects(folder, split)):
            try:
                yield entry.category, _strip(read_pairs(entry)[0].mesh), is_soft
            except InputError as fault:
                print(f"{entry.name} is left out: {fault}")


def _choose(entries: list[Entry]) -> list[Entry]:
    order = np.random.default_rng(0).permutation(len(entries))[:COUNT]
    return [entries[number] for number in order]


def _strip(mesh: Mesh) -> Mesh:
    return Mesh(mesh.vertices, mesh.faces, up=mesh.up)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--more", nargs="*", default=[])
    asked = parser.parse_args()
    rows = []
    for kind, mesh, is_soft in list_things(asked.data, asked.more):
        softness, surest = measure_softness(mesh), measure_surest_part(mesh)
        rows.append((softness, surest, is_soft))
        print(f"{kind:20} {'soft' if is_soft else 'articulated':12} {softness:7.2f} {surest:7.2f}", flush=True)
    softness, surest, truth = (np.array(column) for column in zip(*rows))
    for name, said in (("network", softness > 0), ("both", (softness > 0) & (softness > LOG_ODDS_RATIO * surest))):
        print(f"{name}: {np.sum(said & ~truth)} of {np.sum(~truth)} articulated things are taken for soft ones, "
              f"{np.sum(~said & truth)} of {np.sum(truth)} soft ones for articulated")  # fmt: skip


if __name__ == "__main__":
    main()
