"""A folding chair: crossed legs of wood or tube, a steel chair whose seat swings through its frame, a camping stool."""

import numpy as np

from neurok.data.procedural.fittings import screw_head
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import align, paint, translate
from neurok.data.procedural.shapes import block, fillet, ribbon, rod, slab, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

GAP = 0.005  # between bars that pass each other [m]


def draw(kit: Kit) -> None:
    style = kit.pick("wood", "wood", "tube", "tube", "steel", "steel", "stool", name="style")
    if style == "stool":
        _stool(kit)
    elif style == "steel":
        _steel(kit)
    else:
        _crossed(kit, wooden=style == "wood")


def _crossed(kit: Kit, wooden: bool) -> None:
    """The rear legs carry the seat's front and cross the front legs, which run on to the back.

    The seat's rear slides up along the front legs; with nearly equal sides of the triangle it forms with the two legs,
    its angle is nearly proportional to theirs.
    """
    long, level = (
        kit.between(0.28, 0.33, name="crossed length"),
        kit.between(0.43, 0.47, name="crossed level"),
    )  # the seat between its pins, its height
    steep, flat = (
        np.radians(kit.between(62, 67, name="crossed steep share")),
        np.radians(kit.between(40, 45, name="crossed flat share")),
    )  # front and rear legs' elevation
    rise, climb = np.array([np.cos(steep), np.sin(steep)]), np.array([-np.cos(flat), np.sin(flat)])
    front = np.array([np.cos(steep + np.pi / 2), np.sin(steep + np.pi / 2)])  # out of the back, towards the sitter
    under = long / (1 / np.tan(steep) + 1 / np.tan(flat))
    toe, heel = np.array([-long / 2, level]), np.array([long / 2, level])
    cross = heel - rise * under / np.sin(steep)
    reach = under / np.sin(flat)  # from the crossing to the seat's front pin
    top = cross + rise * (reach + long + kit.between(0.05, 0.11, name="crossed top share"))
    foot, rear = cross - rise * cross[1] / np.sin(steep), cross - climb * cross[1] / np.sin(flat)
    thick = kit.between(0.02, 0.025, name="crossed thickness")  # of a bar, sideways
    deep = kit.between(0.032, 0.042, name="crossed depth") if wooden else thick  # and in the plane of the legs
    outer = kit.between(0.2, 0.24, name="crossed outer")
    inner = outer - thick - GAP
    seat_half = inner - thick / 2 - GAP
    bars = (
        kit.material("wood", "wood", "paint", "white", name="crossed bars")
        if wooden
        else kit.material("metal", "dark_metal", "black", name="crossed bars")
    )
    fill = (
        bars
        if wooden and kit.chance(0.7, name="matching seat")
        else kit.material("plastic", "leather", "black", "white", "fabric", "wood", name="crossed fill")
    )
    steel = kit.material("metal", "dark_metal", name="crossed steel")
    pins = [rod(_at(s * (inner - thick), cross), _at(s * (outer + thick / 2), cross), 0.006) for s in (-1, 1)]
    heads = [screw_head(_at(s * (outer + thick / 2), cross), (s, 0, 0), 0.011) for s in (-1, 1)]
    high = float(np.linalg.norm(top - cross))
    low = foot + 0.09 * rise + (0.5 * deep + 0.006) * front
    if wooden:
        frame = [_bar(s * outer, foot, top, thick, deep) for s in (-1, 1)]
        frame.append(_slat(2 * outer + thick, 0.03, 0.014, low, rise))
        legs = [_bar(s * inner, rear, toe + 0.012 * climb, thick, deep) for s in (-1, 1)]
    else:
        bow = [_at(-outer, foot), _at(-outer, top), _at(outer, top), _at(outer, foot)]
        frame = [tube(fillet(np.array(bow), kit.between(0.05, 0.12, name="crossed frame share")), thick / 2, sides=12)]
        frame.append(rod(_at(-outer, low), _at(outer, low), 0.008))
        legs = [rod(_at(s * inner, rear), _at(s * inner, toe + 0.01 * climb), thick / 2, sides=12) for s in (-1, 1)]
    behind = rear + 0.09 * climb + (0.3 * deep) * np.array([climb[1], -climb[0]])
    legs.append(rod(_at(-inner, behind), _at(inner, behind), 0.009))
    axle = rod(_at(-inner - thick / 2, toe), _at(inner + thick / 2, toe), 0.007)
    caps = (
        [] if wooden else [rod(_at(s * outer, foot), _at(s * outer, foot + 0.03 * rise), 0.65 * thick) for s in (-1, 1)]
    )
    ends = (
        []
        if wooden
        else [rod(_at(s * inner, rear), _at(s * inner, rear + 0.03 * climb), 0.65 * thick) for s in (-1, 1)]
    )
    rubber = kit.material("rubber", name="crossed rubber")
    back = _back(kit, top, rise, front, outer, deep, 0.45 * high, slatted=wooden)
    kit.link(
        "frame",
        paint(bars, frame, parts="frame"),
        paint(fill, back, parts="back"),
        paint(steel, pins, heads, parts="pins, heads"),
        *_tips(rubber, caps),
    )
    kit.link("rear_legs", paint(bars, legs, parts="legs"), paint(steel, axle, parts="axle"), *_tips(rubber, ends))
    angle = np.degrees(np.pi - steep - flat)
    shut = angle - kit.between(4, 9, name="crossed shut share")
    kit.hinge("frame", "rear_legs", at=_at(0, cross), axis="-x", lower=0, upper=shut)

    rails = [block((0.016, long + 0.035, 0.024), (s * (seat_half - 0.02), 0.0, level), round=0.004) for s in (-1, 1)]
    studs = [
        rod(
            (s * (seat_half - 0.02), heel[0], level), (s * (outer - thick / 2 - 0.001), heel[0], level), 0.005, sides=10
        )
        for s in (-1, 1)
    ]
    over = kit.between(0.025, 0.05, name="crossed over")
    pad = _seat(
        kit,
        seat_half,
        toe[0] - over,
        heel[0] + 0.02,
        level + 0.012,
        slatted=wooden or kit.chance(0.3, name="slatted seat"),
    )
    kit.link(
        "seat", paint(fill, pad, parts="pad"), paint(bars, rails, parts="rails"), paint(steel, studs, parts="studs")
    )
    turn = (180 - np.degrees(flat)) / angle
    kit.hinge("rear_legs", "seat", at=_at(0, toe), axis="x", lower=0, upper=turn * shut)
    kit.follow("seat", "rear_legs", turn)


