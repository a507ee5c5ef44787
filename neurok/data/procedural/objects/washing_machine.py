"""A washing machine: front loader with a round door, top loader with a lid, or a dryer with a square door."""

import numpy as np

from neurok.data.procedural.fittings import bar_handle, barrel, feet, knuckles
from neurok.data.procedural.keys import collared_key, front_knob
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, repeat_around, rotate
from neurok.data.procedural.plates import holed_wall
from neurok.data.procedural.shapes import (
    block,
    fillet,
    frame,
    hoop,
    lathe,
    orient_outward,
    pipe,
    plate,
    rectangle,
    rod,
    tray,
)
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

GAP = 0.004  # between what moves and its surroundings [m]


def draw(kit: Kit) -> None:
    if kit.chance(0.25, name="top loader"):
        _top_loader(kit)
    else:
        _front_loader(kit, round_door=kit.chance(0.75, name="round door"))


def _front_loader(kit: Kit, round_door: bool) -> None:
    """A cabinet open behind its door, where the drum turns; a panel above with the drawer, a knob and keys."""
    wide, deep, tall = (
        kit.between(0.57, 0.68, name="front loader width"),
        kit.between(0.42, 0.62, name="front loader depth"),
        kit.between(0.8, 0.92, name="front loader height"),
    )
    shell = kit.material("white", "white", "white", "metal", "dark_metal", name="front loader shell")
    trim, steel, dark = (
        kit.material("metal", "dark_metal", "white", name="front loader trim"),
        kit.material("metal", name="front loader steel"),
        kit.material("black", name="front loader dark"),
    )
    low, strip = 0.015, kit.between(0.1, 0.14, name="front loader strip")
    front, panel = -deep / 2, low + tall - strip / 2 - 0.025  # the panel's middle height
    hole = kit.between(0.29, 0.36, name="front loader hole share") * wide  # the opening's radius, or half its side
    middle = kit.between(0.44, 0.5, name="front loader middle share") * tall
    room = min(0.28, deep - 0.08)
    sill = panel - strip / 2  # above it lies the panel, below it the door
    walls = holed_wall(wide, low, sill, front, hole, middle, round_hole=round_door)
    shelf = block((wide + 0.004, deep + 0.006, 0.025), (0, -0.003, low + tall - 0.01), round=0.006)
    inside, centre = deep - 0.012, low + (sill - low) / 2
    kit.link(
        "cabinet",
        paint(shell, walls, shelf, parts="walls, shelf"),
        paint(dark, feet(wide - 0.08, deep - 0.08, 0.022, low), parts="feet"),
    )
    if kit.chance(0.3, name="closed front"):  # without a chamber, as many models are
        kit.meshes["cabinet"].append(paint(shell, block((wide, inside, sill - low), (0, 0.006, centre), round=0)))
    else:
        chamber = tray((wide, sill - low, inside), 0.014, (0, deep / 2, centre), "-y")
        kit.meshes["cabinet"].append(paint(shell, chamber, parts="chamber"))
        _drum(kit, np.array([0.0, front + 0.03, middle]), min(1.12 * hole, 0.44 * wide), room, steel, deep / 2 - 0.012)
    if round_door:
        _round_door(kit, hole, front, middle, trim, dark)
    else:
        _square_door(kit, hole, front, middle, shell, trim)
    _panel(
        kit,
        (wide, deep, strip),
        panel,
        shell,
        trim,
        dark,
        drawer=round_door or kit.chance(0.3, name="detergent drawer"),
    )
    if kit.chance(0.5, name="service flap"):
        _flap(kit, wide, front, low, shell, dark)


