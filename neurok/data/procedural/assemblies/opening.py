"""Mounts that open or slide out: flaps and doors; and, in a hollow behind the spot, drawers, boards, bins, plungers.

Each sits on a `Spot`, in its frame. Leaves are hinged at their outer surface, so that they can open wide.
"""

import numpy as np

from neurok.data.procedural.assemblies.spots import Spot
from neurok.data.procedural.assemblies.turning import dial, lever
from neurok.data.procedural.fittings import bar_handle, barrel, knob
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.shapes import block, plate, rod, tray, tube
from neurok.geometry.mesh import Mesh


def grip(kit: Kit, spot: Spot, x: float, y: float, z: float, room: float) -> list[Mesh]:
    """Something to pull at on a panel's face, around x, y within a room [m]; or nothing."""
    style = kit.pick("knob", "bow", "bar", "upright", "tab", "none", name="grip style")
    size = max(0.1 * room, 1.2 * spot.fine)
    if style == "knob":
        return knob((x, y, z), "z", size, segments=16)
    if style == "tab":
        return [block((4 * size, 0.7 * size, 1.6 * size), (x, y, z + 0.6 * size), round=0.1 * size)]
    if style in ("bow", "bar"):
        return bar_handle(
            (x - 0.3 * room, y, z),
            (x + 0.3 * room, y, z),
            "z",
            height=2 * size,
            radius=0.45 * size,
            square=style == "bar",
        )
    if style == "upright":
        return bar_handle((x, y - 0.3 * room, z), (x, y + 0.3 * room, z), "z", height=2 * size, radius=0.45 * size)
    return []


def _leaf(kit: Kit, spot: Spot, name: str, low: float, thick: float, upper: float) -> None:
    """A panel over the whole spot, from a level `low` up, hinged along the edge at +y and opening off the face."""
    w, h, e = spot.width, spot.height, spot.fine
    r = max(0.4 * thick, 0.8 * e)
    y, z = 0.5 * h - r, low + thick
    share = kit.pick(1, 2, name="leaf share")  # knuckles on the panel
    spots = [0.0] if share == 1 else [-0.3 * w, 0.3 * w]
    long = min((0.28 if share == 1 else 0.17) * w, 14 * r)
    eyes = [barrel((x, y, z), "x", long, r) for x in spots]
    tabs = [block((long, 2.2 * r, 0.4 * thick), (x, y - 1.1 * r, z - 0.22 * thick), round=0) for x in spots]
    own = [x + s * (long + 0.4 * e) for x in spots for s in (-0.75, 0.75)]
    knuckles = [barrel((x, y, z), "x", 0.5 * long, r) for x in own]
    pins = [rod((x - long, y, z), (x + long, y, z), 0.4 * r, sides=8) for x in spots]
    deep = z + e if low >= 0 else r  # posts reach down to the face, or into the hollow's wall
    posts = [
        block(
            (0.45 * long, 2 * r + (0 if low >= 0 else e), deep),
            (x, y + (0 if low >= 0 else e), z - 0.5 * deep),
            round=0,
        )
        for x in own
    ]
    spot.rest(kit, kit.pick(*spot.tones, name="leaf rest"), knuckles, posts, pins)
    gap, end = 0.4 * e, y - r - 0.4 * e
    size, middle = end + 0.5 * h - gap, 0.5 * (end - 0.5 * h + gap)
    panel = [block((w - 2 * gap, size, thick), (0, middle, low + 0.5 * thick), round=0.12 * thick)]
    trim: list[Mesh] = []
    style = kit.pick("plain", "plain", "raised", "ribs", "border", name="leaf style")
    if style == "raised":
        trim.append(block((0.7 * w, 0.7 * size, 0.3 * thick), (0, middle, z), round=0.08 * thick))
    elif style == "ribs":
        trim += [
            block((0.8 * w, 0.05 * size, 0.3 * thick), (0, middle + k * size, z), round=0)
            for k in (-0.1, 0.05, 0.2, 0.35)
        ]
    elif style == "border":
        trim += [
            block((0.92 * w, 0.06 * size, 0.4 * thick), (0, middle + s * 0.42 * size, z), round=0) for s in (-1, 1)
        ]
        trim += [block((0.06 * w, 0.9 * size, 0.4 * thick), (s * 0.43 * w, middle, z), round=0) for s in (-1, 1)]
    pull = grip(kit, spot, kit.pick(0, 0, 0.3, name="leaf pull") * w, -0.5 * h + 0.2 * size, z, 0.55 * min(w, size))
    spot.part(kit, name, [*panel, *tabs, *eyes], trim, pull)
    spot.hinge(kit, name, (0, y, z), "-x", 0, upper)
    if not pull and not trim:
        room = 0.4 * min(w, size)
        kit.pick(dial, lever, name="leaf pick")(
            kit, spot.on(name, (0, middle - 0.2 * size, z), room, room), f"{name}_lock"
        )


