"""Carts whose wheels turn on axles: a sack truck, a child's wagon, a pram. Drawn by objects/trolley.py."""

import numpy as np

from neurok.data.procedural.fittings import barrel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.rolling import add_wheel, bow_path, draw_wheel_style
from neurok.data.procedural.shapes import block, fillet, loft, pipe, plate, rectangle, rod, slab, tray, tube
from neurok.geometry.mesh import Mesh


def sack_truck(kit: Kit) -> None:
    """A sack truck: two wheels, an upright frame, a toe plate that may fold up and a handle that may slide out."""
    steel, color = (
        kit.material("metal", "dark_metal", "red", "ocean", "yellow", name="sack truck steel"),
        kit.material("metal", "dark_metal", "black", name="sack truck colour"),
    )
    half, height, bar = (
        kit.between(0.16, 0.24, name="sack truck half"),
        kit.between(0.95, 1.25, name="sack truck height"),
        kit.between(0.014, 0.019, name="sack truck bar"),
    )
    radius, broad = (
        kit.between(0.09, 0.14, name="sack truck radius"),
        kit.between(0.04, 0.06, name="sack truck breadth"),
    )
    slides, folds, rake = kit.chance(0.4, name="sack truck slides"), kit.chance(0.4, name="sack truck folds"), 0.0
    y = radius + bar + 0.015  # of the axle, behind the frame
    cut = 0.62 * height if slides else height
    frame: list[Mesh] = []
    if slides:
        frame += [pipe((s * half, 0, 0.03), (s * half, 0, cut), bar, 0.28 * bar) for s in (-1, 1)]
        frame += [pipe((s * half, 0, cut - 0.03), (s * half, 0, cut + 0.01), 1.3 * bar, 0.5 * bar) for s in (-1, 1)]
    else:
        rake = kit.pick(0.0, 0.12, name="sack truck rake")
        frame.append(
            tube(
                bow_path(
                    half,
                    [(0, 0.03), (0, 0.75 * height), (rake, height)],
                    kit.between(0.05, 0.14, name="sack truck bow path"),
                ),
                bar,
            )
        )
    for z in np.linspace(0.12, 0.9 * cut if slides else 0.72 * height, kit.count(2, 5, name="sack truck bow")):
        bow = (
            [(-half, 0, z), (0, kit.pick(0.0, 0.04, name="sack truck bow"), z), (half, 0, z)]
            if not slides
            else [(-half, 1.55 * bar, z), (half, 1.55 * bar, z)]
        )
        frame.append(tube(fillet(np.array(bow), 0.15), 0.7 * bar, sides=8))
    out = half + bar + 0.012 + broad / 2
    inner = kit.chance(0.5, name="sack truck inner")
    wheels = out if not inner else half - 0.01
    frame.append(rod((-wheels - 0.7 * broad, y, radius), (wheels + 0.7 * broad, y, radius), 0.011, sides=12))
    stay = half - 0.035 if not inner else wheels - broad / 2 - 0.022
    for s in (-1, 1):
        frame.append(tube(np.array([(s * stay, y, radius), (s * stay, 0.0, 2.6 * radius)]), 0.011))
        frame.append(block((0.016, y, 0.03), (s * stay, y / 2, radius), round=0.003, cells=1))
    behind = 1.7 * bar if slides else 0.0  # clear of the bore
    cross = [rod((-half, behind, z), (half, behind, z), 0.8 * bar) for z in (radius, 2.6 * radius)]
    grips = [] if slides else [rod((-0.5 * half, rake, height), (0.5 * half, rake, height), 1.5 * bar)]
    kit.link(
        "frame",
        paint(steel, frame, cross, parts="frame, cross"),
        *([paint(kit.material("rubber", name="sack truck grips"), grips, parts="handle")] if grips else []),
    )
    shared = draw_wheel_style(kit, "bolts", "spokes", "plain")
    for name, s in (("left", -1), ("right", 1)):
        add_wheel(kit, "frame", f"{name}_wheel", radius, broad, (s * wheels, y, radius), shared)
    deep, z = kit.between(0.2, 0.32, name="sack truck depth"), 0.032
    toe = rectangle(2 * half + kit.between(0.0, 0.1, name="sack truck toe share"), deep, 0.03) + (
        0,
        -0.5 * deep - bar - 0.012,
    )
    if folds:
        kit.meshes["frame"].append(
            paint(steel, [barrel((s * half, -bar - 0.006, z), "x", 0.03, 0.015) for s in (-1, 1)])
        )
        eye = barrel((0, -bar - 0.006, z), "x", 2 * half - 0.034, 0.011)
        kit.link("toe_plate", paint(color, plate(toe, 0.012, (0, 0, z - 0.01)), eye, parts=", eye"))
        kit.hinge(
            "frame",
            "toe_plate",
            at=(0, -bar - 0.006, z),
            axis="-x",
            lower=0,
            upper=kit.between(75, 86, name="sack truck toe plate opens to"),
        )
    else:
        toe[toe[:, 1] > -bar - 0.02, 1] = bar
        kit.meshes["frame"].append(
            paint(color, plate(toe, 0.012, (0, 0, z - 0.005)), block((2 * half, 0.01, 0.1), (0, -bar, 0.08)))
        )
    if slides:
        arch = tube(bow_path(half, [(0, 0.15), (0, cut + 0.07)], 0.04), 0.7 * bar)
        grip = rod((-0.55 * half, 0, cut + 0.07), (0.55 * half, 0, cut + 0.07), 1.2 * bar)
        kit.link(
            "handle",
            paint(kit.material("metal", name="sack truck arch"), arch, parts="arch"),
            paint(kit.material("rubber", name="sack truck grip"), grip, parts="handle"),
        )
        kit.slide(
            "frame", "handle", axis="z", upper=kit.between(0.5, 0.75, name="sack truck handle opens to") * (cut - 0.15)
        )