def _drum(kit: Kit, mouth: Array, radius: float, room: float, steel: Material, wall: float) -> None:
    """A drum on a shaft from the rear, with lifters within."""
    r = radius
    cup = [
        [0.0, room],
        [r, room],
        [r, 0.0],
        [0.92 * r, 0.0],
        [0.92 * r, 0.01],
        [0.965 * r, 0.016],
        [0.965 * r, room - 0.015],
        [0.0, room - 0.015],
    ]
    shell = lathe(np.array(cup), mouth, "y", segments=36)
    lifter = block((0.03, 0.7 * room, 0.05), mouth + (0, 0.5 * room, 0.92 * r), round=0.01)
    back = mouth[1] + room
    kit.meshes["cabinet"].append(
        paint(steel, rod((0, back - 0.004, mouth[2]), (0, wall + 0.005, mouth[2]), 0.05, sides=18))
    )
    kit.link("drum", paint(steel, shell, repeat_around(lifter, 3, "y", mouth), parts="shell, "))
    kit.spin("cabinet", "drum", at=mouth, axis="y")


def _round_door(kit: Kit, hole: float, y: float, z: float, trim: Material, dark: Material) -> None:
    """A ring with a bowl of glass, on a hinge at one side; the ring around the opening stays."""
    outer, thick = (
        hole * kit.between(1.18, 1.3, name="round door outer share"),
        kit.between(0.03, 0.05, name="round door thickness"),
    )
    collar = pipe((0, y + 0.004, z), (0, y - 0.008, z), outer + 0.012, outer + 0.012 - hole, sides=48)
    side = kit.pick(-1, -1, -1, 1, name="door side")
    pivot = np.array([side * (outer + 0.004), y - 0.02, z])
    mount = [block((0.03, 0.022, 0.05), pivot + (0, 0.013, k * 0.08), round=0.005) for k in (-1, 1)]
    pins = knuckles(pivot, "z", 0.08, 0.05, 0.009)
    kit.meshes["cabinet"].append(paint(trim, collar, mount, pins, parts="collar, mount, pins"))
    back = y - 0.008 - GAP
    inner, bulge = 0.74 * outer, kit.between(0.0, 0.03, name="round door bulge")
    ring = np.array(
        [
            [inner, 0],
            [outer, 0],
            [outer, 0.5 * thick],
            [0.93 * outer, thick],
            [0.8 * outer, thick],
            [inner, 0.6 * thick],
        ]
    )
    body = lathe(fillet(ring, 0.006, steps=2, closed=True), (0, back, z), "-y", segments=48, ring=True)
    pane = np.array(
        [
            [0.0, -0.01],
            [1.02 * inner, -0.01],
            [1.02 * inner, 0.5 * thick],
            [0.6 * inner, 0.5 * thick + bulge],
            [0, 0.5 * thick + 1.2 * bulge],
        ]
    )
    tongue = block((0.05, 0.014, 0.09), pivot + (-side * 0.03, -0.012, 0), round=0.005)
    knuckle = barrel(pivot, "z", 0.1, 0.009)
    arm = block((0.02, 0.012, 0.09), pivot + (-side * 0.004, -0.008, 0), round=0.003)
    glass = kit.material("glass", "black", name="round door glass")
    pieces = [
        paint(kit.pick(trim, trim, dark, name="door colour"), body, parts="body"),
        paint(glass, lathe(pane, (0, back, z), "-y", segments=40)),
    ]
    grip = -side * 0.87 * outer
    if kit.chance(0.6, name="block handle"):
        pull = block((0.03, 0.022, 0.12), (grip, back - thick - 0.004, z), round=0.008)
    else:
        pull = rotate(
            block((0.025, 0.02, 0.1), (grip, back - thick - 0.002, z), round=0.008),
            "y",
            kit.between(-25, 25, name="round door pull share"),
            (0, 0, z),
        )
    kit.link(
        "door",
        *pieces,
        paint(trim, tongue, arm, knuckle, parts="tongue, arm, hinges"),
        paint(dark, pull, parts="handle"),
    )
    axis = "-z" if side < 0 else "z"
    kit.hinge(
        "cabinet", "door", at=pivot, axis=axis, lower=0, upper=kit.between(95, 150, name="round door door opens to")
    )


