"""Shapes turned about the vertical, mirrored, warped and roughened, with their labels and candidates."""

from dataclasses import replace

import numpy as np

from neurok.articulate.examples import Example
from neurok.articulate.facing import FACING
from neurok.articulate.labels import MotionType
from neurok.data.augment import Augmentation
from neurok.data.warp import Warp, random_warp
from neurok.geometry.arrays import Array
from neurok.proposals.sampling import TOUCH_DISTANCE

# All set by hand, never measured.
# How often shapes are turned by quarters, by any angle, and mirrored: seldom, since drawers come to the front and doors
# hang on the right; but not never, since meshes may face anywhere.
QUARTER_TURN_SHARE, FREE_TURN_SHARE, MIRROR_SHARE = 0.3, 0.05, 0.15


def augment_example(one: Example, rng: np.random.Generator) -> Example:
    """Another look at an example."""
    one = warp_example(one, random_warp(Augmentation.stretch, Augmentation.pieces, rng))
    Q = _draw_turn(rng)
    if rng.random() < MIRROR_SHARE:
        Q = Q @ np.diag([1.0, -1.0, 1.0])
    if one.source == "made":  # these face -y, the others -x
        Q = Q @ FACING[3]
    return transform_example(one, Q, rng)


def warp_example(one: Example, warp: Warp) -> Example:
    """An example of other proportions; features, survivors, areas and gaps are taken to be those of it as it was.

    Axes turn as the surface does at their pivots, slides as it does in the middle of their parts. The result is not yet
    canonical: `moved` makes it so.
    """
    observation, labels, tried = one.observation, one.labels, one.tried
    middle = observation.box.mean(axis=1, dtype=np.float64)
    # Where no motion was tried, the empty list of parts has no kind of its own.
    part = np.asarray(tried.part, dtype=np.int64)
    tried_slope = np.where(tried.turns[:, None], warp.slope(tried.pivot), warp.slope(middle[part]))
    along = labels.axis * np.where(
        labels.kind[:, None] == MotionType.SLIDES, warp.slope(middle), warp.slope(labels.point)
    )
    length = np.where(labels.kind == MotionType.SLIDES, np.linalg.norm(along, axis=1), 1.0)
    points, surface = observation.points.astype(np.float64), observation.patches[..., :3].astype(np.float64)
    patches = np.concatenate([warp(surface), _normalise(observation.patches[..., 3:] / warp.slope(surface))], axis=-1)
    return replace(
        one,
        observation=replace(
            observation, points=_single(warp(points)),
            normals=_single(_normalise(observation.normals / warp.slope(points))),
            box=_single(warp(observation.box.astype(np.float64))), patches=_single(patches),
        ),
        labels=replace(
            labels, axis=_normalise(along), point=warp(labels.point), limits=labels.limits * length[:, None]
        ),
        tried=replace(tried, axis=_normalise(tried.axis * tried_slope), pivot=warp(tried.pivot)),
    )  # fmt: skip


def _draw_turn(rng: np.random.Generator) -> Array:
    draw = rng.random()
    if draw < FREE_TURN_SHARE:
        angle = rng.uniform(-np.pi, np.pi)
    elif draw < FREE_TURN_SHARE + QUARTER_TURN_SHARE:
        angle = rng.integers(4) * np.pi / 2
    else:
        angle = 0.0
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def transform_example(one: Example, A: Array, rng: np.random.Generator | None = None) -> Example:
    """x' = (A x - c) / size, with c and size such that the result is canonical again.

    A turn about an axis is a turn about its image the other way round where A mirrors; lengths along a slide grow as
    its direction does.
    """
    observation, labels, tried = one.observation, one.labels, one.tried
    # Boxes are those of the moved corners where axes stay axes, else of the points.
    straight = np.allclose(np.sort(np.abs(A), axis=1)[:, :2], 0.0, atol=1e-9)
    ends = (observation.box if straight else observation.points) @ A.T
    lower, upper = ends.min(axis=(0, 1)), ends.max(axis=(0, 1))
    centre, size = 0.5 * (lower + upper), float(np.linalg.norm(upper - lower)) or 1.0
    place = lambda x: (x @ A.T - centre) / size  # noqa: E731
    steep = np.linalg.inv(A).T
    normal = lambda n: _normalise(n @ steep.T)  # noqa: E731
    points = place(observation.points)
    ends = (ends - centre) / size
    box = np.stack([ends.min(axis=1), ends.max(axis=1)], axis=1)
    if rng is not None:
        points = points + rng.normal(0.0, TOUCH_DISTANCE / 8, points.shape)
    patches = np.concatenate([place(observation.patches[..., :3]), normal(observation.patches[..., 3:])], axis=-1)
    mirror = np.sign(np.linalg.det(A))
    along = labels.axis @ A.T
    length = np.linalg.norm(along, axis=1)
    slides = labels.kind == MotionType.SLIDES
    axis = along / length[:, None] * np.where(slides, 1.0, mirror)[:, None]
    limits = labels.limits * np.where(slides, length / size, 1.0)[:, None]
    return replace(
        one,
        observation=replace(
            observation, points=_single(points), normals=_single(normal(observation.normals)), box=_single(box),
            patches=_single(patches),
        ),
        labels=replace(labels, axis=axis, point=place(labels.point), limits=limits),
        tried=replace(tried, axis=_normalise(tried.axis @ A.T), pivot=place(tried.pivot)),
    )  # fmt: skip


def _normalise(vectors: Array) -> Array:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def _single(array: Array) -> Array:
    return np.asarray(array, dtype=np.float32)