def wagon(kit: Kit) -> None:
    """A child's wagon: the front axle steers on a turntable, the drawbar is hinged to it."""
    wood, metal = (
        kit.material("wood", "red", "plastic", "paint", name="wagon wood"),
        kit.material("dark_metal", "metal", "white", name="wagon metal"),
    )
    width, length, deep = (
        kit.between(0.36, 0.5, name="wagon width"),
        kit.between(0.7, 1.0, name="wagon length"),
        kit.between(0.1, 0.2, name="wagon depth"),
    )
    radius, broad = kit.between(0.09, 0.13, name="wagon radius"), kit.between(0.035, 0.05, name="wagon breadth")
    floor = 2.0 * radius + 0.035
    y, out = 0.5 * length - 1.3 * radius, 0.5 * width - 0.01
    stakes = kit.chance(0.45, name="wagon stakes")
    if stakes:
        box = [block((width, length, 0.025), (0, 0, floor + 0.0125), round=0.004, cells=1)]
        for k in range(kit.count(2, 3, name="wagon z")):
            z = floor + 0.07 + 0.085 * k
            box += [block((0.015, length, 0.06), (s * (width / 2 - 0.01), 0, z), round=0.004, cells=1) for s in (-1, 1)]
            box += [block((width, 0.015, 0.06), (0, s * (length / 2 - 0.01), z), round=0.004, cells=1) for s in (-1, 1)]
        box += [
            block((0.03, 0.02, 0.27), (s * (width / 2 - 0.028), e * 0.46 * length, floor + 0.14), round=0.004, cells=1)
            for s in (-1, 1)
            for e in (-1, 0, 1)
        ]
    else:
        box = [tray((width, length, deep), 0.014, (0, 0, floor), round=kit.between(0.03, 0.1, name="wagon box share"))]
        ring = rectangle(width, length, 0.06)
        box.append(tube(np.c_[ring, np.full(len(ring), floor + deep)], 0.011, closed=True, sides=8))
    rear = [rod((-out - 0.6 * broad, y, radius), (out + 0.6 * broad, y, radius), 0.012, sides=12)]
    rear += [
        block((0.05, 0.06, floor - radius + 0.02), (s * 0.55 * out, y, (floor + radius) / 2), round=0.005, cells=1)
        for s in (-1, 1)
    ]
    ring_plate = rod((0, -y, floor - 0.014), (0, -y, floor + 0.003), 0.085, sides=24)
    kit.link("wagon", paint(wood, box, parts="box"), paint(metal, rear, ring_plate, parts="rear, ring plate"))
    reach = 1.3 * radius + 0.09  # from the turntable to the drawbar's pin
    steer, pin = kit.between(20, 30, name="wagon steer"), np.array([0.0, -y - reach, radius])
    bogie = [rod((0, -y, floor - 0.028), (0, -y, floor - 0.0145), 0.08, sides=24)]
    bogie.append(block((0.07, 0.07, floor - radius - 0.01), (0, -y, (floor + radius) / 2 - 0.012), round=0.006))
    bogie.append(rod((-out - 0.6 * broad, -y, radius), (out + 0.6 * broad, -y, radius), 0.012, sides=12))
    bogie.append(block((1.4 * out, 0.05, 0.035), (0, -y, radius + 0.005), round=0.006))
    bogie += [block((0.016, reach, 0.03), (s * 0.02, -y - reach / 2, radius), round=0.004, cells=1) for s in (-1, 1)]
    bogie.append(rod(pin - (0.035, 0, 0), pin + (0.035, 0, 0), 0.009, sides=10))
    kit.link("bogie", paint(metal, bogie, parts="bogie"))
    kit.hinge("wagon", "bogie", at=(0, -y, floor), axis="z", lower=-steer, upper=steer)
    shared = draw_wheel_style(kit, "bolts", "spokes")
    for name, parent, at in (("front", "bogie", -y), ("rear", "wagon", y)):
        for side, s in (("left", -1), ("right", 1)):
            add_wheel(kit, parent, f"{name}_{side}_wheel", radius, broad, (s * out, at, radius), shared)
    lean = np.radians(kit.between(35, 65, name="wagon lean share"))
    way, long = np.array([0.0, -np.cos(lean), np.sin(lean)]), kit.between(0.55, 0.75, name="wagon length")
    end, half = pin + long * way, kit.between(0.05, 0.08, name="wagon half")
    eye = barrel(pin, "x", 0.022, 0.017)
    grip = [(0.0, 0.0), (half, 0.06), (half, 0.13), (-half, 0.13), (-half, 0.06)]
    if kit.chance(0.5, name="wagon handle"):
        handle = tube(
            fillet(np.array([end + (x, 0, 0) + t * way for x, t in grip]), 0.03, closed=True), 0.009, closed=True
        )
    else:
        handle = rod(end - (half, 0, 0), end + (half, 0, 0), 0.015)
    kit.link(
        "drawbar",
        paint(metal, eye, rod(pin, end + 0.005 * way, 0.0095), parts="eye, "),
        paint(kit.material("black", "wood", "plastic", name="wagon handle"), handle, parts="handle"),
    )
    down = np.degrees(lean) - 5
    kit.hinge("bogie", "drawbar", at=pin, axis="x", lower=-max(5.0, 70 - np.degrees(lean)), upper=down)


