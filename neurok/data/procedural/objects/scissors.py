"""Scissors: two blades with finger rings that cross at a screw."""

import numpy as np

from neurok.data.procedural.fittings import screw_head
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import mirror, paint, rotate, translate
from neurok.data.procedural.shapes import fillet, plate, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def draw(kit: Kit) -> None:
    blade = kit.between(0.06, 0.13, name="blade")
    grip = blade * kit.between(0.55, 0.95, name="grip share") + 0.02  # from the screw to the far end of the rings
    broad, thick = kit.between(0.012, 0.02, name="breadth"), kit.between(0.002, 0.003, name="thickness")
    tip = kit.pick("pointed", "pointed", "clipped", "round", name="tip")
    widest = kit.between(40, 75, name="widest")
    rest = 0.0 if kit.chance(0.2, name="shut") else kit.between(18, 40, name="rest")
    steel = kit.material("metal", "metal", "dark_metal", name="steel")
    hold = (
        kit.material("plastic", "black", "plastic", name="hold")
        if kit.chance(0.8, name="contrasting handles")
        else steel
    )
    bow, slim = (
        kit.between(0.13, 0.17, name="bow share") * blade + 0.003,
        kit.between(0.0028, 0.0045, name="slim share") + 0.5 * thick,
    )
    long = (
        kit.between(1.1, 1.7, name="length share"),
        kit.between(1.1, 1.7, name="length share") if kit.chance(0.5, name="long handles") else None,
    )
    height = grip + slim + 0.001
    pivot = np.array([0.0, 0.0, height])
    flat = kit.chance(0.15, name="flat handles")

    def place(mesh: Mesh) -> Mesh:
        """Standing on its rings, or laid down on its side."""
        return translate(rotate(mesh, "x", 90), 0.0, height, slim) if flat else mesh

    halves = []
    for side in (1, -1):  # the half whose ring is at +x, then the other, in front of it
        stretch = long[0] if side == 1 or long[1] is None else long[1]
        edge = _blade(blade, broad, tip) * (side, 1)
        shank, ring = _grip(grip, broad, bow, slim, min(stretch, 0.48 * grip / bow))
        metal = [translate(plate(edge, thick, plane="xz"), 0, side * 0.53 * thick, height)]
        metal.append(translate(plate(shank * (side, 1), thick, plane="xz"), 0, side * 0.53 * thick, height))
        ring = translate(ring if side == 1 else mirror(ring), 0, 0, height)
        halves.append([paint(steel, metal, parts="metal"), paint(hold, ring, parts="ring")])
    radius = 0.24 * broad
    bolt = [
        rod(pivot - (0, 1.2 * thick, 0), pivot + (0, 1.2 * thick, 0), radius),
        screw_head(pivot - (0, 1.1 * thick, 0), "-y", 1.2 * radius),
    ]
    halves[0].append(paint(kit.material("metal", "brass", "dark_metal", name="bolt"), bolt, parts="bolt"))
    # Turning about +y carries a ring at +x down and inwards: the halves open by turning against each other.
    kit.link("left", *(place(rotate(piece, "-y", 0.5 * rest, pivot)) for piece in halves[0]))
    kit.link("right", *(place(rotate(piece, "y", 0.5 * rest, pivot)) for piece in halves[1]))
    at, axis = ((0.0, 0.0, slim), "z") if flat else (pivot, "y")
    kit.hinge("left", "right", at=at, axis=axis, lower=-rest, upper=widest - rest)


def _blade(length: float, broad: float, tip: str) -> Array:
    """The outline of the blade of the half whose ring is at +x: its back towards -x, [p, 2]."""
    w = broad
    ends = {
        "pointed": [[-0.12 * w, length], [0.06 * w, length]],
        "clipped": [[-0.42 * w, 0.86 * length], [0.05 * w, length]],
        "round": [[-0.38 * w, 0.98 * length], [-0.1 * w, length], [0.1 * w, 0.95 * length]],
    }
    back = [[-0.5 * w, 0.6 * length], [-0.55 * w, 0.0]]
    return fillet(
        np.array([[-0.3 * w, -0.6 * w], [0.4 * w, -0.6 * w], [0.45 * w, 0.1 * w], *ends[tip][::-1], *back]),
        0.25 * w,
        closed=True,
        steps=3,
    )


def _grip(length: float, broad: float, bow: float, slim: float, stretch: float) -> tuple[Array, Mesh]:
    """The outline of the shank from the screw down to the ring at +x, [p, 2], and the ring, about the screw."""
    tall = bow * stretch
    centre = np.array([bow + slim + 0.002, -length + tall])
    top = centre + (0.1 * bow, 0.95 * tall)
    shank = np.array(
        [
            [-0.3 * broad, 0.0],
            [0.4 * broad, 0.0],
            top + (0.3 * broad, 0.0),
            top + (0.2 * broad, -2 * slim),
            top + (-0.3 * broad, 0.0),
        ]
    )
    angle = 2 * np.pi * np.arange(28) / 28
    loop = np.stack([centre[0] + bow * np.cos(angle), 0 * angle, centre[1] + tall * np.sin(angle)], axis=1)
    return shank, tube(loop, slim, closed=True, sides=12)
