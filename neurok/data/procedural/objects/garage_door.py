"""A garage with its door: one that swings up, one that lifts in sections, or two leaves."""

import numpy as np

from neurok.data.procedural.fittings import bar_handle, barrel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import block, frame, plate
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    width, height = kit.between(2.3, 4.2, name="width"), kit.between(2.0, 2.4, name="height")
    depth, wall = kit.between(2.0, 3.5, name="depth"), kit.between(0.18, 0.3, name="wall")
    style = kit.pick("swing_up", "sections", "leaves", name="style")
    rows = kit.count(3, 5, name="sections")
    lintel = 0.35 if style != "sections" else height / rows + 0.05  # hides the lifted sections
    y = -depth / 2
    _garage(kit, width, height, depth, wall, lintel)
    skin, trim = (
        kit.material("white", "paint", "wood", "metal", name="skin"),
        kit.material("white", "dark_metal", "metal", name="trim"),
    )
    columns, panes = max(2, round(width / kit.between(0.55, 0.8, name="columns share"))), kit.chance(0.6, name="panes")
    thick = 0.06
    if style == "sections":
        _sections(kit, width, height, y + wall, rows, columns, panes, skin)
        return
    glass = kit.material("glass", name="glass")
    if style == "swing_up":
        pieces = _panels(
            width - 0.06, height - 0.05, (0, y - 0.03, height / 2), thick, rows, columns, panes, skin, glass
        )
        ends = (-0.12, y - 0.03 - thick / 2, 0.3 * height), (0.12, y - 0.03 - thick / 2, 0.3 * height)
        grip = bar_handle(*ends, "-y", height=0.08, radius=0.02)
        kit.link("door", *pieces, paint(trim, grip, parts="handle"))
        at = (0, y - 0.06, height - 0.025)
        for s in (-1, 1):
            kit.meshes["garage"].append(paint(trim, barrel((s * 0.38 * width, *at[1:]), "x", 0.3, 0.035)))
        kit.hinge("garage", "door", at=at, axis="-x", lower=0, upper=kit.between(75, 95, name="door opens to"))
        return
    for side, name in ((-1, "left_leaf"), (1, "right_leaf")):
        w, x = width / 2 - 0.03, side * width / 4
        pieces = _panels(
            w, height - 0.1, (x, y - 0.04, height / 2 + 0.01), thick, rows, max(columns // 2, 1), panes, skin, glass
        )
        pull = -side * (w / 2 - 0.12) + x
        low, high = ((pull, y - 0.04 - thick / 2, z) for z in (0.95, 1.25))
        kit.link(name, *pieces, paint(trim, bar_handle(low, high, "-y", height=0.07, radius=0.016), parts="handle"))
        pin = np.array([side * (width / 2 - 0.01), y, height / 2])
        for k in (-0.35, 0.0, 0.35):
            kit.meshes["garage"].append(paint(trim, barrel(pin + (0, 0, k * height), "z", 0.2, 0.022)))
        kit.hinge(
            "garage",
            name,
            at=pin,
            axis="z" if side > 0 else "-z",
            lower=0,
            upper=kit.between(80, 100, name="garage opens to"),
        )


def _garage(kit: Kit, width: float, height: float, depth: float, wall: float, lintel: float) -> None:
    """Walls with an opening in front, and a flat or gabled roof."""
    masonry, roofing = (
        kit.material("clay", "paper", "white", "ceramic", name="garage masonry"),
        kit.material("clay", "dark_metal", "earth", name="garage roofing"),
    )
    full, top = width + 2 * wall, height + lintel
    pieces = [block((wall, depth, top), (s * (width + wall) / 2, 0, top / 2), round=0.01) for s in (-1, 1)]
    pieces.append(block((full, wall, lintel), (0, -depth / 2 + wall / 2, height + lintel / 2), round=0.01))
    pieces.append(block((full, 0.6 * wall, top), (0, depth / 2 - 0.3 * wall, top / 2), round=0.01))
    floor = block((full + 0.1, depth + 0.3, 0.04), (0, -0.1, 0.0), round=0.01)
    if kit.chance(0.6, name="gable"):
        rise, over = kit.between(0.25, 0.5, name="garage rise share") * full / 2, 0.2
        gable = np.array([[-full / 2, 0], [full / 2, 0], [0, rise]])
        pieces += [plate(gable, wall, (0, s * (depth - wall) / 2, top - 0.01), "xz") for s in (-1, 1)]
        slope = rise / (full / 2)
        half = full / 2 + over
        chevron = np.array(
            [
                [-half, -over * slope],
                [0, rise],
                [half, -over * slope],
                [half, 0.12 - over * slope],
                [0, rise + 0.12],
                [-half, 0.12 - over * slope],
            ]
        )
        roof = plate(chevron, depth + 0.3, (0, -0.05, top), "xz", bevel=0.015)
    else:
        roof = block((full + 0.2, depth + 0.3, 0.14), (0, -0.05, top + 0.06), round=0.03)
    kit.link(
        "garage",
        paint(masonry, pieces),
        paint(roofing, roof, parts="roof"),
        paint(kit.material("paper", name="garage floor"), floor, parts="floor"),
    )


def _panels(
    w: float, h: float, at: tuple, thick: float, rows: int, columns: int, panes: bool, skin: Material, glass: Material
) -> list[Mesh]:
    """A slab with rows of raised fields; the top row may be panes."""
    x, y, z = at
    slab, lights = [block((w, thick, h), at, round=0.012)], []
    cell = (w / columns, h / rows)
    for i in range(columns):
        for j in range(rows):
            spot = (x - w / 2 + (i + 0.5) * cell[0], y - thick / 2, z - h / 2 + (j + 0.5) * cell[1])
            size = (0.8 * cell[0], 0.72 * cell[1])
            if panes and j == rows - 1:
                lights.append(block((size[0], 0.02, size[1]), spot, round=0.004))
                slab.append(frame(size[0] + 0.03, size[1] + 0.03, 0.035, 0.05, spot))
            else:
                slab.append(block((size[0], 0.045, size[1]), spot, round=0.016, cells=1))
    return [paint(skin, slab, parts="slab"), *([paint(glass, lights, parts="lights")] if lights else [])]


def _sections(
    kit: Kit, width: float, height: float, y: float, rows: int, columns: int, panes: bool, skin: Material
) -> None:
    """Sections one behind another that are drawn up together behind the lintel, the lowest the furthest."""
    glass, h = kit.material("glass", name="sections glass"), (height - 0.03) / rows
    lift = kit.between(0.75, 0.95, name="sections lift share") * h
    for i in range(rows):  # from the top down; each runs behind the one above it
        z = height - 0.005 - (i + 0.5) * h
        at = (0, y + 0.06 + i * 0.075, z)
        name = f"section_{i + 1}"
        kit.link(name, *_panels(width - 0.04, h + 0.02, at, 0.045, 1, columns, panes and i == 0, skin, glass))
    for i in range(rows):
        kit.slide("garage" if i == 0 else f"section_{i}", f"section_{i + 1}", axis="z", upper=lift)
        if i:
            kit.follow(f"section_{i + 1}", "section_1")
