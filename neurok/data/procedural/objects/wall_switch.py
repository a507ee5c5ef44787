"""A plate on the wall with rockers, toggles, knobs, sliders and push buttons beside sockets and lamps."""

import numpy as np

from neurok.data.procedural.fittings import barrel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, repeat_around, translate
from neurok.data.procedural.plates import bevel_pierced_plate, inset_rectangle, pierce_plate
from neurok.data.procedural.shapes import ball, block, fillet, lathe, pipe, plate, rectangle, rod, tray
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material

GAP = 0.0006  # between what moves and its opening [m]

# style -> a cell's width and height [m], most columns and rows, what may sit in a cell
STYLES = {
    "square": (0.071, 0.071, 3, 1, ("rocker", "rocker", "rocker", "pair", "dimmer", "round_socket", "push")),
    "tall": (0.046, 0.104, 4, 1, ("rocker", "rocker", "slider", "slots", "rocker")),
    "toggle": (0.046, 0.104, 4, 1, ("toggle", "toggle", "toggle", "slots", "dimmer")),
    "modules": (0.0236, 0.052, 6, 1, ("rocker", "rocker", "rocker", "push", "blank")),
    "panel": (0.05, 0.052, 3, 2, ("mushroom", "dimmer", "toggle", "push", "lamp", "slider")),
}
RESTING = ("round_socket", "slots", "blank", "lamp")


def draw(kit: Kit) -> None:
    """The plate's back is at y = 0; it is a grid of cells, each with its own opening, in one rim."""
    style = kit.pick("square", "tall", "toggle", "toggle", "modules", "panel", "panel", name="style")
    wide, high, columns, rows, kinds = STYLES[style]
    scale = kit.between(0.92, 1.08, name="scale")
    wide, high = scale * wide, scale * high * kit.between(0.96, 1.04, name="height share")
    columns, rows = kit.count(3 if style == "modules" else 1, columns, name="columns"), kit.count(1, rows, name="rows")
    thick = kit.between(0.007, 0.01, name="thickness")
    face, dark = (
        kit.material("white", "white", "white", "paint", "black", "metal", name="face"),
        kit.material("black", name="dark"),
    )
    moving = (
        face
        if kit.chance(0.65, name="plain switches")
        else kit.material("white", "black", "metal", "brass", name="moving")
    )
    border = np.array(
        [kit.between(0.008, 0.02, name="border share"), kit.between(0.006, 0.012, name="border share")]
    ) * (1.6 if style == "modules" else 1.0)
    inner = np.array([columns * wide, rows * high])
    outer, arc = inner + 2 * border, kit.pick(0.001, 0.004, 0.012, name="corner")
    bevel, proud = kit.between(0.002, 0.004, name="bevel"), kit.pick(0.0, 0.0, 0.0012, name="proud")
    outline, edge = (rectangle(w, h, arc) for w, h in (outer, outer - 2 * bevel))
    hole = rectangle(columns * wide, rows * high, 1e-4)
    rim = (
        kit.material("metal", "wood", "brass", "glass", "paint", name="rim")
        if kit.chance(0.25, name="contrasting rim")
        else face
    )
    kit.link("plate", paint(rim, bevel_pierced_plate(outline, edge, hole, (0.0, bevel - thick, -thick - proud), "xz")))
    spots = [((c - 0.5 * (columns - 1)) * wide, (r - 0.5 * (rows - 1)) * high)
             for r in range(rows) for c in range(columns)]  # fmt: skip
    chosen = (
        [kit.pick(*kinds, name="switch kind")] * len(spots)
        if kit.chance(0.4, name="all alike")
        else [kit.pick(*kinds, name="switch kind") for _ in spots]
    )
    if all(kind in RESTING for kind in chosen):
        chosen[0] = kinds[0]
    for number, (kind, (x, z)) in enumerate(zip(chosen, spots), 1):
        at = np.array([x, -thick, z])
        _CELLS[kind](kit, f"{number}", at, wide, high, face, moving)
    if style in ("tall", "toggle") and kit.chance(0.8, name="screws"):
        heads = [(x, s * 0.42 * high) for x, _ in spots for s in (-1, 1)]
    else:
        heads = [(s * 0.5 * (inner[0] + border[0]), 0.0) for s in (-1, 1)] if kit.chance(0.4, name="screws") else []
    for x, z in heads:
        on = np.array([x, -thick - (0.0 if z else proud), z])
        kit.meshes["plate"] += [
            paint(kit.material("metal", name="rod"), rod(on + (0, 0.001, 0), on - (0, 0.0008, 0), 0.0027)),
            paint(dark, block((0.004, 0.0008, 0.0008), on - (0, 0.0006, 0), round=0)),
        ]
    if kit.chance(0.3, name="wall box"):  # the box in the wall
        size = (outer[0] - 0.012, outer[1] - 0.012, kit.between(0.025, 0.04, name="size share"))
        box = tray(size, 0.002, (0, size[2] - 0.001, 0), "-y", round=0.004)
        kit.meshes["plate"].append(
            paint(kit.material("metal", "plastic", "white", "black", name="box"), box, parts="box")
        )


