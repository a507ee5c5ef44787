"""A dispenser: a pump bottle, a squeeze bottle with a flip-top cap, a wall box for soap or towels, a water cooler."""

import numpy as np

from neurok.data.procedural.fittings import barrel, feet, knuckles
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, repeat_around
from neurok.data.procedural.shapes import block, fillet, lathe, pipe, rectangle, rod, stack_outlines, tray, tube
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    style = kit.pick("pump", "pump", "flip_top", "wall", "wall", "cooler", name="style")
    {"pump": _pump, "flip_top": _flip_top, "wall": _wall, "cooler": _cooler}[style](kit)


def _bottle(kit: Kit, wide: float, tall: float, neck: float) -> Mesh:
    """A solid body, round, oval or square with round edges, drawn in to a neck above."""
    deep = wide * kit.pick(1.0, 1.0, kit.between(0.5, 0.75, name="bottle depth share"), name="bottle depth")
    arc = 0.49 * kit.pick(1.0, 1.0, 0.4, name="bottle arc")
    waist = kit.pick(1.0, 1.0, 0.88, name="bottle waist")
    sizes = [(0.94, 0.0), (1.0, 0.03), (1.0, 0.3), (waist, 0.5), (1.0, 0.72), (0.96, 0.84), (0.75, 0.94)]
    rings = [(rectangle(s * wide, s * deep, arc * s * min(wide, deep)), z * tall) for s, z in sizes]
    return stack_outlines(rings + [(rectangle(2 * neck, 2 * neck, 0.98 * neck), z * tall) for z in (0.985, 1.05)])


def _pump(kit: Kit) -> None:
    """The head is pressed down into its collar, and turns."""
    wide, tall = kit.between(0.055, 0.08, name="pump width"), kit.between(0.1, 0.19, name="pump height")
    neck = kit.between(0.012, 0.016, name="pump neck")
    cap, skin = (
        kit.material("white", "black", "metal", "plastic", name="pump cap"),
        kit.material("glass", "plastic", "white", "ceramic", name="pump skin"),
    )
    bore, travel = 0.0062, kit.between(0.012, 0.02, name="pump travel")
    low, high = 1.05 * tall, 1.05 * tall + 0.012
    collar = pipe((0, 0, tall * 0.985), (0, 0, high), 1.25 * neck, 1.25 * neck - bore, sides=28)
    ribs = repeat_around(block((0.001, 0.0016, 0.012), (1.25 * neck, 0, high - 0.008), round=0), 24)
    sleeve = pipe((0, 0, low + 0.002), (0, 0, high + 0.004), bore + 0.003, 0.003, sides=24)
    body = _bottle(kit, wide, tall, 1.2 * neck)
    shaft = travel + 0.004
    kit.link("bottle", paint(skin, body, parts="body"), paint(cap, collar, ribs, sleeve, parts="collar, ribs, sleeve"))
    foot = low + 0.001 + travel
    top = high + 0.004 + shaft
    reach = kit.between(0.03, 0.05, name="pump reach")
    stem = rod((0, 0, foot), (0, 0, top + 0.004), bore - 0.0008, sides=20)
    path = fillet(
        np.array([(0, 0.004, top + 0.005), (0, -reach, top + 0.007), (0, -reach - 0.004, top - 0.004)]), 0.006
    )
    head = rod(
        (0, 0, top), (0, 0, top + 0.011), kit.between(0.009, 0.014, name="pump head share"), round=0.003, sides=24
    )
    kit.link("head", paint(cap, stem, head, tube(path, 0.0042), parts="stem, head, "))
    bone = kit.bone("plunger")
    kit.slide("bottle", bone, axis="-z", upper=travel)
    kit.spin(bone, "head", at=(0, 0, top), axis="z")


