"""Room for what moves: parts are put in touch with their parents, and hollowed where others go."""

from dataclasses import dataclass, replace

import numpy as np

from neurok.generate.learned.fields import PartGrid, mesh_grid
from neurok.generate.learned.layout import Layout
from neurok.geometry.arrays import Array
from neurok.geometry.rigid import exp_twist

# Shares of two units, the diagonal; the check wants less than 1 % between parent and child, and no contact elsewhere.
GAP = 0.007
NEAR = 0.012  # from which on a part is moved to its parent
MAX_MOVE = 0.3
SWEEP_COUNT = 9  # states of each joint
TURNS = 2.0  # of a screw over its range


@dataclass(frozen=True)
class Shaped:
    """A layout whose parts have surfaces."""

    layout: Layout
    grids: tuple[PartGrid, ...]


def find_screw(layout: Layout, part: int) -> Array:
    """(v, w) of a joint, [6]: per rad, or per unit of what slides."""
    axis, pivot = layout.axis[part], layout.pivot[part]
    if layout.joint[part] == 2:
        return np.concatenate([axis, np.zeros(3)])
    pitch = find_pitch(layout, part) if layout.joint[part] == 4 else 0.0
    return np.concatenate([np.cross(pivot, axis) + pitch * axis, axis])


def find_pitch(layout: Layout, part: int) -> float:
    """Units per rad of a screw."""
    return float(np.ptp(layout.limits[part])) / (2 * np.pi * TURNS)


def find_range(layout: Layout, part: int) -> tuple[float, float]:
    """The limits of a joint in its own coordinate."""
    lower, upper = layout.limits[part]
    per = find_pitch(layout, part) if layout.joint[part] == 4 else 1.0
    return float(lower / max(per, 1e-9)), float(upper / max(per, 1e-9))


def list_path(layout: Layout, part: int) -> list[int]:
    """A part and those above it."""
    path = [part]
    while layout.parent[path[-1]] >= 0:
        path.append(int(layout.parent[path[-1]]))
    return path


def join_parts(layout: Layout, grids: list[PartGrid]) -> Shaped | None:
    """Every part moved, with all that hangs on it, until it touches its parent."""
    import igl

    moved = np.zeros((layout.count, 3))
    surfaces = [mesh_grid(grid) for grid in grids]
    for part in range(1, layout.count):
        above = int(layout.parent[part])
        moved[part] += moved[above]
        points = surfaces[part].vertices[:: max(1, len(surfaces[part].vertices) // 1500)] + moved[part] - moved[above]
        squared, _, nearest = igl.point_mesh_squared_distance(points, surfaces[above].vertices, surfaces[above].faces)
        closest = int(np.argmin(squared))
        gap = float(np.sqrt(max(squared[closest], 0.0)))
        if gap > MAX_MOVE:
            return None
        if gap > NEAR and not np.any(grids[above].read(points) < 0):
            moved[part] += (1 - 0.5 * GAP / gap) * (nearest[closest] - points[closest])
    shifted = replace(layout, centre=layout.centre + moved, pivot=layout.pivot + moved * (layout.joint > 0)[:, None])
    return Shaped(shifted, tuple(grid.shift(offset) for grid, offset in zip(grids, moved)))


def find_relative(layout: Layout, a: int, b: int) -> Array:
    """Motions of part b as part a sees it while each joint between them goes through its range, [s, 4, 4]."""
    mine, other = list_path(layout, a), list_path(layout, b)
    found = [np.eye(4)[None]]
    for path, sign in ((other, 1.0), (mine, -1.0)):
        for part in path:
            if part in mine and part in other or layout.joint[part] == 0:
                continue
            values = np.linspace(*find_range(layout, part), SWEEP_COUNT)
            found.append(exp_twist(sign * values[:, None] * find_screw(layout, part)))
    return np.concatenate(found)


def carve_parts(shaped: Shaped) -> Shaped:
    """Earlier parts hollowed where later ones are or go."""
    layout, grids = shaped.layout, list(shaped.grids)
    for a in range(layout.count):
        values, points = grids[a].values, grids[a].place().reshape(-1, 3)
        carved = values.reshape(-1).copy()
        for b in range(a + 1, layout.count):
            corners = _list_corners(grids[b].bounds)
            for T in find_relative(layout, a, b):
                swept = corners @ T[:3, :3].T + T[:3, 3]
                lower, upper = swept.min(axis=0), swept.max(axis=0)
                near = np.flatnonzero(np.all((points >= lower) & (points <= upper), axis=1) & (carved < GAP))
                if len(near):
                    there = (points[near] - T[:3, 3]) @ T[:3, :3]
                    carved[near] = np.maximum(carved[near], GAP - grids[b].read(there))
        grids[a] = replace(grids[a], values=carved.reshape(values.shape))
    return Shaped(layout, tuple(grids))


def _list_corners(bounds: Array) -> Array:
    return np.stack(np.meshgrid(*bounds.T, indexing="ij"), axis=-1).reshape(-1, 3)