def _opening(kit: Kit, at: Array, wide: float, high: float, face: Material, w: float, h: float, arc: float) -> None:
    """A cell of the plate from its face back to the wall, with an opening through it; round by a large arc."""
    cell = pierce_plate(rectangle(wide, high, 1e-4), rectangle(w, h, arc), -at[1], 0.0, "xz")
    kit.meshes["plate"].append(paint(face, translate(cell, *at), parts="cell"))


def _solid(kit: Kit, at: Array, wide: float, high: float, face: Material) -> None:
    middle = at * (1, 0.5, 1)
    kit.meshes["plate"].append(paint(face, block((wide, -at[1], high), middle, round=0)))


def _rocker(kit: Kit, name: str, at: Array, wide: float, high: float, face: Material, moving: Material) -> None:
    _rockers(kit, name, at, wide, high, face, moving, 1)


def _pair(kit: Kit, name: str, at: Array, wide: float, high: float, face: Material, moving: Material) -> None:
    _rockers(kit, name, at, wide, high, face, moving, kit.count(2, 3, name="rockers"))


def _rockers(
    kit: Kit, name: str, at: Array, wide: float, high: float, face: Material, moving: Material, count: int
) -> None:
    """Rockers side by side in one opening, on a pin across it; their faces are a shallow V."""
    w, h = (wide - 0.0035, 0.88 * high) if wide < 0.03 else (0.78 * wide, min(0.78, 1.6 * wide / high) * high)
    _opening(kit, at, wide, high, face, w, h, 0.001)
    swing = kit.between(5, 9, name="rockers swing") if h > 0.05 else kit.between(6, 12, name="rockers swing")
    pin = at + (0, 0.0035, 0)
    kit.meshes["plate"].append(paint(kit.material("metal", name="rockers barrel"), barrel(pin, "x", w + 0.002, 0.0012)))
    each, half = w / count, 0.5 * h - GAP
    bulge, marked = (
        kit.between(0.0, 0.0015, name="rockers bulge"),
        kit.pick("none", "dot", "line", "lamp", name="marks"),
    )
    light = (
        kit.material("red", "light", "leaf", name="rockers light")
        if marked == "lamp"
        else kit.material("black", "red", name="rockers light")
    )
    # Its ends are cut back, so that they clear the opening when they swing.
    rise = half * np.sin(np.radians(swing))
    brow = -0.002 - 0.6 * rise
    flat = [[-0.002, -half], [brow, 0.0012 - half], [bulge - 0.0035, 0], [brow, half - 0.0012], [-0.002, half],
            [0.0025, 0.93 * half], [0.0025, -0.93 * half]]  # fmt: skip
    for i in range(count):
        x = (i - 0.5 * (count - 1)) * each
        body = plate(np.array(flat), each - 2 * GAP, pin + (x, 0, 0), "yz", bevel=0.0003)
        front = pin + (x, -0.0035 - 0.36 * rise, 0)
        mark = {
            "none": [],
            "dot": [rod(front + (0, 0.002, 0.7 * half), front + (0, -0.0004, 0.7 * half), 0.0014, sides=12)],
            "line": [block((0.0011, 0.004, 0.12 * half), front + (0, 0.0015, 0.68 * half), round=0)],
            "lamp": [block((0.3 * each, 0.004, 0.06 * h), front + (0, 0.0014, -0.7 * half), round=0.0005)],
        }[marked]  # fmt: skip
        rest = kit.pick(-swing, -swing, swing, 0.0, name="rocker rest")
        pieces = [paint(moving, body, parts="body"), *([paint(light, mark, parts="mark")] if mark else [])]
        kit.add_swung("plate", f"rocker_{name}_{i + 1}", pieces, at=pin, axis="x", back=swing, upper=swing, rest=rest)


