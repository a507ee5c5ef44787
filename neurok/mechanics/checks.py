"""What the numbers of conditions must obey: one sentence for each fault, with its remedy."""

import dataclasses
import math
from typing import Any, ClassVar, Protocol

from neurok.errors import OptionError

MAX_CONDITION_NUMBER = 1e12  # beyond it squares and their sums lose all that is small, or overflow


class Fielded(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]


def check_positive(name: str, value: float, *, zero: bool = False, maximum: float = math.inf) -> None:
    """More than zero (or zero too), finite, and no greater than `maximum`."""
    if not math.isfinite(value) or value < 0 or (value == 0 and not zero) or value > maximum:
        least = "0 or more" if zero else "more than 0"
        bound = f" and at most {maximum:g}" if math.isfinite(maximum) else ""
        raise OptionError(f"{name} is {value:g}", f"give a number that is {least}{bound}")


def check_finite(condition: Fielded) -> None:
    """Every number in the tuples of a dataclass is finite, and none is out of all proportion."""
    for item in dataclasses.fields(condition):
        value = getattr(condition, item.name)
        rows = value if isinstance(value, tuple) else ()
        flat = [x for row in rows for x in (row if isinstance(row, tuple) else (row,))]
        numbers = [x for x in flat if isinstance(x, (int, float))]
        name = f"{type(condition).__name__.lower()} {item.name}"
        if not all(math.isfinite(x) for x in numbers):
            raise OptionError(f"{name} holds a number that is not finite", "give ordinary numbers")
        largest = max(map(abs, numbers), default=0.0)
        if largest > MAX_CONDITION_NUMBER:
            raise OptionError(f"{name} holds {largest:g}", f"give numbers of at most {MAX_CONDITION_NUMBER:g}")


def check_window(name: str, start: float, end: float) -> None:
    """A window of time that has a length."""
    if not (math.isfinite(start) and math.isfinite(end)) or start < 0:
        raise OptionError(f"a {name} lasts from {start:g} to {end:g} s", "give times of 0 or more")
    if end <= start:
        raise OptionError(f"a {name} ends at {end:g} s before it starts at {start:g} s", "give a later end")


def check_listed(name: str, values: object, kind: type) -> None:
    """A tuple (or list) of one kind of condition: neither one alone nor bare numbers."""
    example = f"write {name}=({kind.__name__}(...),)"
    if isinstance(values, kind):
        raise OptionError(f"{name} is one {kind.__name__.lower()}, not a tuple of them", example)
    if not isinstance(values, (tuple, list)):
        raise OptionError(f"{name} is of type {type(values).__name__}, not a tuple", example)
    other = next((value for value in values if not isinstance(value, kind)), None)
    if other is not None or None in values:
        raise OptionError(f"{name} holds {str(other)[:40]}, which is no {kind.__name__}", example)
