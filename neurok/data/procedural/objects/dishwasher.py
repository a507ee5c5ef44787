"""A dishwasher: a tall drop-down door with a control strip, racks with plates, turning spray arms."""

from neurok.data.procedural.fittings import bar_handle, feet, knuckles
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import block, rod, tray
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    width, depth, height = (
        kit.pick(0.45, 0.6, name="width class") * kit.between(0.96, 1.04, name="width share"),
        kit.between(0.52, 0.6, name="depth"),
        kit.between(0.68, 0.8, name="height"),
    )
    foot, wall = kit.between(0.07, 0.12, name="foot"), 0.03
    shell, inner = (
        kit.material("white", "metal", "metal", "black", name="shell"),
        kit.material("metal", "white", name="inner"),
    )
    steel, dark = kit.material("metal", "dark_metal", name="steel"), kit.material("black", name="dark")
    y, middle = -0.5 * depth, foot + height / 2
    top = block((width + 0.01, depth + 0.03, 0.03), (0, -0.01, foot + height + 0.01), round=0.006)
    plinth = block((width - 0.02, depth - 0.09, foot + 0.01), (0, 0.03, foot / 2 + 0.005), round=0.003)
    hinges = knuckles((0, y, foot), "x", 0.8 * width / 2, 0.04, 0.01)
    w, d = width - 2 * wall, depth - wall
    racks = [_rack(w - 0.03, d - 0.05, 0.1, (0, -wall / 2 + 0.01, foot + k * height)) for k in (0.22, 0.56)]
    plates = _plates(kit, w, d, foot + 0.23 * height)
    rails = [
        block((0.03, d - 0.04, 0.012), (s * (w / 2 - 0.005), -0.01, foot + (k * height) + 0.05), round=0)
        for s in (-1, 1)
        for k in (0.22, 0.56)
    ]
    post = rod((0, 0, foot + wall - 0.005), (0, 0, foot + 0.13 * height), 0.018, sides=14)
    kit.link(
        "tub",
        paint(shell if kit.chance(0.6, name="plain top") else dark, top, parts="top"),
        paint(dark, plinth, feet(width - 0.1, depth - 0.1, 0.022, 0.012), parts="plinth, feet"),
        paint(inner, tray((width, height, depth), wall, (0, depth / 2, middle), "-y"), post, parts=", post"),
        paint(steel, hinges, rails, [piece for rack in racks for piece in rack], parts="hinges, rails, "),
        paint(kit.material("white", name="plates"), plates, parts="plates"),
    )
    _door(kit, width, height, y, foot, shell, inner, steel, dark)
    level = foot + 0.13 * height
    arm = block((0.72 * min(w, d), 0.035, 0.012), (0, 0, level), round=0.005)
    hub = rod((0, 0, level - 0.008), (0, 0, level + 0.014), 0.026, sides=16)
    kit.link("spray_arm", paint(kit.material("plastic", "white", "metal", name="arm"), arm, hub, parts="arm, hub"))
    kit.spin("tub", "spray_arm", at=(0, 0, level), axis="z")


def _door(
    kit: Kit,
    width: float,
    height: float,
    y: float,
    foot: float,
    shell: Material,
    inner: Material,
    steel: Material,
    dark: Material,
) -> None:
    """The door with its panel of keys above, a handle and an inner lining."""
    thick, strip = kit.between(0.04, 0.06, name="door thickness"), kit.between(0.09, 0.13, name="door strip")
    w, h = width - 0.006, height - 0.012
    centre, face = y - 0.002 - thick / 2, y - 0.002 - thick
    low, high = foot + 0.006, foot + 0.006 + h
    leaf = block((w, thick, h - strip - 0.004), (0, centre, low + (h - strip) / 2), round=0.008)
    panel = block((w, thick + 0.006, strip), (0, centre - 0.003, high - strip / 2), round=0.01)
    back = block((0.9 * w, 0.02, 0.86 * h), (0, y - 0.004, low + h / 2), round=0.006)
    count = kit.count(4, 8, name="buttons")
    keys = [
        rod(
            (w * (0.42 - 0.055 * i), face - 0.004, high - strip / 2),
            (w * (0.42 - 0.055 * i), face - 0.012, high - strip / 2),
            0.009,
            sides=12,
        )
        for i in range(count)
    ]
    screen = block((0.16 * w, 0.008, 0.4 * strip), (-0.3 * w, face - 0.007, high - strip / 2), round=0.002)
    z = high - strip - 0.05
    if kit.chance(0.7, name="bar handle"):
        grip = bar_handle(
            (-0.38 * w, face, z),
            (0.38 * w, face, z),
            "-y",
            height=0.04,
            radius=0.01,
            square=kit.chance(0.5, name="square handle"),
        )
    else:
        grip = [block((0.5 * w, 0.03, 0.022), (0, face - 0.01, z + 0.03), round=0.008)]
    kit.link(
        "door",
        paint(shell, leaf, parts="leaf"),
        paint(shell if kit.chance(0.4, name="plain panel") else dark, panel, parts="panel"),
        paint(inner, back, parts="back"),
        paint(steel, grip, keys, parts="handle, keys"),
        paint(kit.material("glass", name="door screen"), screen, parts="screen"),
    )
    kit.hinge("tub", "door", at=(0, y, foot), axis="x", lower=0, upper=kit.between(80, 90, name="door door opens to"))


def _rack(w: float, d: float, h: float, at: tuple) -> list[Mesh]:
    """A wire basket standing on `at`."""
    x, y, z = at
    long = [
        rod((x + k * w, y - d / 2, z), (x + k * w, y + d / 2, z), 0.004, sides=6) for k in (-0.5, -0.25, 0, 0.25, 0.5)
    ]
    across = [
        rod((x - w / 2, y + k * d, z), (x + w / 2, y + k * d, z), 0.004, sides=6) for k in (-0.5, -0.17, 0.17, 0.5)
    ]
    posts = [
        rod((x + a * w / 2, y + b * d / 2, z), (x + a * w / 2, y + b * d / 2, z + h), 0.004, sides=6)
        for a in (-1, 0, 1)
        for b in (-1, 0, 1)
        if a or b
    ]
    upper = [rod((x - w / 2, y + b * d / 2, z + h), (x + w / 2, y + b * d / 2, z + h), 0.004, sides=6) for b in (-1, 1)]
    sides = [rod((x + a * w / 2, y - d / 2, z + h), (x + a * w / 2, y + d / 2, z + h), 0.004, sides=6) for a in (-1, 1)]
    return long + across + posts + upper + sides


def _plates(kit: Kit, w: float, d: float, z: float) -> list[Mesh]:
    """A row of plates on edge in the lower rack."""
    radius, count = kit.between(0.09, 0.12, name="plates radius"), kit.count(1, 6, name="plates")
    step = 0.7 * d / 6
    return [
        rod((-0.18 * w, (i - 3) * step, z + radius), (-0.18 * w, (i - 3) * step + 0.009, z + radius), radius, sides=24)
        for i in range(count)
    ]
