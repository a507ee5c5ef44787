"""A printer: inkjet, laser, multifunction or copier; drawers, flaps, a scanner's lid, a paper support, keys."""

from dataclasses import dataclass

import numpy as np

from neurok.data.procedural.fittings import bar_handle, feet, knuckles
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, align, paint, rotate
from neurok.data.procedural.shapes import block, plate, rod, tray
from neurok.geometry.mesh import Material, Mesh


@dataclass(frozen=True)
class PrinterBody:
    """The case: width and depth [m], its walls, the gaps about what moves, and its colours."""

    width: float
    depth: float
    wall: float
    gap: float
    shell: Material
    trim: Material
    dark: Material

    @property
    def front(self) -> float:
        return -self.depth / 2


def draw(kit: Kit) -> None:
    kind = kit.pick("photo", "scanner", "scanner", "laser", "laser", "copier", name="style")
    large = kind == "copier"
    width = kit.between(0.52, 0.64, name="width") if large else kit.between(0.36, 0.48, name="width")
    depth = kit.between(0.5, 0.6, name="depth") if large else kit.between(0.3, 0.42, name="depth")
    drawers = {"photo": (0, 0), "scanner": (0, 2), "laser": (1, 3), "copier": (2, 4)}[kind]
    each = kit.between(0.12, 0.15, name="each") if large else kit.between(0.06, 0.1, name="each")
    layers = [("drawer", each)] * kit.count(*drawers, name="drawers")
    if kind == "laser":
        layers += [("door", kit.between(0.08, 0.13, name="detail")), ("solid", kit.between(0.03, 0.06, name="detail"))]
    else:
        bay = kit.pick("bay", "flap", name="bay") if kind != "photo" else "flap"
        layers += [(bay, kit.between(0.13, 0.18, name="detail") if large else kit.between(0.06, 0.09, name="detail"))]
        layers += [("solid", kit.between(0.07, 0.1, name="detail"))]
    shell, foot = kit.material("white", "white", "black", "dark_metal", "paper", name="shell"), 0.012
    trim = (
        shell
        if kit.chance(0.4, name="plain trim")
        else kit.material("black", "white", "dark_metal", "metal", name="trim")
    )
    high = sum(tall for _, tall in layers)
    gap = 0.0045 * float(np.linalg.norm((width, depth, high + 0.05)))
    body = PrinterBody(width, depth, 0.012 + 0.008 * large, gap, shell, trim, kit.material("black", name="body"))

    kit.link("body", paint(body.dark, feet(0.8 * width, 0.8 * depth, 0.02, foot), parts="feet"))
    z = foot
    for what, tall in layers:
        _layer(kit, body, what, z, tall)
        z += tall
    vents = [
        block((0.008, 0.3 * depth, 0.006), (width / 2, 0.15 * depth, z - 0.02 - 0.014 * i), round=0) for i in range(4)
    ]
    kit.meshes["body"].append(paint(body.dark, vents, parts="vents"))
    if kind in ("scanner", "copier"):
        _scanner(kit, body, z, feeder=large or kit.chance(0.35, name="feeder"))
        tall = layers[-1][1] * 0.8
        at = (kit.pick(0.0, -0.12, 0.12, name="panel place") * width, body.front, z - layers[-1][1] / 2)
        _panel(
            kit,
            body,
            at,
            "-y",
            kit.between(0.6, 0.72, name="panel") * width,
            tall,
            tilts=kit.chance(0.6, name="tilting panel"),
        )
    elif kind == "laser":
        _output_top(kit, body, z)
    else:
        _support(kit, body, z)
        at = (0.3 * width, body.front + 0.14 * depth, z)
        _panel(kit, body, at, "z", 0.34 * width, 0.2 * depth, tilts=False)
    if large and kit.chance(0.6, name="side flap"):
        _side_flap(kit, body, z - layers[-1][1])


