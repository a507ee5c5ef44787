"""A chest of drawers: one or two columns of drawers in a case on legs or a plinth."""

from neurok.data.procedural.fittings import bar_handle, knob, legs, make_panelled_front
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, translate
from neurok.data.procedural.shapes import block, tray
from neurok.geometry.mesh import Material, Mesh

BOARD = 0.018  # thickness of the case's boards [m]
GAP = 0.004  # around a front [m]


def draw(kit: Kit) -> None:
    columns, rows = kit.pick((1, 3), (1, 4), (1, 5), (2, 2), (2, 3), (2, 4), (1, 2), name="columns and rows")
    drawers = kit.ask(columns * rows, 1, 12, name="drawers")
    if drawers != columns * rows:
        columns = 2 if drawers > 5 and drawers % 2 == 0 else 1
        rows = drawers // columns
    width = kit.between(0.38, 0.6, name="width") if columns == 1 else kit.between(0.7, 1.2, name="width")
    depth, drawer = kit.between(0.36, 0.5, name="depth"), kit.between(0.13, 0.22, name="drawer")
    height, stand = rows * drawer + BOARD, kit.between(0.05, 0.2, name="stand")
    wood = kit.material("wood", "wood", "paint", name="wood")
    case = [
        translate(tray((width, height + BOARD, depth), BOARD, axis="-y"), y=depth / 2, z=stand + (height + BOARD) / 2)
    ]
    over = kit.between(0.0, 0.02, name="over")
    top = block((width + 2 * over, depth + over, 0.024), (0, -over / 2, stand + height + BOARD + 0.01), round=0.006)
    inner = (width - 2 * BOARD) / columns
    for c in range(1, columns):
        x = -width / 2 + BOARD + c * inner
        case.append(
            block((BOARD, depth - BOARD, height), (x, BOARD / 2 - 0.002, stand + (height + BOARD) / 2), round=0)
        )
    shelf = (width - BOARD, depth - BOARD, 0.4 * BOARD)
    pitch = (height - BOARD) / rows
    for r in range(1, rows):
        case.append(block(shelf, (0, BOARD / 2 - 0.002, stand + BOARD + r * pitch), round=0))
    kit.link("case", paint(wood, case, top, parts="body, top"), paint(*_stand(kit, wood, width, depth, stand)))

    style, front = (
        kit.pick("plain", "shaker", "raised", name="front style"),
        wood if kit.chance(0.6, name="plain front") else kit.material("paint", "white", "wood", name="front"),
    )
    pull, metal = (
        kit.pick("knob", "two knobs", "bow", "bar", name="handle"),
        kit.material("metal", "dark_metal", "brass", name="metal"),
    )
    travel = kit.between(0.5, 0.75, name="travel share") * depth
    for c in range(columns):
        x = -width / 2 + BOARD + (c + 0.5) * inner
        for r in range(rows):
            z = stand + BOARD + (r + 0.5) * pitch
            name = kit.link(
                f"drawer_{c * rows + r + 1}", *_drawer(x, z, inner, pitch, depth, style, front, pull, metal)
            )
            kit.slide("case", name, axis="-y", upper=travel)


def _stand(kit: Kit, wood: Material, width: float, depth: float, height: float) -> tuple[Material, list[Mesh]]:
    style = kit.pick("plinth", "square", "tapered", "round", name="stand")
    if style == "plinth":
        return wood, [block((0.92 * width, 0.88 * depth, height + 0.01), (0, 0.02 * depth, (height + 0.01) / 2))]
    material = wood if kit.chance(0.6, name="plain legs") else kit.material("metal", "dark_metal", name="stand")
    return material, legs(width - 0.07, depth - 0.07, height, kit.between(0.014, 0.024, name="stand legs"), style=style)


def _drawer(
    x: float, z: float, width: float, pitch: float, depth: float, style: str, wood: Material, pull: str, metal: Material
) -> list[Mesh]:  # fmt: skip
    """A box on the shelf below it, behind an overlying front with its pull."""
    thick, low = 0.02, z - pitch / 2 + 0.2 * BOARD
    box = tray((width - BOARD - 2 * GAP, depth - 2 * BOARD, 0.7 * pitch), 0.009)
    box = translate(box, x, -0.004, low + 0.001)
    face = -depth / 2 - GAP / 2 - thick / 2
    pieces = make_panelled_front(width - GAP, pitch - GAP, thick, (x, face, z), style=style, border=0.035)
    stub = block((width - BOARD - 3 * GAP, 0.03, 0.6 * pitch), (x, -depth / 2 + 0.014, low + 0.32 * pitch), round=0)
    at = face - thick / 2 + (0.006 if style == "shaker" else 0.002)
    if pull == "knob" or (pull == "two knobs" and width < 0.3):
        pulls = knob((x, at, z), "-y", 0.016)
    elif pull == "two knobs":
        pulls = [k for side in (-1, 1) for k in knob((x + side * 0.28 * width, at, z), "-y", 0.016)]
    else:
        half = 0.14 * width + 0.03
        pulls = bar_handle((x - half, at, z), (x + half, at, z), "-y", height=0.03, radius=0.006, square=pull == "bar")
    return [paint(wood, pieces, stub, box, parts=", stub, box"), paint(metal, pulls, parts="handle")]
