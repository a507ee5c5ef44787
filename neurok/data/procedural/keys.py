"""Keys and knobs of appliances: pressed into a collar on a surface, or turned on it."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, direction, paint
from neurok.data.procedural.shapes import block, pipe, rod
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material


def collared_key(
    kit: Kit, parent: str, name: str, at: Vector, out: str | Vector, *, key: tuple[float, float, float],
    collar: tuple[float, float, float, float], colors: tuple[Material, Material], travel: float,
    sides: tuple[int, int] = (20, 16),
) -> None:  # fmt: skip
    """A round key that is pressed into a collar on its parent.

    key: its radius, and between which heights above the surface it lies [m]; collar: so too, but its wall after its
    radius; colors and sides: the collar's, then the key's.
    """
    up, spot = direction(out), np.asarray(at, dtype=np.float64)
    (radius, low, high), (rim, wall, foot, top) = key, collar
    ring = pipe(spot + foot * up, spot + top * up, rim, wall, sides=sides[0])
    kit.meshes[parent].append(paint(colors[0], ring, parts="ring"))
    kit.link(name, paint(colors[1], rod(spot + low * up, spot + high * up, radius, sides=sides[1])))
    kit.slide(parent, name, axis=-up, upper=travel)


def front_knob(
    kit: Kit, parent: str, name: str, at: Array, radius: float, *, long: float, taper: float,
    mark: tuple[float, float, float], lift: tuple[float, float], colors: tuple[Material, Material], sides: int,
) -> None:  # fmt: skip
    """A knob on a front that looks to -y, with a mark of this size, so far out and up from the middle; it spins."""
    cap = rod(at + (0, 0.004, 0), at - (0, long, 0), radius, end_radius=taper * radius, sides=sides)
    kit.link(
        name, paint(colors[0], cap, parts="cap"), paint(colors[1], block(mark, at + (0, -lift[0], lift[1]), round=0))
    )
    kit.spin(parent, name, at=at, axis="-y")
