"""A cart with turning wheels and a hinged drawbar, planted with flowers that bend in the wind."""

import numpy as np

from neurok.data.procedural.backbone import Way, add_backbone
from neurok.data.procedural.fittings import barrel, wheel
from neurok.data.procedural.kit import Kit, compute_bend_weights
from neurok.data.procedural.limbs import attach_to_bone
from neurok.data.procedural.placing import paint, rotate, translate
from neurok.data.procedural.shapes import ball, block, curve, lathe, ribbon, rod, tray, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    length, width, deep = (
        kit.between(0.55, 0.8, name="length"),
        kit.between(0.32, 0.42, name="width"),
        kit.between(0.14, 0.2, name="depth"),
    )
    radius = kit.between(0.075, 0.11, name="radius")
    floor = radius * kit.between(1.1, 1.35, name="floor share")  # underside of the box
    wood = kit.material("wood", "wood", "paint", "red", "plastic", name="wood")
    metal = kit.material("dark_metal", "metal", name="metal")
    _cart(kit, length, width, deep, radius, floor, wood, metal)
    _drawbar(kit, length, floor, metal, wood)
    _garden(kit, length, width, floor + 0.8 * deep)


def _cart(
    kit: Kit, length: float, width: float, deep: float, radius: float, floor: float, wood: Material, metal: Material
) -> None:  # fmt: skip
    """The box is longest along y; its wheels stand outside it."""
    wall, axle = 0.02, 0.012
    box = [tray((width, length, deep), wall, (0, 0, floor), round=0.02)]
    if kit.chance(0.5, name="rim"):
        box.append(block((width + 0.03, length + 0.03, 0.02), (0, 0, floor + 0.5 * deep), round=0.006))
    y, out = 0.5 * length - 1.15 * radius, 0.5 * width + 0.035
    under = []
    for at in (-y, y):
        under.append(rod((-out - 0.03, at, radius), (out + 0.03, at, radius), axle, sides=12))
        under.append(block((0.5 * width, 0.05, floor - radius + 0.01), (0, at, 0.5 * (floor + radius)), round=0.006))
    soil = block((width - 1.5 * wall, length - 1.5 * wall, 0.7 * deep), (0, 0, floor + 0.45 * deep), round=0.01)
    lug = block((0.07, 0.05, 0.04), (0, -0.5 * length - 0.012, floor + 0.03), round=0.008)
    pin = barrel((0, -0.5 * length - 0.045, floor + 0.03), "x", 0.07, 0.016)
    kit.link(
        "cart",
        paint(wood, box, parts="box"),
        paint(metal, under, lug, pin, parts="under, lug, pin"),
        paint(kit.material("earth", name="cart soil"), soil, parts="soil"),
    )
    rubber, hub = kit.material("rubber", name="cart rubber"), kit.material("metal", "red", "yellow", name="cart hub")
    for name, at in (("front", -y), ("rear", y)):
        for side, s in (("left", 1.0), ("right", -1.0)):
            tyre, disc = wheel(radius, 0.045, (s * out, at, radius), segments=20)
            kit.link(f"{name}_{side}_wheel", paint(rubber, tyre, parts="tyre"), paint(hub, disc, parts="disc"))
            kit.spin("cart", f"{name}_{side}_wheel", at=(s * out, at, radius), axis="x")


def _drawbar(kit: Kit, length: float, floor: float, metal: Material, wood: Material) -> None:
    pivot = np.array([0.0, -0.5 * length - 0.045, floor + 0.03])
    reach, lean = (
        kit.between(0.45, 0.6, name="drawbar reach"),
        np.radians(kit.between(40, 60, name="drawbar lean share")),
    )
    way = np.array([0.0, -np.cos(lean), np.sin(lean)])
    end = pivot + reach * way
    forks = [barrel(pivot + (s * 0.047, 0, 0), "x", 0.018, 0.02) for s in (1, -1)]
    arms = [
        tube(
            curve(np.stack([pivot + (s * 0.047, 0, 0), pivot + 0.09 * way + (s * 0.04, 0, 0), pivot + 0.2 * way]), 9),
            0.009,
        )
        for s in (1, -1)
    ]
    bar, grip = rod(pivot + 0.18 * way, end, 0.012), rod(end - (0.07, 0, 0), end + (0.07, 0, 0), 0.017)
    kit.link("drawbar", paint(metal, forks, arms, bar, parts="forks, arms, bar"), paint(wood, grip, parts="handle"))
    kit.hinge(
        "cart",
        "drawbar",
        at=pivot,
        axis="x",
        lower=-kit.between(10, 20, name="drawbar drawbar goes back to"),
        upper=kit.between(20, 35, name="drawbar drawbar opens to"),
    )


