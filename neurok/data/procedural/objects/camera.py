"""A camera: compact, with interchangeable lens, old rangefinder, folding with bellows, or camcorder."""

import numpy as np

from neurok.data.procedural.fittings import barrel, knuckles, make_knurled_knob, screw_head
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.lenses import GAP, lens_front, mounted_lens, telescoping_lens
from neurok.data.procedural.placing import Vector, paint, translate
from neurok.data.procedural.plates import bore_plate
from neurok.data.procedural.shapes import block, fillet, frame, hoop, loft, pipe, plate, rectangle, rod
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    """The lens looks towards -y; the hand that releases the shutter is at -x."""
    style = kit.pick("compact", "reflex", "reflex", "mirrorless", "rangefinder", "folding", "camcorder", name="style")
    skin, trim = (
        kit.material("black", "dark_metal", "metal", "plastic", "white", name="skin"),
        kit.material("metal", "dark_metal", name="trim"),
    )
    if style == "compact":
        _compact(kit, skin, trim)
    elif style in ("reflex", "mirrorless"):
        _interchangeable(kit, skin, trim, style == "reflex")
    else:
        {"rangefinder": _rangefinder, "folding": _folding, "camcorder": _camcorder}[style](kit, skin, trim)


# ---------------------------------------------------------------- styles


def _compact(kit: Kit, skin: Material, trim: Material) -> None:
    """The lens comes out of a bore in the body in one or two stages."""
    w, h, d = (
        kit.between(0.088, 0.112, name="compact w"),
        kit.between(0.054, 0.066, name="compact h"),
        kit.between(0.021, 0.03, name="compact d"),
    )
    x, r = kit.pick(0.0, 0.08, 0.14, name="compact x") * w, kit.between(0.31, 0.38, name="compact r share") * h
    z, lip = 0.5 * h, kit.between(0.002, 0.005, name="compact lip")
    arc = kit.pick(0.08, 0.18, 0.3, name="compact arc") * h
    outline = rectangle(w, h, arc) - (x, 0)
    shell = translate(bore_plate(outline, r, d - 0.003, 0.08 * d), x, -0.0015, z)
    back = plate(rectangle(0.985 * w, 0.97 * h, 0.97 * arc), 0.004, (0, 0.5 * d - 0.002, z), "xz")
    ring = pipe((x, -0.5 * d + 0.002, z), (x, -0.5 * d - lip, z), r + 0.0025, 0.0025, sides=36)
    window = block((0.13 * w, 0.003, 0.14 * h), (x - 0.35 * w, -0.5 * d, z + 0.3 * h), round=0.001)
    brand = block((0.17 * w, 0.0014, 0.06 * h), (x - 0.35 * w, -0.5 * d, z + 0.12 * h), round=0)
    grip = block((0.035 * w, 0.005, 0.5 * h), (-0.45 * w, -0.5 * d, z - 0.05 * h), round=0.0015)
    kit.link(
        "body",
        paint(skin, shell, back, parts="shell, back"),
        paint(trim, ring, grip, parts="ring, handle"),
        paint(kit.material("glass", "light", name="compact window"), window, parts="window"),
        paint(kit.material("white", "black", name="compact brand"), brand, parts="brand"),
    )
    deep = d - 0.003 + lip
    telescoping_lens(kit, trim, (x, -0.5 * d - lip, z), r - GAP, deep - 0.002, kit.count(1, 2, name="lens stages"))
    _release(kit, trim, (-0.26 * w, 0, h), 0.0048 if d > 0.024 else 0.004)
    if kit.chance(0.6, name="mode dial"):
        _dial(
            kit,
            "mode_dial",
            trim,
            (-0.26 * w + 0.021, 0, h),
            kit.between(0.3, 0.38, name="compact dial") * d,
            kit.between(0.003, 0.006, name="compact dial"),
        )
    if kit.chance(0.35, name="flash"):
        _popup(kit, skin, (0.25 * w, 0.3 * d, h), 0.2 * w, 0.6 * d, 0.006)
    _monitor(
        kit,
        (0.06 * w, 0.5 * d, z),
        0.66 * w,
        0.8 * h,
        kit.pick("fixed", "fixed", "bottom", "side", name="screen hinge"),
    )
    _rear_keys(kit, trim, (-0.41 * w, 0.5 * d, z), 0.06 * w, h)


