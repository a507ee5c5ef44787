"""Bodies with flat faces that are no particular thing: each links a "body" and returns the spots on its faces."""

from dataclasses import replace

import numpy as np

from neurok.data.procedural.assemblies.common import (
    MIN_DETAIL,
    SIDES,
    Tones,
    box_faces,
    draw_sizes,
    paint_if_any,
    split_spot,
    spot_on,
    stand,
)
from neurok.data.procedural.assemblies.spots import Spot, frame_towards
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import direction, paint
from neurok.data.procedural.shapes import block, frame, loft, plate, rectangle, rod, tray


def box(kit: Kit, tones: Tones) -> list[Spot]:
    size = draw_sizes(kit)
    round = kit.pick(0.0, 0.03, 0.08, name="box round") * float(size.min())
    kit.link(
        "body",
        paint(tones[0], block(size, round=round)),
        *paint_if_any(tones[1], stand(kit, size[0], size[1], -0.5 * size[2])),
    )
    return box_faces(size, tones, (0, 0, 0))


def hollow_box(kit: Kit, tones: Tones) -> list[Spot]:
    """A box one of whose faces is divided into cells, some of them hollow."""
    size = draw_sizes(kit)
    front = kit.pick("-y", "-y", "-y", "z", "z", "x", "-x", name="hollow box front")
    axes = frame_towards(direction(front))
    w, h, d = np.abs(axes) @ size
    face = spot_on(size, tones, front, 0.5 * direction(front) * size, w, h, True)
    deep = kit.between(0.55, 0.95, name="hollow box depth share") * d
    wall = max(2.2 * face.fine, 0.03 * min(w, h))
    cells = split_spot(kit, face, kit.count(1, 5, name="hollow box cells"), 0.25 * min(w, h))
    pieces = [block((w, h, d - deep + 1e-4 * d), (0, 0, -0.5 * (d + deep)), round=0)]
    spots = []
    for cell in cells:
        x, y, _ = face.axes @ (cell.at - face.at)
        if kit.chance(0.75, name="hollow box tray") and cell.least > 5 * wall and deep > 15 * face.fine:
            pieces.append(tray((cell.width, cell.height, deep), wall, (x, y, -deep)))
            inner = cell.part_of(0, 0, cell.width - 2 * wall, cell.height - 2 * wall)
            spots.append(replace(inner, room=deep - wall, alone=len(cells) == 1))
        else:
            pieces.append(block((cell.width, cell.height, deep), (x, y, -0.5 * deep), round=0))
            spots.append(cell.part_of(0, 0, 0.9 * cell.width, 0.9 * cell.height))
    kit.link(
        "body",
        paint(tones[0], face.place(pieces)),
        *paint_if_any(tones[1], stand(kit, size[0], size[1], -0.5 * size[2])),
    )
    return spots + box_faces(size, tones, (0, 0, 0), tuple(s for s in SIDES if s != front))


def stack(kit: Kit, tones: Tones) -> list[Spot]:
    """An L or a U of blocks: a bed with one or two uprights."""
    size = draw_sizes(kit) * (1.3, 1.0, 1.0)
    w, d, h = size
    fine = MIN_DETAIL * float(np.linalg.norm(size))
    low, broad = (
        kit.between(0.25, 0.5, name="stack lower edge share") * h,
        kit.between(0.22, 0.36, name="stack breadth share") * w,
    )
    ends = kit.pick((-1,), (1,), (-1, 1), name="stack ends")
    round = kit.pick(0.0, 0.05, name="stack round") * min(low, broad)
    pieces = [
        paint(tones[0], block((w, d, low), (0, 0, 0.5 * low), round=round), stand(kit, w, d, 0.0), parts=", stand")
    ]
    spots = []
    for s in ends:
        post = np.array([broad, kit.between(0.6, 1.0, name="stack post share") * d, h - low])
        at = np.array([s * 0.5 * (w - broad), 0.5 * (d - post[1]), low + 0.5 * post[2]])
        pieces.append(
            paint(
                kit.pick(*tones, name="stack block"),
                block((broad, post[1], post[2] + 0.02 * h), at - (0, 0, 0.01 * h), round=round),
            )
        )
        for spot in box_faces(post, tones, at, ("z", "y", "-y", "x" if s > 0 else "-x"), alone=False):
            spots.append(replace(spot, fine=fine))
    kit.link("body", *pieces)
    free = w - len(ends) * broad
    middle = 0.0 if len(ends) == 2 else -ends[0] * 0.5 * broad
    spots.append(spot_on(size, tones, "z", (middle, 0, low), 0.85 * free, 0.9 * d))
    return spots + [
        replace(s, fine=fine) for s in box_faces(np.array([w, d, low]), tones, (0, 0, 0.5 * low), ("-y",), alone=False)
    ]


