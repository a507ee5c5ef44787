"""An umbrella that folds: ribs, panels and stretchers linked so that one joint moves them all.

A stretcher is as long as the piece of rib above it, so the three corners rib pivot, rib middle and runner form an
isosceles triangle: the stretcher turns back by twice the rib's angle, and the runner's slide along the shaft is exact.
The panels twist about their ribs while they fold, as cloth wraps, and so never meet.
"""

import numpy as np

from neurok.data.procedural.fittings import barrel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, rotate
from neurok.data.procedural.shapes import curve, fillet, lathe, pipe, ribbon, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def draw(kit: Kit) -> None:
    count, radius = kit.count(6, 9, name="ribs"), kit.between(0.42, 0.55, name="radius")
    crown = kit.between(0.75, 0.95, name="crown")  # height of the ribs' pivots [m]
    notch, wire = 0.022, 0.005
    droop = np.radians(kit.between(13, 20, name="droop share"))  # of the rib's middle below the pivot at rest
    _shaft(kit, crown, notch)
    metal, shades = (
        kit.material("metal", "dark_metal", name="metal"),
        [kit.material("fabric", "plastic", name="shades")],
    )
    shades.append(kit.material("fabric", "white", name="detail") if kit.chance(0.4, name="second shade") else shades[0])
    middle = 0.5 * radius
    t = np.linspace(0.0, 1.0, 12)
    chord = np.stack([t * np.cos(droop), 0 * t, -t * np.sin(droop)], axis=1) * radius
    bulge = kit.between(0.05, 0.09, name="bulge share") * radius
    rib = chord + bulge * (4 * t * (1 - t))[:, None] * (np.sin(droop), 0.0, np.cos(droop)) + (notch, 0, crown)
    elbow = np.array([notch + middle * np.cos(droop), 0.0, crown - middle * np.sin(droop)])
    foot = np.array([notch, 0.0, crown - 2 * middle * np.sin(droop)])
    panel = _panel(rib, count, wire)
    drop = rod(elbow, np.array([elbow[0], 0, np.interp(elbow[0], rib[:, 0], rib[:, 2])]), 0.8 * wire, sides=8)
    for i in range(count):
        turn = 360.0 * i / count
        out = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn)), 0.0])
        across = np.cross((0.0, 0.0, 1.0), out)

        def around(mesh: Mesh, turn: float = turn) -> Mesh:
            return rotate(mesh, "z", turn)

        name, cover, strut = (f"{part}_{i + 1}" for part in ("rib", "panel", "stretcher"))
        knuckle = [barrel((notch, 0, crown), "y", 0.008, 0.006), barrel(elbow, "y", 0.012, 0.006)]
        kit.link(name, paint(metal, [around(p) for p in (tube(rib, wire, sides=8), drop, *knuckle)]))
        kit.link(cover, paint(shades[i % 2 if count % 2 == 0 else 0], around(panel)))
        kit.link(strut, paint(metal, around(rod(elbow, foot, 0.8 * wire, sides=8))))
        pivot = (0, 0, crown) + notch * out
        kit.hinge(
            "shaft",
            name,
            at=pivot,
            axis=across,
            lower=0,
            upper=kit.between(30, 38, name="shaft opens to") if i == 0 else 38,
        )
        tip = around_point(rib[-1], turn)
        kit.hinge(name, cover, at=pivot, axis=tip - pivot, lower=0, upper=40)
        kit.hinge(name, strut, at=around_point(elbow, turn), axis=across, lower=-90, upper=0)
        kit.follow(cover, "rib_1", 0.75)
        kit.follow(strut, "rib_1", -2.0)
        if i:
            kit.follow(name, "rib_1")
            kit.allow_contact("runner", strut)
    runner = pipe((0, 0, foot[2] - 0.04), (0, 0, foot[2] + 0.012), notch + 0.004, notch - 0.006)
    kit.link("runner", paint(kit.material("black", "white", name="runner"), runner, parts="runner"))
    kit.hinge("stretcher_1", "runner", at=foot, axis="y", lower=0, upper=45)
    kit.follow("runner", "rib_1")
    kit.allow_contact("runner", "shaft")


def around_point(point: Array, degrees: float) -> Array:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1], point[2]])


def _panel(rib: Array, count: int, wire: float) -> Mesh:
    """A gore of cloth over a rib, a little lifted on one side so that it overlaps its neighbour."""
    path = curve(rib, 14)[1:] + (0, 0, wire)
    widths = 2 * path[:, 0] * np.tan(np.pi / count) * 1.02
    flat = ribbon(path, widths, 0.005, "y", sides=12)
    tip = path[-1] - path[0]
    return rotate(flat, tip, 3.0, about=path[0])


def _shaft(kit: Kit, crown: float, notch: float) -> None:
    metal, grip = (
        kit.material("metal", "dark_metal", "wood", name="shaft metal"),
        kit.material("wood", "black", "plastic", name="shaft grip"),
    )
    bend = kit.between(0.035, 0.05, name="shaft bend")
    angle = np.linspace(0, np.pi, 12)
    hook = np.stack([bend * (np.cos(angle) - 1), 0 * angle, 0.012 + bend - bend * np.sin(angle)], axis=1)
    path = np.concatenate([[[0, 0, 0.2]], hook])
    handle = [tube(path, 0.012, sides=12)]
    if kit.chance(0.4, name="straight handle"):
        profile = np.array([[0.014, 0.0], [0.02, 0.03], [0.014, 0.08], [0.017, 0.13], [0.012, 0.17]])
        handle = [lathe(fillet(profile, 0.02), segments=24)]
    pole = rod((0, 0, 0.1), (0, 0, crown + 0.1), 0.0055, sides=14)
    ring = lathe(
        fillet(np.array([[0, -0.008], [notch - 0.001, -0.008], [notch - 0.001, 0.008], [0, 0.012]]), 0.003),
        (0, 0, crown),
    )
    cap = lathe(
        np.array([[0, 0.045], [0.004, 0.045], [0.01, 0.03], [0.03, 0.022], [0.03, 0.019], [0, 0.028]]),
        (0, 0, crown + 0.015),
    )
    tip = rod((0, 0, crown + 0.04), (0, 0, crown + 0.12), 0.007, end_radius=0.004, sides=12)
    kit.link(
        "shaft", paint(metal, pole, ring, tip, parts="pole, ring, tip"), paint(grip, handle, cap, parts="handle, cap")
    )