def _toggle(kit: Kit, name: str, at: Array, wide: float, high: float, face: Material, moving: Material) -> None:
    """A lever on a drum that fills its slot, resting up or down."""
    drum, swing = kit.between(0.0075, 0.009, name="toggle drum"), kit.between(15, 28, name="toggle swing")
    w, pin = kit.between(0.008, 0.011, name="toggle w"), at + (0, 0.004, 0)
    _opening(kit, at, wide, high, face, w, 2 * drum + 2 * GAP, 0.0005)
    sill = [block((w + 0.006, 0.0014, 0.003), at + (0, 0, s * (drum + 0.003)), round=0) for s in (-1, 1)]
    if kit.chance(0.5, name="sill"):
        kit.meshes["plate"].append(paint(face, sill, parts="sill"))
    long = kit.between(0.014, 0.019, name="toggle length")
    if kit.chance(0.7, name="flat lever"):
        lever = plate(np.array([[0, -0.0045], [-long - 0.004, -0.003], [-long - 0.004, 0.003], [0, 0.0045]]), w - 0.002,
                      pin, "yz", bevel=0.001)  # fmt: skip
    else:
        lever = rod(pin, pin - (0, long + 0.006, 0), 0.0022, end_radius=0.0038, sides=14)
    body = barrel(pin, "x", w - 2 * GAP, drum)
    rest = kit.pick(-swing, swing, name="lever rest")
    pieces = [paint(moving, lever, body, parts="lever, body")]
    kit.add_swung("plate", f"toggle_{name}", pieces, at=pin, axis="x", back=swing, upper=swing, rest=rest)


def _dimmer(kit: Kit, name: str, at: Array, wide: float, high: float, face: Material, moving: Material) -> None:
    """A knob that turns on a solid cell with a dial around it."""
    _solid(kit, at, wide, high, face)
    r, long = (
        kit.between(0.24, 0.36, name="dimmer r share") * min(wide, high),
        kit.between(0.009, 0.018, name="dimmer length"),
    )
    profile = fillet(
        np.array(
            [[0, GAP], [1.0 * r, GAP], [kit.between(0.8, 0.98, name="dimmer profile share") * r, long], [0, long]]
        ),
        0.0015,
        steps=2,
    )
    mark = block((0.0014, 0.001, 0.6 * r), at + (0, -long, 0.5 * r), round=0)
    ribs = repeat_around(block((0.0012, 0.6 * long, 0.0012), at + (0, -0.45 * long, 0.95 * r), round=0), 24, "y", at)
    ticks = repeat_around(block((0.001, 0.001, 0.003), at + (0, 0, 1.2 * r), round=0), 12, "y", at)
    kit.meshes["plate"].append(
        paint(kit.material("black", "metal", name="dimmer ticks"), ticks[:5], ticks[8:], parts="ticks, ticks")
    )
    body = [lathe(profile, at, "-y", 32), *(ribs if kit.chance(0.5, name="dial ribs") else [])]
    link = kit.link(
        f"knob_{name}",
        paint(moving, body, parts="body"),
        paint(kit.material("black", "red", "white", name="dimmer link"), mark, parts="mark"),
    )
    if kit.chance(0.5, name="endless dial"):
        kit.spin("plate", link, at=at, axis="-y")
    else:
        kit.hinge("plate", link, at=at, axis="-y", lower=0, upper=kit.pick(90, 180, 270, 300, name="dial range"))


