"""Fields of untrusted JSON, each fetched with its type checked.

`what` names the owner in the error ("accessor 5").
"""

import math
from typing import Any

from neurok.errors import InputError

Record = dict[str, Any]
EXPORT_AGAIN = "the file is damaged: export it again"


def damage_error(problem: str) -> InputError:
    """The error of a file that contradicts itself."""
    return InputError(problem, EXPORT_AGAIN)


def record(owner: Record, key: str, what: str) -> Record:
    """A nested object, empty where absent."""
    value = owner.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise damage_error(f"the {key} of {what} is not an object")
    return value


def records(owner: Record, key: str, what: str) -> list[Record]:
    """A list of objects, empty where absent."""
    value = owner.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise damage_error(f"the {key} of {what} are not a list of objects")
    return value


def whole(value: object, what: str) -> int:
    """A whole number of at least zero; exporters that write 3.0 for 3 are understood."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 62:
        raise damage_error(f"{what} is {str(value)[:40]!r}, not a whole number of at least zero")
    return value


def index(owner: Record, key: str, what: str, default: int | None = None) -> int:
    """A whole number of at least zero: a count, an offset or the place of something."""
    value = owner.get(key, default)
    if value is None:
        raise damage_error(f"{what} has no {key}")
    return whole(value, f"the {key} of {what}")


def optional_index(owner: Record, key: str, what: str) -> int | None:
    """A whole number of at least zero, or None where absent."""
    return None if owner.get(key) is None else index(owner, key, what)


def indices(owner: Record, key: str, what: str) -> list[int]:
    """A list of whole numbers, empty where absent."""
    value = owner.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise damage_error(f"the {key} of {what} are not a list")
    return [whole(item, f"an entry of the {key} of {what}") for item in value]


def number(owner: Record, key: str, what: str, default: float) -> float:
    """A finite number."""
    return _finite(owner.get(key, default), f"the {key} of {what}")


def numbers(owner: Record, key: str, what: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """As many finite numbers as the default has."""
    value = owner.get(key)
    if value is None:
        return default
    if not isinstance(value, list) or len(value) != len(default):
        raise damage_error(f"the {key} of {what} are not {len(default)} numbers")
    return tuple(_finite(item, f"an entry of the {key} of {what}") for item in value)


def any_numbers(owner: Record, key: str, what: str) -> list[float]:
    """Any count of finite numbers, empty where absent."""
    value = owner.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise damage_error(f"the {key} of {what} are not a list")
    return [_finite(item, f"an entry of the {key} of {what}") for item in value]


def text(owner: Record, key: str, default: str = "") -> str:
    """A string that can be written anywhere (JSON lets lone surrogates through, no file system does)."""
    value = owner.get(key)
    if not isinstance(value, str):
        return default
    return value.encode("utf-8", "replace").decode("utf-8")


def _finite(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise damage_error(f"{what} is {str(value)[:40]!r}, not a number")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise damage_error(f"{what} is not finite")
    return result
