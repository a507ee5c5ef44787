"""What is seen of a picture's object: features of the network, its outline on a coarse grid, and its proportions."""

from collections.abc import Sequence

import numpy as np

from neurok.generate.pictures.backbone import FEATURE_COUNT, PictureBackbone
from neurok.generate.pictures.reading import Subject, frame_subject
from neurok.geometry.arrays import Array, Mask

OUTLINE_SIDE = 16  # cells of the grid
OBSERVATION_COUNT = 5 * FEATURE_COUNT + OUTLINE_SIDE**2


def observe_pictures(subjects: Sequence[Subject], backbone: PictureBackbone) -> Array:
    """The mean of the network's map over each picture and over its quarters, and the outline, [n, d]."""
    framed = [frame_subject(subject) for subject in subjects]
    places = backbone.map_features(np.stack([pixels for pixels, _ in framed])).numpy()
    half = -(-places.shape[2] // 2)
    quarters = [places[:, :, rows, columns].mean(axis=(2, 3)) for rows in (slice(half), slice(-half, None))
                for columns in (slice(half), slice(-half, None))]  # fmt: skip
    outlines = np.stack([shrink_outline(mask) for _, mask in framed])
    return np.concatenate([places.mean(axis=(2, 3)), *quarters, outlines], axis=1).astype(np.float64)


def shrink_outline(mask: Mask) -> Array:
    """The share of each cell of a coarse grid that an object covers, row by row."""
    cell = mask.shape[0] // OUTLINE_SIDE
    return mask.reshape(OUTLINE_SIDE, cell, OUTLINE_SIDE, cell).mean(axis=(1, 3)).ravel()
