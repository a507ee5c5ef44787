"""A suitcase: a trolley case with a telescoping handle and wheels, a briefcase, a tool box or a trunk."""

import numpy as np

from neurok.data.procedural.fittings import barrel, feet, knuckles, wheel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, direction, paint, rotate, translate
from neurok.data.procedural.shapes import ball, block, fillet, frame, pipe, rod, tray, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

BORE = 0.0105  # half the width of the channels in which the telescoping bars run [m]
STRIP = 0.028  # depth of the part behind the case that holds them


def draw(kit: Kit) -> None:
    if kit.chance(0.6, name="upright trolley"):
        _trolley(kit)
    else:
        _lying(kit, kit.pick("briefcase", "briefcase", "toolbox", "trunk", name="lying style"))


def _trolley(kit: Kit) -> None:
    """Upright; its front shell or its lid is hinged at the left, or it is one body that stays shut."""
    wide, deep, tall = (
        kit.between(0.33, 0.5, name="trolley width"),
        kit.between(0.21, 0.3, name="trolley depth"),
        kit.between(0.48, 0.72, name="trolley height"),
    )
    radius = kit.between(0.021, 0.029, name="trolley radius")
    back = deep / 2 - STRIP  # rear of the shell
    hard = kit.chance(0.6, name="hard shell")
    castors = kit.chance(0.65, name="four castors") and (hard or deep > 0.27)  # room for the front ones behind a lid
    ground = 2 * radius + (0.014 if castors else 0.005)
    split = (
        kit.between(-0.03, 0.0, name="trolley split")
        if hard
        else -deep / 2 + kit.between(0.05, 0.08, name="trolley split share")
    )
    middle, top = ground + tall / 2, ground + tall
    arc = kit.between(0.02, 0.07, name="trolley arc")
    shell = (
        kit.material("plastic", "paint", "black", "metal", name="trolley shell")
        if hard
        else kit.material("fabric", "fabric", "black", name="trolley shell")
    )
    trim, metal = (
        kit.material("black", "dark_metal", name="trolley trim"),
        kit.material("metal", "dark_metal", name="trolley metal"),
    )
    opens = kit.chance(0.75, name="front opens")
    near = back - split
    room = tray((wide, tall, near), 0.012, (0, back, middle), "-y", round=arc)
    body, marks = [room], [block((0.03, 0.02, 0.05), (wide / 2, split + 0.012, middle), round=0.004)]
    span, edge = wide * kit.between(0.28, 0.42, name="trolley span share"), wide / 2 - 0.6 * arc - 0.006
    crown = top - 0.5 * arc - 0.03  # where the channels end
    body += _channels(span, edge, back, ground + 0.5 * arc, crown)
    grooves = np.linspace(-0.4, 0.4, kit.count(4, 8, name="grooves")) * (wide - arc)
    front = -deep / 2
    seam = 0.003 if opens else -0.004  # one that stays shut is one body
    cover = [tray((wide, tall, split - front - seam), 0.012, (0, front, middle), "y", round=arc)]
    if hard:
        cover += [
            block((0.018, 0.012, tall - 1.6 * arc - 0.02), (x, front, middle), round=0.005, cells=1) for x in grooves
        ]
    else:
        cover += _pockets(kit, wide, tall, front, ground)
    badge = block((0.07, 0.006, 0.02), (0, front - (0.006 if hard else 0.03), top - 0.12), round=0.002)
    barrels = [
        barrel((-wide / 2 - 0.003, split - 0.0015, middle + k * tall), "z", 0.04, 0.0055) for k in (-0.3, 0.0, 0.3)
    ]
    whole = [paint(shell, cover, parts="cover"), paint(metal, badge, parts="badge")]
    kit.link(
        "body",
        paint(shell, body, parts="body"),
        paint(trim, marks, parts="marks"),
        *([paint(metal, barrels, parts="barrels")] if opens else whole),
    )
    if opens:
        kit.link("front", *whole)
        upper = kit.between(85, 120, name="trolley upper")
        kit.hinge("body", "front", at=(-wide / 2 - 0.003, split - 0.0015, middle), axis="-z", lower=0, upper=upper)
    _telescope(kit, span, back + STRIP / 2, ground + 0.06, crown, metal, trim)
    fore = "front" if hard and opens else "body"
    aside, first, last = wide / 2 - 0.05 - 0.3 * arc, (front if hard else split) + 0.045, deep / 2 - 0.05
    if castors:
        for i, (x, y) in enumerate(((-aside, first), (aside, first), (-aside, last), (aside, last))):
            _castor(kit, fore if i < 2 else "body", f"{i + 1}", np.array([x, y, ground]), radius, trim)
    else:
        stands = [
            block((0.05, 0.03, ground + 0.01), (s * aside, first, ground / 2 + 0.005), round=0.006) for s in (-1, 1)
        ]
        kit.meshes[fore].append(paint(trim, stands, parts="stands"))
        for i, s in enumerate((-1, 1)):
            _rear_wheel(kit, f"wheel_{i + 1}", (s * aside, deep / 2 - radius, radius), radius, ground, trim)
    long, reach = kit.between(0.13, 0.18, name="trolley length"), min(0.045, near - 0.03)
    at = np.array([0.0, back - 0.012, top])
    _carry(kit, "top_handle", "body", at, "x", "z", "-y", long, reach, trim)
    if kit.chance(0.6, name="side handle"):
        at = np.array([wide / 2, back - 0.015, middle + 0.1 * tall])
        _carry(kit, "side_handle", "body", at, "z", "x", "-y", long, reach, trim)


