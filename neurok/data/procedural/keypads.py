"""What phones are made of: flat bodies, screens, and fields of keys that rest or are pressed in."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, paint, translate
from neurok.data.procedural.shapes import block, plate, rectangle, stack_outlines
from neurok.geometry.mesh import Material, Mesh

GAP = 0.0005  # between parts of a mobile phone that pass each other [m]


def flat_body(wide: float, long: float, thick: float, at: Vector, arc: float) -> Mesh:
    """A flat body with round corners; `at` is the middle of its underside."""
    x, y, z = at
    return plate(rectangle(wide, long, arc), thick, (x, y, z + 0.5 * thick), bevel=0.2 * thick)


def screen(kit: Kit, wide: float, long: float, x: float, y: float, z: float, proud: float) -> list[Mesh]:
    """A screen in a dark surround, in a face at height z that looks up or down; proud: how far it stands out [m]."""
    glass = block((0.9 * wide, 0.86 * long, 2.4 * proud), (x, y, z), round=0)
    bezel = block((wide, long, 2 * proud), (x, y, z), round=0.4 * proud)
    return [
        paint(kit.material("glass", "light", "leaf", name="screen glass"), glass, parts="glass"),
        paint(kit.material("black", "metal", name="screen bezel"), bezel, parts="bezel"),
    ]


def keypad(
    kit: Kit, size: tuple[float, float, float], arc: float, field: tuple[float, float, float], grid: tuple[int, int],
    color: Material, *, rise: float, scale: float = 1.0,
) -> tuple[list[Mesh], list[Mesh], float]:  # fmt: skip
    """A flat body from z = 0 up with keys in rows and columns over a field (width, length, its middle's y).

    Returns the body's pieces, keys that are to be links (none where they rest), and how far those go in [m]. Keys
    that move sit in the openings of a grid, their tops standing out by `rise`.
    """
    wide, long, thick = size
    across, down, middle = field
    rows, columns = grid
    layer, gap, web = min(0.0032 * scale, 0.4 * thick), GAP * scale, 0.0013 * scale
    cell = np.array([across / columns, down / rows])
    spots = [(cell * (c + 0.5, r + 0.5) - (0.5 * across, 0.5 * down)) for r in range(rows) for c in range(columns)]
    lively = kit.chance(0.6, name="own keypad lively") and rows * columns <= 12
    travel, caps = 0.4 * layer, kit.material("white", "black", "metal", "light", "rubber", name="keypad caps")
    low = thick - layer + travel + gap if lively else thick - 0.001
    key = cell - web - 2 * gap
    shape = plate(
        rectangle(key[0], key[1], kit.pick(0.15, 0.3, 0.48, name="keypad shape") * min(key)),
        thick + rise - low,
        bevel=0.2 * 0.001 * scale,
    )
    keys = [paint(caps, translate(shape, x, y + middle, 0.5 * (thick + rise + low)), parts="shape") for x, y in spots]
    if not lively:
        return [paint(color, flat_body(wide, long, thick, (0, 0, 0), arc)), *keys], [], 0.0
    outer, hole = rectangle(wide, long, arc), rectangle(across - web, down - web) + (0, middle)
    inset, bevel = rectangle(wide - 0.4 * layer, long - 0.4 * layer, arc), 0.2 * layer
    floor = thick - 1.3 * layer
    levels = [(outer, floor), (outer, thick - bevel), (inset, thick), (hole, thick), (hole, floor)]
    face = stack_outlines(levels, closed=True)
    back = flat_body(wide, long, thick - layer, (0, 0, 0), arc)
    level = thick - 0.5 * layer
    bars = [
        block((web, down, layer), (x * cell[0] - 0.5 * across, middle, level - 0.0001), round=0)
        for x in range(1, columns)
    ]
    bars += [
        block((across, web, layer), (0, middle + y * cell[1] - 0.5 * down, level - 0.0001), round=0)
        for y in range(1, rows)
    ]
    return (
        [
            paint(color, face, back, parts="face, back"),
            paint(
                kit.material("black", "metal", name="keypad bars") if kit.chance(0.4, name="keypad bars") else color,
                bars,
                parts="bars",
            ),
        ],
        keys,
        travel,
    )


def add_pressed_keys(kit: Kit, parent: str, keys: list[Mesh], travel: float, axis: str | Vector = "-z") -> None:
    """Each key a link that goes into its parent."""
    for i, key in enumerate(keys):
        name = kit.link(f"key_{i + 1}", key)
        kit.slide(parent, name, axis=axis, upper=travel)