def _layer(kit: Kit, body: PrinterBody, what: str, z: float, tall: float) -> None:
    """One storey of the case: solid, or hollow with a drawer, a flap or nothing in its mouth."""
    middle = z + tall / 2
    if what == "solid":
        solid = block((body.width, body.depth, tall + 0.004), (0, 0, middle), round=0.006)
        kit.meshes["body"].append(paint(body.shell, solid))
        return
    shelf = tray((body.width, tall + 0.002, body.depth), body.wall, (0, body.depth / 2, middle), "-y", round=0.004)
    kit.meshes["body"].append(paint(body.shell, shelf, parts="shelf"))
    wide, high, thick = body.width - 2 * (body.wall + body.gap), tall - 2 * (body.wall + body.gap), 0.016
    if what == "bay":
        tongue = block((0.6 * wide, 0.16, 0.01), (0, body.front - 0.04, z + body.wall + 0.003), round=0.003)
        kit.meshes["body"].append(paint(body.dark, tongue, parts="tongue"))
        return
    number = sum(name.startswith(("drawer", "flap")) for name in kit.meshes) + 1
    face = block((wide, thick, high), (0, body.front + thick / 2, middle), round=0.003)
    grip = _grip(kit, (0, body.front, middle + 0.15 * high), wide, high)
    if what == "drawer":
        long = kit.between(0.7, 0.85, name="layer length share") * body.depth
        bin_ = tray((wide - 0.004, long, 0.7 * high), 0.008, (0, body.front + 0.008 + long / 2, middle - 0.48 * high))
        sheets = block(
            (0.7 * wide, 0.8 * long, 0.3 * high), (0, body.front + 0.02 + long / 2, middle - 0.3 * high), round=0
        )
        pieces = [
            paint(body.trim, face, parts="face"),
            paint(body.dark, bin_, grip, parts="tray, handle"),
            paint(kit.material("paper", name="layer pieces"), sheets, parts="sheets"),
        ]
        name = kit.link(f"drawer_{number}", *pieces)
        kit.slide("body", name, axis="-y", upper=kit.between(0.55, 0.8, name="layer body opens to") * long)
        return
    # A flap shuts the mouth; it turns down about its lower edge.
    pin = (0.0, body.front + thick / 2, middle - high / 2 + thick / 2)
    pivots = [
        rod((s * (wide / 2 - 0.01), *pin[1:]), (s * (wide / 2 + body.gap + 0.006), *pin[1:]), 0.3 * thick)
        for s in (-1, 1)
    ]
    kit.meshes["body"].append(paint(body.dark, pivots, parts="pivots"))
    ribs = [
        block((0.006, 0.01, 0.8 * high), (k * wide, body.front + thick, middle), round=0)
        for k in (-0.3, -0.1, 0.1, 0.3)
    ]
    name = kit.link(
        f"flap_{number}", paint(body.trim, face, parts="face"), paint(body.dark, grip, ribs, parts="handle, ribs")
    )
    kit.hinge("body", name, at=pin, axis="x", lower=0, upper=kit.between(70, 88, name="layer body opens to"))


def _grip(kit: Kit, at: tuple[float, float, float], wide: float, high: float) -> list[Mesh]:
    """A bow, a ledge or a shallow plate at the middle of a front."""
    x, y, z = at
    style, half = kit.pick("bow", "ledge", "plate", name="grip style"), 0.15 * wide
    if style == "bow":
        return bar_handle((x - half, y, z), (x + half, y, z), "-y", height=0.02, radius=0.005)
    if style == "ledge":
        return [block((2 * half, 0.03, 0.01), (x, y - 0.006, z), round=0.003)]
    return [block((2 * half, 0.008, 0.35 * high), at, round=0.002)]


