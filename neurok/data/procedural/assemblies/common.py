"""What bodies share: proportions, spots on faces, stands, and cutting faces into cells."""

import numpy as np

from neurok.data.procedural.assemblies.spots import Spot, frame_towards
from neurok.data.procedural.fittings import feet, legs
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, direction, paint, translate
from neurok.data.procedural.shapes import block
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

Tones = tuple[Material, ...]

MIN_DETAIL = 0.006  # smallest gap or thickness, as a share of the body's diagonal
SIDES = ("x", "-x", "y", "-y", "z")


def draw_sizes(kit: Kit) -> Array:
    """Any proportions, flat, tall or long, [3] metres."""
    unit = float(np.exp(kit.between(np.log(0.15), np.log(1.0), name="draw sizes unit share")))
    size = unit * np.array(
        [
            kit.between(0.45, 1.4, name="draw sizes size share"),
            kit.between(0.45, 1.2, name="draw sizes size share"),
            kit.between(0.3, 1.6, name="draw sizes size share"),
        ]
    )
    if kit.chance(0.2, name="draw sizes between"):
        size[kit.count(0, 2, name="draw sizes detail")] *= kit.between(0.2, 0.4, name="draw sizes detail")
    return size


def spot_on(
    size: Array, tones: Tones, normal: str | Vector, at: Vector, width: float, height: float, alone: bool = False
) -> Spot:
    fine = MIN_DETAIL * float(np.linalg.norm(size))
    return Spot(
        "body",
        np.asarray(at, dtype=np.float64),
        frame_towards(direction(normal)),
        width,
        height,
        fine,
        tones,
        alone=alone,
    )


def box_faces(
    size: Array, tones: Tones, centre: Vector, sides: tuple[str, ...] = SIDES, alone: bool = True
) -> list[Spot]:
    """Faces of an upright box, a little smaller than they are."""
    faces = []
    for side in sides:
        axes = frame_towards(direction(side))
        w, h = np.abs(axes[:2]) @ size
        at = np.asarray(centre) + 0.5 * direction(side) * size
        faces.append(spot_on(size, tones, side, at, 0.92 * w, 0.92 * h, alone))
    return faces


def stand(kit: Kit, width: float, depth: float, low: float) -> list[Mesh]:
    """Feet, legs, a plinth or nothing under a body whose underside is at a level."""
    style, tall = (
        kit.pick("none", "none", "feet", "plinth", "legs", name="stand style"),
        kit.between(0.05, 0.5, name="stand height share") * min(width, depth),
    )
    if style == "none":
        return []
    if style == "plinth":
        tall = 0.3 * tall
        pieces = [block((0.9 * width, 0.9 * depth, tall), (0, 0, 0.52 * tall), round=0)]
    elif style == "feet":
        tall = 0.3 * tall
        pieces = feet(0.8 * width, 0.8 * depth, 0.06 * min(width, depth), tall)
    else:
        pieces = legs(
            0.85 * width,
            0.85 * depth,
            tall,
            0.05 * min(width, depth),
            style=kit.pick("round", "square", "tapered", "splayed", name="stand pieces"),
        )
    return [translate(m, 0, 0, low - tall) for m in pieces]


def paint_if_any(tone: Material, pieces: list[Mesh]) -> list[Mesh]:
    return [paint(tone, pieces)] if pieces else []


def split_spot(kit: Kit, spot: Spot, count: int, least: float) -> list[Spot]:
    """A rectangle cut into at most so many, in a row or irregularly, no side shorter than `least` [m]."""
    long = max(spot.width, spot.height)
    if kit.chance(0.4, name="split spot detail") and long / count >= least:
        return [_cut(spot, ((i + 0.5) / count - 0.5) * long, long / count) for i in range(count)]
    cells = [spot]
    while len(cells) < count:
        cells.sort(key=lambda cell: -max(cell.width, cell.height))
        side, share = (
            max(cells[0].width, cells[0].height),
            kit.pick(0.5, kit.between(0.35, 0.65, name="split spot share share"), name="split spot share"),
        )
        if min(share, 1 - share) * side < least:
            break
        a, b = share * side, (1 - share) * side
        cells = [*cells[1:], _cut(cells[0], -0.5 * b, a), _cut(cells[0], 0.5 * a, b)]
    return cells


def _cut(spot: Spot, at: float, long: float) -> Spot:
    """A piece of this length of a rectangle, centred at a place along its longer side."""
    if spot.width >= spot.height:
        return spot.part_of(at, 0, long, spot.height)
    return spot.part_of(0, at, spot.width, long)
