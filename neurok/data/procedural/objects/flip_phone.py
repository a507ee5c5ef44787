"""A phone: a clamshell that unfolds, a slider, a candy bar with aerial or flap, or a desk telephone; keys press in."""

import numpy as np

from neurok.data.procedural.fittings import barrel, knuckles
from neurok.data.procedural.keypads import GAP, add_pressed_keys, flat_body, keypad, screen
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, translate
from neurok.data.procedural.shapes import block, pipe, rod
from neurok.data.procedural.telephones import desk_phone
from neurok.geometry.mesh import Material


def draw(kit: Kit) -> None:
    """Phones lie on their back, their top towards +y, their face up."""
    style = kit.pick("clamshell", "clamshell", "slider", "bar", "desk", name="style")
    {"clamshell": _clamshell, "slider": _slider, "bar": _bar, "desk": desk_phone}[style](kit)


def _case(kit: Kit) -> Material:
    return kit.material("black", "metal", "dark_metal", "plastic", "white", "paint", "red", name="case detail")


def _clamshell(kit: Kit) -> None:
    """The half with the screen folds onto the half with the keys."""
    wide, long = kit.between(0.043, 0.054, name="clamshell width"), kit.between(0.08, 0.1, name="clamshell length")
    thick, lid = kit.between(0.009, 0.013, name="clamshell thickness"), kit.between(0.007, 0.01, name="clamshell lid")
    arc, color = kit.between(0.1, 0.45, name="clamshell arc share") * wide, _case(kit)
    columns, rows = 3, kit.count(3, 4, name="key rows")
    field = (0.82 * wide, kit.between(0.42, 0.52, name="clamshell field share") * long, -0.18 * long)
    pieces, keys, travel = keypad(kit, (wide, long, thick), arc, field, (rows, columns), color, rise=0.0004)
    cushion = 0.0011  # between the halves when shut
    # Ahead of both bodies' ends lies the pin: the lower half holds its ends, the upper half its middle.
    radius = 0.7 * min(thick, lid)
    pin = np.array([0.0, 0.5 * long + radius + GAP, thick + 0.5 * cushion])
    middle, ends = kit.between(0.36, 0.5, name="clamshell middle share") * wide, 0.18 * wide
    spots = [s * (0.5 * middle + 0.0006 + 0.5 * ends) for s in (-1, 1)]
    root = min(0.6 * arc, 0.4 * long) + radius
    arms = [
        block(
            (ends, root + radius, 0.8 * radius),
            (x, pin[1] - 0.5 * (root + radius), thick - 0.45 * radius),
            round=0.0004,
        )
        for x in spots
    ]
    hinges = knuckles(pin, "x", spots[1], ends, radius)
    pad = rod((0, 0.2 * long, thick - 0.001), (0, 0.2 * long, thick + 0.0004), 0.2 * wide, sides=28)
    heart = rod((0, 0.2 * long, thick), (0, 0.2 * long, thick + 0.0007), 0.09 * wide, sides=20)
    pieces += [
        paint(color, arms, hinges, parts="arms, hinges"),
        paint(kit.material("metal", "black", name="clamshell pad"), pad, parts="pad"),
        paint(color, heart, parts="heart"),
    ]
    narrow = wide - 0.001
    if kit.chance(0.4, name="aerial"):
        r = 0.0032
        stub = rod(
            (0.5 * wide + 0.9 * r, 0.2 * long, 0.5 * thick), (0.5 * wide + 0.9 * r, pin[1] + 0.018, 0.5 * thick), r
        )
        pieces.append(paint(kit.material("black", "dark_metal", name="clamshell stub"), stub, parts="stub"))
    kit.link("lower_half", *pieces)
    add_pressed_keys(kit, "lower_half", keys, travel)

    base = thick + cushion
    top = [paint(color, flat_body(narrow, long, lid, (0, 0, base), arc))]
    arm = block(
        (middle, root + radius, 0.8 * radius), (0, pin[1] - 0.5 * (root + radius), base + 0.45 * radius), round=0.0004
    )
    top.append(paint(color, arm, barrel(pin, "x", middle, radius), parts="arm, "))
    inner = kit.between(0.5, 0.68, name="clamshell inner share") * long
    top += screen(kit, 0.84 * wide, inner, 0, -0.04 * long, base, 0.0003)
    slot = block((0.25 * wide, 0.002, 0.0008), (0, -0.46 * long, base), round=0)
    top.append(paint(kit.material("black", "metal", name="clamshell slot"), slot, parts="slot"))
    outside = base + lid
    if kit.chance(0.7, name="outer screen"):
        top += screen(
            kit, 0.5 * wide, kit.between(0.18, 0.4, name="clamshell screen") * long, 0, 0.05 * long, outside, 0.0004
        )
    spot = kit.between(0.34, 0.38, name="clamshell spot share") * long
    ring = rod((0, spot, outside - 0.001), (0, spot, outside + 0.0012), 0.1 * wide, sides=24)
    eye = rod((0, spot, outside), (0, spot, outside + 0.0017), 0.06 * wide, sides=20)
    top += [
        paint(kit.material("metal", "black", name="clamshell ring"), ring, parts="ring"),
        paint(kit.material("glass", "black", name="clamshell eye"), eye, parts="eye"),
    ]
    most = kit.between(145, 165, name="clamshell most")
    rest = 0.0 if kit.chance(0.4, name="shut") else kit.between(0.45, 1.0, name="clamshell rest share") * most
    kit.add_swung("lower_half", "upper_half", top, at=pin, axis="-x", upper=most, rest=rest)


