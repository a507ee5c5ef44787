"""A ball pen lying on its side: its point comes out at a click of the button or a twist of the barrel."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import align, paint, translate
from neurok.data.procedural.shapes import ball, fillet, hoop, lathe, pipe, ribbon, rod
from neurok.geometry.mesh import Mesh


def draw(kit: Kit) -> None:
    length = kit.between(0.125, 0.145, name="length")  # without the button
    radius = kit.between(0.0042, 0.0058, name="radius")
    click = kit.chance(0.55, name="click pen")
    out = kit.between(0.006, 0.008, name="out")  # how far the point comes out
    shown = kit.chance(0.75, name="tip out")  # out at rest
    body, metal = (
        kit.material("plastic", "metal", "black", "wood", "paint", name="body"),
        kit.material("metal", "brass", "dark_metal", name="metal"),
    )
    split = length * (
        kit.between(0.5, 0.62, name="split share") if not click else kit.between(0.4, 0.55, name="split share")
    )
    refill = 0.36 * radius

    # Along +z from the nose at 0 (in the end the pen lies along x): a hollow nose and barrel, in halves.
    nose = kit.between(0.014, 0.022, name="nose")
    bore, mouth = 0.72 * radius, refill + 0.0004
    belly = radius * kit.between(0.95, 1.12, name="belly share")
    front = [
        [mouth + 0.0007, 0],
        [0.66 * belly, 0.55 * nose],
        [0.95 * belly, nose],
        [belly, 1.6 * nose],
        [radius, split],
        [bore, split],
        [bore, 1.3 * nose],
        [mouth, 0.9 * nose],
        [mouth, 0],
    ]
    grip = _grip(kit, belly, nose)
    ring = hoop(0.96 * radius, 0.0009, (0, 0, split), segments=28)
    tip = lathe(
        np.array([[mouth + 0.0012, 0.0], [0.66 * belly, 0.5 * nose], [mouth, 0.5 * nose], [mouth, 0.0]]),
        segments=24,
        ring=True,
    )
    lower = [
        paint(body, lathe(fillet(np.array(front), 0.0005, closed=True), segments=28, ring=True)),
        paint(metal, tip, ring, parts="tip, ring"),
        *grip,
    ]
    close = 0.55 * radius
    back = [
        [radius, split + 0.0005],
        [radius, length - 0.004],
        [0.85 * radius, length],
        [close, length],
        [close, length - 0.012],
        [bore, length - 0.014],
        [bore, split + 0.0005],
    ]
    cap = body if kit.chance(0.5, name="plain cap") else kit.material("metal", "black", "plastic", name="cap")
    upper = [
        paint(cap, lathe(fillet(np.array(back), 0.0005, closed=True), segments=28, ring=True)),
        paint(metal, _clip(kit, radius, length), parts="clip"),
    ]
    away = out if shown else 0.0
    point = [
        rod((0, 0, 0.003), (0, 0, 0.6 * length), refill),
        lathe(
            np.array([[0, -0.0055], [0.18, -0.005], [0.3, -0.002], [1.0, 0.004], [0, 0.004]]) * (refill, 1), segments=16
        ),
    ]
    point = [translate(m, 0, 0, 0.0065 - away) for m in point]
    button = rod(
        (0, 0, length - 0.022), (0, 0, length + out + 0.004 - (away if click else 0)), close - 0.0003, round=0.0012
    )
    flange = rod((0, 0, length - 0.03), (0, 0, length - 0.026 + 0.004), 0.8 * bore)

    def lie(pieces: list[Mesh]) -> list[Mesh]:
        return [translate(align(m, "x"), -0.5 * length, 0, belly + 0.001) for m in pieces]

    at = (0.0, 0.0, belly + 0.001)
    if click:
        kit.link("barrel", *lie(lower), *lie(upper))
        kit.link("button", *lie([paint(metal, button, flange, parts="button, flange")]))
        kit.slide("barrel", "button", axis="-x", lower=-away, upper=out - away)
        kit.link("point", *lie([paint(metal, point, parts="point")]))
        kit.slide("barrel", "point", axis="-x", lower=-away, upper=out - away)
        kit.follow("point", "button")
        return
    collar = pipe((0, 0, split - 0.006), (0, 0, split + 0.006), bore + 0.0002, 0.25 * bore)
    end = ball((0.9 * close, 0.9 * close, 0.002), (0, 0, length), 16)
    stop = rod((0, 0, length - 0.012), (0, 0, length), 1.1 * close)
    kit.link("barrel", *lie(lower), *lie([paint(metal, collar, parts="collar")]))
    kit.link("cap", *lie(upper), *lie([paint(metal, end, stop, parts="end, stop")]))
    turn = kit.pick(90, 120, 180, name="turn")
    kit.hinge("barrel", "cap", at=at, axis="x", lower=-turn if shown else 0, upper=0 if shown else turn)
    kit.link("point", *lie([paint(metal, point, parts="point")]))
    kit.slide("barrel", "point", axis="-x", lower=-away, upper=out - away)
    kit.follow("point", "cap", out / np.radians(turn))


def _grip(kit: Kit, belly: float, nose: float) -> list[Mesh]:
    """Rings or a sleeve where the fingers hold it."""
    style = kit.pick("plain", "rings", "sleeve", "sleeve", name="grip style")
    color = kit.material("rubber", "black", "plastic", name="grip colour")
    spots = np.linspace(1.7 * nose, 1.7 * nose + 0.025, 6)
    if style == "rings":
        return [paint(color, [hoop(0.98 * belly, 0.0009, (0, 0, z), segments=28) for z in spots])]
    if style == "sleeve":
        loop = np.array(
            [[1.06, spots[0] - 0.003], [1.12, spots[2]], [1.06, spots[-1]], [0.9, spots[-1]], [0.9, spots[0] - 0.003]]
        )
        sleeve = lathe(fillet(loop * (belly, 1), 0.0006, closed=True), segments=28, ring=True)
        return [
            paint(
                color,
                sleeve,
                [hoop(1.1 * belly, 0.0006, (0, 0, z), segments=28) for z in spots[1:-1]],
                parts="sleeve, ",
            )
        ]
    return []


def _clip(kit: Kit, radius: float, length: float) -> list[Mesh]:
    """A clip along the upper half, on its upper side, which is -x before the pen is laid down."""
    long, wide = kit.between(0.034, 0.045, name="clip length"), kit.between(0.003, 0.0045, name="clip width")
    path = np.array(
        [
            [-0.7 * radius, 0, length - 0.005],
            [-1.45 * radius, 0, length - 0.006],
            [-1.6 * radius, 0, length - 0.012],
            [-1.45 * radius, 0, length - long + 0.006],
            [-1.12 * radius, 0, length - long],
            [-1.4 * radius, 0, length - long - 0.004],
        ]
    )
    return [
        ribbon(fillet(path, 0.003), wide, 0.0014, "y"),
        ball((0.0012, 0.4 * wide, 0.0025), (-1.15 * radius, 0, length - long), 10),
    ]