def _channels(span: float, edge: float, y: float, low: float, high: float) -> list[Mesh]:
    """The rear strip: three blocks with a channel between each two, and a plate that covers them."""
    at, tall, inner, outer = (low + high) / 2, high - low, span / 2 - BORE, span / 2 + BORE
    sides = [
        block((edge - outer, STRIP, tall), (s * (edge + outer) / 2, y + STRIP / 2, at), round=0.004) for s in (-1, 1)
    ]
    centre = block((2 * inner, STRIP, tall), (0, y + STRIP / 2, at), round=0.004)
    back = block((2 * edge, 0.007, tall), (0, y + STRIP, at), round=0.003)
    return [*sides, centre, back]


def _pockets(kit: Kit, wide: float, tall: float, y: float, ground: float) -> list[Mesh]:
    """One or two pockets on a soft case's lid, with their zips."""
    heights = kit.pick((0.8,), (0.5, 0.26), (0.4, 0.4), name="pockets")
    pieces, low = [], ground + 0.06 * tall
    for share in heights:
        size = (0.78 * wide, 0.05, share * tall)
        pieces.append(block(size, (0, y - 0.005, low + share * tall / 2), round=0.018, cells=3))
        zip_at = low + share * tall - 0.035
        pieces.append(block((0.68 * wide, 0.008, 0.008), (0, y - 0.03, zip_at), round=0.002))
        low += (share + 0.03) * tall
    return pieces


def _telescope(kit: Kit, span: float, y: float, low: float, high: float, metal: Material, trim: Material) -> None:
    """A grip on two bars that run in the channels, or in two tubes that do."""
    grip = [block((span + 0.035, STRIP - 0.01, 0.024), (0, y - 0.001, high + 0.017), round=0.007)]
    button = block((0.035, 0.012, 0.008), (0, y, high + 0.029), round=0.002)
    stages, long = kit.count(1, 2, name="telescope stages"), high - low
    below, name, thick = "body", "handle", BORE - 0.001
    if stages == 2:
        tubes = [pipe((s * span / 2, y, low), (s * span / 2, y, high), thick, 0.004) for s in (-1, 1)]
        below, thick = kit.link("outer_bars", paint(metal, tubes, parts="tubes")), thick - 0.0045
        kit.slide(
            "body", "outer_bars", axis="z", upper=long * kit.between(0.5, 0.7, name="telescope outer bars opens to")
        )
    bars = [rod((s * span / 2, y, low + 0.02), (s * span / 2, y, high + 0.02), thick, sides=14) for s in (-1, 1)]
    kit.link(name, paint(metal, bars, parts="bars"), paint(trim, grip, button, parts="handle, button"))
    kit.slide(
        below,
        name,
        axis="z",
        upper=long
        * (
            kit.between(0.5, 0.7, name="telescope opens to")
            if stages == 2
            else kit.between(0.6, 0.85, name="telescope opens to")
        ),
    )


