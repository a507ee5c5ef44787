"""Surfaces of soft solids: pillows and toys, closed, standing or lying on z = 0."""

import numpy as np

from neurok.data.procedural.limbs import Limb, ellipsoid, fuse_limbs
from neurok.data.procedural.shapes import slab
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh

PILLOW_POINT_COUNT = 29  # along a side of a pillow


def make_pillow(rng: np.random.Generator) -> Mesh:
    """A cushion with drawn-in sides and pointed corners, or a round one."""
    width = rng.uniform(0.35, 0.55)
    depth = width * (1.0 if rng.random() < 0.6 else rng.uniform(0.6, 0.85))
    thick = 0.5 * (width + depth) * rng.uniform(0.25, 0.38)
    # Closer together towards the seams, where the faces turn steep.
    tick = np.sin(np.linspace(-0.5, 0.5, PILLOW_POINT_COUNT) * np.pi * 0.96) / np.sin(0.48 * np.pi)
    u, v = np.meshgrid(tick, tick, indexing="ij")
    if rng.random() < 0.25:
        x, y = u * np.sqrt(1 - 0.5 * v**2), v * np.sqrt(1 - 0.5 * u**2)
        height = np.clip(1 - x**2 - y**2, 0.0, 1.0) ** rng.uniform(0.3, 0.45)
    else:
        pinch = rng.uniform(0.03, 0.1)
        x, y = u * (1 - pinch * (1 - v**2)), v * (1 - pinch * (1 - u**2))
        height = np.clip((1 - u**4) * (1 - v**4), 0.0, 1.0) ** rng.uniform(0.4, 0.6)
    grid = np.stack([0.5 * width * x, 0.5 * depth * y, 0.0 * x], axis=2)
    return put_on_ground(slab(grid, np.maximum(thick * height, 0.05 * thick)))


def make_toy(rng: np.random.Generator) -> Mesh:
    """A soft toy: a bear, a rabbit, a duck, an elephant or a dinosaur, about 0.3 m high, looking to -y."""
    limbs = (_bear, _rabbit, _duck, _elephant, _dinosaur)[int(rng.integers(5))](rng)
    mesh = fuse_limbs(limbs, blend=0.012, cells=int(rng.integers(30, 37)))
    scale = rng.uniform(0.8, 1.2) * np.array([rng.uniform(0.9, 1.1), 1.0, rng.uniform(0.9, 1.1)])
    mesh = put_on_ground(mesh.with_vertices(mesh.vertices * scale))
    sole = 0.035 * mesh.vertices[:, 2].max()  # flat, so that it stands
    return put_on_ground(mesh.with_vertices(np.maximum(mesh.vertices, (-np.inf, -np.inf, sole))))


def put_on_ground(mesh: Mesh) -> Mesh:
    return mesh.with_vertices(mesh.vertices - (0.0, 0.0, mesh.vertices[:, 2].min()))


def _mirror_limb(path: Array | list, radius: float | list) -> list[Limb]:
    """A limb on the right and its mirror image."""
    path = np.atleast_2d(np.asarray(path, dtype=np.float64))
    return [Limb("", path * (s, 1.0, 1.0), radius) for s in (1.0, -1.0)]


def _bear(rng: np.random.Generator) -> list[Limb]:
    """Sitting, its legs forward."""
    belly, head = rng.uniform(0.075, 0.09), rng.uniform(0.06, 0.07)
    top = 0.13 + belly + 0.5 * head
    return [
        ellipsoid("", (0, 0, 0.1), (belly, 0.9 * belly, 0.1)),
        ellipsoid("", (0, -0.01, top), (1.05 * head, head, 0.95 * head)),
        ellipsoid("", (0, -0.01 - 0.9 * head, top - 0.015), (0.03, 0.025, 0.022)),
        *_mirror_limb([[0.75 * head, 0, top + 0.8 * head]], 0.026),
        *_mirror_limb([[0.06, -0.02, 0.16], [0.115, -0.06, 0.1]], [0.032, 0.028]),
        *_mirror_limb([[0.05, -0.04, 0.045], [0.085, -0.14, 0.04]], [0.042, 0.036]),
        *_mirror_limb([[0.085, -0.15, 0.055]], 0.04),
    ]