def _thickness(kit: Kit, spot: Spot) -> float:
    return max(kit.between(0.04, 0.1, name="thickness detail") * spot.least, 1.6 * spot.fine)


def flap(kit: Kit, spot: Spot, name: str) -> None:
    """A lid over the spot or half of it; on a solid face it lies on it, bare or within a raised border."""
    spot = spot.turn_quarters(kit.count(0, 3, name="flap spot"))
    thick, e = _thickness(kit, spot), spot.fine
    upper = kit.between(95, 165, name="flap upper") if spot.alone else kit.between(60, 90, name="flap upper")
    if spot.room > 0:
        _leaf(kit, spot, name, -thick, thick, upper if spot.alone else min(upper, 88))
        return
    if kit.chance(0.3, name="flap the other half"):  # the other half is a fixed panel
        fixed = block(
            (spot.width, 0.48 * spot.height, thick), (0, -0.26 * spot.height, 0.5 * thick + 0.2 * e), round=0.12 * thick
        )
        spot.rest(kit, kit.pick(*spot.tones, name="flap rest"), fixed)
        spot = spot.part_of(0, 0.25 * spot.height, spot.width, 0.5 * spot.height - e)
    elif kit.chance(0.5, name="flap bar"):
        bar, level = max(0.06 * spot.least, 1.5 * e), thick + 0.4 * e
        border = [
            block((bar, spot.height, level), (s * 0.5 * (spot.width - bar), 0, 0.5 * level - 0.05 * e), round=0.1 * bar)
            for s in (-1, 1)
        ]
        border.append(
            block((spot.width, bar, level), (0, -0.5 * (spot.height - bar), 0.5 * level - 0.05 * e), round=0.1 * bar)
        )
        spot.rest(kit, kit.pick(*spot.tones, name="flap rest"), border)
        spot = spot.part_of(0, 0.5 * bar, spot.width - 2 * bar - 0.2 * e, spot.height - bar - 0.2 * e)
    _leaf(kit, spot, name, 0.4 * e, thick, upper)


def double_doors(kit: Kit, spot: Spot, name: str) -> None:
    """Two leaves hinged at opposite edges; some open together."""
    spot = spot.turn_quarters(kit.count(0, 1, name="double doors spot"))
    thick = _thickness(kit, spot)
    low = -thick if spot.room > 0 else 0.4 * spot.fine
    half = 0.5 * spot.width - 0.2 * spot.fine
    upper = (
        kit.between(75, 90, name="double doors upper")
        if not spot.alone
        else kit.between(80, 130, name="double doors upper")
    )
    names = f"{name}_left", f"{name}_right"
    for own, s, quarters in ((names[0], -1, 1), (names[1], 1, 3)):
        _leaf(
            kit,
            spot.part_of(s * 0.25 * spot.width, 0, half, spot.height).turn_quarters(quarters),
            own,
            low,
            thick,
            upper,
        )
    if kit.chance(0.25, name="double doors follow"):
        kit.follow(names[1], names[0])