def _interchangeable(kit: Kit, skin: Material, trim: Material, reflex: bool) -> None:
    """A body with a grip, dials and a lens whose rings turn; a reflex has its prism in a hump."""
    if reflex:
        w, h, d, r = (
            kit.between(0.125, 0.15, name="interchangeable w"),
            kit.between(0.07, 0.085, name="interchangeable h"),
            kit.between(0.04, 0.05, name="interchangeable d"),
            0.034,
        )
    else:
        w, h, d, r = (
            kit.between(0.108, 0.125, name="interchangeable w"),
            kit.between(0.062, 0.07, name="interchangeable h"),
            kit.between(0.03, 0.036, name="interchangeable d"),
            0.03,
        )
    x, z = kit.between(0.0, 0.07, name="interchangeable x share") * w, 0.48 * h
    body = plate(rectangle(w, d, 0.2 * d), h, (0, 0, 0.5 * h), bevel=0.06 * d)
    top = 1.03 * h  # of the grip
    deep = (
        kit.between(0.4, 0.6, name="interchangeable depth share") * d
        if reflex
        else kit.between(0.2, 0.45, name="interchangeable depth share") * d
    )
    grip = plate(
        rectangle(0.2 * w, d + deep - 0.002, 0.3 * d), top, (-0.395 * w, -0.5 * deep, 0.5 * top), bevel=0.08 * d
    )
    mount = rod((x, 0, z), (x, -0.5 * d - 0.003, z), 0.92 * r, sides=36)
    rubber = kit.material("rubber", "black", "leather", name="interchangeable rubber")
    brand = block((0.11 * w, 0.0016, 0.05 * h), (0.38 * w, -0.5 * d, 0.86 * h), round=0)
    pieces = [
        paint(skin, body, parts="body"),
        paint(trim, mount, _shoe((x, 0.3 * d, h + (0.016 if reflex else 0.0))), parts="mount, shoe"),
        paint(rubber, grip, parts="handle"),
        paint(kit.material("white", "red", name="interchangeable pieces"), brand, parts="brand"),
    ]
    if reflex:
        slope = np.array([[-0.24, -0.01], [-0.13, 0.0165], [0.13, 0.0165], [0.24, -0.01]]) * (w, 1)
        pieces += [paint(skin, plate(fillet(slope, 0.004, closed=True), 0.86 * d, (x, 0, h), "xz"))]
        eyecup = frame(0.2 * w, 0.018, 0.004, 0.008, (x, 0.5 * d, h + 0.004), round=0.003)
        pieces += [
            paint(
                rubber, eyecup, block((0.16 * w, 0.014, 0.014), (x, 0.42 * d, h + 0.004), round=0.002), parts="eyecup, "
            )
        ]
    kit.link("body", *pieces)
    mounted_lens(
        kit,
        (x, -0.5 * d - 0.002, z),
        r,
        kit.between(0.03, 0.11 if reflex else 0.07, name="interchangeable mounted lens"),
    )
    _release(kit, trim, (-0.4 * w, -0.5 * d - 0.3 * deep, top), 0.005)
    spot = (-0.41 * w, 0.18 * d, top) if kit.chance(0.6, name="left dial") else (0.4 * w, 0.18 * d, h)
    _dial(kit, "mode_dial", trim, spot, 0.008, 0.006)
    if kit.chance(0.5, name="speed dial"):
        _dial(kit, "speed_dial", trim, (-0.27 * w, 0.28 * d, h), 0.0045, 0.004)
    if reflex and kit.chance(0.7, name="flash"):
        _popup(kit, skin, (x, 0.02 * d, h + 0.0165), 0.24 * w, 0.42 * d, 0.007)
    _monitor(
        kit,
        (0.08 * w, 0.5 * d, 0.46 * h),
        0.6 * w,
        0.72 * h,
        kit.pick("fixed", "bottom", "side", "side", "top", name="screen hinge"),
    )
    _rear_keys(kit, trim, (-0.36 * w, 0.5 * d, 0.46 * h), 0.06 * w, h)
    _hatch(kit, skin, w, d)


