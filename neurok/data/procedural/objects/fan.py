"""A fan on a foot: blades that spin in a cage, a head that turns and nods."""

import numpy as np

from neurok.data.procedural.fittings import knob
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, repeat_around, rotate, translate
from neurok.data.procedural.shapes import curve, fillet, hoop, lathe, plate, rod, tube
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    tall = kit.chance(0.5, name="stand fan")
    radius = kit.between(0.19, 0.26, name="radius") if tall else kit.between(0.14, 0.22, name="radius")  # of the cage
    height = (
        kit.between(0.75, 1.1, name="height") if tall else radius + kit.between(0.12, 0.18, name="height share")
    )  # of the blades' axis
    body, trim = (
        kit.material("white", "black", "plastic", "metal", "paint", name="body"),
        kit.material("metal", "dark_metal", "white", name="trim"),
    )
    post = kit.between(0.014, 0.022, name="post share") * (1.0 if tall else 1.2)
    nod = height - 0.09  # the axis it nods about, under the motor
    neck = nod - 0.045
    _foot(kit, radius, neck, post, tall, body, trim)

    turn = [rod((0, 0, neck), (0, 0, neck + 0.02), 1.7 * post)]
    turn += [
        rod((0, 0, neck), (0, 0, nod), 0.017),
        rod((-0.025, 0, nod), (0.025, 0, nod), 0.02),
        rod((-0.042, 0, nod), (0.042, 0, nod), 0.009),
    ]
    kit.link("neck", paint(trim, turn, parts="turn"))
    kit.hinge(
        "foot",
        "neck",
        at=(0, 0, neck),
        axis="z",
        lower=-kit.between(30, 60, name="neck goes back to"),
        upper=kit.between(30, 60, name="neck opens to"),
    )

    # The motor stands on two cheeks beside the neck; the cage is in front of it.
    deep = kit.between(0.09, 0.13, name="depth")
    front = -kit.between(0.1, 0.115, name="front share")
    profile = np.array([[0, 0.1], [0.05, 0.09], [0.062, 0.04], [0.062, -0.02], [0.05, -0.05], [0, -0.05]])
    waist = lathe(fillet(profile, 0.02), (0, -0.055, height), "y")
    cheek = fillet(
        np.array([[-0.017, nod - 0.018], [0.017, nod - 0.018], [0.026, height - 0.03], [-0.026, height - 0.03]]),
        0.015,
        closed=True,
    )
    cheeks = [plate(cheek, 0.012, (s * 0.033, 0, 0), "yz") for s in (-1, 1)]
    shaft = rod((0, -0.04, height), (0, front - 0.6 * deep, height), 0.012)
    cage = _cage(kit, radius, deep, height, front)
    kit.link("head", paint(body, waist, cheeks, parts="waist, cheeks"), paint(trim, cage, shaft, parts="cage, shaft"))
    kit.hinge(
        "neck",
        "head",
        at=(0, 0, nod),
        axis="x",
        lower=-kit.between(12, 22, name="head goes back to"),
        upper=kit.between(7, 11, name="head opens to"),
    )

    count = kit.count(3, 6, name="blades")
    hub = lathe(
        fillet(np.array([[0, -0.012], [0.22, -0.012], [0.2, 0.03], [0, 0.045]]) * (radius, 1.0), 0.008),
        (0, front - 0.4 * deep, height),
        "-y",
    )
    sleeve = rod((0, front - 0.4 * deep + 0.02, height), (0, front - 0.4 * deep, height), 0.0135)
    blade = _blade(kit, 0.86 * radius, count)
    leaf = [translate(m, 0, front - 0.42 * deep, height) for m in repeat_around(blade, count, "y")]
    color = kit.material("plastic", "metal", "glass", "black", "brass", name="colour")
    kit.link(
        "blades",
        paint(color, leaf, parts="blades"),
        paint(trim if kit.chance(0.5, name="contrasting hub") else color, hub, sleeve, parts="hub, sleeve"),
    )
    kit.spin("head", "blades", at=(0, front - 0.4 * deep, height), axis="y")


