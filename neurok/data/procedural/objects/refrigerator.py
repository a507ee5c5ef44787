"""A refrigerator: one door, freezer above or below, side by side, or two doors over a freezer drawer."""

from neurok.data.procedural.fittings import bar_handle, feet, knuckles
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, paint
from neurok.data.procedural.shapes import block, tray
from neurok.geometry.mesh import Mesh

# layout -> doors as (left, right, low, high) in shares of the front; the drawer is told by its name
LAYOUTS: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "single": {"door": (0, 1, 0, 1)},
    "top_freezer": {"door": (0, 1, 0, 0.68), "freezer_door": (0, 1, 0.68, 1)},
    "bottom_freezer": {"freezer_door": (0, 1, 0, 0.36), "door": (0, 1, 0.36, 1)},
    "side_by_side": {"freezer_door": (0, 0.43, 0, 1), "door": (0.43, 1, 0, 1)},
    "french": {"drawer": (0, 1, 0, 0.32), "left_door": (0, 0.5, 0.32, 1), "right_door": (0.5, 1, 0.32, 1)},
}


def draw(kit: Kit) -> None:
    layout = kit.pick(*LAYOUTS, name="layout")
    broad = layout in ("side_by_side", "french")
    width = kit.between(0.82, 0.95, name="width") if broad else kit.between(0.52, 0.68, name="width")
    height = (
        kit.between(0.95, 1.3, name="height")
        if layout == "single" and kit.chance(0.5, name="low")
        else kit.between(1.55, 1.95, name="height")
    )
    depth, wall, foot = kit.between(0.5, 0.62, name="depth"), 0.045, 0.05
    thick, soft = kit.between(0.05, 0.075, name="thickness"), kit.between(0.008, 0.03, name="soft")
    shell, steel = (
        kit.material("white", "metal", "paint", "dark_metal", name="shell"),
        kit.material("metal", "dark_metal", name="steel"),
    )
    inside, left, square = (
        kit.material("white", name="inside"),
        kit.chance(0.5, name="opens left"),
        kit.chance(0.5, name="square handle"),
    )
    y, hinges, rooms, lining = -0.5 * depth, [], [], []
    links: list[tuple[str, int, Vector, list[Mesh]]] = []
    for name, (a, b, low, high) in LAYOUTS[layout].items():
        w, h = (b - a) * width, (high - low) * height
        x, z = ((a + b) / 2 - 0.5) * width, foot + (low + high) / 2 * height
        rooms.append(tray((w, h, depth), wall, (x, 0.5 * depth, z), "-y"))
        lining.append(tray((w - wall, h - wall, depth - 0.028), 0.55 * wall, (x, 0.5 * depth - 0.024, z), "-y"))
        size = (w - 0.012, thick, h - 0.016)
        leaf = paint(shell, block(size, (x, y - 0.002 - thick / 2, z), round=soft))
        face = y - 0.002 - thick
        if name == "drawer":
            bar = bar_handle(
                (x - 0.35 * w, face, z + 0.32 * h),
                (x + 0.35 * w, face, z + 0.32 * h),
                "-y",
                height=0.05,
                radius=0.011,
                square=square,
            )
            bin_ = tray(
                (w - 2 * wall - 0.02, depth - wall - 0.03, h - 2 * wall - 0.04),
                0.012,
                (x, y + (depth - wall - 0.03) / 2 - 0.004, z - h / 2 + wall + 0.004),
            )
            links.append(
                (name, 0, (0, 0, 0), [leaf, paint(steel, bar, parts="bar"), paint(inside, bin_, parts="tray")])
            )
            continue
        side = (-1 if left else 1) if b - a == 1 else (-1 if a == 0 else 1)
        grip = _grip(x - side * (w / 2 - 0.05), face, z, h, high - low, low, square)
        bins = _bins(x, y, z, w - 2 * wall - 0.03, h)
        links.append(
            (
                name,
                side,
                (side * width / 2, y, z),
                [leaf, paint(steel, grip, parts="handle"), paint(inside, bins, parts="bins")],
            )
        )
        hinges += knuckles((side * width / 2, y, z), "z", h / 2 - 0.05, 0.05, 0.012)
        for i in range(1, 1 + int(h / 0.28)):
            level = z + h * (i / (1 + int(h / 0.28)) - 0.5)
            lining.append(block((w - wall, depth - 0.2, 0.014), (x, 0.08, level), round=0.002))
    roof = block((width, depth, 0.02), (0, 0, foot + height), round=0.006)
    grille = [block((width - 0.04, 0.02, foot), (0, y + 0.04, foot / 2 + 0.006), round=0.002)]
    kit.link(
        "cabinet",
        paint(
            shell if kit.chance(0.7, name="plain cabinet") else kit.material("dark_metal", name="rooms"),
            rooms,
            roof,
            parts="rooms, roof",
        ),
        paint(
            kit.material("black", name="grille"),
            grille,
            feet(width - 0.1, depth - 0.1, 0.025, foot),
            parts="grille, feet",
        ),
        paint(inside, lining, parts="lining"),
        paint(steel, hinges, parts="hinges"),
    )
    for name, side, at, painted in links:
        kit.link(name, *painted)
        if side == 0:
            kit.slide("cabinet", name, axis="-y", upper=0.55 * depth)
        else:
            kit.hinge(
                "cabinet",
                name,
                at=at,
                axis="z" if side > 0 else "-z",
                lower=0,
                upper=kit.between(90, 125, name="cabinet opens to"),
            )


def _grip(x: float, y: float, z: float, h: float, share: float, low: float, square: bool) -> list[Mesh]:
    """An upright handle, near the freezer's seam where the door is one of two above each other."""
    shift = 0.0 if share == 1 else (-0.22 * h if low > 0 else 0.22 * h)
    half = min(0.3 * h, 0.22 if share < 1 else 0.4)
    shift = max(min(shift, h / 2 - half - 0.04), half + 0.04 - h / 2)
    ends = (x, y, z + shift - half), (x, y, z + shift + half)
    return bar_handle(*ends, "-y", height=0.05, radius=0.011, square=square)


def _bins(x: float, y: float, z: float, w: float, h: float) -> list[Mesh]:
    """Trays for bottles on the door's inner side."""
    count = max(1, int(h / 0.35))
    return [
        tray((0.8 * w, 0.075, 0.09), 0.008, (x, y + 0.03, z + h * ((i + 0.5) / count - 0.5) - 0.05))
        for i in range(count)
    ]
