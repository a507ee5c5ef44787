"""Round axes: the lines about which pieces of a surface are round, such as pins, holes, rims, wheels and knobs.

A surface of revolution about the line through c along a has normals that meet the line: at a point p with normal n,

    n . (a x (p - c)) = a . (p x n) + n . m = 0,    m = c x a,

so the line is the motion along which the surface slips (Gelfand and Guibas 2004): the eigenvector of the least
eigenvalue of the sum of r r^T, r = (p x n, n). A cylinder slips along its axis too; of both motions the turn is taken.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.proposals.units import Units

# A hexagonal prism has .28 and a square one .5 of what is measured here, a prism with twelve sides .15.
MAX_RIPPLE = 0.22  # RMS of the offsets of normals from the axis, of the distance from it
MAX_ROUND_SAMPLE_COUNT = 200  # of a unit
MIN_ROUND_SAMPLE_COUNT = 8
MAX_PITCH = 0.1  # way along the axis for a turn, in radii: more is a thread or no turn at all
SLIP_SHARE = 0.05  # of the mean eigenvalue, below which a motion slips


@dataclass(frozen=True)
class RoundAxes:
    """The round units. unit: of each, [r]; axis: unit vectors, [r, 3]; point: of the axis, [r, 3]; radius: the mean
    distance of the unit from its axis, [r]; area: of each, [r]; lower, upper: of its box, [r, 3] each. Canonical place.
    """

    unit: Indices
    axis: Array
    point: Array
    radius: Array
    area: Array
    lower: Array
    upper: Array


def find_round_axes(units: Units) -> RoundAxes:
    """The units that are round, and about which lines."""
    rows = []
    order = np.argsort(units.owner, kind="stable")
    starts = np.searchsorted(units.owner[order], np.arange(units.count + 1))
    for unit in range(units.count):
        mine = order[starts[unit] : starts[unit + 1]][:MAX_ROUND_SAMPLE_COUNT]
        found = fit_round_axis(units.points[mine], units.normals[mine]) if len(mine) >= MIN_ROUND_SAMPLE_COUNT else None
        if found is not None:
            rows.append((unit, *found))
    unit_of = np.array([row[0] for row in rows], dtype=np.int64)
    axis, point = (np.array([row[k] for row in rows]).reshape(-1, 3) for k in (1, 2))
    radius = np.array([row[3] for row in rows])
    return RoundAxes(unit_of, axis, point, radius, units.area[unit_of], units.lower[unit_of], units.upper[unit_of])


def fit_round_axis(points: Array, normals: Array) -> tuple[Array, Array, float] | None:
    """Axis [3], a point of it [3] and radius of a round surface given by samples [n, 3]; None where it is not round."""
    centre = points.mean(axis=0)
    p = points - centre
    size = float(np.sqrt(np.mean(np.sum(p**2, axis=1))))
    if not size > 0:
        return None
    rows = np.hstack([np.cross(p / size, normals), normals])
    value, vector = np.linalg.eigh(rows.T @ rows)
    slips = vector[:, : max(1, int(np.sum(value < SLIP_SHARE * value.mean())))]
    if slips.shape[1] > 2:  # a plane or a sphere: round about many lines, so about none in particular
        return None
    turn = slips @ np.linalg.svd(slips[:3])[2][0]  # of all that slips, what turns most
    speed = float(np.linalg.norm(turn[:3]))
    if speed < 1e-3:
        return None
    axis, moment = turn[:3] / speed, turn[3:] / speed
    if slips.shape[1] == 1 and abs(moment @ axis) > MAX_PITCH:
        return None
    foot = np.cross(axis, moment) * size
    arm = p - foot
    arm -= (arm @ axis)[:, None] * axis
    radius = np.linalg.norm(arm, axis=1)
    ripple = np.sqrt(np.mean(np.einsum("na,na->n", normals, np.cross(axis, arm)) ** 2))
    if not radius.mean() > 0 or ripple > MAX_RIPPLE * np.sqrt(np.mean(radius**2)):
        return None
    if np.mean(np.abs(normals @ axis) > 0.95) > 0.9:  # a flat ring: any middle would do
        return None
    return axis, foot + centre, float(radius.mean())
