"""A window: casements, awnings, hoppers or pivots between fixed panes, or sashes that slide sideways or upwards."""

from dataclasses import dataclass

import numpy as np

from neurok.data.procedural.fittings import bar_handle, knuckles
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import block, fillet, frame, plate, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

# What the panes of a row do, from left to right: hinged at the Left, Right, Top or Bottom, Pivoting about their middle,
# or Fixed. A dash joins two leaves that meet without a mullion.
CASEMENTS = ("L", "R", "L-R", "L-R", "LF", "FR", "LL", "LR", "LFR", "FLF", "LFFR", "FL-RF", "LRLR", "LT")
AWNINGS = ("T", "T", "B", "TT", "FT", "BF", "FTF", "BB", "P", "P", "PP", "TFT")
TRANSOMS = ("F", "F", "FF", "T", "B", "BB", "TFT")


@dataclass(frozen=True)
class Style:
    """What all parts of one window share; lengths [m]. `out`: where casements open to, -1 outside, 1 inside."""

    deep: float
    border: float
    gap: float
    thick: float
    stile: float
    out: int
    bars: tuple[int, int]
    framed: bool
    color: Material
    sash: Material
    steel: Material
    glass: Material


@dataclass(frozen=True)
class Cell:
    """An opening in the frame: its centre and size [m] in the xz plane."""

    x: float
    z: float
    w: float
    h: float


def draw(kit: Kit) -> None:
    kind = kit.pick("casement", "casement", "awning", "sliding", "hung", name="style")
    row = {"casement": CASEMENTS, "awning": AWNINGS, "sliding": ("S",), "hung": ("H", "H", "HH", "FHF", "HHH")}[kind]
    first = kit.pick(*row, name="first sash")
    count = len(first.replace("-", ""))
    tall = {"casement": (0.8, 1.5), "awning": (0.4, 0.8), "sliding": (0.6, 1.4), "hung": (1.0, 1.7)}[kind]
    broad = {"casement": (0.4, 0.62), "awning": (0.5, 1.0), "sliding": (0.9, 2.0), "hung": (0.5, 0.9)}[kind]
    height, width = kit.between(*tall, name="height"), max(count * kit.between(*broad, name="width share"), 0.45)
    rows = [(height, first)]
    if kind == "casement" and kit.chance(0.4, name="upper row"):
        rows.append((kit.between(0.28, 0.4, name="detail") * height, kit.pick(*TRANSOMS, name="transom")))
    if kind == "awning" and kit.chance(0.5, name="lower row"):
        rows.insert(0, (kit.between(0.5, 1.2, name="insert"), kit.pick("F", "F" * count, name="lower sashes")))
    total = sum(h for h, _ in rows)
    two_planes = kind in ("sliding", "hung")
    deep = kit.between(0.1, 0.14, name="depth") if two_planes else kit.between(0.07, 0.11, name="depth")
    color = kit.material("white", "white", "wood", "metal", "dark_metal", "paint", name="colour")
    style = Style(
        deep=deep,
        border=kit.between(0.04, 0.075, name="style share"),
        gap=0.004 * np.hypot(width, total),
        thick=0.34 * deep if two_planes else kit.between(0.4, 0.62, name="style share") * deep,
        stile=kit.between(0.04, 0.065, name="style share"),
        out=kit.pick(-1, -1, 1, name="swing side"),
        bars=kit.pick((0, 0), (0, 0), (1, 0), (0, 1), (1, 1), (1, 2), (2, 2), name="bars"),
        framed=kit.chance(0.4, name="raised frame"),
        color=color,
        sash=color if kit.chance(0.7, name="plain sash") else kit.material("wood", "white", "paint", name="style"),
        steel=kit.material("metal", "brass", "dark_metal", name="style"),
        glass=kit.material("glass", name="style"),
    )

    kit.link("frame", *_surround(kit, style, width, total))
    low, bar = 0.0, kit.between(0.7, 1.0, name="bar share") * style.border
    for i, (tall_row, panes) in enumerate(rows):
        if i:
            _rest(kit, color, block((width, style.deep, bar), (0, 0, low), round=0.003))
        bottom, top = low + (bar / 2 if i else 0.0), low + tall_row - (bar / 2 if i < len(rows) - 1 else 0.0)
        _fill_row(kit, style, panes, width, bottom, top, bar)
        low += tall_row


def _rest(kit: Kit, color: Material, *pieces: Mesh | list[Mesh]) -> None:
    """More pieces of the frame."""
    kit.meshes["frame"].append(paint(color, *pieces))


