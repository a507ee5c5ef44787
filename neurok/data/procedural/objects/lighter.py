"""A lighter: flip-top with a hinged lid, disposable with spark wheel and lever or push button, or long-necked."""

import numpy as np

from neurok.data.procedural.fittings import barrel, knuckles
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, paint, repeat_around, translate
from neurok.data.procedural.shapes import block, fillet, hoop, pipe, plate, rectangle, rod, tray, tube
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    """Broad along x; the flip-top and the disposable ones stand upright, the long-necked one lies along x."""
    style = kit.pick("flip", "flip", "wheel", "wheel", "button", "neck", "neck", name="style")
    if style == "flip":
        _flip(kit)
    elif style == "neck":
        _long_neck(kit)
    else:
        _disposable(kit, style)


def _spark_wheel(kit: Kit, at: Vector, radius: float, width: float, axle: float) -> list[Mesh]:
    """A knurled wheel between two notched discs on an axle [m] long, turning about y."""
    x, y, z = at
    disc = 0.22 * width
    core = rod((x, y - 0.5 * width, z), (x, y + 0.5 * width, z), 0.86 * radius, sides=20)
    tooth = block((0.22 * radius, width - 2 * disc, 0.2 * radius), (x, y, z + 0.86 * radius), round=0)
    discs = [rod((x, y + s * 0.5 * width, z), (x, y + s * (0.5 * width - disc), z), 0.97 * radius) for s in (-1, 1)]
    notch = block((0.2 * radius, disc, 0.16 * radius), (x, y, z + 0.95 * radius), round=0)
    notches = [
        translate(m, 0, s * 0.5 * (width - disc)) for m in repeat_around(notch, 12, "y", at, 15.0) for s in (-1, 1)
    ]
    pin = rod((x, y - 0.5 * axle, z), (x, y + 0.5 * axle, z), 0.28 * radius, sides=12)
    steel = kit.material("metal", "dark_metal", name="spark wheel steel")
    return [
        paint(
            kit.material("dark_metal", name="spark wheel core"), core, repeat_around(tooth, 16, "y", at), parts="core, "
        ),
        paint(steel, discs, notches, pin, parts="discs, notches, pin"),
    ]


