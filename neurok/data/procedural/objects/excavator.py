"""An excavator: on tracks or wheels a turning house with a boom, a stick and a bucket."""

import numpy as np

from neurok.data.procedural.fittings import crawler, wheel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, paint, translate
from neurok.data.procedural.shapes import block, curve, fillet, plate, rectangle, rod
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    """The arm reaches towards -y, in the plane x = 0."""
    color = kit.material("yellow", "yellow", "paint", "red", "plastic", name="colour")
    dark = kit.material("dark_metal", "black", name="dark")
    floor = _undercarriage(kit, color, dark)
    foot = _house(kit, floor, color, dark)
    knee = foot + np.array([-kit.between(1.3, 1.9, name="knee share"), kit.between(1.7, 2.2, name="knee share")])
    tip = knee + np.array([-kit.between(1.6, 2.3, name="tip share"), -kit.between(0.0, 0.7, name="tip share")])
    thick = kit.between(0.3, 0.4, name="thickness")
    boom_tip = 0.22  # radius of the boom's and the stick's round ends
    boom = [
        _beam(
            curve(
                np.stack([foot, foot + 0.55 * (knee - foot) + (0.1, 0.1), knee, 0.5 * (knee + tip) + (0, 0.12), tip]),
                13,
            ),
            (0.42, 0.5, 0.62, 0.75, 0.62, 0.5, 0.44),
            thick,
        )
    ]
    boom += [_disc(foot, 0.24, thick), _disc(tip, boom_tip, thick)]
    ram = _ram(0.35 * foot + 0.65 * knee + (0.05, 0.5), 0.3 * knee + 0.7 * tip + (0, 0.42))
    props = [_post(0.35 * foot + 0.65 * knee + (0, 0.05), (0.05, 0.45)), _post(0.3 * knee + 0.7 * tip, (0, 0.42))]
    steel = kit.material("metal", name="steel")
    kit.link(
        "boom",
        paint(color, boom, props, parts="boom, props"),
        paint(dark, ram[:1], _pin(tip, 0.5 * thick + 0.14), parts="ram, pin"),
        paint(steel, ram[1:], parts="ram"),
    )
    kit.hinge(
        "house",
        "boom",
        at=(0, *foot),
        axis="x",
        lower=-kit.between(8, 18, name="boom goes back to"),
        upper=kit.between(10, 18, name="boom opens to"),
    )

    # The stick's cheeks hold the boom's tip between them.
    hang = np.radians(kit.between(-5, 20, name="hang share"))
    way = np.array([np.sin(hang), -np.cos(hang)])
    length = min(
        kit.between(1.9, 2.5, name="length share"), (tip[1] - 1.4) / np.cos(hang)
    )  # the bucket hangs clear of the ground
    wrist = tip + length * way
    slim = 0.75 * thick
    cheeks = _fork(tip, tip + 0.85 * way, boom_tip, 0.5 * thick + 0.03)
    arm = _beam(np.linspace(tip + 0.42 * way, wrist, 9), (0.5, 0.62, 0.5, 0.36, 0.28), slim)
    bridge = block((thick + 0.16, 0.3, 0.3), (0, *(tip + 0.6 * way)))
    side = np.array([way[1], -way[0]])  # away from the machine
    tube = _ram(tip + 0.55 * way + 0.42 * side, wrist - 0.55 * way + 0.34 * side)
    mounts = [_post(tip + 0.55 * way, 0.42 * side), _post(wrist - 0.55 * way, 0.34 * side)]
    kit.link(
        "stick",
        paint(color, cheeks, arm, bridge, mounts, _disc(wrist, 0.15, slim), parts="cheeks, arm, bridge, mounts, disc"),
        paint(dark, tube[:1], _pin(wrist, 0.5 * slim + 0.13), parts="tube, pin"),
        paint(steel, tube[1:], parts="tube"),
    )
    kit.hinge(
        "boom",
        "stick",
        at=(0, *tip),
        axis="x",
        lower=-kit.between(20, 35, name="stick goes back to"),
        upper=kit.between(4, 10, name="stick opens to"),
    )

    ears = _fork(wrist, wrist + (0.0, -0.35), 0.16, 0.5 * slim + 0.03)
    bucket = _bucket(kit, wrist)
    kit.link(
        "bucket",
        paint(dark if kit.chance(0.6, name="dark bucket") else color, ears, bucket[0], parts="ears, bucket"),
        paint(steel, bucket[1], parts="bucket"),
    )
    kit.hinge(
        "stick",
        "bucket",
        at=(0, *wrist),
        axis="x",
        lower=-kit.between(25, 45, name="bucket goes back to"),
        upper=kit.between(25, 40, name="bucket opens to"),
    )


