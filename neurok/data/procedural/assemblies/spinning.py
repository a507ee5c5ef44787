"""Mounts on axles and pins: rotors, wheels, rollers, bodies in yokes, turntables. Each sits on a `Spot`."""

import numpy as np

from neurok.data.procedural.assemblies.spots import Spot
from neurok.data.procedural.fittings import wheel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import repeat_around, rotate, translate
from neurok.data.procedural.shapes import ball, block, fillet, hoop, lathe, pipe, plate, rectangle, ribbon, rod, tube
from neurok.geometry.mesh import Mesh


def rotor(kit: Kit, spot: Spot, name: str) -> None:
    """Blades on a hub at the end of an axle, as of a fan, a propeller or a mixer; some within a fixed guard."""
    r = kit.between(0.65, 0.95, name="rotor r share") * spot.reach
    hub, count = kit.between(0.12, 0.24, name="rotor hub share") * r, kit.count(2, 6, name="rotor")
    z = kit.between(0.35, 0.9, name="rotor z share") * r
    guard = kit.chance(0.35, name="rotor guard")
    stand = [rod((0, 0, -0.3 * hub), (0, 0, z), kit.between(0.4, 0.7, name="rotor stand share") * hub)]
    if guard:
        stand.append(hoop(r, 0.035 * r, (0, 0, z), segments=36))
        strut = tube(
            fillet(np.array([(0, 0, 0.5 * z - 0.3 * hub), (0.8 * r, 0, 0.5 * z - 0.3 * hub), (r, 0, z)]), 0.15 * r),
            0.03 * r,
            sides=8,
        )
        stand += repeat_around(strut, kit.count(3, 4, name="rotor detail"))
    spot.rest(kit, kit.pick(*spot.tones, name="rotor rest"), stand)
    tip = (0.9 if guard else 1.0) * r
    pitch, t = kit.between(10, 18 if guard else 30, name="rotor pitch"), np.linspace(0, 1, 9)
    path = np.stack([0.5 * hub + (tip - 0.5 * hub) * t, 0 * t, 0 * t], axis=1)
    broad = tip * kit.between(0.2, 0.5, name="rotor breadth share") / max(1.0, count / 4)
    widths = broad * (0.5 + 0.5 * np.sin(np.pi * t ** kit.between(0.6, 1.4, name="rotor widths share")))
    blade = rotate(ribbon(path, widths, max(0.03 * r, spot.fine), "y", sides=10), "x", pitch)
    profile = np.array([[1.0, -0.5], [1.0, 0.5], [0.75, 1.0], [0, 1.2]]) * hub
    blades = [
        translate(m, 0, 0, z + 0.5 * hub)
        for m in repeat_around(blade, count, start=kit.between(0, 90, name="rotor blades share"))
    ]
    spot.part(kit, name, blades, [lathe(fillet(profile, 0.1 * hub), (0, 0, z + 0.5 * hub), segments=24)])
    spot.spin(kit, name, (0, 0, z))