def _steel(kit: Kit) -> None:
    """The seat turns about pins in the front frame until it lies between its bars; the rear legs hang on its rear."""
    steep, level = (
        np.radians(kit.between(65, 71, name="steel steep share")),
        kit.between(0.42, 0.46, name="steel level"),
    )
    rise = np.array([np.cos(steep), np.sin(steep)])
    front = np.array([-rise[1], rise[0]])
    ahead, aft = (
        kit.between(0.2, 0.24, name="steel ahead"),
        kit.between(0.14, 0.17, name="steel aft"),
    )  # the seat in front of and behind its pins
    thick, outer = kit.between(0.02, 0.026, name="steel thickness"), kit.between(0.2, 0.23, name="steel outer")
    inner = outer - thick - GAP
    half = inner - thick / 2 - GAP
    pivot = np.array([0.05, level])
    foot, top = pivot - rise * level / rise[1], pivot + rise * kit.between(0.42, 0.5, name="steel top share")
    hang = pivot + (aft - 0.03, -0.004)
    lean = np.radians(kit.between(18, 26, name="steel lean share"))
    sole = hang + hang[1] * np.array([np.tan(lean), -1.0])
    metal = kit.material("metal", "dark_metal", "paint", "black", "white", name="steel metal")
    fill = (
        metal
        if kit.chance(0.4, name="metal seat")
        else kit.material("plastic", "leather", "fabric", "black", "wood", name="steel fill")
    )
    rubber, pin = kit.material("rubber", name="steel rubber"), kit.material("metal", name="steel pin")
    bow = [_at(-outer, foot), _at(-outer, top), _at(outer, top), _at(outer, foot)]
    frame = [tube(fillet(np.array(bow), kit.between(0.05, 0.13, name="steel frame share")), thick / 2, sides=12)]
    rungs = [foot + k * rise for k in kit.pick((0.08,), (0.06, 0.15), name="rungs")]
    frame += [rod(_at(-outer, rung), _at(outer, rung), 0.007) for rung in rungs]
    heads = [screw_head(_at(s * (outer + thick / 2), pivot), (s, 0, 0), 0.01) for s in (-1, 1)]
    back = _back(
        kit, top, rise, front, outer, 0.5 * thick, kit.between(0.14, 0.2, name="steel back share"), slatted=False
    )
    caps = [rod(_at(s * outer, foot), _at(s * outer, foot + 0.03 * rise), 0.65 * thick) for s in (-1, 1)]
    kit.link(
        "frame",
        paint(metal, frame, parts="frame"),
        paint(fill, back, parts="back"),
        paint(pin, heads, parts="heads"),
        paint(rubber, caps, parts="caps"),
    )

    pad = _seat(
        kit, half, pivot[0] - ahead, pivot[0] + aft, level - 0.008, slatted=kit.chance(0.15, name="slatted seat")
    )
    axle = [rod(_at(s * (half - 0.02), pivot), _at(s * outer, pivot), 0.006, sides=12) for s in (-1, 1)]
    ears = [block((0.012, 0.05, 0.03), _at(s * (half - 0.008), hang), round=0.004) for s in (-1, 1)]
    bolts = [rod(_at(s * (half - 0.014), hang), _at(s * (inner + thick / 2), hang), 0.006, sides=12) for s in (-1, 1)]
    kit.link(
        "seat",
        paint(fill, pad, parts="pad"),
        paint(pin, axle, bolts, parts="axle, bolts"),
        paint(metal, ears, parts="ears"),
    )
    shut = np.degrees(steep) - kit.between(1, 5, name="steel shut share")
    kit.hinge("frame", "seat", at=_at(0, pivot), axis="x", lower=0, upper=shut)

    up = (hang - sole) / np.linalg.norm(hang - sole)
    legs = [rod(_at(s * inner, sole), _at(s * inner, hang + 0.012 * up), thick / 2, sides=12) for s in (-1, 1)]
    cross = sole + 0.08 * up + 0.004 * np.array([up[1], -up[0]])
    legs.append(rod(_at(-inner, cross), _at(inner, cross), 0.007))
    ends = [rod(_at(s * inner, sole), _at(s * inner, sole + 0.03 * up), 0.62 * thick) for s in (-1, 1)]
    kit.link("rear_legs", paint(metal, legs, parts="legs"), paint(rubber, ends, parts="ends"))
    # Shut, they lie along the frame: they turn forwards by both leans, and by as much as the seat turns back.
    turn = (lean + np.pi / 2) / steep
    kit.hinge("seat", "rear_legs", at=_at(0, hang), axis="-x", lower=0, upper=turn * shut)
    kit.follow("rear_legs", "seat", turn)


