"""Mounts that slide, press, swing or reach out: buttons, sliders, telescopes, bails, caps, jaws and arms of links.

Each sits on a `Spot`, in its frame.
"""

from itertools import product

import numpy as np

from neurok.data.procedural.assemblies.spots import Spot
from neurok.data.procedural.fittings import barrel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import align, repeat_around, rotate, translate
from neurok.data.procedural.shapes import ball, block, fillet, frame, hoop, lathe, pipe, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.rotation import rotation


def buttons(kit: Kit, spot: Spot, name: str) -> None:
    """One to six caps that are pressed into their collars."""
    columns, rows = (
        (1, 1)
        if kit.chance(0.5, name="own buttons columns and rows")
        else (kit.count(1, 3, name="buttons columns and rows"), kit.count(1, 2, name="buttons columns and rows"))
    )
    w, h = spot.width / columns, spot.height / rows
    size, e = kit.between(0.5, 0.85, name="buttons size share") * min(w, h), spot.fine
    rise, out = (
        max(kit.between(0.2, 0.5, name="buttons rise share") * size, 2.5 * e),
        kit.between(0.1, 0.4, name="buttons out share") * size,
    )
    round, wall, tone = (
        kit.chance(0.5, name="buttons round"),
        max(0.08 * size, e),
        kit.pick(*spot.tones, name="buttons tone"),
    )
    dome = kit.chance(0.4, name="buttons dome")
    for i, (c, r) in enumerate(product(range(columns), range(rows))):
        x, y = (c - 0.5 * (columns - 1)) * w, (r - 0.5 * (rows - 1)) * h
        inner, travel = 0.5 * size - wall, kit.between(0.5, 0.8, name="buttons travel share") * rise
        low, top = travel + 0.3 * e, rise + out
        if round:
            spot.rest(kit, tone, pipe((x, y, -0.2 * e), (x, y, rise), 0.5 * size, wall, sides=24))
            cap = [rod((x, y, low), (x, y, top), inner - 0.3 * e, sides=24)]
            if dome:
                cap.append(ball((0.9 * inner, 0.9 * inner, 0.4 * inner), (x, y, top), 16))
        else:
            collar = rotate(frame(size, size, wall, rise), "x", 90)
            spot.rest(kit, tone, translate(collar, x, y, 0.5 * rise - 0.1 * e))
            cap = [
                block(
                    (2 * inner - 0.7 * e, 2 * inner - 0.7 * e, top - low), (x, y, 0.5 * (top + low)), round=0.1 * inner
                )
            ]
        own = name if columns * rows == 1 else f"{name}_{i + 1}"
        spot.part(kit, own, cap)
        spot.slide(kit, own, "-z", travel)