def _rabbit(rng: np.random.Generator) -> list[Limb]:
    """Standing up, with long ears."""
    ear, out = rng.uniform(0.09, 0.14), rng.uniform(0.01, 0.06)
    return [
        ellipsoid("", (0, 0, 0.1), (0.065, 0.06, 0.085)),
        ellipsoid("", (0, -0.01, 0.215), (0.055, 0.052, 0.052)),
        ellipsoid("", (0, -0.055, 0.2), (0.022, 0.02, 0.016)),
        *_mirror_limb([[0.025, 0.0, 0.25], [0.03 + 0.5 * out, 0.0, 0.25 + 0.6 * ear], [0.03 + out, 0.0, 0.25 + ear]],
               [0.016, 0.022, 0.014]),
        *_mirror_limb([[0.05, -0.01, 0.15], [0.08, -0.05, 0.1]], [0.024, 0.022]),
        *_mirror_limb([[0.035, 0.0, 0.035], [0.04, -0.07, 0.025]], [0.035, 0.025]),
        Limb("", [(0, 0.07, 0.06)], 0.026),
    ]  # fmt: skip


def _duck(rng: np.random.Generator) -> list[Limb]:
    neck = rng.uniform(0.16, 0.2)
    return [
        ellipsoid("", (0, 0.0, 0.075), (0.085, 0.12, 0.075)),
        Limb("", [(0, 0.09, 0.09), (0, 0.15, 0.14)], [0.045, 0.016]),
        Limb("", [(0, -0.07, 0.1), (0, -0.085, neck)], [0.05, 0.04]),
        Limb("", [(0, -0.09, neck + 0.03)], 0.06),
        Limb("", [(0, -0.14, neck + 0.02), (0, -0.185, neck + 0.012)], [0.022, 0.013], (1.3, 1.0, 1.0)),
        *_mirror_limb([[0.075, -0.02, 0.1], [0.09, 0.06, 0.11]], [0.028, 0.016]),
    ]


def _elephant(rng: np.random.Generator) -> list[Limb]:
    droop = rng.uniform(0.0, 0.05)
    trunk = [(0, -0.15, 0.18), (0, -0.2, 0.14), (0, -0.215, 0.08), (0, -0.235, 0.05 - 0.4 * droop)]
    return [
        ellipsoid("", (0, 0.02, 0.16), (0.08, 0.115, 0.08)),
        ellipsoid("", (0, -0.11, 0.2), (0.065, 0.062, 0.066)),
        Limb("", trunk, [0.03, 0.024, 0.019, 0.016]),
        *_mirror_limb([[0.07, -0.08, 0.22], [0.125, -0.07, 0.2 - droop]], [0.02, 0.026]),
        *_mirror_limb([[0.05, -0.05, 0.12], [0.052, -0.05, 0.03]], 0.033),
        *_mirror_limb([[0.05, 0.085, 0.12], [0.052, 0.085, 0.03]], 0.033),
        Limb("", [(0, 0.13, 0.18), (0, 0.155, 0.12)], [0.012, 0.01]),
    ]


def _dinosaur(rng: np.random.Generator) -> list[Limb]:
    """Four legs, a long neck and a long tail."""
    high = rng.uniform(0.27, 0.34)
    return [
        ellipsoid("", (0, 0, 0.13), (0.07, 0.1, 0.07)),
        Limb("", [(0, -0.07, 0.15), (0, -0.13, 0.21), (0, -0.14, high)], [0.045, 0.033, 0.028]),
        Limb("", [(0, -0.145, high), (0, -0.185, high - 0.01)], [0.034, 0.024]),
        Limb("", [(0, 0.08, 0.12), (0, 0.17, 0.07), (0, 0.26, 0.05)], [0.05, 0.028, 0.012]),
        *_mirror_limb([[0.045, -0.055, 0.1], [0.05, -0.055, 0.028]], 0.028),
        *_mirror_limb([[0.045, 0.06, 0.1], [0.05, 0.06, 0.03]], 0.03),
    ]
