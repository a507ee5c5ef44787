"""A toilet: seat and cover hinged behind the bowl; a tank with a lever, buttons or a chain, or a flush plate."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from neurok.data.procedural.cisterns import flush_plate, high_tank, tank
from neurok.data.procedural.fittings import knuckles, screw_head
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import block, loft
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

HINGE = 0.1  # where the seat's axis lies along y [m]


@dataclass(frozen=True)
class BowlOutline:
    """The bowl's outline seen from above: length [m] from the axis to the front, and how square its two ends are."""

    width: float
    long: float
    rim: float
    front: float  # exponent of a super-ellipse: one is round, small is square
    rear: float

    def ring(self, z: float, width: float, near: float, far: float) -> Array:
        """The outline between two places along y, widest at two fifths from its rear, [40, 3]."""
        angle = 2 * np.pi * np.arange(40) / 40
        c, s = np.cos(angle), np.sin(angle)
        power = np.where(s < 0, self.front, self.rear)
        x = 0.5 * width * np.sign(c) * np.abs(c) ** power
        middle = far - 0.4 * (far - near)
        y = middle + np.where(s < 0, middle - near, far - middle) * np.sign(s) * np.abs(s) ** power
        return np.stack([x, y, np.full(40, z)], axis=1)


def draw(kit: Kit) -> None:
    kind = kit.pick("close", "close", "close", "skirted", "skirted", "hung", "high", name="style")
    form = kit.pick("round", "oval", "oval", "square", name="bowl shape")
    long = kit.between(0.4, 0.43, name="length") if form == "round" else kit.between(0.43, 0.5, name="length")
    front, rear = (0.45, 0.4) if form == "square" else (1.0, kit.between(0.45, 0.75, name="front and rear share"))
    shape = BowlOutline(
        kit.between(0.34, 0.39, name="shape share"), long, kit.between(0.38, 0.44, name="shape share"), front, rear
    )
    white = kit.material("white", "white", "white", "ceramic", name="white")
    steel = kit.material("metal", "metal", "brass", "dark_metal", name="steel")
    behind = kit.between(0.075, 0.115, name="behind")  # from the axis to the tank or wall
    wall = HINGE + behind
    deep = kit.between(0.16, 0.21, name="depth")  # the tank's, front to rear

    foot = wall + (0.0 if kind == "hung" else 0.1 if kind == "high" else 0.75 * deep)
    kit.link("bowl", *_bowl(kit, shape, kind, foot, white))
    if kind == "hung":
        flush_plate(kit, shape.rim, wall, white, steel)
    elif kind == "high":
        high_tank(kit, shape.rim, wall, white, steel)
    else:
        tank(kit, kind, shape.rim, shape.width, wall, deep, white, steel)
    gap = 0.0075 if kind == "high" else 0.0045
    proud = kind == "hung" or "lever" in kit.meshes  # of the tank or wall, where the raised cover would meet it
    _seat_and_cover(kit, shape, white, steel, behind - (0.036 if proud else 0.006), gap)


def _bowl(kit: Kit, shape: BowlOutline, kind: str, foot: float, white: Material) -> list[Mesh]:
    """A hollow bowl on a waisted or skirted pedestal or held at its rear, with a deck that bears the hinges."""
    rim, w, tip = shape.rim, shape.width, HINGE - shape.long
    waist, low = kit.between(0.5, 0.62, name="bowl waist share") * w, HINGE - 0.62 * shape.long
    if kind == "hung":
        levels = [(rim - 0.32, 0.55 * w, HINGE - 0.35 * shape.long), (rim - 0.24, 0.8 * w, HINGE - 0.6 * shape.long)]
        levels += [(rim - 0.12, 0.95 * w, tip + 0.06)]
    elif kind == "skirted":
        levels = [(0.0, 0.72 * w, tip + 0.12), (0.12, 0.78 * w, tip + 0.1), (0.27, 0.92 * w, tip + 0.04)]
    else:
        levels = [(0.0, waist + 0.06, low), (0.025, waist + 0.06, low), (0.06, waist + 0.01, low + 0.03)]
        levels += [(0.16, waist, low + 0.02), (0.26, 0.85 * w, tip + 0.07)]
    outer = [shape.ring(z, wide, near, foot) for z, wide, near in levels]
    outer += [shape.ring(z, w, tip, foot) for z in (rim - 0.05, rim - 0.008)]
    outer += [shape.ring(rim, w - 0.012, tip + 0.006, foot - 0.006)]
    lip, back = kit.between(0.04, 0.055, name="bowl lip"), HINGE - 0.06
    wide, near = w - 2 * lip, tip + lip
    inner = [
        shape.ring(rim - drop, wide * k, near + (1 - k) * 0.25, back - (1 - k) * 0.12)
        for drop, k in ((0.0, 1.0), (0.02, 1.04), (0.08, 0.9), (0.15, 0.5), (0.17, 0.3))
    ]
    water = loft(np.stack([shape.ring(z, 0.5 * wide, near + 0.12, back - 0.06) for z in (rim - 0.17, rim - 0.145)]))
    pieces = [
        paint(white, loft(np.stack([*outer, *inner]))),
        paint(kit.material("ocean", name="bowl pieces"), water, parts="water"),
    ]
    if kind in ("close", "high"):
        x, y = 0.5 * waist + 0.012, 0.5 * (low + foot)
        caps = [screw_head((s * x, y, 0.022), "z", 0.013) for s in (-1, 1)]
        pieces.append(paint(kit.material("white", "metal", name="bowl caps"), caps, parts="caps"))
    return pieces