def slider(kit: Kit, spot: Spot, name: str) -> None:
    """A carriage between two rails, or a sleeve on a rod between two posts, anywhere along its way."""
    if spot.height > spot.width:
        spot = spot.turn_quarters(1)
    long, wide, e = 0.92 * spot.width, kit.between(0.3, 0.8, name="slider width share") * spot.height, spot.fine
    size = kit.between(0.15, 0.35, name="slider size share") * long
    tone = kit.pick(*spot.tones, name="slider tone")
    if kit.chance(0.55, name="slider bar"):
        bar = max(0.14 * wide, 1.2 * e)
        rails = [
            block((long, bar, 1.2 * bar), (0, s * 0.5 * (wide - bar), 0.55 * bar), round=0.15 * bar) for s in (-1, 1)
        ]
        ends = [
            block((bar, wide, 1.2 * bar), (s * 0.5 * (long - bar), 0, 0.55 * bar), round=0.15 * bar) for s in (-1, 1)
        ]
        spot.rest(kit, tone, rails, ends)
        room, tall = (
            0.5 * (long - size) - bar - 0.3 * e,
            max(bar * kit.between(1.5, 4, name="slider height share"), 2 * e),
        )
        x = kit.between(-1, 1, name="slider x share") * room
        body = [block((size, wide - 2 * bar - 0.7 * e, tall), (x, 0, 0.5 * tall + 0.2 * e), round=0.1 * bar)]
        cap = [
            kit.pick(
                rod((x, 0, tall), (x, 0, tall + 0.4 * size), 0.25 * min(size, wide)),
                block((0.3 * size, 0.9 * wide, 0.3 * size), (x, 0, tall + 0.1 * size)),
                name="slider cap",
            )
        ]
    else:
        r = max(0.1 * wide, 0.8 * e)
        z, post = 3.2 * r + e, max(1.6 * r, 1.5 * e)
        posts = [
            block((post, 3 * r, z + 1.6 * r), (s * 0.5 * (long - post), 0, 0.5 * (z + 1.4 * r)), round=0.2 * r)
            for s in (-1, 1)
        ]
        spot.rest(kit, tone, posts, rod((-0.5 * long, 0, z), (0.5 * long, 0, z), r))
        room = 0.5 * (long - size) - post - 0.3 * e
        x = kit.between(-1, 1, name="slider x share") * room
        body = [pipe((x - 0.5 * size, 0, z), (x + 0.5 * size, 0, z), 2.4 * r, 1.3 * r)]
        cap = [
            block(
                (0.8 * size, 1.6 * r, kit.between(2, 6, name="slider cap share") * r),
                (x, 0, z + 3.4 * r),
                round=0.2 * r,
            )
        ]
        cap = [translate(cap[0], 0, 0, 1.6 * r - (cap[0].vertices[:, 2].min() - z))]
    spot.part(kit, name, body, cap)
    spot.slide(kit, name, "x", max(room - x, 0.02 * room), min(-room - x, -0.02 * room))


def jaws(kit: Kit, spot: Spot, name: str) -> None:
    """Two fingers on a common rail that move apart together, as of a vice or a gripper."""
    if spot.height > spot.width:
        spot = spot.turn_quarters(1)
    long, wide, e = 0.92 * spot.width, kit.between(0.3, 0.7, name="jaws width share") * spot.height, spot.fine
    bar = max(0.12 * wide, 1.5 * e)
    tall, size = (
        kit.between(0.25, 0.8, name="jaws height share") * long,
        kit.between(0.1, 0.16, name="jaws size share") * long,
    )
    spot.rest(
        kit,
        kit.pick(*spot.tones, name="jaws rest"),
        block((long, 0.4 * wide, bar), (0, 0, 0.45 * bar), round=0.1 * bar),
    )
    apart = kit.between(0.02, 0.1, name="jaws apart share") * long + e
    for own, s in ((f"{name}_left", -1), (f"{name}_right", 1)):
        x = s * (0.5 * apart + 0.5 * size)
        carriage = [block((size, wide, 1.5 * bar), (x, 0, 0.95 * bar + 0.75 * bar + 0.2 * e), round=0.1 * bar)]
        finger = [
            block((0.6 * size, 0.8 * wide, tall), (x - s * 0.2 * size, 0, 2 * bar + 0.5 * tall), round=0.1 * size)
        ]
        spot.part(kit, own, carriage, finger)
        spot.slide(kit, own, (s, 0, 0), 0.5 * (long - apart) - size)
    kit.follow(f"{name}_right", f"{name}_left")


