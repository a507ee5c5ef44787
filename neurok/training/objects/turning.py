"""Layouts mirrored and stretched: other objects of the same kind, for training."""

from dataclasses import replace

import numpy as np

from neurok.generate.learned.layout import DIAGONAL, Layout
from neurok.geometry.arrays import Array

MAX_STRETCH = 0.18  # logarithm of a factor of one axis
MIRROR = np.array([-1.0, 1.0, 1.0])


def vary_layout(layout: Layout, rng: np.random.Generator) -> Layout:
    """The layout mirrored or not, and stretched along the axes where all joints lie along these."""
    if rng.random() < 0.5:
        layout = mirror_layout(layout)
    straight = np.abs(layout.axis).max(axis=1) > 0.99
    if straight[1:].all():
        layout = stretch_layout(layout, np.exp(rng.uniform(-MAX_STRETCH, MAX_STRETCH, 3)))
    return layout


def mirror_layout(layout: Layout) -> Layout:
    """Left and right exchanged. The axis of a turn is no arrow: it keeps its direction across the mirror's plane.

    A screw keeps its slide; its thread becomes the other hand's, as the sense of the turn is not part of the layout.
    """
    turns = np.isin(layout.joint, (1, 3))[:, None]
    axis = layout.axis * np.where(turns, -MIRROR, MIRROR)
    limits = layout.limits
    endless = (layout.joint == 3) & (np.take_along_axis(axis, np.abs(axis).argmax(1)[:, None], 1)[:, 0] < 0)
    axis = np.where(endless[:, None], -axis, axis)
    return replace(layout, centre=layout.centre * MIRROR, pivot=layout.pivot * MIRROR, axis=axis, limits=limits)


def stretch_layout(layout: Layout, factors: Array) -> Layout:
    """Stretched along x, y, z, then brought back to the diagonal of the frame and its middle."""
    centre, half, pivot = layout.centre * factors, layout.half * factors, layout.pivot * factors
    lower, upper = (centre - half).min(axis=0), (centre + half).max(axis=0)
    scale, middle = np.linalg.norm(upper - lower) / DIAGONAL, (lower + upper) / 2
    slides = np.isin(layout.joint, (2, 4))
    along = np.where(slides, np.abs(layout.axis) @ factors / scale, 1.0)[:, None]
    moved = (layout.joint > 0)[:, None]
    return replace(
        layout, centre=(centre - middle) / scale, half=half / scale, limits=layout.limits * along,
        pivot=np.where(moved, (pivot - middle) / scale, 0.0),
    )  # fmt: skip
