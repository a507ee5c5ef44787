"""A wheelbarrow: a tub on two shafts with grips and legs, and a wheel in front."""

import numpy as np

from neurok.data.procedural.fittings import wheel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import mirror, paint, rotate, translate
from neurok.data.procedural.shapes import fillet, loft, rectangle, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def draw(kit: Kit) -> None:
    radius = kit.between(0.16, 0.22, name="radius")
    twin = kit.chance(0.25, name="two wheels")
    broad = kit.between(0.07, 0.1, name="breadth")
    nose = -kit.between(0.62, 0.75, name="nose share")  # where the axle is along y
    half = kit.between(0.26, 0.33, name="half")  # of the distance between the grips
    back, level = kit.between(0.72, 0.9, name="back"), kit.between(0.55, 0.68, name="level")
    bar = kit.between(0.015, 0.02, name="bar")
    floor = radius + 0.07
    steel = kit.material("metal", "dark_metal", "paint", "wood", name="steel")

    # A shaft from the axle under the tub to the grip; a leg and a stay from it to the ground.
    fork = 0.5 * broad + 3 * bar if not twin else 0.12
    mid = np.array([0.85 * half, 0.3, floor])
    end = np.array([half, back, level])
    path = np.array([[fork, nose, radius], [fork + 0.02, nose + radius + 0.08, floor - bar], mid, end])
    shaft = tube(fillet(path, 0.12), bar)
    style = kit.pick("loop", "posts", name="handle style")
    if style == "loop":
        leg = np.array(
            [
                [0.6 * half, 0.02, floor],
                [0.8 * half, 0.12, bar],
                [0.8 * half, 0.34, bar],
                [0.84 * half, 0.42, floor + 0.06],
            ]
        )
        legs = [tube(fillet(leg, 0.06), 0.9 * bar)]
    else:
        legs = [
            rod((0.85 * half, 0.3, 0), (0.85 * half, 0.3, floor), 1.1 * bar),
            rod((0.85 * half, 0.3, 0.08), (0.6 * half, 0.0, floor), 0.8 * bar),
        ]
    legs.append(rod((0, 0.26, 0.4 * floor), (0.84 * half, 0.3, 0.4 * floor), 0.8 * bar))
    side = [shaft, *legs]
    axle_half = fork + 1.5 * bar
    axle = rod((-axle_half, nose, radius), (axle_half, nose, radius), 0.9 * bar)
    grips = rod(end - 0.11 * _unit(end - mid), end + 0.03 * _unit(end - mid), 1.5 * bar)
    tub = _tub(kit, floor, bar)
    kit.link(
        "barrow",
        paint(steel, side, [mirror(m) for m in side], axle, parts="side, , axle"),
        paint(kit.material("rubber", "plastic", "wood", name="grips"), grips, mirror(grips), parts="handle, handle"),
        *tub,
    )
    spots = [-0.12 - 0.5 * broad - 3 * bar, 0.12 + 0.5 * broad + 3 * bar] if twin else [0.0]
    rubber, hub = kit.material("rubber", name="rubber"), kit.material("plastic", "metal", "paint", name="hub")
    if twin:
        kit.meshes["barrow"].append(
            paint(steel, rod((spots[0] - broad, nose, radius), (spots[1] + broad, nose, radius), 0.9 * bar))
        )
    for i, x in enumerate(spots):
        name = f"wheel_{i + 1}" if twin else "wheel"
        tyre, disc = wheel(radius, broad, (x, nose, radius))
        kit.link(
            name,
            paint(rubber, tyre, parts="tyre"),
            paint(
                hub,
                disc,
                _bolts(kit.count(4, 6, name="hub bolts"), radius, broad, (x, nose, radius)),
                parts="disc, bolts",
            ),
        )
        kit.spin("barrow", name, at=(x, nose, radius), axis="x")


def _unit(v: Array) -> Array:
    return v / np.linalg.norm(v)


def _bolts(count: int, radius: float, broad: float, at: tuple[float, float, float]) -> list[Mesh]:
    """Heads on both sides of the hub, so that its turning shows."""
    bolt = rod((-0.5 * broad, 0, 0.38 * radius), (0.5 * broad, 0, 0.38 * radius), 0.07 * radius, sides=10)
    return [translate(rotate(bolt, "x", 360.0 * i / count), *at) for i in range(count)]


def _tub(kit: Kit, floor: float, bar: float) -> list[Mesh]:
    """A hollow that is narrow below and wide above, its front leaning out over the wheel."""
    deep, wall = kit.between(0.22, 0.32, name="tub depth"), 0.014
    wide, long = kit.between(0.56, 0.66, name="tub width"), kit.between(0.78, 0.92, name="tub length")
    round = kit.between(0.05, 0.14, name="tub round")
    shift = -kit.between(0.06, 0.14, name="tub shift share")
    bottom = 0.5 * wide, 0.5 * long
    rings = []
    for w, l, y, z in (
        (bottom[0], bottom[1], 0.02, 0.0),
        (wide, long, shift, deep),
        (wide - 2 * wall, long - 2 * wall, shift, deep),
        (bottom[0] - 2 * wall, bottom[1] - 2 * wall, 0.02, wall),
    ):
        ring = rectangle(w, l, round)
        rings.append(np.c_[ring[:, 0], ring[:, 1] + y, np.full(len(ring), z)])
    z = floor + 0.5 * bar
    outline = rectangle(wide - wall, long - wall, round)
    edge = tube(
        np.c_[outline[:, 0], outline[:, 1] + shift, np.full(len(outline), z + deep)], 0.75 * bar, closed=True, sides=8
    )
    color = kit.material("paint", "plastic", "metal", "plastic", name="tub colour")
    return [paint(color, translate(loft(np.stack(rings)), 0, 0, z), edge, parts=", edge")]