def _surround(kit: Kit, style: Style, width: float, height: float) -> list[Mesh]:
    """The outer frame about the opening (which begins at z = 0), a sill, a casing, or an arched light above."""
    b, deep, sheets = style.border, style.deep, []
    pieces = [frame(width + 2 * b, height + 2 * b, b, deep, (0, 0, height / 2))]
    if kit.chance(0.7, name="sill"):
        ledge = kit.between(0.03, 0.09, name="surround ledge")
        pieces.append(block((width + 2 * b + ledge, deep + ledge, 0.03), (0, -ledge / 2, -b - 0.01), round=0.006))
    if kit.chance(0.3, name="inner board"):  # a board inside
        pieces.append(block((width + 2 * b + 0.06, 0.12, 0.025), (0, deep / 2 + 0.05, -b - 0.008), round=0.006))
    if kit.chance(0.25, name="round arch") and width < 1.8:
        angle, radius = np.linspace(0, np.pi, 25), width / 2 + b
        arc = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        ring = np.concatenate([radius * arc, (radius - b) * arc[::-1]])
        pieces.append(plate(ring, deep, (0, 0, height + 0.5 * b), "xz"))
        sheets.append(plate((radius - 0.5 * b) * arc, 0.15 * deep, (0, 0, height + 0.5 * b), "xz"))
        for turn in kit.pick((90.0,), (60.0, 120.0), (45.0, 90.0, 135.0), name="arch bars"):
            end = (radius - 0.5 * b) * np.array([np.cos(np.radians(turn)), 0, np.sin(np.radians(turn))])
            pieces.append(rod((0, 0, height + 0.5 * b), end + (0, 0, height + 0.5 * b), 0.16 * deep, sides=8))
    elif kit.chance(0.3, name="head moulding"):
        cap = 0.02 + 0.5 * b
        pieces.append(block((width + 2 * b + 0.08, deep + 0.04, cap), (0, 0, height + b + 0.3 * cap), round=0.008))
    return [paint(style.color, pieces), *([paint(style.glass, sheets, parts="sheets")] if sheets else [])]


def _fill_row(kit: Kit, style: Style, panes: str, width: float, low: float, high: float, bar: float) -> None:
    """Mullions and panes of one row, between two heights [m]."""
    count = len(panes.replace("-", ""))
    share, x, middle = width / count, -width / 2, (low + high) / 2
    # Two leaves hung on the same mullion may not lean over each other.
    widest = 78.0 if "RL" in panes else kit.between(75, 115, name="fill row widest")
    grip = kit.pick("lever", "lever", "pull", "none", name="grip")
    for i, what in enumerate(panes):
        if what == "-":
            continue
        joined = panes[i - 1 : i] == "-", panes[i + 1 : i + 2] == "-"
        left = x + (0.0 if x <= -width / 2 + 1e-9 or joined[0] else bar / 2)
        right = x + share - (0.0 if x + share >= width / 2 - 1e-9 or joined[1] else bar / 2)
        x += share
        if right < width / 2 - 1e-9 and not joined[1]:
            mullion = block((bar, 0.98 * style.deep, high - low + 0.01), (right + bar / 2, 0, middle), round=0.003)
            _rest(kit, style.color, mullion)
        cell = Cell((left + right) / 2, middle, right - left, high - low)
        if what == "F":
            _fixed(kit, style, cell, 0.0)
        elif what in "SH":
            _sliding(kit, style, cell, upright=what == "H")
        else:
            _leaf(kit, style, cell, what, joined, widest, "none" if joined[0] else grip)


def _pane(style: Style, cell: Cell, y: float, bars: tuple[int, int]) -> list[Mesh]:
    """A sash with glazing bars about a sheet of glass, in the plane y."""
    wood = [frame(cell.w, cell.h, style.stile, style.thick, (cell.x, y, cell.z))]
    inner, room = cell.w - 2 * style.stile, cell.h - 2 * style.stile
    slim = (0.35 * style.stile, 0.6 * style.thick)
    for i in range(bars[0]):
        x = cell.x + inner * ((i + 1) / (bars[0] + 1) - 0.5)
        wood.append(block((*slim, room + 0.01), (x, y, cell.z), round=0))
    for i in range(bars[1]):
        z = cell.z + room * ((i + 1) / (bars[1] + 1) - 0.5)
        wood.append(block((inner + 0.01, slim[1], slim[0]), (cell.x, y, z), round=0))
    sheet = block((inner + 0.02, max(0.008, 0.2 * style.thick), room + 0.02), (cell.x, y, cell.z), round=0)
    return [paint(style.sash, wood, parts="wood"), paint(style.glass, sheet, parts="sheet")]


