"""A tap: a spout that swivels, and a lever, two cross handles or two levers to turn."""

import numpy as np

from neurok.data.procedural.fittings import rim
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, repeat_around
from neurok.data.procedural.shapes import ball, block, curve, fillet, lathe, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    metal = kit.material("metal", "metal", "brass", "dark_metal", name="metal")
    radius = kit.between(0.018, 0.026, name="radius")  # of the spout's column
    style = kit.pick("mixer", "mixer", "bridge", "deck", name="style")
    column = kit.between(0.05, 0.12, name="column") if style == "mixer" else kit.between(0.04, 0.07, name="column")
    base = [
        lathe(
            fillet(
                np.array([[0, 0], [1.6, 0], [1.5, 0.35], [1.05, 0.6], [1.0, 1.0], [0, 1.0]]) * radius,
                0.15 * radius,
                steps=3,
            )
        )
    ]
    base.append(rod((0, 0, 0.5 * radius), (0, 0, column), radius, sides=24))
    base.append(rim(radius, 0.12 * radius, column - 0.1 * radius, segments=28))
    spread = kit.between(0.08, 0.11, name="spread")
    if style == "bridge":
        base.append(rod((-spread, 0, 0.7 * column), (spread, 0, 0.7 * column), 0.5 * radius, sides=16))
    if style != "mixer":
        for x in (-spread, spread):
            base.append(rod((x, 0, 0), (x, 0, 0.012), 1.25 * radius, sides=24))
            base.append(rod((x, 0, 0.005), (x, 0, column), 0.85 * radius, sides=20))
    if style == "deck":
        base.append(block((2 * spread + 3.4 * radius, 3.4 * radius, 0.012), (0, 0, 0.006), round=0.005))
    kit.link("base", paint(metal, base, parts="base"))
    path = _spout(kit, column, style)
    nozzle = path[-1] + (path[-1] - path[-2]) / np.linalg.norm(path[-1] - path[-2]) * 0.3 * radius
    mouth = rod(path[-1], nozzle + 0.25 * radius * _unit(path[-1] - path[-2]), 0.72 * radius, sides=18)
    hub = rod((0, 0, column), (0, 0, column + 1.6 * radius), 1.02 * radius, sides=24)
    kit.link(
        "spout",
        paint(metal, tube(path, 0.55 * radius, sides=16), hub, parts=", hub"),
        paint(kit.material("dark_metal", name="mouth"), mouth, parts="mouth"),
    )
    kit.hinge(
        "base",
        "spout",
        at=(0, 0, column),
        axis="z",
        lower=-kit.between(40, 70, name="spout goes back to"),
        upper=kit.between(40, 70, name="spout opens to"),
    )
    if style == "mixer":
        _side_lever(kit, radius, column, metal)
        return
    handle = kit.pick("cross", "lever", "knob", name="handle")
    cap = kit.material("white", "brass", "metal", name="cap")
    for name, x in (("left_handle", -spread), ("right_handle", spread)):
        kit.link(name, *_handle(handle, np.array([x, 0, column]), 0.85 * radius, x, metal, cap))
        limit = (-60, 0) if x > 0 else (0, 60)
        wide = (-180, 180) if handle != "lever" else limit
        kit.hinge("base", name, at=(x, 0, column), axis="z", lower=wide[0], upper=wide[1])


def _unit(vector: Array) -> Array:
    return vector / np.linalg.norm(vector)


def _spout(kit: Kit, column: float, style: str) -> Array:
    """The spout's middle line from the column over to the front (-y), its end pointing down."""
    reach = kit.between(0.13, 0.2, name="spout reach")
    shape = kit.pick("swan", "swan", "square", "low", name="spout")
    if shape == "swan":
        rise, angle = kit.between(0.08, 0.2, name="spout rise"), np.linspace(np.pi, -0.15 * np.pi, 16)
        arc = np.stack(
            [0 * angle, -reach / 2 - reach / 2 * np.cos(angle), column + rise + reach / 2 * np.sin(angle)], axis=1
        )
        return np.concatenate([[(0, 0, column + 0.2 * rise), (0, 0, column + 0.6 * rise)], arc])
    rise = (
        kit.between(0.12, 0.22, name="spout rise") if shape == "square" else kit.between(0.05, 0.07, name="spout rise")
    )
    corners = [(0, 0, column), (0, 0, column + rise), (0, -reach, column + rise * (1.0 if shape == "square" else 0.9))]
    corners.append((0, -reach, column + rise - 0.045))
    return fillet(np.array(corners, dtype=np.float64), 0.035, steps=6)


