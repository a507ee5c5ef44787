"""A flag that waves on a pole, which tilts on its foot."""

import numpy as np

from neurok.data.procedural.backbone import Way, add_backbone, compute_wave_factors
from neurok.data.procedural.fittings import barrel
from neurok.data.procedural.kit import Kit, compute_bend_weights
from neurok.data.procedural.limbs import cell_centres, tint_faces
from neurok.data.procedural.placing import mirror, paint
from neurok.data.procedural.shapes import ball, block, lathe, rod, slab
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh

BONES = 6


def draw(kit: Kit) -> None:
    tall = kit.between(1.6, 3.0, name="height")
    pole = tall * kit.between(0.011, 0.017, name="pole share")  # radius
    height = tall * kit.between(0.28, 0.4, name="height share")  # of the flag
    length = height * kit.between(1.3, 1.8, name="length share")
    foot = 0.5 * length * kit.between(0.7, 1.0, name="foot share")
    hinge = np.array([0.0, 0.0, 5.5 * pole])
    _foot(kit, foot, pole, hinge)

    top = hinge[2] + tall
    shaft = rod(hinge, (0, 0, top), pole, end_radius=0.75 * pole, sides=18)
    knuckle = barrel(hinge, "y", 2.4 * pole, 1.5 * pole)
    tip = kit.pick("ball", "spear", name="tip")
    spear = lathe(np.array([[0.6, -0.5], [1.3, 0.8], [1.8, 2.0], [0.0, 6.0]]) * pole, (0, 0, top), segments=16)
    finial = ball(2.0 * pole, (0, 0, top + 1.2 * pole), 16) if tip == "ball" else spear
    kit.link(
        "pole",
        paint(
            kit.material("metal", "white", "wood", "dark_metal", name="shaft"), shaft, knuckle, parts="shaft, hinges"
        ),
        paint(kit.material("brass", "metal", name="finial"), finial, parts="finial"),
    )
    kit.hinge(
        "foot",
        "pole",
        at=hinge,
        axis="y",
        lower=-kit.between(25, 60, name="pole goes back to"),
        upper=kit.between(15, 40, name="pole opens to"),
    )

    middle = top - 0.55 * height - pole
    path = np.stack([np.linspace(0.0, length, 25), np.zeros(25), np.full(25, middle)], axis=1)
    turns, limit = kit.between(0.8, 1.3, name="turns"), kit.between(20, 30, name="limit")
    ways = [
        Way(n, "z", -limit, limit, compute_wave_factors(BONES, turns, p, least=0.5))
        for n, p in (("wave", 0.1), ("flutter", 0.35))
    ]
    ways.append(Way("droop", "y", -2, kit.between(6, 10, name="way")))
    cloth = _cloth(kit, length, height, middle, pole)
    chain = ["pole", *add_backbone(kit, "flag", "pole", path, BONES, ways)]
    kit.skin(cloth, compute_bend_weights(cloth, path, chain))


def _foot(kit: Kit, width: float, pole: float, hinge: Array) -> None:
    """A heavy plate or cone with two cheeks that hold the pole's pin."""
    metal = kit.material("dark_metal", "metal", "paint", "ceramic", name="foot metal")
    plate = 2.2 * pole
    if kit.chance(0.5, name="square base"):
        base = block((width, width, plate), (0, 0, 0.5 * plate), round=0.3 * plate)
    else:
        base = lathe(
            np.array([[0.0, 0.0], [0.5 * width, 0.0], [0.5 * width, 0.4 * plate], [0.2 * width, plate], [0.0, plate]]),
            segments=36,
        )
    cheek = block(
        (3.6 * pole, 1.2 * pole, hinge[2] + 1.5 * pole - 0.5 * plate),
        (0, 2.0 * pole, 0.5 * (hinge[2] + 1.5 * pole + 0.5 * plate)),
        round=0.3 * pole,
    )
    pin = rod(hinge - (0, 3.0 * pole, 0), hinge + (0, 3.0 * pole, 0), 0.6 * pole)
    kit.link(
        "foot",
        paint(metal, base, cheek, mirror(cheek, "y"), parts="base, cheek, cheek"),
        paint(kit.material("brass", "metal", name="foot pin"), pin, parts="pin"),
    )


def _cloth(kit: Kit, length: float, height: float, middle: float, pole: float) -> Mesh:
    style = kit.pick("oblong", "oblong", "oblong", "swallowtail", "pennant", name="flag shape")
    t, s = np.meshgrid(np.linspace(0.0, 1.0, 37), np.linspace(-0.5, 0.5, 19), indexing="ij")
    x, z = t * length, s * height
    if style == "pennant":
        z = z * (1.0 - 0.92 * t)
    if style == "swallowtail":
        x = x * (1.0 - 0.3 * t * (1 - 2 * np.abs(s)))
    ripple = (
        0.05
        * length
        * t
        * np.sin(
            2
            * np.pi
            * (
                kit.between(0.9, 1.5, name="cloth ripple share") * t
                + kit.between(0, 1, name="cloth ripple share")
                + 0.15 * s
            )
        )
    )
    mesh = slab(np.stack([x + 0.3 * pole, ripple, middle + z], axis=2), 0.55 * pole)
    centre = cell_centres(mesh)
    u, v = centre[:, 0] / length, (centre[:, 2] - middle) / height
    materials = (
        kit.material("red", "plastic", name="cloth materials"),
        kit.material("white", "yellow", name="cloth materials"),
        kit.material("plastic", "leaf", "black", name="cloth materials"),
    )
    return tint_faces(mesh, materials, _design(kit, u, v))


def _design(kit: Kit, u: Array, v: Array) -> Indices:
    """Which of three colours where; u along the flag 0 to 1, v up -1/2 to 1/2."""
    design = kit.pick("level", "upright", "cross", "disc", "canton", name="flag design")
    if design == "level":
        return np.clip(np.floor(3 * (v + 0.5)), 0, 2).astype(int)
    if design == "upright":
        return np.clip(np.floor(3 * u), 0, 2).astype(int)
    if design == "cross":
        return ((np.abs(v) < 0.1) | (np.abs(u - 0.36) < 0.07)).astype(int)
    if design == "disc":
        return (((u - 0.5) * 1.5) ** 2 + v**2 < 0.08).astype(int)
    return np.where((u < 0.42) & (v > 0.0), 2, (np.floor(9 * (v + 0.5)) % 2).astype(int))
