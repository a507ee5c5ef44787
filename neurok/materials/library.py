"""The library of materials: neurok's own rows and a user's, found by name or by another word for it.

The words of a row are its name and its synonyms; upper case, spaces, hyphens and underscores make no difference.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path

from neurok.errors import InputError, OptionError
from neurok.materials.material import PhysicalMaterial
from neurok.materials.reading import parse_materials

NEAREST_COUNT = 3  # how many near names an error offers


@dataclass(frozen=True)
class MaterialLibrary:
    """Materials by name, and the plain words by which each is found."""

    materials: Mapping[str, PhysicalMaterial]
    words: Mapping[str, str] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all rows, in the order of the file."""
        return tuple(self.materials)

    def knows(self, name: str) -> bool:
        """Whether there is a material of this name or synonym."""
        return simplify_word(name) in self.words

    def find(self, name: str) -> PhysicalMaterial:
        """The material of a name or a synonym; an error with the nearest names where there is none."""
        word = simplify_word(name)
        if word not in self.words:
            near = get_close_matches(word, self.words, NEAREST_COUNT)
            offered = list(dict.fromkeys(self.words[each] for each in near)) or list(self.names)
            lead = "the nearest are" if near else "there are"
            raise OptionError(f"there is no material '{name[:60]}'", f"{lead}: {', '.join(offered)}")
        return self.materials[self.words[word]]


def simplify_word(name: str) -> str:
    """A name in lower case with single spaces for hyphens, underscores and blanks."""
    return " ".join(name.lower().replace("_", " ").replace("-", " ").split())


def load_library(extra: str | Path | None = None) -> MaterialLibrary:
    """neurok's materials, and those of a TOML file of the same form, whose rows replace rows of the same name."""
    own = _load_own_library()
    if extra is None:
        return own
    added = parse_materials(_read_text(Path(extra)), Path(extra).name)
    return _build_library([*own.materials.values()], added)


@cache
def _load_own_library() -> MaterialLibrary:
    text = files("neurok.materials").joinpath("materials.toml").read_text(encoding="utf-8")
    return _build_library([], parse_materials(text, "materials.toml"))


def _build_library(own: Iterable[PhysicalMaterial], added: Iterable[PhysicalMaterial]) -> MaterialLibrary:
    """Rows of both; an added one takes its words away from the others."""
    materials = {row.name: row for row in own} | {row.name: row for row in added}
    words: dict[str, str] = {}
    for rows in (own, added):
        taken: dict[str, str] = {}
        for row in rows:
            for word in map(simplify_word, (row.name, *row.synonyms)):
                if taken.setdefault(word, row.name) != row.name:
                    problem = f"the word '{word}' belongs to two materials, {taken[word]} and {row.name}"
                    raise InputError(problem, "keep it with one of them")
        words |= taken
    return MaterialLibrary(materials, words)


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}", "check the path of the materials") from None
    except OSError as fault:
        raise InputError(f"the materials {path} cannot be read ({fault.strerror})", "check the path") from None
    except UnicodeDecodeError:
        raise InputError(f"the materials {path} are not text", "give a TOML file") from None
