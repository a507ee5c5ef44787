"""A cupboard with one or two tiers of doors, shelves within, on legs or a plinth."""

from neurok.data.procedural.fittings import bar_handle, knob, knuckles, legs, make_panelled_front
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import block, tray
from neurok.geometry.mesh import Material, Mesh

DRAWER_HEIGHT = 0.16  # of a row of drawers above the doors, as a usual cutlery drawer has [m]


def draw(kit: Kit) -> None:
    width, depth, height = (
        kit.between(0.45, 1.1, name="width"),
        kit.between(0.3, 0.5, name="depth"),
        kit.between(0.6, 1.6, name="height"),
    )
    board = 0.02 + 0.008 * height
    body = kit.material("wood", "wood", "white", "paint", name="body")
    front = kit.material("wood", "paint", "white", name="front") if kit.chance(0.4, name="contrasting front") else body
    base = _stand(kit, width, depth, body)
    drawers = kit.ask(0, 0, 4, name="drawers")
    row = DRAWER_HEIGHT if drawers else 0.0
    ceiling = base[1] + height + row
    top = block((width + 0.05, depth + 0.07, board), (0, -0.01, ceiling + 0.4 * board), round=0.3 * board)
    tiers = 1 if height < 0.9 else kit.count(1, 2, name="tiers")
    split = kit.between(0.4, 0.65, name="split") if tiers == 2 else 1.0
    spans = [(0.0, split), (split, 1.0)][:tiers]
    carcass, y = [], -0.5 * depth
    for low, high in spans:
        z, h = base[1] + (low + high) / 2 * height, (high - low) * height
        carcass.append(tray((width, h, depth), board, (0, 0.5 * depth, z), "-y"))
        for i in range(1, 1 + int(h / 0.33)):
            level = z + h * (i / (1 + int(h / 0.33)) - 0.5)
            carcass.append(block((width - board, depth - 0.06, 0.6 * board), (0, 0.02, level), round=0.001))
    style, grip = (
        kit.pick("plain", "shaker", "raised", "planks", name="front style"),
        kit.pick("knob", "wire", "bar", name="handle"),
    )
    steel, double, left = (
        kit.material("metal", "brass", "dark_metal", name="steel"),
        width > 0.6 or kit.chance(0.4, name="double doors"),
        kit.chance(0.5, name="opens left"),
    )
    hinges, limit, thick = [], kit.between(95, 130, name="limit"), kit.between(0.018, 0.026, name="thickness")
    doors: list[tuple[str, int, float, list[Mesh]]] = []
    for tier, (low, high) in enumerate(spans):
        z, h = base[1] + (low + high) / 2 * height, (high - low) * height - 0.016
        for side in (-1, 1) if double else (-1 if left else 1,):
            wide = width / 2 - 0.004 if double else width
            x = side * width / 4 if double else 0.0
            pieces = make_panelled_front(
                wide,
                h,
                thick,
                (x, y - 0.001 - thick / 2, z),
                style=style,
                border=kit.between(0.05, 0.08, name="pieces share"),
            )
            reach = z + h * (0.0 if tiers == 1 else 0.3 - 0.6 * tier)
            handle = _handle(grip, (x - side * (wide / 2 - 0.03), y - thick - 0.001, reach))
            doors.append(
                (f"door_{len(doors) + 1}", side, z, [paint(front, pieces), paint(steel, handle, parts="handle")])
            )
            hinges += knuckles((side * width / 2, y, z), "z", 0.35 * h, 0.06, 0.006)
    cells = [] if not drawers else _list_cells(width, drawers, base[1] + height + row / 2)
    carcass += [tray((wide, row, depth), board, (x, 0.5 * depth, z), "-y") for x, z, wide in cells]
    kit.link("carcass", paint(body, carcass, top, parts="body, top"), base[0], paint(steel, hinges, parts="hinges"))
    for name, side, z, painted in doors:
        kit.link(name, *painted)
        kit.hinge("carcass", name, at=(side * width / 2, y, z), axis="z" if side > 0 else "-z", lower=0, upper=limit)
    for number, (x, z, wide) in enumerate(cells):
        name = f"drawer_{number + 1}"
        room = (wide - 2 * board - 0.012, depth - board - 0.03, row - 2 * board - 0.014)
        box = tray(room, 0.009, (x, y + room[1] / 2 - 0.002, z - row / 2 + board + 0.002))
        face = make_panelled_front(wide - 0.006, row - 0.012, thick, (x, y - 0.001 - thick / 2, z), border=0.03)
        grip_half = min(0.06, 0.3 * wide)
        pull = bar_handle(
            (x - grip_half, y - thick - 0.001, z),
            (x + grip_half, y - thick - 0.001, z),
            "-y",
            height=0.028,
            radius=0.0055,
        )
        kit.link(name, paint(front, face, parts="front"), paint(body, box, parts="box"), paint(steel, pull))
        kit.slide("carcass", name, axis="-y", upper=0.6 * depth)


def _list_cells(width: float, count: int, level: float) -> list[tuple[float, float, float]]:
    """Middle, height and width of each drawer of a row [m]."""
    wide = width / count
    return [(-width / 2 + (i + 0.5) * wide, level, wide) for i in range(count)]


def _stand(kit: Kit, width: float, depth: float, body: Material) -> tuple[Mesh, float]:
    """What the carcass stands on, and how high [m]."""
    style = kit.pick("plinth", "round", "square", "tapered", "splayed", name="stand")
    if style == "plinth":
        return paint(body, block((width - 0.02, depth - 0.06, 0.08), (0, 0.02, 0.04))), 0.075
    height = kit.between(0.08, 0.2, name="stand height")
    posts = legs(width - 0.1, depth - 0.1, height, kit.between(0.016, 0.026, name="stand posts share"), style=style)
    return paint(
        body if kit.chance(0.6, name="plain legs") else kit.material("dark_metal", "brass", name="stand posts"),
        posts,
        parts="posts",
    ), height


def _handle(style: str, at: tuple[float, float, float]) -> list[Mesh]:
    x, y, z = at
    if style == "knob":
        return knob(at, "-y", 0.017)
    return bar_handle((x, y, z - 0.06), (x, y, z + 0.06), "-y", height=0.028, radius=0.0055, square=style == "bar")
