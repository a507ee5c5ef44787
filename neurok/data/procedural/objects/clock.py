"""A clock with turning hands: on a wall, on bells and feet, on a mantelpiece, or tall with a pendulum."""

import numpy as np

from neurok.data.procedural.fittings import make_panelled_front
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import mirror, paint, rotate, translate
from neurok.data.procedural.shapes import ball, block, curve, fillet, lathe, plate, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

# The height of the dial's centre, the case, and where there is a pendulum its pivot, shape and swing [degrees].
Case = tuple[float, list[Mesh], tuple[Array, Mesh, float] | None]


def draw(kit: Kit) -> None:
    style = kit.pick("wall", "alarm", "mantel", "tall", name="style")
    radius = {
        "wall": kit.between(0.13, 0.2, name="radius share"),
        "alarm": kit.between(0.05, 0.07, name="radius share"),
        "mantel": kit.between(0.07, 0.1, name="radius share"),
        "tall": kit.between(0.13, 0.16, name="radius share"),
    }[style]
    trim = (
        kit.material("brass", "metal", "dark_metal", name="trim")
        if style != "wall"
        else kit.material("wood", "black", "plastic", "metal", "brass", name="trim")
    )
    face = (
        kit.material("white", "paper", "light", name="face")
        if kit.chance(0.8, name="plain face")
        else kit.material("paint", name="face")
    )
    height, pieces, pendulum = {"wall": _wall, "alarm": _alarm, "mantel": _mantel, "tall": _tall}[style](
        kit, radius, trim
    )
    # The dial stands in the plane y = 0 and looks to -y.
    depth = 0.12 * radius
    marks, ink = _marks(kit, radius), kit.material("black", name="ink")
    dial = rod((0, 0, height), (0, depth, height), 0.98 * radius, sides=48, round=0)
    gap = (0.04 if style != "tall" else 0.07) * radius
    shaft = rod((0, 0.5 * depth, height), (0, -4.4 * gap, height), 0.035 * radius)
    kit.link(
        "case",
        *pieces,
        paint(face, dial, parts="dial"),
        paint(ink, [translate(m, 0, 0, height) for m in marks], shaft, parts=", shaft"),
    )
    shape = kit.pick("bar", "spade", "taper", name="hands")
    hand = ink if face.name != "paint" else kit.material("white", name="hand")
    _hand(kit, "hour", 0.52 * radius, 0.09 * radius, shape, -1.5 * gap, gap, height, hand)
    _hand(kit, "minute", 0.8 * radius, 0.065 * radius, shape, -3.0 * gap, gap, height, hand)
    if style in ("wall", "alarm") and kit.chance(0.7, name="second hand"):
        _hand(
            kit,
            "second",
            0.82 * radius,
            0.025 * radius,
            "bar",
            -4.5 * gap,
            gap,
            height,
            kit.material("red", name="hand"),
        )

    if pendulum is not None:
        at, mesh, swing = pendulum
        kit.link("pendulum", mesh)
        kit.hinge("case", "pendulum", at=at, axis="y", lower=-swing, upper=swing)


def _hand(
    kit: Kit, name: str, long: float, wide: float, shape: str, y: float, thick: float, height: float, color: Material
) -> None:
    """A hand that shows any hour at rest."""
    outlines = {
        "bar": [[-0.5, -0.18], [0.5, -0.18], [0.5, 1.0], [-0.5, 1.0]],
        "taper": [[-0.7, -0.2], [0.7, -0.2], [0.15, 1.0], [-0.15, 1.0]],
        "spade": [
            [-0.3, -0.15],
            [0.3, -0.15],
            [0.3, 0.6],
            [1.0, 0.7],
            [0.1, 1.0],
            [-0.1, 1.0],
            [-1.0, 0.7],
            [-0.3, 0.6],
        ],
    }
    outline = np.array(outlines[shape]) * (wide, long)
    boss = rod((0, y - 0.55 * thick, 0), (0, y + 0.55 * thick, 0), 1.1 * wide + 0.03 * long)
    pieces = [translate(m, 0, 0, height) for m in (plate(outline, thick, (0, y, 0), "xz"), boss)]
    at = (0.0, 0.0, height)
    kit.link(name, rotate(paint(color, pieces), "y", kit.between(0, 360, name="hand detail"), at))
    kit.spin("case", name, at=at, axis="y")