def _flip_top(kit: Kit) -> None:
    """A cap with a nozzle under a lid hinged behind."""
    wide, tall = kit.between(0.055, 0.075, name="flip top width"), kit.between(0.12, 0.19, name="flip top height")
    skin, cap = (
        kit.material("red", "yellow", "plastic", "white", name="flip top skin"),
        kit.material("white", "red", "black", "leaf", name="flip top cap"),
    )
    r = kit.between(0.3, 0.42, name="flip top r share") * wide
    body = _bottle(kit, wide, tall, 0.8 * r)
    base = 1.02 * tall
    top = base + kit.between(0.014, 0.02, name="flip top top share")
    skirt = rod((0, 0, base - 0.01), (0, 0, top), r, round=0.002, sides=32)
    nozzle = rod((0, 0, top - 0.001), (0, 0, top + 0.008), 0.004, end_radius=0.0025, sides=14)
    pin = np.array([0.0, r + 0.001, top])
    hinge = knuckles(pin, "x", 0.35 * r, 0.25 * r, 0.0016)
    # From within the skirt, whose edge is round, to the knuckles.
    stays = [
        block((0.25 * r, 0.2 * r + 0.001, 0.0024), (s * 0.35 * r, 0.9 * r + 0.0005, top - 0.0014)) for s in (-1, 1)
    ]
    kit.link(
        "bottle",
        paint(skin, body, parts="body"),
        paint(cap, skirt, nozzle, hinge, stays, parts="skirt, nozzle, hinge, stays"),
    )
    high = kit.between(0.011, 0.016, name="flip top height")
    outer = np.array(
        [[0.0, high], [0.94 * r, high], [r, 0.0], [0.9 * r, 0.0], [0.84 * r, high - 0.0018], [0, high - 0.0018]]
    )
    lid = lathe(outer, (0, 0, top + 0.0006), segments=32)
    lip = block((0.5 * r, 0.005, 0.003), (0, -r - 0.0005, top + 0.0025), round=0.001)
    strap = block((0.36 * r, 0.006, 0.0024), pin + (0, -0.002, 0.0018), round=0.0006)
    kit.link("lid", paint(cap, lid, lip, strap, barrel(pin, "x", 0.4 * r, 0.0014), parts="lid, lip, strap, "))
    kit.hinge("bottle", "lid", at=pin, axis="-x", lower=0, upper=kit.between(100, 150, name="flip top lid opens to"))


def _wall(kit: Kit) -> None:
    """A cover on a back plate, hinged at its lower edge, or at its upper edge over a bar that is pushed in."""
    w, h, d = (
        kit.between(0.11, 0.3, name="wall w"),
        kit.between(0.2, 0.36, name="wall h"),
        kit.between(0.09, 0.16, name="wall d"),
    )
    shell, dark = (
        kit.material("white", "metal", "black", name="wall shell"),
        kit.material("black", "dark_metal", name="wall dark"),
    )
    back = block((w, 0.006, h), (0, 0.003, 0.5 * h), round=0.001)
    low = 0.2 * h
    shelf = block((0.9 * w, 0.72 * d, 0.006), (0, -0.36 * d, low - 0.006), round=0.001)
    roll = rod((-0.38 * w, -0.45 * d, 0.6 * h), (0.38 * w, -0.45 * d, 0.6 * h), 0.3 * d, sides=24)
    arms = [block((0.02 * w, 0.5 * d, 0.02), (s * 0.385 * w, -0.24 * d, 0.6 * h)) for s in (-1, 1)]
    below = kit.chance(0.5, name="nozzle below")
    pin = np.array([0.0, 0.0, low if below else h])
    sleeve = block((0.34 * w, 0.4 * d, 0.004), (0, -0.2 * d, 0.3 * low), round=0.001)
    roof = block((0.34 * w, 0.4 * d, 0.004), (0, -0.2 * d, 0.7 * low), round=0.001)
    kit.link(
        "back",
        paint(shell, back, parts="back"),
        paint(dark, arms, [] if below else [shelf, sleeve, roof], parts="arms, "),
        paint(kit.material("paper", "glass", name="wall roll"), roll, parts="roll"),
    )
    cover = tray(
        (w, h - low, d), 0.003, (0, -d - 0.001, 0.5 * (h + low)), "y", round=kit.pick(0.004, 0.02, name="wall cover")
    )
    window = block((0.12 * w, 0.002, 0.4 * h), (0.25 * w, -d - 0.001, 0.62 * h), round=0)
    brand = block((0.3 * w, 0.002, 0.04 * h), (-0.12 * w, -d - 0.001, 0.85 * h), round=0)
    lock = rod((0, -d, 0.92 * h), (0, -d - 0.004, 0.92 * h), 0.006)
    kit.link(
        "cover",
        paint(shell, cover, parts="cover"),
        paint(kit.material("glass", name="wall window"), window, parts="window"),
        paint(dark, brand, lock, parts="brand, lock"),
    )
    kit.hinge(
        "back",
        "cover",
        at=pin,
        axis="x" if below else "-x",
        lower=0,
        upper=kit.between(50, 85, name="wall cover opens to"),
    )
    if below:  # the cover comes down in front
        return
    travel = kit.between(0.12, 0.17, name="wall travel share") * d
    bar = block((0.5 * w, 0.02, 0.5 * low), (0, -0.8 * d, 0.5 * low), round=0.005)
    stem = block((0.28 * w, 0.6 * d, 0.4 * low - 0.006), (0, -0.5 * d, 0.5 * low), round=0.001)
    kit.link("push_bar", paint(dark, bar, stem, parts="bar, stem"))
    kit.slide("back", "push_bar", axis="y", upper=travel)


