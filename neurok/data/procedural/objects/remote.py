"""A hand-held or desk device full of buttons: remote control, calculator, keyboard, game controller, mouse."""

import numpy as np

from neurok.data.procedural.decks import GAP, Opening, deck_buttons, key_deck, key_grid, round_opening, shaped_opening
from neurok.data.procedural.fittings import barrel, make_knurled_knob
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.pads import controller
from neurok.data.procedural.placing import Vector, paint, repeat_around
from neurok.data.procedural.shapes import block, pipe, plate, rectangle, rod
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material


def draw(kit: Kit) -> None:
    """It lies on its back, its buttons up, its far end towards +y."""
    style = kit.pick(
        "remote", "remote", "remote", "calculator", "keyboard", "controller", "controller", "mouse", name="style"
    )
    shell = kit.material("black", "black", "white", "dark_metal", "plastic", name="shell")
    {"remote": _remote, "calculator": _calculator, "keyboard": _keyboard, "controller": controller, "mouse": _mouse}[
        style
    ](kit, shell)


# ---------------------------------------------------------------- styles


def _remote(kit: Kit, shell: Material) -> None:
    """Rows of buttons, perhaps a ring of five among them, and a battery door that slides off below."""
    wide, long, tall = (
        kit.between(0.04, 0.054, name="remote width"),
        kit.between(0.14, 0.21, name="remote length"),
        kit.between(0.014, 0.02, name="remote height"),
    )
    columns, rows = 3, kit.count(4, 7, name="key rows")
    field = np.array([0.86 * wide, kit.between(0.62, 0.8, name="remote field share") * long])
    offset = 0.5 * (0.9 * long - field[1])
    pitch = field / (columns, rows)
    shape = kit.pick("round", "oval", "square", name="key shape")
    ring_row = (
        kit.count(1, rows - 3, name="ring row")
        if pitch[1] * 2 > 0.5 * field[0] and kit.chance(0.7, name="ring")
        else rows
    )
    ring: Opening | None = None
    cells, openings = [], []
    for row in range(rows):
        y = offset + (0.5 * (rows - 1) - row) * pitch[1]
        if row in (ring_row, ring_row + 1):
            if row == ring_row:  # the ring takes two rows
                cells.append((0.0, y - 0.5 * pitch[1], field[0], 2 * pitch[1]))
                ring = round_opening(0.0, y - 0.5 * pitch[1], 0.46 * min(field[0], 2 * pitch[1]))
                openings.append(ring)
            continue
        count = columns if row > 0 or kit.chance(0.5, name="full row") else 2
        for x in (np.arange(count) - 0.5 * (count - 1)) * field[0] / count:
            cells.append((x, y, field[0] / count, pitch[1]))
            openings.append(shaped_opening(shape, x, y, field[0] / columns, pitch[1]))
    arc = kit.pick(0.1, 0.25, 0.48, name="remote arc") * wide
    rise = kit.between(0.0014, 0.0022, name="remote rise")
    key_deck(kit, shell, (wide, long, tall), arc, (0.0, offset), field, cells, openings)
    colors = [kit.material("black", "white", "rubber", "metal", name="remote colors") for _ in range(2)]
    keys = [opening for opening in openings if opening is not ring]
    deck_buttons(kit, keys, colors, tall, rise, vivid=0.12)
    if ring is not None:
        _ring(kit, ring, colors[0], tall, rise)
    eye = block((0.3 * wide, 0.002, 0.3 * tall), (0, 0.5 * long, 0.55 * tall), round=0.0005)
    brand = block((0.3 * wide, 0.004, 0.0008), (0, -0.44 * long, tall), round=0)
    kit.meshes["body"] += [
        paint(kit.material("red", "black", name="remote eye"), eye, parts="eye"),
        paint(kit.material("white", "metal", name="remote brand"), brand, parts="brand"),
    ]
    _battery_door(kit, shell, wide, long, arc)


