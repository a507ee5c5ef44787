"""A cooker: an oven with a drop-down glazed door, turning knobs, a hob on top."""

from neurok.data.procedural.fittings import bar_handle, feet, knuckles
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import block, frame, hoop, rod, tray
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    width, depth, height = (
        kit.between(0.5, 0.8, name="width"),
        kit.between(0.5, 0.62, name="depth"),
        kit.between(0.7, 0.85, name="height"),
    )
    foot, wall = kit.between(0.03, 0.08, name="foot"), 0.035
    shell = kit.material("white", "metal", "metal", "paint", "dark_metal", name="shell")
    dark, steel = kit.material("black", name="dark"), kit.material("metal", "dark_metal", name="steel")
    strip = kit.between(0.09, 0.13, name="strip")  # the control panel's height
    drawer = kit.chance(0.5, name="drawer")
    below = (
        kit.between(0.12, 0.17, name="below") if drawer else kit.between(0.02, 0.06, name="below")
    )  # what is under the oven
    room = height - strip - below
    y, middle = -0.5 * depth, foot + below + room / 2
    body = [
        tray((width, room, depth), wall, (0, 0.5 * depth, middle), "-y"),
        block((width, depth, strip), (0, 0, foot + height - strip / 2), round=0.008),
    ]
    if drawer:
        body.append(tray((width, below, depth), 0.012, (0, 0.5 * depth, foot + below / 2), "-y"))
    else:
        body.append(block((width, depth, below + 0.01), (0, 0, foot + below / 2), round=0.006))
    racks = [
        _rack(width - 2 * wall, depth - 0.1, middle + k * room) for k in kit.pick((-0.12,), (-0.2, 0.12), name="racks")
    ]
    if kit.chance(0.4, name="splashback"):  # a splashback
        tall = kit.between(0.08, 0.18, name="height")
        body.append(block((width, 0.03, tall), (0, depth / 2 - 0.015, foot + height + tall / 2 - 0.005), round=0.008))
    thick = kit.between(0.028, 0.045, name="thickness")
    hinges = knuckles((0, y, foot + below), "x", 0.7 * width / 2, 0.05, 0.009)
    kit.link(
        "body",
        paint(shell, body, parts="body"),
        paint(
            dark, feet(width - 0.1, depth - 0.1, 0.025, foot), _hob(kit, width, depth, foot + height), parts="feet, hob"
        ),
        paint(steel, hinges, [piece for rack in racks for piece in rack], parts="hinges, "),
    )
    _door(kit, (width - 0.008, thick, room - 0.008), (0, y - 0.002 - thick / 2, middle + 0.004), shell, dark, steel)
    kit.hinge(
        "body", "door", at=(0, y, foot + below), axis="x", lower=0, upper=kit.between(78, 89, name="door opens to")
    )
    if drawer:
        _drawer(kit, width, depth, below, foot, shell, steel)
    _knobs(kit, width, y, foot + height - strip / 2, strip, dark, steel)


def _rack(width: float, depth: float, z: float) -> list[Mesh]:
    bars = [
        rod((x * width / 2, -depth / 2, z), (x * width / 2, depth / 2, z), 0.004, sides=6)
        for x in (-0.8, -0.4, 0, 0.4, 0.8)
    ]
    return bars + [
        rod((-width / 2 - 0.01, y, z), (width / 2 + 0.01, y, z), 0.005, sides=6) for y in (-0.4 * depth, 0.4 * depth)
    ]