def _seat_and_cover(kit: Kit, shape: BowlOutline, white: Material, steel: Material, room: float, gap: float) -> None:
    """Ring and cover on one axis. The cover is always above the seat: it leads it, hangs on it, or is alone."""
    rim, w, tip = shape.rim, shape.width + 0.006, HINGE - shape.long - 0.004
    color = (
        white
        if kit.chance(0.6, name="white seat")
        else kit.material("wood", "wood", "white", "black", "paint", name="seat and cover colour")
    )
    thick, high = (
        kit.between(0.016, 0.024, name="seat and cover thickness"),
        kit.between(0.014, 0.024, name="seat and cover height"),
    )
    low = rim + gap
    axis = np.array([0.0, HINGE, low + 0.5 * thick])
    radius, rear = 0.5 * thick, HINGE - 0.5 * thick - gap
    hole = kit.between(0.06, 0.075, name="seat and cover hole")
    loops = [(0.004, 0.0), (0.0, 0.3), (0.0, 0.7), (0.006, 1.0), (hole - 0.008, 1.0), (hole, 0.6), (hole, 0.0)]
    ring = [shape.ring(low + k * thick, w - 2 * i, tip + i, rear - min(i, 0.9 * hole)) for i, k in loops]
    seat = [paint(color, loft(np.stack(ring), closed=True))]
    mode = kit.pick("both", "both", "together", "together", "cover", "seat", name="moving parts")
    # Bearings at +-x of the bowl, the seat's eyes within them, the cover's outside.
    post = block((0.026, 2 * radius, 0.5 * thick + gap + 0.006), axis - (0, 0, 0.25 * thick + 0.5 * gap), round=0.002)
    spread = kit.between(0.065, 0.085, name="seat and cover spread")
    bearings = knuckles(axis, "x", spread, 0.03, radius)
    posts = [post.with_vertices(post.vertices + (s * spread, 0, 0)) for s in (-1, 1)]
    kit.meshes["bowl"].append(
        paint(steel if kit.chance(0.5, name="steel hinges") else color, bearings, posts, parts="bearings, posts")
    )
    eyes = knuckles(axis, "x", spread - 0.026, 0.022, 0.95 * radius)
    arms = [
        block((0.02, HINGE - rear + 0.01, 0.7 * thick), e.vertices.mean(axis=0) - (0, (HINGE - rear + 0.01) / 2, 0))
        for e in eyes
    ]
    seat.append(paint(color, eyes, arms, parts="eyes, arms"))
    free = 90 + np.degrees(np.arcsin(np.clip((room - thick - high - gap - 0.014) / shape.long, -0.1, 0.25)))
    if mode == "cover":  # the ring is moulded to the bowl
        kit.meshes["bowl"] += seat
    else:
        kit.link("seat", *seat)
    if mode != "seat":
        base = low + thick + gap
        dome = kit.pick(0.0, 0.5, 1.0, name="lid dome") * 0.012
        tiers = [(0.004, 0.0), (0.0, 0.35), (0.0, 0.65), (0.006, 1.0)]
        lid = [shape.ring(base + k * high, w - 2 * i, tip + i, HINGE + radius - i) for i, k in tiers]
        lid += [
            shape.ring(base + high + dome * k, w - 2 * i, tip + i, HINGE + radius - i)
            for i, k in ((0.04, 0.8), (0.1, 1.0))
        ]
        ears = [
            block(
                (0.022, 1.8 * radius, base - axis[2] + 0.3 * high),
                axis + (s * (spread + 0.028), 0, 0.5 * (base - axis[2] + 0.3 * high)),
                round=0.001,
            )
            for s in (-1, 1)
        ]
        ears += knuckles(axis, "x", spread + 0.028, 0.022, 0.95 * radius)
        kit.link("cover", paint(color, loft(np.stack(lid)), ears, parts=", ears"))
    add_hinge = partial(kit.hinge, at=axis, axis="-x", lower=0)
    if mode == "both":
        share = kit.between(0.35, 0.6, name="seat and cover share")
        add_hinge("bowl", "seat", upper=share * free)
        add_hinge("seat", "cover", upper=(1 - share) * free)
    elif mode == "together":
        part = kit.pick(0.5, 0.75, 0.92, name="seat opening")
        add_hinge("bowl", "cover", upper=free)
        add_hinge("bowl", "seat", upper=part * free)
        kit.follow("seat", "cover", part)
    else:
        add_hinge("bowl", mode, upper=free)