def _calculator(kit: Kit, shell: Material) -> None:
    """A screen and solar cell above a field of square keys; a lid hinged at its side, or a battery door below."""
    wide, tall = kit.between(0.068, 0.1, name="calculator width"), kit.between(0.009, 0.015, name="calculator height")
    long = wide * kit.between(1.45, 1.9, name="calculator length share")
    columns, rows = kit.count(4, 5, name="key columns"), kit.count(4, 5, name="key rows")
    field = np.array([0.9 * wide, kit.between(0.55, 0.64, name="calculator field share") * long])
    offset = 0.5 * field[1] - 0.46 * long
    cells, openings = key_grid(
        columns,
        rows,
        field,
        offset,
        kit.pick("square", "oval", name="key shape"),
        wide_last=kit.chance(0.4, name="width key"),
    )
    key_deck(kit, shell, (wide, long, tall), 0.08 * wide, (0.0, offset), field, cells, openings)
    deck_buttons(
        kit,
        openings,
        [kit.material("black", "white", "rubber", name="calculator deck buttons") for _ in range(2)],
        tall,
        kit.between(0.002, 0.003, name="calculator deck buttons"),
        vivid=0.2,
    )
    glass = block((0.8 * wide, 0.13 * long, 0.0016), (0, 0.31 * long, tall), round=0.0004)
    bezel = plate(rectangle(0.88 * wide, 0.2 * long, 0.003), 0.0012, (0, 0.31 * long, tall), bevel=0.0003)
    solar = [block((0.07 * wide, 0.05 * long, 0.0012), ((0.1 + 0.08 * i) * wide, 0.45 * long, tall), round=0)
             for i in range(4)]  # fmt: skip
    kit.meshes["body"] += [
        paint(kit.material("glass", name="calculator glass"), glass, parts="glass"),
        paint(kit.material("black", "metal", name="calculator bezel"), bezel, parts="bezel"),
        paint(kit.material("earth", "black", name="calculator solar"), solar, parts="solar"),
    ]
    if kit.chance(0.5, name="battery door"):
        _battery_door(kit, shell, wide, long, 0.08 * wide)
        return
    # At rest it lies over the keys; at 180 degrees it would lie beside them.
    axis = np.array([-0.5 * wide - 0.0025, 0.0, tall + 0.0035])
    lid = block((wide, long, 0.002), axis + (0.5 * wide + 0.002, 0, 0.001), round=0.0006)
    spine = block((0.0035, 0.8 * long, tall), (-0.5 * wide - 0.001, 0, 0.5 * tall), round=0.0008)
    kit.meshes["body"].append(
        paint(shell, spine, barrel(axis - (0, 0, 0.0028), "y", 0.8 * long, 0.0022), parts="spine, ")
    )
    knuckle = barrel(axis, "y", 0.9 * long, 0.001)
    web = block((0.003, 0.9 * long, 0.0008), axis + (0.0015, 0, 0), round=0)
    kit.link(
        "lid",
        paint(kit.material("black", "plastic", name="calculator lid"), lid, knuckle, web, parts="lid, hinges, web"),
    )
    kit.hinge("body", "lid", at=axis, axis="-y", lower=0, upper=kit.between(120, 175, name="calculator lid opens to"))


