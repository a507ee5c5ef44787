"""Eyeglasses: two temples that fold inwards behind a front of rims, half rims, bare lenses or one shield."""

from collections.abc import Callable

import numpy as np

from neurok.data.procedural.fittings import barrel, screw_head
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import mirror, paint, rotate, translate
from neurok.data.procedural.shapes import ball, curve, fillet, loft, ribbon, rod, slab, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

LENS = 0.0013  # thickness of a lens [m]
GAP = 0.0004  # between an end piece and its temple


def draw(kit: Kit) -> None:
    """The front stands in the xz plane and looks to -y; worn, the temples reach back along +y."""
    style = kit.pick("wire", "acetate", "acetate", "half_rim", "rimless", "shield", name="style")
    bold = style in ("acetate", "shield")
    if bold:
        frame = kit.material("black", "black", "plastic", "leather", "wood", "white", "paint", name="frame")
        tall, thick = (
            kit.between(0.0035, 0.0065, name="height"),
            kit.between(0.0024, 0.0034, name="thickness"),
        )  # of a temple at its hinge
    else:
        frame = kit.material("metal", "brass", "dark_metal", "black", name="frame")
        tall, thick = kit.between(0.0022, 0.0034, name="height"), kit.between(0.0014, 0.0019, name="thickness")
    glass = (
        kit.material("black", "leather", "glass", name="glass")
        if kit.chance(0.4, name="dark glasses")
        else kit.material("glass", "light", name="glass")
    )
    if style == "shield":
        front, edge = _shield(kit, frame, glass)
    else:
        front, edge = _pair(kit, style, frame, glass)

    # The end piece bends back from the front's edge; the hinge's pin is at its inner side.
    out, back = (
        edge[0] + kit.between(0.001, 0.003, name="out share") + 0.5 * thick,
        edge[1] + kit.between(0.008, 0.011, name="back share"),
    )
    path = fillet(np.array([(edge[0] - 0.003, *edge[1:]), (out, *edge[1:]), (out, back - GAP, edge[2])]), 0.004)
    pin = np.array([out - 0.5 * thick - 0.0002, back, edge[2]])
    reach = 2 * pin[0] - kit.between(
        0.004, 0.014, name="reach share"
    )  # shorter than the front is wide: it folds past the other temple
    hook = kit.between(0.0, 0.003, name="hook") if style == "shield" else kit.between(0.005, 0.011, name="hook")
    temple = _temple(kit, bold, reach, hook, tall, thick, frame)
    metal = kit.material("metal", "dark_metal", name="metal")
    knuckle, need, upper, hinges = max(0.3 * tall, 0.001), tall + 0.0012, kit.pick(-1, 1, name="hinge side"), {}
    for side in (-1, 1):
        # Opticians set the pins askew by a few degrees, so that one temple folds over the other.
        rise = hook + 0.9 * need if side == upper else -need
        axis = np.array([rise / (2 * pin[0]), 0.0, side])
        axis /= np.linalg.norm(axis)
        at = pin * (side, 1, 1)
        hinges[side] = at, axis
        front.append(paint(frame, ribbon(path * (side, 1, 1), tall, thick, "z")))
        front.append(paint(metal, [barrel(at + h * 0.36 * tall * axis, axis, 0.26 * tall, knuckle) for h in (-1, 1)]))
        if bold and kit.chance(0.7, name="rivets"):
            rivet = screw_head((side * (edge[0] - 0.0005), edge[1] - 0.5 * thick, edge[2]), "-y", 0.0012)
            front.append(paint(metal, rivet, parts="rivet"))
    kit.link("front", *front)
    most = kit.between(82, 88, name="most")
    for name, side in (("left_temple", -1), ("right_temple", 1)):
        at, axis = hinges[side]
        pieces = [translate(piece, out, back, edge[2]) for piece in temple]
        pieces = pieces if side == 1 else [mirror(piece) for piece in pieces]
        kit.link(name, *pieces, paint(metal, barrel(at, axis, 0.42 * tall, knuckle)))
        kit.hinge("front", name, at=at, axis=axis, lower=0.0, upper=most)