def wheels(kit: Kit, spot: Spot, name: str) -> None:
    """One to three wheels, pulleys or gears in a row, each on its own stub axle."""
    if spot.height > spot.width:
        spot = spot.turn_quarters(1)
    count = min(kit.count(1, 3, name="wheels count"), max(1, int(spot.width / spot.height)))
    pitch, style = spot.width / count, kit.pick("tyre", "tyre", "gear", "pulley", name="wheels style")
    r = 0.46 * min(pitch, spot.height) * kit.between(0.7, 1.0, name="wheels r share")
    broad, tone = kit.between(0.25, 0.6, name="wheels breadth share") * r, kit.pick(*spot.tones, name="wheels tone")
    for i in range(count):
        x, z = (
            (i - 0.5 * (count - 1)) * pitch,
            0.6 * broad + kit.between(0.08, 0.15, name="wheels z share") * r + spot.fine,
        )
        spot.rest(kit, tone, rod((x, 0, -0.1 * r), (x, 0, z + 0.75 * broad), 0.14 * r))
        if style == "gear":
            teeth = kit.count(10, 18, name="wheels teeth")
            angle = 2 * np.pi * np.arange(4 * teeth) / (4 * teeth)
            size = np.where(np.arange(4 * teeth) % 4 < 2, r, 0.84 * r)
            groups = [[plate(np.stack([size * np.cos(angle), size * np.sin(angle)], axis=1), broad, (x, 0, z))],
                      [pipe((x, 0, z - 0.6 * broad), (x, 0, z + 0.6 * broad), 0.3 * r, 0.17 * r)]]  # fmt: skip
        elif style == "pulley":
            cut = np.array(
                [[0.13, -0.5], [1, -0.5], [1, -0.35], [0.75, -0.1], [0.75, 0.1], [1, 0.35], [1, 0.5], [0.13, 0.5]]
            )
            bolts = repeat_around(
                rod((x + 0.5 * r, 0, z - 0.52 * broad), (x + 0.5 * r, 0, z + 0.52 * broad), 0.12 * r), 4, "z", (x, 0, 0)
            )
            groups = [[lathe(cut * (r, broad), (x, 0, z), ring=True)], bolts]
        else:
            tyre, hub = wheel(r, broad, (x, 0, z), "z", segments=22)
            bolts = repeat_around(
                rod((x + 0.42 * r, 0, z - 0.4 * broad), (x + 0.42 * r, 0, z + 0.42 * broad), 0.07 * r, sides=8),
                5,
                "z",
                (x, 0, 0),
            )
            groups = [[tyre], [hub, *bolts]]
        own = name if count == 1 else f"{name}_{i + 1}"
        spot.part(kit, own, *groups)
        spot.spin(kit, own, (x, 0, z))


def roller(kit: Kit, spot: Spot, name: str) -> None:
    """A drum between two lugs, its axle along the face."""
    if spot.height > spot.width:
        spot = spot.turn_quarters(1)
    long, r = (
        kit.between(0.7, 0.92, name="roller length share") * spot.width,
        kit.between(0.15, 0.42, name="roller r share") * spot.height,
    )
    wall = max(0.05 * long, 1.5 * spot.fine)
    z, half = r * kit.between(1.15, 1.6, name="roller z share") + spot.fine, 0.5 * long
    lug = np.array([[-0.5 * r, -0.05 * r], [0.5 * r, -0.05 * r], [0.35 * r, z + 0.3 * r], [-0.35 * r, z + 0.3 * r]])
    lugs = [plate(lug, wall, (s * (half - 0.5 * wall), 0, 0), "yz") for s in (-1, 1)]
    drum = half - wall - 0.5 * spot.fine
    stubs = [rod((s * half, 0, z), (s * (drum - spot.fine), 0, z), 0.16 * r) for s in (-1, 1)]
    spot.rest(kit, kit.pick(*spot.tones, name="roller rest"), lugs, stubs)
    groups = [[rod((-drum, 0, z), (drum, 0, z), r, sides=28)]]
    if kit.chance(0.6, name="roller slat"):
        slat = block((1.7 * drum, 0.2 * r, 0.2 * r), (0, 0, z + 0.95 * r), round=0)
        groups.append(repeat_around(slat, kit.count(4, 9, name="roller detail"), "x", (0, 0, z)))
    spot.part(kit, name, *groups)
    spot.spin(kit, name, (0, 0, z), "x")


