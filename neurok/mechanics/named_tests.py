"""Five tests of what a thing is made of: drop, throw, tilt, drag and wind, as conditions that fit its size.

They are those of SOPHY (Cao and Kalogerakis): a person who sees the five motions can tell what moved. With L the
diagonal of the object's box [m] and g gravity:

    drop    from L / 2 above the ground
    throw   up and forwards, so that it rises by 0.4 L and flies about L, turning once about in a second and a half
    tilt    on a ground that leans by 30 degrees, which is to say that gravity does
    drag    the point farthest from the middle of the ground is drawn aside by L / 2 in a second, and let go
    wind    12 m/s, a strong breeze (Beaufort 6)
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.mechanics.conditions import Conditions, Pull, Velocity
from neurok.mechanics.places import Vector
from neurok.mechanics.springs import EARTH_GRAVITY

SECONDS = 2.0
DROP_HEIGHT = 0.5  # diagonals
THROW_RISE, THROW_WIDTH = 0.4, 1.0  # diagonals
THROW_SPIN = 2 * np.pi / 1.5  # [rad/s]
THROWN_POINTS = 64  # that are given a speed: more than a body has vibrations
TILT = np.radians(30.0)  # between the friction angles of wood on wood (24 degrees) and of rubber (40 degrees)
DRAG_WAY, DRAG_SECONDS = 0.5, 1.0  # diagonals, s
WIND_SPEED = 12.0  # m/s
STEPS_OF_A_FALL = 16  # of the time in which something falls half its size: what is small needs smaller steps
DAMPING = 0.02  # of the motion as a whole [1/s]: a fall of a second is slower by a hundredth


def build_test(name: str, mesh: Mesh, base: Conditions | None = None) -> Conditions:
    """The conditions of a test for an object of this mesh; base: what else holds, materials among it."""
    frame = _Frame(mesh)
    conditions = replace(
        base or Conditions(), seconds=SECONDS, damping=DAMPING, base="free", ground=True, gravity=frame.gravity
    )
    fall = float(np.sqrt(frame.size / frame.g))
    return TESTS[name](frame, replace(conditions, dt=min(conditions.dt, fall / STEPS_OF_A_FALL)))


class _Frame:
    """Where is up and ahead, and how large things are, in the axes and units of the file."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh, self.up, self.size = mesh, mesh.up_axis, mesh.diagonal
        level = [axis for axis in np.eye(3) if abs(axis @ self.up) < 0.5]
        extent = np.ptp(mesh.vertices, axis=0)
        # Ahead is along the narrower side, so that what is thrown turns and what is tilted may topple.
        self.ahead = min(level, key=lambda axis: float(extent @ axis))
        self.gravity = _to_vector(-EARTH_GRAVITY * self.up)
        self.g = EARTH_GRAVITY / mesh.unit  # [file units / s^2]
        self.lowest = float((mesh.vertices @ self.up).min())

    def set_ground(self, conditions: Conditions, clearance: float) -> Conditions:
        """The ground so far below the object [file units]."""
        return replace(conditions, ground_height=self.lowest - clearance)


def _drop(frame: _Frame, conditions: Conditions) -> Conditions:
    return frame.set_ground(conditions, DROP_HEIGHT * frame.size)


def _throw(frame: _Frame, conditions: Conditions) -> Conditions:
    """The velocities of its outermost points, and of others all over it, are those of a rigid body that rises and
    turns: few alone would be plucked out of what is soft."""
    rise = np.sqrt(2 * frame.g * THROW_RISE * frame.size)
    flight = 2 * rise / frame.g
    v = rise * frame.up + THROW_WIDTH * frame.size / flight * frame.ahead
    w = THROW_SPIN * np.cross(frame.up, frame.ahead)
    x = frame.mesh.vertices
    outermost = np.unique([pick(x[:, axis]) for axis in range(3) for pick in (np.argmin, np.argmax)])
    chosen = np.union1d(outermost, np.linspace(0, len(x) - 1, THROWN_POINTS).astype(int))
    middle = frame.mesh.bounds.mean(axis=0)
    velocities = tuple(Velocity(_to_vector(p), _to_vector(v + np.cross(w, p - middle))) for p in x[chosen])
    return frame.set_ground(replace(conditions, velocities=velocities), 0.1 * frame.size)


def _tilt(frame: _Frame, conditions: Conditions) -> Conditions:
    lean = -np.cos(TILT) * frame.up + np.sin(TILT) * frame.ahead
    return replace(conditions, gravity=_to_vector(EARTH_GRAVITY * lean))


def _drag(frame: _Frame, conditions: Conditions) -> Conditions:
    x = frame.mesh.vertices
    foot = frame.mesh.bounds.mean(axis=0)
    foot = foot + (frame.lowest - foot @ frame.up) * frame.up
    point = x[int(np.argmax(np.linalg.norm(x - foot, axis=1)))]
    way = DRAG_WAY * frame.size * frame.ahead
    return replace(conditions, pulls=(Pull(_to_vector(point), by=_to_vector(way), end=DRAG_SECONDS),))


def _wind(frame: _Frame, conditions: Conditions) -> Conditions:
    return replace(conditions, wind=_to_vector(WIND_SPEED * frame.ahead))


def _to_vector(x: Array) -> Vector:
    return float(x[0]), float(x[1]), float(x[2])


TESTS: dict[str, Callable[[_Frame, Conditions], Conditions]] = {
    "drop": _drop, "throw": _throw, "tilt": _tilt, "drag": _drag, "wind": _wind,
}  # fmt: skip