def _cooler(kit: Kit) -> None:
    """A cabinet with a bottle on top; its taps have levers that are pressed down, its locker a door."""
    w, d, h = (
        kit.between(0.28, 0.34, name="cooler w"),
        kit.between(0.3, 0.36, name="cooler d"),
        kit.between(0.9, 1.02, name="cooler h"),
    )
    shell, dark = (
        kit.material("white", "metal", "black", name="cooler shell"),
        kit.material("black", "dark_metal", name="cooler dark"),
    )
    body = block((w, d, h), (0, 0, 0.5 * h + 0.02), round=0.015)
    niche = block((0.8 * w, 0.02, 0.26 * h), (0, -0.5 * d, 0.76 * h), round=0.004)
    drip = block((0.7 * w, 0.09, 0.02), (0, -0.5 * d - 0.035, 0.64 * h), round=0.004)
    top = h + 0.02
    r = 0.42 * min(w, d)
    flask = np.array([[0.25, -0.05], [0.25, 0.15], [0.9, 0.55], [1.0, 0.75], [1.0, 1.5], [0.95, 1.55], [1.0, 1.6],
                      [1.0, 2.35], [0.85, 2.5], [0, 2.5]]) * r  # fmt: skip
    bottle = lathe(fillet(flask, 0.1 * r, steps=2), (0, 0, top), segments=32)
    collar = pipe((0, 0, top - 0.01), (0, 0, top + 0.03), 0.6 * r, 0.3 * r, sides=28)
    spouts, count = [], kit.count(1, 3, name="taps")
    places = (np.arange(count) - 0.5 * (count - 1)) * 0.24 * w
    face = -0.5 * d - 0.01
    for x in places:
        spouts.append(block((0.03, 0.055, 0.03), (x, face - 0.0225, 0.82 * h), round=0.005))
        spouts.append(rod((x, face - 0.035, 0.82 * h), (x, face - 0.035, 0.79 * h), 0.011))
    kit.link(
        "cabinet",
        paint(shell, body, parts="body"),
        paint(
            dark,
            niche,
            drip,
            spouts,
            collar,
            feet(0.8 * w, 0.8 * d, 0.02, 0.025),
            parts="niche, drip, spouts, collar, feet",
        ),
        paint(kit.material("glass", "ocean", name="cooler bottle"), bottle, parts="bottle"),
    )
    for i, x in enumerate(places):
        pin = np.array([x, face - 0.05, 0.82 * h + 0.016])
        pad = block((0.026, 0.05, 0.008), pin + (0, -0.028, 0.004), round=0.002)
        color = (
            kit.material("red", name="cooler colour"),
            kit.material("ocean", name="cooler colour"),
            kit.material("white", name="cooler colour"),
        )[i]
        kit.link(f"lever_{i + 1}", paint(color, pad, barrel(pin, "x", 0.024, 0.005), parts="pad, "))
        kit.hinge(
            "cabinet",
            f"lever_{i + 1}",
            at=pin,
            axis="x",
            lower=0,
            upper=kit.between(15, 25, name="cooler cabinet opens to"),
        )
    _locker(kit, shell, dark, w, d, h)


def _locker(kit: Kit, shell: Material, dark: Material, w: float, d: float, h: float) -> None:
    """The door in the lower half of a cooler."""
    wide, high, thick = 0.88 * w, 0.46 * h, 0.016
    at = np.array([0.0, -0.5 * d - 0.5 * thick - 0.002, 0.33 * h])
    side = kit.pick(-1, 1, name="locker side")
    pin = np.array([side * (0.5 * wide + 0.004), -0.5 * d - 0.002 - thick, 0.0])
    hinges = [
        block((0.006, thick + 0.004, 0.04), (pin[0], -0.5 * d - 0.5 * thick, at[2] + s * 0.36 * high), round=0.001)
        for s in (-1, 1)
    ]
    kit.meshes["cabinet"].append(paint(dark, hinges, parts="hinges"))
    grip = block((0.014, 0.018, 0.3 * high), at + (-side * 0.4 * wide, -0.5 * thick, 0.2 * high), round=0.004)
    kit.link("door", paint(shell, block((wide, thick, high), at, round=0.004)), paint(dark, grip, parts="handle"))
    kit.hinge(
        "cabinet",
        "door",
        at=pin,
        axis="z" if side > 0 else "-z",
        lower=0,
        upper=kit.between(80, 110, name="locker door opens to"),
    )