def bail(kit: Kit, spot: Spot, name: str) -> None:
    """A bow hinged at both ends: lying on the face, or standing."""
    spot = spot.turn_quarters(kit.count(0, 3, name="bail spot"))
    half, e = kit.between(0.3, 0.46, name="bail half share") * spot.width, spot.fine
    bar = max(kit.between(0.05, 0.09, name="bail bar share") * min(2 * half, spot.height), 0.8 * e)
    middle = kit.chance(0.5, name="bail middle")
    y = 0.0 if middle else 0.5 * spot.height - 2 * bar
    far = kit.between(0.6, 0.92, name="bail far share") * (0.5 * spot.height - bar if middle else spot.height - 4 * bar)
    z, b = 1.7 * bar, half - 2.4 * bar
    lugs = [
        block((1.6 * bar, 3 * bar, z + 1.5 * bar), (s * (half - 0.5 * bar), y, 0.5 * (z + 1.3 * bar)), round=0.3 * bar)
        for s in (-1, 1)
    ]
    pins = [rod((s * (b + 1.1 * bar - e), y, z), (s * half, y, z), 0.5 * bar) for s in (-1, 1)]
    spot.rest(kit, kit.pick(*spot.tones, name="bail rest"), lugs, pins)
    arc = kit.pick(0.2, 0.9, name="bail arc") * far
    bow = [tube(fillet(np.array([(b, y, z), (b, y - far, z), (-b, y - far, z), (-b, y, z)]), arc), bar)]
    bow += [barrel((s * b, y, z), "x", 2.2 * bar, 1.2 * bar) for s in (-1, 1)]
    sleeve = (
        [rod((-0.5 * b, y - far, z), (0.5 * b, y - far, z), 1.5 * bar)]
        if arc < 0.5 * far and kit.chance(0.5, name="own bail sleeve")
        else []
    )
    lower, upper = 0.0, kit.between(150, 178, name="bail upper") if middle else 90.0
    start = kit.pick(0.0, 0.0, 90.0, kit.between(20, 70, name="bail start share"), name="bail start")
    groups = ([rotate(m, "x", -start, (0, y, z)) for m in some] for some in (bow, sleeve))
    spot.part(kit, name, *groups)
    spot.hinge(kit, name, (0, y, z), "-x", lower - start, max(upper - start, 2.0))


def telescope(kit: Kit, spot: Spot, name: str) -> None:
    """One or two stages that slide out of a socket along the normal."""
    r = (
        kit.between(0.2, 0.42, name="telescope r share")
        * min(spot.least, 2 * spot.reach)
        * kit.pick(0.5, 1.0, name="telescope r")
    )
    r = max(r, 4 * spot.fine)
    wall, long = max(0.16 * r, 0.8 * spot.fine), r * kit.between(2.5, 7, name="telescope length share")
    spot.rest(
        kit,
        kit.pick(*spot.tones, name="telescope rest"),
        pipe((0, 0, -0.3 * wall), (0, 0, long), r, wall),
        pipe((0, 0, 0.92 * long), (0, 0, 1.01 * long), 1.12 * r, wall),
    )
    stages = 1 if r < 7 * spot.fine else kit.count(1, 2, name="telescope stages")
    parent, low = spot.link, 0.3 * spot.fine
    for i in range(stages):
        r = r - wall - 0.3 * spot.fine
        top = long * (1.06 + 0.06 * i)
        own = name if stages == 1 else f"{name}_{i + 1}"
        if i < stages - 1:
            body = [pipe((0, 0, low), (0, 0, top), r, wall)]
        else:
            body = [rod((0, 0, low), (0, 0, top + 0.05 * long), r)]
            tip = kit.pick("foot", "ball", "bar", "plain", "ring", name="telescope tip")
            end = top + 0.05 * long
            if tip == "foot":
                body.append(
                    rod(
                        (0, 0, end),
                        (0, 0, end + 0.5 * r),
                        kit.between(1.3, 2.2, name="telescope rod size") * r,
                        sides=24,
                    )
                )
            elif tip == "ball":
                body.append(ball(1.4 * r, (0, 0, end + r), 18))
            elif tip == "bar":
                body.append(rod((-2.2 * r, 0, end + 0.4 * r), (2.2 * r, 0, end + 0.4 * r), 0.6 * r))
            elif tip == "ring":
                body.append(hoop(1.2 * r, 0.3 * r, (0, 0, end + 1.2 * r), "x", 24))
        spot.part(kit, own, body)
        spot.slide(kit, own, "z", kit.between(0.4, 0.75, name="telescope slide") * long, parent=parent)
        parent = own


