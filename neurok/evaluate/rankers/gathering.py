"""The lists that the ranker of proposals learns from: a file for each object, so that a long run can go on.

Of two pairs of states of an object: all hypotheses of the rest states with their overlap with the true moving parts;
and for drags of one and of three points all options with the share of the squared motion that each would explain.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurok.data.folds import find_kind, normalise_name
from neurok.errors import InputError
from neurok.evaluate.objects import Entry, find_objects, read_pairs
from neurok.evaluate.pairs import PAIR_COUNT, Pair
from neurok.evaluate.rankers.gains import measure_gains, measure_overlaps
from neurok.evaluate.targets import DragTarget, make_target
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.options import list_options
from neurok.proposals.ranker import load_ranker

SPLIT_SHARE = 0.15  # of the drags whose points lie on one body also teach what a subset of the points would mean
DRAGS = ("drag1", "drag3")
SAMPLE_COUNT = 96  # of the surface, by which options are compared with each other
FIELDS = {"features": np.float16, "gain": np.float64, "part": np.int32, "twist": np.float32}  # of options


@dataclass
class DragLists:
    """All that one object teaches; a list is of the options of one drag, a state is one of rest."""

    options: dict[str, list[NDArray[Any]]] = field(default_factory=lambda: {name: [] for name in FIELDS})
    point_counts: list[tuple[int, int]] = field(default_factory=list)  # of the list's points, and of all dragged points
    states: list[int] = field(default_factory=list)  # of every list
    part_features: list[Array] = field(default_factory=list)  # of every state, [h, f]
    odds: list[Array] = field(default_factory=list)  # of every hypothesis, that it is a part that moves, [h]
    overlaps: list[Array] = field(default_factory=list)  # of every hypothesis with the nearest true part, [h]
    samples: list[Array] = field(default_factory=list)  # of every state's surface, [p, 3]
    inside: list[Mask] = field(default_factory=list)  # which of its samples each hypothesis of a state holds, [h, p]

    def add_state(self, found: Hypotheses, pair: Pair) -> None:
        sample = np.random.default_rng(0).integers(len(found.units.points), size=SAMPLE_COUNT)
        self.part_features.append(found.features)
        self.odds.append(load_ranker().judge_parts(found.features))
        self.overlaps.append(measure_overlaps(found, pair.truth))
        self.samples.append(found.units.points[sample])
        self.inside.append(found.members[:, found.units.owner[sample]])

    def add_drag(self, found: Hypotheses, pair: Pair, target: DragTarget, generator: np.random.Generator) -> None:
        unit = found.units.face[target.where.face]
        points, goals = (found.units.to_canonical(x) for x in (target.where.position, target.positions))
        one_body = pair.body is not None and len(np.unique(pair.body[target.where.face])) == 1
        for subset in list_subsets(len(points)):
            if len(subset) == len(points) or not one_body or generator.random() < SPLIT_SHARE:
                self._add_list(found, pair, (points, goals), unit, np.array(subset))
        for one in range(1, len(points)):  # the first is the point of the drag of one
            self._add_list(found, pair, (points[[one]], goals[[one]]), unit[[one]], np.array([0]))

    def _add_list(self, found: Hypotheses, pair: Pair, drag: tuple[Array, Array], unit: Indices, mine: Indices) -> None:
        others = np.setdiff1d(np.arange(len(unit)), mine)
        options = list_options(found, self.odds[-1], drag[0][mine], drag[1][mine], unit[mine], unit[others])
        if options.count == 0:
            return
        gain = measure_gains(found, pair, options.part, options.twist)
        for name, value in zip(FIELDS, (options.features, gain, options.part, options.twist)):
            self.options[name].append(value)
        self.point_counts.append((len(mine), len(unit)))
        self.states.append(len(self.samples) - 1)

    def save(self, path: Path, entry: Entry) -> None:
        """Options of one list follow each other; starts: where lists begin, [l + 1]."""
        options = {name: np.concatenate(self.options[name]).astype(kind) for name, kind in FIELDS.items()}
        arrays: dict[str, Any] = options | {
            "starts": np.cumsum([0, *map(len, self.options["gain"])]), "point_counts": np.array(self.point_counts),
            "state": np.array(self.states), "part_features": np.concatenate(self.part_features).astype(np.float32),
            "overlap": np.concatenate(self.overlaps), "part_starts": np.cumsum([0, *map(len, self.overlaps)]),
            "samples": np.stack(self.samples).astype(np.float32), "inside": np.concatenate(self.inside),
            "name": np.array(entry.name), "category": np.array(entry.category),
        }  # fmt: skip
        partial = path.with_suffix(".partial.npz")
        np.savez_compressed(partial, **arrays)
        partial.rename(path)


def list_subsets(count: int) -> list[tuple[int, ...]]:
    """All ways to take some of so many points, largest first."""
    return [subset for size in range(count, 0, -1) for subset in combinations(range(count), size)]


def gather_lists(pairs: Sequence[Pair]) -> DragLists:
    """The lists of these pairs of one object."""
    lists, generator = DragLists(), np.random.default_rng(0)
    rest, found = b"", None
    for pair in pairs:
        if found is None or pair.mesh.vertices.tobytes() != rest:  # pairs of one rest state share their hypotheses
            rest, found = pair.mesh.vertices.tobytes(), Hypotheses.of(pair.mesh)
            lists.add_state(found, pair)
        for kind in DRAGS:
            target = make_target(pair, kind)
            if isinstance(target, DragTarget):
                lists.add_drag(found, pair, target, generator)
    return lists


def gather_missing(folder: Path, entries: Sequence[Entry], say: Callable[[str], None]) -> None:
    """The lists of all objects of which the folder has none yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, entry in enumerate(entries):
        path = folder / f"{entry.name.replace('/', '_')}.npz"
        if path.is_file() or path.with_suffix(".none").is_file():
            continue
        try:
            pairs = read_pairs(entry)
            # The first pair moves one joint from rest; the others all of them, of which one is taken in turn.
            lists = gather_lists([pairs[0], pairs[1 + number % (PAIR_COUNT - 1)]])
        except InputError as fault:
            say(f"{entry.name} is left out: {fault}")
            lists = DragLists()
        if lists.states:
            lists.save(path, entry)
        else:
            path.with_suffix(".none").touch()
        say(f"lists of {entry.name}, {number + 1} of {len(entries)}")


def find_teachers(data: str, more: Sequence[str], per_kind: int) -> list[Entry]:
    """The train objects of a folder and all of others, at most so many of a kind and folder.

    Kinds come in turn, so that the first so many of all are a fair choice.
    """
    ranked = []
    for place, (folder, split) in enumerate([(data, "train"), *((each, "all") for each in more)]):
        counts: dict[str, int] = {}
        for entry in find_objects(folder, split):
            kind = normalise_name(find_kind(entry.name, entry.category))
            counts[kind] = counts.get(kind, 0) + 1
            if counts[kind] <= per_kind:
                ranked.append((counts[kind], place, entry))
    return [entry for _, _, entry in sorted(ranked, key=lambda row: row[:2])]