def _undercarriage(kit: Kit, color: Material, dark: Material) -> float:
    """Tracks or wheels; returns the height of the slewing ring [m]."""
    length, half = (
        kit.between(3.0, 3.8, name="undercarriage length"),
        kit.between(0.95, 1.15, name="undercarriage half"),
    )
    if kit.chance(0.75, name="tracks"):
        high, broad = (
            kit.between(0.7, 0.9, name="undercarriage height"),
            kit.between(0.42, 0.55, name="undercarriage breadth"),
        )
        belts, rollers = zip(
            *(crawler(length, high, broad, s * half, wheels=kit.count(5, 6, name="track wheels")) for s in (-1, 1))
        )
        frame = [block((2 * half, 0.5 * length, 0.35), (0, 0, 0.55 * high)), block((1.1, 1.1, 0.4), (0, 0, 0.8 * high))]
        pieces = [
            paint(kit.material("rubber", "dark_metal", name="undercarriage pieces"), *belts, parts="belts"),
            paint(color, *rollers, parts="rollers"),
            paint(dark, frame, parts="frame"),
        ]
        top = 0.8 * high + 0.2
    else:
        radius = kit.between(0.42, 0.5, name="undercarriage radius")
        spots = [(s * half, y * 0.36 * length, radius) for s in (-1, 1) for y in (-1, 1)]
        tyres, hubs = zip(*(wheel(radius, 0.4, at) for at in spots))
        frame = [block((0.8, 0.95 * length, 0.35), (0, 0, radius + 0.15)), block((1.1, 1.1, 0.4), (0, 0, radius + 0.3))]
        axles = [rod((-half, y * 0.36 * length, radius), (half, y * 0.36 * length, radius), 0.1) for y in (-1, 1)]
        blade = block((2 * half, 0.1, 0.5), (0, -0.5 * length - 0.05, 0.4))
        pieces = [
            paint(kit.material("rubber", name="undercarriage pieces"), list(tyres), parts="tyres"),
            paint(color, list(hubs), frame, blade, parts="hubs, frame, blade"),
            paint(dark, axles, parts="axles"),
        ]
        top = radius + 0.5
    kit.link("base", *pieces, paint(dark, rod((0, 0, top - 0.05), (0, 0, top + 0.12), 0.55)))
    return top + 0.1


def _house(kit: Kit, z: float, color: Material, dark: Material) -> Array:
    """The turning house with its cab at -x; returns the boom's foot (y, z) [m]."""
    wide, back = kit.between(2.1, 2.5, name="house width"), kit.between(1.3, 1.7, name="house back")
    high = kit.between(0.8, 1.0, name="house height")
    deck = block((wide, back + 1.0, 0.25), (0, 0.5 * (back - 1.0), z + 0.16), round=0.06)
    hood = block((wide, back - 0.1, high), (0, 0.5 * back + 0.1, z + 0.25 + 0.5 * high), round=0.12)
    tail = rectangle(wide, 0.9, 0.4) + (0, back - 0.1)
    weight = plate(tail, 0.9 * high, (0, 0, z + 0.15 + 0.45 * high), bevel=0.08)
    tall, broad, long = (
        kit.between(1.5, 1.75, name="house height"),
        0.5 * wide - 0.38,
        kit.between(1.3, 1.55, name="house length"),
    )
    cab_x = -0.5 * wide + 0.5 * broad
    at = np.array([cab_x, -1.0 + 0.5 * long, z + 0.25 + 0.5 * tall])
    cab = block((broad, long, tall), at, round=0.09)
    panes = [
        block((broad + 0.03, 0.72 * long, 0.48 * tall), at + (0, 0, 0.17 * tall), round=0.04),
        block((0.8 * broad, long + 0.03, 0.6 * tall), at + (0, 0, 0.1 * tall), round=0.04),
    ]
    pipe = rod((0.3 * wide, 0.6 * back, z + high), (0.3 * wide, 0.6 * back, z + high + 0.65), 0.07)
    grille = [
        block((0.04, 0.5 * back, 0.05), (0.5 * wide, 0.55 * back, z + 0.45 + 0.16 * i), round=0) for i in range(4)
    ]
    foot = np.array([-0.85, z + 0.75])
    brackets = [
        plate(
            fillet(
                np.array([[-0.45, z + 0.2], [-1.1, z + 0.2], [-1.02, z + 0.95], [-0.7, z + 0.95]]), 0.12, closed=True
            ),
            0.1,
            (s * 0.28, 0, 0),
            "yz",
        )
        for s in (-1, 1)
    ]
    kit.link(
        "house",
        paint(color, deck, hood, cab, parts="deck, hood, cab"),
        paint(
            dark,
            brackets,
            pipe,
            grille,
            _pin(foot, 0.36),
            weight if kit.chance(0.6, name="counterweight") else [],
            parts="brackets, pipe, grille, pin, weight",
        ),
        paint(color, weight, parts="weight")
        if kit.chance(0.2, name="open cab")
        else paint(dark, block((0.6 * wide, 0.5, 0.06), (0.1 * wide, 0.4 * back, z + 0.25 + high))),
        paint(kit.material("glass", "black", name="house panes"), panes, parts="panes"),
    )
    kit.spin("base", "house", at=(0, 0, z), axis="z")
    return foot


