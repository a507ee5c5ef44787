"""A kettle: for the stove with a swinging bow, or electric on its base; a lid that opens, a spout."""

import numpy as np

from neurok.data.procedural.fittings import barrel, knob, rim
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import ball, block, curve, fillet, lathe, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    stove = kit.chance(0.55, name="stove kettle")
    belly = kit.between(0.09, 0.12, name="belly") if stove else kit.between(0.07, 0.085, name="belly")
    height = belly * (
        kit.between(1.1, 1.5, name="height share") if stove else kit.between(2.3, 2.9, name="height share")
    )
    mouth = belly * (
        kit.between(0.42, 0.58, name="mouth share") if stove else kit.between(0.68, 0.8, name="mouth share")
    )
    foot, base = belly * kit.between(0.82, 1.0, name="foot share"), 0.0 if stove else 0.02
    body = (
        kit.material("metal", "metal", "paint", "ceramic", name="body")
        if stove
        else kit.material("metal", "plastic", "white", "dark_metal", name="body")
    )
    dark = kit.material("black", "wood", name="dark") if stove else kit.material("black", name="dark")
    wide = (
        kit.between(0.25, 0.45, name="width") if stove else kit.between(0.1, 0.3, name="width")
    )  # where the belly is widest
    outer = curve(
        np.array(
            [[foot, 0], [belly, wide * height], [0.5 * (belly + mouth) + 0.1 * belly, 0.78 * height], [mouth, height]]
        ),
        14,
    )
    wall = 0.05 * belly
    profile = np.concatenate([[[0, 0]], outer, outer[::-1] * (1, 1) - (wall, 0), [[0, 0.05 * height]]])
    profile[-2, 1] = 0.05 * height
    vessel = [lathe(profile, (0, 0, base), segments=40), rim(mouth - 0.3 * wall, 0.7 * wall, base + height)]
    spout = _spout(kit, stove, outer, height, base, belly)
    fixed = [
        paint(body, vessel, spout[:1], parts="body, spout"),
        paint(kit.material("black", name="fixed"), spout[1:], parts="spout"),
    ]
    top = base + height
    if stove:
        fixed.append(paint(body, _ears(outer, height, belly), parts="ears"))
    else:
        fixed.append(paint(dark, _side_handle(kit, outer, height, base, belly), parts="side handle"))
    hinge = np.array([mouth + 0.03 * belly, 0.0, top + 0.06 * belly])
    # The lid is hinged towards the handle's side (+x), the spout points to -x.
    knuckle = barrel(hinge, "y", 0.3 * mouth, 0.07 * belly)
    fixed.append(paint(dark if not stove else body, knuckle, parts="hinges"))
    kit.link("vessel", *fixed)
    _lid(kit, stove, mouth, top, belly, body, dark, hinge)
    kit.hinge(
        "vessel",
        "lid",
        at=hinge,
        axis="y",
        lower=0,
        upper=kit.between(60, 80, name="lid opens to") if not stove else kit.between(30, 42, name="lid opens to"),
    )
    if stove:
        _bow(kit, outer, height, belly, dark)
    else:
        stand = lathe(
            fillet(
                np.array([[0, 0], [foot + 0.012, 0], [foot + 0.008, 0.012], [foot - 0.004, 0.019], [0, 0.019]]),
                0.003,
                steps=2,
            )
        )
        peg = rod((0, 0, 0.015), (0, 0, 0.03), 0.012, sides=14)
        kit.link("base", paint(dark, stand, peg, parts="stand, peg"))
        kit.spin("vessel", "base", at=(0, 0, 0.019), axis="z")


def _spout(kit: Kit, stove: bool, outer: Array, height: float, base: float, belly: float) -> list[Mesh]:
    if stove:
        low = np.array([-0.82 * belly, 0, 0.38 * height])
        bend = low + belly * np.array([-0.45, 0, 0.18])
        tip = np.array(
            [
                -belly * kit.between(1.45, 1.7, name="spout tip share"),
                0,
                height * kit.between(0.88, 1.05, name="spout tip share"),
            ]
        )
        path = curve(np.stack([low, bend, tip - (-0.12 * belly, 0, 0.2 * height), tip]), 12)
        return [tube(path, np.linspace(0.26, 0.13, 12) * belly, sides=16), _hole(path, 0.13 * belly)]
    upper, lower = (np.interp(share * height, outer[:, 1], outer[:, 0]) for share in (0.93, 0.7))
    path = np.array(
        [
            (-lower + 0.16 * belly, 0, base + 0.66 * height),
            (-upper - 0.02 * belly, 0, base + 0.85 * height),
            (-upper - 0.22 * belly, 0, base + 0.96 * height),
        ]
    )
    return [tube(curve(path, 8), np.linspace(0.14, 0.2, 8) * belly, sides=14), _hole(path, 0.2 * belly)]