def _flip(kit: Kit) -> None:
    """A metal case with an insert; the lid turns over one narrow side."""
    wide, deep, high = (
        kit.between(0.035, 0.041, name="flip width"),
        kit.between(0.0115, 0.0145, name="flip depth"),
        kit.between(0.034, 0.042, name="flip height"),
    )
    cap, wall, gap = kit.between(0.017, 0.02, name="flip cap"), 0.0008, 0.0003
    arc = kit.between(0.12, 0.45, name="flip arc share") * deep
    metal = kit.material("metal", "brass", "dark_metal", "black", "paint", name="flip metal")
    steel = kit.material("metal", name="flip steel")
    case = plate(
        rectangle(wide, deep, arc), high, (0, 0, 0.5 * high), bevel=kit.between(0.0004, 0.0012, name="flip case share")
    )
    within = (wide - 2 * wall - 0.0016, deep - 2 * wall - 0.0016)
    collar = plate(rectangle(*within, 0.4 * within[1]), 0.003, (0, 0, high))
    # The chimney, its holes, and beside it two brackets for the wheel, all low enough for the lid to pass.
    tall, broad = cap - wall - kit.between(0.002, 0.0035, name="flip height share"), 0.36 * wide
    left = -0.1 * wide
    chimney = tray((broad, within[1] - 0.0006, tall), 0.0007, (left, 0, high), round=0.4 * within[1])
    rows, columns = kit.count(3, 4, name="holes across"), kit.count(2, 3, name="holes along")
    hole, skin = rod((0, 0, 0), (0, 0.001, 0), 0.0009, sides=10), 0.5 * within[1]
    holes = [
        translate(hole, left + x * broad, y, high + z * tall)
        for x in np.linspace(-0.24, 0.24, columns)
        for z in np.linspace(0.3, 0.85, rows)
        for y in (-skin + 0.0001, skin - 0.0011)
    ]
    wick = rod((left, 0, high), (left, 0, high + 0.6 * tall), 0.0014, sides=10)
    radius = kit.between(0.0032, 0.0038, name="flip radius")
    hub = np.array([left + 0.5 * broad + radius + 0.0006, 0.0, high + tall - radius])
    bracket = fillet(np.array([(-1.3, 0), (1.3, 0), (0.7, 1.1), (-0.7, 1.1)]) * (radius, tall - radius), 0.001)
    brackets = [plate(bracket, 0.0007, (hub[0], s * 0.0028, high), "xz") for s in (-1, 1)]
    pin = np.array([0.5 * wide + 0.0004, 0.0, high + 0.5 * gap])
    length = kit.between(0.45, 0.7, name="flip length share") * deep
    knuckle = 0.0011
    ends = knuckles(pin, "y", length / 3, 0.3 * length, knuckle)
    pieces = [
        paint(metal, case, ends, parts="body, ends"),
        paint(steel, collar, chimney, brackets, parts="collar, chimney, brackets"),
    ]
    pieces += [
        paint(kit.material("black", name="flip holes"), holes, parts="holes"),
        paint(kit.material("white", "paper", name="flip wick"), wick, parts="wick"),
    ]
    face, trim = 0.5 * deep, kit.material("brass", "metal", "red", "black", name="flip trim")
    band = [block((0.8 * wide, 0.001, 0.0012), (0, s * face, 0), round=0.0003) for s in (-1, 1)]
    mark = kit.pick("none", "badge", "bands", name="mark")
    if mark == "badge":
        badge = rod(
            (0, 0.001 - face, 0.5 * high),
            (0, -0.0006 - face, 0.5 * high),
            kit.between(0.2, 0.32, name="flip badge share") * wide,
            sides=28,
        )
        pieces.append(paint(trim, badge, parts="badge"))
    elif mark == "bands":
        pieces.append(paint(trim, [translate(m, 0, 0, z * high) for m in band for z in (0.15, 0.5, 0.85)]))
    kit.link("case", *pieces)
    kit.link("wheel", *_spark_wheel(kit, hub, radius, 0.0044, 0.0066))
    kit.spin("case", "wheel", at=hub, axis="y")
    shell = tray((wide, deep, cap), wall, (0, 0, high + gap + cap), "-z", round=arc)
    lid = [paint(metal, shell, barrel(pin, "y", 0.3 * length, knuckle), parts="shell, ")]
    if mark == "bands":
        lid.append(paint(trim, [translate(m, 0, 0, high + 0.5 * cap) for m in band]))
    most = kit.between(115, 150, name="flip most")
    rest = 0.0 if kit.chance(0.45, name="shut") else kit.between(0.5, 1.0, name="flip rest share") * most
    kit.add_swung("case", "lid", lid, at=pin, axis="y", upper=most, rest=rest)