def _marks(kit: Kit, radius: float) -> list[Mesh]:
    """Twelve marks of the hours on the dial, about its centre; some dials have the minutes too."""
    long, wide = (
        kit.between(0.1, 0.16, name="marks length share") * radius,
        kit.between(0.03, 0.06, name="marks width share") * radius,
    )
    marks = []
    for i in range(12):
        size = 1.0 if i % 3 else 1.5
        mark = block((wide * size, 0.03 * radius, long), (0, 0, 0.82 * radius), round=0)
        marks.append(rotate(mark, "y", 30.0 * i))
    if kit.chance(0.5, name="minute marks"):
        dot = block((0.015 * radius, 0.03 * radius, 0.04 * radius), (0, 0, 0.9 * radius), round=0)
        marks += [rotate(dot, "y", 6.0 * i) for i in range(60) if i % 5]
    return marks


def _bezel(radius: float, wide: float, back: float, front: float) -> Mesh:
    """The round case behind and about the dial, a ring that stands out to -y."""
    loop = np.array(
        [
            [0.0, back],
            [0.9 * radius + 0.5 * wide, back],
            [radius + wide, 0.3 * back],
            [radius + wide, -0.7 * front],
            [radius + 0.5 * wide, -front],
            [radius, -0.6 * front],
            [0.96 * radius, 0.04 * radius],
            [0.0, 0.04 * radius],
        ]
    )
    return lathe(fillet(loop * (1, -1), 0.2 * wide), axis="-y", segments=48)


def _wall(kit: Kit, radius: float, trim: Material) -> Case:
    wide = kit.between(0.08, 0.2, name="wall width share") * radius
    if kit.chance(0.3, name="back board"):
        side = 2 * (radius + wide)
        board = block(
            (side, 0.3 * radius, side),
            (0, 0.17 * radius, 0),
            round=kit.between(0.02, 0.14, name="wall board share") * radius,
        )
        bezel = _bezel(radius, 0.05 * radius, 0.1 * radius, 0.15 * radius)
        return 0.5 * side, [translate(paint(trim, board, bezel, parts="board, bezel"), 0, 0, 0.5 * side)], None
    return (
        radius + wide,
        [
            paint(
                trim,
                translate(
                    _bezel(radius, wide, kit.between(0.2, 0.35, name="wall bezel") * radius, 0.22 * radius),
                    0,
                    0,
                    radius + wide,
                ),
                parts="bezel",
            )
        ],
        None,
    )


def _alarm(kit: Kit, radius: float, trim: Material) -> Case:
    """Two bells with a hammer between them, on two feet."""
    height = 1.35 * radius
    body = translate(_bezel(radius, 0.12 * radius, 0.7 * radius, 0.16 * radius), 0, 0, height)
    bell = lathe(
        fillet(np.array([[0, 0.42], [0.3, 0.36], [0.48, 0.1], [0.5, 0], [0.42, 0], [0, 0.2]]) * radius, 0.04 * radius),
        (0, 0, 0),
        segments=24,
    )
    post = rod((0, 0, -0.3 * radius), (0, 0, 0.5 * radius), 0.06 * radius)
    bells = [rotate(translate(m, 0, 0.3 * radius, 1.22 * radius), "y", 38) for m in (bell, post)]
    foot = rotate(
        rod(
            (0, 0.3 * radius, -1.52 * radius), (0, 0.3 * radius, -0.9 * radius), 0.07 * radius, end_radius=0.14 * radius
        ),
        "y",
        -28,
    )
    pair = [translate(m, 0, 0, height) for m in (*bells, foot)]
    arch = (
        np.stack(
            [0.62 * np.cos(t := np.linspace(0.25, np.pi - 0.25, 15)), 0 * t + 0.3, 1.25 + 0.62 * np.sin(t)], axis=1
        )
        * radius
    )
    hammer = [
        rod((0, 0.3 * radius, 0.9 * radius), (0, 0.3 * radius, 1.45 * radius), 0.05 * radius),
        ball(0.13 * radius, (0, 0.3 * radius, 1.45 * radius), 14),
    ]
    extra = [translate(m, 0, 0, height) for m in (tube(arch, 0.045 * radius), *hammer)]
    shell = kit.material("plastic", "paint", "red", "metal", "brass", name="alarm shell")
    return height, [paint(shell, body, parts="body"), paint(trim, pair, [mirror(m) for m in pair], extra)], None


