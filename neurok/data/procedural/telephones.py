"""Desk telephones: a dial to turn, or keys to press and a screen to tilt, and the handset."""

import numpy as np

from neurok.data.procedural.fittings import barrel
from neurok.data.procedural.keypads import add_pressed_keys, flat_body, keypad, screen
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, rotate, translate
from neurok.data.procedural.shapes import block, curve, rod, tube
from neurok.geometry.mesh import Material, Mesh
from neurok.geometry.rotation import rotation


def desk_phone(kit: Kit) -> None:
    """A sloping body beside or under its handset: a dial to turn, or keys to press and a screen to tilt."""
    wide, long, thick = (
        kit.between(0.16, 0.21, name="desk phone width"),
        kit.between(0.17, 0.22, name="desk phone length"),
        kit.between(0.03, 0.045, name="desk phone thickness"),
    )
    slope, color = (
        kit.between(8, 20, name="desk phone slope"),
        kit.material("black", "white", "red", "plastic", "leather", "paint", name="desk phone colour"),
    )
    dark, arc = (
        kit.material("black", name="desk phone dark"),
        kit.between(0.08, 0.25, name="desk phone arc share") * wide,
    )
    R = rotation(np.array([np.radians(slope), 0.0, 0.0]))
    lean = R[:, 2]  # the face's normal

    def sloped(pieces: list[Mesh]) -> list[Mesh]:
        return [rotate(piece, "x", slope) for piece in pieces]

    rotary = kit.chance(0.45, name="desk phone rotary")
    high = long * np.sin(np.radians(slope))
    stand = block((0.8 * wide, 0.12 * long, high + 0.6 * thick), (0, 0.38 * long, 0.25 * thick), round=0.004)
    if rotary:
        radius, y = 0.3 * wide, -0.16 * long
        handset = _handset(kit, 0.9 * wide + 0.03, color, dark)
        handset = [translate(rotate(m, "z", 90), 0, 0.32 * long, thick) for m in handset]
        plinth = rod((0, y, thick - 0.003), (0, y, thick + 0.004), 1.1 * radius, sides=40)
        post = rod((0, y, thick), (0, y, thick + 0.007), 0.2 * radius, sides=16)
        card = rod((0, y, thick), (0, y, thick + 0.0052), 1.02 * radius, sides=40)
        body = [
            paint(color, flat_body(wide, long, thick, (0, 0, 0), arc), plinth, parts=", plinth"),
            paint(kit.material("white", "paper", name="desk phone body"), card, post, parts="card, post"),
        ]
        stop = block((0.06 * radius + 0.001, 0.3 * radius, 0.002), (0.62 * radius, y - 0.84 * radius, thick + 0.0125))
        foot = block(
            (0.06 * radius + 0.001, 0.004, 0.0145), (0.64 * radius, y - 1.02 * radius, thick + 0.00625), round=0
        )
        body += [
            paint(
                kit.material("metal", name="desk phone rotate"),
                rotate(stop, "z", 35, (0.62 * radius, y - 0.84 * radius, 0)),
                foot,
                parts="stop, foot",
            )
        ]
        kit.link("body", *sloped([*body, *handset]), paint(color, stand, parts="stand"))
        hub = np.array([0, y, thick + 0.0062])
        wheel = rod(hub, hub + (0, 0, 0.0035), 0.94 * radius, sides=40)
        boss = rod(hub, hub + (0, 0, 0.005), 0.42 * radius, sides=28)
        angle = np.radians(np.linspace(-30, 240, 10))
        places = [hub + 0.7 * radius * np.array([np.cos(a), np.sin(a), 0]) for a in angle]
        holes = [rod(p + (0, 0, 0.001), p + (0, 0, 0.0042), 0.125 * radius, sides=16) for p in places]
        pieces = [
            paint(kit.material("metal", "black", "glass", name="desk phone pieces"), wheel, parts="wheel"),
            paint(kit.material("white", "paper", name="desk phone pieces"), holes, boss, parts="holes, boss"),
        ]
        kit.link("dial", *sloped(pieces))
        kit.hinge(
            "body",
            "dial",
            at=R @ hub,
            axis=-lean,
            lower=0.0,
            upper=kit.between(250, 320, name="desk phone dial opens to"),
        )
        return
    left = -0.5 * wide - 0.026
    deck = (0.56 * wide, kit.between(0.36, 0.46, name="desk phone deck share") * long, -0.2 * long)
    pieces, keys, travel = keypad(kit, (wide, long, thick), arc, deck, (4, 3), color, rise=0.002, scale=3.0)
    wing = flat_body(0.075, long, 0.8 * thick, (left, 0, 0), 0.02)
    handset = [translate(m, left, 0, 0.8 * thick) for m in _handset(kit, 0.98 * long, color, dark)]
    rows = [
        block((0.07 * wide, 0.008, 0.004), (0.4 * wide, y * long, thick), round=0.001) for y in (-0.32, -0.22, -0.12)
    ]
    grille = [block((0.4 * wide, 0.002, 0.0024), (0, y * long, thick), round=0) for y in (0.1, 0.08, 0.06)]
    kit.link(
        "body",
        *sloped([*pieces, paint(color, wing, parts="wing"), *handset, paint(dark, rows, grille, parts="rows, grille")]),
        paint(color, stand, parts="stand"),
    )
    add_pressed_keys(kit, "body", sloped(keys), travel, -lean)
    # The screen stands on a hinge along its lower edge.
    deep, sheet = kit.between(0.24, 0.3, name="desk phone depth share") * long, 0.009
    hinge = np.array([0.0, 0.15 * long, thick + 0.004])
    panel = block(
        (0.8 * wide, deep, sheet), (0, hinge[1] + 0.006 + 0.5 * deep, thick + 0.0015 + 0.5 * sheet), round=0.002
    )
    glass = screen(kit, 0.7 * wide, 0.8 * deep, 0, hinge[1] + 0.006 + 0.5 * deep, thick + 0.0015 + sheet, 0.0008)
    pivot = barrel(hinge, "x", 0.5 * wide, 0.0055)
    tab = block((0.4 * wide, 0.014, 0.004), hinge + (0, 0.007, 0.001), round=0)
    kit.link(
        "screen",
        *sloped(
            [
                paint(
                    kit.material("black", "dark_metal", name="desk phone panel"),
                    panel,
                    pivot,
                    tab,
                    parts="panel, pivot, tab",
                ),
                *glass,
            ]
        ),
    )
    kit.hinge(
        "body",
        "screen",
        at=R @ hinge,
        axis="x",
        lower=0.0,
        upper=kit.between(30, 60, name="desk phone screen opens to"),
    )


def _handset(kit: Kit, long: float, color: Material, dark: Material) -> list[Mesh]:
    """A receiver along y lying on its two cups, which stand on z = 0."""
    cup, lift = kit.between(0.022, 0.027, name="handset cup"), kit.between(0.022, 0.032, name="handset lift")
    half = 0.5 * long - cup
    bow = np.array(
        [(0, -half, 0.7 * lift), (0, -0.5 * half, 1.25 * lift), (0, 0.5 * half, 1.25 * lift), (0, half, 0.7 * lift)]
    )
    grip = tube(curve(bow, 18), kit.between(0.011, 0.014, name="handset grip share"), sides=14)
    cups = [rod((0, s * half, 0), (0, s * half, 0.9 * lift), 0.85 * cup, end_radius=cup, sides=28) for s in (-1, 1)]
    rims = [rod((0, s * half, -0.004), (0, s * half, 0.003), 0.75 * cup, sides=24) for s in (-1, 1)]
    return [paint(color, grip, cups, parts="handle, cups"), paint(dark, rims, parts="rims")]
