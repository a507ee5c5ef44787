"""A monitor or television: a screen that tilts, swivels, rises or turns on its stand or arm, or an old set."""

from functools import partial

import numpy as np

from neurok.data.procedural.fittings import barrel, feet, knuckles, legs
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import (
    ball,
    block,
    fillet,
    frame,
    pipe,
    rectangle,
    ribbon,
    rod,
    stack_outlines,
    tray,
    tube,
)
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    kind = kit.pick(
        "monitor", "monitor", "monitor", "television", "television", "bent", "arm", "tube", "retro", name="style"
    )
    if kind == "tube":
        _tube_monitor(kit)
    elif kind == "retro":
        _retro(kit)
    else:
        _flat(kit, kind)


def _flat(kit: Kit, kind: str) -> None:
    """A flat screen and what bears it."""
    width = (
        kit.between(0.75, 1.3, name="flat width") if kind == "television" else kit.between(0.4, 0.65, name="flat width")
    )
    height = width / kit.pick(*((1.78,) if kind == "television" else (1.33, 1.6, 1.78, 1.78, 2.3)), name="flat height")
    shell, stand = (
        kit.material("black", "black", "dark_metal", "white", "metal", name="flat shell"),
        kit.material("black", "metal", "white", name="flat stand"),
    )
    portrait = kind in ("monitor", "arm") and kit.chance(0.45, name="portrait turn")
    radius, reach = 0.03 * np.hypot(width, height), kit.between(0.1, 0.13, name="flat reach share") * height + 0.03
    if kind == "arm":
        level = 0.5 * height + 0.1
        parent = _arm(kit, stand, np.array([0.0, 0.0, level]), 0.45 * radius + 0.006, width)
    else:
        below = 0.5 * np.hypot(width, height) if portrait else 0.5 * height
        level = below + kit.between(0.06, 0.12, name="flat level share")
        parent = _stand(kit, kind, stand, level, width, 0.5 * radius + 0.004)
    pin = np.array([0.0, 0.0, level])

    # Cheeks on both sides of the pin, and a plate that bears the screen.
    half, r = 0.06 * width, 0.5 * radius + 0.004
    reach = max(reach, 2.5 * r + 0.09 * height)
    cheeks = [block((0.012, reach, 1.6 * r), pin + (s * (half + 0.007), -reach / 2, 0), round=0.002) for s in (-1, 1)]
    eyes = knuckles(pin, "x", half + 0.007, 0.014, r)
    mount = block((2 * half + 0.05, 0.012, 2 * half + 0.03), pin - (0, reach, 0), round=0.003)
    head = paint(stand, cheeks, eyes, mount, parts="cheeks, eyes, mount")
    back = -reach - 0.004
    add_tilt = partial(
        kit.hinge,
        at=pin,
        axis="-x",
        lower=-kit.between(2, 5, name="flat add tilt share"),
        upper=kit.between(12, 25, name="flat add tilt share"),
    )
    if portrait:
        boss = rod((0, back, level), (0, back - 0.014, level), 0.8 * half)
        kit.link("head", head, paint(stand, boss, parts="boss"))
        add_tilt(parent, "head")
        _screen(kit, width, height, back - 0.012, level, shell)
        turn = kit.pick((0, 90), (-90, 0), (-90, 90), name="turn")
        kit.hinge("head", "screen", at=pin, axis="y", lower=turn[0], upper=turn[1])
    else:
        _screen(kit, width, height, back, level, shell, head)
        add_tilt(parent, "screen")


