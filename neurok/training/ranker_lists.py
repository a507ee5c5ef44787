"""The lists that the ranker of proposals learns from, as they are read from files; see `evaluate.rankers.gathering`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from neurok.data.folds import find_kind, load_folds
from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.proposals.assignment import carry_points
from neurok.proposals.options import OPTION_FEATURES

MIN_GAIN = -3.0  # of the squared motion: what is worse is as bad as this


@dataclass(frozen=True)
class OptionList:
    """Options that compete. gain: share of the squared motion explained, [n]. whole: whether all points are meant.

    twist: of each option, [n, 6]. samples: of the surface, [p, 3]. inside: which of them each option moves, [n, p].
    """

    features: Array
    gain: Array
    whole: bool
    point_count: int
    twist: Array
    samples: Array
    inside: Mask

    @property
    def recovered(self) -> Array:
        return 1.0 - np.sqrt(np.maximum(1.0 - self.gain, 0.0))

    @property
    def displacement(self) -> Array:
        """How far each option takes each sample, [n, p, 3]."""
        moved = carry_points(self.twist.astype(np.float64), self.samples)
        return np.where(self.inside[..., None], moved - self.samples, 0.0)

    def take(self, index: Indices) -> "OptionList":
        """Some of the options."""
        return replace(
            self, features=self.features[index], gain=self.gain[index], twist=self.twist[index],
            inside=self.inside[index],
        )  # fmt: skip


@dataclass(frozen=True)
class ObjectLists:
    name: str
    fold: int  # that leaves it out, 0 where none does
    options: list[OptionList]
    parts: list[tuple[Array, Array]]  # features and overlaps of the hypotheses of one state


def read_lists(folder: Path, keep: Callable[[str], bool] = lambda name: True) -> list[ObjectLists]:
    """All objects whose names are kept, by name."""
    found = []
    for path in sorted(folder.glob("*.npz")):
        if path.name.endswith(".partial.npz"):
            continue
        with np.load(path) as file:
            if keep(str(file["name"])):
                data = {name: file[name] for name in file.files}
                if data["features"].shape[1] != len(OPTION_FEATURES):
                    raise InputError(f"{path} lists other numbers of options than neurok counts now",
                                     "remove it; it is then gathered anew")  # fmt: skip
                found.append(_read_object(data))
    return found


def _read_object(data: dict[str, Array]) -> ObjectLists:
    folds = load_folds()
    group = folds.find_group(find_kind(str(data["name"]), str(data["category"])))
    ends = data["part_starts"]
    insides = [data["inside"][a:b] for a, b in zip(ends[:-1], ends[1:])]  # of every state
    options = []
    for number, (first, last) in enumerate(zip(data["starts"][:-1], data["starts"][1:])):
        mine, state, (some, every) = slice(first, last), data["state"][number], data["point_counts"][number]
        options.append(OptionList(
            data["features"][mine], data["gain"][mine].clip(MIN_GAIN), bool(some == every), int(every),
            data["twist"][mine], data["samples"][state], insides[state][data["part"][mine]],
        ))  # fmt: skip
    parts = [(data["part_features"][a:b], data["overlap"][a:b]) for a, b in zip(ends[:-1], ends[1:])]
    return ObjectLists(str(data["name"]), group.fold if group else 0, options, parts)