def yoke(kit: Kit, spot: Spot, name: str) -> None:
    """A body that tilts between the arms of a fork; the fork is fixed, or turns about the normal."""
    spot = spot.turn_quarters(kit.count(0, 1, name="yoke spot")) if not spot.alone else spot
    wide = kit.between(0.6, 0.85, name="yoke width share") * (
        spot.least if not spot.alone else min(1.2 * spot.least, 2 * spot.reach)
    )
    bar = 0.07 * wide
    inner = 0.5 * wide - 1.6 * bar
    shape = kit.pick("ball", "box", "drum", "dish", name="yoke shape")
    depth = 0.95 * inner if shape != "dish" else 0.6 * inner
    swing = kit.between(25, 60, name="yoke swing")
    far = 1.3 * inner  # how far the body reaches from its pin
    foot, z = 1.2 * bar, 1.2 * bar + far + 2 * bar
    turning = kit.chance(0.4, name="yoke turning")
    fork = [
        block((bar, 3 * bar, z + bar - foot), (s * 0.5 * (wide - bar), 0, 0.5 * (z + bar + foot)), round=0.2 * bar)
        for s in (-1, 1)
    ]
    fork.append(block((wide, 3 * bar, 1.2 * bar), (0, 0, foot + 0.61 * bar), round=0.2 * bar))
    pins = [rod((s * (inner - 0.6 * bar), 0, z), (s * (0.5 * wide + 0.4 * bar), 0, z), 0.55 * bar) for s in (-1, 1)]
    base = rod((0, 0, -0.2 * bar), (0, 0, foot), kit.between(0.25, 0.45, name="yoke base share") * wide, sides=28)
    holder = spot.link
    if turning and 0.5 * wide * 1.1 < spot.reach:
        spot.rest(kit, kit.pick(*spot.tones, name="yoke rest"), base)
        holder = spot.part(kit, f"{name}_fork", [*fork, *pins])
        spot.spin(kit, holder, (0, 0, foot))
    else:
        spot.rest(kit, kit.pick(*spot.tones, name="yoke rest"), base, fork, pins)
    body, trim = _tilting(kit, shape, inner, depth, z)
    spot.part(kit, name, body, trim)
    spot.hinge(kit, name, (0, 0, z), "x", -swing, swing, holder)


def _tilting(kit: Kit, shape: str, inner: float, depth: float, z: float) -> tuple[list[Mesh], list[Mesh]]:
    lens = (
        [rod((0, -0.9 * depth, z), (0, -1.25 * depth, z), 0.45 * inner, sides=24)]
        if kit.chance(0.6, name="own tilting lens")
        else []
    )
    if shape == "ball":
        return [ball(0.97 * inner, (0, 0, z), 22)], lens
    if shape == "box":
        tall = kit.between(0.5, 0.85, name="tilting height share") * inner
        return [block((1.9 * inner, 1.8 * depth, 2 * tall), (0, 0, z), round=0.1 * tall)], lens
    if shape == "drum":
        profile = np.array([[0, -1], [0.8, -1], [0.95, -0.8], [0.95, 0.8], [0.8, 1], [0, 1]]) * (inner, depth)
        return [lathe(fillet(profile, 0.05 * inner), (0, 0, z), "-y", 28)], lens
    cup = np.array([[0, 0.2], [0.5, 0.1], [0.95, -0.5], [0.88, -0.55], [0.45, -0.05], [0, 0.05]]) * (inner, inner)
    return [
        lathe(fillet(cup, 0.1 * inner), (0, 0, z), "y", 28),
        rod((-0.97 * inner, 0, z), (0.97 * inner, 0, z), 0.06 * inner),
    ], lens


def turntable(kit: Kit, spot: Spot, name: str) -> Spot:
    """A disc or a square plate that turns about the normal; returns the spot on it."""
    r = kit.between(0.7, 0.98, name="turntable r share") * (spot.reach if not spot.alone else 0.55 * spot.least)
    thick, low = max(kit.between(0.06, 0.2, name="turntable thickness share") * r, spot.fine), max(0.05 * r, spot.fine)
    spot.rest(
        kit,
        kit.pick(*spot.tones, name="turntable rest"),
        rod((0, 0, -low), (0, 0, low), kit.between(0.3, 0.85, name="turntable rod size") * r, sides=28),
    )
    if kit.chance(0.65, name="turntable top"):
        top = [rod((0, 0, 0.98 * low), (0, 0, low + thick), r, sides=36)]
    else:
        top = [plate(rectangle(1.38 * r, 1.38 * r, 0.1 * r), thick, (0, 0, low + 0.5 * thick - 0.02 * low))]
    spot.part(kit, name, top)
    if kit.chance(0.6, name="turntable spin"):
        spot.spin(kit, name, (0, 0, low))
    else:
        spot.hinge(
            kit,
            name,
            (0, 0, low),
            "z",
            -kit.between(45, 170, name="turntable hinge"),
            kit.between(45, 170, name="turntable hinge"),
        )
    return spot.on(name, (0, 0, low + thick), 1.2 * r, 1.2 * r)


SPINNING = (rotor, rotor, wheels, wheels, roller, yoke, yoke)