def _screen(
    kit: Kit, width: float, height: float, back: float, level: float, shell: Material, *extra: Mesh
) -> None:  # fmt: skip
    """A bezel about the glass and a housing bulging behind, its back at y = `back`; on some, keys below the glass."""
    bulge, flat = (
        kit.between(0.02, 0.035, name="screen bulge share") * height + 0.012,
        kit.between(0.025, 0.05, name="screen flat share") * height + 0.006,
    )
    side = kit.between(0.012, 0.05, name="screen side share") * height + 0.004
    chin = kit.pick(0.0, kit.between(0.06, 0.14, name="screen chin share"), name="screen chin") * height
    front, middle = back - bulge - flat, back - bulge - flat / 2
    foot = level - height / 2 + (side + chin) / 2  # the middle of the bezel's lower edge
    wide, tall = (
        kit.between(0.4, 0.8, name="screen width share") * width,
        kit.between(0.45, 0.8, name="screen height share") * height,
    )
    pieces = [
        block((width - 0.004, 0.7 * flat, height - 0.004), (0, middle + 0.15 * flat, level), round=0.1 * flat),
        frame(width, height, side, flat, (0, middle, level), round=0.3 * side),
        block((wide, 1.3 * bulge, tall), (0, back - 0.65 * bulge, level), round=0.4 * bulge),
    ]
    if chin:
        pieces.append(block((width - side, flat, chin + side / 2), (0, middle, foot + side / 4), round=0.002))
    glass = block(
        (width - 1.8 * side, 0.3 * flat, height - 1.8 * side - chin), (0, front + 0.3 * flat, level + chin / 2), round=0
    )
    badge = block((0.08 * width, 0.008, 0.3 * (side + chin)), (0, front, foot), round=0.001)
    kit.link(
        "screen",
        *extra,
        paint(shell, pieces),
        paint(kit.material("glass", "black", "dark_metal", name="screen glass"), glass, parts="glass"),
        paint(kit.material("metal", "white", name="screen badge"), badge, parts="badge"),
    )
    if kit.chance(0.5, name="vents"):
        levels = level + height * np.array([0.12, 0.15, 0.18])
        vents = [block((0.3 * width, 0.012, 0.008), (0, back - 0.004, z), round=0) for z in levels]
        kit.meshes["screen"].append(paint(kit.material("black", name="screen vents"), vents, parts="vents"))
    if chin + side > 0.03 and kit.chance(0.8, name="buttons"):
        _keys(kit, width, front, foot, min(0.8 * (chin + side), 0.04), shell)


def _keys(kit: Kit, width: float, front: float, z: float, tall: float, shell: Material) -> None:
    """A strip at the right of the bezel with keys that are pressed in."""
    wall = gap = 0.0035 + 0.003 * width
    deep, travel = 0.016, 0.004 + 0.002 * width
    count, pitch = kit.count(1, 5, name="buttons"), 0.04 * width + 0.01
    long = count * pitch + gap + 2 * wall
    x = min(0.34 * width, 0.48 * width - long / 2)
    strip = tray((long, tall, deep), 0.8 * wall, (x, front + 0.004, z), "-y")
    kit.meshes["screen"].append(paint(shell, strip, parts="strip"))
    color = kit.material("metal", "white", "black", name="keys colour")
    room = max(tall - 2 * wall - 2 * gap, 0.3 * tall)
    for i in range(count):
        floor = front + 0.004 - 0.8 * wall - travel - 0.0005
        at = (x + (i - (count - 1) / 2) * pitch, floor - 0.006, z)
        name = kit.link(f"key_{i + 1}", paint(color, block((pitch - gap, 0.012, room), at, round=0.001)))
        kit.slide("screen", name, axis="y", upper=travel)


def _stand(kit: Kit, kind: str, color: Material, level: float, width: float, radius: float) -> str:
    """A foot, and a column up to the pin, that turns on the foot or rises on some; returns the link with the pin."""
    pin = np.array([0.0, 0.0, level])
    knuckle = paint(color, barrel(pin, "x", 0.12 * width, radius))
    if kind == "bent":
        spread, thick = kit.between(0.3, 0.45, name="stand spread share") * width, 0.012
        path = np.array([(0, -0.3 * level, 0), (0, 0.25 * level + 0.05, 0), (0, 0.25 * level + 0.05, 0.1 * level), pin])
        bow = ribbon(fillet(path, 0.1 * level, steps=5), spread, thick, "x", sides=12)
        cut = block((0.12 * width, 0.012, 0.3 * level), pin - (0, -0.02, 0.12 * level), round=0.002)
        kit.link("stand", paint(color, bow, cut, parts="bow, cut"), knuckle)
        return "stand"
    thick = kit.between(0.01, 0.018, name="stand thickness")
    kit.link("foot", paint(color, _foot(kit, width, thick), parts="foot"))
    hub = kit.between(0.045, 0.06, name="stand hub share") * width
    wide, deep = (
        (0.1 * width, 1.6 * radius) if kit.chance(0.5, name="flat column") else (0.0, 0.0)
    )  # a flat column, or a round one
    rises = kind == "monitor" and kit.chance(0.5, name="height adjustment")
    low, top = thick, level - (0.42 * level if rises else 0.0)
    shaft = 0.8 * radius
    if rises:
        tower = pipe((0, 0, low), (0, 0, top), shaft + 0.01, 0.0065)
        if wide:
            tower = tray((wide + 0.02, deep + 0.02, top - low), 0.0065, (0, 0, low), round=0.004)
    else:
        tower = rod((0, 0, low), (0, 0, level), shaft, sides=20)
        if wide:
            tower = block((wide, deep, level - thick), (0, 0, (thick + level) / 2 + 0.002), round=0.003)
    collar = rod((0, 0, low), (0, 0, low + 0.012), max(hub, shaft + 0.012), sides=28)
    column = [paint(color, tower, collar, parts="tower, collar"), *([] if rises else [knuckle])]
    parent = "foot"
    if kit.chance(0.65, name="column turns"):
        parent = kit.link("column", *column)
        swing = kit.pick(20, 30, 45, 90, name="stand swing")
        kit.hinge("foot", "column", at=(0, 0, low), axis="z", lower=-swing, upper=swing)
    else:
        kit.meshes["foot"] += column
    if not rises:
        return parent
    start = low + 0.03
    lift = rod((0, 0, start), (0, 0, level), shaft, sides=20)
    if wide:
        lift = block((wide, deep, level - start), (0, 0, (start + level) / 2), round=0.003)
    kit.link("lift", paint(kit.material("metal", "black", name="stand lift"), lift, parts="lift"), knuckle)
    kit.slide(parent, "lift", axis="z", upper=kit.between(0.5, 0.85, name="stand lift opens to") * (top - start))
    return "lift"