def _temple(kit: Kit, bold: bool, reach: float, hook: float, tall: float, thick: float, frame: Material) -> list[Mesh]:
    """The right temple from its hinge at the origin along +y; its end bends down and a little inwards."""
    bend, lean = (
        reach - kit.between(0.028, 0.036, name="temple bend share"),
        kit.between(0.001, 0.004, name="temple lean"),
    )
    low = fillet(np.array([(0, GAP, 0), (0, bend, 0), (-lean, reach, -hook)]), 0.016, steps=6)
    path = np.concatenate([np.linspace(low[0], low[1], 6)[:-1], low[1:]])
    way = path[:, 1] / reach
    width = tall * (np.interp(way, [0, 0.15, 0.7, 0.9, 1], [1, 0.95, 0.75, 0.85, 0.6]) if bold else 0.85 + 0 * way)
    pieces = [paint(frame, ribbon(path, width, thick, "z"))]
    if not bold:  # a plastic sleeve over the end of the metal
        last = path[way > 0.66]
        pieces.append(
            paint(
                kit.material("black", "leather", "plastic", name="temple ribbon"), ribbon(last, tall, 1.35 * thick, "z")
            )
        )
    elif kit.chance(0.6, name="logo"):
        logo = ribbon(np.array([(0, y * reach, 0) for y in (0.08, 0.17)]), 0.35 * tall, 0.0012, "z")
        pieces.append(
            paint(
                kit.material("metal", "brass", "white", name="temple translate"),
                translate(logo, 0.5 * thick),
                parts="logo",
            )
        )
    return pieces


def _pair(kit: Kit, style: str, frame: Material, glass: Material) -> tuple[list[Mesh], Array]:
    """Two lenses with what holds them; and where the right end piece begins [m]."""
    wide, apart = kit.between(0.044, 0.054, name="pair width"), kit.between(0.016, 0.021, name="pair apart")
    high = wide * kit.pick(
        kit.between(0.58, 0.72, name="pair height share"),
        kit.between(0.75, 0.98, name="pair height share"),
        name="lens height",
    )
    square, droop, flare = (
        kit.between(2.0, 4.5, name="pair square"),
        kit.pick(0.0, 0.0, 0.16, name="droop"),
        kit.pick(0.0, 0.0, 0.15, name="flare"),
    )
    border = (
        kit.between(0.003, 0.006, name="pair border") if style == "acetate" else 0.0 if style == "rimless" else 0.0012
    )
    middle, sag = 0.5 * (apart + wide), kit.between(0.003, 0.006, name="pair sag")
    end = middle + 0.5 * wide + border

    def outline(grow: float, shrink: float = 1.0) -> Array:
        """The right lens in the xz plane: a super-ellipse, drawn down outside (aviator) or up (cat eye), [p, 2]."""
        angle = 2 * np.pi * (np.arange(40) + 0.5) / 40
        u, v = (np.sign(f) * np.abs(f) ** (2 / square) for f in (np.cos(angle), np.sin(angle)))
        x, z = u * (0.5 * wide + grow), v * (0.5 * high + grow)
        z = z + droop * np.clip(-v, 0, None) * x + flare * np.clip(v, 0, None) * x
        return shrink * np.stack([x, z], axis=1) + (middle, 0.0)

    def bent(points: Array, y: float) -> Array:
        """Points of the front's plane set back towards its ends, [p, 3]."""
        return np.c_[points[:, 0], y + sag * (points[:, 0] / end) ** 2, points[:, 1]]

    half = 0.5 * LENS
    rings = [(0.0, 0.5, -half), (0.0, 1.0, -half), (0.0, 1.0, half), (0.0, 0.5, half)]
    lens = loft(np.stack([bent(outline(g, s), y) for g, s, y in rings]))
    level = (
        kit.between(0.25, 0.42, name="pair level share") * high
        if style != "rimless"
        else kit.between(0.0, 0.3, name="pair level share") * high
    )
    wire, deep = 0.0009, kit.between(0.0028, 0.004, name="pair depth")
    right: list[Mesh] = []
    if style == "acetate":
        a, b, bevel = border, -0.0008, 0.0006
        loop = [
            (a - bevel, -0.5 * deep), (a, bevel - 0.5 * deep), (a, 0.5 * deep - bevel), (a - bevel, 0.5 * deep),
            (b + bevel, 0.5 * deep), (b, 0.5 * deep - bevel), (b, bevel - 0.5 * deep), (b + bevel, -0.5 * deep),
        ]  # fmt: skip
        right.append(loft(np.stack([bent(outline(g), y) for g, y in loop]), closed=True))
    elif style == "wire":
        right.append(tube(bent(outline(0.0003), 0.0), wire, sides=8, closed=True))
    elif style == "half_rim":
        top = outline(0.0003)
        brow = np.concatenate([top[-2:], top[:22]])  # a little more than the upper half
        right.append(tube(bent(brow, 0.0), kit.between(0.0011, 0.0018, name="pair tube size"), sides=8))
    else:
        for x in (-0.42, 0.42):
            spot = bent(np.array([[middle + x * wide, level if x > 0 else 0.12 * high]]), 0.0)[0]
            right.append(rod(spot - (0, 0.0018, 0), spot + (0, 0.0018, 0), 0.0012, sides=10))
    pieces = [
        paint(glass, lens, mirror(lens), parts="lens, lens"),
        paint(frame, right, [mirror(m) for m in right], parts="right, "),
    ]
    pieces += _bridge(kit, style, frame, bent, apart, high, border)
    rim = outline(border)[:10]  # from the middle of the outer side upwards
    edge = bent(np.array([[np.interp(level, rim[:, 1], rim[:, 0]) - 0.0005, level]]), 0.0)[0]
    return pieces, edge


