"""Colours as tuples of a known length, made from whatever sequence a file holds."""

from collections.abc import Iterable

RGB = tuple[float, float, float]
RGBA = tuple[float, float, float, float]


def make_rgb(values: Iterable[float]) -> RGB:
    """Exactly three numbers as red, green and blue."""
    red, green, blue = (float(value) for value in values)
    return red, green, blue


def make_rgba(values: Iterable[float]) -> RGBA:
    """Exactly four numbers as red, green, blue and alpha."""
    red, green, blue, alpha = (float(value) for value in values)
    return red, green, blue, alpha