def sliding_door(kit: Kit, spot: Spot, name: str) -> None:
    """A panel over one half that slides over to the other, between two rails."""
    spot = spot.turn_quarters(kit.count(0, 3, name="sliding door spot"))
    w, h, e, thick = spot.width, spot.height, spot.fine, _thickness(kit, spot)
    bar = max(0.07 * h, 1.5 * e)
    rails = [block((w, bar, 2.2 * thick), (0, s * 0.5 * (h - bar), thick), round=0.1 * bar) for s in (-1, 1)]
    rails += [
        block((w, 1.6 * bar, 0.5 * thick), (0, s * 0.5 * (h - 1.6 * bar), 1.95 * thick), round=0) for s in (-1, 1)
    ]
    stops = [block((bar, h, thick), (s * 0.5 * (w - bar), 0, 0.45 * thick), round=0) for s in (-1, 1)]
    spot.rest(kit, kit.pick(*spot.tones, name="sliding door rest"), rails, stops)
    broad, tall = kit.between(0.4, 0.5, name="sliding door breadth share") * (w - 2 * bar), h - 2 * bar - 0.8 * e
    x, z = -0.5 * w + bar + 0.5 * broad + 0.3 * e, 0.5 * thick + 0.4 * e
    panel = [block((broad, tall, thick), (x, 0, z), round=0.1 * thick)]
    pull = grip(kit, spot, x, 0, z + 0.5 * thick, 0.5 * min(broad, tall - 3 * bar))
    spot.part(kit, name, panel, pull)
    spot.slide(kit, name, "x", w - 2 * bar - broad - 0.6 * e)


# ---------------------------------------------------------------- in a hollow


def drawer(kit: Kit, spot: Spot, name: str) -> None:
    """A box in the hollow, its front flush with the mouth or lying over it."""
    w, h, e = spot.width, spot.height, spot.fine
    thick, gap, long = _thickness(kit, spot), 0.35 * e, spot.room - 1.5 * e
    flush = kit.chance(0.5, name="drawer flush")
    z = -0.5 * thick if flush else 0.5 * thick + 0.35 * e
    over = -gap if flush else 1.0 * e
    front = [block((w + 2 * over, h + 2 * over, thick), (0, 0, z), round=0.12 * thick)]
    box = tray(
        (w - 2 * gap, long, kit.between(0.55, 0.85, name="drawer box share") * h),
        max(0.04 * w, e),
        (0, -0.5 * h + gap, -0.5 * long - 0.3 * e),
        "y",
    )
    stub = block((0.96 * (w - 2 * gap), 0.5 * h, 1.3 * thick), (0, -0.24 * h + gap, z - 0.6 * thick), round=0)
    pull = grip(kit, spot, 0, kit.pick(0, 0, 0.25, name="drawer pull") * h, z + 0.5 * thick, 0.7 * spot.least)
    spot.part(kit, name, front, [box, stub], pull)
    spot.slide(kit, name, "z", kit.between(0.45, 0.75, name="drawer slide") * long)


def pull_out(kit: Kit, spot: Spot, name: str) -> None:
    """A board between rails in the hollow, pulled out like a tray or a rack."""
    w, h, e = spot.width, spot.height, spot.fine
    thick, long = max(kit.between(0.08, 0.2, name="pull out thickness share") * h, 1.2 * e), spot.room - 2 * e
    y = kit.between(-0.3, 0.3, name="pull out y share") * (h - 2 * thick)
    rail = max(0.05 * w, 1.2 * e)
    rails = [
        block(
            (rail, 0.8 * thick, long),
            (s * 0.5 * (w - rail), y + t * (0.95 * thick + 0.3 * e), -0.5 * long - e),
            round=0,
        )
        for s in (-1, 1)
        for t in (-1, 1)
        if abs(y + t * (0.95 * thick + 0.3 * e)) < 0.5 * h
    ]
    spot.rest(kit, kit.pick(*spot.tones, name="pull out rest"), rails)
    out = kit.between(0.0, 0.15, name="pull out out share") * long
    board = [block((w - 0.8 * e, thick, long + out), (0, y, 0.5 * (out - long)), round=0.1 * thick)]
    lip = (
        [block((0.7 * w, 1.2 * thick, 1.2 * thick), (0, y, out + 0.3 * thick), round=0.2 * thick)]
        if out > 0.05 * long
        else []
    )
    spot.part(kit, name, board, lip)
    spot.slide(kit, name, "z", kit.between(0.4, 0.7, name="pull out slide") * long)


