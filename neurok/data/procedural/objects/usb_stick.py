"""A USB stick: its plug slides out of the case, hides under a swivelling cover, or under a cap."""

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import mirror, paint, rotate, translate
from neurok.data.procedural.shapes import ball, block, hoop, plate, rectangle, rod, tray
from neurok.geometry.mesh import Material, Mesh

# Half the plug's width and height, its length [m]
WIDE, HIGH, LONG = 0.006, 0.00225, 0.0125


def draw(kit: Kit) -> None:
    """The stick lies along x, its plug towards -x."""
    style = kit.pick("swivel", "swivel", "slider", "slider", "cap", name="style")
    wide, thick, long = (
        kit.between(0.016, 0.021, name="width"),
        kit.between(0.0078, 0.0095, name="thickness"),
        kit.between(0.03, 0.042, name="length"),
    )
    body = kit.material("plastic", "black", "white", "paint", "wood", name="body")
    {"swivel": _swivel, "slider": _slider, "cap": _cap}[style](kit, wide, thick, long, body)


def _plug(x: float, z: float) -> list[Mesh]:
    """The metal shell with its two windows, and the tongue in it; its root is at x."""
    shell = tray((2 * WIDE, 2 * HIGH, LONG + 0.003), 0.0006)  # its mouth up
    shell = translate(rotate(rotate(shell, "z", 90), "y", -90), x + 0.003, 0, z)
    return [shell]


def _marks(x: float, z: float) -> list[Mesh]:
    """The two dark windows on the plug, and its dark tongue."""
    windows = [block((0.0024, 0.0024, 0.0006), (x - 0.62 * LONG, s * 0.0028, z + HIGH), round=0) for s in (-1, 1)]
    return [*windows, block((LONG, 2 * WIDE - 0.0024, 0.0016), (x - 0.46 * LONG, 0, z + 0.0008), round=0.0003)]


def _label(kit: Kit, x: float, z: float, wide: float, long: float) -> list[Mesh]:
    if kit.chance(0.3, name="plain"):
        return []
    label = block((0.45 * long, 0.6 * wide, 0.0008), (x, 0, z), round=0.0003)
    return [paint(kit.material("white", "metal", "red", "light", name="label"), label, parts="label")]


def _case(kit: Kit, wide: float, thick: float, long: float, round: float) -> Mesh:
    """A block seen from above as a rounded rectangle, its front at x = 0, centred in y and z."""
    return plate(rectangle(long, wide, round) + (0.5 * long, 0), thick, bevel=0.18 * thick)


def _swivel(kit: Kit, wide: float, thick: float, long: float, body: Material) -> None:
    """A bent steel cover turns about a pin through the rear of the case."""
    sheet, gap = 0.0011, 0.0004
    pin = long - 0.5 * wide
    reach = pin + LONG + 0.0035  # from the pin to the inside of the bend
    z = sheet + gap + 0.5 * thick
    case = translate(_case(kit, wide, thick, long, 0.45 * wide), 0, 0, z)
    bolt = rod((pin, 0, z - 0.5 * thick - gap - 0.4 * sheet), (pin, 0, z + 0.5 * thick + gap + 0.4 * sheet), 0.2 * wide)
    loop = hoop(0.0035, 0.0009, (long + 0.0024, 0, z), segments=24)
    steel = kit.material("metal", "dark_metal", "paint", name="swivel steel")
    kit.link(
        "stick",
        paint(body, case, loop, parts="body, loop"),
        paint(kit.material("metal", name="swivel plug"), _plug(0, z), parts="plug"),
        paint(kit.material("black", name="swivel marks"), _marks(0, z), parts="marks"),
        paint(kit.material("metal", "black", name="swivel bolt"), bolt, parts="bolt"),
    )
    outline = translate(
        plate(rectangle(reach + 0.45 * wide, wide, 0.42 * wide) + (0.225 * wide - 0.5 * reach, 0), sheet), pin, 0, 0
    )
    square = block((0.6 * reach, wide, sheet), (pin - 0.7 * reach, 0, 0), round=0.2 * sheet)
    level = 0.5 * thick + gap + 0.5 * sheet
    bend = block((sheet, wide, thick + 2 * gap + 2 * sheet), (pin - reach - 0.5 * sheet, 0, z), round=0.3 * sheet)
    pieces = [translate(m, 0, 0, z + s * level) for m in (outline, square) for s in (-1, 1)]
    cover = [
        paint(steel, pieces, bend, parts=", bend"),
        *_label(kit, pin - 0.55 * reach, z + level + 0.5 * sheet, wide, long),
    ]
    rest = kit.pick(0.0, 75.0, 90.0, 120.0, 150.0, 180.0, 180.0, name="rest turn") * kit.pick(-1, 1, name="rest side")
    at = (pin, 0.0, z)
    kit.link("cover", *(rotate(m, "z", rest, at) for m in cover))
    if kit.chance(0.4, name="full turn"):
        kit.spin("stick", "cover", at=at, axis="z")
    else:
        kit.hinge("stick", "cover", at=at, axis="z", lower=-180 - rest, upper=180 - rest)