def _scanner(kit: Kit, body: PrinterBody, z: float, *, feeder: bool) -> None:
    """A glass bed and the lid over it, hinged at the rear; a document feeder on the lid of some."""
    bed = block((0.8 * body.width, 0.7 * body.depth, 0.006), (0, -0.03, z), round=0.001)
    thick = kit.between(0.02, 0.04, name="scanner thickness")
    pin = np.array([0.0, body.depth / 2 - 0.012, z + body.gap + 0.006])
    hinges = knuckles(pin, "x", 0.32 * body.width, 0.05, body.gap + 0.008)
    kit.meshes["body"] += [
        paint(kit.material("glass", name="scanner bed"), bed, parts="bed"),
        paint(body.dark, hinges, parts="hinges"),
    ]
    rear = pin[1] - 0.5 * (body.gap + 0.008)  # only the lid's edge lies in the knuckles
    long, base = rear - body.front, z + 0.003 + body.gap
    middle = (rear + body.front) / 2
    lid = block((body.width, long, thick), (0, middle, base + thick / 2), round=0.25 * thick)
    pieces = [paint(body.trim, lid, parts="lid")]
    if feeder:
        tall, x = kit.between(0.05, 0.08, name="scanner height"), -0.22 * body.width
        box = block((0.5 * body.width, 0.75 * long, tall), (x, middle, base + thick + tall / 2 - 0.004), round=0.012)
        slope = block(
            (0.46 * body.width, 0.6 * long, 0.012), (0.2 * body.width, middle, base + thick + 0.5 * tall), round=0.003
        )
        stay = block((0.2 * body.width, 0.4 * long, 0.5 * tall), (0.08 * body.width, middle, base + thick + 0.2 * tall))
        slot = block((0.02, 0.6 * long, 0.008), (0.03 * body.width, middle, base + thick + 0.75 * tall), round=0)
        pieces += [
            paint(
                body.shell,
                box,
                stay,
                rotate(slope, "y", -12, (0, 0, base + thick + 0.4 * tall)),
                parts="box, stay, slope",
            )
        ]
        pieces += [paint(body.dark, slot, parts="slot")]
    elif kit.chance(0.6, name="badge"):
        badge = block((0.12 * body.width, 0.03, 0.008), (0, body.front + 0.15 * long, base + thick), round=0.002)
        pieces.append(paint(kit.material("metal", "white", name="scanner badge"), badge, parts="badge"))
    kit.link("lid", *pieces)
    kit.hinge("body", "lid", at=pin, axis="-x", lower=0, upper=kit.between(55, 88, name="scanner lid opens to"))


