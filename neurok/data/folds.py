"""Related kinds of objects, and five folds over them: what is left out of training together.

A kind is the category of an object, whichever source names it and however it is spelt there. kinds.toml, beside this
file, lists which kinds are related and to which fold they belong; its head says by which rules.
"""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from neurok.errors import OptionError

FILE_NAME = "kinds.toml"


@dataclass(frozen=True)
class KindGroup:
    """Related kinds, which are left out together. fold: the number of the fold that leaves them out."""

    name: str
    kinds: tuple[str, ...]
    fold: int


@dataclass(frozen=True)
class Folds:
    """What kinds.toml says.

    always_seen: normalised kinds that no fold leaves out.
    objects: the kind of an object by its normalised name, whatever category its source gives it.
    """

    groups: tuple[KindGroup, ...]
    always_seen: frozenset[str]
    objects: Mapping[str, str]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the folds, ascending."""
        return tuple(sorted({group.fold for group in self.groups}))

    def find_group(self, kind: str) -> KindGroup | None:
        """The group of a kind, however it is spelt; None of a kind that is always seen or not in the file."""
        plain = normalise_name(kind)
        return next((group for group in self.groups if plain in map(normalise_name, group.kinds)), None)

    def is_known(self, kind: str) -> bool:
        """Whether the file says anything about a kind."""
        return normalise_name(kind) in self.always_seen or self.find_group(kind) is not None


@cache
def load_folds() -> Folds:
    """The groups and folds of the file that is part of the package."""
    return parse_folds(files("neurok.data").joinpath(FILE_NAME).read_text(encoding="utf-8"))


def parse_folds(text: str) -> Folds:
    """The groups and folds of a file in the form of kinds.toml."""
    content = tomllib.loads(text)
    groups = [KindGroup(name, tuple(kinds), int(number))
              for number, fold in content["folds"].items() for name, kinds in fold.items()]  # fmt: skip
    objects = {normalise_name(name): kind for kind, names in content["objects"].items() for name in names}
    return Folds(tuple(groups), frozenset(map(normalise_name, content["always_seen"])), objects)


def kinds_left_out(fold: int) -> list[str]:
    """The kinds that a fold leaves out of training, of all sources, sorted."""
    folds = load_folds()
    if fold not in folds.numbers:
        raise OptionError(f"there is no fold {fold}", f"give a whole number from {min(folds.numbers)} to "
                          f"{max(folds.numbers)}")  # fmt: skip
    return sorted((kind for group in folds.groups if group.fold == fold for kind in group.kinds), key=str.lower)


def related_kinds(kind: str) -> list[str]:
    """The kinds of the group that a kind belongs to, itself among them; itself alone where the file has no group."""
    group = load_folds().find_group(kind)
    return list(group.kinds) if group is not None else [kind]


def find_kind(name: str, category: str) -> str:
    """The kind of an object: what the file says of its name, or else the category that its source gives it.

    name: in a store or a folder, such as "partnet/100366" or "ces_Drone.glb".
    """
    stem = re.sub(r"\.(glb|gltf)$", "", name.rsplit("/", 1)[-1])
    return load_folds().objects.get(normalise_name(stem), category)


def is_kind_among(name: str, category: str, kinds: Collection[str]) -> bool:
    """Whether an object is of one of the given kinds, however they are spelt."""
    return normalise_name(find_kind(name, category)) in {normalise_name(kind) for kind in kinds}


@cache
def normalise_name(name: str) -> str:
    """A name without capitals and without what separates its words: TrashCan and trash_can are the same."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
