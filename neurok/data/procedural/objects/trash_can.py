"""A bin whose lid opens when its pedal is trodden on: round, oval or square, in metal or plastic."""

from collections.abc import Callable

import numpy as np

from neurok.data.procedural.fittings import knuckles
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, translate
from neurok.data.procedural.shapes import block, fillet, loft, rectangle, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def draw(kit: Kit) -> None:
    width = kit.between(0.2, 0.36, name="width")
    depth = width * kit.between(0.75, 1.1, name="depth share")
    height = width * kit.between(1.25, 2.3, name="height share")
    arc = min(width, depth) * kit.pick(0.49, 0.49, 0.3, 0.12, name="corner")  # round, or square with round edges
    if arc > 0.45 * min(width, depth) and kit.chance(0.6, name="round"):
        depth = width
    taper = kit.pick(1.0, kit.between(0.8, 0.95, name="taper share"), name="taper")
    shell = kit.material("metal", "metal", "plastic", "white", "paint", name="shell")
    dark = kit.material("black", name="dark")
    foot, wall = 0.03, 0.03 * width
    top = foot + height

    def ring(z: float, scale: float, inset: float = 0.0) -> Array:
        flat = rectangle(width * scale - 2 * inset, depth * scale - 2 * inset, arc * scale - 0.8 * inset)
        return np.c_[flat, np.full(len(flat), z)]

    low = taper + (1 - taper) * 0.05
    shell_rings = [ring(foot, taper), ring(top, 1.0), ring(top, 1.0, wall), ring(foot + 2 * wall, low, wall)]
    base = loft(
        np.stack([ring(0.004, taper, -0.004), ring(foot + 0.008, taper, -0.005), ring(foot + 0.008, taper, 0.02)])
    )
    collar = loft(
        np.stack(
            [
                ring(top - 0.03, 1.0, -0.004),
                ring(top + 0.002, 1.0, -0.004),
                ring(top + 0.002, 1.0, 0.5 * wall),
                ring(top - 0.03, 1.0, 0.5 * wall),
            ]
        ),
        closed=True,
    )
    pieces = [paint(shell, loft(np.stack(shell_rings)))]
    hinge = np.array([0.0, depth / 2 + 0.008, top + 0.009])
    housing = block((0.4 * width, 0.03, 0.05), (0, depth / 2, top - 0.033), round=0.006)
    pins = knuckles(hinge, "x", 0.12 * width, 0.06 * width, 0.012)
    pin = np.array([0.0, -depth * taper / 2 - 0.02, 0.028])
    broad = kit.between(0.26, 0.4, name="breadth share") * width
    lugs = [block((0.12 * broad, 0.05, 0.02), pin + (s * 0.34 * broad, 0.02, 0), round=0.006) for s in (-1, 1)]
    pieces.append(
        paint(
            dark,
            base,
            housing,
            pins,
            lugs,
            [collar] if kit.chance(0.6, name="collar") else [],
            parts="base, housing, pins, lugs, collar",
        )
    )
    if kit.chance(0.5, name="band"):
        pieces.append(
            paint(kit.material("metal", "dark_metal", name="band"), _band(ring, foot, height, taper), parts="band")
        )
    kit.link("can", *pieces)

    _pedal(kit, pin, kit.between(0.14, 0.24, name="pedal") * width + 0.02, broad)
    kit.hinge("can", "pedal", at=pin, axis="x", lower=0, upper=kit.between(14, 20, name="pedal opens to"))
    swing = kit.joints["pedal"].upper
    dome = kit.pick(0.08, 0.2, 0.35, name="lid dome") * width
    inset = np.linspace(0, 0.5, 7)[:-1]
    lid = [ring(top + 0.006, 1.0, -0.004), ring(top + 0.02, 1.0, -0.004)]
    lid += [
        ring(top + 0.02 + dome * np.sqrt(1 - (1 - 2 * u) ** 2), 1.0, u * min(width, depth) * 0.96) for u in inset[1:]
    ]
    tab = block((0.2 * width, 0.03, 0.016), (0, depth / 2 - 0.005, top + 0.014), round=0.004)
    lip = block((0.25 * width, 0.03, 0.012), (0, -depth / 2 - 0.012, top + 0.012), round=0.005)
    kit.link(
        "lid",
        paint(shell if kit.chance(0.6, name="plain lid") else dark, loft(np.stack(lid))),
        paint(dark, tab, lip, parts="tab, lip"),
    )
    kit.hinge("can", "lid", at=hinge, axis="-x", lower=0, upper=kit.between(65, 85, name="lid opens to"))
    kit.follow("lid", "pedal", kit.joints["lid"].upper / swing)


def _band(ring: Callable[..., Array], foot: float, height: float, taper: float) -> list[Mesh]:
    """A bead around the can at two fifths of its height."""
    share = 0.4
    scale, z = taper + (1 - taper) * share, foot + share * height
    loops = [
        ring(z - 0.008, scale, -0.004),
        ring(z + 0.008, scale, -0.004),
        ring(z + 0.008, scale, 0.004),
        ring(z - 0.008, scale, 0.004),
    ]
    return [loft(np.stack(loops), closed=True)]


def _pedal(kit: Kit, pin: Array, long: float, broad: float) -> None:
    """A tread on an arm, or a bow of bent bar."""
    cross = rod(pin - (broad / 2, 0, 0), pin + (broad / 2, 0, 0), 0.006, sides=10)
    if kit.chance(0.5, name="handle bow"):
        path = fillet(
            np.array([(-broad / 2, 0, 0), (-broad / 2, -long, 0), (broad / 2, -long, 0), (broad / 2, 0, 0)]), 0.03
        )
        pieces = [translate(tube(path, 0.007), *pin), cross]
    else:
        arm = block((0.4 * broad, long, 0.012), pin + (0, -long / 2, 0), round=0.003)
        pieces = [arm, cross, block((broad, 0.05, 0.016), pin + (0, -long, 0.002), round=0.006)]
    kit.link("pedal", paint(kit.material("black", "metal", "dark_metal", name="pedal pieces"), pieces))