def tilting_bin(kit: Kit, spot: Spot, name: str) -> None:
    """A front hinged at one edge that tips out, with the cheeks of a bin behind it."""
    w, h, e = spot.width, spot.height, spot.fine
    thick, swing = _thickness(kit, spot), kit.between(20, 40, name="tilting bin swing")
    r = 0.5 * thick
    y, z = -0.5 * h + r + 0.2 * e, -0.5 * thick
    far = min(0.93 * (h - 2 * r), 0.9 * (spot.room - thick) / np.sin(np.radians(swing + 6)))
    angle = np.radians(np.linspace(0, swing + 6, 8))
    sector = np.concatenate([[[y, z]], np.stack([y + far * np.cos(angle), z - far * np.sin(angle)], axis=1)])
    wall = max(0.05 * w, e)
    cheeks = [plate(sector, wall, (s * (0.5 * w - wall), 0, 0), "yz") for s in (-1, 1)]
    back = sector[[0, -1]]
    floor = tube(np.array([(0, *p) for p in back]), 0.6 * wall, sides=8)
    front = [block((w - 0.8 * e, h - 0.8 * e - r, thick), (0, 0.5 * r + 0.1 * e, z), round=0.12 * thick)]
    spot.rest(
        kit,
        kit.pick(*spot.tones, name="tilting bin rest"),
        rod((-0.5 * w - 0.5 * e, y, z), (0.5 * w + 0.5 * e, y, z), 0.5 * r, sides=10),
    )
    pull = grip(kit, spot, 0, 0.3 * h, 0, 0.5 * spot.least)
    eye = rod((-0.46 * w, y, z), (0.46 * w, y, z), r)
    spot.part(kit, name, [*front, eye], [*cheeks, floor], pull)
    spot.hinge(kit, name, (0, y, z), "x", 0, swing)


def plunger(kit: Kit, spot: Spot, name: str) -> None:
    """A block that fills the hollow's mouth and is pushed in, or drawn out, as a large key or a latch."""
    w, h, e = spot.width, spot.height, spot.fine
    out, travel = (
        kit.between(0.1, 0.6, name="plunger out share") * spot.least,
        kit.between(0.3, 0.5, name="plunger travel share") * spot.room,
    )
    travel = min(travel, 0.9 * out + 0.25 * spot.room)
    inside = min(spot.room - travel - e, 0.5 * spot.room)
    body = [block((w - 0.8 * e, h - 0.8 * e, out + inside), (0, 0, 0.5 * (out - inside)), round=0.08 * spot.least)]
    mark = (
        [block((0.4 * w, 0.4 * h, 0.06 * spot.least), (0, 0, out), round=0)]
        if kit.chance(0.5, name="own plunger mark")
        else []
    )
    spot.part(kit, name, body, mark)
    if kit.chance(0.7, name="plunger z"):
        spot.slide(kit, name, "-z", min(travel, 0.85 * out + e))
    else:
        spot.slide(kit, name, "z", 0.6 * inside)


OPENING = (flap, flap, double_doors, sliding_door)
HOLLOW = (drawer, drawer, drawer, pull_out, tilting_bin, plunger, flap, flap, double_doors)