def _disposable(kit: Kit, style: str) -> None:
    """A plastic tank with a metal hood around the flame; a wheel and a lever that lets the gas out, or a button."""
    wide, deep, high = (
        kit.between(0.022, 0.027, name="disposable width"),
        kit.between(0.0105, 0.0135, name="disposable depth"),
        kit.between(0.05, 0.066, name="disposable height"),
    )
    arc = kit.between(0.25, 0.49, name="disposable arc share") * deep
    tank = plate(rectangle(wide, deep, arc), high, (0, 0, 0.5 * high), bevel=0.0008)
    foot = plate(rectangle(1.02 * wide, 1.02 * deep, arc), 0.004, (0, 0, 0.002))
    pieces = [
        paint(kit.material("plastic", "glass", "black", "white", "red", name="disposable pieces"), tank, parts="tank")
    ]
    pieces.append(paint(kit.material("black", "white", "plastic", name="disposable foot"), foot, parts="foot"))
    if kit.chance(0.6, name="label"):
        label = plate(
            rectangle(1.015 * wide, 1.03 * deep, arc),
            kit.between(0.3, 0.6, name="disposable label share") * high,
            (0, 0, 0.5 * high),
        )
        pieces.append(
            paint(kit.material("white", "paper", "metal", "yellow", name="disposable label"), label, parts="label")
        )
    radius = kit.between(0.0033, 0.0038, name="disposable radius")
    hub = np.array([kit.between(-0.0005, 0.001, name="disposable hub share"), 0.0, high + radius + 0.003])
    steel = kit.material("metal", "dark_metal", "brass", name="disposable steel")
    inner, sheet = 0.35 * deep, 0.0006
    # The hood: two side plates and a round front that leaves the top open.
    end = hub[0] + (0.6 * radius if style == "wheel" else -1.2 * radius)
    top = hub[2] + kit.between(-0.2, 0.35, name="disposable top share") * radius
    side = np.array(
        [
            (-0.34 * wide, high - 0.003),
            (end, high - 0.003),
            (end, hub[2] + 0.2 * radius),
            (end - radius, top),
            (-0.34 * wide, top),
        ]
    )
    hood = [plate(side, sheet, (0, s * (inner + 0.5 * sheet), 0), "xz") for s in (-1, 1)]
    bow = pipe((0, 0, high - 0.003), (0, 0, top), inner + sheet, sheet, sides=24)
    hood.append(bow.with_vertices(bow.vertices * (0.55, 1, 1) + (-0.34 * wide, 0, 0)))
    jet = rod((-0.3 * wide, 0, high - 0.001), (-0.3 * wide, 0, high + 0.003), 0.0011, sides=12)
    pieces += [
        paint(steel, hood, parts="hood"),
        paint(kit.material("brass", "metal", name="disposable jet"), jet, parts="jet"),
    ]
    color = kit.material("red", "black", "plastic", "white", name="disposable colour")
    if style == "button":
        _button(kit, pieces, color, wide, deep, high, top, end)
        return
    kit.link("tank", *pieces)
    kit.link("wheel", *_spark_wheel(kit, hub, radius, 2 * inner - 0.0012, 2 * inner + 1.5 * sheet))
    kit.spin("tank", "wheel", at=hub, axis="y")
    # The lever's fulcrum lies in the hood below the wheel.
    fulcrum = np.array([hub[0] - 0.001, 0.0, high + 0.0014])
    near, far = hub[0] + radius + 0.0012, 0.5 * wide + kit.between(-0.001, 0.0006, name="disposable far share")
    arm = block(
        (near + 0.002 - fulcrum[0], 2 * inner - 0.0014, 0.0011),
        (0.5 * (near + 0.002 + fulcrum[0]), 0, fulcrum[2]),
        round=0.0003,
    )
    rise = kit.between(0.0025, 0.0045, name="disposable rise")
    outline = np.array([(near, 0.0), (far, 0.0009), (far, 0.6 * rise), (near + 0.0012, rise), (near, rise)]) + (
        0,
        fulcrum[2] - 0.0005,
    )
    pad = plate(
        fillet(outline, 0.0008, closed=True, steps=2),
        kit.between(0.75, 0.95, name="disposable pad share") * deep,
        plane="xz",
    )
    pivot = rod(fulcrum - (0, inner + 0.7 * sheet, 0), fulcrum + (0, inner + 0.7 * sheet, 0), 0.0008, sides=12)
    kit.link("lever", paint(color, arm, pad, pivot, parts="arm, pad, pivot"))
    kit.hinge(
        "tank", "lever", at=fulcrum, axis="y", lower=0.0, upper=kit.between(4.5, 6.5, name="disposable lever opens to")
    )


