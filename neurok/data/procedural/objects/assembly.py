"""No particular thing: a body of some kind with moving parts mounted on it as things are built, and parts that rest."""

from typing import Any

import numpy as np

from neurok.data.procedural.assemblies.boxy import BOXY
from neurok.data.procedural.assemblies.common import MIN_DETAIL, split_spot
from neurok.data.procedural.assemblies.opening import HOLLOW, OPENING
from neurok.data.procedural.assemblies.ornaments import decorate
from neurok.data.procedural.assemblies.rounded import ROUND
from neurok.data.procedural.assemblies.sliding import SLIDING, arm
from neurok.data.procedural.assemblies.spinning import SPINNING, turntable
from neurok.data.procedural.assemblies.spots import Spot
from neurok.data.procedural.assemblies.turning import TURNING
from neurok.data.procedural.kit import Kit
from neurok.geometry.mesh import Material

BODIES = BOXY + ROUND
MIN_SPOT_SIDE = 0.11  # shortest side of a spot, as a share of the body's diagonal
FAMILIES = ("paint", "plastic", "white", "black", "metal", "dark_metal", "wood", "red", "yellow", "ocean", "brass")


def draw(kit: Kit) -> None:
    faces = kit.pick(*BODIES, name="faces")(kit, _tones(kit))
    hollows = [face for face in faces if face.room > 0]
    cells = [cell for face in faces if face.room == 0 for cell in _cells(kit, face)]
    cells.sort(key=lambda cell: kit.between(0, 1, name="sort key") / cell.least)  # large ones are taken more often
    spots = hollows + cells or faces[:1]
    moving = kit.pick(1, 2, 2, 3, 3, 4, 5, name="moving")
    repeats, seen = kit.chance(0.5, name="repeats"), dict[tuple[float, ...], Any]()
    for i, spot in enumerate(spots[:moving]):
        size = tuple(np.round((spot.width, spot.height, spot.room), 6))
        now = kit.rng.bit_generator.state
        if repeats and size in seen:  # the same chance again: equal places hold equal parts, as rows and sides do
            kit.rng.bit_generator.state = seen[size]
            _mount(kit, spot, i + 1)
            kit.rng.bit_generator.state = now
        else:
            seen[size] = now
            _mount(kit, spot, i + 1)
    for spot in spots[moving : moving + kit.count(0, 4, name="detail")]:
        if spot.room == 0:
            decorate(kit, spot)


def _tones(kit: Kit) -> tuple[Material, ...]:
    """A few colours for the whole object, or one."""
    if kit.chance(0.12, name="tones detail"):
        return (kit.material(*FAMILIES, name="tones detail"),) * 3
    return tuple(kit.material(*FAMILIES, name="tones detail") for _ in range(kit.count(3, 4, name="tones detail")))


def _cells(kit: Kit, face: Spot) -> list[Spot]:
    """The face as a whole, or cut into up to four with a little room between them; none where it is too small."""
    least = MIN_SPOT_SIDE / MIN_DETAIL * face.fine
    if face.least < least:
        return []
    cells = split_spot(kit, face, kit.pick(1, 1, 1, 2, 3, 4, name="cells"), 1.3 * least)
    if len(cells) == 1:
        return cells
    return [cell.part_of(0, 0, cell.width - 2 * face.fine, cell.height - 2 * face.fine) for cell in cells]


def _mount(kit: Kit, spot: Spot, number: int) -> None:
    if spot.room > 0:
        mount = kit.pick(*HOLLOW, name="mount")
    elif kit.chance(0.07, name="mount stand on"):
        _stand_on(kit, turntable(kit, spot, f"turntable_{number}"), number)
        return
    else:
        kinds = (OPENING, SLIDING, TURNING, SPINNING)
        mount = kit.pick(*kit.pick(*kinds, (arm,) if spot.alone else SLIDING, name="mount"), name="mount")
    mount(kit, spot, f"{mount.__name__}_{number}")


def _stand_on(kit: Kit, spot: Spot, number: int) -> None:
    """What stands on a turntable: something that moves in its turn, or something fixed."""
    if kit.chance(0.5, name="stand on decorate"):
        decorate(kit, spot)
        return
    mount = kit.pick(*SLIDING, *TURNING, *SPINNING, name="stand on mount")
    mount(kit, spot, f"{mount.__name__}_{number}")