def _slider(kit: Kit) -> None:
    """The half with the screen slides up off the keys."""
    wide, long = kit.between(0.045, 0.056, name="slider width"), kit.between(0.092, 0.112, name="slider length")
    thick, lid = kit.between(0.008, 0.01, name="slider thickness"), kit.between(0.006, 0.008, name="slider lid")
    arc, color = kit.between(0.08, 0.35, name="slider arc share") * wide, _case(kit)
    reach = kit.between(0.38, 0.48, name="slider reach share") * long
    field = (0.84 * wide, reach - 0.012, -0.5 * long + 0.5 * reach)
    pieces, keys, travel = keypad(
        kit, (wide, long, thick), arc, field, (kit.count(3, 4, name="key rows"), 3), color, rise=0.0003
    )
    kit.link("lower_half", *pieces)
    add_pressed_keys(kit, "lower_half", keys, travel)
    out = reach if kit.chance(0.5, name="pulled out") else 0.0
    base = thick + 0.0003 + GAP
    top = [
        paint(
            _case(kit) if kit.chance(0.4, name="contrasting top") else color,
            flat_body(wide, long, lid, (0, 0, base), arc),
        )
    ]
    top += screen(
        kit, 0.86 * wide, kit.between(0.5, 0.62, name="slider screen") * long, 0, 0.1 * long, base + lid, 0.0004
    )
    pad = block((0.3 * wide, 0.16 * long, 0.0016), (0, -0.37 * long, base + lid), round=0.0005)
    sides = [
        block((0.2 * wide, 0.06 * long, 0.0014), (x * wide, -0.37 * long, base + lid), round=0.0004)
        for x in (-0.3, 0.3)
    ]
    slot = block((0.24 * wide, 0.002, 0.001), (0, 0.455 * long, base + lid), round=0)
    top += [
        paint(kit.material("metal", "black", "white", name="slider pad"), pad, sides, parts="pad, sides"),
        paint(kit.material("black", name="slider slot"), slot, parts="slot"),
    ]
    kit.link("upper_half", *(translate(piece, 0, out) for piece in top))
    kit.slide("lower_half", "upper_half", axis="y", lower=-out, upper=reach - out)