def _hob(kit: Kit, width: float, depth: float, z: float) -> list[Mesh]:
    """Four rings: plates, coils or gas burners with a grate."""
    style, pieces = kit.pick("plates", "coils", "gas", name="hob style"), []
    for column, row, share in ((-1, -1, 0.085), (1, -1, 0.07), (-1, 1, 0.07), (1, 1, 0.085)):
        x, y, r = column * width / 4, row * depth / 4.4 - 0.01, share * width / 0.6
        if style == "plates":
            pieces.append(rod((x, y, z - 0.004), (x, y, z + 0.012), r, round=0.004, sides=24))
        elif style == "coils":
            pieces += [hoop(r * k, 0.006, (x, y, z + 0.004), segments=24) for k in (1.0, 0.7, 0.4)]
        else:
            pieces.append(rod((x, y, z - 0.004), (x, y, z + 0.014), 0.45 * r, round=0.004, sides=20))
            pieces += [
                block((2.2 * r, 0.009, 0.01), (x, y, z + 0.028), round=0),
                block((0.009, 2.2 * r, 0.01), (x, y, z + 0.028), round=0),
            ]
            pieces += [
                rod((x + a * r, y + b * r, z - 0.002), (x + a * r, y + b * r, z + 0.028), 0.005, sides=6)
                for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))
            ]
    return pieces


def _door(kit: Kit, size: tuple, at: tuple, shell: Material, dark: Material, steel: Material) -> None:
    (w, t, h), (x, y, z) = size, at
    border, face = kit.between(0.07, 0.12, name="door border"), y - t / 2
    top = z + h / 2 - 0.45 * border
    lip = frame(w - 1.4 * border, h - 2 * border, 0.016, 0.01, (x, face, z - 0.02), round=0.02)
    glass = block((w - 1.6 * border, 0.012, h - 2.3 * border), (x, face + 0.003, z - 0.02), round=0.004)
    bar = bar_handle(
        (-0.38 * w, face, top),
        (0.38 * w, face, top),
        "-y",
        height=0.045,
        radius=0.01,
        square=kit.chance(0.5, name="square handle"),
    )
    slab = block(size, at, round=0.008)
    kit.link(
        "door",
        paint(shell if kit.chance(0.7, name="plain door") else dark, slab, parts="slab"),
        paint(dark, glass, parts="glass"),
        paint(steel, lip, bar, parts="lip, bar"),
    )


def _drawer(kit: Kit, width: float, depth: float, below: float, foot: float, shell: Material, steel: Material) -> None:
    """A shallow drawer under the oven: a bin behind a front a little narrower than the oven's door."""
    y, wall, tall = -0.5 * depth, 0.012, below - 0.066  # the opened door hangs below its axis
    front = block((width - 0.012, 0.024, tall), (0, y - 0.014, foot + 0.006 + tall / 2), round=0.006)
    size = (width - 2 * wall - 0.014, depth - 0.06, tall)
    bin_ = tray(size, 0.008, (0, y + size[1] / 2 - 0.006, foot + wall + 0.002))
    lip = block((0.5 * width, 0.022, 0.014), (0, y - 0.03, foot + 0.75 * tall), round=0.005)
    kit.link("drawer", paint(shell, front, parts="front"), paint(steel, bin_, lip, parts="tray, lip"))
    kit.slide("body", "drawer", axis="-y", upper=0.5 * depth)


def _knobs(kit: Kit, width: float, y: float, z: float, strip: float, dark: Material, steel: Material) -> None:
    count, radius = kit.count(4, 6, name="knobs"), min(0.3 * strip, 0.026)
    paint_of = kit.pick(dark, steel, name="knob colour")
    for i in range(count):
        x = width * (0.82 * i / (count - 1) - 0.41)
        if count == 5 and i == 2:
            continue  # room for the clock
        cap = rod((x, y + 0.004, z), (x, y - 0.024, z), radius, end_radius=0.85 * radius, sides=20)
        mark = block((0.3 * radius, 0.012, 1.7 * radius), (x, y - 0.026, z), round=0.002)
        kit.link(f"knob_{i + 1}", paint(paint_of, cap, mark, parts="cap, mark"))
        kit.hinge(
            "body", f"knob_{i + 1}", at=(x, y, z), axis="-y", lower=0, upper=kit.pick(180, 270, name="knob range")
        )