def _rangefinder(kit: Kit, skin: Material, trim: Material) -> None:
    """Leather between metal plates, knobs and a winding lever above, a door for the film behind."""
    w, h, d = (
        kit.between(0.128, 0.146, name="rangefinder w"),
        kit.between(0.066, 0.08, name="rangefinder h"),
        kit.between(0.03, 0.036, name="rangefinder d"),
    )
    leather, thick = kit.material("leather", "black", name="rangefinder leather"), 0.004
    plan = rectangle(w, d, 0.46 * d) - (0, 0.5 * thick)
    core = plate(plan, h - 0.002, (0, 0, 0.5 * h), bevel=0)
    plates = [plate(plan * 1.02, k * h, (0, 0, c * h), bevel=0.001) for k, c in ((0.1, 0.05), (0.28, 0.86))]
    y, face = 0.5 * d - 0.5 * thick, -0.5 * d - 0.5 * thick
    windows = [block((k * w, 0.003, 0.13 * h), (x * w, face, 0.87 * h), round=0.0006)
               for x, k in ((-0.28, 0.12), (0.02, 0.06), (0.26, 0.1))]  # fmt: skip
    post = barrel((0.42 * w, y + GAP, 0.42 * h), "z", 0.3 * h, 0.0018)
    kit.link(
        "body",
        paint(leather, core, parts="core"),
        paint(trim, plates, post, _shoe((0.11 * w, 0, h)), parts="plates, post, shoe"),
        paint(kit.material("glass", name="rangefinder windows"), windows, parts="windows"),
    )
    # Flat, between the round ends; its axis is at its edge on the body's back.
    door = block((0.84 * w - 0.0024, thick, 0.6 * h), (-0.0012, y + GAP + 0.5 * thick, 0.41 * h), round=0.001)
    catch = block((0.004, 0.003, 0.1 * h), (-0.4 * w, y + thick + 0.001, 0.42 * h), round=0.0006)
    kit.link("film_door", paint(leather, door, parts="door"), paint(trim, catch, parts="catch"))
    kit.hinge(
        "body",
        "film_door",
        at=(0.42 * w, y + GAP, 0),
        axis="-z",
        lower=0,
        upper=kit.between(90, 120, name="rangefinder film door opens to"),
    )
    if kit.chance(0.5, name="mounted lens"):
        mounted_lens(
            kit, (0.02 * w, face + 0.002, 0.42 * h), 0.026, kit.between(0.024, 0.045, name="rangefinder mounted lens")
        )
    else:  # a tube that is pushed into its mount
        z, r, long = 0.42 * h, 0.021, kit.between(0.012, 0.018, name="rangefinder length")
        mount = pipe((0.02 * w, face + 0.002, z), (0.02 * w, face - long, z), r + 0.004, 0.004, sides=32)
        kit.meshes["body"].append(paint(trim, mount, parts="mount"))
        telescoping_lens(kit, trim, (0.02 * w, face - long - 0.004, z), r - GAP, long + 0.002, 1, flange=r + 0.004)
    _release(kit, trim, (-0.19 * w, -0.22 * d, h), 0.004)
    _dial(
        kit,
        "speed_dial",
        trim,
        (-0.06 * w, 0, h),
        kit.between(0.007, 0.009, name="rangefinder dial"),
        kit.between(0.005, 0.008, name="rangefinder dial"),
    )
    _dial(
        kit,
        "rewind_knob",
        trim,
        (0.38 * w, 0, h),
        kit.between(0.007, 0.01, name="rangefinder dial"),
        kit.between(0.006, 0.011, name="rangefinder dial"),
    )
    at = np.array([-0.36 * w, -0.02 * d, h])
    arm = plate(fillet(np.array([[-0.006, 0.0], [0.004, -0.006], [0.018, 0.004], [0.022, 0.009], [0.0, 0.008]]), 0.003,
                       closed=True), 0.003, at + (0, 0, 0.006))  # fmt: skip
    kit.link(
        "wind_lever", paint(trim, arm, rod(at - (0, 0, 0.0005), at + (0, 0, 0.008), 0.008, sides=24), parts="arm, ")
    )
    kit.hinge(
        "body",
        "wind_lever",
        at=at,
        axis="z",
        lower=0,
        upper=kit.between(100, 150, name="rangefinder wind lever opens to"),
    )