def tapered(kit: Kit, tones: Tones) -> list[Spot]:
    """A body with four sloping sides, narrower above or below."""
    size = draw_sizes(kit)
    w, d, h = size
    top = kit.between(0.55, 0.95, name="tapered top")
    round = kit.pick(0.02, 0.1, 0.3, name="tapered round") * min(w, d)
    rings = [np.c_[rectangle(w * s, d * s, round * s), np.full(20, z)] for s, z in ((1.0, -0.5 * h), (top, 0.5 * h))]
    kit.link(
        "body",
        paint(tones[0], loft(np.stack(rings))),
        *paint_if_any(tones[1], stand(kit, w - round, d - round, -0.5 * h)),
    )
    spots = [
        spot_on(size, tones, "z", (0, 0, 0.5 * h), 0.92 * top * w - 0.6 * round, 0.92 * top * d - 0.6 * round, True)
    ]
    for axis, across, along in ((0, w, d), (1, d, w)):
        lean = np.arctan2(0.5 * across * (1 - top), h)
        for s in (-1, 1):
            normal = np.array([0.0, 0.0, np.sin(lean)])
            normal[axis] = s * np.cos(lean)
            at = np.zeros(3)
            at[axis] = s * 0.25 * across * (1 + top)
            spots.append(spot_on(size, tones, normal, at, 0.9 * (along * top - 1.6 * round), 0.85 * h / np.cos(lean)))
    return [s for s in spots if s.least > 0.05 * float(np.linalg.norm(size))]


def console(kit: Kit, tones: Tones) -> list[Spot]:
    """A desk with a sloping face."""
    size = draw_sizes(kit)
    w, d, h = size
    front, back = (
        kit.between(0.2, 0.5, name="console front share") * h,
        kit.between(0.1, 0.4, name="console back share") * d,
    )
    outline = np.array([[-0.5 * d, 0], [0.5 * d, 0], [0.5 * d, h], [0.5 * d - back, h], [-0.5 * d, front]])
    kit.link(
        "body",
        paint(tones[0], plate(outline, w, plane="yz", bevel=0.01 * w)),
        *paint_if_any(tones[1], stand(kit, w, d, 0)),
    )
    slope = outline[3] - outline[4]
    normal = np.array([0.0, -slope[1], slope[0]])
    middle = np.array([0.0, *(0.5 * (outline[3] + outline[4]))])
    spots = [spot_on(size, tones, normal, middle, 0.92 * w, 0.9 * float(np.linalg.norm(slope)), True)]
    spots.append(spot_on(size, tones, "z", (0, 0.5 * (d - back), h), 0.92 * w, 0.85 * back))
    spots.append(spot_on(size, tones, "-y", (0, -0.5 * d, 0.5 * front), 0.92 * w, 0.85 * front))
    sides = [
        spot_on(size, tones, s, (t * 0.5 * w, 0.5 * (d - back) - 0.15 * back, 0.45 * h), 0.7 * back, 0.8 * h)
        for s, t in (("x", 1), ("-x", -1))
    ]
    return spots + sides + [spot_on(size, tones, "y", (0, 0.5 * d, 0.5 * h), 0.92 * w, 0.92 * h, True)]


def open_frame(kit: Kit, tones: Tones) -> list[Spot]:
    """A rectangular frame with a panel that tips in it, or slats that tilt together."""
    w, _, h = draw_sizes(kit)
    bar, deep = (
        kit.between(0.07, 0.13, name="open frame bar share") * min(w, h),
        kit.between(0.12, 0.3, name="open frame depth share") * min(w, h),
    )
    base = block((w, 1.8 * deep, 0.5 * bar), (0, 0, 0.25 * bar - 0.5 * h), round=0.05 * bar)
    kit.link("body", paint(tones[0], frame(w, h, bar, deep)), paint(tones[1], base, parts="base"))
    size = np.array([w, deep, h])
    fine = MIN_DETAIL * float(np.linalg.norm(size))
    inner, room = w - 2 * bar - 1.6 * fine, h - 2 * bar - 0.5 * bar
    count = kit.pick(1, 1, kit.count(3, 6, name="open frame count"), name="open frame")
    pitch = room / count
    low = -0.5 * h + bar + 0.25 * bar
    swing = kit.between(25, 80, name="open frame swing")
    for i in range(count):
        z = low + (i + 0.5) * pitch
        tall = 0.9 * pitch - 2 * fine
        thick = max(0.25 * deep, 1.5 * fine) if count == 1 else max(min(0.2 * deep, 0.15 * pitch), fine)
        pins = [
            rod((s * (0.5 * inner - 0.5 * bar), 0, z), (s * (0.5 * w - 0.5 * bar), 0, z), 0.3 * thick, sides=10)
            for s in (-1, 1)
        ]
        kit.meshes["body"].append(paint(tones[1], pins, parts="pins"))
        name = "panel" if count == 1 else f"slat_{i + 1}"
        kit.link(name, paint(tones[-1], block((inner, thick, tall), (0, 0, z), round=0.2 * thick)))
        kit.hinge("body", name, at=(0, 0, z), axis="x", lower=-swing, upper=swing if count == 1 else 0.3 * swing)
        if i:
            kit.follow(name, "slat_1")
    spots = box_faces(size, tones, (0, 0, 0), ("x", "-x", "z"))
    return [s for s in spots if s.least > 6 * fine]


def plinth(kit: Kit, tones: Tones) -> list[Spot]:
    """A low foot for one large mount."""
    size = draw_sizes(kit) * (1.0, 1.0, 0.25)
    w, d, h = size
    round = kit.pick(0.02, 0.2, 0.48, name="plinth round") * min(w, d)
    kit.link("body", paint(tones[0], plate(rectangle(w, d, round), h)))
    return [spot_on(size, tones, "z", (0, 0, 0.5 * h), 0.92 * w - 0.6 * round, 0.92 * d - 0.6 * round, True)]


BOXY = (box, box, hollow_box, hollow_box, hollow_box, tapered, stack, console, open_frame, plinth)