def _side_lever(kit: Kit, radius: float, column: float, metal: Material) -> None:
    """A mixer's single lever at the right of the column, tilting about the x axis."""
    z, out = 0.62 * column, radius * kit.between(1.6, 2.2, name="side lever out share")
    stub = rod((0.5 * radius, 0, z), (out, 0, z), 0.62 * radius, sides=20)
    kit.meshes["base"].append(paint(metal, stub, parts="stub"))
    tip = out + 0.9 * radius
    cap = rod((out, 0, z), (tip, 0, z), 0.75 * radius, sides=20)
    long, lean = (
        kit.between(0.06, 0.1, name="side lever length"),
        np.radians(kit.between(20, 60, name="side lever lean share")),
    )
    mid = (out + tip) / 2
    end = np.array([mid + long * np.sin(lean), 0, z + long * np.cos(lean)])
    path = curve(np.array([(mid, 0, z), (mid, 0, z) + 0.5 * (end - (mid, 0, z)) + (0.004, 0, 0), end]), 8)
    grip = tube(path, np.linspace(0.25, 0.36, 8) * radius, sides=12)
    kit.link("lever", paint(metal, cap, grip, parts="cap, handle"))
    kit.hinge(
        "base",
        "lever",
        at=(out, 0, z),
        axis="x",
        lower=-kit.between(20, 35, name="side lever lever goes back to"),
        upper=kit.between(30, 60, name="side lever lever opens to"),
    )


def _handle(style: str, at: Array, radius: float, x: float, metal: Material, cap: Material) -> list[Mesh]:
    neck = rod(at - (0, 0, 0.1 * radius), at + (0, 0, 1.5 * radius), 0.6 * radius, sides=16)
    top = at + (0, 0, 1.5 * radius)
    if style == "knob":
        profile = fillet(np.array([[0, 0], [1.25, 0], [1.45, 0.6], [1.2, 1.5], [0, 1.6]]) * radius, 0.2 * radius)
        flutes = repeat_around(
            rod(top + (1.35 * radius, 0, 0.1 * radius), top + (1.25 * radius, 0, 1.3 * radius), 0.2 * radius, sides=8),
            8,
            "z",
            top,
        )
        return [paint(metal, neck, lathe(profile, top), flutes, parts="neck, , flutes")]
    hub = [ball((0.9 * radius, 0.9 * radius, 0.75 * radius), top + (0, 0, 0.2 * radius))]
    level = top + (0, 0, 0.2 * radius)
    if style == "lever":
        way = np.array([np.sign(x), 0.0, 0.12])
        arm = tube(
            np.stack([level, level + 1.8 * radius * way, level + 3.4 * radius * way]),
            np.array([0.4, 0.35, 0.5]) * radius,
        )
        return [paint(metal, neck, hub, arm, parts="neck, hub, arm")]
    arm = rod(level, level + (2.0 * radius, 0, 0), 0.32 * radius, sides=12)
    tips = ball(0.48 * radius, level + (2.0 * radius, 0, 0), segments=14)
    button = rod(level + (0, 0, 0.5 * radius), level + (0, 0, 0.95 * radius), 0.55 * radius, sides=16)
    return [
        paint(
            metal,
            neck,
            hub,
            repeat_around(arm, 4, "z", level, 45),
            repeat_around(tips, 4, "z", level, 45),
            parts="neck, hub, , ",
        ),
        paint(cap, button, parts="button"),
    ]