def _square_door(kit: Kit, hole: float, y: float, z: float, shell: Material, trim: Material) -> None:
    """A flat door with round corners, hung at a side or at its lower edge."""
    half, thick = (
        hole + kit.between(0.025, 0.05, name="square door half share"),
        kit.between(0.022, 0.035, name="square door thickness"),
    )
    centre = y - GAP - thick / 2
    leaf = plate(
        rectangle(2 * half, 2 * half, kit.between(0.02, 0.12, name="square door leaf share")),
        thick,
        (0, centre, z),
        "xz",
        bevel=0.006,
    )
    face = y - GAP - thick
    pieces = [paint(shell, leaf, parts="leaf")]
    if kit.chance(0.5, name="round window"):
        pane = rod((0, face + 0.006, z), (0, face - 0.004, z), 0.62 * half, sides=36)
        pieces += [
            paint(kit.material("black", "glass", name="square door pane"), pane, parts="pane"),
            paint(trim, hoop(0.63 * half, 0.008, (0, face, z), "y")),
        ]
    else:
        pieces.append(paint(trim, frame(1.5 * half, 1.5 * half, 0.012, 0.008, (0, face, z), round=0.04)))
    side = kit.pick("left", "right", "lower", name="door side")
    sign = {"left": -1, "right": 1, "lower": -1}[side]
    along, lift = ("x", (0, 0, 1)) if side == "lower" else ("z", (1, 0, 0))
    pivot = np.array([0, y - GAP - 0.004, z]) + sign * (half + 0.003) * np.array(lift)
    way = np.array([1.0, 0, 0]) if side == "lower" else np.array([0, 0, 1.0])
    kit.meshes["cabinet"].append(paint(trim, knuckles(pivot, along, 0.6 * half, 0.12 * half, 0.008), parts="hinges"))
    at = np.array([0, face, z]) - sign * 0.86 * half * np.array(lift)
    pull = bar_handle(
        at - 0.3 * half * way,
        at + 0.3 * half * way,
        "-y",
        height=0.025,
        radius=0.008,
        square=kit.chance(0.5, name="square handle"),
    )
    kit.link("door", *pieces, paint(trim, pull, parts="handle"))
    axis = {"left": "-z", "right": "z", "lower": "x"}[side]
    kit.hinge(
        "cabinet", "door", at=pivot, axis=axis, lower=0, upper=kit.between(85, 110, name="square door door opens to")
    )


def _panel(
    kit: Kit, size: tuple[float, float, float], z: float, shell: Material, trim: Material, dark: Material, drawer: bool
) -> None:
    """Drawer at the left, a knob, a screen and keys, on a strip that stands out a little."""
    wide, deep, strip = size
    y, out, slot, left = -deep / 2, 0.012, kit.between(0.26, 0.34, name="panel slot share") * wide, -wide / 2 + 0.012
    colour = kit.pick(shell, shell, dark, name="panel colour")
    begin = left + slot if drawer else -wide / 2
    middle, tall = (wide / 2 + begin) / 2, strip + 0.006
    field = block((wide / 2 - begin, 0.03, strip), (middle, y + 0.015 - out, z), round=0.005)
    behind = block((wide / 2 - begin, deep, tall), (middle, 0, z + 0.003), round=0)
    dial = begin + kit.between(0.12, 0.2, name="panel dial share") * wide
    screen = block((0.2 * wide, 0.006, 0.45 * strip), (wide / 2 - 0.14 * wide, y - out, z), round=0.002)
    kit.meshes["cabinet"] += [
        paint(colour, field),
        paint(shell, behind, parts="behind"),
        paint(kit.material("glass", "black", name="panel screen"), screen, parts="screen"),
    ]
    if drawer:
        cheek = block((0.012, deep, tall), (left - 0.006, 0, z + 0.003), round=0)
        rear = block((slot + 0.012, 0.012, tall), (left + slot / 2, deep / 2 - 0.006, z + 0.003), round=0)
        kit.meshes["cabinet"].append(paint(shell, cheek, rear, parts="cheek, rear"))
        x, long = left + slot / 2, min(0.26, deep - 0.1)
        face = block((slot - 2 * GAP, 0.018, strip - 2 * GAP), (x, y - out + 0.009, z), round=0.005)
        box = tray((slot - 3 * GAP, long, 0.6 * strip), 0.006, (x, y + long / 2, z - strip / 2 + 0.003))
        ribs = [
            block((0.005, long, 0.5 * strip), (x + k * slot, y + long / 2, z - 0.2 * strip), round=0)
            for k in (-0.16, 0.16)
        ]
        grip = block((0.5 * slot, 0.012, 0.2 * strip), (x, y - out - 0.003, z - 0.2 * strip), round=0.003)
        kit.link(
            "drawer",
            paint(colour, face, parts="face"),
            paint(kit.material("white", "metal", name="panel box"), box, ribs, parts="box, ribs"),
            paint(trim, grip, parts="handle"),
        )
        kit.slide("cabinet", "drawer", axis="-y", upper=kit.between(0.5, 0.8, name="panel drawer opens to") * long)
    if kit.chance(0.85, name="dial"):
        radius = kit.between(0.24, 0.34, name="panel radius share") * strip
        at = np.array([dial, y - out, z])
        kit.meshes["cabinet"].append(paint(trim, hoop(1.15 * radius, 0.002, at, "y", segments=28)))
        front_knob(
            kit, "cabinet", "knob", at, radius, long=0.024, taper=0.9, mark=(0.005, 0.006, 0.5 * radius),
            lift=(0.023, 0.6 * radius), colors=(trim, dark), sides=28,
        )  # fmt: skip
    fitting = int((0.25 * wide - 0.02 - dial - 0.45 * strip) / 0.028)  # up to the screen
    for i in range(min(kit.count(1, 4, name="buttons"), fitting)):
        at = np.array([dial + 0.45 * strip + 0.012 + 0.028 * i, y - out, z - 0.22 * strip])
        collared_key(
            kit,
            "cabinet",
            f"button_{i + 1}",
            at,
            "-y",
            key=(0.008, 0.005, 0.012),
            collar=(0.0115, 0.002, -0.004, 0.005),
            colors=(trim, kit.pick(dark, trim, name="key colour")),
            travel=0.004,
            sides=(16, 14),
        )


