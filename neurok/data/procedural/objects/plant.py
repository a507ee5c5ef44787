"""A potted plant whose stems and leaves bend."""

import numpy as np

from neurok.data.procedural.fittings import rim
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, rotate
from neurok.data.procedural.shapes import ball, curve, fillet, lathe, ribbon
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def draw(kit: Kit) -> None:
    radius, height = kit.between(0.07, 0.13, name="radius"), kit.between(0.12, 0.2, name="height")
    _pot(kit, radius, height)
    count = kit.count(5, 9, name="leaves")
    length, broad = kit.between(0.25, 0.5, name="length"), kit.between(0.035, 0.07, name="breadth")
    droop, green = kit.between(0.2, 0.7, name="droop"), kit.material("leaf", name="green")
    step = next(s for s in (3, 2, 5) if np.gcd(s, count) == 1)  # neighbours about the stem are no neighbours in age
    for i in range(count):
        turn = 360.0 / count * (i * step + kit.between(-0.12, 0.12, name="turn share"))
        share = 1.0 - 0.5 * i / count  # outer leaves are long and lie low, inner ones stand
        leaf, path = _leaf(
            length * (0.7 + 0.3 * share) * kit.between(0.9, 1.1, name="leaf and path share"),
            broad,
            droop * share,
            height,
        )
        leaf, path = rotate(leaf, "z", turn), _turned(path, turn)
        outward = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn)), 0.0])
        axis = np.cross((0.0, 0.0, 1.0), outward)  # bends down where the angle grows
        lower = -min(14.0, 2.0 + 12 * droop * share)  # not past upright, where it would meet the others
        kit.bend(
            f"leaf_{i + 1}",
            "pot",
            paint(green, leaf, parts="leaf"),
            path,
            axis=axis,
            lower=lower,
            upper=kit.between(10, 18, name="pot opens to"),
        )


def _pot(kit: Kit, radius: float, height: float) -> None:
    foot, wall = radius * kit.between(0.6, 0.85, name="pot foot share"), 0.1 * radius
    belly = kit.between(0.0, 0.25, name="pot belly share") * radius
    outer = curve(np.array([[foot, 0], [(foot + radius) / 2 + belly, 0.5 * height], [radius, height]]), 9)
    profile = np.concatenate(
        [[[0, 0]], outer, [[radius - wall, height], [radius - 1.2 * wall, 0.88 * height], [0, 0.86 * height]]]
    )
    pieces = [
        paint(
            kit.material("clay", "ceramic", "plastic", name="pot pieces"),
            lathe(fillet(profile, 0.3 * wall, steps=2)),
            rim(radius, 0.8 * wall, height - 0.5 * wall),
        )
    ]
    soil = ball((radius - 1.1 * wall, radius - 1.1 * wall, 0.12 * height), (0, 0, 0.84 * height))
    kit.link("pot", *pieces, paint(kit.material("earth", name="pot soil"), soil, parts="soil"))


def _leaf(length: float, broad: float, droop: float, height: float) -> tuple[Mesh, Array]:
    """A leaf that grows up out of the soil and arches over towards +x, and its midline."""
    t = np.linspace(0.0, 1.0, 14)
    lean = np.radians(12 + 75 * droop) + t * np.radians(20 + 90 * droop)
    steps = length / 13 * np.stack([np.sin(lean), 0 * t, np.cos(lean)], axis=1)
    path = np.concatenate([[[0.015, 0.0, 0.9 * height]], [0.015, 0.0, 0.9 * height] + np.cumsum(steps[:-1], axis=0)])
    widths = broad * (0.16 + 1.6 * t**0.8 * (1 - t) ** 0.6 / 0.62) * (1 - 0.93 * t**6)
    return ribbon(path, widths, 0.006, "y"), path


def _turned(path: Array, degrees: float) -> Array:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return path @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
