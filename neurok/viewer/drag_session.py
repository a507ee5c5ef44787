"""DragSession: the points that are held, and the state that follows them while time stands."""

import numpy as np

from neurok.errors import InputError
from neurok.geometry.arrays import Array
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.drag import Drag

MAX_HANDLES = 16


class DragSession:
    """The state of one space while time stands, and the points that are held, also while time runs.

    points: the held points by the numbers of their drag handles. rates: how fast the coordinates change once time
    runs, [k].
    """

    def __init__(self, space: Kinematics, q: Array, rates: Array | None = None) -> None:
        self.space = space
        self.points: dict[int, SurfacePoints] = {}
        self.solver = Drag(space, q)
        self.rates = np.zeros(space.size) if rates is None else rates

    @property
    def q(self) -> Array:
        """The state, [k]."""
        return self.solver.q

    def add_point(self, number: int, point: SurfacePoints) -> None:
        """Note that a point is held; `hold` it as well where time stands."""
        self.points[number] = point

    def remove_point(self, number: int) -> SurfacePoints | None:
        """Note that a point is no longer held; `release` it as well where time stands. None where it was not held."""
        return self.points.pop(number, None)

    def check_room(self) -> None:
        """An InputError where no further point can be held."""
        if len(self.points) >= MAX_HANDLES:
            raise InputError(f"{MAX_HANDLES} points are held already", "release one first (Esc releases all)")

    def hold(self, number: int) -> None:
        """Hold a point of `points` where it is now."""
        self.solver.hold(number, self.points[number])

    def release(self, number: int) -> None:
        """Let a point go; the state stays."""
        self.solver.release(number)

    def move(self, number: int, target: Array) -> None:
        """Bring a held point to a target [unit], [3]; what is dragged has no speed."""
        self.rates = np.zeros(self.space.size)
        self.solver.move(number, target)

    def set_state(self, q: Array) -> None:
        """Go to a state, [k], and from there as little as the held points demand."""
        self.solver.put(q)

    def resume(self, q: Array, targets: dict[int, Array]) -> None:
        """Go on from a state [k] at rest, in which held points have targets [unit], [3] each."""
        self.solver = Drag(self.space, q)
        self.rates = np.zeros(self.space.size)
        for number, target in targets.items():
            self.solver.hold(number, self.points[number], target)