def _flap(kit: Kit, wide: float, y: float, low: float, shell: Material, dark: Material) -> None:
    """A small flap over the pump's filter, hinged at its lower edge."""
    w, h, s = 0.13, kit.between(0.07, 0.09, name="flap h"), kit.pick(-1, 1, name="flap side")
    at = np.array([s * (wide / 2 - 0.1), y - 0.006, low + 0.03])
    kit.meshes["cabinet"].append(paint(dark, barrel(at, "x", 0.7 * w, 0.005)))
    leaf = block((w, 0.008, h), at + (0, -0.003, h / 2), round=0.003)
    kit.link(
        "flap",
        paint(shell, leaf, parts="leaf"),
        paint(dark, block((0.03, 0.006, 0.012), at + (0, -0.006, h - 0.012), round=0.002)),
    )
    kit.hinge("cabinet", "flap", at=at, axis="x", lower=0, upper=kit.between(70, 100, name="flap flap opens to"))


def _top_loader(kit: Kit) -> None:
    """A tub open at the top under a lid hinged at its rear, and a console behind with knobs."""
    wide, deep, tall = (
        kit.between(0.56, 0.7, name="top loader width"),
        kit.between(0.56, 0.68, name="top loader depth"),
        kit.between(0.84, 0.95, name="top loader height"),
    )
    shell = kit.material("white", "white", "metal", "dark_metal", name="top loader shell")
    trim, steel, dark = (
        kit.material("metal", "dark_metal", name="top loader trim"),
        kit.material("metal", name="top loader steel"),
        kit.material("black", name="top loader dark"),
    )
    low, console = 0.02, kit.between(0.09, 0.14, name="top loader console")  # the console's depth
    top, rear = low + tall, deep / 2 - console
    box = tray((wide, deep, tall - 0.02), 0.02, (0, 0, low), round=0.02)
    near = -deep / 2
    radius = min(0.42 * wide, 0.46 * (rear - near) - 0.02)
    centre = np.array([0.0, (rear + near) / 2, low + 0.3 * tall])
    cover = _deck(wide, deep, radius + 0.006, centre[1], top - 0.02)
    rise = kit.between(0.1, 0.17, name="top loader rise")
    slope = np.array(
        [(rear + 0.004, top - 0.01), (deep / 2, top - 0.01), (deep / 2, top + rise), (rear + 0.4 * console, top + rise)]
    )
    back = plate(slope, wide, (0, 0, 0), "yz", bevel=0.006)
    kit.link(
        "cabinet",
        paint(shell, box, cover, parts="box, cover"),
        paint(kit.pick(shell, dark, name="back colour"), back, parts="back"),
        paint(dark, feet(wide - 0.1, deep - 0.1, 0.025, low), parts="feet"),
    )
    way = slope[3] - slope[0]
    normal = np.array([0, -way[1], way[0]]) / np.linalg.norm(way)
    spot = (slope[0] + slope[3]) / 2
    screen = kit.pick(True, False, name="screen")
    count = kit.count(1, 3, name="buttons")
    for i, x in enumerate(np.linspace(-0.34, 0.34, count + 1)[: count + 1 if not screen else count]):
        at = np.array([x * wide, *spot])
        size = kit.between(0.022, 0.036, name="top loader size")
        cap = rod(at - 0.004 * normal, at + 0.022 * normal, size, end_radius=0.88 * size, sides=26)
        ridge = rod(at + 0.02 * normal, at + 0.03 * normal, 0.3 * size, sides=12)
        kit.link(f"knob_{i + 1}", paint(trim, cap, parts="cap"), paint(dark, ridge, parts="ridge"))
        kit.spin("cabinet", f"knob_{i + 1}", at=at, axis=normal)
    if screen:
        at = np.array([0.34 * wide, *spot])
        kit.meshes["cabinet"].append(
            paint(
                kit.material("glass", name="top loader rod"),
                rod(at - 0.003 * normal, at + 0.003 * normal, 0.03, sides=6),
            )
        )
    depth = top - 0.05 - centre[2]
    cup = np.array([[0, 0], [1, 0], [1, 1], [0.95, 1], [0.95, 0.03], [0, 0.03]]) * (0.97 * radius, depth)
    post = lathe(np.array([[0.25, 0], [0.12, 0.25], [0.09, 0.8], [0, 0.85]]) * (radius, depth), centre, segments=20)
    kit.meshes["cabinet"].append(paint(dark, rod((0, centre[1], low + 0.01), centre + (0, 0, 0.004), 0.06, sides=16)))
    kit.link("drum", paint(steel, lathe(cup, centre, segments=36)), paint(trim, post, parts="post"))
    kit.spin("cabinet", "drum", at=centre, axis="z")

    hinge = np.array([0.0, rear - 0.012, top + 0.004])
    kit.meshes["cabinet"].append(paint(trim, knuckles(hinge, "x", 0.36 * wide, 0.05, 0.007), parts="hinges"))
    broad, long = wide - kit.between(0.01, 0.08, name="top loader breadth share"), hinge[1] - near - 0.01
    middle = hinge[1] - long / 2
    lid = block((broad, long, 0.018), (0, middle, top + 0.012), round=0.006)
    pieces = [paint(shell, lid, parts="lid")]
    if kit.chance(0.5, name="lid window"):
        pieces.append(
            paint(
                kit.material("glass", "black", name="top loader block"),
                block((0.7 * broad, 0.65 * long, 0.006), (0, middle, top + 0.021), round=0.002),
            )
        )
    pieces.append(paint(trim, block((0.3 * broad, 0.016, 0.012), (0, near + 0.012, top + 0.014), round=0.004)))
    kit.link("lid", *pieces)
    kit.hinge("cabinet", "lid", at=hinge, axis="-x", lower=0, upper=kit.between(60, 74, name="top loader lid opens to"))


def _deck(wide: float, deep: float, hole: float, y: float, z: float) -> Mesh:
    """The cabinet's top, with a round opening over the tub."""
    sheet = holed_wall(wide, -deep / 2, deep / 2, 0.0, hole, y, round_hole=True)
    lying = np.c_[sheet.vertices[:, 0], sheet.vertices[:, 2], z + sheet.vertices[:, 1]]
    return orient_outward(sheet.with_vertices(lying))  # the swap of two axes mirrors it