def _keyboard(kit: Kit, shell: Material) -> None:
    """Low keys in rows with a space bar, feet that fold out behind, sometimes a volume wheel."""
    columns, rows = kit.count(6, 8, name="key columns"), kit.count(2, 3, name="key rows")
    pitch, tall = kit.between(0.018, 0.02, name="keyboard pitch"), kit.between(0.012, 0.018, name="keyboard height")
    field = np.array([columns, rows]) * pitch
    wide, long = field + (
        kit.between(0.008, 0.02, name="keyboard width and length share"),
        kit.between(0.012, 0.035, name="keyboard width and length share"),
    )
    offset = -0.5 * (long - field[1]) + 0.005
    cells, openings = key_grid(columns, rows, field, offset, "square", bar=True)
    key_deck(kit, shell, (wide, long, tall), 0.006, (0.0, offset), field, cells, openings)
    deck_buttons(
        kit,
        openings,
        [kit.material("black", "white", "metal", name="keyboard deck buttons") for _ in range(2)],
        tall,
        kit.between(0.003, 0.0045, name="keyboard deck buttons"),
        vivid=0.1,
    )
    lamps = [rod((x, 0.5 * long - 0.004, tall - 0.001), (x, 0.5 * long - 0.004, tall + 0.0006), 0.0012, sides=10)
             for x in (0.3 * wide, 0.34 * wide, 0.38 * wide)]  # fmt: skip
    kit.meshes["body"].append(paint(kit.material("leaf", "light", name="keyboard lamps"), lamps, parts="lamps"))
    for name, x in (("left_foot", -0.36 * wide), ("right_foot", 0.36 * wide)):
        pin = np.array([x, 0.5 * long - 0.006, -0.0018])
        kit.meshes["body"].append(
            paint(shell, [block((0.003, 0.006, 0.004), pin + (s * 0.0105, 0, 0.001), round=0) for s in (-1, 1)])
        )
        foot = block((0.016, 0.018, 0.0024), pin + (0, -0.009, 0), round=0.0005)
        kit.link(
            name,
            paint(
                kit.material("rubber", "black", name="keyboard foot"),
                foot,
                barrel(pin, "x", 0.0172, 0.0014),
                parts="foot, ",
            ),
        )
        kit.hinge("body", name, at=pin, axis="x", lower=0, upper=kit.between(60, 85, name="keyboard body opens to"))
    if long - field[1] > 0.026:
        _dial(kit, (-0.32 * wide, 0.5 * long - 0.011, tall), 0.0075)


def _mouse(kit: Kit, shell: Material) -> None:
    """A humped back; two buttons in front hinged at their rear ends, a wheel between them."""
    wide, long, tall = (
        kit.between(0.055, 0.066, name="mouse width"),
        kit.between(0.1, 0.122, name="mouse length"),
        kit.between(0.032, 0.04, name="mouse height"),
    )
    split = kit.between(0.0, 0.1, name="mouse split share") * long
    base = plate(rectangle(wide, long, 0.42 * wide), 0.4 * tall, (0, 0, 0.2 * tall + 0.001), bevel=0.004)
    # The back's side view, a little above the deck; the buttons go on with it.
    y = np.linspace(-0.48, 0.47, 15) * long
    top = tall * (0.42 + 0.58 * np.sqrt(np.maximum(0.0, 1 - ((y / long - 0.08) / 0.62) ** 2)))
    dark, body = (
        kit.material("black", "rubber", name="mouse dark"),
        kit.material("metal", "dark_metal", name="mouse body") if kit.chance(0.3, name="contrasting body") else shell,
    )
    shelf = 0.38 * tall
    rear = y[y > split]
    edge = np.interp(split, y, top)
    hump = np.array([[split, shelf], [split, edge], *np.c_[rear, top[y > split]], [rear[-1], shelf]])
    kit.link(
        "body", paint(shell, base, parts="base"), paint(body, plate(hump, 0.86 * wide, (0, 0, 0), "yz", bevel=0.006))
    )
    front, skin = y[y < split - 0.004], top[y < split - 0.004]
    slot, press = kit.between(0.008, 0.011, name="mouse slot"), 2.5
    half = 0.5 * (0.86 * wide - slot)
    near = np.interp(split - 0.0008, y, top)
    # Pivoted low at its rear end, a button's upper edge swings away from the back; below it is room to be pressed.
    floor, end = 0.4 * tall + 0.0018, split - 0.0008
    room = (split - front[0]) * np.sin(np.radians(press)) + 0.0006
    over = np.array([[end, near], [end, floor], [front[0], floor + room], *np.c_[front, skin]])
    pin = np.array([0.0, end, floor])
    for name, s in (("left_button", -1), ("right_button", 1)):
        x = s * 0.5 * (half + slot)
        kit.link(name, paint(body, plate(over, half - 0.0006, (x, 0, 0), "yz", bevel=0.002)))
        kit.hinge("body", name, at=pin + (x, 0, 0), axis="x", lower=0, upper=press)
    r = kit.between(0.008, 0.0095, name="mouse r")
    at = np.array([0.0, -0.28 * long, np.interp(-0.28 * long, y, top) - 0.55 * r])
    posts = [block((0.0012, 0.004, at[2] - shelf + 0.003), (s * (0.5 * slot - 0.0018), at[1], 0.5 * (at[2] + shelf)),
                   round=0) for s in (-1, 1)]  # fmt: skip
    kit.meshes["body"].append(paint(dark, posts, parts="posts"))
    _roller(kit, at, r, slot - 0.0056)
    if kit.chance(0.5, name="mark"):
        mark = rod((0, 0.3 * long, np.interp(0.3 * long, y, top) - 0.003),
                   (0, 0.3 * long, np.interp(0.3 * long, y, top) + 0.0006), 0.006)  # fmt: skip
        kit.meshes["body"].append(paint(kit.material("white", "metal", "red", name="mouse mark"), mark, parts="mark"))


