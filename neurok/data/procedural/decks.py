"""Decks: bodies whose top is cut into cells with an opening each, and buttons that are pressed into the openings."""

from collections.abc import Sequence

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.plates import bevel_pierced_plate, inset_rectangle, pierce_plate
from neurok.data.procedural.shapes import plate, rectangle
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material

GAP = 0.0004  # between a button and its opening [m]

# x, y, width, depth and corner radius of a button's opening [m]
Opening = tuple[float, float, float, float, float]


def round_opening(x: float, y: float, radius: float) -> Opening:
    return (x, y, 2 * radius, 2 * radius, 0.98 * radius)


def shaped_opening(shape: str, x: float, y: float, wide: float, deep: float) -> Opening:
    """An opening that leaves some of its cell around it."""
    w, d = 0.72 * wide, 0.7 * deep
    if shape == "round":
        return round_opening(x, y, 0.5 * min(w, d))
    d = min(d, 0.75 * w)
    return (x, y, w, d, 0.48 * min(w, d) if shape == "oval" else 0.12 * min(w, d))


def key_grid(
    columns: int, rows: int, field: Array, offset: float, shape: str, *, wide_last: bool = False,
    bar: bool = False,
) -> tuple[list, list[Opening]]:  # fmt: skip
    """Cells and openings of a rectangular field; in its last row one key may be two wide, or a bar in the middle."""
    w, d = field / (columns, rows)
    cells, openings = [], []
    for row in range(rows):
        spans = [1] * columns
        if row == rows - 1 and wide_last:
            spans = [2, *spans[2:]]
        if row == rows - 1 and bar:
            spans = [1, 1, columns - 4, 1, 1]
        start = -0.5 * field[0]
        y = offset + (0.5 * (rows - 1) - row) * d
        for span in spans:
            x = start + 0.5 * span * w
            start += span * w
            cells.append((x, y, span * w, d))
            square = (x, y, span * w - 0.2 * w, 0.8 * d, 0.1 * d)
            openings.append(square if shape == "square" else shaped_opening(shape, x, y, span * w, d))
    return cells, openings


def key_deck(
    kit: Kit, shell: Material, size: Sequence[float], arc: float, middle: tuple[float, float], field: Array,
    cells: Sequence[tuple[float, ...]], openings: Sequence[Opening],
) -> None:  # fmt: skip
    """A solid lower part and a deck on it: a rim around the field, and cells with one opening each."""
    wide, long, tall = size
    deep = 0.0065
    low = plate(rectangle(wide, long, arc), tall - deep, (0, 0, 0.5 * (tall - deep)), bevel=0.2 * (tall - deep))
    outline, inner = rectangle(wide, long, arc), rectangle(*field) + middle
    bevel, floor, top = 0.0012, tall - 1.25 * deep, tall
    pieces = [
        low,
        bevel_pierced_plate(outline, inset_rectangle(wide, long, arc, bevel), inner, (floor, top - bevel, top)),
    ]
    for (x, y, w, d), (hx, hy, hw, hd, ha) in zip(cells, openings):
        pieces.append(pierce_plate(rectangle(w, d) + (x, y), rectangle(hw, hd, ha) + (hx, hy), floor, top))
    kit.link("body", paint(shell, pieces))


def deck_buttons(
    kit: Kit, openings: Sequence[Opening], colors: Sequence[Material], tall: float, rise: float, *, vivid: float
) -> None:
    """One link for each: a cap in its opening that stands out by a height and is pressed by most of it."""
    travel = 0.85 * rise
    for i, (x, y, w, d, arc) in enumerate(openings, 1):
        low = tall - 0.0008 - 0.0012
        form = inset_rectangle(w, d, arc, GAP)
        if arc < 0.3 * min(w, d):
            form = form[[0, 2, 4, 5, 7, 9, 10, 12, 14, 15, 17, 19]]
        high = tall + rise
        cap = plate(form, high - low, (x, y, 0.5 * (high + low)), bevel=0.25 * rise)
        color = (
            kit.material("red", "leaf", "yellow", "ocean", name="deck buttons colour")
            if kit.chance(vivid, name="own deck buttons colour")
            else colors[i % 7 == 0]
        )
        kit.link(f"button_{i}", paint(color, cap, parts="cap"))
        kit.slide("body", f"button_{i}", axis="-z", upper=travel)
