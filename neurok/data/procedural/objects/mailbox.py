"""A letter box on a post: an arched tunnel with a door in front and a flag at its side."""

import numpy as np

from neurok.data.procedural.fittings import knob, knuckles
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import ball, block, frame, lathe, plate, rod
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    width, length = kit.between(0.16, 0.26, name="width"), kit.between(0.38, 0.55, name="length")
    side = width * kit.between(0.45, 0.8, name="side share")  # height of the upright walls under the arch
    wall = 0.035 * width
    tin = kit.material("metal", "dark_metal", "paint", "paint", "white", "plastic", name="tin")
    z = kit.pick(0.0, kit.between(0.5, 1.0, name="z share"), kit.between(0.7, 1.1, name="z share"), name="post height")
    z = max(z, 0.03)
    shell = np.concatenate([_arch(width, side, 0.0), _arch(width, side, wall)[::-1]])
    y = -length / 2
    body = [plate(shell, length, (0, 0, z), "xz", bevel=0.2 * wall)]
    body.append(plate(_arch(width, side, 0.3 * wall), wall, (0, length / 2 - wall, z), "xz"))
    body.append(block((width - wall, length, wall), (0, 0, z + wall / 2), round=0))
    post = _post(kit, z, width, length)
    hinges = knuckles((0, y - 0.004, z + 0.004), "x", 0.3 * width, 0.16 * width, 0.006)
    kit.link("box", paint(tin, body, parts="body"), paint(tin, hinges, parts="hinges"), *post)

    thick = 0.05 * width
    front = plate(
        _arch(width, side, -0.5 * wall, low=0.004), thick, (0, y - 0.002 - thick / 2, z), "xz", bevel=0.3 * thick
    )
    crest = z + side + 0.33 * width
    grip = knob((0, y - thick, crest), "-y", 0.07 * width)
    pieces = [
        paint(tin, front, parts="front"),
        paint(kit.material("metal", "brass", "dark_metal", name="pieces"), grip, parts="handle"),
    ]
    if kit.chance(0.6, name="sign"):
        sign = frame(0.5 * width, 0.24 * width, 0.03 * width, 0.02 * width, (0, y - 0.002 - thick, z + 0.6 * side))
        pieces.append(paint(kit.material("white", "brass", "black", name="sign"), sign, parts="sign"))
    kit.link("door", *pieces)
    kit.hinge(
        "box", "door", at=(0, y - 0.004, z + 0.004), axis="x", lower=0, upper=kit.between(85, 110, name="door opens to")
    )
    _flag(kit, width, length, z + 0.75 * side)


def _arch(width: float, side: float, inset: float, low: float = 0.0) -> Array:
    """An upright-walled arch (x, z), counter-clockwise from its right foot."""
    angle = np.linspace(0, np.pi, 15)
    r = width / 2 - inset
    arc = np.stack([r * np.cos(angle), side + r * np.sin(angle)], axis=1)
    return np.concatenate([[[r, low]], arc, [[-r, low]]])


def _post(kit: Kit, z: float, width: float, length: float) -> list[Mesh]:
    """A wooden post with a brace, an iron pole on a foot, or four stubs where it stands on the ground."""
    if z < 0.1:
        return [
            paint(
                kit.material("wood", "metal", name="post block"),
                block((0.9 * width, 0.9 * length, z + 0.004), (0, 0, z / 2 + 0.002)),
            )
        ]
    board = block((0.7 * width, 0.8 * length, 0.03), (0, 0, z - 0.012), round=0.004)
    if kit.chance(0.6, name="square post"):
        half = kit.between(0.035, 0.05, name="post half")
        pole = block((2 * half, 2 * half, z), (0, 0.1 * length, z / 2), round=0.006)
        brace = _brace((0, 0.1 * length, z - 0.3), (0, -0.3 * length, z - 0.02), half)
        return [
            paint(
                kit.material("wood", "wood", "white", name="post pole"), pole, board, brace, parts="pole, board, brace"
            )
        ]
    pole = rod((0, 0, 0), (0, 0, z), kit.between(0.018, 0.03, name="post pole share"))
    foot = lathe(np.array([[0, 0], [0.13, 0], [0.12, 0.02], [0.04, 0.035], [0, 0.035]]))
    return [paint(kit.material("dark_metal", "metal", name="post pole"), pole, foot, board, parts="pole, foot, board")]


def _brace(start: tuple, end: tuple, half: float) -> Mesh:
    return rod(start, end, 0.6 * half, sides=8)


def _flag(kit: Kit, width: float, length: float, z: float) -> None:
    """A flag on a side wall: it lies along the box at rest and is raised upright."""
    red: Material = kit.material("red", "red", "red", "yellow", name="flag detail")
    side = kit.pick(-1, -1, 1, name="flag side")
    x, y = side * (width / 2 + 0.012), -0.18 * length
    long, high = 0.4 * length, kit.between(0.12, 0.2, name="flag height share") * length
    pin = rod((side * (width / 2 - 0.002), y, z), (x + side * 0.008, y, z), 0.014, sides=14)
    kit.meshes["box"].append(paint(kit.material("dark_metal", name="flag pin"), pin, parts="pin"))
    arm = block((0.009, long, 0.022), (x, y + long / 2, z), round=0.002)
    cloth = block((0.009, 0.5 * high + 0.05, high), (x, y + long - 0.25 * high, z + high / 2 - 0.011), round=0.002)
    boss = ball(0.016, (x + side * 0.004, y, z), segments=12)
    kit.link("flag", paint(red, arm, cloth, boss, parts="arm, cloth, boss"))
    kit.hinge("box", "flag", at=(x, y, z), axis="x", lower=0, upper=kit.between(80, 95, name="flag flag opens to"))