def _garden(kit: Kit, length: float, width: float, soil: float) -> None:
    green, petals = (
        kit.material("leaf", name="garden green"),
        kit.material("red", "yellow", "plastic", name="garden petals"),
    )
    other = (
        petals
        if kit.chance(0.5, name="one colour")
        else kit.material("red", "yellow", "plastic", "white", name="garden other")
    )
    kind, tall = kit.pick("tulip", "daisy", name="flowers"), kit.between(0.28, 0.42, name="garden height")
    count = kit.count(4, 6, name="plants")
    for i in range(count):
        y = ((i + 0.5) / count - 0.5) * 0.82 * length + kit.between(-0.02, 0.02, name="garden y share")
        root = np.array(
            [(-1.0 if i % 2 else 1.0) * kit.between(0.05, 0.24, name="garden root share") * width, y, soil - 0.015]
        )
        _flower(
            kit,
            f"flower_{i + 1}",
            root,
            tall * kit.between(0.75, 1.1, name="garden flower"),
            kind,
            green,
            petals if i % 2 else other,
        )


def _flower(kit: Kit, name: str, root: Array, tall: float, kind: str, green: Material, petals: Material) -> None:
    lean = (
        np.array(
            [
                kit.between(-0.15, 0.15, name="flower lean share"),
                kit.between(-0.15, 0.15, name="flower lean share"),
                0.0,
            ]
        )
        * tall
    )
    path = curve(np.stack([root, root + 0.2 * lean + (0, 0, 0.5 * tall), root + lean + (0, 0, tall)]), 13)
    ways = [Way("bend", "x", -7, 7), Way("lean", "y", -6, 6)]
    chain = ["cart", *add_backbone(kit, name, "cart", path, 3, ways)]
    if name != "flower_1":
        for bone in (f"{name}_{way.name}_{i + 1}" for way in ways for i in range(3)):
            kit.follow(bone, f"flower_1_{bone.split('_')[2]}_1")  # one wind bends them all
    stem = paint(green, tube(path, 0.007, sides=6))
    kit.skin(stem, compute_bend_weights(stem, path, chain))
    _head(kit, path[-1], kit.between(0.04, 0.058, name="flower head"), kind, petals, chain[-1])
    start = kit.between(-25, 25, name="flower start")  # leaves point to the sides, where no other flower stands
    for k in range(2):
        leaf, line = _leaf(
            0.5 * tall * kit.between(0.8, 1.2, name="flower leaf and line share"),
            start + 180.0 * k + kit.between(-15, 15, name="flower leaf and line share"),
            root,
        )
        out = line[-1] - line[0]
        axis = np.cross((0.0, 0.0, 1.0), out)
        bones = kit.bend(
            f"{name}_leaf_{k + 1}", "cart", paint(green, leaf, parts="leaf"), line, axis=axis, lower=-2, upper=12
        )
        for bone in bones if k else ():  # all leaves of a flower move together
            kit.follow(bone, f"{name}_leaf_1_1")


def _leaf(length: float, turn: float, root: Array) -> tuple[Mesh, Array]:
    """A long leaf that stands up from the root and arches outwards, and its midline."""
    t = np.linspace(0.0, 1.0, 11)
    angle = np.radians(24 + 45 * t**1.5)
    steps = length / 10 * np.stack([np.sin(angle), 0 * t, np.cos(angle)], axis=1)
    line = (0.012, 0.0, 0.0) + np.concatenate([np.zeros((1, 3)), np.cumsum(steps[:-1], axis=0)])  # beside the stem
    blade = ribbon(line, 0.2 * length * (0.15 + np.sin(np.pi * t**0.75) ** 0.8 * 0.85), 0.005, "y")
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    return translate(rotate(blade, "z", turn), *root), line @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + root


def _head(kit: Kit, at: Array, size: float, kind: str, petals: Material, bone: str) -> None:
    if kind == "tulip":
        cup = curve(np.array([[0.05, -0.1], [0.75, 0.35], [0.85, 1.0], [0.6, 1.7]]), 10)
        inside = np.array([[0.5, 1.65], [0.65, 1.0], [0.4, 0.5], [0.0, 0.45]])
        attach_to_bone(kit, bone, paint(petals, lathe(np.concatenate([cup, inside]) * size, at, segments=18)))
        return
    tilt = np.array([0.0, -0.8, 0.6])  # a daisy's face looks ahead and up
    count = kit.count(7, 10, name="petals")
    petal = ball(size * np.array([0.62, 0.3, 0.1]), (0.85 * size, 0, 0), 8)
    ring = [rotate(petal, "z", 360.0 * i / count) for i in range(count)]
    disc = ball(size * np.array([0.45, 0.45, 0.25]), (0, 0, 0.05 * size), 10)
    turn = np.degrees(np.arccos(tilt[2]))
    placed = [[translate(rotate(m, "x", turn), *at) for m in group] for group in (ring, [disc])]
    attach_to_bone(
        kit, bone, paint(petals, placed[0]), paint(kit.material("yellow", "earth", name="head placed"), placed[1])
    )
