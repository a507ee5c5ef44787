"""What the page and the server say to each other; `typescript` makes the page's types from these classes.

Places and directions are on the stage (see `neurok.files.stage`): y is up, the object's diagonal is one.
The page says JSON, {"type": class, ...}; the server answers in packets (see `neurok.files.packets`).
"""

import json
from dataclasses import dataclass, fields
from typing import Any

from neurok.errors import InputError
from neurok.files.clips import Clip
from neurok.files.packets import Bytes, Floats, Shorts
from neurok.files.scenery import Scenery
from neurok.mechanics.plain import from_plain

Vector = tuple[float, float, float]

# ---------------------------------------------------------------- from the page


@dataclass(frozen=True)
class Grab:
    """Take hold of a point: a drawn triangle and the weights of its corners; it stays where it is."""

    handle: int
    triangle: int
    weights: Vector


@dataclass(frozen=True)
class Move:
    """Bring a held point to a place; the answer carries the stamp."""

    handle: int
    place: Vector
    stamp: int


@dataclass(frozen=True)
class Release:
    """Let a point go with the velocity of the hand [diagonals/s]."""

    handle: int
    velocity: Vector


@dataclass(frozen=True)
class SetCoordinate:
    """One coordinate of the state."""

    index: int
    value: float
    stamp: int


@dataclass(frozen=True)
class Settings:
    """What acts while time runs: gravity [m/s^2], wind [m/s] towards an angle [degrees], and the object's own.

    The wind blows to the right at 0 degrees, to the rear at 90.
    """

    gravity: float = 0.0
    wind: float = 0.0
    wind_angle: float = 0.0
    ground: bool = False
    free: bool = False
    stiffness: float = 0.0
    damping: float = 0.5


@dataclass(frozen=True)
class PushPoint:
    """A short push on a point, in a direction; a strength of one sets the object moving at a good pace."""

    triangle: int
    weights: Vector
    direction: Vector
    strength: float


@dataclass(frozen=True)
class Run:
    """Let time run from the present state."""


@dataclass(frozen=True)
class Pause:
    """Stop time; running on continues the same take."""


@dataclass(frozen=True)
class StepOnce:
    """One frame further."""


@dataclass(frozen=True)
class Reset:
    """Back to rest; nothing held, nothing recorded."""


@dataclass(frozen=True)
class Seek:
    """Make a recorded frame the present state."""

    frame: int


@dataclass(frozen=True)
class Surprise:
    """Show a few plausible states and go to the first."""


@dataclass(frozen=True)
class Choose:
    """Go to one of the states shown."""

    index: int


@dataclass(frozen=True)
class ShowRegion:
    """Which part of the object a coordinate moves."""

    index: int


@dataclass(frozen=True)
class DragIt:
    """Take the shape of a recorded motion and find out how it can be moved."""


@dataclass(frozen=True)
class TurnUpright:
    """Another axis of the file points up: 'x', 'y' or 'z'."""

    up: str


FROM_PAGE = (Grab, Move, Release, SetCoordinate, Settings, PushPoint, Run, Pause, StepOnce, Reset, Seek, Surprise,
             Choose, ShowRegion, DragIt, TurnUpright)  # fmt: skip

# ---------------------------------------------------------------- from the server


@dataclass(frozen=True)
class Coordinate:
    """A slider: its name, the region it moves most, its range, and what its numbers are ('°', ' cm', ' %').

    shown: whether it moves the object enough to be worth a slider.
    """

    name: str
    moves: str
    shown: bool
    lower: float
    upper: float
    unit: str
    factor: float


@dataclass(frozen=True)
class Thing:
    """A new object: how it looks and what can be done with it.

    bones: how many bones carry it; 0 where vertices themselves are sent. joints, weights: [n, width] each.
    movable: whether it can be dragged; a file with a recorded motion is only played.
    token: names this session in uploads and downloads. metres: what the stage's unit is. up: the file's upward axis.
    """

    token: str
    title: str
    facts: str
    metres: float
    movable: bool
    up: str
    coordinates: tuple[Coordinate, ...]
    settings: Settings
    bones: int
    width: int
    scenery: Scenery
    joints: Shorts
    weights: Floats


@dataclass(frozen=True)
class HandlePlace:
    """Where a held point is now."""

    handle: int
    place: Vector


@dataclass(frozen=True)
class Pose:
    """The object now: the bones' motions [b, 3, 4], or the vertices [n, 3].

    frame: its number in the take that is being recorded, -1 where nothing is. energy: kinetic, potential [J].
    """

    stamp: int
    frame: int
    time: float
    coordinates: tuple[float, ...]
    energy: tuple[float, float]
    handles: tuple[HandlePlace, ...]
    shape: Floats


@dataclass(frozen=True)
class Take:
    """What has been recorded: nothing (0), or so many frames; a page throws away those beyond."""

    frames: int
    fps: float
    running: bool


@dataclass(frozen=True)
class Choices:
    """States to choose from, each as in a pose, one after another."""

    count: int
    chosen: int
    shapes: Floats


@dataclass(frozen=True)
class Region:
    """How much a coordinate moves each vertex, [n], 255 at most."""

    index: int
    heat: Bytes


@dataclass(frozen=True)
class Say:
    """A sentence for the status line; a fault stays until the next one."""

    text: str
    fault: bool


FROM_SERVER = (Thing, Pose, Take, Clip, Choices, Region, Say)

_KNOWN = {kind.__name__: kind for kind in FROM_PAGE}

LARGEST = 1e6  # of all numbers a page may mean: places and speeds in diagonals, angles, forces
LONGEST = 1 << 31  # of all whole numbers
# What the settings may be: beyond these nothing but overflow is simulated.
BOUNDS = {"gravity": 1e3, "wind": 1e3, "wind_angle": 1e6, "stiffness": 1e4, "damping": 1e4}


def understand(text: str) -> Any:
    """A message of the page; an InputError where it is none."""
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise InputError("the page sent something that is not JSON", "reload the page") from None
    name = data.pop("type", None) if isinstance(data, dict) else None
    if not isinstance(name, str) or name not in _KNOWN:
        raise InputError("the page sent an unknown message", "reload the page")
    message = from_plain(_KNOWN[name], data, name)
    for item in fields(message):
        _bound(item.name, getattr(message, item.name))
    if isinstance(message, Settings):
        for key, most in BOUNDS.items():
            if not 0.0 <= getattr(message, key) <= most:
                raise InputError(f"{key} is {getattr(message, key):g}", f"choose it between 0 and {most:g}")
    return message


def _bound(name: str, value: Any) -> None:
    """Numbers that no hand can mean are refused here, before anything is computed with them."""
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, float) and not abs(number) <= LARGEST:
            raise InputError(f"the page sent {number:g} for {name}", f"stay within {LARGEST:g}")
        if isinstance(number, int) and abs(number) > LONGEST:
            raise InputError(f"the page sent a number of {len(str(number))} digits for {name}", "reload the page")


def _refuse(constant: str) -> None:
    """Numbers that are none: JSON does not have them, Python's reader does."""
    raise InputError(f"the page sent {constant} for a number", "reload the page")
