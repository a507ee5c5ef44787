"""Conditions: what a person asks for; one-to-one with a JSON file and the command line.

Points, displacements and velocities are in the input file's axes and units;
forces [N], gravity [m/s^2], wind [m/s], densities [kg/m^3] and masses [kg] are SI.
A point means the nearest point of the surface at rest.
"""

import dataclasses
import json
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from neurok.errors import InputError, OptionError, unknown

Vector = tuple[float, float, float]

OBSTACLES = ("plane", "sphere", "box")
INTEGRATORS = ("euler", "rk4", "midpoint")
BASES = ("fixed", "free")
DENSITY = 500.0  # kg/m^3, about that of wood: what an object weighs when nobody says


@dataclass(frozen=True)
class Pull:
    """Hold a point and move it, between two times, then let go.

    One of: by (a straight line), to (a straight line to a place), path (rows of t, x, y, z: absolute places).
    end defaults to a third of the whole time.
    """

    point: Vector
    by: Vector | None = None
    to: Vector | None = None
    path: tuple[tuple[float, float, float, float], ...] = ()
    start: float = 0.0
    end: float | None = None


@dataclass(frozen=True)
class Push:
    """A force [N] on a point over a window of time [s]."""

    point: Vector
    force: Vector
    start: float = 0.0
    end: float = 0.2


@dataclass(frozen=True)
class Velocity:
    """The velocity [file units / s] with which a point begins."""

    point: Vector
    velocity: Vector


@dataclass(frozen=True)
class Start:
    """Begin with a point already displaced [file units]."""

    point: Vector
    by: Vector


@dataclass(frozen=True)
class Pin:
    """A point that stays where it is."""

    point: Vector


@dataclass(frozen=True)
class Obstacle:
    """A fixed body to collide with: plane (point, normal), sphere (point, radius), box (point, size: full edges)."""

    kind: str
    point: Vector
    normal: Vector | None = None
    radius: float | None = None
    size: Vector | None = None
    friction: float | None = None  # the object's own where None


@dataclass(frozen=True)
class PartProperties:
    """What differs for one part of the object (by the part's name); None takes the object's value."""

    density: float | None = None  # kg/m^3
    stiffness: float | None = None
    damping: float | None = None
    friction: float | None = None


@dataclass(frozen=True)
class Conditions:
    """Everything that drives a motion.

    gravity: [m/s^2]; None means none, or 9.81 downwards where the object can fall (ground, or a free base).
    wind: velocity of the air [m/s].
    ground: a floor below the object at rest; ground_height [file units] puts it elsewhere.
    stiffness: pull back to rest; 1 makes each coordinate swing at about one hertz, 0 none;
        None means 1, or 0 where gravity acts on joints.
    damping: rate at which motion dies out [1/s].
    mass: of the whole object [kg], else density x volume (or shell, for open surfaces).
    limits: whether the joints' limits (or the edge of the learned space) hold.
    integrator: euler, rk4 or midpoint. base: fixed or free (falls, slides, tumbles).
    """

    pulls: tuple[Pull, ...] = ()
    pushes: tuple[Push, ...] = ()
    starts: tuple[Start, ...] = ()
    velocities: tuple[Velocity, ...] = ()
    pins: tuple[Pin, ...] = ()
    gravity: Vector | None = None
    wind: Vector = (0.0, 0.0, 0.0)
    ground: bool = False
    ground_height: float | None = None
    obstacles: tuple[Obstacle, ...] = ()
    stiffness: float | None = None
    damping: float = 0.5
    friction: float = 0.5
    density: float = DENSITY
    mass: float | None = None
    parts: Mapping[str, PartProperties] = field(default_factory=dict)
    limits: bool = True
    seconds: float = 3.0
    fps: float = 30.0
    dt: float = 1.0 / 240.0
    integrator: str = "midpoint"
    base: str = "fixed"
    seed: int = 0

    def __post_init__(self) -> None:
        _check(self)

    @property
    def is_silent(self) -> bool:
        """Whether nothing at all was asked for, so that one sampled state is released."""
        asked = self.pulls or self.pushes or self.starts or self.velocities or any(self.wind) or self.ground
        return not asked and self.gravity is None and self.base == "fixed"

    def to_json(self) -> str:
        """All fields that differ from their defaults, as a JSON object."""
        return json.dumps(_plain(self), indent=2) + "\n"

    @staticmethod
    def from_json(text: str) -> "Conditions":
        """Read what `to_json` wrote, or a person did; unknown keys are errors."""
        try:
            data = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as fault:
            raise InputError(f"the conditions are not valid JSON ({fault})", "check commas and quotes") from None
        return _build(Conditions, data, "conditions")

    @staticmethod
    def load(path: str | Path) -> "Conditions":
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as fault:
            raise InputError(f"the conditions {path} cannot be read ({fault})", "check the path") from None
        return Conditions.from_json(text)


def _positive(name: str, value: float, *, zero: bool = False, most: float = math.inf) -> None:
    if not math.isfinite(value) or value < 0 or (value == 0 and not zero) or value > most:
        least = "0 or more" if zero else "more than 0"
        bound = f" and at most {most:g}" if math.isfinite(most) else ""
        raise OptionError(f"{name} is {value:g}", f"give a number that is {least}{bound}")


def _finite(name: str, values: typing.Iterable[float]) -> None:
    if not all(math.isfinite(v) for v in values):
        raise OptionError(f"{name} holds a number that is not finite", "give ordinary numbers")


