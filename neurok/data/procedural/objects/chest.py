"""A treasure chest or trunk: a vaulted or flat lid, iron bands, a hasp, swinging rings at its sides."""

import numpy as np

from neurok.data.procedural.fittings import barrel, feet, screw_head
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import mirror, paint
from neurok.data.procedural.shapes import ball, block, plate, rod, tray, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    width, depth, height = (
        kit.between(0.55, 1.0, name="width"),
        kit.between(0.35, 0.5, name="depth"),
        kit.between(0.24, 0.38, name="height"),
    )
    wall, foot = 0.022, kit.between(0.012, 0.05, name="foot")
    wood, iron = (
        kit.material("wood", "wood", "wood", "paint", name="wood"),
        kit.material("brass", "dark_metal", "metal", name="iron"),
    )
    rise = depth * kit.pick(0.12, 0.3, 0.45, name="lid rise")  # how high the lid's vault is
    rim = foot + height
    at = (
        np.array(
            sorted(kit.pick((-0.3, 0.3), (-0.36, 0.0, 0.36), (-0.44, 0.44), (-0.44, -0.15, 0.15, 0.44), name="bands"))
        )
        * width
    )
    boards = kit.count(2, 4, name="boards")
    body = [tray((width, depth, height), wall, (0, 0, foot))]
    for i in range(boards):  # planks in relief on the front and back
        plank = block(
            (width - 0.01, 0.012, height / boards - 0.008),
            (0, -depth / 2, foot + (i + 0.5) * height / boards),
            round=0.004,
        )
        body += [plank, mirror(plank, "y")]
    straps = [_strap(x, depth, height, foot) for x in at]
    knuckles = [barrel((x, depth / 2 + 0.008, rim), "x", 0.05, 0.01) for x in (-0.3 * width, 0.3 * width)]
    lock = block((0.09, 0.016, 0.1), (0, -depth / 2 - 0.008, rim - 0.07), round=0.004)
    hole = rod((0, -depth / 2, rim - 0.09), (0, -depth / 2 - 0.02, rim - 0.09), 0.009, sides=12)
    level = foot + 0.6 * height
    eyes = [ball(0.012, (width / 2 + 0.014, y, level), segments=14) for y in (-0.06, 0.06)]
    eyes += [rod((width / 2 - 0.01, y, level), (width / 2 + 0.004, y, level), 0.006, sides=12) for y in (-0.06, 0.06)]
    kit.link(
        "trunk",
        paint(wood, body, feet(width - 0.08, depth - 0.08, 0.03, foot), parts="body, feet"),
        paint(
            iron,
            [p for strap in straps for p in strap],
            knuckles,
            lock,
            eyes,
            [mirror(e) for e in eyes],
            parts=", hinges, lock, eyes, ",
        ),
        paint(kit.material("black", name="hole"), hole, parts="hole"),
    )
    _lid(kit, width, depth, rim, rise, wall, at, wood, iron)
    kit.hinge(
        "trunk",
        "lid",
        at=(0, depth / 2 + 0.008, rim),
        axis="-x",
        lower=0,
        upper=kit.between(80, 115, name="lid opens to"),
    )
    for side, name in ((-1, "left_ring"), (1, "right_ring")):
        x, z, drop = side * (width / 2 + 0.014), level, min(0.09, 0.4 * height)
        bow = tube(
            np.array(
                [
                    (x, -0.06, z),
                    (x, -0.055, z - 0.6 * drop),
                    (x, -0.03, z - drop),
                    (x, 0.03, z - drop),
                    (x, 0.055, z - 0.6 * drop),
                    (x, 0.06, z),
                ]
            ),
            0.008,
        )
        kit.link(name, paint(iron, bow, parts="bow"))
        kit.hinge(
            "trunk", name, at=(x, 0, z), axis=(0, -side, 0), lower=0, upper=kit.between(80, 100, name="trunk opens to")
        )


def _strap(x: float, depth: float, height: float, foot: float) -> list[Mesh]:
    """An iron band up the front and back with nails."""
    band = block((0.04, 0.01, height - 0.01), (x, -depth / 2 - 0.006, foot + height / 2 - 0.004), round=0.002)
    nails = [screw_head((x, -depth / 2 - 0.011, foot + k * height), "-y", 0.008) for k in (0.15, 0.85)]
    return [band, *nails, mirror(band, "y"), *[mirror(n, "y") for n in nails]]


def _vault(depth: float, rise: float, low: float, grow: float = 0.0, steps: int = 13) -> Array:
    """The lid's section (y, z): a wall of height `low`, then an arc; the wall's foot is at z = 0."""
    angle = np.linspace(0, np.pi, steps)
    arc = np.stack([(depth / 2 + grow) * np.cos(angle), low + (rise + grow) * np.sin(angle) ** 0.9], axis=1)
    return np.concatenate([[[depth / 2 + grow, 0.0]], arc, [[-depth / 2 - grow, 0.0]]])


def _lid(
    kit: Kit,
    width: float,
    depth: float,
    rim: float,
    rise: float,
    wall: float,
    at: Array,
    wood: Material,
    iron: Material,
) -> None:
    low, z = kit.between(0.02, 0.06, name="lid lower edge"), rim + 0.003

    def arch(length: float, x: float, grow: float, thick: float) -> Mesh:
        outer, inner = _vault(depth, rise, low, grow), _vault(depth, rise, low, grow - thick)
        return plate(np.concatenate([outer, inner[::-1]]), length, (x, 0, z), "yz", bevel=0.002)

    ends = [plate(_vault(depth, rise, low, -0.002), wall, (s * (width - wall) / 2, 0, z), "yz") for s in (-1, 1)]
    hasp = block((0.05, 0.014, 0.07), (0, -depth / 2 - 0.022, rim - 0.012), round=0.004)
    neck = block((0.05, 0.03, 0.03), (0, -depth / 2 - 0.012, rim + 0.02), round=0.004)
    nails = [screw_head((x, 0, z + low + rise + 0.007), "z", 0.008) for x in at]
    kit.link(
        "lid",
        paint(wood, arch(width, 0, 0.0, wall), ends, parts="arch, ends"),
        paint(iron, [arch(0.04, x, 0.008, 0.012) for x in at], hasp, neck, nails, parts="arch, hasp, neck, nails"),
    )
