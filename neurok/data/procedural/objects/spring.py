"""A coil spring that is pressed, drawn out and bent."""

import numpy as np

from neurok.data.procedural.backbone import Way, add_backbone
from neurok.data.procedural.kit import Kit, compute_stretch_weights
from neurok.data.procedural.placing import paint, translate
from neurok.data.procedural.shapes import rod, tube
from neurok.geometry.arrays import Array

BONES = 6


def draw(kit: Kit) -> None:
    turns, radius = kit.between(4.5, 10.0, name="turns"), kit.between(0.02, 0.06, name="radius")
    wire = radius * kit.between(0.09, 0.17, name="wire share")
    pitch = wire * kit.between(3.6, 5.5, name="pitch share")
    shape = kit.pick("straight", "straight", "cone", "barrel", "waist", name="shape")
    ends = kit.pick("closed", "hooks", "plates", name="ends")
    path = _helix(turns, radius, pitch, shape, ends == "hooks")
    low = path[:, 2].min() - wire - (1.2 * wire if ends == "plates" else 0.0)
    path = path - (0, 0, low)
    bottom, top = path[:, 2].min(), path[:, 2].max()
    base = kit.bone("foot")
    axis = np.array([[0.0, 0.0, bottom], [0.0, 0.0, top]])
    room = (pitch - 2.15 * wire) * turns / BONES  # until the coils touch
    bend = min(np.degrees(0.25 * room / radius), 14.0)
    ways = [
        Way("length", "z", -0.45 * room, kit.between(0.5, 1.1, name="ways share") * pitch * turns / BONES, slides=True),
        Way("bend", "x", -bend, bend),
        Way("lean", "y", -bend, bend),
    ]
    chain = [base, *add_backbone(kit, "coil", base, axis, BONES, ways)]
    metal = kit.material("metal", "metal", "dark_metal", "brass", "red", "plastic", name="metal")
    coil = paint(metal, tube(path, wire, sides=9))
    kit.skin(coil, compute_stretch_weights(coil, axis, chain))
    if ends == "plates":
        foot = rod((0, 0, 0), (0, 0, 2.0 * wire), 1.35 * radius, sides=32)
        colour = kit.material("dark_metal", "plastic", name="colour")
        head = paint(colour, translate(foot, 0, 0, top - 0.8 * wire), parts="foot")
        for plate, bone in ((paint(colour, foot, parts="foot"), base), (head, chain[-1])):
            kit.skin(plate, {bone: np.ones(plate.vertex_count)})


def _helix(turns: float, radius: float, pitch: float, shape: str, hooks: bool) -> Array:
    """The wire's centre line, its last turn at each end flat; with hooks it runs into a loop across the axis."""
    count = int(26 * turns)
    angle = np.linspace(0.0, 2 * np.pi * turns, count)
    t = np.linspace(0.0, 1.0, count)
    if hooks:
        z = pitch * angle / (2 * np.pi)
    else:  # the pitch grows from a third over the first turn
        rate = np.clip(np.minimum(angle, angle[-1] - angle) / np.pi, 0.45, 1.0)
        z = np.concatenate([[0.0], np.cumsum(rate[:-1])]) * (angle[1] / (2 * np.pi)) * pitch
    swell = {
        "straight": 1.0 + 0 * t,
        "cone": 1.15 - 0.6 * t,
        "barrel": 0.65 + 0.55 * np.sin(np.pi * t),
        "waist": 1.15 - 0.5 * np.sin(np.pi * t),
    }[shape]
    coil = np.stack([radius * swell * np.cos(angle), radius * swell * np.sin(angle), z], axis=1)
    if not hooks:
        return coil
    return np.concatenate([_hook(coil[0], coil[0] - coil[1])[::-1], coil, _hook(coil[-1], coil[-1] - coil[-2])])


def _hook(start: Array, way: Array) -> Array:
    """From the end of the coil inwards and on into an upright loop on the axis."""
    up = np.sign(way[2])
    r = 0.55 * float(np.linalg.norm(start[:2]))
    out = start[:2] / np.linalg.norm(start[:2])
    angle = np.linspace(-0.15 * np.pi, 1.35 * np.pi, 22)
    ring = r * np.cos(angle)
    centre = start[2] + up * (1.5 * r)
    loop = np.stack([ring * out[0], ring * out[1], centre + up * r * np.sin(angle)], axis=1)
    bend = 0.5 * (start + loop[0]) + 0.25 * r * way / np.linalg.norm(way)
    return np.concatenate([bend[None], loop])
