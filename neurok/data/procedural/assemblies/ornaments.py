"""Ornaments: things fixed to a `Spot` that look much like mounts but rest."""

import numpy as np

from neurok.data.procedural.assemblies.spots import Spot
from neurok.data.procedural.fittings import bar_handle, screw_head
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import rotate, translate
from neurok.data.procedural.shapes import ball, block, fillet, frame, hoop, plate, rectangle, rod, tray, tube
from neurok.geometry.mesh import Mesh


def panel(kit: Kit, spot: Spot) -> list[Mesh]:
    """A plate screwed to the face, plain or with a border."""
    w, h, e = 0.9 * spot.width, 0.9 * spot.height, spot.fine
    thick = max(kit.between(0.03, 0.08, name="panel thickness share") * spot.least, e)
    pieces = [
        plate(
            rectangle(w, h, kit.between(0.0, 0.2, name="panel pieces share") * spot.least), thick, (0, 0, 0.4 * thick)
        )
    ]
    if kit.chance(0.5, name="panel bolt"):
        bolt = 0.05 * spot.least
        pieces += [
            screw_head((s * (0.5 * w - 2 * bolt), t * (0.5 * h - 2 * bolt), 0.9 * thick), "z", bolt)
            for s in (-1, 1)
            for t in (-1, 1)
        ]
    else:
        border = rotate(frame(w, h, 0.1 * spot.least, 2 * thick), "x", 90)
        pieces.append(translate(border, z=0.9 * thick))
    return pieces


def ribs(kit: Kit, spot: Spot) -> list[Mesh]:
    """Parallel bars: the slats of a vent, low ribs or tall cooling fins."""
    count, w, h = kit.count(3, 8, name="ribs"), 0.85 * spot.width, 0.85 * spot.height
    pitch, tall = h / count, kit.pick(0.08, 0.2, 0.6, name="ribs height") * spot.least
    broad = kit.between(0.3, 0.6, name="ribs breadth share") * pitch
    return [
        block((w, broad, tall), (0, (i - 0.5 * (count - 1)) * pitch, 0.48 * tall), round=0.1 * broad, cells=1)
        for i in range(count)
    ]


def conduit(kit: Kit, spot: Spot) -> list[Mesh]:
    """A bent pipe from one place of the face to another."""
    r = kit.between(0.06, 0.12, name="conduit r share") * spot.least
    w, h, z = 0.4 * spot.width, 0.4 * spot.height, kit.between(0.2, 0.6, name="conduit z share") * spot.least
    path = fillet(np.array([(-w, -h, -r), (-w, -h, z), (w, h, z), (w, h, -r)]), 0.2 * spot.least)
    collars = [rod((s * w, s * h, -0.2 * r), (s * w, s * h, 0.8 * r), 1.7 * r) for s in (-1, 1)]
    return [tube(path, r, sides=12), *collars]


def rail(kit: Kit, spot: Spot) -> list[Mesh]:
    """A grab rail that does not fold."""
    a = np.array([0.42 * spot.width, 0, 0]) if spot.width > spot.height else np.array([0, 0.42 * spot.height, 0])
    size = kit.between(0.15, 0.35, name="rail size share") * spot.least
    return bar_handle(
        -a,
        a,
        "z",
        height=size,
        radius=kit.between(0.15, 0.25, name="rail bar handle radius") * size,
        square=kit.chance(0.5, name="rail bar handle square"),
    )


def dome(kit: Kit, spot: Spot) -> list[Mesh]:
    """A lens, a lamp or a cover: half a ball in a ring."""
    r = kit.between(0.3, 0.46, name="dome r share") * spot.least
    return [
        ball((0.9 * r, 0.9 * r, kit.between(0.3, 0.9, name="dome ball size") * r), (0, 0, 0), 22),
        hoop(0.92 * r, 0.08 * r, (0, 0, 0)),
    ]


def housing(kit: Kit, spot: Spot) -> list[Mesh]:
    """A box on the face."""
    size = (
        kit.between(0.5, 0.9, name="housing size share") * spot.width,
        kit.between(0.5, 0.9, name="housing size share") * spot.height,
        kit.between(0.2, 0.8, name="housing size share") * spot.least,
    )
    return [block(size, (0, 0, 0.48 * size[2]), round=kit.pick(0.02, 0.15, name="housing block rounding") * spot.least)]


def mast(kit: Kit, spot: Spot) -> list[Mesh]:
    """A post or an antenna on a foot."""
    r, tall = (
        kit.between(0.04, 0.12, name="mast r share") * spot.least,
        kit.between(0.6, 1.6, name="mast height share") * spot.least,
    )
    return [
        rod((0, 0, -r), (0, 0, tall), r, end_radius=kit.between(0.5, 1.0, name="mast rod end radius") * r),
        rod((0, 0, -0.5 * r), (0, 0, r), 2.5 * r, sides=24),
    ]


def basin(kit: Kit, spot: Spot) -> list[Mesh]:
    """An open tray fixed to the face."""
    return [
        tray(
            (0.85 * spot.width, 0.85 * spot.height, kit.between(0.2, 0.6, name="basin tray size") * spot.least),
            0.07 * spot.least,
            (0, 0, -0.02 * spot.least),
        )
    ]


def ring(kit: Kit, spot: Spot) -> list[Mesh]:
    """A flange of two steps with bolts around it."""
    r, t = kit.between(0.3, 0.46, name="ring r share") * spot.least, 0.08 * spot.least
    turn = 2 * np.pi * np.arange(6) / 6
    bolts = [screw_head((0.82 * r * np.cos(a), 0.82 * r * np.sin(a), t), "z", 0.09 * r) for a in turn]
    return [
        rod((0, 0, -0.2 * t), (0, 0, t), r, sides=28),
        rod((0, 0, 0), (0, 0, kit.between(2, 6, name="ring rod size") * t), 0.62 * r, sides=24),
        *bolts,
    ]


def lettering(kit: Kit, spot: Spot) -> list[Mesh]:
    """A line of raised strokes."""
    count, tall = kit.count(3, 7, name="lettering"), 0.3 * spot.height
    pitch, z = 0.8 * spot.width / count, max(0.03 * spot.least, 0.5 * spot.fine)
    return [
        block(
            (kit.between(0.3, 0.8, name="lettering block size") * pitch, tall, 2 * z),
            ((i - 0.5 * (count - 1)) * pitch, 0, 0.5 * z),
            round=0,
        )
        for i in range(count)
    ]


ORNAMENTS = (panel, panel, ribs, ribs, conduit, rail, dome, housing, mast, basin, ring, lettering)


def decorate(kit: Kit, spot: Spot) -> None:
    """An ornament of some kind, turned some way."""
    spot = spot.turn_quarters(kit.count(0, 3, name="decorate spot"))
    spot.rest(kit, kit.pick(*spot.tones, name="decorate rest"), kit.pick(*ORNAMENTS, name="decorate pick")(kit, spot))