def _castor(kit: Kit, parent: str, number: str, at: Array, radius: float, trim: Material) -> None:
    """A fork that swivels under the case, and the wheel in it."""
    kit.meshes[parent].append(paint(trim, block((0.07, 0.06, 0.012), at - (0, 0, 0.001), round=0)))
    stem = rod(at - (0, 0, 0.012), at + (0, 0, 0.003), 0.017, sides=14)
    axle = at + (0, 0.008, radius - at[2])
    cheeks = [block((0.004, 0.024, radius + 0.008), axle + (s * 0.0145, 0, radius / 2), round=0) for s in (-1, 1)]
    hood = block((0.033, 0.026, 0.005), at + (0, 0.006, -0.0105), round=0)
    pin = rod(axle - (0.016, 0, 0), axle + (0.016, 0, 0), 0.004, sides=10)
    kit.link(f"castor_{number}", paint(trim, stem, cheeks, hood, pin, parts="stem, cheeks, hood, pin"))
    kit.spin(parent, f"castor_{number}", at=at, axis="z")
    tyre, hub = wheel(radius - 0.001, 0.018, axle, segments=12)
    kit.link(
        f"wheel_{number}",
        paint(kit.material("rubber", name="castor tyre"), tyre, parts="tyre"),
        paint(kit.material("metal", "black", name="castor hub"), hub, parts="hub"),
    )
    kit.spin(f"castor_{number}", f"wheel_{number}", at=axle, axis="x")


def _rear_wheel(kit: Kit, name: str, at: Vector, radius: float, ground: float, trim: Material) -> None:
    """A wheel between two cheeks below the rear edge."""
    x, y, _ = at
    cheeks = [
        block(
            (0.008, 1.5 * radius, ground - 0.4 * radius), (x + s * 0.021, y, (ground + 0.6 * radius) / 2), round=0.003
        )
        for s in (-1, 1)
    ]
    pin = rod((x - 0.024, y, radius), (x + 0.024, y, radius), 0.005, sides=10)
    kit.meshes["body"].append(paint(trim, cheeks, pin, parts="cheeks, pin"))
    tyre, hub = wheel(radius, 0.026, at, segments=22)
    kit.link(
        name,
        paint(kit.material("rubber", name="rear wheel tyre"), tyre, parts="tyre"),
        paint(kit.material("metal", "black", name="rear wheel hub"), hub, parts="hub"),
    )
    kit.spin("body", name, at=at, axis="x")


def _carry(
    kit: Kit, name: str, parent: str, at: Array, axis: str, out: str, flat: str, long: float, reach: float,
    color: Material, most: float = 90.0,
) -> None:  # fmt: skip
    """A bow that lies flat on a surface and is lifted by its free side; lugs on the surface hold its ends."""
    along, up, way = direction(axis), direction(out), direction(flat)
    pivot = at + 0.011 * up
    spots = [pivot - long / 2 * along, pivot + long / 2 * along]
    lugs = [barrel(spot, axis, 0.02, 0.0075) for spot in spots]
    lugs += [
        block(0.02 + 0.004 * np.abs(along) - 0.013 * np.abs(up), spot - 0.0085 * up, round=0.002) for spot in spots
    ]
    kit.meshes[parent].append(paint(color, lugs, parts="lugs"))
    path = np.stack([spots[0], spots[0] + reach * way, spots[1] + reach * way, spots[1]])
    bow = tube(fillet(path, 0.6 * reach, steps=4), 0.0055)
    grip = rod(pivot + reach * way - 0.25 * long * along, pivot + reach * way + 0.25 * long * along, 0.0085, sides=12)
    kit.link(name, paint(color, bow, grip, parts="bow, handle"))
    kit.hinge(parent, name, at=pivot, axis=np.cross(way, up), lower=0, upper=most)


