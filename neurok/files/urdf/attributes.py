"""The attributes of XML elements as checked values; `where` names the place for messages."""

import math
import xml.etree.ElementTree as ET

import numpy as np

from neurok.errors import InputError
from neurok.geometry.arrays import Array

MAX_LENGTH = 1e9  # [m]; beyond it a position loses its millimetres, and a file is damaged


def read_name(element: ET.Element, what: str) -> str:
    name = element.get("name")
    if not name:
        raise InputError(f"a {what} has no name", f"give every {what} a name")
    return name


def read_origin(element: ET.Element, where: str) -> Array:
    """T_parent_child of an <origin>: first the roll about x, then pitch about y, then yaw about z, [4, 4]."""
    T = np.eye(4)
    child = element.find("origin")
    if child is None:
        return T
    (cr, cp, cy), (sr, sp, sy) = (f(read_numbers(child, "rpy", (0.0, 0.0, 0.0), where)) for f in (np.cos, np.sin))
    T[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    T[:3, 3] = read_numbers(child, "xyz", (0.0, 0.0, 0.0), where)
    return T


def read_numbers(
    element: ET.Element, key: str, default: tuple[float, ...] | None, where: str, *, count: int = 0
) -> Array:
    text = element.get(key)
    if text is None and default is not None:
        return np.array(default)
    words = (text or "").split()
    count = count or len(default or ())
    if len(words) == 1 and key == "scale":
        words *= count
    if len(words) != count:
        raise InputError(f'{where}: {key}="{(text or "")[:60]}" has {len(words)} numbers', f"give {count}")
    return np.array([parse_finite(word, key, where) for word in words])


def read_number(element: ET.Element, key: str, default: float | None, where: str, *, infinite: bool = False) -> float:
    text = element.get(key)
    if text is None and default is not None:
        return default
    return parse_finite((text or "").strip(), key, where, infinite=infinite)


def parse_finite(word: str, key: str, where: str, *, infinite: bool = False) -> float:
    try:
        value = float(word)
    except ValueError:
        raise InputError(f"{where}: {key} is '{word[:60]}', which is not a number", "correct it") from None
    if math.isnan(value) or (not infinite and abs(value) > MAX_LENGTH):
        raise InputError(f"{where}: {key} is {word[:60]}", "give a finite number of a sane size")
    return value