def _foot(kit: Kit, radius: float, neck: float, post: float, tall: bool, body: Material, trim: Material) -> None:
    wide = kit.between(0.75, 1.0, name="foot width share") * radius
    pieces = [
        lathe(
            fillet(
                np.array([[0, 0], [wide, 0], [wide, 0.012], [0.3 * wide, 0.045], [1.4 * post, 0.07], [0, 0.07]]), 0.012
            )
        )
    ]
    if tall and kit.chance(0.4, name="cross foot"):
        pieces = [rod(-way, way, 0.018) for way in (np.array([wide * 1.1, 0, 0]), np.array([0, wide * 1.1, 0]))]
        pieces = [translate(m, 0, 0, 0.018) for m in pieces] + [rod((0, 0, 0.0), (0, 0, 0.09), 1.7 * post)]
    mast = [rod((0, 0, 0.02), (0, 0, neck + 0.004), post)]
    if tall:
        mast.append(rod((0, 0, 0.03), (0, 0, 0.55 * neck), 1.4 * post))
    buttons = (
        [rod((x, -0.6 * wide, 0.01), (x, -0.6 * wide, 0.045), 0.012) for x in (-0.04, 0.0, 0.04)]
        if not tall
        else knob((0, -post, 0.52 * neck), "-y", 0.02)
    )
    kit.link(
        "foot",
        paint(body, pieces),
        paint(trim, mast, parts="mast"),
        paint(kit.material("black", "plastic", "red", name="foot buttons"), buttons, parts="buttons"),
    )


def _cage(kit: Kit, radius: float, deep: float, height: float, front: float) -> list[Mesh]:
    """Rings and curved wires before and behind the blades."""
    wire = 0.0026
    middle = front - 0.45 * deep
    pieces = [hoop(radius, 2.2 * wire, (0, middle, height), "y", 40)]
    wires = kit.count(12, 20, name="wires")
    for s in (-1, 1):
        bow = curve(
            np.array(
                [
                    [0.035, 0, 0.55 * deep],
                    [0.6 * radius, 0, 0.52 * deep],
                    [0.93 * radius, 0, 0.3 * deep],
                    [radius, 0, 0.0],
                ]
            ),
            7,
        )
        bow = np.stack([bow[:, 0], middle + s * bow[:, 2], 0 * bow[:, 0]], axis=1)
        pieces += [translate(m, 0, 0, height) for m in repeat_around(tube(bow, wire, sides=5), wires, "y")]
        pieces.append(hoop(0.6 * radius, wire, (0, middle + s * 0.52 * deep, height), "y", 32))
    pieces.append(
        lathe(
            fillet(np.array([[0, -0.006], [0.045, -0.006], [0.045, 0.004], [0, 0.008]]), 0.003),
            (0, middle - 0.55 * deep, height),
            "-y",
        )
    )
    pieces.append(hoop(0.06, 1.5 * wire, (0, middle + 0.55 * deep, height), "y", 28))
    return pieces


def _blade(kit: Kit, length: float, count: int) -> Mesh:
    """One blade along +z, pitched against the wind."""
    wide = length * min(0.85, 2.4 / count) * kit.between(0.75, 1.0, name="blade width share")
    lean = kit.between(0.0, 0.3, name="blade lean share") * wide
    points = np.array(
        [
            [-0.12 * wide, 0.12],
            [0.12 * wide, 0.12],
            [0.5 * wide + lean, 0.55],
            [0.38 * wide + lean, 0.95],
            [-0.1 * wide + lean, 0.98],
            [-0.42 * wide, 0.6],
        ]
    )
    points[:, 1] *= length
    outline = fillet(points, 0.28 * length, closed=True, steps=4)
    return rotate(plate(outline, 0.005, plane="xz"), "z", kit.between(12, 20, name="blade detail"))