def _lying(kit: Kit, kind: str) -> None:
    """Lying on its side: a bottom and a lid hinged at the rear, held by latches in front."""
    sizes = {
        "briefcase": ((0.38, 0.48), (0.27, 0.36), (0.09, 0.13), 0.55),
        "toolbox": ((0.38, 0.55), (0.2, 0.27), (0.17, 0.26), 0.65),
        "trunk": ((0.65, 0.95), (0.38, 0.5), (0.34, 0.48), 0.72),
    }
    *ranges, share = sizes[kind]
    wide, deep, tall = (kit.between(*r, name="lying width and depth and height share") for r in ranges)
    families = {
        "briefcase": ("leather", "leather", "metal", "black"), "toolbox": ("plastic", "paint", "dark_metal", "red"),
        "trunk": ("wood", "leather", "paint", "metal"),
    }  # fmt: skip
    shell, trim, metal = (
        kit.material(*families[kind], name="lying shell"),
        kit.material("black", name="lying trim"),
        kit.material("metal", "brass", "dark_metal", name="lying metal"),
    )
    low, arc = 0.006, kit.between(0.01, 0.03, name="lying arc")
    wall = 0.012 if kind == "trunk" else 0.008
    seam, top, gap = low + share * tall, low + tall, 0.002
    scale = 1.6 if kind == "trunk" else 1.0
    box = tray((wide, deep, seam - low), wall, (0, 0, low), round=arc)
    hinge = np.array([0.0, deep / 2 + 0.003, seam + gap / 2])
    pins = knuckles(hinge, "x", 0.3 * wide, 0.1 * wide, 0.007 * scale)
    band = translate(
        rotate(frame(wide + 0.006, deep + 0.006, wall, 0.012, round=arc + 0.003), "x", 90), z=seam - 0.0065
    )
    lid = [tray((wide, deep, top - seam - gap), wall, (0, 0, top), "-z", round=arc)]
    capped = kind == "trunk" or kit.chance(0.4, name="corner caps")
    stands = feet(wide - 0.08, deep - 0.08, 0.012, low)
    kit.link(
        "body",
        paint(shell, box, parts="box"),
        paint(metal, pins, band, parts="pins, band"),
        paint(trim, stands, parts="stands"),
    )
    kit.link("lid", paint(shell, lid, parts="lid"))
    if kind != "briefcase":
        kit.meshes["lid"].append(paint(metal if kind == "trunk" else shell, _ribs(kit, wide, deep, top), parts="ribs"))
    for name, z in (("body", low + 0.009 * scale), ("lid", top - 0.009 * scale)) if capped else ():
        x, y = (0.5 * size - 0.3 * arc - 0.003 for size in (wide, deep))
        kit.meshes[name].append(
            paint(metal, [ball(0.013 * scale, (a * x, b * y, z), 12) for a in (-1, 1) for b in (-1, 1)])
        )
    kit.hinge("body", "lid", at=hinge, axis="-x", lower=0, upper=kit.between(80, 115, name="lying lid opens to"))
    face = -deep / 2 - 0.003
    for i, x in enumerate((-0.32, 0.32) if kind != "trunk" or kit.chance(0.6, name="two latches") else (0.0,)):
        _latch(kit, f"latch_{i + 1}", np.array([x * wide, face, seam - 0.02 * scale]), scale, metal)
    long = kit.between(0.12, 0.16, name="lying length")
    if kind == "briefcase":
        at = np.array([0.0, face + 0.003, low + 0.5 * (seam - low)])
        _carry(kit, "handle", "body", at, "x", "-y", "-z", long, min(0.055, 0.5 * (seam - low) - 0.012), trim)
    elif kind == "toolbox":
        pads = [block((0.024, 0.02, 0.008), (s * 0.65 * long, 0.03, top + 0.002), round=0.002) for s in (-1, 1)]
        kit.meshes["lid"].append(paint(trim, pads, parts="pads"))
        _carry(kit, "handle", "lid", np.array([0.0, 0.03, top + 0.004]), "x", "z", "-y", 1.3 * long, 0.06, trim)
    else:
        for name, side in (("left_handle", "-x"), ("right_handle", "x")):
            at = wide / 2 * direction(side) + (0, 0, low + 0.75 * (seam - low))
            _carry(
                kit, name, "body", at, "y", side, "-z", long, 0.06, metal, most=kit.between(70, 90, name="lying z most")
            )


def _ribs(kit: Kit, wide: float, deep: float, top: float) -> list[Mesh]:
    """Two battens across the lid, or a rim around it."""
    if kit.chance(0.6, name="two feet"):
        return [block((0.03, deep - 0.02, 0.01), (k * wide, 0, top + 0.002), round=0.003) for k in (-0.36, 0.36)]
    return [block((0.55 * wide, 0.6 * deep, 0.012), (0, 0, top), round=0.004)]


def _latch(kit: Kit, name: str, at: Array, scale: float, metal: Material) -> None:
    """A flap hinged below the seam that reaches up over the lid's edge, and is turned down to free it."""
    wide, tall = 0.036 * scale, 0.045 * scale
    base = block((1.3 * wide, 0.006, 0.02), at + (0, 0.001, -0.006), round=0.002)
    pin = at - (0, 0.006, 0)
    kit.meshes["body"].append(paint(metal, base, barrel(pin, "x", 1.2 * wide, 0.0045), parts="base, "))
    flap = block((wide, 0.0045, tall), pin + (0, -0.001, tall / 2), round=0.0015)
    lip = block((0.6 * wide, 0.009, 0.006), pin + (0, -0.003, tall - 0.003), round=0.002)
    kit.link(name, paint(metal, flap, lip, parts="flap, lip"))
    kit.hinge("body", name, at=pin, axis="x", lower=0, upper=kit.between(80, 130, name="latch body opens to"))
