"""What the page and the server say to each other; `typescript` makes the page's types from these classes.

Places and directions are on the stage (see `neurok.files.stage`): y is up, the object's diagonal is one.
"""

from dataclasses import dataclass

from neurok.files.clips import Clip
from neurok.files.packets import Bytes, Floats, Shorts
from neurok.files.scenery import Scenery
from neurok.geometry.arrays import Array

Vector = tuple[float, float, float]


def to_vector(array: Array) -> Vector:
    """Three numbers of an array [3]."""
    x, y, z = map(float, array)
    return x, y, z


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
    """Let a point go with the velocity of the pointer [diagonals/s]."""

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
class RunMessage:
    """Let time run from the present state."""


@dataclass(frozen=True)
class Pause:
    """Stop time; running on continues the same recording."""


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


PageMessage = (
    Grab | Move | Release | SetCoordinate | Settings | PushPoint | RunMessage | Pause | StepOnce | Reset | Seek
    | Surprise | Choose | ShowRegion | DragIt | TurnUpright
)  # fmt: skip

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
class Bone:
    """A piece that moves as one: its name, how it moves in a word or two, and the joint that moves it ('' for none)."""

    name: str
    moves: str
    joint: str


@dataclass(frozen=True)
class Thing:
    """A new object: how it looks and what can be done with it.

    bones: how many bones carry it; 0 where vertices themselves are sent. joints, weights: [n, width] each.
    named: what the bones are called, where they are pieces that people would call something; else none.
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
    named: tuple[Bone, ...]
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
class PoseMessage:
    """The object now: the bones' motions [b, 3, 4], or the vertices [n, 3].

    frame: its number in the recording, -1 where nothing is recorded. energy: kinetic, potential [J].
    """

    stamp: int
    frame: int
    time: float
    coordinates: tuple[float, ...]
    energy: tuple[float, float]
    handles: tuple[HandlePlace, ...]
    shape: Floats


@dataclass(frozen=True)
class RecordingMessage:
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


ServerMessage = Thing | PoseMessage | RecordingMessage | Clip | Choices | Region | Say