def _foot(kit: Kit, width: float, thick: float) -> list[Mesh]:
    """Round, oval, rectangular, or two or three spread legs."""
    style, long = kit.pick("round", "oval", "plate", "vee", "star", name="foot style"), 0.17 * width + 0.06
    if style == "round":
        return [rod((0, -0.02, 0), (0, -0.02, thick), 1.05 * long, sides=40)]
    if style == "oval":
        disc = rod((0, 0, 0), (0, 0, thick), 1.0, sides=40, round=0.3 * thick)
        return [disc.with_vertices(disc.vertices * (1.5 * long, long, 1) - (0, 0.02, 0))]
    if style == "plate":
        return [
            block(
                (kit.between(2.2, 3.2, name="foot block size") * long, 1.7 * long, thick),
                (0, -0.02, thick / 2),
                round=0.3 * thick,
            )
        ]
    ways = ((-145, -35), (-150, -30, 90))[style == "star"]
    ends = [1.6 * long * np.array([np.cos(np.radians(a)), np.sin(np.radians(a)), 0]) for a in ways]
    middle = np.array([0, 0.02, thick / 2])
    arms = [
        ribbon(
            np.linspace(middle, end + (0, 0, thick / 2), 4),
            np.linspace(0.06, 0.035, 4),
            thick,
            np.cross(end, (0, 0, 1)),
        )
        for end in ends
    ]
    return [*arms, rod((0, 0, 0), (0, 0, thick), 0.07 * width + 0.01, sides=28)]


