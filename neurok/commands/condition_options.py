"""What the texts of the command line mean: 'POINT:DX,DY,DZ@T0,T1' and the like become conditions.

A POINT is X,Y,Z or the name of a part.

Every function takes the option's name, for its error, and the text.
"""

import math

from neurok.errors import OptionError, unknown
from neurok.materials.part_properties import PartProperties
from neurok.mechanics.conditions import (
    OBSTACLES,
    Obstacle,
    Pin,
    Pull,
    Push,
    Start,
    Velocity,
)
from neurok.mechanics.places import Place, Vector

UNIT_RANGE = 1e-9, 1e9  # [m]


def parse_number(option: str, text: str) -> float:
    """One finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise OptionError(f"{option} is '{_shorten(text)}'", "give a number")
    return value


def parse_unit(option: str, text: str) -> float:
    """Metres per unit of a file: more than nothing, and what files in single precision can hold."""
    value = parse_number(option, text)
    if not UNIT_RANGE[0] <= value <= UNIT_RANGE[1]:
        raise OptionError(f"{option} is {value:g}", f"give a number from {UNIT_RANGE[0]:g} to {UNIT_RANGE[1]:g}")
    return value


def parse_whole(option: str, text: str) -> int:
    """One whole number."""
    try:
        return int(text)
    except ValueError:
        raise OptionError(f"{option} is '{_shorten(text)}'", "give a whole number") from None


def parse_seed(option: str, text: str) -> int:
    """A whole number that generators of random numbers take."""
    value = parse_whole(option, text)
    if not 0 <= value < 2**63:
        raise OptionError(f"{option} is '{_shorten(text)}'", "give a whole number from 0 to 2^63 - 1")
    return value


def parse_choice(option: str, text: str, known: tuple[str, ...]) -> str:
    """One of a few names."""
    if text not in known:
        raise unknown(option, _shorten(text), known)
    return text


def parse_vector(option: str, text: str) -> Vector:
    """'X,Y,Z'."""
    words = text.split(",")
    try:
        x, y, z = (float(word) for word in words)
    except ValueError:
        raise OptionError(f"{option} has '{_shorten(text)}'", "give three numbers, as in 0,-9.81,0") from None
    if not all(map(math.isfinite, (x, y, z))):
        raise OptionError(f"{option} has '{_shorten(text)}'", "give ordinary, finite numbers")
    return x, y, z


def parse_place(option: str, text: str) -> Place:
    """'X,Y,Z' or the name of a part: what has no number between its commas."""
    words = text.split(",")
    if text.strip() and not any(map(_is_number, words)):
        return text.strip()
    return parse_vector(option, text)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def parse_pull(option: str, text: str) -> Pull:
    """'POINT:DX,DY,DZ' or 'POINT:DX,DY,DZ@T0,T1'."""
    text, window = _split_window(option, text)
    point, by = _split_pair(option, text, "DX,DY,DZ")
    return Pull(point, by=by, start=window[0], end=window[1]) if window else Pull(point, by=by)


def parse_pull_to(option: str, text: str) -> Pull:
    """'POINT:TX,TY,TZ' or 'POINT:TX,TY,TZ@T0,T1'."""
    text, window = _split_window(option, text)
    point, to = _split_pair(option, text, "TX,TY,TZ")
    return Pull(point, to=to, start=window[0], end=window[1]) if window else Pull(point, to=to)


def parse_push(option: str, text: str) -> Push:
    """'POINT:FX,FY,FZ' or 'POINT:FX,FY,FZ@T0,T1'."""
    text, window = _split_window(option, text)
    point, force = _split_pair(option, text, "FX,FY,FZ")
    return Push(point, force, *window) if window else Push(point, force)


def parse_start(option: str, text: str) -> Start:
    """'POINT:DX,DY,DZ'."""
    return Start(*_split_pair(option, text, "DX,DY,DZ"))


def parse_velocity(option: str, text: str) -> Velocity:
    """'POINT:VX,VY,VZ'."""
    return Velocity(*_split_pair(option, text, "VX,VY,VZ"))


def parse_pin(option: str, text: str) -> Pin:
    """'X,Y,Z' or the name of a part."""
    return Pin(parse_place(option, text))


def parse_obstacle(option: str, text: str) -> Obstacle:
    """'plane:X,Y,Z:NX,NY,NZ', 'sphere:X,Y,Z:RADIUS' or 'box:X,Y,Z:SX,SY,SZ', each with '@FRICTION' if wanted."""
    text, at, last = text.partition("@")
    friction = parse_number(f"the friction of {option}", last) if at else None
    words = text.split(":")
    if len(words) != 3:
        raise OptionError(
            f"{option} has '{_shorten(text)}'",
            "give plane:X,Y,Z:NX,NY,NZ or sphere:X,Y,Z:RADIUS or box:X,Y,Z:SX,SY,SZ",
        )
    kind, point = parse_choice("obstacle", words[0], OBSTACLES), parse_vector(option, words[1])
    if kind == "sphere":
        return Obstacle(kind, point, radius=parse_number(f"the radius of {option}", words[2]), friction=friction)
    extent = parse_vector(option, words[2])
    if kind == "plane":
        return Obstacle(kind, point, normal=extent, friction=friction)
    return Obstacle(kind, point, size=extent, friction=friction)


def parse_part(option: str, text: str) -> tuple[str, PartProperties]:
    """'NAME:material=leather,friction=M' (any properties of a part)."""
    name, colon, rest = text.rpartition(":")  # part names may hold colons
    known = tuple(PartProperties.__dataclass_fields__)
    if not colon or not name:
        raise OptionError(
            f"{option} has '{_shorten(text)}'", "give NAME:material=M,density=D, as in seat:material=leather"
        )
    found: dict[str, float | str | bool] = {}
    for item in rest.split(","):
        key, _, value = (word.strip() for word in item.partition("="))
        if key not in known:
            raise unknown(f"property of {option}", _shorten(key), known)
        number = _parse_property(option, key, value)
        if found.setdefault(key, number) != number:
            raise OptionError(f"{option} has two values of {key} for '{_shorten(name)}'", "keep one of them")
    material, deforms = found.pop("material", None), found.pop("deforms", None)
    numbers = {key: float(value) for key, value in found.items()}
    return name, PartProperties(
        **numbers,
        material=None if material is None else str(material),
        deforms=None if deforms is None else bool(deforms),
    )


def _parse_property(option: str, key: str, value: str) -> float | str | bool:
    if key == "material":
        return value
    if key == "deforms":
        return parse_choice(f"deforms of {option}", value, ("yes", "no")) == "yes"
    return parse_number(f"{key} of {option}", value)


def _split_pair(option: str, text: str, second: str) -> tuple[Place, Vector]:
    first, colon, vector = text.rpartition(":")  # the names of parts may hold colons
    if not colon:
        raise OptionError(f"{option} has '{_shorten(text)}'", f"give a point and a vector, X,Y,Z:{second}")
    return parse_place(option, first), parse_vector(option, vector)


def _split_window(option: str, text: str) -> tuple[str, tuple[float, float] | None]:
    """The text before '@', and the two times after it."""
    first, at, times = text.rpartition("@")
    if not at or ":" in times:  # the '@' of a name
        return text, None
    text = first
    try:
        begin, end = (float(word) for word in times.split(","))
    except ValueError:
        begin = end = math.nan
    if not (math.isfinite(begin) and math.isfinite(end)):
        raise OptionError(f"{option} has the times '{_shorten(times)}'", "give two numbers of seconds, as in @0,1")
    if end <= begin or begin < 0:
        raise OptionError(f"{option} has the times {begin:g} to {end:g} s", "give 0 <= T0 < T1")
    return text, (begin, end)


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
