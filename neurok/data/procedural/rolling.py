"""Wheels on axles, castors and bent bars: what carts and trolleys share."""

from dataclasses import dataclass

import numpy as np

from neurok.data.procedural.fittings import wheel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, paint, repeat_around, rotate, translate
from neurok.data.procedural.shapes import block, fillet, hoop, plate, rod
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

CASTOR_HEIGHT = 2.45  # height of a castor's top plate, in radii of its wheel


@dataclass(frozen=True)
class WheelStyle:
    """What all wheels of a cart share; style: plain, bolts or spokes (their number in `count`)."""

    style: str
    count: int
    tyre: Material
    hub: Material


def draw_wheel_style(kit: Kit, *styles: str) -> WheelStyle:
    style = kit.pick(*styles, name="draw wheel style style")
    count = kit.count(5, 9, name="draw wheel style") if style == "spokes" else kit.count(3, 5, name="draw wheel style")
    return WheelStyle(
        style,
        count,
        kit.material("rubber", "black", name="draw wheel style wheelstyle"),
        kit.material("metal", "plastic", "white", "dark_metal", name="draw wheel style wheelstyle"),
    )


def add_wheel(
    kit: Kit,
    parent: str,
    name: str,
    radius: float,
    width: float,
    at: Vector,
    look: WheelStyle,
    axis: Vector = (1, 0, 0),
) -> None:
    """A wheel that spins on its parent's axle."""
    if look.style == "spokes":
        spoke = rod((0, 0, 0.1 * radius), (0, 0, 0.9 * radius), 0.06 * radius, round=0, sides=6)
        tyre: Mesh = hoop(radius - 0.4 * width, 0.4 * width, axis="x", segments=28)
        hub = [rod((-0.6 * width, 0, 0), (0.6 * width, 0, 0), 0.2 * radius), *repeat_around(spoke, look.count, "x")]
    else:
        tyre, disc = wheel(radius, width, (0, 0, 0), segments=16)
        bolt = rod((-0.42 * width, 0, 0.4 * radius), (0.42 * width, 0, 0.4 * radius), 0.08 * radius, sides=6)
        hub = [disc, *(repeat_around(bolt, look.count, "x") if look.style == "bolts" else [])]
    turn = np.degrees(np.arctan2(axis[1], axis[0]))
    pieces = [[translate(rotate(m, "z", turn), *at) for m in some] for some in ([tyre], hub)]
    kit.link(name, *(paint(color, some) for color, some in zip((look.tyre, look.hub), pieces)))
    kit.spin(parent, name, at=at, axis=axis)


def add_castors(
    kit: Kit,
    parent: str,
    spots: dict[str, tuple[float, float]],
    radius: float,
    steel: Material,
    *,
    fixed: tuple[str, ...] = (),
    heading: float = 0.0,
) -> None:
    """Wheels in forks under the spots: swivelling, or fixed. heading: degrees about z from rolling along y."""
    width, wheels = (
        kit.between(0.45, 0.7, name="add castors width share") * radius,
        draw_wheel_style(kit, "plain", "bolts", "bolts"),
    )
    trail = kit.between(0.4, 0.6, name="add castors trail share") * radius
    for name, (x, y) in spots.items():
        held = name in fixed
        back, top = (0.0 if held else trail), CASTOR_HEIGHT * radius
        half = 0.55 * width + 0.14 * radius
        cheek = np.array([[-0.35, 2.25], [0.4, 2.25], [0.25, 1.0], [0.0, 0.72], [-0.25, 1.0]]) * radius
        cheek[2:, 0] += back
        fork = [plate(cheek, 0.16 * radius, (s * half, 0, 0), "yz") for s in (-1, 1)]
        fork.append(block((2 * half + 0.16 * radius, 0.75 * radius, 0.14 * radius), (0, 0, 2.22 * radius)))
        fork.append(rod((0, 0, 2.2 * radius), (0, 0, top + 0.02 * radius), 0.42 * radius, sides=14))
        fork.append(rod((-1.25 * half, back, radius), (1.25 * half, back, radius), 0.14 * radius, sides=10))
        mount = block((1.3 * radius, 1.3 * radius, 0.1 * radius), (0, 0, top), round=0)
        place = [translate(rotate(m, "z", heading), x, y) for m in (*fork, mount)]
        kit.meshes[parent].append(paint(steel, place[-1], place[:-1] if held else [], parts="place, place"))
        holder = parent
        if not held:
            holder = kit.link(f"{name}_castor", paint(steel, place[:-1], parts="place"))
            kit.spin(parent, holder, at=(x, y, top), axis="z")
        c, s = np.cos(np.radians(heading)), np.sin(np.radians(heading))
        at = (x - back * s, y + back * c, radius)
        add_wheel(kit, holder, f"{name}_wheel", radius, width, at, wheels, (c, s, 0))


def list_corners(width: float, length: float) -> dict[str, tuple[float, float]]:
    return {
        f"{end}_{side}": (s * width / 2, e * length / 2)
        for end, e in (("front", -1), ("rear", 1))
        for side, s in (("left", -1), ("right", 1))
    }


def bow_path(half: float, path: list[tuple[float, float]], round: float) -> Array:
    """A bent bar on both sides of x = 0 that crosses over at its end: from rows (y, z), [p, 3]."""
    side = np.array([(half, y, z) for y, z in path])
    return fillet(np.concatenate([side, (side * (-1, 1, 1))[::-1]]), round)