def pram(kit: Kit) -> None:
    """A pram: a tub with a hood that folds back, on four spoked wheels, its handle fixed."""
    cloth, metal = (
        kit.material("fabric", "leather", "black", "ocean", name="pram cloth"),
        kit.material("metal", "metal", "white", "black", name="pram metal"),
    )
    wide, length, deep = (
        kit.between(0.36, 0.42, name="pram width"),
        kit.between(0.75, 0.88, name="pram length"),
        kit.between(0.22, 0.28, name="pram depth"),
    )
    rear, front = kit.between(0.13, 0.19, name="pram rear"), kit.between(0.1, 0.13, name="pram front")
    front = rear if kit.chance(0.4, name="own pram front") else front
    bottom, tire = 2.0 * rear + kit.between(0.06, 0.16, name="pram bottom share"), 0.035
    top = bottom + deep
    rings = []
    for share, inset in ((0.0, 0.0), (0.25, 0.0), (1.0, 0.0), (1.0, 0.02), (0.3, 0.02), (0.08, 0.03)):
        scale = 0.62 + 0.38 * np.sin(0.5 * np.pi * share) ** 0.8
        ring = rectangle(wide * scale - 2 * inset, length * scale - 2 * inset, 0.42 * wide * scale - 0.8 * inset)
        rings.append(np.c_[ring, np.full(len(ring), bottom + share * deep)])
    edge = tube(rings[2], 0.009, closed=True, sides=8)
    x, y = 0.5 * wide - 0.02, 0.36 * length
    chassis = []
    for s in (-1, 1):
        chassis.append(
            tube(
                fillet(
                    [
                        (s * x, y, rear),
                        (s * x, y, 0.55 * bottom + 0.45 * rear),
                        (s * x, -y, 0.5 * bottom + 0.5 * front),
                        (s * x, -y, front),
                    ],
                    0.12,
                ),
                0.011,
            )
        )
        chassis.append(
            tube(
                fillet(
                    [
                        (s * x, 0.8 * y, 0.6 * bottom),
                        (s * x, 0.62 * y, bottom + 0.01),
                        (s * x * 0.6, 0.5 * y, bottom + 0.04),
                    ],
                    0.04,
                ),
                0.01,
            )
        )
        chassis.append(
            tube(
                fillet(
                    [
                        (s * x, -0.8 * y, 0.55 * bottom),
                        (s * x, -0.62 * y, bottom + 0.01),
                        (s * x * 0.6, -0.5 * y, bottom + 0.04),
                    ],
                    0.04,
                ),
                0.01,
            )
        )
    out = x + 0.02 + 0.5 * tire
    chassis += [
        rod((-out - tire, e * y, r), (out + tire, e * y, r), 0.009, sides=12) for e, r in ((1, rear), (-1, front))
    ]
    chassis.append(
        rod((-x, 0, 0.53 * bottom + 0.25 * (rear + front)), (x, 0, 0.53 * bottom + 0.25 * (rear + front)), 0.009)
    )
    radius, half = 0.5 * length * kit.between(0.72, 0.85, name="pram radius share"), 0.5 * wide + 0.028
    pivot = np.array([0.0, 0.5 * length + 0.035 - radius, top + 0.012])
    pins = [
        rod(pivot + (s * (half - 0.05), 0, -0.004), pivot + (s * (half + 0.012), 0, -0.004), 0.014, sides=12)
        for s in (-1, 1)
    ]
    kit.link(
        "pram",
        paint(cloth, loft(np.stack(rings))),
        paint(metal, chassis, pins, parts="chassis, pins"),
        paint(kit.material("black", "white", name="pram edge"), edge, parts="edge"),
    )
    shared = draw_wheel_style(kit, "spokes", "spokes", "bolts")
    for name, e, r in (("front", -1, front), ("rear", 1, rear)):
        for side, s in (("left", -1), ("right", 1)):
            add_wheel(kit, "pram", f"{name}_{side}_wheel", r, tire, (s * out, e * y, r), shared)
    angle = 0.5 * np.pi * np.linspace(-1, 1, 21)
    cut = np.stack(
        [half * np.sign(np.sin(angle)) * np.abs(np.sin(angle)) ** 0.3, radius * np.maximum(np.cos(angle), 0.0) ** 0.3],
        axis=1,
    )
    cut[[0, -1], 1] = 0.06 * radius
    turn = np.radians(np.linspace(6, kit.between(80, 105, name="pram turn share"), 12))[:, None]
    ribs = 1.0 + 0.012 * np.cos(6 * turn)
    grid = np.stack(
        [
            np.broadcast_to(cut[:, 0], (12, 21)),
            pivot[1] + ribs * cut[:, 1] * np.cos(turn),
            pivot[2] + ribs * cut[:, 1] * np.sin(turn),
        ],
        axis=2,
    )
    disc = [
        rod(pivot + (s * (half - 0.012), 0, -0.004), pivot + (s * (half + 0.008), 0, -0.004), 0.03) for s in (-1, 1)
    ]
    kit.link("hood", paint(cloth, slab(grid, 0.012), parts="slab"), paint(metal, disc, parts="disc"))
    kit.hinge("pram", "hood", at=pivot, axis="-x", lower=0, upper=kit.between(30, 45, name="pram hood opens to"))
    grip_y, grip_z = (
        0.5 * length + kit.between(0.2, 0.3, name="pram grip y share"),
        top + kit.between(0.1, 0.25, name="pram grip z share"),
    )
    bow = tube(
        bow_path(x + 0.004, [(0.86 * y, 0.6 * bottom), (0.5 * length + 0.1, bottom), (grip_y, grip_z)], 0.1), 0.011
    )
    kit.meshes["pram"].append(paint(metal, bow, parts="bow"))