def _stool(kit: Kit) -> None:
    """Two bows crossed in the middle, and a cloth between their tops that sags as they close."""
    width, level, depth = (
        kit.between(0.32, 0.42, name="stool width"),
        kit.between(0.36, 0.46, name="stool level"),
        kit.between(0.28, 0.36, name="stool depth"),
    )
    wooden = kit.chance(0.4, name="wooden")
    thick = 0.022
    bars = (
        kit.material("wood", name="stool bars")
        if wooden
        else kit.material("metal", "dark_metal", "paint", name="stool bars")
    )
    share = kit.between(0.45, 0.52, name="stool share")  # how high they cross
    broad = depth * kit.between(0.85, 1.1, name="stool breadth share")  # between the feet
    cross = np.array([0.0, share * level])
    for name, s, half in (("rear_bow", 1, width / 2), ("front_bow", -1, width / 2 - thick - GAP)):
        foot, top = np.array([-s * broad / 2, 0.0]), np.array([s * depth / 2, level])
        knee = cross
        if wooden:
            sides = [_bar(k * half, a, b, thick, 1.4 * thick) for k in (-1, 1) for a, b in ((foot, knee), (knee, top))]
        else:
            path = np.array([foot, knee, top])
            sides = [tube(np.array([_at(k * half, p) for p in path]), thick / 2, sides=12) for k in (-1, 1)]
        bar = rod(_at(-width / 2, top), _at(width / 2, top), 0.011, sides=14)
        low = foot + 0.14 * (knee - foot)
        rung = rod(_at(-half, low), _at(half, low), 0.009)
        pieces = [paint(bars, sides, bar, rung, parts="sides, bar, rung")]
        if s > 0:
            pins = [
                rod(_at(k * (half - 1.5 * thick), cross), _at(k * (half + 0.4 * thick), cross), 0.006) for k in (-1, 1)
            ]
            heads = [screw_head(_at(k * (half + 0.45 * thick), cross), (k, 0, 0), 0.01) for k in (-1, 1)]
            pieces.append(paint(kit.material("metal", name="stool pins"), pins, heads, parts="pins, heads"))
        kit.link(name, *pieces)
    opening = 2 * np.degrees(np.arctan2(depth / 2, (1 - share) * level))
    kit.hinge(
        "rear_bow",
        "front_bow",
        at=_at(0, cross),
        axis="-x",
        lower=0,
        upper=opening * kit.between(0.55, 0.7, name="stool front bow opens to"),
    )
    y, x = np.linspace(-depth / 2 - 0.006, depth / 2 + 0.006, 17), np.linspace(-0.46, 0.46, 9) * width
    sag = kit.between(0.0, 0.02, name="stool sag share") * (1 - (2 * y / depth) ** 2).clip(0)
    grid = np.stack(
        [np.tile(x, (17, 1)), np.repeat(y[:, None], 9, 1), np.repeat(level + 0.013 - sag[:, None], 9, 1)], -1
    )
    cloth = paint(kit.material("fabric", "fabric", "leather", name="stool cloth"), slab(grid, 0.006), parts="slab")
    share_rear = np.clip(1.15 * cloth.vertices[:, 1] / depth + 0.5, 0.0, 1.0)  # fast at the bars
    kit.skin(cloth, {"rear_bow": share_rear, "front_bow": 1.0 - share_rear})