def _folding(kit: Kit, skin: Material, trim: Material) -> None:
    """The lens board slides on the let-down bed, bellows between it and the case."""
    w, h, d = (
        kit.between(0.075, 0.095, name="folding w"),
        kit.between(0.13, 0.16, name="folding h"),
        kit.between(0.028, 0.036, name="folding d"),
    )
    leather, long = (
        kit.material("leather", "black", name="folding leather"),
        kit.between(0.075, 0.1, name="folding length"),
    )
    case = translate(bore_plate(rectangle(w, h, 0.3 * w), 0.4 * w, d - 0.003, 0.003, upright=True), 0, 0, 0.5 * h)
    back = plate(rectangle(0.97 * w, 0.98 * h, 0.28 * w), 0.004, (0, 0.5 * d - 0.0015, 0.5 * h), "xz")
    face, floor = -0.5 * d + 0.0015, 0.17 * h
    bed = block((0.62 * w, long + 0.006, 0.005), (0, face - 0.5 * long, floor), round=0.001)
    rails = [block((0.004, long, 0.003), (s * 0.2 * w, face - 0.5 * long, floor + 0.0035), round=0) for s in (-1, 1)]
    struts = [rod((s * 0.33 * w, face + 0.003, 0.34 * h), (s * 0.3 * w, face - 0.45 * long, floor), 0.0013, sides=8)
              for s in (-1, 1)]  # fmt: skip
    handle = hoop(0.05 * h, 0.0016, (0, 0.1 * d, h), "y", segments=20)
    kit.link(
        "body",
        paint(leather, case, back, handle, parts="body, back, handle"),
        paint(skin, bed, parts="bed"),
        paint(trim, rails, struts, parts="rails, struts"),
    )
    z, y = 0.5 * h, face - kit.between(0.5, 0.75, name="folding y share") * long
    board = plate(rectangle(0.56 * w, 0.46 * h, 0.1 * w), 0.004, (0, y, z), "xz")
    foot = block((0.5 * w, 0.012, z - floor - 0.0052), (0, y, 0.5 * (z + floor + 0.0052)), round=0.001)
    drum, glass = lens_front((0, y - 0.014, z), 0.19 * w, 0.014)
    pin = rod((0, y, z + 0.3 * h), (0, y, z + 0.2 * h), 0.0015, sides=8)
    kit.link(
        "lens_board",
        paint(trim, board, foot, drum, pin, parts="board, foot, drum, pin"),
        paint(kit.material("glass", name="folding glass"), glass, parts="glass"),
    )
    travel = 0.2 * long
    kit.slide("body", "lens_board", axis="-y", lower=-travel, upper=travel)
    folds = 2 * kit.count(6, 9, name="bellows folds") + 1
    t = np.linspace(0, 1, folds)
    side = np.linspace(0.36 * w, 0.25 * w, folds) - 0.003 * (np.arange(folds) % 2)
    along = 0.25 * d + t * (y + 0.002 - 0.25 * d)
    rings = [np.insert(rectangle(2 * s, 2.2 * s, 0.2 * s), 1, v, axis=1) + (0, 0, z) for s, v in zip(side, along)]
    bellows = paint(kit.material("black", "leather", name="folding bellows"), loft(np.stack(rings)))
    share = np.clip((bellows.vertices[:, 1] - along[0]) / (along[-1] - along[0]), 0, 1)
    kit.skin(bellows, {"body": 1 - share, "lens_board": share})
    _dial(kit, "wind_knob", trim, (-0.28 * w, 0, h), 0.008, 0.009)
    if kit.chance(0.7, name="focus lever"):
        kit.link("focus_lever", paint(trim, block((0.004, 0.003, 0.012), (0, y - 0.008, z + 0.2 * w + 0.006))))
        kit.hinge("lens_board", "focus_lever", at=(0, y, z), axis="y", lower=-50, upper=50)


