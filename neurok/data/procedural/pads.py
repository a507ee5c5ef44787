"""Game controllers: grips, triggers, a cross that tips and sticks that lean both ways."""

import numpy as np

from neurok.data.procedural.decks import Opening, deck_buttons, key_deck, round_opening
from neurok.data.procedural.fittings import barrel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, paint
from neurok.data.procedural.shapes import ball, block, curve, lathe, pipe, plate, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material


def controller(kit: Kit, shell: Material) -> None:
    """Two grips, a cross and four buttons, triggers behind, two sticks that lean both ways."""
    wide, long, tall = (
        kit.between(0.13, 0.15, name="controller width"),
        kit.between(0.058, 0.066, name="controller length"),
        kit.between(0.026, 0.032, name="controller height"),
    )
    field = np.array([0.94 * wide, 0.78 * long])
    pad, r = kit.between(0.011, 0.013, name="controller pad"), kit.between(0.0045, 0.0055, name="controller r")
    side = 0.34 * wide
    parts, y = np.array([0.33 * wide, 0.28 * wide, 0.33 * wide]), 0.0
    reach = 2.15 * r
    cells = [(-0.305 * wide, y, parts[0], field[1])]
    openings = [round_opening(-side * 0.92, y, pad)]
    quarter = (0.5 * parts[2], 0.5 * field[1])
    spots = [(0.305 * wide + sx * 0.5 * quarter[0], y + sy * 0.5 * quarter[1], *quarter)
             for sx in (-1, 1) for sy in (-1, 1)]  # fmt: skip
    middle = 0.305 * wide
    for x, v, w, d in spots:
        cells.append((x, v, w, d))
        sx, sy = np.sign(x - middle), np.sign(v - y)
        openings.append(round_opening(middle + sx * reach * 0.72, y + sy * reach * 0.72, r))
    for s in (-1, 1):
        cells.append((s * 0.07 * wide, y, 0.14 * wide, field[1]))
        openings.append((s * 0.055 * wide, y + 0.004, 0.008, 0.0045, 0.002))
    key_deck(kit, shell, (wide, long, tall), 0.45 * long, (0.0, y), field, cells, openings)
    grips = []
    for s in (-1, 1):
        path = np.array([[s * 0.4 * wide, -0.2 * long, 0.38 * tall], [s * 0.46 * wide, -0.55 * long, 0.4 * tall],
                         [s * 0.5 * wide, -1.0 * long, 0.36 * tall]])  # fmt: skip
        grips.append(
            tube(curve(path, 9), np.array([0.35, 0.37, 0.4, 0.42, 0.43, 0.42, 0.4, 0.38, 0.34]) * tall, sides=16)
        )
    kit.meshes["body"].append(paint(shell, grips, parts="handle"))
    deck_buttons(
        kit,
        openings[1:],
        [kit.material("plastic", "red", "yellow", "white", name="controller deck buttons") for _ in range(2)],
        tall,
        kit.between(0.002, 0.003, name="controller deck buttons"),
        vivid=0.5,
    )
    _cross(kit, openings[0], kit.material("black", "white", "rubber", name="controller cross"), tall)
    for name, s in (("left_stick", -1), ("right_stick", 1)):
        _stick(kit, name, (s * 0.2 * wide, -0.5 * long - 0.008, 0.8 * tall), shell)
    for name, s in (("left_trigger", -1), ("right_trigger", 1)):
        pin = np.array([s * 0.3 * wide, 0.5 * long - 0.001, 0.78 * tall])
        lever = plate(np.array([[0, -0.0025], [0.0105, -0.006], [0.009, -0.0145], [0.0035, -0.011], [0.002, 0.0025]]),
                      0.16 * wide, pin + (0, 0.0028, 0), "yz", bevel=0.0008)  # fmt: skip
        kit.link(name, paint(kit.material("black", "rubber", name="controller lever"), lever, parts="lever"))
        kit.meshes["body"].append(paint(shell, barrel(pin + (0, 0.0018, 0), "x", 0.12 * wide, 0.0016)))
        kit.hinge(
            "body",
            name,
            at=pin + (0, 0.0018, 0),
            axis="-x",
            lower=0,
            upper=kit.between(6, 10, name="controller body opens to"),
        )


def _tilting(kit: Kit, name: str, at: Array, swing: float) -> None:
    """Joins a link so that it leans about x and about y."""
    bone = kit.bone(f"{name}_yoke")
    kit.hinge("body", bone, at=at, axis="x", lower=-swing, upper=swing)
    kit.hinge(bone, name, at=at, axis="y", lower=-swing, upper=swing)


def _cross(kit: Kit, opening: Opening, color: Material, tall: float) -> None:
    """A cross-shaped pad that tips towards where it is pressed."""
    x, y, w, _, _ = opening
    reach, arm = w - 0.002, 0.32 * w
    low, high = tall - 0.002, tall + 0.0028
    at = np.array([x, y, low])
    arms = [
        block((*size, high - low), (x, y, 0.5 * (low + high)), round=0.0006) for size in ((reach, arm), (arm, reach))
    ]
    kit.link("cross", paint(color, arms, parts="arms"))
    _tilting(kit, "cross", at, kit.between(4, 7, name="cross tilting"))


def _stick(kit: Kit, name: str, at: Vector, shell: Material) -> None:
    """A post on a ball in a cup, with a dished cap for the thumb."""
    x, y, z = at
    r = kit.between(0.0085, 0.0105, name="stick r")
    tower = rod((x, y, 0.1 * z), (x, y, z), 1.55 * r, round=0.002, sides=28)
    rim = pipe((x, y, z - 0.001), (x, y, z + 0.003), 1.5 * r, 0.35 * r, sides=28)
    kit.meshes["body"].append(paint(shell, tower, rim, parts="tower, rim"))
    foot, high = z + 0.0045, z + kit.between(0.012, 0.016, name="stick height share")
    post = rod((x, y, foot), (x, y, high + 0.001), 0.0034)
    dish = np.array([[0, 0], [0.8, 0], [1.0, 0.15], [1.0, 0.3], [0.85, 0.4], [0.6, 0.28], [0, 0.22]]) * r
    kit.link(
        name, paint(kit.material("black", "rubber", name="stick lathe"), lathe(dish, (x, y, high), segments=24)),
        paint(kit.material("black", "metal", name="stick post"), post, ball(0.004, (x, y, foot), 14), parts="post, "),
    )  # fmt: skip
    _tilting(kit, name, np.array([x, y, foot]), kit.between(12, 20, name="stick tilting"))