def _check(c: Conditions) -> None:
    _positive("seconds", c.seconds, most=3600)
    _positive("fps", c.fps, most=1000)
    _positive("dt", c.dt, most=0.1)
    _positive("damping", c.damping, zero=True)
    _positive("friction", c.friction, zero=True)
    _positive("density", c.density)
    if c.stiffness is not None:
        _positive("stiffness", c.stiffness, zero=True)
    if c.mass is not None:
        _positive("mass", c.mass)
    if c.seconds / c.dt > 1e7:
        raise OptionError(f"{c.seconds:g} s at dt {c.dt:g} s are too many steps", "take fewer seconds or a larger dt")
    if c.seconds * c.fps > 1e6:
        raise OptionError(f"{c.seconds:g} s at {c.fps:g} fps are too many frames", "take fewer seconds or frames")
    if c.integrator not in INTEGRATORS:
        raise unknown("integrator", c.integrator, INTEGRATORS)
    if c.base not in BASES:
        raise unknown("base", c.base, BASES)
    _finite("wind", c.wind)
    _finite("gravity", c.gravity or ())
    for wish in (*c.pulls, *c.pushes, *c.starts, *c.velocities, *c.pins, *c.obstacles):
        for item in dataclasses.fields(wish):
            value = getattr(wish, item.name)
            if isinstance(value, tuple):
                flat = [x for row in value for x in (row if isinstance(row, tuple) else (row,))]
                _finite(f"{type(wish).__name__.lower()} {item.name}", flat)
    for pull in c.pulls:
        if sum((pull.by is not None, pull.to is not None, bool(pull.path))) != 1:
            raise OptionError("a pull needs exactly one of by, to and path", "say where the point goes")
        if pull.end is not None and pull.end < pull.start:
            raise OptionError(f"a pull ends at {pull.end:g} s before it starts at {pull.start:g} s", "swap the times")
        times = [row[0] for row in pull.path]
        if any(b <= a for a, b in zip(times, times[1:])):
            raise OptionError("the times of a pull's path do not increase", "sort them")
    for push in c.pushes:
        if push.end < push.start:
            raise OptionError(f"a push ends at {push.end:g} s before it starts at {push.start:g} s", "swap the times")
    for obstacle in c.obstacles:
        if obstacle.kind not in OBSTACLES:
            raise unknown("obstacle", obstacle.kind, OBSTACLES)
        needed = {"plane": "normal", "sphere": "radius", "box": "size"}[obstacle.kind]
        if getattr(obstacle, needed) is None:
            raise OptionError(f"a {obstacle.kind} needs its {needed}", "add it")
        if obstacle.kind == "plane" and not any(obstacle.normal):
            raise OptionError("the normal of a plane is zero", "give the direction that points out of the ground")
        if obstacle.kind == "sphere":
            _positive("radius", obstacle.radius)
        if obstacle.kind == "box":
            for edge in obstacle.size:
                _positive("box size", edge)
    for name, part in c.parts.items():
        for item in dataclasses.fields(part):
            value = getattr(part, item.name)
            if value is not None:
                _positive(f"{item.name} of part '{name}'", value, zero=item.name != "density")


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value):
        kept = {}
        for item in dataclasses.fields(value):
            mine = getattr(value, item.name)
            default = item.default if item.default is not dataclasses.MISSING else None
            if item.default_factory is not dataclasses.MISSING:
                default = item.default_factory()
            if mine != default or item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING:
                kept[item.name] = _plain(mine)
        return kept
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return value


def _build(kind: typing.Any, data: object, where: str) -> typing.Any:
    """A value of the annotated type from plain JSON, or an error that names the place."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    wrong = InputError(f"{where} is {json.dumps(data)[:60]}", f"give {_words(kind)}")
    if dataclasses.is_dataclass(kind):
        if not isinstance(data, dict):
            raise InputError(f"{where} is not a JSON object", "write it in braces")
        hints = typing.get_type_hints(kind)
        for key in data:
            if key not in hints:
                raise InputError(f"{where} has an unknown key '{key}'", f"use one of: {', '.join(sorted(hints))}")
        for item in dataclasses.fields(kind):
            if item.default is item.default_factory is dataclasses.MISSING and item.name not in data:
                raise InputError(f"{where} has no '{item.name}'", "add it")
        return kind(**{k: _build(hints[k], v, f"{where}.{k}") for k, v in data.items()})
    if origin is types.UnionType:
        if data is None and type(None) in arguments:
            return None
        return _build(next(a for a in arguments if a is not type(None)), data, where)
    if origin is tuple:
        if not isinstance(data, list):
            raise wrong
        inner = [arguments[0]] * len(data) if arguments[-1] is Ellipsis else arguments
        if len(inner) != len(data):
            raise wrong
        return tuple(_build(a, v, f"{where}[{i}]") for i, (a, v) in enumerate(zip(inner, data)))
    if origin is Mapping:
        if not isinstance(data, dict):
            raise wrong
        return {k: _build(arguments[1], v, f"{where}.{k}") for k, v in data.items()}
    if kind is float and isinstance(data, (int, float)) and not isinstance(data, bool):
        try:
            return float(data)
        except OverflowError:
            raise wrong from None
    if kind in (bool, str, int) and type(data) is kind:
        return data
    raise wrong


def _words(kind: typing.Any) -> str:
    if kind == Vector or kind == Vector | None:
        return "three numbers"
    return {float: "a number", int: "a whole number", bool: "true or false", str: "a text"}.get(kind, "a list")