def _camcorder(kit: Kit, skin: Material, trim: Material) -> None:
    """A long body with a monitor that swings out of its side and a zoom rocker above."""
    w, h, d = (
        kit.between(0.042, 0.055, name="camcorder w"),
        kit.between(0.055, 0.07, name="camcorder h"),
        kit.between(0.1, 0.13, name="camcorder d"),
    )
    thick = 0.008
    core = plate(rectangle(d, h, 0.3 * h), w - thick, (-0.5 * thick, 0, 0.5 * h), "yz", bevel=0.006)
    r = kit.between(0.36, 0.44, name="camcorder r share") * min(h, w)
    nose = rod((-0.1 * w, -0.3 * d, 0.52 * h), (-0.1 * w, -0.5 * d - 0.006, 0.52 * h), 0.98 * r, sides=32)
    pack = block((0.7 * w, 0.02, 0.6 * h), (-0.1 * w, 0.5 * d + 0.007, 0.45 * h), round=0.004)
    strap = [block((0.004, 0.7 * d, 0.4 * h), (-0.5 * w - 0.01, 0, 0.5 * h), round=0.0015)]
    strap += [block((0.012, 0.006, 0.36 * h), (-0.5 * w - 0.005, s * 0.33 * d, 0.5 * h), round=0.0015) for s in (-1, 1)]
    edge = np.array([0.5 * w - thick, -0.36 * d, 0.5 * h])
    wide, high = kit.between(0.6, 0.7, name="camcorder width share") * d, 0.76 * h
    pin = edge + (0.5 * thick, -0.001, 0)
    posts = knuckles(pin, "z", 0.36 * high, 0.2 * high, 0.47 * thick)
    posts += [block((thick, 0.006, 0.18 * high), pin + (-0.4 * thick, -0.004, s * 0.36 * high)) for s in (-1, 1)]
    kit.link(
        "body",
        paint(skin, core, nose, parts="core, nose"),
        paint(trim, posts, parts="posts"),
        paint(kit.material("black", name="camcorder pack"), pack, strap, parts="pack, strap"),
    )
    panel = block((thick - GAP, wide, high), edge + (0.5 * (thick + GAP), 0.005 + 0.5 * wide, 0), round=0.0015)
    glass = block((0.001, 0.84 * wide, 0.84 * high), edge + (GAP, 0.005 + 0.5 * wide, 0), round=0)
    brand = block((0.001, 0.3 * wide, 0.12 * high), edge + (thick, 0.005 + 0.5 * wide, 0), round=0)
    tongue = block((0.5 * thick, 0.008, 0.44 * high), edge + (0.5 * thick, 0.003, 0), round=0.001)
    eye = barrel(pin, "z", 0.5 * high, 0.45 * thick)
    kit.link(
        "monitor",
        paint(skin, panel, tongue, eye, parts="panel, tongue, eye"),
        paint(kit.material("glass", name="camcorder glass"), glass, parts="glass"),
        paint(trim, brand, parts="brand"),
    )
    kit.hinge(
        "body", "monitor", at=pin, axis="-z", lower=0, upper=kit.between(85, 95, name="camcorder monitor opens to")
    )
    mounted_lens(
        kit, (-0.1 * w, -0.5 * d - 0.004, 0.52 * h), r, kit.between(0.016, 0.03, name="camcorder mounted lens")
    )
    _release(kit, kit.material("red", name="camcorder release"), (-0.1 * w, 0.28 * d, h), 0.004)
    at = np.array([-0.1 * w, 0.05 * d, h + 0.0035])
    cap = block((0.3 * w, 0.2 * d, 0.003), at + (0, 0, 0.001), round=0.001)
    kit.meshes["body"].append(paint(trim, rod(at - (0, 0, 0.006), at - (0, 0, 0.0005), 0.003, sides=12)))
    kit.link("zoom_rocker", paint(trim, cap, barrel(at - (0, 0, 0.0005), "x", 0.2 * w, 0.0016), parts="cap, "))
    kit.hinge("body", "zoom_rocker", at=at - (0, 0, 0.0005), axis="x", lower=-8, upper=8)