def _button(
    kit: Kit, pieces: list[Mesh], color: Material, wide: float, deep: float, high: float, top: float, end: float
) -> None:
    """A piezo lighter: beside the hood a button goes down into a collar."""
    left, right, wall, gap = end + 0.0006, 0.5 * wide, 0.0009, 0.0003
    size = (right - left, 0.94 * deep, kit.between(0.003, 0.005, name="button size share"))
    middle = 0.5 * (left + right)
    collar = tray(size, wall, (middle, 0, high - 0.0005), round=0.25 * deep)
    kit.link(
        "tank", *pieces, paint(kit.material("black", "metal", "white", name="button collar"), collar, parts="collar")
    )
    stem = (size[0] - 2 * wall - 2 * gap, size[1] - 2 * wall - 2 * gap)
    travel = kit.between(0.002, 0.003, name="button travel")
    low = high - 0.0005 + wall + travel + gap
    tall = max(top, high + size[2] + travel + 0.001) + kit.between(0.0, 0.002, name="button height share") - low
    key = plate(rectangle(*stem, 0.22 * deep), tall, (middle, 0, low + 0.5 * tall), bevel=0.0005)
    ribs = [
        block((0.5 * stem[0], 0.0006, 0.0006), (middle, y * stem[1], low + tall), round=0) for y in (-0.2, 0.0, 0.2)
    ]
    kit.link("button", paint(color, key, ribs, parts="key, ribs"))
    kit.slide("tank", "button", axis="-z", upper=travel)