def _slider(kit: Kit, wide: float, thick: float, long: float, body: Material) -> None:
    """The plug slides out of a hollow case, pushed by a button in a slot on top."""
    wall = 0.0014
    wide, thick, long = max(wide, 2 * WIDE + 3 * wall), max(thick, 2 * HIGH + 3.6 * wall), max(long, LONG + 0.024)
    z = 0.5 * thick
    # Floor, two sides, a back and a roof that leaves a slot for the button.
    slot, ends = 0.0032, (0.2 * long, 0.72 * long)
    half = block(
        (long, 0.5 * (wide - slot), wall), (0.5 * long, 0.25 * (wide + slot), thick - 0.5 * wall), round=0.2 * wall
    )
    pieces = [block((long, wide, wall), (0.5 * long, 0, 0.5 * wall), round=0.3 * wall), half, mirror(half, "y")]
    pieces += [block((long, wall, thick), (0.5 * long, s * 0.5 * (wide - wall), z), round=0.3 * wall) for s in (-1, 1)]
    pieces.append(block((wall, wide, thick), (long - 0.5 * wall, 0, z), round=0.3 * wall))
    pieces += [
        block((x1 - x0, 1.2 * slot, wall), (0.5 * (x0 + x1), 0, thick - 0.5 * wall), round=0.2 * wall)
        for x0, x1 in ((0.0, ends[0]), (ends[1], long))
    ]
    rim = [block((0.004, 1.04 * wide, 0.4 * wall), (long - 0.004, 0, h * thick), round=0) for h in (0.0, 1.0)]
    loop = hoop(0.0035, 0.0009, (long + 0.0028, 0, z), segments=24)
    kit.link(
        "case",
        paint(body, pieces, loop, parts=", loop"),
        paint(
            kit.material("metal", "black", name="slider translate"),
            [translate(m, 0, 0, 0.2 * wall if i == 0 else -0.2 * wall) for i, m in enumerate(rim)],
        ),
    )
    travel = min(LONG + 0.001, ends[1] - ends[0] - 0.008)
    out = travel if kit.chance(0.75, name="pulled out") else 0.0
    x = travel - out
    carrier = block((0.012, wide - 2.5 * wall, thick - 2.6 * wall), (x + 0.006, 0, z), round=0.0005)
    knob = x + ends[0] + 0.0035
    stem = block((0.003, 0.6 * slot, 0.6 * thick), (knob, 0, thick - 0.28 * thick), round=0.0003)
    link = block(
        (knob - x, 0.6 * slot, 0.0012), (0.5 * (knob + x), 0, z + 0.5 * (thick - 2.6 * wall) - 0.0008), round=0
    )
    button = block((0.007, 1.9 * slot, 0.0018), (knob, 0, thick + 0.0012), round=0.0006)
    ribs = [block((0.0008, 1.7 * slot, 0.0006), (knob + dx, 0, thick + 0.0022), round=0) for dx in (-0.002, 0.0, 0.002)]
    kit.link(
        "plug",
        paint(kit.material("metal", name="slider plug"), _plug(x, z), parts="plug"),
        paint(kit.material("black", name="slider marks"), _marks(x, z), carrier, link, parts="marks, carrier, link"),
        paint(
            kit.material("plastic", "black", "red", name="slider button"),
            button,
            stem,
            ribs,
            parts="button, stem, ribs",
        ),
    )
    kit.slide("case", "plug", axis="-x", lower=-out, upper=travel - out)


def _cap(kit: Kit, wide: float, thick: float, long: float, body: Material) -> None:
    """A cap over the plug pulls off along x."""
    z = 0.5 * thick
    case = translate(_case(kit, wide, thick, long, kit.between(0.12, 0.4, name="cap case share") * wide), 0, 0, z)
    grooves = [
        block((0.0012, 1.02 * wide, 0.4 * thick), (long * t, 0, z), round=0)
        for t in kit.pick((), (0.75, 0.82, 0.89), (0.2, 0.27), name="grooves")
    ]
    loop = hoop(0.0035, 0.0009, (long + 0.0024, 0, z), segments=24)
    pieces = [
        paint(body, case, loop, parts="body, loop"),
        paint(kit.material("metal", name="cap pieces"), _plug(0, z), parts="plug"),
        paint(kit.material("black", name="cap pieces"), _marks(0, z), grooves, parts="marks, grooves"),
    ]
    lamp = ball(0.0014, (0.85 * long, 0, thick - 0.0006), 10)
    kit.link(
        "stick",
        *pieces,
        paint(kit.material("red", "light", name="cap lamp"), lamp, parts="lamp"),
        *_label(kit, 0.45 * long, thick, wide, long),
    )
    # Two thin rails in the cap lie on the plug, so that it stays on it while it slides.
    wall = 0.0014
    depth = LONG + 0.0008
    cup = tray((thick, wide, depth + wall), wall, round=0.3 * thick)
    cup = translate(rotate(cup, "y", 90), -depth - wall, 0, z)
    rails = [
        block(
            (depth, 0.002, 0.5 * thick - wall - HIGH + 0.0005),
            (-0.5 * depth - 0.0005, 0, z + s * (0.5 * HIGH + 0.25 * thick - 0.5 * wall + 0.0003)),
            round=0,
        )
        for s in (-1, 1)
    ]
    travel = 0.8 * LONG
    out = travel if kit.chance(0.7, name="cap off") else kit.pick(0.0, 0.4 * travel, name="cap rest")
    color = body if kit.chance(0.6, name="plain cap") else kit.material("metal", "glass", "white", name="cap colour")
    kit.link("cap", translate(paint(color, cup, rails, parts="cup, rails"), -out))
    kit.slide("stick", "cap", axis="-x", lower=-out, upper=travel - out + 0.0005)