def cap(kit: Kit, spot: Spot, name: str) -> None:
    """A cap screwed on a neck."""
    r = kit.between(0.3, 0.46, name="cap r share") * spot.least
    wall, tall = max(0.1 * r, 0.8 * spot.fine), r * kit.between(0.5, 1.6, name="cap height share")
    low = r * kit.between(0.05, 0.5, name="cap lower edge share")
    inner = r - wall
    neck = [rod((0, 0, -0.1 * r), (0, 0, low + tall - 1.6 * wall), inner - 0.4 * spot.fine, sides=28)]
    if kit.chance(0.6, name="cap rod"):
        neck.append(rod((0, 0, -0.1 * r), (0, 0, 0.6 * low), 1.04 * r, sides=28))
    spot.rest(kit, kit.pick(*spot.tones, name="cap rest"), neck)
    profile = [[0, tall - wall], [inner, tall - wall], [inner, 0], [r, 0], [0.97 * r, tall], [0, tall]]
    cup = [lathe(fillet(np.array(profile), 0.1 * wall, steps=2), (0, 0, low), segments=32)]
    rib = block((0.08 * r, 0.1 * r, 0.8 * tall), (r, 0, low + 0.45 * tall), round=0)
    ribs = (
        repeat_around(rib, kit.count(8, 20, name="cap ribs"))
        if kit.chance(0.7, name="own cap ribs")
        else [block((1.2 * r, 0.25 * r, 0.4 * r), (0, 0, low + tall), round=0.05 * r)]
    )
    spot.part(kit, name, cup, ribs)
    turns = kit.between(0.75, 2.5, name="cap turns")
    pitch = kit.between(0.3, 0.7, name="cap pitch share") * (tall - 2 * wall) / turns
    at = spot.point(0, 0, low)
    kit.screw(spot.link, name, at=at, axis=spot.way("z"), pitch=pitch, upper=360 * turns)


# ---------------------------------------------------------------- arms


def arm(kit: Kit, spot: Spot, name: str) -> None:
    """One to three links in a chain, hinged about parallel or crossed axes; some on a turning foot."""
    count = kit.count(1, 3, name="arm")
    whole = spot.reach * kit.between(0.75, 0.98, name="arm whole share") * (1.6 if spot.alone else 1.0)
    bar = max(0.035 * whole, 1.0 * spot.fine)
    sizes = np.array([kit.between(0.7, 1.2, name="arm sizes share") for _ in range(count)])
    sizes = np.maximum(sizes / sizes.sum() * whole, 7.5 * bar)
    turning, foot = kit.chance(0.35, name="arm turning"), 1.2 * bar
    base = np.array([0.0, 0.0, foot + 3.2 * bar])
    local = [
        np.array([1.0, 0, 0]) if i == 0 or kit.chance(0.7, name="own arm local") else np.array([0, 1.0, 0])
        for i in range(count)
    ]
    sign = kit.pick(-1, 1, name="arm sign")
    bends = np.array(
        [sign * (-1) ** i * kit.between(5, 55 if i == 0 else 75, name="arm bends share") for i in range(count)]
    )
    swings = np.array([kit.between(20, 50, name="arm swings share") for _ in range(count)])
    while swings.max() > 8 and not _clear(base, local, bends, swings, sizes, 2.5 * bar):
        bends, swings = 0.9 * bends, 0.85 * swings
    frames = _chain(base, local, bends, sizes)
    disc = rod((0, 0, -0.3 * bar), (0, 0, foot), 3.2 * bar, sides=24)
    fork = _fork(base, np.array([0, 0, 1.0]), local[0], 2.2 * bar, bar) + [
        rod((0, 0, 0.98 * foot), (0, 0, foot + 1.0 * bar), 2.4 * bar, sides=24)
    ]
    parent = spot.link
    if turning:
        spot.rest(kit, kit.pick(*spot.tones, name="arm rest"), disc)
        parent = spot.part(kit, f"{name}_foot", fork)
        spot.spin(kit, parent, (0, 0, foot))
    else:
        spot.rest(kit, kit.pick(*spot.tones, name="arm rest"), disc, fork)
    for i, (start, R) in enumerate(frames):
        end, way, axis = start + sizes[i] * R[:, 2], R[:, 2], R @ local[i]
        last = i == count - 1
        back = 0.0 if last else 2.4 * bar
        body = [
            barrel(start, axis, 1.1 * bar, 1.15 * bar),
            rod(start, end - back * way, kit.between(0.5, 0.6, name="arm body share") * bar, sides=10),
        ]
        body.append(rod(start + 2.6 * bar * way, end - (0.2 * bar + back) * way, 0.95 * bar, sides=12))
        tip = _tip(kit, end, R, bar) if last else _fork(end, way, R @ local[i + 1], 2.4 * bar, bar)
        own = f"{name}_{i + 1}" if count > 1 else name
        spot.part(kit, own, body, tip)
        spot.hinge(kit, own, start, axis, -swings[i], swings[i], parent)
        parent = own