# ---------------------------------------------------------------- parts


def _release(kit: Kit, metal: Material, at: Vector, r: float) -> None:
    """A button in a collar on the body, with room below it to be pressed."""
    x, y, z = at
    travel = kit.between(0.0012, 0.002, name="release travel")
    tall = travel + 0.0016
    kit.meshes["body"].append(paint(metal, pipe((x, y, z - 0.002), (x, y, z + tall), r + 0.0018, 0.0015)))
    cap = rod((x, y, z + travel + 0.0002), (x, y, z + tall + travel), r - 0.0002, sides=20)
    kit.link("shutter_button", paint(kit.material("metal", "red", "black", name="release cap"), cap, parts="cap"))
    kit.slide("body", "shutter_button", axis="-z", upper=travel)


def _dial(kit: Kit, name: str, metal: Material, at: Vector, r: float, tall: float) -> None:
    """A ribbed knob on top, with a mark."""
    x, y, z = at
    knob = make_knurled_knob(at, r, -0.0003, tall, rib=(0.7 * tall, 0.5 * tall), round=0.0006, sides=28)
    mark = block((0.6 * r, 0.001, 0.001), (x + 0.5 * r, y, z + tall), round=0)
    kit.link(
        name,
        paint(metal, knob, parts="knob"),
        paint(kit.material("white", "red", name="dial mark"), mark, parts="mark"),
    )
    kit.spin("body", name, at=at, axis="z")


def _popup(kit: Kit, skin: Material, at: Vector, wide: float, deep: float, tall: float) -> None:
    """A flash that lies on the top and rises about its rear edge."""
    x, y, z = at
    lid = block((wide, deep, tall), (x, y - 0.5 * deep, z + GAP + 0.5 * tall), round=0.0015)
    lamp = block((0.8 * wide, 0.0016, 0.6 * tall), (x, y - deep, z + GAP + 0.5 * tall), round=0.0004)
    kit.meshes["body"].append(paint(skin, barrel((x, y, z + GAP), "x", 0.7 * wide, 0.0009)))
    kit.link(
        "flash",
        paint(skin, lid, parts="lid"),
        paint(kit.material("light", "glass", name="popup lamp"), lamp, parts="lamp"),
    )
    kit.hinge(
        "body", "flash", at=(x, y, z + GAP), axis="-x", lower=0, upper=kit.between(50, 80, name="popup flash opens to")
    )


