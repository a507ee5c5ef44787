"""Conditions: what a person asks for; one-to-one with a JSON file and the command line.

Points, displacements and velocities are in the input file's axes and units;
forces [N], gravity [m/s^2], wind [m/s], densities [kg/m^3] and masses [kg] are SI.
A point means the nearest point of the surface at rest; the name of a part may stand for one, and means the point where
a person would take hold of it (see `neurok.geometry.grasp`).
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from neurok.errors import InputError, OptionError, unknown
from neurok.materials.library import MaterialLibrary, load_library
from neurok.materials.part_properties import PartProperties
from neurok.materials.quantities import check_quantity
from neurok.mechanics.checks import check_finite, check_listed, check_positive, check_window
from neurok.mechanics.places import Place, Vector, check_place, require_point
from neurok.mechanics.plain import from_plain, to_plain

if TYPE_CHECKING:
    from neurok.geometry.mesh import Mesh

OBSTACLES = ("plane", "sphere", "box")
INTEGRATORS = ("euler", "rk4", "midpoint")
BASES = ("fixed", "free")
DEFAULT_FRICTION = 0.5
DEFAULT_DENSITY = 500.0  # kg/m^3, about that of wood: what an object weighs when nobody says


@dataclass(frozen=True)
class Pull:
    """Hold a point and move it, between two times, then let go.

    One of: by (a straight line), to (a straight line to a place), path (rows of t, x, y, z: absolute places).
    end defaults to the path's last time, or to a third of the whole time after the start.
    """

    point: Place
    by: Vector | None = None
    to: Vector | None = None
    path: tuple[tuple[float, float, float, float], ...] = ()
    start: float = 0.0
    end: float | None = None

    def __post_init__(self) -> None:
        check_finite(self)
        check_place("pull", self.point)
        if sum((self.by is not None, self.to is not None, bool(self.path))) != 1:
            raise OptionError("a pull needs exactly one of by, to and path", "say where the point goes")
        times = [row[0] for row in self.path]
        if any(b <= a for a, b in zip(times, times[1:])):
            raise OptionError("the times of a pull's path do not increase", "sort them")
        check_window("pull", *self.find_window(3.0))

    def find_window(self, seconds: float) -> tuple[float, float]:
        """From when to when it acts [s], in a motion of so many seconds."""
        if not self.path:
            return self.start, self.start + seconds / 3 if self.end is None else self.end
        return max(self.start, self.path[0][0]), self.path[-1][0] if self.end is None else self.end


@dataclass(frozen=True)
class Push:
    """A force [N] on a point over a window of time [s]."""

    point: Place
    force: Vector
    start: float = 0.0
    end: float = 0.2

    def __post_init__(self) -> None:
        check_finite(self)
        check_place("push", self.point)
        check_window("push", self.start, self.end)


@dataclass(frozen=True)
class Velocity:
    """The velocity [file units / s] with which a point begins."""

    point: Place
    velocity: Vector

    def __post_init__(self) -> None:
        check_finite(self)
        check_place("velocity", self.point)


@dataclass(frozen=True)
class Start:
    """Begin with a point already displaced [file units]."""

    point: Place
    by: Vector

    def __post_init__(self) -> None:
        check_finite(self)
        check_place("start", self.point)


@dataclass(frozen=True)
class Pin:
    """A point that stays where it is."""

    point: Place

    def __post_init__(self) -> None:
        check_finite(self)
        check_place("pin", self.point)


@dataclass(frozen=True)
class Obstacle:
    """A fixed body to collide with: plane (point, normal), sphere (point, radius), box (point, size: full edges)."""

    kind: str
    point: Vector
    normal: Vector | None = None
    radius: float | None = None
    size: Vector | None = None
    friction: float | None = None  # the object's own where None

    def __post_init__(self) -> None:
        check_finite(self)
        if self.kind not in OBSTACLES:
            raise unknown("obstacle", self.kind, OBSTACLES)
        needed = {"plane": ("normal", self.normal), "sphere": ("radius", self.radius), "box": ("size", self.size)}
        name, value = needed[self.kind]
        if value is None:
            raise OptionError(f"a {self.kind} needs its {name}", "add it")
        if self.kind == "plane" and self.normal is not None and not any(self.normal):
            raise OptionError("the normal of a plane is zero", "give the direction that points out of the ground")
        if self.kind == "sphere" and self.radius is not None:
            check_positive("radius", self.radius)
        if self.kind == "box" and self.size is not None:
            for edge in self.size:
                check_positive("box size", edge)
        if self.friction is not None:
            check_positive("the friction of an obstacle", self.friction, zero=True)


# What each list of the conditions holds.
LISTED = {
    "pulls": Pull, "pushes": Push, "starts": Start, "velocities": Velocity, "pins": Pin, "obstacles": Obstacle,
}  # fmt: skip


@dataclass(frozen=True)
class Conditions:
    """Everything that drives a motion.

    state, rates: the coordinates with which the object begins and how fast they change [1/s], [k] each, as a
        viewer or a fit found them; instead of starts and velocities.
    gravity: [m/s^2]; None means none, or 9.81 downwards where the object can fall (ground, or a free base).
    wind: velocity of the air [m/s].
    ground: a floor below the object at rest; ground_height [file units] puts it elsewhere.
    stiffness: pull back to rest; 1 makes each coordinate swing at about one hertz, 0 none;
        None means 1, or 0 where gravity acts on joints.
    damping: rate at which motion dies out [1/s].
    friction, density: of the whole object; where they are as usual, those of its material hold.
    restitution: rebound over impact speed; None means that of the material of what is rigid, else 0.
    mass: of the whole object [kg], else density x volume (or shell, for open surfaces).
    material: what the object is made of, where no part says more. deforms: whether it does where that is elastic.
    materials: a TOML file with further materials.
    limits: whether the joints' limits (or the edge of the learned space) hold.
    self_contact: whether rigid parts of the object meet each other.
    integrator: euler, rk4 or midpoint. base: fixed or free (falls, slides, tumbles).
    """

    pulls: tuple[Pull, ...] = ()
    pushes: tuple[Push, ...] = ()
    starts: tuple[Start, ...] = ()
    velocities: tuple[Velocity, ...] = ()
    state: tuple[float, ...] = ()
    rates: tuple[float, ...] = ()
    pins: tuple[Pin, ...] = ()
    gravity: Vector | None = None
    wind: Vector = (0.0, 0.0, 0.0)
    ground: bool = False
    ground_height: float | None = None
    obstacles: tuple[Obstacle, ...] = ()
    stiffness: float | None = None
    damping: float = 0.5
    friction: float = DEFAULT_FRICTION
    restitution: float | None = None
    density: float = DEFAULT_DENSITY
    mass: float | None = None
    material: str | None = None
    deforms: bool = True
    materials: str | None = None
    parts: Mapping[str, PartProperties] = field(default_factory=dict)
    limits: bool = True
    self_contact: bool = True
    seconds: float = 3.0
    fps: float = 30.0
    dt: float = 1.0 / 240.0
    integrator: str = "midpoint"
    base: str = "fixed"
    seed: int = 0

    def __post_init__(self) -> None:
        for name, kind in LISTED.items():
            check_listed(name, getattr(self, name), kind)
        check_finite(self)
        bounds = {"seconds": 3600, "fps": 1000, "dt": 0.1, "density": math.inf, "mass": math.inf}
        for name, maximum in bounds.items():
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name), maximum=maximum)
        check_positive("seed", self.seed, zero=True)
        for name in ("damping", "friction", "stiffness"):
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name), zero=True)
        if self.ground_height is not None and not math.isfinite(self.ground_height):
            raise OptionError(f"the height of the ground is {self.ground_height:g}", "give a finite number")
        if self.seconds / self.dt > 1e7:
            problem = f"{self.seconds:g} s at dt {self.dt:g} s are too many steps"
            raise OptionError(problem, "take fewer seconds or a larger dt")
        if self.seconds * self.fps > 1e6:
            problem = f"{self.seconds:g} s at {self.fps:g} fps are too many frames"
            raise OptionError(problem, "take fewer seconds or frames")
        for name, known in (("integrator", INTEGRATORS), ("base", BASES)):
            if getattr(self, name) not in known:
                raise unknown(name, getattr(self, name), known)
        for name, other in (("state", "starts"), ("rates", "velocities")):
            if getattr(self, name) and getattr(self, other):
                raise OptionError(f"the conditions have both {name} and {other}", "give one of them")
        if self.restitution is not None:
            check_quantity("restitution", self.restitution, "of the object")
        for part, properties in self.parts.items():
            properties.check(part)
        if self.material or self.materials or any(part.material for part in self.parts.values()):
            library = self.load_library()
            self.whole.resolve(library, "the whole")
            for part, properties in self.parts.items():
                properties.resolve(library, part)

    def load_library(self) -> MaterialLibrary:
        """The materials that these conditions speak of."""
        return load_library(self.materials)

    def state_materials(self, mesh: "Mesh") -> "Mesh":
        """The mesh whose parts carry what these conditions state of their materials, for a file."""
        if not self.parts and self.whole == PartProperties():
            return mesh
        from neurok.materials.stated_parts import state_parts  # needs numpy, which conditions alone do not

        return state_parts(mesh, self.parts, self.whole, self.load_library())

    def add_materials(self, parts: Mapping[str, PartProperties], whole: PartProperties) -> "Conditions":
        """With the materials of parts, in place of what is stated of these, and of the whole if that has one."""
        found = replace(self, parts={**self.parts, **parts}) if parts else self
        if whole.material is None:
            return found
        return replace(found, material=whole.material, deforms=whole.deforms is not False)

    @property
    def whole(self) -> PartProperties:
        """What is stated of the object where no part says more."""
        return PartProperties(
            material=self.material,
            density=None if self.density == DEFAULT_DENSITY else self.density,
            friction=None if self.friction == DEFAULT_FRICTION else self.friction,
            restitution=self.restitution,
            deforms=None if self.deforms else False,
        )

    @property
    def is_silent(self) -> bool:
        """Whether nothing at all was asked for, so that one sampled state is released."""
        asked = (self.pulls, self.pushes, self.starts, self.velocities, self.state, self.rates, self.ground)
        return not any(asked) and not any(self.wind) and self.gravity is None and self.base == "fixed"

    @property
    def place_names(self) -> tuple[str, ...]:
        """The names of parts that stand for points, each once."""
        groups: tuple[Iterable[Pull | Push | Start | Velocity | Pin], ...]
        groups = (self.pulls, self.pushes, self.starts, self.velocities, self.pins)
        places = [one.point for group in groups for one in group]
        return tuple(dict.fromkeys(place for place in places if isinstance(place, str)))

    def locate(self, find: Callable[[str], Vector]) -> "Conditions":
        """The same conditions with a point for every name; find: the point of a name."""
        found = {name: find(name) for name in self.place_names}
        if not found:
            return self
        return replace(
            self,
            pulls=_locate_names(self.pulls, found),
            pushes=_locate_names(self.pushes, found),
            starts=_locate_names(self.starts, found),
            velocities=_locate_names(self.velocities, found),
            pins=_locate_names(self.pins, found),
        )

    def translate(self, by: Iterable[float], up: Iterable[float]) -> "Conditions":
        """The same conditions for an object moved as a whole by a vector [file units], [3]; up: unit vector [3]."""
        x, y, z = (float(a) for a in by)
        height = self.ground_height
        if height is not None:
            height += sum(a * float(b) for a, b in zip((x, y, z), up))
        return replace(
            self,
            pulls=tuple(_translate_pull(pull, (x, y, z)) for pull in self.pulls),
            pushes=_translate_points(self.pushes, (x, y, z)),
            starts=_translate_points(self.starts, (x, y, z)),
            velocities=_translate_points(self.velocities, (x, y, z)),
            pins=_translate_points(self.pins, (x, y, z)),
            obstacles=_translate_points(self.obstacles, (x, y, z)),
            ground_height=height,
        )

    def to_json(self) -> str:
        """All fields that differ from their defaults, as a JSON object."""
        return json.dumps(to_plain(self), indent=2) + "\n"

    @staticmethod
    def from_json(text: str) -> "Conditions":
        """Read what `to_json` wrote, or a person did; unknown keys are errors."""
        try:
            data = json.loads(text, object_pairs_hook=_refuse_twins)
        except (json.JSONDecodeError, RecursionError) as fault:
            raise InputError(f"the conditions are not valid JSON ({fault})", "check commas and quotes") from None
        return from_plain(Conditions, data, "conditions")

    @staticmethod
    def load(path: str | Path) -> "Conditions":
        try:
            text = Path(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise InputError(f"there is no file {path}", "check the path of the conditions") from None
        except OSError as fault:
            raise InputError(f"the conditions {path} cannot be read ({fault.strerror})", "check the path") from None
        except UnicodeDecodeError:
            raise InputError(f"the conditions {path} are not text", "give a JSON file") from None
        except ValueError:  # a name with a zero byte
            raise InputError("the path of the conditions is no file name", "check the path") from None
        return Conditions.from_json(text)


def _refuse_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object, each of whose keys stands once: of two, JSON would silently keep the last."""
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"the conditions have '{key[:60]}' twice in one place", "keep one of them")
        found[key] = value
    return found


Placed = TypeVar("Placed", Push, Start, Velocity, Pin, Obstacle)
Named = TypeVar("Named", Pull, Push, Start, Velocity, Pin)


def _locate_names(placed: tuple[Named, ...], found: Mapping[str, Vector]) -> tuple[Named, ...]:
    return tuple(replace(one, point=found[one.point]) if isinstance(one.point, str) else one for one in placed)


def _translate_points(placed: tuple[Placed, ...], by: Vector) -> tuple[Placed, ...]:
    return tuple(replace(one, point=_add(require_point(one.point), by)) for one in placed)


def _translate_pull(pull: Pull, by: Vector) -> Pull:
    to = None if pull.to is None else _add(pull.to, by)
    path = tuple((t, *_add((x, y, z), by)) for t, x, y, z in pull.path)
    return replace(pull, point=_add(require_point(pull.point), by), to=to, path=path)


def _add(place: Vector, by: Vector) -> Vector:
    return float(place[0]) + by[0], float(place[1]) + by[1], float(place[2]) + by[2]
