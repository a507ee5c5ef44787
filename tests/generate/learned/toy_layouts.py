"""Layouts of boxes whose motions and volumes are known."""

import numpy as np

from neurok.generate.learned.fields import PartGrid
from neurok.generate.learned.layout import Layout


def make_layout(*parts: dict[str, object]) -> Layout:
    """Parts by their differences from a box at the middle."""
    usual = {"parent": -1, "joint": 0, "centre": (0, 0, 0), "half": (0.5, 0.5, 0.5), "axis": (0, 0, 0),
             "pivot": (0, 0, 0), "limits": (0, 0)}  # fmt: skip
    columns = [np.array([{**usual, **part}[name] for part in parts], dtype=float) for name in usual]
    return Layout(columns[0].astype(int), columns[1].astype(int), *columns[2:], np.zeros((len(parts), 0)))


def fill_boxes(layout: Layout, cells: int = 25) -> list[PartGrid]:
    """Exact distances to the boxes of a layout."""
    grids = []
    for centre, half in zip(layout.centre, layout.half):
        step = 2.4 * half / (cells - 1)
        grid = PartGrid(np.zeros((cells,) * 3), centre - 1.2 * half, step)
        off = np.abs(grid.place() - centre) - half
        outside = np.linalg.norm(np.maximum(off, 0.0), axis=-1)
        grids.append(PartGrid(outside + np.minimum(off.max(axis=-1), 0.0), grid.origin, step))
    return grids
