"""A microwave oven: a side-hung glazed door, a control panel with keys or knobs, a turntable within."""

from neurok.data.procedural.fittings import bar_handle, feet, knuckles
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import block, fillet, frame, lathe, rod, tray
from neurok.geometry.mesh import Material


def draw(kit: Kit) -> None:
    width, depth, height = (
        kit.between(0.44, 0.56, name="width"),
        kit.between(0.32, 0.42, name="depth"),
        kit.between(0.25, 0.32, name="height"),
    )
    foot, wall = 0.012, 0.022
    shell, dark, steel = (
        kit.material("white", "metal", "black", "paint", name="shell"),
        kit.material("black", name="dark"),
        kit.material("metal", name="steel"),
    )
    panel = width * kit.between(0.2, 0.27, name="panel share")  # the control panel's width, at the right
    room, y, middle = width - panel, -0.5 * depth, foot + height / 2
    x = -panel / 2  # the door's and the chamber's centre
    thick = kit.between(0.024, 0.034, name="thickness")
    chamber = tray((room, height, depth), wall, (x, depth / 2, middle), "-y")
    side = block((panel + 0.01, depth + thick, height), ((width - panel) / 2, -thick / 2, middle), round=0.01)
    hinges = knuckles((-width / 2, y, middle), "z", 0.36 * height, 0.03, 0.006)
    face = y - thick
    keys = _keys(kit, (width - panel) / 2, face, middle, panel, height)
    screen = block(
        (0.72 * panel, 0.008, 0.13 * height), ((width - panel) / 2, face, middle + 0.36 * height), round=0.002
    )
    vents = [
        block((0.004, 0.09, 0.006), (width / 2, 0.03, middle + k * height), round=0) for k in (0.1, 0.16, 0.22, 0.28)
    ]
    light = kit.material("glass", name="light")
    kit.link(
        "case",
        paint(shell, chamber, side, parts="chamber, side"),
        paint(dark, feet(width - 0.08, depth - 0.08, 0.016, foot), vents, parts="feet, vents"),
        paint(light, screen, parts="screen"),
        paint(kit.material("metal", "black", "white", name="detail"), keys or hinges),
        paint(steel, hinges, parts="hinges"),
    )
    w, h = room - 0.006, height - 0.006
    at = (x - 0.002, y - 0.001 - thick / 2, middle)
    border = kit.between(0.03, 0.05, name="border")
    pane = block((w - 2 * border, 0.01, h - 2 * border), (at[0], face, middle), round=0.003)
    trim = frame(w - 1.7 * border, h - 1.7 * border, 0.01, 0.012, (at[0], face, middle), round=0.02)
    handle = x + w / 2 - 0.022
    bar = bar_handle(
        (handle, face, middle - 0.34 * h),
        (handle, face, middle + 0.34 * h),
        "-y",
        height=0.03,
        radius=0.007,
        square=kit.chance(0.5, name="square handle"),
    )
    door = paint(shell if kit.chance(0.6, name="plain door") else dark, block((w, thick, h), at, round=0.007))
    kit.link("door", door, paint(dark, pane, parts="pane"), paint(steel, trim, bar, parts="trim, bar"))
    kit.hinge(
        "case", "door", at=(-width / 2, y, middle), axis="-z", lower=0, upper=kit.between(95, 125, name="door opens to")
    )
    _turntable(kit, (x, 0.0, foot + wall), 0.42 * min(room - 2 * wall, depth - wall))
    if not keys:
        _dials(kit, (width - panel) / 2, face, middle, panel, height, steel)


def _keys(kit: Kit, x: float, y: float, z: float, panel: float, height: float) -> list:
    """A field of keys, or none where the oven has dials."""
    if kit.chance(0.4, name="dials only"):
        return []
    columns, rows = kit.count(2, 3, name="key columns"), kit.count(4, 6, name="key rows")
    w, h = 0.72 * panel / columns, 0.5 * height / rows
    return [
        block((0.8 * w, 0.008, 0.7 * h), (x + w * (i - (columns - 1) / 2), y, z + 0.2 * height - h * j), round=0.002)
        for i in range(columns)
        for j in range(rows)
    ]


def _dials(kit: Kit, x: float, y: float, z: float, panel: float, height: float, steel: Material) -> None:
    radius = 0.25 * panel
    for i, level in enumerate((0.1, -0.22)):
        at = z + level * height
        cap = rod((x, y + 0.003, at), (x, y - 0.02, at), radius, end_radius=0.88 * radius, sides=24)
        mark = block((0.2 * radius, 0.008, 1.6 * radius), (x, y - 0.021, at), round=0.001)
        kit.link(f"dial_{i + 1}", paint(steel, cap, mark, parts="cap, mark"))
        kit.hinge(
            "case", f"dial_{i + 1}", at=(x, y, at), axis="-y", lower=0, upper=kit.pick(180, 270, 300, name="dial range")
        )


def _turntable(kit: Kit, at: tuple, radius: float) -> None:
    profile = [
        [0, -0.004],
        [0.02, -0.004],
        [0.02, 0.008],
        [0.9 * radius, 0.008],
        [radius, 0.018],
        [0.97 * radius, 0.022],
        [0.88 * radius, 0.014],
        [0, 0.014],
    ]
    kit.link(
        "turntable", paint(kit.material("glass", name="turntable lathe"), lathe(fillet(profile, 0.002, steps=1), at))
    )
    kit.spin("case", "turntable", at=at, axis="z")
