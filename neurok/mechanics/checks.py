"""What numbers must obey: one sentence for each fault, with its remedy."""

import dataclasses
import math
from typing import Any

from neurok.errors import OptionError

LARGEST = 1e12  # of any number in a wish: beyond it squares and their sums lose all that is small, or overflow


def positive(name: str, value: float, *, zero: bool = False, most: float = math.inf) -> None:
    """More than zero (or zero too), finite, and no greater than `most`."""
    if not math.isfinite(value) or value < 0 or (value == 0 and not zero) or value > most:
        least = "0 or more" if zero else "more than 0"
        bound = f" and at most {most:g}" if math.isfinite(most) else ""
        raise OptionError(f"{name} is {value:g}", f"give a number that is {least}{bound}")


def finite(wish: Any) -> None:
    """Every number in the tuples of a dataclass is finite, and none is out of all proportion."""
    for item in dataclasses.fields(wish):
        value = getattr(wish, item.name)
        rows = value if isinstance(value, tuple) else ()
        flat = [x for row in rows for x in (row if isinstance(row, tuple) else (row,))]
        numbers = [x for x in flat if isinstance(x, (int, float))]
        name = f"{type(wish).__name__.lower()} {item.name}"
        if not all(math.isfinite(x) for x in numbers):
            raise OptionError(f"{name} holds a number that is not finite", "give ordinary numbers")
        largest = max(map(abs, numbers), default=0.0)
        if largest > LARGEST:
            raise OptionError(f"{name} holds {largest:g}", f"give numbers of at most {LARGEST:g}")


def lasting(name: str, start: float, end: float) -> None:
    """A window of time that has a length."""
    if not (math.isfinite(start) and math.isfinite(end)) or start < 0:
        raise OptionError(f"a {name} lasts from {start:g} to {end:g} s", "give times of 0 or more")
    if end <= start:
        raise OptionError(f"a {name} ends at {end:g} s before it starts at {start:g} s", "give a later end")