def _mantel(kit: Kit, radius: float, trim: Material) -> Case:
    """A wooden case with a rounded back and a plinth."""
    wide, deep = kit.between(1.9, 3.6, name="mantel width share") * radius, 1.1 * radius
    height = 0.3 * radius + kit.between(1.25, 1.45, name="mantel height share") * radius
    top = height + 1.3 * radius
    low = 0.3 * radius
    side = [
        [0.5 * wide, low],
        [0.48 * wide, low + 0.4 * radius],
        [1.15 * radius, height + 0.4 * radius],
        [0.75 * radius, height + 1.1 * radius],
    ]
    if wide < 2.6 * radius:
        side = [
            [1.25 * radius, low],
            [1.25 * radius, 0.6 * height],
            [1.2 * radius, height + 0.4 * radius],
            [0.75 * radius, height + 1.1 * radius],
        ]
    right = np.array(side)
    outline = curve(np.concatenate([right, [[0.0, top]], (right * (-1, 1))[::-1]]), 33)
    case = plate(outline, deep, (0, 0.5 * deep + 0.03 * radius, 0), "xz", bevel=0.05 * radius)
    plinth = block(
        (max(wide, 2.5 * radius) + 0.4 * radius, 1.4 * deep, low), (0, 0.5 * deep, 0.5 * low), round=0.1 * radius
    )
    bezel = translate(_bezel(radius, 0.1 * radius, 0.1 * radius, 0.12 * radius), 0, 0, height)
    return (
        height,
        [
            paint(kit.material("wood", name="mantel case"), case, plinth, parts="body, plinth"),
            paint(trim, bezel, parts="bezel"),
        ],
        None,
    )


def _tall(kit: Kit, radius: float, trim: Material) -> Case:
    """A tall case with a pendulum in an open trunk."""
    total = kit.between(1.5, 1.9, name="height total")
    height = total - 1.6 * radius
    hood, trunk, deep = 3.0 * radius, kit.between(2.2, 2.6, name="height trunk share") * radius, 1.3 * radius
    wood = kit.material("wood", name="height wood")
    step = height - 1.35 * radius  # where the trunk begins under the hood
    base = 0.24 * total
    front = 0.04 * radius
    box = [block((hood, deep, 2.75 * radius), (0, 0.5 * deep + front, height), round=0.04 * radius)]
    crown = np.array([[-0.52, 0], [0.52, 0], [0.52, 0.08], [0.3, 0.12], [0, 0.3], [-0.3, 0.12], [-0.52, 0.08]]) * (
        hood,
        2 * radius,
    )
    box.append(
        plate(fillet(crown, 0.1 * radius, closed=True), 1.1 * deep, (0, 0.5 * deep, height + 1.3 * radius), "xz")
    )
    box += make_panelled_front(hood, base - 0.08, deep, (0, 0.5 * deep + front, 0.5 * base + 0.04), style="raised")
    box += [
        block((1.08 * hood, 1.15 * deep, 0.08), (0, 0.5 * deep, 0.04)),
        block((1.04 * hood, 1.1 * deep, 0.04), (0, 0.5 * deep, base)),
    ]
    long = step - base
    wall = 0.25 * radius
    box += [
        block(
            (wall, deep, long + 0.04),
            (s * (0.5 * trunk - 0.5 * wall), 0.5 * deep + front, base + 0.5 * long),
            round=0.1 * wall,
        )
        for s in (-1, 1)
    ]
    box.append(block((trunk, 0.2 * deep, long + 0.04), (0, 0.95 * deep, base + 0.5 * long), round=0))
    pivot = np.array([0.0, 0.5 * deep, step + 0.02])
    beam = rod(pivot - (0, 0.25 * deep, 0), pivot + (0, 0.25 * deep, 0), 0.05 * radius)
    hanger = block((0.2 * radius, 0.7 * deep, 0.06), pivot + (0, 0, 0.03))
    bob_at = base + 0.28 * long
    stem = rod((0, pivot[1], pivot[2]), (0, pivot[1], bob_at), 0.05 * radius)
    eye = rod(pivot - (0, 0.08 * radius, 0), pivot + (0, 0.08 * radius, 0), 0.12 * radius)
    bob = lathe(
        fillet(np.array([[0, -0.12], [0.42, -0.04], [0.42, 0.04], [0, 0.12]]) * radius, 0.04 * radius),
        (0, pivot[1], bob_at),
        "y",
    )
    swing = 0.8 * np.degrees(np.arctan2(0.5 * trunk - wall - 0.45 * radius, pivot[2] - bob_at))
    bezel = translate(_bezel(radius, 0.1 * radius, 0.06 * radius, 0.12 * radius), 0, 0, height)
    case = [paint(wood, box, parts="box"), paint(trim, bezel, beam, hanger, parts="bezel, beam, hanger")]
    return (
        height,
        case,
        (
            pivot,
            paint(kit.material("brass", "metal", name="height stem"), stem, eye, bob, parts="stem, eye, bob"),
            swing,
        ),
    )
