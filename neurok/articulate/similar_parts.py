"""Twins: parts of one size and area, as the keys of a keypad or the drawers of a chest; they are of one type."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from neurok.articulate.sampling import SampledShape
from neurok.geometry.arrays import Array

SAME = 0.03  # of a part's box diagonal, by which the sides of twins' boxes may differ; of its area likewise
HALF = 0.2  # of the whole's area, from which a part may be what its twin moves against, as the two halves of a laptop


def find_similar_parts(whole: SampledShape) -> Array:
    """For every two parts whether they are alike, or as the ends of a row of which each is like the next, [p, p]: boxes
    of the same sides, however they lie, and areas."""
    sides = np.stack([np.sort(piece.extent) for piece in whole.pieces])
    area = np.array([piece.area for piece in whole.pieces])
    size = np.linalg.norm(sides, axis=1)
    larger = np.maximum(size[:, None], size[None])
    boxes = np.abs(sides[:, None] - sides[None]).max(axis=2) <= SAME * larger
    areas = np.abs(area[:, None] - area[None]) <= SAME * np.maximum(area[:, None], area[None])
    small = area < HALF * area.sum()
    _, row = connected_components(boxes & areas & small[:, None] & small[None], directed=False)
    return row[:, None] == row[None]


def average_over_similar(kinds: Array, alike: Array) -> Array:
    """Log chances of kinds [p, 3], each part's the mean over its twins, normalised."""
    mean = alike @ kinds / alike.sum(axis=1, keepdims=True)
    return mean - np.logaddexp.reduce(mean, axis=1, keepdims=True)
