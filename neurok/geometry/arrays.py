"""The array types that every room speaks of. Shapes and units stand in the docstrings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]  # real numbers
Indices = NDArray[np.integer[Any]]  # vertices, faces, bones, coordinates
Mask = NDArray[np.bool_]  # which of them


def distinct_rows(rows: Array) -> Array:
    """The different ones of rows [n, d] in the order of their first, then of their second column, and so on.

    It is `np.unique` along an axis, which compares whole rows and takes several times as long.
    """
    ordered = rows[np.lexsort(rows.T[::-1])]
    is_new = np.ones(len(ordered), dtype=bool)
    is_new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    return ordered[is_new]


def sum_by_label(labels: Indices, values: Array, count: int = 0) -> Array:
    """The sum of the values [n] of each label [n], zero where a label does not occur, [at least count].

    It is `np.bincount` with weights, whose declared type is that of whole numbers.
    """
    return np.bincount(labels, values, count).astype(np.float64, copy=False)