def _fixed(kit: Kit, style: Style, cell: Cell, y: float) -> None:
    """Glass straight in the frame, or a sash like those that move, without hinges or handle."""
    if style.framed:
        kit.meshes["frame"] += _pane(style, Cell(cell.x, cell.z, cell.w + 0.004, cell.h + 0.004), y, style.bars)
        return
    bead = frame(cell.w + 0.004, cell.h + 0.004, 0.4 * style.stile, style.thick, (cell.x, y, cell.z))
    sheet = block((cell.w, max(0.008, 0.2 * style.thick), cell.h), (cell.x, y, cell.z), round=0)
    kit.meshes["frame"] += [paint(style.color, bead, parts="bead"), paint(style.glass, sheet, parts="sheet")]


def _leaf(
    kit: Kit, style: Style, cell: Cell, side: str, joined: tuple[bool, bool], widest: float, grip: str
) -> None:  # fmt: skip
    """A leaf flush with the face it opens to, on hinges at one side; or on two pins about which its middle turns."""
    gap, thick = style.gap, style.thick
    out = {"T": -1, "B": 1}.get(side, style.out)  # rain runs off an awning; a hopper leans into the room
    left, right = (0.5 * gap if meets else gap for meets in joined)
    own = Cell(cell.x + (left - right) / 2, cell.z, cell.w - left - right, cell.h - 2 * gap)
    name = f"leaf_{len(kit.joints) + 1}"
    if side == "P":
        kit.link(name, *_pane(style, own, 0.0, style.bars))
        pins = [
            rod((cell.x + s * (cell.w / 2 + 0.01), 0, cell.z), (cell.x + s * (own.w / 2 - 0.01), 0, cell.z), 0.01)
            for s in (-1, 1)
        ]
        _rest(kit, style.steel, pins)
        kit.hinge(
            "frame",
            name,
            at=(cell.x, 0, cell.z),
            axis="-x",
            lower=-kit.between(0, 25, name="leaf frame goes back to"),
            upper=kit.between(30, 80, name="leaf frame opens to"),
        )
        return
    face = out * style.deep / 2
    y = face - out * thick / 2
    kit.link(name, *_pane(style, own, y, style.bars))
    # A stop behind the leaf, which it shuts against.
    room = style.deep - thick - 0.6 * gap
    if room > 0.012:
        stops = [
            block((0.8 * gap + 0.008, room, cell.h), (cell.x + s * cell.w / 2, -face + out * room / 2, cell.z), round=0)
            for s, meets in ((-1, joined[0]), (1, joined[1]))
            if not meets
        ]
        stops += [
            block((cell.w, room, 0.8 * gap + 0.008), (cell.x, -face + out * room / 2, cell.z + s * cell.h / 2), round=0)
            for s in (-1, 1)
        ]
        _rest(kit, style.color, stops)
    way = {"L": (-1, 0), "R": (1, 0), "T": (0, 1), "B": (0, -1)}[side]
    axis = np.array([cell.x + way[0] * (cell.w - gap) / 2, face, cell.z + way[1] * (cell.h - gap) / 2])
    upright, long = way[0] != 0, cell.h if way[0] else cell.w
    along = np.array([0.0, 0, 1]) if upright else np.array([1.0, 0, 0])
    _rest(kit, style.steel, knuckles(axis, along, 0.38 * long, 0.08, 0.5 * gap + 0.004))
    sense = out * (-way[0] if upright else way[1])
    upper = widest if upright else kit.between(25, 60, name="leaf upper")
    kit.hinge("frame", name, at=axis, axis=sense * along, lower=0, upper=upper)
    hinge = np.array([way[0], 0.0, way[1]])
    reach = np.array([own.w, 0, own.h]) / 2 - 0.6 * style.stile
    _grip(kit, style, name, np.array([own.x, y + thick / 2, own.z]) - hinge * reach, along, hinge, grip)