def _seat(kit: Kit, half: float, near: float, far: float, z: float, slatted: bool) -> list[Mesh]:
    """Slats across, or one panel, between two places along y; its underside at a height."""
    long, thick = far - near, kit.between(0.014, 0.028, name="seat thickness")
    if not slatted:
        return [block((2 * half, long, thick), (0, (near + far) / 2, z + thick / 2), round=0.4 * thick, cells=3)]
    count = kit.count(4, 8, name="seat slats")
    pitch = long / count
    size = (2 * half, pitch * kit.between(0.75, 0.9, name="seat size share"), 0.014)
    return [block(size, (0, near + (i + 0.5) * pitch, z + 0.006), round=0.004) for i in range(count)]


def _back(
    kit: Kit, top: Array, rise: Array, front: Array, half: float, deep: float, tall: float, slatted: bool
) -> list[Mesh]:
    """Slats or a bent panel on the rear of the frame's two bars, below its top."""
    side, rear = _at(0, rise), -(0.45 * deep + 0.004) * front
    if slatted:
        count = kit.count(1, 4, name="back slats")
        pitch = min(0.07, tall / count)
        broad = pitch * kit.between(0.6, 0.8, name="back breadth share")
        spots = [top - rise * (0.03 + (i + 0.5) * pitch) for i in range(count)]
        return [_slat(2 * half + 0.015, broad, 0.012, spot + rear, rise) for spot in spots]
    x = np.linspace(-half, half, 13)
    bow = kit.between(0.015, 0.04, name="back bow share") * (1 - (x / half) ** 2)
    tall = min(tall, kit.between(0.12, 0.26, name="back height share"))
    middle = top - rise * (0.03 + tall / 2) + rear
    path = np.stack([x, middle[0] - bow * front[0], middle[1] - bow * front[1]], axis=1)
    return [ribbon(path, tall, 0.014, side, sides=14)]


def _at(x: float, point: Array) -> Array:
    """A point (y, z) of the side view, at a place along x."""
    return np.array([x, *point])


def _bar(x: float, start: Array, end: Array, thick: float, deep: float) -> Mesh:
    """A square bar between two points of the side view."""
    long = float(np.linalg.norm(end - start))
    return align(translate(block((thick, deep, long), round=0.004), z=long / 2), _at(0, end - start), _at(x, start))


def _slat(width: float, broad: float, thick: float, at: Array, way: Array) -> Mesh:
    """A slat along x, its breadth along a direction of the side view."""
    return align(block((width, thick, broad), round=0.004), _at(0, way), _at(0, at))


def _tips(rubber: Material, caps: list[Mesh]) -> list[Mesh]:
    return [paint(rubber, caps, parts="caps")] if caps else []