def _long_neck(kit: Kit) -> None:
    """A handle with a trigger in a notch and a lock that slides on its back; the neck reaches towards -x."""
    grip, neck = kit.between(0.1, 0.135, name="length neck grip"), kit.between(0.08, 0.15, name="length neck neck")
    thick, back, nose = (
        kit.between(0.014, 0.02, name="length neck thickness"),
        kit.between(0.026, 0.032, name="length neck back"),
        kit.between(0.018, 0.022, name="length neck nose"),
    )
    front, rear, roof = (
        kit.between(0.012, 0.016, name="length neck front"),
        kit.between(0.042, 0.05, name="length neck rear"),
        kit.between(0.011, 0.014, name="length neck roof"),
    )  # of the notch
    belly = kit.between(-0.003, 0.002, name="length neck belly")
    flat = (0.28 * grip, 0.62 * grip)  # where the back is straight
    profile = [(0, 0.004), (front, 0.002), (front, roof), (rear, roof), (rear, belly), (0.85 * grip, belly + 0.001)]
    profile += [(grip, 0.006), (grip, 0.02), (0.9 * grip, back - 0.003), (flat[1], back), (flat[0], back), (0, nose)]
    bevel = kit.between(0.001, 0.003, name="length neck bevel")
    body = plate(fillet(np.array(profile), 0.005, closed=True, steps=3), thick, plane="xz", bevel=bevel)
    loop = np.array(
        [(front - 0.003, 0, 0.005), (front, 0, -0.0125), (rear, 0, -0.0125), (rear + 0.005, 0, belly + 0.003)]
    )
    guard = tube(fillet(loop, 0.008), 0.0022)
    level = 0.5 * (0.004 + nose)
    radius = kit.between(0.0035, 0.005, name="length neck radius")
    barrels = [rod((0.012, 0, level), (-neck, 0, level), radius, sides=20)]
    collar = rod((0.004, 0, level), (-0.008, 0, level), 1.5 * radius, end_radius=1.15 * radius, sides=20)
    tip = kit.between(0.012, 0.02, name="length neck tip")
    barrels.append(rod((tip - neck, 0, level), (-neck - 0.001, 0, level), 1.12 * radius, sides=20))
    slot = block((0.45 * tip, 0.0016, 0.0016), (0.5 * tip - neck, 0, level + 1.1 * radius), round=0)
    slots = repeat_around(slot, kit.pick(3, 4, 6, name="slots"), "x", (0, 0, level))
    mouth = rod((-neck, 0, level), (-neck - 0.0016, 0, level), 0.7 * radius, sides=16)
    color = kit.material("plastic", "black", "red", "white", "paint", name="length neck colour")
    pieces = [
        paint(color, body, guard, parts="body, guard"),
        paint(kit.material("metal", "dark_metal", name="length neck pieces"), barrels, parts="barrels"),
    ]
    pieces += [
        paint(kit.material("black", name="length neck slots"), slots, mouth, parts="slots, mouth"),
        paint(kit.material("black", "metal", name="length neck collar"), collar, parts="collar"),
    ]
    window = (0.6 * grip + 0.01, 0, 0.42 * back)
    if kit.chance(0.6, name="fuel window"):
        pieces.append(
            paint(
                kit.material("glass", "light", name="length neck block"),
                block((0.3 * grip, thick + 0.002, 0.008), window, round=0.001),
            )
        )
    if kit.chance(0.5, name="ring"):
        pieces.append(paint(color, hoop(0.006, 0.0015, (grip + 0.004, 0, 0.013), "y")))
    rail = block((flat[1] - flat[0] - 0.008, 0.3 * thick, 0.004), (0.5 * sum(flat), 0, back), round=0)
    locks = kit.chance(0.7, name="lock")
    kit.link(
        "handle",
        *pieces,
        *([paint(kit.material("black", name="length neck rail"), rail, parts="rail")] if locks else []),
    )

    red = kit.material("red", "black", "metal", "yellow", name="length neck red")
    gap, deep = 0.001, kit.between(0.006, 0.007, name="length neck depth")
    if kit.chance(0.5, name="slider"):
        travel = rear - front - deep - 0.0115
        x = rear - travel - deep - gap  # the finger's side is hollow
        bow = [(x, roof - gap), (x + 0.0025, 0.5 * roof - 0.003), (x - 0.001, -0.0085), (x + 0.4 * deep, -0.0085)]
        outline = fillet(np.array([*bow, (x + deep, 0.0), (x + deep, roof - gap)]), 0.002, closed=True, steps=2)
        kit.link("trigger", paint(red, plate(outline, 0.7 * thick, plane="xz")))
        kit.slide("handle", "trigger", axis="x", upper=min(travel, 0.009))
    else:
        pivot = np.array([0.55 * front + 0.45 * rear, 0.0, roof - 0.0005])
        outline = np.array(
            [(-0.0025, 0.0), (0.0005, -0.011), (-0.004, -0.0195), (0.0, -0.0205), (0.005, -0.011), (0.0028, 0.0)]
        )
        blade = plate(
            fillet(outline * (1, (roof + 0.008) / 0.0205), 0.0015, closed=True, steps=2) + pivot[[0, 2]] - (0, 0.001),
            0.6 * thick,
            plane="xz",
        )
        kit.link("trigger", paint(red, blade, barrel(pivot, "y", 0.6 * thick, 0.0032), parts="blade, "))
        kit.hinge(
            "handle",
            "trigger",
            at=pivot,
            axis="-y",
            lower=0.0,
            upper=kit.between(14, 24, name="length neck trigger opens to"),
        )
    if locks:
        travel, x = kit.between(0.005, 0.008, name="length neck travel"), flat[0] + 0.014
        slider = block((0.012, 0.55 * thick, 0.0035), (x, 0, back + 0.0035), round=0.001)
        ribs = [
            block((0.0012, 0.5 * thick, 0.0012), (x + dx, 0, back + 0.0052), round=0) for dx in (-0.003, 0.0, 0.003)
        ]
        kit.link(
            "lock",
            paint(
                kit.material("black", "red", "white", "metal", name="length neck slider"),
                slider,
                ribs,
                parts="slider, ribs",
            ),
        )
        kit.slide("handle", "lock", axis="x", upper=travel)