def _slider(kit: Kit, name: str, at: Array, wide: float, high: float, face: Material, moving: Material) -> None:
    """A cap on a stem that runs in an upright slot."""
    w, h = kit.between(0.004, 0.006, name="slider w"), kit.between(0.5, 0.62, name="slider h share") * high
    _opening(kit, at, wide, high, face, w, h, 0.001)
    tall, broad = (
        kit.between(0.16, 0.26, name="slider height share") * h,
        kit.between(0.01, 0.016, name="slider breadth"),
    )
    travel = h - 0.7 * tall - 2 * GAP
    rest = kit.pick(0.0, 0.5, kit.between(0, 1, name="slider rest share"), name="slider rest") * travel
    z = rest - 0.5 * travel
    cap = block((broad, 0.006, tall), at + (0, -0.003 - GAP, z), round=0.0012)
    stem = block((w - GAP, 0.009, 0.7 * tall), at + (0, 0.001, z), round=0)
    line = block((broad, 0.001, 0.001), at + (0, -0.006 - GAP, z), round=0)
    link = kit.link(
        f"slider_{name}",
        paint(moving, cap, stem, parts="cap, stem"),
        paint(kit.material("black", "white", name="slider link"), line, parts="line"),
    )
    kit.slide("plate", link, axis="z", lower=-rest, upper=travel - rest)


def _push(kit: Kit, name: str, at: Array, wide: float, high: float, face: Material, moving: Material) -> None:
    """A round, square or filling button that is pressed in."""
    shape = "fill" if wide < 0.03 else kit.pick("fill", "round", "square", name="button shape")
    side = kit.between(0.3, 0.5, name="push side share") * min(wide, high)
    w, h = {"fill": (0.84 * wide, 0.86 * high)}.get(shape, (side, side))
    arc = 0.49 * side if shape == "round" else 0.001
    _opening(kit, at, wide, high, face, w, h, arc)
    travel = kit.between(0.0022, 0.0035, name="push travel")
    cap = plate(
        inset_rectangle(w, h, arc, GAP, 0.0005), 0.004 + travel, at + (0, 0.002 - 0.5 * travel, 0), "xz", bevel=0.0006
    )
    sign = block((0.2 * w, 0.001, 0.2 * w), at + (0, -travel, 0), round=0)
    link = kit.link(
        f"button_{name}",
        paint(moving, cap, parts="cap"),
        paint(kit.material("black", "red", "light", name="push link"), sign, parts="sign"),
    )
    kit.slide("plate", link, axis="y", upper=travel)


def _mushroom(kit: Kit, name: str, at: Array, wide: float, high: float, face: Material, moving: Material) -> None:
    """An emergency stop: a wide head on a stem in a collar."""
    r = kit.between(0.28, 0.4, name="mushroom r share") * min(wide, high)
    stem, travel = 0.45 * r, kit.between(0.003, 0.005, name="mushroom travel")
    _opening(kit, at, wide, high, face, 2 * stem + 2 * GAP, 2 * stem + 2 * GAP, stem + GAP)
    collar = pipe(at + (0, 0.002, 0), at - (0, 0.004, 0), 1.6 * stem, 0.55 * stem, sides=24)
    kit.meshes["plate"].append(paint(kit.material("yellow", "metal", name="mushroom collar"), collar, parts="collar"))
    low = 0.004 + travel + GAP
    cap = np.array([[0, low], [r, low], [r, low + 0.004], [0.8 * r, low + 0.009], [0, low + 0.011]])
    head = lathe(fillet(cap, 0.002, steps=2), at, "-y", 28)
    shaft = rod(at + (0, 0.003, 0), at - (0, low + 0.002, 0), stem - 0.0003, sides=20)
    link = kit.link(
        f"button_{name}",
        paint(kit.material("red", "leaf", "black", name="mushroom link"), head, shaft, parts="head, shaft"),
    )
    kit.slide("plate", link, axis="y", upper=travel)


