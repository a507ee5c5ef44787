"""Words: the names of parts and objects as plain words, and bags of them over a fixed vocabulary."""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from neurok.geometry.arrays import Array

# What programs call a piece that nobody named, and words that say where a part is, not what it is.
EMPTY_WORDS = frozenset(
    "part parts object obj mesh node nodes group geometry geom component solid shape link default body element item"
    " piece polysurface primitive material root scene base rest none other leaf outlier unknown id soft visual mobility"
    " left right front back rear top bottom upper lower inner outer big small first second and of the a".split()
)


def split_words(name: str) -> list[str]:
    """A name in lower-case words without numbers: 'drawer_front-31' and 'DrawerFront.002' are drawer, front."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [strip_plural(word) for word in re.findall(r"[a-z]+", spaced.lower()) if len(word) > 1]


def strip_plural(word: str) -> str:
    """A word without the s of its plural; brass and lens keep theirs."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "ns", "is")) else word


def says_something(words: Iterable[str]) -> bool:
    """Whether any of the words says what a part is."""
    return any(word not in EMPTY_WORDS for word in words)


def count_words(bags: Sequence[Iterable[str]], vocabulary: Sequence[str]) -> Array:
    """Which words of the vocabulary each bag has, rows of length one where it has any, [n, v]."""
    place = {word: index for index, word in enumerate(vocabulary)}
    table = np.zeros((len(bags), len(vocabulary)))
    for row, bag in enumerate(bags):
        for word in bag:
            if word in place:
                table[row, place[word]] = 1.0
    return table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1.0)
