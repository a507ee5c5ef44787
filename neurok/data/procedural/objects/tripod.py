"""A camera tripod: spreading telescopic legs, a rising column, a head that pans and tilts."""

import numpy as np

from neurok.data.procedural.fittings import knob, screw_head
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, rotate
from neurok.data.procedural.shapes import ball, block, fillet, lathe, pipe, rod
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    height = kit.between(0.7, 1.2, name="height")  # of the leg hinges
    spread = kit.between(20, 28, name="spread")  # degrees from upright at rest
    tube = kit.between(0.018, 0.026, name="tube")  # radius of the upper legs
    column, ring = 0.75 * tube, 3.3 * tube
    body, dark = (
        kit.material("dark_metal", "metal", "wood", "black", name="body"),
        kit.material("black", "dark_metal", name="dark"),
    )
    accent = kit.material("plastic", "red", "metal", name="accent")

    collar = fillet(
        np.array([[2.2, -1.6], [2.5, 1.2], [1.7, 2.0], [1.7, 3.2], [0.85, 3.2], [0.85, -1.6]]) * tube,
        0.3 * tube,
        closed=True,
    )
    lugs = [
        rotate(block((2.4 * tube, 1.3 * tube, 1.6 * tube), (ring - 0.8 * tube, 0, height), round=0.4 * tube), "z", a)
        for a in (90, 210, 330)
    ]
    pins = [
        rotate(rod((ring, -1.5 * tube, height), (ring, 1.5 * tube, height), 0.45 * tube), "z", a)
        for a in (90, 210, 330)
    ]
    kit.link(
        "collar",
        paint(dark, lathe(collar, (0, 0, height), segments=28, ring=True), lugs, parts=", lugs"),
        paint(accent, pins, knob((0, -1.6 * tube, height + 2.5 * tube), "-y", 0.7 * tube), parts="pins, knob"),
    )
    _legs(kit, height, spread, tube, ring, body, dark)
    _head(kit, height, column, tube, dark, accent)


def _legs(kit: Kit, height: float, spread: float, tube: float, ring: float, body: Material, dark: Material) -> None:
    length = (height - 0.02) / np.cos(np.radians(spread))
    upper = length * kit.between(0.5, 0.58, name="legs upper share")
    foot = kit.pick("ball", "cone", name="feet")
    thin, cuff = 0.66 * tube, kit.between(1.2, 1.4, name="legs cuff share") * tube
    wider = kit.between(8, 18, name="legs wider")
    for i, angle in enumerate((90.0, 210.0, 330.0)):
        radial = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0])
        across = np.cross((0, 0, 1), radial)
        hinge = ring * radial + (0, 0, height)
        way = np.sin(np.radians(spread)) * radial - (0, 0, np.cos(np.radians(spread)))
        start, end = hinge + 1.1 * tube * way, hinge + upper * way
        forks = [
            rotate(
                block(
                    (1.4 * tube, 0.45 * tube, 3.2 * tube), (ring, s * 1.0 * tube, height - 0.9 * tube), round=0.2 * tube
                ),
                "z",
                angle,
            )
            for s in (-1, 1)
        ]
        forks = [rotate(fork, across, -spread, hinge) for fork in forks]
        clamp = pipe(end - 1.6 * tube * way, end + 0.8 * tube * way, cuff, cuff - 0.8 * tube)
        plug = rod(start, start + 2 * tube * way, 0.9 * tube)
        kit.link(
            f"leg_{i + 1}",
            paint(body, pipe(start, end, tube, 0.2 * tube)),
            paint(dark, forks, clamp, plug, parts="forks, clamp, plug"),
        )
        kit.hinge("collar", f"leg_{i + 1}", at=hinge, axis=-across, lower=-spread + 1.0, upper=wider)
        tip = hinge + length * way
        inner = rod(end - 0.12 * upper * way, tip, thin)
        toe = (
            ball(1.15 * tube, tip, 14)
            if foot == "ball"
            else rod(tip - 2 * tube * way, tip + 0.5 * tube * way, 1.2 * tube, end_radius=0.5 * tube)
        )
        kit.link(f"foot_{i + 1}", paint(body, inner, parts="inner"), paint(dark, toe, parts="toe"))
        room = min(0.86 * upper - 4.5 * tube, length - upper - 3.2 * tube)  # up to the plug, the toe up to the clamp
        kit.slide(f"leg_{i + 1}", f"foot_{i + 1}", axis=-way, lower=-0.03 * upper, upper=room)
        if i:
            kit.follow(f"leg_{i + 1}", "leg_1")
            kit.follow(f"foot_{i + 1}", "foot_1")


