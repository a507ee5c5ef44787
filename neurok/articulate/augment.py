"""Shapes turned about the vertical, mirrored, stretched and roughened, with their labels and candidates."""

from dataclasses import replace

import numpy as np

from neurok.articulate.examples import Example
from neurok.articulate.labels import SLIDES
from neurok.articulate.placing import FACING
from neurok.geometry.mesh import Array

STRETCH = 0.25  # log of the most by which one direction is stretched against the others
NOISE = 0.0015  # diagonals
# How often shapes are turned by quarters, by any angle, and mirrored: seldom, since drawers come to the front and doors
# hang on the right; but not never, since meshes may face anywhere.
QUARTERS, ANYHOW, MIRRORED = 0.3, 0.05, 0.15


def augmented(one: Example, rng: np.random.Generator) -> Example:
    """Another look at an example."""
    S = np.diag(np.exp(rng.uniform(-STRETCH, STRETCH, 3)))
    Q = _turn(rng)
    if rng.random() < MIRRORED:
        Q = Q @ np.diag([1.0, -1.0, 1.0])
    if one.source == "made":  # these face -y, the others -x
        Q = Q @ FACING[3]
    return moved(one, Q @ S, rng)


def _turn(rng: np.random.Generator) -> Array:
    draw = rng.random()
    if draw < ANYHOW:
        angle = rng.uniform(-np.pi, np.pi)
    elif draw < ANYHOW + QUARTERS:
        angle = rng.integers(4) * np.pi / 2
    else:
        angle = 0.0
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def moved(one: Example, A: Array, rng: np.random.Generator | None = None) -> Example:
    """x' = (A x - c) / size, with c and size such that the result is canonical again.

    A turn about an axis is a turn about its image the other way round where A mirrors; lengths along a slide grow as
    its direction does.
    """
    seen, labels, tried = one.seen, one.labels, one.tried
    # Boxes are those of the moved corners where axes stay axes, else of the points.
    straight = np.allclose(np.sort(np.abs(A), axis=1)[:, :2], 0.0, atol=1e-9)
    ends = (seen.box if straight else seen.points) @ A.T
    lower, upper = ends.min(axis=(0, 1)), ends.max(axis=(0, 1))
    centre, size = 0.5 * (lower + upper), float(np.linalg.norm(upper - lower)) or 1.0
    place = lambda x: (x @ A.T - centre) / size  # noqa: E731
    steep = np.linalg.inv(A).T
    normal = lambda n: _unit(n @ steep.T)  # noqa: E731
    points = place(seen.points)
    ends = (ends - centre) / size
    box = np.stack([ends.min(axis=1), ends.max(axis=1)], axis=1)
    if rng is not None:
        points = points + rng.normal(0.0, NOISE, points.shape)
    patches = np.concatenate([place(seen.patches[..., :3]), normal(seen.patches[..., 3:])], axis=-1)
    mirror = np.sign(np.linalg.det(A))
    along = labels.axis @ A.T
    length = np.linalg.norm(along, axis=1)
    slides = labels.kind == SLIDES
    axis = along / length[:, None] * np.where(slides, 1.0, mirror)[:, None]
    limits = labels.limits * np.where(slides, length / size, 1.0)[:, None]
    return replace(
        one,
        seen=replace(
            seen, points=_single(points), normals=_single(normal(seen.normals)), box=_single(box),
            patches=_single(patches),
        ),
        labels=replace(labels, axis=axis, point=place(labels.point), limits=limits),
        tried=replace(tried, axis=_unit(tried.axis @ A.T), pivot=place(tried.pivot)),
    )  # fmt: skip


def _unit(vectors: Array) -> Array:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def _single(array: Array) -> Array:
    return np.asarray(array, dtype=np.float32)
