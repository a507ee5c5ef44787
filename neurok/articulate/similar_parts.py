"""Similar parts: parts of one size and area, as the keys of a keypad or the drawers of a chest, are of one type."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from neurok.geometry.arrays import Array, Mask
from neurok.proposals.sampling import SampledShape

# Set by hand; `neurok evaluate articulation --split dev` gave a precision of .923 with similar parts, .908 without.
SIMILAR_TOLERANCE = 0.03  # of a part's box diagonal, by which the sides of two boxes may differ; of the area likewise
MAX_SIMILAR_AREA = 0.2  # of the whole: a larger part may be what its like moves against, as the halves of a laptop


def find_similar_parts(whole: SampledShape) -> Mask:
    """Whether every two parts are similar, [p, p]: their boxes have the same sides, however they lie, and their areas
    are the same; or they are the ends of a row in which each part is similar to the next."""
    sides = np.stack([np.sort(piece.extent) for piece in whole.pieces])
    area = np.array([piece.area for piece in whole.pieces])
    size = np.linalg.norm(sides, axis=1)
    larger = np.maximum(size[:, None], size[None])
    boxes = np.abs(sides[:, None] - sides[None]).max(axis=2) <= SIMILAR_TOLERANCE * larger
    areas = np.abs(area[:, None] - area[None]) <= SIMILAR_TOLERANCE * np.maximum(area[:, None], area[None])
    small = area < MAX_SIMILAR_AREA * area.sum()
    _, row = connected_components(boxes & areas & small[:, None] & small[None], directed=False)
    return row[:, None] == row[None]


def average_over_similar(kinds: Array, alike: Mask) -> Array:
    """Log chances of types [p, 3], those of each part the mean over all parts similar to it, normalised."""
    mean = alike @ kinds / alike.sum(axis=1, keepdims=True)
    return mean - np.logaddexp.reduce(mean, axis=1, keepdims=True)
