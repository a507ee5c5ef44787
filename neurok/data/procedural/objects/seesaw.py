"""A seesaw: a plank with two seats and handles that tips over a stand."""

import numpy as np

from neurok.data.procedural.fittings import bar_handle, screw_head
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import mirror, paint
from neurok.data.procedural.shapes import block, fillet, lathe, plate, rod
from neurok.geometry.mesh import Mesh


def draw(kit: Kit) -> None:
    half = kit.between(0.9, 1.5, name="half")
    height = kit.between(0.38, 0.58, name="height")
    wide, thick = kit.between(0.16, 0.26, name="width"), kit.between(0.045, 0.07, name="thickness")
    axle = kit.between(0.022, 0.035, name="axle")
    _stand(kit, height, wide, axle)

    # The plank lies on the axle; its bearings go round it.
    level = height + 0.8 * axle + 0.5 * thick
    board = kit.material("wood", "paint", "plastic", name="board")
    plank = [block((2 * half, wide, thick), (0, 0, level), round=0.25 * thick)]
    if kit.chance(0.3, name="two beams"):  # two beams in place of a plank
        plank = [block((2 * half, 0.28 * wide, thick), (0, s * 0.33 * wide, level), round=0.2 * thick) for s in (-1, 1)]
        plank += [
            block((0.08, wide, 0.8 * thick), (x * half, 0, level), round=0.2 * thick)
            for x in (-0.95, -0.4, 0.0, 0.4, 0.95)
        ]
    block_down = [
        block((5 * axle, 0.2 * wide, 1.4 * axle), (0, s * 0.3 * wide, level - 0.4 * thick), round=0.3 * axle)
        for s in (-1, 1)
    ]
    pieces = [paint(board, plank, parts="plank"), paint(kit.material("metal", "dark_metal", name="pieces"), block_down)]
    seat, rail = _seat(kit, half, wide, level + 0.5 * thick)
    fitted, steel = (
        kit.material("plastic", "paint", "black", "wood", name="fitted"),
        kit.material("metal", "dark_metal", "plastic", name="steel"),
    )
    pieces += [
        paint(fitted, seat, [mirror(m) for m in seat], parts="seat, "),
        paint(steel, rail, [mirror(m) for m in rail], parts="rail, "),
    ]
    if kit.chance(0.5, name="bumpers"):
        bump = rod((0.93 * half, 0, level - 0.5 * thick - 0.05), (0.93 * half, 0, level), 0.3 * wide)
        pieces.append(paint(kit.material("rubber", name="bump"), bump, mirror(bump), parts="bump, bump"))
    tip = np.degrees(np.arcsin((height - 0.06) / half)) * kit.between(0.75, 0.95, name="tip share")
    rest = tip * kit.pick(-1, 1, name="tipped side") if kit.chance(0.4, name="tipped") else 0.0
    kit.add_swung("stand", "plank", pieces, at=(0, 0, height), axis="y", back=tip, upper=tip, rest=rest)


def _stand(kit: Kit, height: float, wide: float, axle: float) -> None:
    """Two cheeks (or trestles) outside the plank that carry an axle."""
    style = kit.pick("cheeks", "trestle", "post", name="stand style")
    out = 0.5 * wide + 0.05
    body = kit.material("paint", "wood", "metal", "plastic", name="stand body")
    pieces: list[Mesh] = []
    if style == "cheeks":
        base, thick = kit.between(0.25, 0.4, name="stand base"), 0.05
        outline = fillet(
            np.array([[-base, 0], [base, 0], [2.2 * axle, height + 2 * axle], [-2.2 * axle, height + 2 * axle]]),
            1.5 * axle,
            closed=True,
        )
        pieces = [plate(outline, thick, (0, s * out, 0), "xz") for s in (-1, 1)]
        pieces.append(block((1.7 * base, 2 * out, 0.05), (0, 0, 0.03)))
    elif style == "trestle":
        foot = kit.between(0.22, 0.36, name="stand foot")
        for s in (-1, 1):
            pieces += [rod((x * foot, s * (out + 0.08), 0), (0, s * out, height + axle), 0.03) for x in (-1, 1)]
            pieces.append(
                rod((-0.7 * foot, s * (out + 0.05), 0.3 * height), (0.7 * foot, s * (out + 0.05), 0.3 * height), 0.022)
            )
    else:
        post = lathe(
            np.array(
                [[0.26, 0], [0.26, 0.03], [0.08, 0.07], [0.06, 0.5 * height], [0.06, 0.62 * height], [0, 0.62 * height]]
            )
        )
        yoke = block((0.14, 2 * out + 0.05, 0.05), (0, 0, 0.6 * height))
        pieces = [post, yoke] + [
            block((0.14, 0.05, 0.45 * height), (0, s * out, 0.82 * height), round=0.02) for s in (-1, 1)
        ]
    pin = rod((0, -out - 0.04, height), (0, out + 0.04, height), axle)
    heads = [screw_head((0, s * (out + 0.035), height), (0, s, 0), 1.3 * axle) for s in (-1, 1)]
    kit.link(
        "stand",
        paint(body, pieces),
        paint(kit.material("dark_metal", "metal", name="stand pin"), pin, heads, parts="pin, heads"),
    )


def _seat(kit: Kit, half: float, wide: float, top: float) -> tuple[list[Mesh], list[Mesh]]:
    """A seat near the end at +x, and the handle before it."""
    x = half - 0.2
    seat = [block((0.3, wide + 0.08, 0.045), (x, 0, top + 0.015), round=0.02)]
    if kit.chance(0.5, name="backrests"):
        seat.append(block((0.04, wide + 0.06, 0.26), (half - 0.06, 0, top + 0.13), round=0.018))
    tall, at = kit.between(0.2, 0.3, name="seat height"), half - kit.between(0.45, 0.55, name="seat at share")
    if kit.chance(0.5, name="handle bars"):
        return seat, bar_handle((at, -0.4 * wide, top), (at, 0.4 * wide, top), "z", height=tall, radius=0.016)
    post = rod((at, 0, top - 0.02), (at, 0, top + tall), 0.02)
    return seat, [post, rod((at, -0.17, top + tall), (at, 0.17, top + tall), 0.018)]