def _monitor(kit: Kit, at: Vector, wide: float, high: float, style: str) -> None:
    """The screen behind: fixed, or hinged at a side, at the bottom or at the top of its surround."""
    x, y, z = at
    thick, border = (0.003, 0.0) if style == "fixed" else (0.006, 0.0025)
    black, glass = kit.material("black", name="monitor black"), kit.material("glass", name="monitor glass")
    w, h = wide - 2 * border - 2 * GAP, high - 2 * border - 2 * GAP
    panel = block((w, thick - GAP, h), (x, y + 0.5 * (thick + GAP), z), round=0.0008)
    pane = block((0.88 * w, 0.001, 0.86 * h), (x, y + thick, z), round=0)
    if style == "fixed":
        kit.meshes["body"] += [
            paint(black, translate(panel, 0, -0.001), parts="panel"),
            paint(glass, translate(pane, 0, -0.001), parts="pane"),
        ]
        return
    kit.meshes["body"].append(paint(black, frame(wide, high, border, thick + 0.001, (x, y + 0.5 * thick - 0.0005, z))))
    kit.link("monitor", paint(black, panel, parts="panel"), paint(glass, pane, parts="pane"))
    edge, axis, most = {
        "side": ((x + 0.5 * w, y + thick, z), "-z", 170),
        "bottom": ((x, y + thick, z - 0.5 * h), "-x", 90),
        "top": ((x, y + thick, z + 0.5 * h), "x", 100),
    }[style]
    kit.hinge(
        "body",
        "monitor",
        at=edge,
        axis=axis,
        lower=0,
        upper=kit.between(0.7, 1.0, name="monitor monitor opens to") * most,
    )


def _rear_keys(kit: Kit, metal: Material, at: Vector, r: float, high: float) -> None:
    """A pad that turns about y, and small keys that rest."""
    x, y, z = at
    keys = [screw_head((x, y + 0.0004, z + k * high), "y", 0.0022) for k in (0.2, 0.3, -0.28)]
    kit.meshes["body"].append(paint(kit.material("black", "metal", name="rear keys keys"), keys, parts="keys"))
    pad = pipe((x, y + 0.0001, z - 0.04 * high), (x, y + 0.002, z - 0.04 * high), 1.1 * r, 0.5 * r, sides=24)
    dot = screw_head((x, y + 0.0004, z - 0.04 * high), "y", 0.4 * r)
    kit.meshes["body"].append(paint(metal, dot, parts="dot"))
    if kit.chance(0.5, name="fixed hot shoe"):
        kit.meshes["body"].append(paint(metal, pad, parts="pad"))
        return
    kit.link("rear_wheel", paint(metal, pad, parts="pad"))
    kit.spin("body", "rear_wheel", at=(x, y, z - 0.04 * high), axis="y")


def _shoe(at: Vector) -> list[Mesh]:
    """The rails for a flash."""
    x, y, z = at
    base = block((0.02, 0.014, 0.002), (x, y, z + 0.0004), round=0)
    sides = [block((0.002, 0.014, 0.004), (x + s * 0.009, y, z + 0.0018), round=0) for s in (-1, 1)]
    lips = [block((0.0045, 0.014, 0.0012), (x + s * 0.0078, y, z + 0.0038), round=0) for s in (-1, 1)]
    return [base, *sides, *lips]


def _hatch(kit: Kit, skin: Material, w: float, d: float) -> None:
    """The battery's door below the grip, beside the rest of the base plate; it opens downwards."""
    thick, edge, long = 0.0025, -0.47 * w, 0.2 * w
    rest = block((0.9 * w - long, 0.86 * d, thick), (edge + GAP + long + 0.5 * (0.9 * w - long), 0, -0.5 * thick))
    kit.meshes["body"].append(paint(kit.material("black", name="hatch rest"), rest, parts="rest"))
    door = block((long, 0.8 * d, thick - 0.0002), (edge + 0.5 * long, 0, -0.5 * thick - 0.0001), round=0.0006)
    kit.link("battery_door", paint(skin, door, parts="door"))
    kit.hinge(
        "body",
        "battery_door",
        at=(edge, 0, 0),
        axis="y",
        lower=0,
        upper=kit.between(75, 90, name="hatch battery door opens to"),
    )
