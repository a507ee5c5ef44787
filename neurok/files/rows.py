"""Rows of numbers written as text, parsed many at a time."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError


@dataclass(frozen=True)
class TextRows:
    """Lines of whitespace-separated words: where the words start, and how many each line has.

    text: whole lines, each closed by a line feed.
    starts: byte offset of each word, [w]. counts: words per line, [l].
    """

    text: bytes
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Index of each line's first word, [l]."""
        return np.cumsum(self.counts) - self.counts


def split_rows(text: bytes) -> TextRows:
    """Find the words and lines of a text; lines without a word count too."""
    if text and not text.endswith(b"\n"):
        text += b"\n"
    letters = np.frombuffer(text, dtype=np.uint8)
    word = letters > 32
    first = word.copy()
    first[1:] &= ~word[:-1]
    starts = np.flatnonzero(first)
    ends = np.flatnonzero(letters == 10)
    counts = np.diff(np.searchsorted(starts, ends), prepend=0)
    return TextRows(text, starts, counts)


def parse_numbers(text: bytes, count: int, what: str, dtype: type = np.float64) -> NDArray:
    """The numbers of a text that must hold exactly `count` words, all of them numbers, [count]."""
    if count == 0:
        return np.zeros(0, dtype=dtype)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # older numpy only warns where it gives up
            numbers: NDArray = np.fromstring(text, dtype=dtype, sep=" ")
    except (ValueError, DeprecationWarning):
        numbers = np.zeros(0, dtype=dtype)
    if len(numbers) != count:
        kind = "whole numbers" if dtype is np.int64 else "numbers"
        raise InputError(f"{what} are not all {kind}", "the file is damaged: export it again")
    return numbers


def normalise_lines(data: bytes) -> bytes:
    """The text with line feeds only, without byte order mark; binary data is refused."""
    if b"\0" in data:
        raise InputError("this is not plain text", "export it again as text in UTF-8")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data if data.endswith(b"\n") else data + b"\n"


def decode_name(raw: bytes) -> str:
    """A name in UTF-8, or in Latin-1 where it is not."""
    try:
        return raw.strip().decode("utf-8")
    except UnicodeDecodeError:
        return raw.strip().decode("latin-1")
