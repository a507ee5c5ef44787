"""The array types that every room speaks of. Shapes and units stand in the docstrings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]  # real numbers
Indices = NDArray[np.integer[Any]]  # vertices, faces, bones, coordinates
Mask = NDArray[np.bool_]  # which of them