def _panel(kit: Kit, body: PrinterBody, at: Vector, axis: str, wide: float, tall: float, *, tilts: bool) -> None:
    """A control panel on a face: a display that rests, and keys pressed in; it may swing out about its upper edge."""
    gap, wall, deep = body.gap, 0.006, 0.018
    lift = gap + 0.001 if tilts else -0.004  # off the face it lies on
    pieces = [paint(body.dark, align(tray((wide, tall, deep), wall, (0, 0, lift)), axis, at))]
    share = kit.between(0.3, 0.55, name="panel share")
    screen = block(
        (share * wide, 0.62 * tall, 0.01), (-0.45 * wide + share * wide / 2, 0, lift + wall + 0.004), round=0.001
    )
    pieces.append(
        paint(kit.material("glass", "ocean", "dark_metal", name="panel align"), align(screen, axis, at), parts="screen")
    )
    parent = "body"
    if tilts:
        parent = kit.link("panel", *pieces)
        pin = np.array(at) + (0, -lift - deep / 2, tall / 2 + 0.004)
        pins = knuckles(pin, "x", 0.38 * wide, 0.05, 0.007)
        lugs = [
            block((0.03, lift + deep / 2 + 0.006, 0.008), p.vertices.mean(axis=0) + (0, (lift + deep / 2) / 2, 0))
            for p in pins
        ]
        kit.meshes["body"].append(paint(body.dark, pins, lugs, parts="pins, lugs"))
        kit.hinge("body", "panel", at=pin, axis="-x", lower=0, upper=kit.between(25, 60, name="panel panel opens to"))
    else:
        kit.meshes["body"] += pieces
    columns, rows = kit.count(1, 3, name="key columns"), kit.count(1, 2, name="key rows")
    room, travel = (0.9 - share) * wide - wall, min(0.4 * deep, 1.2 * gap)
    w, h = room / columns, (tall - 2 * wall) / rows
    color = kit.material("white", "metal", "plastic", name="panel colour")
    for i in range(columns * rows):
        x = 0.5 * wide - wall - room + (i % columns + 0.5) * w
        y = (i // columns - (rows - 1) / 2) * h
        size = min(w - gap, 0.05), min(h - gap, 0.03), 0.009
        key = block(size, (x, y, lift + wall + travel + 0.0055), round=0)
        name = kit.link(f"key_{i + 1}", paint(color, align(key, axis, at), parts="key"))
        kit.slide(parent, name, axis="y" if axis == "-y" else "-z", upper=travel)


def _output_top(kit: Kit, body: PrinterBody, z: float) -> None:
    """A laser's top: a slope on which the sheets land, between two cheeks, one of them with keys."""
    rise, side = (
        kit.between(0.05, 0.08, name="output top rise"),
        kit.between(0.18, 0.26, name="output top side share") * body.width,
    )
    far, near = body.depth / 2, body.front
    slope = np.array(
        [
            (near + 0.01, z - 0.01),
            (far, z - 0.01),
            (far, z + rise),
            (far - 0.12, z + rise),
            (far - 0.13, z + 0.008),
            (near + 0.05, z + 0.6 * rise),
        ]
    )
    pieces = [plate(slope, body.width - 0.02, (0, 0, 0), "yz", bevel=0.001)]
    cheeks = [
        block((wide, body.depth, rise + 0.01), (s * (body.width - wide) / 2, 0, z + rise / 2 - 0.003), round=0.008)
        for s, wide in ((1, side), (-1, 0.06))
    ]
    slot = block((0.5 * body.width, 0.012, 0.012), (-0.06, far - 0.125, z + 0.8 * rise), round=0.001)
    kit.meshes["body"] += [paint(body.shell, pieces, cheeks, parts=", cheeks"), paint(body.dark, slot, parts="slot")]
    x = (body.width - side) / 2
    _panel(kit, body, (x, near + 0.3 * body.depth, z + rise + 0.002), "z", 0.85 * side, 0.3 * body.depth, tilts=False)


def _support(kit: Kit, body: PrinterBody, z: float) -> None:
    """An inkjet's paper support: it lies shut on the top, or stands up behind and folds down."""
    wide, long, thick = (
        kit.between(0.6, 0.75, name="support width share") * body.width,
        kit.between(0.5, 0.62, name="support length share") * body.depth,
        0.012,
    )
    pin = np.array([0.0, body.depth / 2 - 0.012, z + body.gap + thick / 2])
    hinges = knuckles(pin, "x", 0.42 * wide, 0.04, body.gap + 0.5 * thick)
    slot = block((0.8 * wide, 0.03, 0.006), pin - (0, 0.05, body.gap + thick / 2), round=0)
    kit.meshes["body"].append(paint(body.dark, hinges, slot, parts="hinges, slot"))
    leaf = block((wide, long, thick), pin - (0, long / 2, 0), round=0.004)
    ribs = [
        block((0.008, 0.8 * long, 0.008), pin + (k * wide, -0.5 * long, thick / 2), round=0) for k in (-0.25, 0, 0.25)
    ]
    rest, widest = (
        kit.pick(0.0, 0.0, kit.between(95, 110, name="support rest share"), name="support rest"),
        kit.between(100, 118, name="support widest"),
    )
    pieces = [paint(body.trim, leaf, parts="leaf"), paint(body.dark, ribs, parts="ribs")]
    kit.add_swung("body", "support", pieces, at=pin, axis="-x", upper=max(widest, rest + 2.0), rest=rest)


def _side_flap(kit: Kit, body: PrinterBody, z: float) -> None:
    """A copier's tray for single sheets at its right side, which folds down."""
    tall, wide, thick = (
        kit.between(0.18, 0.26, name="side flap height"),
        kit.between(0.5, 0.65, name="side flap width share") * body.depth,
        0.016,
    )
    low = z - tall - kit.between(0.0, 0.05, name="side flap lower edge share")
    pin = np.array([body.width / 2 + body.gap + thick / 2, 0.0, low])
    kit.meshes["body"].append(
        paint(body.dark, knuckles(pin, "y", 0.4 * wide, 0.05, body.gap + thick / 2), parts="hinges")
    )
    leaf = block((thick, wide, tall), pin + (0, 0, tall / 2), round=0.004)
    kit.link("side_flap", paint(body.trim, leaf, parts="leaf"))
    kit.hinge(
        "body", "side_flap", at=pin, axis="y", lower=0, upper=kit.between(45, 75, name="side flap side flap opens to")
    )