def _arm(kit: Kit, color: Material, pin: Array, radius: float, width: float) -> str:
    """Two links that fold between a plate on the wall and the pin; returns the link with the pin."""
    far, out, tall = (
        kit.between(0.2, 0.3, name="arm far share") * width,
        kit.between(0.16, 0.22, name="arm out share") + 0.1 * width,
        0.045,
    )
    under = pin - (0, 0, radius + 0.01 + 0.5 * tall)  # both links pass below the pin, the second above the first
    wrist, elbow, wall = under + (0, 0.02, 0), under + (far, out, 0), under + (0, 2 * out, -1.1 * tall)
    plate = block((0.12, 0.02, 0.2), wall + (0, 0.05, 0), round=0.004)
    lugs = [block((0.036, 0.06, 0.012), wall + (0, 0.022, s * 0.7 * tall), round=0.003) for s in (-1, 1)]
    kit.link(
        "plate",
        paint(
            color, plate, lugs, rod(wall - (0, 0, 0.8 * tall), wall + (0, 0, 0.8 * tall), 0.011), parts="plate, lugs, "
        ),
    )
    drop = np.array([0, 0, -1.1 * tall])
    for name, a, b in (("upper_arm", wall, elbow + drop), ("lower_arm", elbow, wrist)):
        way = 0.019 * (b - a) / np.linalg.norm(b - a)
        bar = ribbon(np.linspace(a + way, b - way, 4), 0.8 * tall, 0.024, "z", sides=10)
        hubs = [rod(p - (0, 0, 0.45 * tall), p + (0, 0, 0.45 * tall), 0.021, sides=20) for p in (a, b)]
        kit.link(name, paint(color, bar, hubs, parts="bar, hubs"))
    kit.meshes["upper_arm"].append(paint(color, rod(elbow + 1.1 * drop, elbow - 0.5 * drop, 0.011)))
    stem = rod(wrist - (0, 0, 0.5 * tall), wrist + (0, 0, 0.5 * tall + 0.01 + radius), 0.012)
    kit.link("wrist", paint(color, barrel(pin, "x", 0.12 * width, radius), stem, parts=", stem"))
    kit.hinge(
        "plate",
        "upper_arm",
        at=wall,
        axis="z",
        lower=-kit.between(15, 30, name="arm upper arm goes back to"),
        upper=kit.between(20, 40, name="arm upper arm opens to"),
    )
    kit.hinge(
        "upper_arm",
        "lower_arm",
        at=elbow,
        axis="z",
        lower=-kit.between(5, 15, name="arm lower arm goes back to"),
        upper=kit.between(20, 40, name="arm lower arm opens to"),
    )
    kit.hinge(
        "lower_arm",
        "wrist",
        at=wrist,
        axis="z",
        lower=-kit.between(10, 18, name="arm wrist goes back to"),
        upper=kit.between(10, 18, name="arm wrist opens to"),
    )
    return "wrist"


def _cabinet(kit: Kit, width: float, height: float, deep: float, level: float, shell: Material, x: float) -> list[Mesh]:
    """A deep case about a bulging picture tube, which is centred at x; the front lies at y = -deep / 2."""
    border, front = 0.09 * height, -deep / 2
    tail = kit.between(0.5, 0.75, name="cabinet tail")
    rings = []
    for share, scale in ((0.0, 1.0), (0.4, 1.0), (0.65, 0.5 + 0.5 * tail), (0.95, tail), (1.0, 0.94 * tail)):
        drop = 0.35 * height * (1 - scale)  # it narrows more from above than from below
        flat = rectangle(scale * width, scale * height, 0.02) + (0, level)
        rings.append((flat - (0, drop), front + 0.06 + share * (deep - 0.06)))
    room = width - 2 * abs(x)
    size = np.array([room - 1.6 * border, height - 1.6 * border])
    bezel = frame(width, height, border, 0.08, (0, front + 0.04, level), round=0.02)
    bulge = ((1.0, 0.08), (1.0, 0.03), (0.85, 0.018), (0.5, 0.01))
    glass = stack_outlines(
        [(rectangle(k * size[0], k * size[1], 0.03) + (x, level), front + sunk) for k, sunk in bulge], "xz"
    )
    return [
        paint(shell, stack_outlines(rings, "xz"), bezel, parts=", bezel"),
        paint(kit.material("glass", "dark_metal", "black", name="cabinet glass"), glass, parts="glass"),
    ]


def _tube_monitor(kit: Kit) -> None:
    """A monitor with a picture tube that swivels and tilts on its round foot."""
    width = kit.between(0.34, 0.46, name="tube monitor width")
    height, deep = 0.84 * width, kit.between(0.9, 1.1, name="tube monitor depth share") * width
    shell = kit.material("white", "white", "paper", "black", name="tube monitor shell")
    bottom = kit.between(0.1, 0.115, name="tube monitor bottom")
    pin = np.array([0.0, 0.0, bottom - 0.022])
    disc, radius = 0.024, kit.between(0.32, 0.4, name="tube monitor radius share") * width
    kit.link("foot", paint(shell, rod((0, 0, 0), (0, 0, disc), radius, end_radius=0.8 * radius, sides=36)))
    neck = rod((0, 0, disc - 0.004), (0, 0, pin[2] - 0.012), 0.4 * radius, sides=28)
    cradle = [block((0.03, 0.045, 0.05), pin + (s * 0.09, 0, -0.014), round=0.006) for s in (-1, 1)]
    kit.link(
        "turntable",
        paint(
            shell, neck, cradle, block((0.21, 0.05, 0.016), pin - (0, 0, 0.032), round=0.004), parts="neck, cradle, "
        ),
    )
    kit.hinge(
        "foot",
        "turntable",
        at=(0, 0, disc),
        axis="z",
        lower=-kit.between(30, 90, name="tube monitor turntable goes back to"),
        upper=kit.between(30, 90, name="tube monitor turntable opens to"),
    )
    trunnion = barrel(pin, "x", 0.24, 0.012)
    saddle = [block((0.03, 0.03, 0.05), pin + (s * 0.05, 0, 0.022), round=0.003) for s in (-1, 1)]
    case = _cabinet(kit, width, height, deep, bottom + height / 2, shell, 0.0)
    badge = block((0.06, 0.012, 0.012), (0, -deep / 2, bottom + 0.045 * height), round=0.002)
    kit.link(
        "screen",
        *case,
        paint(shell, trunnion, saddle, parts="trunnion, saddle"),
        paint(kit.material("metal", "black", name="tube monitor badge"), badge, parts="badge"),
    )
    kit.hinge(
        "turntable",
        "screen",
        at=pin,
        axis="-x",
        lower=-kit.between(2, 4, name="tube monitor screen goes back to"),
        upper=kit.between(6, 9, name="tube monitor screen opens to"),
    )
    _keys(kit, width, -deep / 2, bottom + 0.06 * height, 0.026, shell)