def _hole(path: Array, radius: float) -> Mesh:
    """The dark mouth at the end of a spout."""
    way = (path[-1] - path[-2]) / np.linalg.norm(path[-1] - path[-2])
    return rod(path[-1], path[-1] + 1.02 * radius * way, 0.72 * radius, sides=14)


def _side_handle(kit: Kit, outer: Array, height: float, base: float, belly: float) -> list[Mesh]:
    """A bow at the right, from the rim down to the belly."""
    high = np.interp(0.9 * height, outer[:, 1], outer[:, 0])
    low = np.interp(0.22 * height, outer[:, 1], outer[:, 0])
    reach = belly * kit.between(1.75, 2.0, name="side handle reach share")
    points = [(high - 0.1 * belly, 0.9), (reach - 0.15 * belly, 0.93), (reach, 0.75), (reach - 0.1 * belly, 0.35)]
    if kit.chance(0.6, name="handle returns"):
        points.append((low - 0.1 * belly, 0.2))
    path = fillet(np.array([(x, 0, base + z * height) for x, z in points]), 0.35 * belly)
    switch = block(
        (0.16 * belly, 0.2 * belly, 0.06 * height), (low + 0.02 * belly, 0, base + 0.1 * height), round=0.004
    )
    return [tube(path, 0.14 * belly, sides=14), switch]


def _lid(
    kit: Kit, stove: bool, mouth: float, top: float, belly: float, body: Material, dark: Material, hinge: Array
) -> None:
    dome = mouth * kit.between(0.12, 0.35, name="lid dome share")
    angle = np.linspace(0, np.pi / 2, 7)
    z = top + 0.045 * belly
    profile = np.concatenate([[[0, 0]], np.stack([mouth * np.cos(angle), 0.03 * belly + dome * np.sin(angle)], axis=1)])
    profile[-1, 0] = 0.0
    tab = block((0.16 * belly, 0.2 * mouth, 0.05 * belly), hinge - (0.07 * belly, 0, -0.01 * belly), round=0.002)
    high = (0, 0, z + 0.03 * belly + dome)
    button = (
        knob(high, "z", 0.2 * mouth)
        if kit.chance(0.7, name="knob")
        else [ball((0.2 * mouth, 0.2 * mouth, 0.15 * mouth), high)]
    )
    kit.link(
        "lid",
        paint(
            body if stove or kit.chance(0.5, name="plain lid") else dark, lathe(profile, (0, 0, z)), tab, parts=", tab"
        ),
        paint(dark, button, parts="button"),
    )


def _ears(outer: Array, height: float, belly: float) -> list[Mesh]:
    """Sockets left and right (along y) in which the bow's pins turn."""
    r = np.interp(0.7 * height, outer[:, 1], outer[:, 0])
    return [
        rod((0, s * (r - 0.12 * belly), 0.7 * height), (0, s * (r + 0.1 * belly), 0.7 * height), 0.13 * belly, sides=16)
        for s in (-1, 1)
    ]


def _bow(kit: Kit, outer: Array, height: float, belly: float, dark: Material) -> None:
    """A bow over the lid that may be folded down towards the handle's side a little."""
    r = np.interp(0.7 * height, outer[:, 1], outer[:, 0]) + 0.14 * belly
    z, crown = 0.7 * height, height * 0.3 + belly * kit.between(0.95, 1.2, name="bow crown share")
    corner = kit.pick(0.95, 0.6, name="bow corner") * belly
    path = fillet(np.array([(0, -r, z), (0, -r, z + crown), (0, r, z + crown), (0, r, z)]), corner, steps=8)
    ends = [np.array([[0, s * (r - 0.1 * belly), z]]) for s in (-1, 1)]
    wire = tube(np.concatenate([ends[0], path, ends[1]]), 0.05 * belly)
    grip = rod((0, -0.45 * r, z + crown), (0, 0.45 * r, z + crown), 0.12 * belly, sides=14)
    kit.link(
        "bow",
        paint(kit.material("metal", "dark_metal", name="bow wire"), wire, parts="wire"),
        paint(dark, grip, parts="handle"),
    )
    kit.hinge("vessel", "bow", at=(0, 0, z), axis="y", lower=-kit.between(40, 60, name="bow bow goes back to"), upper=8)
