"""A globe of the earth that spins about its tilted axis in an arm on a foot."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, rotate, translate
from neurok.data.procedural.shapes import ball, fillet, hoop, lathe, rod, tube
from neurok.geometry.mesh import Mesh

# The continents as round spots: latitude, longitude and radius in degrees.
LANDS = np.array([
    (12, 0, 14), (22, 12, 15), (18, 28, 14), (5, 25, 14), (-10, 23, 12), (-22, 24, 10), (8, 40, 9),  # Africa
    (47, 8, 9), (52, 25, 11), (40, -4, 6), (63, 18, 8), (58, 45, 14),  # Europe
    (60, 70, 16), (62, 95, 17), (63, 125, 15), (65, 155, 9), (45, 75, 14), (38, 100, 14), (32, 112, 11), (22, 78, 10),
    (25, 47, 10), (35, 60, 11), (15, 102, 8), (-2, 113, 6), (38, 138, 4),  # Asia
    (-24, 124, 10), (-25, 138, 11), (-7, 143, 5), (-42, 172, 4),  # Australia
    (62, -110, 15), (52, -90, 15), (40, -100, 14), (38, -84, 9), (62, -145, 10), (24, -103, 8), (13, -86, 4),
    (72, -42, 12), (-3, -62, 14), (-12, -50, 13), (-25, -60, 10), (-38, -67, 7), (-50, -71, 4),  # America
    (-84, 0, 16), (-78, 90, 12), (-80, -120, 12),  # Antarctica
])  # fmt: skip


def draw(kit: Kit) -> None:
    radius = kit.between(0.11, 0.18, name="radius")
    tilt = kit.between(15, 28, name="tilt")
    cradle = kit.chance(0.3, name="cradle")
    metal = kit.material("brass", "metal", "dark_metal", "wood", name="metal")
    band, arm = 0.045 * radius, radius * kit.between(1.1, 1.16, name="arm share")
    rise = kit.between(0.25, 0.9, name="rise share") * radius
    z = arm + band + rise
    centre = np.array([0.0, 0.0, z])
    axis = np.array([np.sin(np.radians(tilt)), 0.0, np.cos(np.radians(tilt))])
    foot = _cradle(kit, z, arm + 4 * band, band) if cradle else _foot(kit, radius, z - arm)

    # Half a ring from pole to pole, or a whole one; a pin at either pole carries the ball.
    whole = cradle or kit.chance(0.25, name="whole meridian")
    sweep = np.radians(np.linspace(0, 360, 49)[:-1] if whole else np.linspace(0, 180, 33))
    turn = np.radians(90 - tilt) - sweep  # from the north pole by the side it leans to
    arc = arm * np.stack([np.cos(turn), 0 * turn, np.sin(turn)], axis=1)
    ring = tube(arc + centre, band, closed=whole)
    pins = [rod(centre + s * 0.97 * radius * axis, centre + s * (arm + 2.2 * band) * axis, 0.6 * band) for s in (-1, 1)]
    caps = [ball(1.3 * band, centre + s * (arm + 1.6 * band) * axis, 12) for s in (-1, 1)]
    meridian = [paint(metal, ring, pins, caps, parts="ring, pins, caps")]
    if not cradle and kit.chance(0.45, name="turning foot"):
        kit.link("foot", *foot)
        kit.link("arm", *meridian, paint(metal, rod((0, 0, z - arm - 0.5 * rise), (0, 0, z - arm), 1.2 * band)))
        kit.spin("foot", "arm", at=(0, 0, 0), axis="z")
        holder = "arm"
    else:
        kit.link("foot", *foot, *meridian)
        holder = "foot"
    sea, land = _earth(kit, radius)
    leaning = [translate(rotate(m, "y", tilt), *centre) for m in (sea, land)]
    kit.link("ball", *leaning)
    kit.spin(holder, "ball", at=centre, axis=axis)


def _earth(kit: Kit, radius: float) -> tuple[Mesh, Mesh]:
    """The sea, and the lands that stand out of it; Europe faces the front by chance."""
    antique = kit.chance(0.3, name="antique")
    sea = paint(
        kit.material("paper", "cardboard", name="earth sea") if antique else kit.material("ocean", name="earth sea"),
        ball(radius, segments=36),
    )
    lands = ball(1.0, segments=84)
    lat, lon, size = np.radians(LANDS).T
    spots = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
    off = np.arccos(np.clip(lands.vertices @ spots.T, -1, 1)) / size
    height = np.clip(3.0 * (1.0 - off.min(axis=1)), -1.0, 0.35)  # steep at the coast, flat inland
    lands = lands.with_vertices(lands.vertices * (radius * (1.0 + 0.022 * height))[:, None])
    color = (
        kit.material("wood", "leather", "clay", name="earth colour")
        if antique
        else kit.material("leaf", "leaf", "brass", name="earth colour")
    )
    turn = kit.between(0, 360, name="earth turn")
    return rotate(sea, "z", turn), rotate(paint(color, lands, parts="lands"), "z", turn)


def _foot(kit: Kit, radius: float, top: float) -> list[Mesh]:
    """A turned foot with a stem up to the arm."""
    wide = kit.between(0.55, 0.85, name="foot width share") * radius
    stem = kit.between(0.06, 0.11, name="foot stem share") * radius
    edge = kit.between(0.06, 0.14, name="foot edge share") * radius
    waist = np.array(
        [
            [0, 0],
            [wide, 0],
            [wide, edge],
            [0.55 * wide, 1.5 * edge],
            [1.3 * stem, 0.45 * top + edge],
            [2.0 * stem, 0.65 * top + 0.5 * edge],
            [stem, 0.8 * top],
            [stem, top + 0.02 * radius],
            [0, top + 0.02 * radius],
        ]
    )
    return [
        paint(
            kit.material("wood", "black", "metal", "brass", "plastic", name="foot lathe"),
            lathe(fillet(waist, 0.6 * edge)),
        )
    ]


def _cradle(kit: Kit, z: float, reach: float, band: float) -> list[Mesh]:
    """A horizon ring on three or four legs."""
    count = kit.count(3, 4, name="cradle legs")
    flat = np.array(
        [
            [reach - band, -0.6 * band],
            [reach + 3 * band, -0.6 * band],
            [reach + 3 * band, 0.6 * band],
            [reach - band, 0.6 * band],
        ]
    )
    horizon = lathe(fillet(flat, 0.2 * band, closed=True), (0, 0, z), segments=48, ring=True)
    leg = rod((0.8 * reach, 0, 0), (reach + band, 0, z), 1.2 * band, end_radius=1.5 * band)
    legs = [rotate(leg, "z", 45 + 360 * i / count) for i in range(count)]
    stretcher = [rod((0, 0, 0.35 * (z - reach)), (0.82 * reach, 0, 0.35 * (z - reach)), 0.9 * band)]
    stretchers = [rotate(m, "z", 45 + 360 * i / count) for i in range(count) for m in stretcher]
    post = rod((0, 0, 0.2 * (z - reach)), (0, 0, z - reach + 3.5 * band), 1.4 * band)
    lugs = [rod((s * (reach - 4.5 * band), 0, z), (s * (reach + band), 0, z), 0.7 * band) for s in (-1, 1)]
    return [
        paint(
            kit.material("wood", name="cradle horizon"),
            horizon,
            legs,
            stretchers,
            post,
            parts="horizon, legs, stretchers, post",
        ),
        paint(
            kit.material("brass", name="cradle hoop"),
            hoop(reach, 0.5 * band, (0, 0, z + 0.5 * band), segments=48),
            lugs,
            parts=", lugs",
        ),
    ]