def _grip(kit: Kit, style: Style, leaf: str, spot: Array, along: Array, hinge: Array, grip: str) -> None:
    """A lever that turns, a bow that does not, or nothing, on the inner face; `hinge` points from it to the hinges."""
    if grip == "pull":
        bow = bar_handle(spot - 0.05 * along, spot + 0.05 * along, "y", height=0.03, radius=0.007)
        kit.meshes[leaf].append(paint(style.steel, bow, parts="bow"))
    if grip == "lever":
        rose = block(0.012 * np.ones(3) + 0.016 * (1 - along) * (1, 0, 1) + 0.05 * along, spot, round=0.004)
        kit.meshes[leaf].append(paint(style.steel, rose, parts="rose"))
        path = np.array([spot, spot + (0, 0.035, 0), spot + (0, 0.035, 0) - 0.12 * along])
        name = kit.link(f"{leaf}_lever", paint(style.steel, tube(fillet(path, 0.012), 0.0085)))
        turn = np.cross(-along, hinge)  # carries the grip towards the glass
        kit.hinge(leaf, name, at=spot, axis=turn, lower=0, upper=90)


def _sliding(kit: Kit, style: Style, cell: Cell, *, upright: bool) -> None:
    """Panels in two planes that pass each other, between a rail at each end of the opening."""
    gap, near = style.gap, 0.24 * style.deep
    # For every panel its place along the opening [panels], its plane, and how far it moves [panels].
    plans: list[tuple[tuple[int, int, float], ...]]
    plans = [((0, -1, 0.0), (1, 1, -0.88)), ((0, -1, 0.88), (1, 1, -0.88))]  # the lower or right one, or both
    if upright:
        plans = [((1, -1, 0.0), (0, 1, 0.85)), ((1, -1, -0.85), (0, 1, 0.85))]
    elif cell.w > 1.3:
        plans += [((0, 1, 0.46), (1, -1, 0.0), (2, 1, -0.46)), ((0, 1, 0.0), (1, -1, -0.9), (2, 1, 0.0))]
        plans += [((0, 1, 0.0), (1, -1, -0.88), (2, -1, 0.88), (3, 1, 0.0))]
    plan = kit.pick(*plans, name="sliding plan")
    lap, count, span = style.stile, len(plan), cell.h if upright else cell.w
    long = (span - 2 * gap + (count - 1) * lap) / count
    if count == 4:  # the two in the middle meet edge to edge
        long = (span - 3 * gap + 2 * lap) / 4
    grip = kit.pick("bow", "plate", "none", name="grip")
    for place, side, way in plan:
        at = gap + long / 2 + place * (long - lap) - span / 2
        if count == 4 and place >= 2:
            at = span / 2 - gap - long / 2 - (3 - place) * (long - lap)
        own = Cell(cell.x + at, cell.z, long, cell.h - 2 * gap)
        if upright:
            own = Cell(cell.x, cell.z + at, cell.w - 2 * gap, long)
        if way == 0.0:
            sunk = Cell(own.x, own.z, own.w + 2.2 * gap, own.h + 2.2 * gap)  # it goes into the frame
            kit.meshes["frame"] += _pane(style, sunk, side * near, style.bars)
            continue
        name = f"sash_{len(kit.joints) + 1}"
        pieces = _pane(style, own, side * near, style.bars)
        if grip != "none":
            face, edge = side * (near + style.thick / 2), np.sign(way) * (long / 2 - 0.5 * style.stile)
            spots = [(own.x - edge, face, own.z)]
            if upright:
                spots = [(own.x + s * 0.22 * own.w, face, own.z - edge) for s in (-1, 1)]
            pieces.append(paint(style.steel, _pulls(spots, side, upright, grip), parts="handle"))
        kit.link(name, *pieces)
        travel = way * (long - lap)
        kit.slide("frame", name, axis="z" if upright else "x", lower=min(0.0, travel), upper=max(0.0, travel))
    for s in (-1, 1):
        rail = block((cell.w, 0.012, 0.016), (cell.x, 0, cell.z + s * cell.h / 2), round=0)
        if upright:
            rail = block((0.016, 0.012, cell.h), (cell.x + s * cell.w / 2, 0, cell.z), round=0)
        _rest(kit, style.color, rail)


def _pulls(spots: list[tuple[float, float, float]], side: int, upright: bool, grip: str) -> list[Mesh]:
    """Bows or flat plates on a sash's outer face, across the way it slides."""
    half = np.array([0.045, 0, 0]) if upright else np.array([0, 0, 0.06])
    pieces = []
    for spot in np.array(spots):
        if grip == "bow":
            pieces += bar_handle(spot - half, spot + half, (0, side, 0), height=0.028, radius=0.006)
        else:
            pieces.append(block(np.maximum(2 * half, (0.02, 0.012, 0.02)), spot, round=0.003))
    return pieces