def _beam(path: Array, widths: tuple[float, ...], thick: float) -> Mesh:
    """A box girder along a path (y, z) [p, 2] with these widths along it."""
    ends = np.gradient(path, axis=0)
    normal = np.stack([-ends[:, 1], ends[:, 0]], axis=1) / np.linalg.norm(ends, axis=1, keepdims=True)
    half = 0.5 * np.interp(np.linspace(0, 1, len(path)), np.linspace(0, 1, len(widths)), widths)[:, None]
    return plate(np.concatenate([path + half * normal, (path - half * normal)[::-1]]), thick, plane="yz", bevel=0.03)


def _fork(at: Array, end: Array, radius: float, inside: float) -> list[Mesh]:
    """Two cheeks with a round end about a joint (y, z), this far from the middle plane on the inside."""
    way = (np.asarray(end) - at) / np.linalg.norm(np.asarray(end) - at)
    side = np.array([-way[1], way[0]])
    turn = np.linspace(np.pi / 2, 3 * np.pi / 2, 9)[:, None]
    bow = at + radius * (np.cos(turn) * way + np.sin(turn) * side)
    outline = np.concatenate([bow, [end - 1.1 * radius * side, end + 1.1 * radius * side]])
    return [plate(outline, 0.08, (s * (inside + 0.04), 0, 0), "yz", bevel=0.015) for s in (-1, 1)]


def _disc(at: Array, radius: float, thick: float) -> Mesh:
    return rod((-0.5 * thick, *at), (0.5 * thick, *at), radius, sides=24)


def _pin(at: Array, half: float) -> Mesh:
    return rod((-half, *at), (half, *at), 0.085)


def _ram(start: Array, end: Array) -> list[Mesh]:
    """A hydraulic cylinder between two points (y, z), and its piston."""
    start, end = np.array([0.0, *start]), np.array([0.0, *end])
    return [rod(start, start + 0.6 * (end - start), 0.09), rod(start, end, 0.05)]


def _post(at: Array, way: Vector) -> Mesh:
    """A lug from the girder out to the end of a cylinder."""
    return rod((0, *at), (0, *(np.asarray(at) + way)), 0.1, end_radius=0.08)


def _bucket(kit: Kit, at: Array) -> tuple[list[Mesh], list[Mesh]]:
    """A scoop under a joint (y, z), its mouth towards the machine, and its teeth."""
    size, wide = kit.between(0.85, 1.1, name="bucket size"), kit.between(0.8, 1.25, name="bucket width")
    spine = curve(
        np.array([[0.22, -0.3], [-0.3, -0.34], [-0.62, -0.68], [-0.42, -1.08], [0.12, -1.12]]) * (size, 1.0), 13
    )
    spine[:, 1] = -0.3 + (spine[:, 1] + 0.3) * size
    shell = _beam(spine, (0.07,), wide)
    sides = [plate(spine, 0.06, (s * (0.5 * wide - 0.03), 0, 0), "yz", bevel=0.01) for s in (-1, 1)]
    lip = spine[-1]
    count = kit.count(3, 5, name="bucket teeth")
    teeth = [
        block((0.1, 0.28, 0.07), (x, lip[0] + 0.1, lip[1]), round=0.02) for x in np.linspace(-0.42, 0.42, count) * wide
    ]
    return [translate(m, 0, *at) for m in (shell, *sides)], [translate(m, 0, *at) for m in teeth]
