"""Camera lenses: a hollow front with its glass, barrels that telescope, and lenses whose rings turn."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, paint, repeat_around
from neurok.data.procedural.shapes import block, hoop, lathe, pipe
from neurok.geometry.mesh import Material, Mesh

GAP = 0.0005  # between what moves and what holds it [m]


def lens_front(at: Vector, r: float, long: float) -> tuple[list[Mesh], list[Mesh]]:
    """A hollow barrel from its front edge at `at` backwards, and the glass in it."""
    x, y, z = at
    dome = np.array([[0.0, -0.12], [0.88, -0.12], [0.88, 0.0], [0.7, 0.12], [0.4, 0.19], [0.0, 0.22]]) * r
    collar = pipe((x, y + 0.0012, z), (x, y + 0.35 * r, z), 0.9 * r, 0.25 * r, sides=28)
    return [pipe((x, y, z), (x, y + long, z), r, max(0.07 * r, 0.001), sides=32), collar], [
        lathe(dome * (0.8, 1), (x, y + 0.3 * r, z), "-y", 28)
    ]


def telescoping_lens(
    kit: Kit, metal: Material, at: Vector, r: float, long: float, stages: int, flange: float | None = None
) -> None:
    """Barrels in each other, from the holder's front edge at `at` backwards; each slides out of the one before."""
    x, y, z = at
    glass, parent = kit.material("glass", name="telescoping lens glass"), "body"
    travel = kit.between(0.6, 0.75, name="telescoping lens travel share") * long
    out = kit.pick(0.0, 0.0, 1.0, name="telescoping lens out") * travel  # rests drawn in, or out
    for i in range(stages):
        wall = max(0.07 * r, 0.001)
        shown = y - out * (i + 1)
        rim = hoop(r - 0.5 * wall, 0.45 * wall, (x, shown, z), "y", segments=32)
        if i + 1 < stages:
            pieces = [paint(metal, pipe((x, shown, z), (x, shown + long, z), r, wall, sides=32), rim, parts=", rim")]
        else:
            drum, lens = lens_front((x, shown, z), r, long)
            ring = [pipe((x, shown, z), (x, shown + 0.0035, z), flange, flange - 0.95 * r, sides=32)] if flange else []
            pieces = [paint(metal, drum, rim, ring, parts="drum, rim, ring"), paint(glass, lens, parts="lens")]
        name = kit.link(f"barrel_{i + 1}", *pieces)
        kit.slide(parent, name, axis="-y", lower=-out, upper=travel - out)
        parent, r = name, r - wall - GAP


def mounted_lens(kit: Kit, at: Vector, r: float, long: float) -> None:
    """A lens on a mount: one or two rings that turn about it and, in a zoom, a barrel that slides out."""
    x, y, z = at
    black, core = kit.material("black", "dark_metal", name="mounted lens black"), 0.88 * r
    zoom = long > 0.04 and kit.chance(0.6, name="own mounted lens zoom")
    rings = 2 if long > 0.055 else 1
    hollow = pipe((x, y, z), (x, y - long, z), core, 0.16 * r, sides=36)
    share = 0.9 / rings
    edges = [(0.06 + share * i, 0.06 + share * (i + 1)) for i in range(rings)]
    collars = [pipe((x, y, z), (x, y - 0.06 * long, z), r, 0.2 * r, sides=36)]
    collars += [pipe((x, y - (b - 0.2 * share) * long, z), (x, y - min(b + 0.04, 1.0) * long, z), r, 0.2 * r, sides=36)
                for _, b in edges]  # fmt: skip
    kit.meshes["body"].append(paint(black, hollow, collars, parts="hollow, collars"))
    rubber = kit.material("rubber", "metal", "dark_metal", name="mounted lens rubber")
    for i, (a, b) in enumerate(edges):
        start, end = y - a * long - GAP, y - (b - 0.2 * share) * long + GAP
        band = pipe((x, start, z), (x, end, z), r, r - core - 0.0003, sides=36)
        rib = block((0.05 * r, 0.8 * (start - end), 0.05 * r), (x, 0.5 * (start + end), z + r), round=0)
        marks = repeat_around(rib, 30, "y", (x, 0, z))
        name = kit.link(("focus_ring", "zoom_ring")[i], paint(rubber, band, marks, parts="band, marks"))
        if kit.chance(0.5, name="mounted lens body"):
            kit.spin("body", name, at=(x, y, z), axis="y")
        else:
            kit.hinge(
                "body",
                name,
                at=(x, y, z),
                axis="y",
                lower=-kit.between(40, 90, name="mounted lens body goes back to"),
                upper=kit.between(40, 90, name="mounted lens body opens to"),
            )
    if zoom:
        drum, glass = lens_front((x, y - long - 0.002, z), core - 0.16 * r - GAP, 0.85 * long)
        kit.link(
            "lens_barrel",
            paint(black, drum, parts="drum"),
            paint(kit.material("glass", name="mounted lens glass"), glass, parts="glass"),
        )
        kit.slide(
            "body",
            "lens_barrel",
            axis="-y",
            upper=kit.between(0.35, 0.65, name="mounted lens lens barrel opens to") * long,
        )
    else:
        drum, glass = lens_front((x, y - long, z), 0.8 * r, 0.5 * long)
        kit.meshes["body"] += [
            paint(black, drum, parts="drum"),
            paint(kit.material("glass", name="mounted lens glass"), glass, parts="glass"),
        ]