# ---------------------------------------------------------------- what moves


def _ring(kit: Kit, opening: Opening, color: Material, tall: float, rise: float) -> None:
    """Four quarters of a ring and a round button in their middle."""
    x, y, w, _, _ = opening
    r, inner = 0.5 * w - GAP, 0.22 * w
    low, high = tall - 0.002, tall + rise
    collar = pipe((x, y, tall - 0.0068), (x, y, tall), inner + 0.0011, 0.0011)
    kit.meshes["body"].append(paint(color, collar, parts="collar"))
    names = ("right", "up", "left", "down")
    for i, name in enumerate(names):
        angle = np.radians(np.linspace(-42, 42, 8) + 90 * i)
        out = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        outline = np.concatenate([r * out, (inner + 0.0016) * out[::-1]]) + (x, y)
        kit.link(name, paint(color, plate(outline, high - low, (0, 0, 0.5 * (high + low)), bevel=0.25 * rise)))
        kit.slide("body", name, axis="-z", upper=0.85 * rise)
    kit.link(
        "centre",
        paint(kit.material("white", "metal", "red", name="ring rod"), rod((x, y, low), (x, y, high), inner - GAP)),
    )
    kit.slide("body", "centre", axis="-z", upper=0.85 * rise)


def _battery_door(kit: Kit, shell: Material, wide: float, long: float, arc: float) -> None:
    """The near part of the back, which slides off; the far part rests."""
    thick, share = 0.0018, kit.between(0.3, 0.45, name="battery door share")
    w, arc = 0.92 * wide, 0.8 * arc
    near, seam, far = -0.47 * long, (share - 0.5) * long, 0.47 * long
    back = plate(rectangle(w, far - seam, arc) + (0, 0.5 * (far + seam)), thick, (0, 0, -0.5 * thick + 0.0003))
    kit.meshes["body"].append(paint(shell, back, parts="back"))
    form = rectangle(w, seam - near - 0.0008, arc) + (0, 0.5 * (near + seam) - 0.0004)
    door = plate(form, thick, (0, 0, -0.5 * thick - 0.0001))
    ribs = [block((0.24 * wide, 0.001, 0.0006), (0, seam - 0.006 - 0.002 * i, -thick), round=0) for i in range(4)]
    kit.link("battery_door", paint(shell, door, ribs, parts="door, ribs"))
    kit.slide(
        "body",
        "battery_door",
        axis="-y",
        upper=kit.between(0.5, 0.85, name="battery door battery door opens to") * (seam - near),
    )


def _dial(kit: Kit, at: Vector, r: float) -> None:
    """A volume knob that lies on the deck."""
    knob = make_knurled_knob(at, r, 0.0002, 0.008, rib=(0.005, 0.0042), round=0.0008, sides=24)
    kit.link("volume_knob", paint(kit.material("metal", "black", name="dial knob"), knob, parts="knob"))
    kit.spin("body", "volume_knob", at=at, axis="z")


def _roller(kit: Kit, at: Array, r: float, wide: float) -> None:
    """A ribbed wheel on an axle between two posts."""
    kit.meshes["body"].append(paint(kit.material("metal", name="roller barrel"), barrel(at, "x", wide + 0.004, 0.0012)))
    ribs = repeat_around(block((0.8 * wide, 0.0008, 0.0008), at + (0, 0, r), round=0), 24, "x", at)
    tread = barrel(at, "x", wide, r)
    kit.link(
        "wheel",
        paint(kit.material("rubber", "metal", "plastic", name="roller tread"), tread, ribs, parts="tread, ribs"),
    )
    kit.spin("body", "wheel", at=at, axis="x")