def _head(kit: Kit, height: float, column: float, tube: float, dark: Material, accent: Material) -> None:
    top = height + kit.between(6, 9, name="head top share") * tube
    rise = 0.55 * height * kit.between(0.6, 1.0, name="head rise share")
    post = rod((0, 0, top - rise - 6 * tube), (0, 0, top), column)
    disc = lathe(fillet(np.array([[0, -1], [1.8, -1], [1.8, 0], [0, 0]]) * tube, 0.2 * tube), (0, 0, top + 0.6 * tube))
    kit.link(
        "column",
        paint(kit.material("metal", "dark_metal", name="head post"), post, parts="post"),
        paint(dark, disc, parts="disc"),
    )
    kit.slide("collar", "column", axis="z", lower=-0.6 * tube, upper=0.8 * rise)

    pan = top + 0.7 * tube
    yoke = [rod((0, 0, pan), (0, 0, pan + 1.4 * tube), 1.6 * tube)]
    yoke += [
        block((0.6 * tube, 2.2 * tube, 3.6 * tube), (s * 1.7 * tube, 0, pan + 2.6 * tube), round=0.25 * tube)
        for s in (-1, 1)
    ]
    axle = pan + 3.6 * tube
    yoke += [
        rod((-2.2 * tube, 0, axle), (2.2 * tube, 0, axle), 0.7 * tube),
        screw_head((-2.1 * tube, 0, axle), "-x", 0.9 * tube),
    ]
    kit.link("pan", paint(dark, yoke, parts="yoke"))
    kit.spin("column", "pan", at=(0, 0, top), axis="z")

    carried: list[Mesh] = [
        rod((-1.25 * tube, 0, axle), (1.25 * tube, 0, axle), 1.25 * tube),
        block((2.2 * tube, 2 * tube, 1.6 * tube), (0, 0, axle + 1.2 * tube)),
    ]
    plate = axle + 2.3 * tube
    carried.append(block((4.6 * tube, 4 * tube, 0.9 * tube), (0, 0, plate), round=0.25 * tube))
    pieces = [paint(dark, carried, parts="carried")]
    grip = [
        rod((0.8 * tube, 2 * tube, plate), (1.2 * tube, 11 * tube, plate - 2.5 * tube), 0.35 * tube),
        rod((1.1 * tube, 8.5 * tube, plate - 1.8 * tube), (1.3 * tube, 13 * tube, plate - 3.05 * tube), 0.65 * tube),
    ]
    pieces.append(paint(accent, grip, parts="handle"))
    if kit.chance(0.75, name="camera"):
        pieces += _camera(kit, plate + 0.4 * tube, tube)
    kit.link("head", *pieces)
    kit.hinge(
        "pan",
        "head",
        at=(0, 0, axle),
        axis="x",
        lower=-kit.between(15, 25, name="head head goes back to"),
        upper=kit.between(15, 30, name="head head opens to"),
    )


def _camera(kit: Kit, z: float, tube: float) -> list[Mesh]:
    wide, tall = (
        kit.between(6.0, 7.5, name="camera width share") * tube,
        kit.between(4.0, 5.0, name="camera height share") * tube,
    )
    case = block((wide, 3 * tube, tall), (0, 0, z + 0.5 * tall), round=0.4 * tube)
    hump = block((2.4 * tube, 2.4 * tube, 1.4 * tube), (0, 0, z + tall + 0.4 * tube), round=0.4 * tube)
    lens = np.array([[0, 0], [1.6, 0], [1.6, 1.2], [1.8, 1.4], [1.8, 2.8], [1.4, 2.8], [1.2, 2.2], [0, 2.2]]) * tube
    front = lathe(fillet(lens, 0.1 * tube, steps=2), (0, -1.4 * tube, z + 0.5 * tall), "-y")
    button = rod((0.35 * wide, 0, z + tall - 0.1 * tube), (0.35 * wide, 0, z + tall + 0.4 * tube), 0.5 * tube)
    return [
        paint(kit.material("black", "dark_metal", name="camera case"), case, hump, parts="body, hump"),
        paint(kit.material("metal", "black", name="camera front"), front, button, parts="front, button"),
    ]
