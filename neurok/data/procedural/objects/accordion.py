"""An accordion: two boxes with keys and buttons, bellows between them that open straight and like a fan."""

import numpy as np

from neurok.data.procedural.kit import Kit, compute_stretch_weights
from neurok.data.procedural.placing import paint, translate
from neurok.data.procedural.shapes import ball, block, curve, loft, rectangle, ribbon
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

BONES = 5


def draw(kit: Kit) -> None:
    height, depth = kit.between(0.3, 0.45, name="height"), kit.between(0.16, 0.2, name="depth")
    right, left = kit.between(0.09, 0.13, name="right"), kit.between(0.07, 0.1, name="left")  # widths of the boxes
    folds = kit.count(7, 13, name="folds")
    gap = folds * kit.between(0.009, 0.016, name="gap share")
    middle = 0.5 * height
    paintwork = kit.material("red", "black", "plastic", "wood", "paint", name="paintwork")
    inner = 0.5 * gap
    kit.link("treble_box", *_treble(kit, height, depth, right, inner, paintwork))
    bass = _bass(kit, height, depth, left, inner, paintwork)

    draw_out = gap / BONES * kit.between(0.9, 1.6, name="draw out share")
    fan = kit.between(4.5, 7.0, name="fan")
    chain = ["treble_box"]
    for i in range(BONES):
        last = i == BONES - 1
        at = (inner - (i + 0.5) * gap / BONES, 0.0, 0.0)
        sliding = kit.bone(f"draw_{i + 1}")
        turning = kit.link("bass_box", *bass) if last else kit.bone(f"fan_{i + 1}")
        kit.slide(chain[-1], sliding, axis="-x", lower=0.0, upper=draw_out)
        kit.hinge(sliding, turning, at=at, axis="-y", lower=0.0, upper=fan)
        if i:
            kit.follow(sliding, "draw_1")
            kit.follow(turning, "fan_1")
        chain.append(turning)
    path = np.array([[inner, 0.0, middle], [-inner, 0.0, middle]])
    bellows = _bellows(kit, folds, gap, 0.9 * depth, 0.93 * height, middle)
    kit.skin(bellows, compute_stretch_weights(bellows, path, chain))


def _treble(kit: Kit, height: float, depth: float, width: float, inner: float, colour: Material) -> list[Mesh]:
    """The right-hand box, its keyboard on a ledge to the side and front, and its grille."""
    middle = 0.5 * height
    box = block((width, depth, height), (inner + 0.5 * width, 0, middle), round=0.12 * depth)
    ledge = block(
        (0.45 * width, 0.5 * depth, 0.94 * height), (inner + 1.1 * width, -0.12 * depth, middle), round=0.06 * depth
    )
    keys = kit.count(10, 17, name="treble keys")
    step = 0.88 * height / keys
    y = -0.4 * depth
    start = middle - 0.44 * height
    white = [
        block(
            (0.62 * width, 0.1 * depth, 0.9 * step),
            (inner + 1.12 * width, y, start + (i + 0.5) * step),
            round=0.1 * step,
        )
        for i in range(keys)
    ]
    black = [
        block(
            (0.32 * width, 0.1 * depth, 0.5 * step),
            (inner + 0.98 * width, y - 0.06 * depth, start + (i + 1) * step),
            round=0.08 * step,
        )
        for i in range(keys - 1)
        if i % 7 not in (2, 6)
    ]
    bars = kit.count(4, 7, name="treble bars")
    grille = [
        block(
            (0.5 * width, 0.04 * depth, 0.035 * height),
            (inner + 0.42 * width, -0.5 * depth, middle + (i - (bars - 1) / 2) * 0.8 * height / bars),
            round=0.01 * height,
        )
        for i in range(bars)
    ]
    trim = kit.material("metal", "brass", name="treble trim")
    return [
        paint(colour, box, ledge, parts="box, ledge"),
        paint(kit.material("white", name="treble white"), white, parts="white"),
        paint(kit.material("black", name="treble black"), black, parts="black"),
        paint(trim, grille, parts="grille"),
    ]


def _bass(kit: Kit, height: float, depth: float, width: float, inner: float, colour: Material) -> list[Mesh]:
    """The left-hand box with rows of buttons and a strap for the hand."""
    middle, x = 0.5 * height, -inner - 0.5 * width
    box = block((width, depth, height), (x, 0, middle), round=0.12 * depth)
    rows, columns = kit.count(2, 4, name="bass rows"), kit.count(6, 11, name="bass columns")
    buttons = [
        ball(
            (0.022 * depth + 0.006 * height, 0.05 * depth, 0.012 * height + 0.02 * depth),
            (
                x + (r - (rows - 1) / 2) * 0.75 * width / rows,
                -0.5 * depth,
                middle + (c - (columns - 1) / 2) * 0.8 * height / columns,
            ),
            10,
        )
        for r in range(rows)
        for c in range(columns)
    ]
    bow = curve(
        np.array(
            [
                [x - 0.42 * width, 0, 0.1 * height],
                [x - 0.85 * width, 0, 0.3 * height],
                [x - 0.85 * width, 0, 0.7 * height],
                [x - 0.42 * width, 0, 0.9 * height],
            ]
        ),
        15,
    )
    strap = ribbon(bow, 0.35 * depth, 0.035 * depth, "y")
    return [
        paint(colour, box, parts="box"),
        paint(kit.material("white", "black", name="bass buttons"), buttons, parts="buttons"),
        paint(kit.material("leather", name="bass strap"), strap, parts="strap"),
    ]


def _bellows(kit: Kit, folds: int, gap: float, depth: float, height: float, middle: float) -> Mesh:
    """A zigzag of rounded rectangles from one box to the other, its ends inside the boxes."""
    deep = kit.between(0.1, 0.16, name="bellows depth share") * depth
    x = np.linspace(0.5 * gap, -0.5 * gap, 2 * folds + 1)
    rings = [
        _ring(depth - 2 * deep * (i % 2 == 0), height - 2 * deep * (i % 2 == 0), v, middle) for i, v in enumerate(x)
    ]
    ends = [_ring(depth - 2 * deep, height - 2 * deep, s * (0.5 * gap + 0.3 * deep), middle) for s in (1.0, -1.0)]
    mesh = loft(np.stack([ends[0], *rings, ends[1]]))
    return paint(kit.material("fabric", "black", "red", "paper", name="bellows translate"), translate(mesh))


def _ring(depth: float, height: float, x: float, middle: float) -> Array:
    outline = rectangle(depth, height, 0.12 * depth)
    return np.c_[np.full(len(outline), x), outline[:, 0], outline[:, 1] + middle]