def _chain(base: Array, local: list[Array], bends: Array, sizes: Array) -> list[tuple[Array, Array]]:
    """Where each link begins, and its frame as columns, z along it."""
    at, R, frames = base, np.eye(3), []
    for axis, bend, size in zip(local, bends, sizes):
        R = R @ rotation(np.radians(bend) * axis)
        frames.append((at, R))
        at = at + size * R[:, 2]
    return frames


def _clear(base: Array, local: list[Array], bends: Array, swings: Array, sizes: Array, least: float) -> bool:
    """Whether the ends of all links stay this far above the face at all corners of the range."""
    for ends in product((-1.0, 0.0, 1.0), repeat=len(bends)):
        frames = _chain(base, local, bends + np.array(ends) * swings, sizes)
        if min(at[2] + size * R[2, 2] for (at, R), size in zip(frames, sizes)) < base[2] + least:
            return False
    return True


def _fork(at: Array, way: Array, axis: Array, back: float, bar: float) -> list[Mesh]:
    """Two eyes and a pin about an axis through a point, on prongs from a crossbar behind it."""
    foot = at - back * way
    sides = [s * 1.05 * bar * axis for s in (-1, 1)]
    eyes = [barrel(at + side, axis, 0.7 * bar, 1.1 * bar) for side in sides]
    prongs = [rod(foot + side, at + side, 0.36 * bar, round=0, sides=8) for side in sides]
    return [
        *eyes,
        *prongs,
        rod(foot - 1.5 * bar * axis, foot + 1.5 * bar * axis, 0.55 * bar, sides=10),
        rod(at - 1.4 * bar * axis, at + 1.4 * bar * axis, 0.45 * bar, round=0, sides=8),
    ]


def _tip(kit: Kit, at: Array, R: Array, bar: float) -> list[Mesh]:
    """What a link ends in: a ball, a disc, a shade, a ring, a block or nothing."""
    way, size = R[:, 2], kit.between(1.6, 3.0, name="tip size share") * bar
    kind = kit.pick("ball", "disc", "shade", "ring", "block", "none", name="tip kind")
    if kind == "ball":
        return [ball(0.8 * size, at, 16)]
    if kind == "disc":
        return [rod(at - 0.1 * bar * way, at + 0.6 * bar * way, size, sides=24)]
    if kind == "shade":
        cut = np.array([[0.3, -0.2], [0.4, 0.3], [1.0, 1.2], [0.9, 1.2], [0.3, 0.4], [0, 0.35]]) * size
        return [lathe(cut, at, way, 24)]
    if kind == "ring":
        return [hoop(0.8 * size, 0.25 * size, at + 0.7 * size * way, R[:, 0], 24)]
    if kind == "block":
        return [align(block((1.6 * size, 1.2 * size, 0.8 * size), (0, 0, 0.3 * size)), way, at)]
    return []


SLIDING = (buttons, buttons, slider, slider, jaws, bail, bail, telescope, telescope, cap, arm, arm, arm)