def _retro(kit: Kit) -> None:
    """An old television: two aerials that swing, two dials that turn, a grille that rests; on legs or feet."""
    width = kit.between(0.5, 0.7, name="retro width")
    height, deep = 0.68 * width, kit.between(0.6, 0.8, name="retro depth share") * width
    wood, steel = (
        kit.material("wood", "wood", "plastic", "white", name="retro wood"),
        kit.material("metal", "brass", name="retro steel"),
    )
    stand = kit.pick(0.02, kit.between(0.2, 0.4, name="retro stand share"), name="retro stand")
    props = feet(0.8 * width, 0.6 * deep, 0.02, stand)
    if stand > 0.1:
        props = legs(0.75 * width, 0.5 * deep, stand + 0.02, 0.016, style="splayed")
    level, panel = stand + height / 2, 0.24 * width
    case = _cabinet(kit, width, height, deep, level, wood, -panel / 2)
    x, front = width / 2 - 0.045 * width - panel / 2, -deep / 2
    board = block((panel, 0.05, 0.84 * height), (x, front + 0.03, level), round=0.004)
    slats = [
        block((0.7 * panel, 0.012, 0.012), (x, front + 0.005, level - k * height), round=0.002)
        for k in np.linspace(0.1, 0.34, 6)
    ]
    top = np.array([0.0, 0.05 * deep, stand + height])
    aerials = kit.chance(0.75, name="aerials")
    mound = [ball((0.06, 0.05, 0.035), top - (0, 0, 0.004))] if aerials else []
    kit.link(
        "case",
        *case,
        paint(kit.material("metal", "paper", "black", name="retro board"), board, parts="board"),
        paint(kit.material("black", "brass", name="retro slats"), slats, parts="slats"),
        paint(kit.material("black", name="retro props"), props, mound, parts="props, mound"),
    )
    radius = kit.between(0.24, 0.3, name="retro radius share") * panel
    for name, z in (("channel", 0.32), ("volume", 0.1)):
        at = np.array([x, front + 0.006, level + z * height])
        cap = rod(at, at - (0, 0.03, 0), radius, end_radius=0.85 * radius, sides=24)
        mark = block((0.25 * radius, 0.012, 1.7 * radius), at - (0, 0.032, 0), round=0.001)
        kit.link(name, paint(steel, cap, mark, parts="cap, mark"))
        kit.hinge("case", name, at=at, axis="-y", lower=-150, upper=150)
    if aerials:
        long, lean = kit.between(0.45, 0.8, name="retro length share") * width, kit.between(20, 40, name="retro lean")
        for name, s in (("left_aerial", -1), ("right_aerial", 1)):
            root = top + (s * 0.037, 0, 0.03)
            way = np.array([s * np.sin(np.radians(lean)), 0, np.cos(np.radians(lean))])
            mast = tube(np.stack([root, root + 0.5 * long * way, root + long * way]), np.array([0.006, 0.0055, 0.005]))
            kit.link(
                name,
                paint(
                    steel,
                    mast,
                    ball(0.009, root + long * way, segments=10),
                    ball(0.012, root, segments=12),
                    parts="mast, , ",
                ),
            )
            inward, outward = lean - 6, 65 - lean
            kit.hinge("case", name, at=root, axis=(0, s, 0), lower=-inward, upper=outward)
