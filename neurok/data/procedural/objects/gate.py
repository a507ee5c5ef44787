"""A garden or field gate: one or two leaves of bars, pickets, boards or rails between posts."""

import numpy as np

from neurok.data.procedural.fittings import barrel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import ball, block, hoop, lathe, rod
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh

GAP = 0.05  # between a leaf and its post, and between two leaves [m]


def draw(kit: Kit) -> None:
    style = kit.pick("bars", "pickets", "boards", "field", name="style")
    leaves = kit.count(1, 2, name="leaves")
    wide = kit.between(1.2, 1.8, name="width") if style == "field" else kit.between(0.75, 1.2, name="width")
    high = kit.between(0.9, 1.2, name="height") if style == "field" else kit.between(0.9, 1.6, name="height")
    iron = style == "bars"
    solid = (
        kit.material("dark_metal", "metal", "black", name="solid")
        if iron
        else kit.material("wood", "wood", "white", "paint", name="solid")
    )
    dark, low = kit.material("dark_metal", "black", name="dark"), kit.between(0.06, 0.12, name="lower edge")
    span = leaves * wide + (leaves + 1) * GAP  # between the posts' inner faces
    half = kit.between(0.05, 0.08, name="half") if not iron else kit.between(0.05, 0.16, name="half")
    crown = kit.pick("ball", "cap", "point", name="post crown")
    posts = [piece for s in (-1, 1) for piece in _post(s * (span / 2 + half), half, high + 0.2, crown)]
    sockets, panels = [], []
    for i in range(leaves):
        side = -1 if i == 0 else 1
        axis = np.array([side * (span / 2 - GAP / 2), 0.0, low])
        for k in (0.15, 0.85):
            sockets.append(barrel(axis + (0, 0, k * high), "z", 0.1, 0.016))
            sockets.append(block((GAP, 0.03, 0.03), axis + (side * GAP / 2, 0, k * high - 0.03), round=0.004))
        panels.append((f"leaf_{i + 1}" if leaves == 2 else "leaf", side, axis))
    post_paint = (
        kit.material("wood", "white", "clay", name="post paint")
        if not iron
        else kit.material("clay", "dark_metal", "paper", name="post paint")
    )
    kit.link(
        "posts",
        paint(solid if kit.chance(0.4, name="plain posts") else post_paint, posts, parts="posts"),
        paint(dark, sockets, parts="sockets"),
    )
    bow = kit.between(-0.12, 0.18, name="bow") if style in ("bars", "pickets") else 0.0
    shape = (kit.count(6, 10, name="bars"), bow, kit.pick("spear", "ball", name="bar tips"))
    back, limit = (
        kit.between(60, 85, name="back") if iron else 0,
        kit.between(76, 88, name="limit"),
    )  # a brace keeps a wooden leaf from swinging back
    for name, side, axis in panels:
        start = axis[0] - side * GAP / 2
        leaf = _leaf(style, wide, high, low, side, *shape)
        pieces = [paint(solid, [p.with_vertices(p.vertices + (start - side * wide / 2, 0, 0)) for p in leaf])]
        ends = [
            block((GAP, 0.024, 0.03), axis + (-side * GAP / 2, 0, k * high + 0.03), round=0.003) for k in (0.15, 0.85)
        ]
        kit.link(
            name,
            *pieces,
            paint(dark, ends, _latch(start - side * (wide - 0.08), low + 0.6 * high), parts="ends, latch"),
        )
        kit.hinge("posts", name, at=axis, axis="z" if side > 0 else "-z", lower=-back, upper=limit)


def _post(x: float, half: float, high: float, crown: str) -> list[Mesh]:
    shaft = block((2 * half, 2 * half, high), (x, 0, high / 2), round=0.12 * half)
    slab = block((2.5 * half, 2.5 * half, 0.04), (x, 0, high + 0.01), round=0.012)
    if crown == "ball":
        return [shaft, slab, ball(0.8 * half, (x, 0, high + 0.03 + 0.65 * half))]
    if crown == "cap":
        return [shaft, slab]
    roof = lathe(np.array([[1.35 * half, 0], [0, 1.1 * half]]), (x, 0, high + 0.025), segments=4)
    return [shaft, slab, roof]


def _leaf(style: str, wide: float, high: float, low: float, side: int, count: int, bow: float, tip: str) -> list[Mesh]:
    """A leaf in the xz plane, centred on x = 0, hung at the side given."""
    if style == "field":
        return _field(wide, high, low, side)
    rails = [low + 0.15 * high, low + 0.85 * high]
    thick = 0.03 if style == "bars" else 0.035
    pieces = [
        block((wide, thick, 0.05 if style == "bars" else 0.08), (0, 0.0 if style == "bars" else 0.02, z)) for z in rails
    ]
    across = np.linspace(-1, 1, count if style != "boards" else round(wide / 0.13))
    broad = wide / len(across) * (0.97 if style == "boards" else 0.55)
    for u in across:
        x = u * (wide - (0.026 if style == "bars" else broad)) / 2
        top = low + high + bow * (1 - u * u) * high
        if style == "bars":
            pieces += [rod((x, 0, low), (x, 0, top), 0.013, sides=10), *_tip(tip, x, top)]
        else:
            pieces.append(block((broad, 0.024, top - low), (x, -0.008, (top + low) / 2), round=0.006))
            if style == "pickets":
                roof = lathe(np.array([[0.7 * broad, 0], [0, 0.6 * broad]]), segments=4)
                flat = roof.vertices * (1.0, 0.24 / 10 / broad, 1.0) + (x, -0.008, top - 0.005)
                pieces.append(roof.with_vertices(flat))
    if style != "bars":
        a = np.array([side * wide / 2 - side * 0.06, 0.02, rails[0]])
        pieces.append(_bar(a, a * (-1, 1, 0) + (0, 0, rails[1]), 0.03))
    else:
        for s in (-1, 1):
            pieces.append(
                rod((s * (wide / 2 - 0.013), 0, low), (s * (wide / 2 - 0.013), 0, low + high), 0.018, sides=12)
            )
        pieces.append(hoop(0.12 * high, 0.009, (0, 0, low + 0.5 * high), "y", segments=24))
    return pieces


def _tip(style: str, x: float, z: float) -> list[Mesh]:
    if style == "ball":
        return [ball(0.024, (x, 0, z + 0.014), segments=12)]
    return [lathe(np.array([[0.01, -0.02], [0.026, 0.01], [0.0, 0.09]]), (x, 0, z), segments=10)]


def _field(wide: float, high: float, low: float, side: int) -> list[Mesh]:
    """A farm gate: five rails between two stiles, a brace from the hanging side's foot."""
    levels = low + high * np.array([0.04, 0.24, 0.46, 0.7, 0.96])
    pieces = [block((wide, 0.028, 0.075), (0, 0, z)) for z in levels]
    pieces += [block((0.075, 0.05, high), (s * (wide - 0.075) / 2, 0, low + high / 2)) for s in (-1, 1)]
    a = np.array([side * (wide / 2 - 0.05), 0.02, levels[0]])
    return [*pieces, _bar(a, np.array([-side * wide * 0.1, 0.02, levels[-1]]), 0.032)]


def _bar(start: Array, end: Array, half: float) -> Mesh:
    """A slanting brace."""
    return rod(start, end, half, sides=8)


def _latch(x: float, z: float) -> list[Mesh]:
    """A ring and a plate near the leaf's free edge."""
    plate = block((0.05, 0.06, 0.12), (x, 0, z), round=0.008)
    return [plate, hoop(0.035, 0.007, (x, -0.04, z - 0.03), "y", segments=18)]
