"""What flushes a toilet: a tank with a lever or buttons, a plate in the wall, a chain from a cistern high above."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, align, paint
from neurok.data.procedural.shapes import (
    ball,
    block,
    circle,
    fillet,
    lathe,
    pipe,
    plate,
    rectangle,
    rod,
    stack_outlines,
    tray,
    tube,
)
from neurok.geometry.mesh import Material


def tank(
    kit: Kit, kind: str, rim: float, width: float, wall: float, deep: float, white: Material, steel: Material
) -> None:
    """A tank behind the bowl, its lid fast or to be lifted off, with a lever in front or at the side or buttons."""
    wide = (
        kit.between(0.36, 0.46, name="tank width")
        if kind == "close"
        else width * kit.between(0.98, 1.1, name="tank width share")
    )
    tall = kit.between(0.3, 0.4, name="tank height") if kind == "close" else kit.between(0.22, 0.36, name="tank height")
    y, base, arc = wall + deep / 2, rim - 0.02, kit.between(0.01, 0.05, name="tank arc")
    top, cap = base + tall, kit.between(0.022, 0.04, name="tank cap")
    over, sides = kit.between(0.004, 0.012, name="tank over"), 0.014
    tiers = ((0.003, top + 0.004), (0, top + 0.008), (0, top + cap - 0.006), (0.006, top + cap))
    lid = stack_outlines(
        [(rectangle(wide + 2 * (over - i), deep + 2 * (over - i), arc + over - i) + (0, y), z) for i, z in tiers]
    )
    loose = kit.chance(0.4, name="tank loose")
    if loose:
        plug, play = kit.between(0.05, 0.08, name="tank plug"), 0.004
        body = tray((wide, deep, tall), sides, (0, y, base), round=arc)
        lip = block(
            (wide - 2 * sides - 2 * play, deep - 2 * sides - 2 * play, plug),
            (0, y, top + 0.006 - plug / 2),
            round=0.012,
        )
        kit.link("lid", paint(white, lid, lip, parts="lid, lip"))
        kit.slide("bowl", "lid", axis="z", upper=0.75 * plug)
    else:
        taper = kit.between(0.86, 1.0, name="tank taper")
        steps = ((taper - 0.04, base), (taper, base + 0.02), (1.0, top + 0.005))
        body = stack_outlines([(rectangle(k * wide, k * deep, arc) + (0, y + (1 - k) * deep / 2), z) for k, z in steps])
        kit.meshes["bowl"].append(paint(white, lid, parts="lid"))
    kit.meshes["bowl"].append(paint(white, body, parts="body"))
    if kind == "close" and kit.chance(0.5, name="tank the water comes"):  # the water comes in at the left
        x = -0.42 * wide
        path = fillet(np.array([(x, y, base + 0.03), (x, y, 0.2), (x, y + 0.4 * deep, 0.16)]), 0.04)
        kit.meshes["bowl"].append(paint(steel, tube(path, 0.008), ball(0.02, path[-1], segments=12)))
    flush = (
        kit.pick("front", "front", "side", "button", "halves", name="tank flush")
        if kind == "close"
        else kit.pick("button", "halves", name="tank flush")
    )
    if flush in ("button", "halves"):
        _buttons(kit, "lid" if loose else "bowl", (0, y, top + cap), "z", steel, halves=flush == "halves")
        return
    boss = np.array([-0.36 * wide, wall, top - 0.05])
    out, way = np.array([0.0, -1, 0]), np.array([1.0, 0, -0.08])
    if flush == "side":
        boss, out, way = (
            np.array([-wide / 2, y - 0.1 * deep, top - 0.05]),
            np.array([-1.0, 0, 0]),
            np.array([0, -1.0, -0.08]),
        )
    kit.meshes["bowl"].append(paint(steel, rod(boss - 0.02 * out, boss + 0.008 * out, 0.017)))
    hub = rod(boss + 0.004 * out, boss + 0.022 * out, 0.011)
    reach = kit.between(0.07, 0.1, name="tank reach")
    arm = tube(
        np.stack([boss + 0.016 * out, boss + 0.016 * out + 0.5 * reach * way, boss + 0.018 * out + reach * way]),
        np.array([0.006, 0.006, 0.009]),
    )
    kit.link("lever", paint(steel, hub, arm, parts="hub, arm"))
    kit.hinge(
        "bowl",
        "lever",
        at=boss,
        axis=np.cross(way * (1, 1, 0), (0, 0, -1)),
        lower=0,
        upper=kit.between(20, 35, name="tank lever opens to"),
    )


def _buttons(
    kit: Kit, parent: str, at: Vector, axis: str, steel: Material, *, halves: bool, radius: float = 0.026
) -> None:
    """One round button or two halves, in a ring that stands on a surface and into which they are pressed."""
    travel, gap = 0.006, 0.0035
    ring = pipe((0, 0, -0.004), (0, 0, 0.012), radius + 0.008, 0.008 - 0.001)
    kit.meshes[parent].append(paint(steel, align(ring, axis, at), parts="ring"))
    color = kit.material("white", "metal", name="buttons colour")
    if not halves:
        profile = fillet(
            np.array([[0, travel + 0.001], [1, travel + 0.001], [1, 0.012], [0.7, 0.015], [0, 0.016]])
            * (radius - 0.002, 1),
            0.001,
        )
        kit.link("button", paint(color, align(lathe(profile), axis, at)))
        kit.slide(parent, "button", axis="-z" if axis == "z" else "y", upper=travel)
        return
    cut = kit.between(-0.25, 0.25, name="buttons cut share") * radius
    points = circle(radius - 0.002, 48)
    for name, side in (("full_flush", 1), ("half_flush", -1)):
        outline = points[side * (points[:, 0] - cut) > gap / 2]
        outline = np.roll(
            outline, -int(np.argmax(np.linalg.norm(np.diff(outline, axis=0, append=outline[:1]), axis=1))) - 1, axis=0
        )
        mesh = plate(outline, 0.009, (0, 0, travel + 0.0055))
        kit.link(name, paint(color, align(mesh, axis, at)))
        kit.slide(parent, name, axis="-z" if axis == "z" else "y", upper=travel)


def flush_plate(kit: Kit, rim: float, wall: float, white: Material, steel: Material) -> None:
    """A panel of wall that the bowl hangs on, with a plate of two buttons above."""
    wide, tall, thick = (
        kit.between(0.45, 0.6, name="flush plate width"),
        rim + kit.between(0.5, 0.75, name="flush plate height share"),
        kit.between(0.05, 0.12, name="flush plate thickness"),
    )
    panel = block((wide, thick, tall), (0, wall + thick / 2, tall / 2), round=0.006)
    kit.meshes["bowl"].append(
        paint(kit.material("white", "wood", "paint", "dark_metal", name="flush plate panel"), panel, parts="panel")
    )
    at = (0.0, wall, rim + kit.between(0.3, 0.4, name="flush plate at share"))
    if kit.chance(0.5, name="flush plate block"):
        kit.meshes["bowl"].append(paint(steel, block((0.2, 0.016, 0.15), at, round=0.006)))
        _buttons(
            kit,
            "bowl",
            (0, wall - 0.006, at[2]),
            "-y",
            steel,
            halves=kit.chance(0.7, name="flush plate y halves"),
            radius=0.045,
        )
        return
    # Two upright keys in a frame.
    w, h, travel, gap = 0.22, 0.14, 0.007, 0.005
    bezel = tray((w, h, 0.022), 0.012, (0, wall + 0.004, at[2]), "-y", round=0.008)
    kit.meshes["bowl"].append(paint(steel, bezel, parts="bezel"))
    split = kit.between(0.35, 0.5, name="flush plate split")
    inner = w - 0.024 - 2 * gap
    x = -inner / 2
    for name, share in (("half_flush", split), ("full_flush", 1 - split)):
        wide_key = share * (inner - gap)
        key = block((wide_key, 0.008, h - 0.024 - 2 * gap), (x + wide_key / 2, wall - 0.02, at[2]), round=0.002)
        kit.link(name, paint(steel if kit.chance(0.5, name="flush plate key") else white, key, parts="key"))
        kit.slide("bowl", name, axis="y", upper=0.8 * travel)
        x += wide_key + gap


def high_tank(kit: Kit, rim: float, wall: float, white: Material, steel: Material) -> None:
    """An old cistern high above, with its pipe, and a handle on a chain that is pulled down."""
    top, wide, tall, deep = (
        kit.between(1.5, 1.8, name="height tank top"),
        kit.between(0.42, 0.52, name="height tank width"),
        kit.between(0.22, 0.3, name="height tank height"),
        0.2,
    )
    y = wall + 0.03
    box = block((wide, deep, tall), (0, y, top), round=0.02)
    lid = block((wide + 0.03, deep + 0.03, 0.03), (0, y, top + tall / 2 + 0.01), round=0.008)
    color = (
        white
        if kit.chance(0.5, name="own height tank colour")
        else kit.material("wood", "paint", name="height tank colour")
    )
    kit.meshes["bowl"].append(paint(color, box, lid, parts="box, lid"))
    drop = rod((0, y, rim - 0.05), (0, y, top - tall / 2 + 0.02), 0.02)
    collars = [rod((0, y, z), (0, y, z + 0.04), 0.03) for z in (rim, top - tall / 2 - 0.03)]
    x, pull = wide / 2 + 0.06, kit.between(0.06, 0.12, name="height tank pull")
    beam = block((0.16, 0.02, 0.02), (wide / 2 + 0.01, y, top), round=0.004)
    guide = pipe((x, y, top - 0.03), (x, y, top + 0.03), 0.024, 0.01)
    kit.meshes["bowl"].append(paint(steel, drop, collars, beam, guide, parts="drop, collars, beam, guide"))
    low = kit.between(0.95, 1.1, name="height tank lower edge")
    chain = rod((x, y, low + 0.05), (x, y, top + 0.03 + pull), 0.008, sides=10)
    beads = [ball(0.0115, (x, y, z), segments=8) for z in np.arange(low + 0.15, top - 0.06, 0.05)]
    grip = lathe(
        fillet(np.array([[0, 0], [0.02, 0.01], [0.014, 0.05], [0.018, 0.09], [0, 0.1]]), 0.008), (x, y, low - 0.04)
    )
    kit.link(
        "chain",
        paint(steel, chain, beads, parts="chain, beads"),
        paint(kit.material("wood", "white", name="height tank grip"), grip, parts="handle"),
    )
    kit.slide("bowl", "chain", axis="-z", upper=pull)
