"""Spots: free rectangles on the faces of a body, each with a frame of its own, for mounts and ornaments to sit on.

In a spot's frame the face is the plane z = 0, its solid below and free space above; x and y run along the rectangle's
sides and its centre is the origin. Whatever keeps within the rectangle's column, at any height, keeps clear of the
mounts of all other spots of a convex body.
"""

from dataclasses import dataclass, replace

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, direction, paint
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


@dataclass(frozen=True)
class Spot:
    """A rectangle on a link's face. Lengths in metres."""

    link: str
    at: Array  # [3] its centre
    axes: Array  # [3, 3] rows: its x, y and z (the face's normal) in the object's frame
    width: float  # along x
    height: float  # along y
    fine: float  # the smallest gap or thickness that shows on this object
    tones: tuple[Material, ...]  # the object's colours
    room: float = 0.0  # depth of the hollow behind the rectangle; it is then the hollow's mouth
    alone: bool = False  # nothing else is mounted on this face: what stays above it may overhang

    @property
    def least(self) -> float:
        return min(self.width, self.height)

    @property
    def reach(self) -> float:
        """How far from the normal through its centre things may reach."""
        return 0.5 * (self.width + self.height) if self.alone else 0.49 * self.least

    # ------------------------------------------------------------ frame

    def point(self, x: float, y: float, z: float) -> Array:
        return self.at + np.array([x, y, z]) @ self.axes

    def way(self, axis: str | Vector) -> Array:
        return np.asarray(direction(axis) @ self.axes)

    def place(self, *pieces: Mesh | list[Mesh]) -> list[Mesh]:
        """Pieces given in the spot's frame, in the object's."""
        flat = [m for item in pieces for m in (item if isinstance(item, list) else [item])]
        return [m.with_vertices(m.vertices @ self.axes + self.at) for m in flat]

    def part_of(self, x: float, y: float, width: float, height: float) -> "Spot":
        """A smaller rectangle of it, centred at x, y."""
        alone = self.alone and max(width, height) > 0.8 * max(self.width, self.height)
        return replace(self, at=self.point(x, y, 0), width=width, height=height, alone=alone)

    def turn_quarters(self, quarters: int) -> "Spot":
        """The same rectangle, its frame turned about the normal by quarters."""
        c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarters % 4]
        turn = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]])
        sides = (self.width, self.height) if quarters % 2 == 0 else (self.height, self.width)
        return replace(self, axes=turn @ self.axes, width=sides[0], height=sides[1])

    def on(self, link: str, at: Vector, width: float, height: float) -> "Spot":
        """A rectangle on another link, parallel to this one, its centre given in this frame."""
        return replace(self, link=link, at=self.point(*at), width=width, height=height, room=0.0, alone=False)

    # ------------------------------------------------------------ links and joints, given in the spot's frame

    def rest(self, kit: Kit, tone: Material, *pieces: Mesh | list[Mesh]) -> None:
        """Pieces that are fixed to the spot's link."""
        kit.meshes[self.link].append(paint(tone, self.place(*pieces)))

    def part(self, kit: Kit, name: str, *groups: list[Mesh]) -> str:
        """A new link of groups of pieces, each in a colour of its own."""
        tones = [kit.pick(*self.tones, name="part tones") for _ in groups]
        return kit.link(name, *(paint(tone, self.place(group)) for tone, group in zip(tones, groups) if group))

    def hinge(
        self, kit: Kit, name: str, at: Vector, axis: str | Vector, lower: float, upper: float, parent: str | None = None
    ) -> None:  # fmt: skip
        kit.hinge(parent or self.link, name, at=self.point(*at), axis=self.way(axis), lower=lower, upper=upper)

    def slide(
        self, kit: Kit, name: str, axis: str | Vector, upper: float, lower: float = 0.0, parent: str | None = None
    ) -> None:  # fmt: skip
        kit.slide(parent or self.link, name, axis=self.way(axis), lower=lower, upper=upper)

    def spin(self, kit: Kit, name: str, at: Vector, axis: str | Vector = "z", parent: str | None = None) -> None:
        kit.spin(parent or self.link, name, at=self.point(*at), axis=self.way(axis))


def frame_towards(normal: Vector, up: Vector = (0.0, 0.0, 1.0)) -> Array:
    """Rows x, y, z of a right-handed frame whose z is the normal and whose y is as near to `up` as may be, [3, 3]."""
    z = direction(normal)
    up = np.asarray(up, dtype=np.float64)
    if np.linalg.norm(np.cross(up, z)) < 1e-6:
        up = np.array([0.0, 1.0, 0.0]) if abs(z[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
    x = direction(np.cross(up, z))
    return np.stack([x, np.cross(z, x), z])