def _round_socket(kit: Kit, name: str, at: Array, wide: float, high: float, face: Material, moving: Material) -> None:
    r = 0.3 * min(wide, high)
    _opening(kit, at, wide, high, face, 2 * r, 2 * r, 0.49 * 2 * r)
    floor = rod(at * (1, 0, 1), at + (0, 0.55 * -at[1], 0), 1.02 * r, sides=28)
    holes = [rod(at + (s * 0.0095, 0.003, 0), at + (s * 0.0095, 0.0035 + 0.4 * -at[1], 0), 0.0026) for s in (-1, 1)]
    holes = [translate(hole, 0, 0.55 * -at[1] - 0.004, 0) for hole in holes]
    clips = [block((0.005, 0.004, 0.002), at + (0, 0.003, s * 0.93 * r), round=0) for s in (-1, 1)]
    kit.meshes["plate"] += [
        paint(face, floor, parts="floor"),
        paint(kit.material("black", name="round socket holes"), holes, parts="holes"),
        paint(kit.material("metal", name="round socket clips"), clips, parts="clips"),
    ]


def _slots(kit: Kit, name: str, at: Array, wide: float, high: float, face: Material, moving: Material) -> None:
    """Two outlets of two slots and a round hole each."""
    _solid(kit, at, wide, high, face)
    for s in (-1, 1):
        spot = at + (0, 0, s * 0.19 * high)
        raised = plate(rectangle(0.033, 0.027, 0.009), 0.003, spot, "xz")
        marks = [block((0.0014, 0.002, t), spot + (k * 0.0063, -0.001, 0.003), round=0)
                 for k, t in ((-1, 0.009), (1, 0.007))]  # fmt: skip
        earth = rod(spot + (0, 0, -0.0065), spot + (0, -0.002, -0.0065), 0.0024, sides=12)
        kit.meshes["plate"] += [
            paint(face, raised, parts="raised"),
            paint(kit.material("black", name="slots marks"), marks, earth, parts="marks, earth"),
        ]


def _blank(kit: Kit, name: str, at: Array, wide: float, high: float, face: Material, moving: Material) -> None:
    _solid(kit, at, wide, high, face)
    inset = block((wide - 0.004, 0.0012, 0.86 * high), at, round=0)
    kit.meshes["plate"].append(paint(moving, inset, parts="inset"))


def _lamp(kit: Kit, name: str, at: Array, wide: float, high: float, face: Material, moving: Material) -> None:
    _solid(kit, at, wide, high, face)
    r = kit.between(0.14, 0.24, name="lamp r share") * min(wide, high)
    ring = pipe(at + (0, 0.001, 0), at - (0, 0.004, 0), 1.25 * r, 0.25 * r, sides=24)
    glow = ball((r, 0.7 * r, r), at, 18)
    kit.meshes["plate"] += [
        paint(kit.material("metal", name="lamp ring"), ring, parts="ring"),
        paint(kit.material("red", "leaf", "yellow", name="lamp glow"), glow, parts="glow"),
    ]


_CELLS = {
    "rocker": _rocker, "pair": _pair, "toggle": _toggle, "dimmer": _dimmer, "slider": _slider, "push": _push,
    "mushroom": _mushroom, "round_socket": _round_socket, "slots": _slots, "blank": _blank, "lamp": _lamp,
}  # fmt: skip