def _bridge(
    kit: Kit, style: str, frame: Material, bent: Callable[[Array, float], Array], apart: float, high: float,
    border: float,
) -> list[Mesh]:  # fmt: skip
    """What joins the lenses over the nose, a second bar above it on some, and the pads that lie on the nose."""
    level, arch = 0.12 * high, kit.between(0.001, 0.004, name="bridge arch")
    ends = 0.5 * apart + 0.0035
    bow = curve(
        np.array([(-ends, level), (-0.3 * apart, level + arch), (0.3 * apart, level + arch), (ends, level)]), 14
    )
    if style == "acetate":
        bridge = [ribbon(bent(bow, 0.0), kit.between(0.004, 0.007, name="bridge share"), 0.0032, "z")]
        pad = rotate(rotate(ball((0.0016, 0.003, 0.006), segments=14), "y", 14), "z", 25)
        pads = [translate(pad, 0.5 * apart - 0.4 * border, 0.0025, -0.1 * high)]
        colour = frame
    else:
        radius = kit.between(0.001, 0.0014, name="bridge radius")
        bridge = [tube(bent(bow, 0.0), radius, sides=8)]
        if style == "wire" and kit.chance(0.4, name="double bridge"):
            across = np.linspace((-ends - 0.002, 0.36 * high), (ends + 0.002, 0.36 * high), 6)
            bridge.append(tube(bent(across, 0.0), radius, sides=8))
        side = 0.5 * apart
        arm = np.array([(side + 0.001, 0.0, 0.0), (side - 0.001, 0.003, 0.0005), (side - 0.0025, 0.0048, -0.002)])
        stem = translate(tube(curve(arm, 8), 0.0007, sides=6), 0, 0, -0.03 * high)
        bridge += [stem, mirror(stem)]
        pad = rotate(rotate(ball((0.0011, 0.0022, 0.0046), segments=14), "y", 14), "z", 25)
        pads = [translate(pad, side - 0.003, 0.005, -0.03 * high - 0.002)]
        colour = kit.material("white", "light", name="bridge colour")
    return [paint(frame, bridge, parts="bridge"), paint(colour, pads, [mirror(m) for m in pads], parts="pads, ")]


def _shield(kit: Kit, frame: Material, glass: Material) -> tuple[list[Mesh], Array]:
    """One curved lens across both eyes, notched over the nose, under a brow bar; and where the end piece begins."""
    half, high, sag = (
        kit.between(0.062, 0.07, name="shield half"),
        kit.between(0.036, 0.052, name="shield height"),
        kit.between(0.014, 0.024, name="shield sag"),
    )
    notch, taper = kit.between(0.35, 0.5, name="shield notch share") * high, kit.between(0.35, 0.6, name="shield taper")
    u = np.linspace(-1.0, 1.0, 41)
    top = 0.5 * high - 0.1 * high * u**2
    low = top - high * (1 - (1 - taper) * np.abs(u) ** 3) + notch * np.exp(-((u / 0.16) ** 2))
    back = sag * u**2

    def across(share: float) -> Array:
        return np.c_[half * u, back, (1 - share) * top + share * low]

    lens = slab(np.stack([across(s) for s in np.linspace(0, 1, 7)]), 0.0016)
    brow = ribbon(
        across(0.04),
        kit.between(0.004, 0.007, name="shield brow share"),
        kit.between(0.0028, 0.0038, name="shield brow share"),
        "z",
    )
    pieces = [paint(glass, lens, parts="lens"), paint(frame, brow, parts="brow")]
    if kit.chance(0.5, name="rim"):
        rim = across(0.98)
        pieces.append(paint(frame, tube(rim, 0.0013, sides=8)))
    saddle = across(1.0)[16:25] + (0, 0.0015, 0)
    pieces.append(paint(kit.material("rubber", "white", name="shield tube"), tube(saddle, 0.0022, sides=8)))
    return pieces, across(0.06 if taper < 0.45 else 0.12)[-1]