def _bar(kit: Kit) -> None:
    """One long body; an aerial pulls out of its side, or a flap folds down off the keys."""
    wide, long, thick = (
        kit.between(0.043, 0.054, name="bar width"),
        kit.between(0.1, 0.14, name="bar length"),
        kit.between(0.013, 0.02, name="bar thickness"),
    )
    flap = kit.chance(0.45, name="flap")
    arc, color = kit.between(0.12, 0.22 if flap else 0.48, name="bar arc share") * wide, _case(kit)
    down = kit.between(0.32, 0.4, name="bar down share") * long
    middle = 0.62 * down + 0.006 - 0.5 * long
    pieces, keys, travel = keypad(
        kit, (wide, long, thick), arc, (0.8 * wide, down, middle), (4, 3), color, rise=0.0004 if flap else 0.0009
    )
    pieces += screen(kit, 0.78 * wide, kit.between(0.24, 0.32, name="bar screen") * long, 0, 0.22 * long, thick, 0.0005)
    nav = rod(
        (0, middle + 0.58 * down, thick - 0.001), (0, middle + 0.58 * down, thick + 0.0012), 0.055 * long, sides=24
    )
    nav = nav.with_vertices(
        (nav.vertices - (0, middle + 0.58 * down, 0)) * (1.6, 0.45, 1) + (0, middle + 0.58 * down, 0)
    )
    slots = [
        block((0.018 * wide, 0.006, 0.001), (x * wide, 0.42 * long, thick), round=0) for x in (-0.08, -0.03, 0.03, 0.08)
    ]
    pieces += [
        paint(kit.material("metal", "black", "white", name="bar nav"), nav, parts="nav"),
        paint(kit.material("black", name="bar slots"), slots, parts="slots"),
    ]
    if flap:
        radius = 0.0028
        pin = np.array([0.0, -0.5 * long - 0.4 * radius, thick + 0.0011])
        hold = knuckles(pin, "x", 0.3 * wide, 0.16 * wide, radius)
        stays = [block((0.16 * wide, 0.008, 0.003), (s * 0.3 * wide, pin[1] + 0.004, thick - 0.0018)) for s in (-1, 1)]
        kit.link("body", *pieces, paint(color, hold, stays, parts="hold, stays"))
    else:
        r, x, z = 0.0032, 0.5 * wide + 0.0027, 0.6 * thick
        sheath = pipe((x, 0.02 * long, z), (x, 0.5 * long + 0.004, z), r, 0.0013)
        kit.link("body", *pieces, paint(color, sheath, parts="sheath"))
    add_pressed_keys(kit, "body", keys, travel)
    if flap:
        reach, sheet = down + 0.02 * long, 0.0028
        start = pin[1] + radius + GAP
        cover = flat_body(0.9 * wide, reach, sheet, (0, start + 0.5 * reach, thick + 0.0011), 0.2 * wide)
        neck = block(
            (0.4 * wide, 0.3 * wide, 0.6 * sheet), (0, pin[1] + 0.15 * wide, thick + 0.0011 + 0.5 * sheet), round=0.0003
        )
        cover_pieces = [paint(color, cover, neck, barrel(pin, "x", 0.42 * wide, radius), parts="cover, neck, ")]
        slit = block((0.2 * wide, 0.0015, 0.0012), (0, start + 0.2 * reach, thick + 0.0011 + sheet), round=0)
        cover_pieces.append(paint(kit.material("black", name="bar slit"), slit, parts="slit"))
        most = kit.between(120, 150, name="bar most")
        rest = 0.0 if kit.chance(0.5, name="shut") else kit.between(0.6, 1.0, name="bar rest share") * most
        kit.add_swung("body", "flap", cover_pieces, at=pin, axis="x", upper=most, rest=rest)
        return
    mast = rod((x, 0.04 * long, z), (x, 0.5 * long + 0.01, z), 0.0014, sides=12)
    tip = rod(
        (x, 0.5 * long + 0.0048, z),
        (x, 0.5 * long + kit.between(0.014, 0.03, name="bar tip share"), z),
        0.9 * r,
        end_radius=0.7 * r,
    )
    kit.link(
        "aerial",
        paint(kit.material("metal", name="bar mast"), mast, parts="mast"),
        paint(kit.material("black", "rubber", name="bar tip"), tip, parts="tip"),
    )
    kit.slide("body", "aerial", axis="y", upper=kit.between(0.3, 0.4, name="bar aerial opens to") * long)
