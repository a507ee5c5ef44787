"""A snake that winds along the floor and lifts its head."""

import numpy as np

from neurok.data.procedural.backbone import Way, add_backbone, compute_wave_factors
from neurok.data.procedural.kit import Kit, compute_bend_weights
from neurok.data.procedural.limbs import attach_to_bone, cell_centres, tint_faces
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import ball, tube
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh

BONES = 12


def draw(kit: Kit) -> None:
    length, radius = kit.between(0.8, 1.8, name="length"), kit.between(0.014, 0.024, name="radius")
    radius *= length
    path = _path(kit, length)
    path = np.c_[path - 0.5 * (path.min(axis=0) + path.max(axis=0)), np.full(len(path), 0.9 * radius)]
    t = np.linspace(0.0, 1.0, len(path))
    girth = radius * np.clip(np.sqrt(t / 0.5), 0.12, 1.0) * (1.0 - 0.28 * np.clip((t - 0.72) / 0.24, 0.0, 1.0) ** 2)
    kit.bone("tail")
    limit = kit.between(9, 13, name="limit")
    ways = [
        Way(n, "z", -limit, limit, compute_wave_factors(BONES, 1.3, p, least=0.8))
        for n, p in (("winding", 0.1), ("wave", 0.35))
    ]
    across = np.cross((0.0, 0.0, 1.0), path[-1] - path[-30])
    ways.append(Way("lift", -across, 0, 24, [0.0] * 9 + [1.0, 0.55, -0.9]))
    bones = ["tail", *add_backbone(kit, "spine", "tail", path, BONES, ways)]
    body = _body(path, girth, radius)
    mesh = tint_faces(body, _skin_colours(kit), _pattern(kit, body, path, radius))
    kit.skin(mesh, compute_bend_weights(mesh, path, bones))
    _face(kit, path, radius, bones[-1])


def _path(kit: Kit, length: float) -> Array:
    """A winding line on the floor from the tail to the head, [97, 2]."""
    t = np.linspace(0.0, 1.0, 97)
    turns, swing = kit.between(1.2, 2.2, name="path turns"), np.radians(kit.between(35, 58, name="path swing share"))
    heading = (
        swing * np.sin(2 * np.pi * turns * t + kit.between(0, 6.28, name="path heading share"))
        - 1.9
        + kit.between(-0.3, 0.3, name="path heading share")
    )
    steps = length / 96 * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    return np.concatenate([[[0.0, 0.0]], np.cumsum(steps[:-1], axis=0)])


def _body(path: Array, girth: Array, radius: float) -> Mesh:
    """A tube that ends in a broad flat head."""
    mesh = tube(path, girth, sides=16)
    way = path[-1] - path[-3]
    way /= np.linalg.norm(way)
    side = np.cross((0.0, 0.0, 1.0), way)
    offset = mesh.vertices - path[-1]
    ahead = offset @ way / radius  # in radii
    near = np.linalg.norm(offset, axis=1) < 9 * radius
    bulge = np.where(near, np.exp(-(((ahead + 2.0) / 1.6) ** 2)), 0.0)
    sideways = (offset @ side)[:, None] * side
    upright = (mesh.vertices[:, 2:] - path[-1, 2]) * (0.0, 0.0, 1.0)
    return mesh.with_vertices(mesh.vertices + bulge[:, None] * (0.95 * sideways + 0.12 * upright))


def _skin_colours(kit: Kit) -> tuple:
    return kit.material("leaf", "fur", "yellow", "plastic", "earth", name="skin colours detail"), kit.material(
        "black", "earth", "yellow", "paper", name="skin colours detail"
    )


def _pattern(kit: Kit, mesh: Mesh, path: Array, radius: float) -> Indices:
    """Bands, diamonds along the back, a pale belly, or plain."""
    centre = cell_centres(mesh)
    near = np.argmin(np.linalg.norm(centre[:, None, :2] - path[None, :, :2], axis=2), axis=1)
    style, pitch = kit.pick("bands", "diamonds", "belly", name="pattern"), kit.count(4, 7, name="pattern count")
    up = (centre[:, 2] - path[near, 2]) / radius
    if style == "bands":
        return (near % pitch < pitch // 2).astype(int)
    if style == "diamonds":
        return (up > 0.25 + 0.3 * np.abs(near % pitch - pitch / 2)).astype(int)
    return (up < -0.35).astype(int)


def _face(kit: Kit, path: Array, radius: float, bone: str) -> None:
    way = (path[-1] - path[-3]) / np.linalg.norm(path[-1] - path[-3])
    side = np.cross((0.0, 0.0, 1.0), way)
    eyes = [
        ball(0.24 * radius, path[-1] - 0.9 * radius * way + radius * (s * 0.72 * side + (0, 0, 0.52)), 10)
        for s in (1, -1)
    ]
    attach_to_bone(kit, bone, paint(kit.material("black", name="face eyes"), *eyes, parts="eyes"))
    if kit.chance(0.75, name="tongue"):
        root, fork = path[-1] + 0.3 * radius * way, path[-1] + 1.9 * radius * way
        tips = [fork + radius * (0.8 * way + s * 0.35 * side) for s in (1, -1)]
        prongs = [tube(np.stack([root, 0.5 * (root + fork), fork, tip]), 0.1 * radius, sides=6) for tip in tips]
        attach_to_bone(kit, bone, paint(kit.material("red", name="face prongs"), *prongs, parts="prongs"))
