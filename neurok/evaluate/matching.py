"""Which points of two surfaces belong together: near in place, and alike in normal."""

import numpy as np
from scipy.spatial import cKDTree

from neurok.geometry.arrays import Array, Indices

NORMAL_SHARE = 0.15  # how far apart two points count whose normals are opposite, halved; lengths of one diagonal


def match_both_ways(here: Array, normal: Array, points: Array, normals: Array) -> tuple[Indices, Array]:
    """Every point here with its nearest on the target, and every point of the target with its nearest here.

    here, normal [p, 3]; points, normals [q, 3]. Returns indices into `here`, [p + q], and where they should go.
    """
    mine = np.concatenate([here, NORMAL_SHARE * normal], axis=1)
    theirs = np.concatenate([points, NORMAL_SHARE * normals], axis=1)
    there = cKDTree(theirs).query(mine)[1]
    back = cKDTree(mine).query(theirs)[1]
    return np.concatenate([np.arange(len(here)), back]), np.concatenate([points[there], points])
