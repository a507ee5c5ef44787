"""Filling: which points of space a part's matter takes up, told by its surface alone, whatever its surface.

Faces that stand there twice, or back to back, are dropped and what is left is turned outwards. Generalised winding
numbers (Jacobson et al., 2013) then tell inside from outside as far as holes and gaps let them. A part is filled

    solid   where its surface is sure of an inside and wide enough to be seen by a grid: each point of the grid has the
            share of its voxel that lies within, by the distance to the surface,
    rod     where it is sure of an inside and thin both ways across: the same with a grid of its own,
    plate   where it is thin one way across: the same, or, where too wide for its thickness, points below the surface,
    shell   where it is not sure: the surface times a thickness.

The points have the second moments of what they stand for, on which the bending of what is thin depends.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.components import select_faces, weld
from neurok.geometry.measure import compute_area, compute_volume, is_closed
from neurok.geometry.mesh import Mesh
from neurok.geometry.orientation import make_one_sided
from neurok.geometry.surface import SurfacePoints, sample_even

KINDS = ("solid", "rod", "plate", "shell")
GRID = 24  # voxels along the longest side of an object
SPLIT = 4  # parts of a voxel's side, where the surface passes
WELD = 1e-6  # of a part's diagonal: files that split vertices write them in single precision
PROBE_COUNT = 512  # points of a part's surface that ask for its inside
PROBE_DEPTH = 1e-4  # of the part's diagonal
SURE = 0.15  # how far a winding number may be from a whole one
MIN_SURE_SHARE = 0.9  # of the surface
MIN_VOXELS_ACROSS = 3.0  # fine voxels within the mean width 2 V / A of a solid
MAX_CORRECTION = 0.1  # of the volume of fine voxels: more would be another body, as where surfaces overlap
ROD_SPREAD = 0.5  # of the normals about one place: the second eigenvalue over the first
MAX_FINE_VOXELS = 40_000  # of a thin part: a second or two of one core
PLATE_DEPTH = 0.5 - 0.5 / np.sqrt(3.0)  # of 2 V / A, the thickness: t^2 / 12 about the middle


@dataclass(frozen=True)
class Filling:
    """Points that stand for volumes.

    position [file units], [p, 3]; volume [unit^3], [p]; label: of the part that each point belongs to, [p].
    kinds: how each part was filled, by its label.
    """

    position: Array
    volume: Array
    label: Indices
    kinds: dict[int, str]


def fill(mesh: Mesh, label: Indices, thickness: Array) -> Filling:
    """What fills the parts of an object; label: of each face, [m]; thickness: of each face as a shell [unit], [m]."""
    voxel = float(np.ptp(mesh.bounds, axis=0).max()) / GRID
    positions, volumes, labels, kinds = [], [], [], {}
    for one in np.unique(label):
        mine = label == one
        kind, x, volume = fill_part(select_faces(mesh, mine), voxel, float(np.median(thickness[mine])))
        kinds[int(one)] = kind
        positions.append(x)
        volumes.append(volume)
        labels.append(np.full(len(x), one))
    return Filling(np.concatenate(positions), np.concatenate(volumes), np.concatenate(labels), kinds)


def fill_part(part: Mesh, voxel: float, thickness: float) -> tuple[str, Array, Array]:
    """How a part is filled, with which points [p, 3] and volumes [p]; voxel: of the grid, thickness: of a shell."""
    single = make_one_sided(weld(part, WELD * part.diagonal)[0])
    area, volume = compute_area(single), compute_volume(single)
    if volume < 0:
        single, volume = _turn(single), -volume
    across = 2.0 * volume / max(area, 1e-300)
    if not is_sure(single) or not volume > 0:
        return "shell", *_fill_shell(single, area, thickness, voxel)
    whole = volume if is_closed(single) else None
    if across >= MIN_VOXELS_ACROSS * voxel / SPLIT:
        side = _fit_voxels(single, voxel)
        return "solid", *_fill_grid(single, side, _cover_box(single, side), whole)
    kind = "rod" if _measure_spread(_sample(single, area, voxel), across) > ROD_SPREAD else "plate"
    finer = _fit_voxels(single, across * SPLIT / MIN_VOXELS_ACROSS)
    if volume / np.prod(finer / SPLIT) <= MAX_FINE_VOXELS:
        return kind, *_fill_grid(single, finer, _cover_surface(single, area, finer), whole)
    where = _sample(single, area, voxel)
    return kind, where.position - PLATE_DEPTH * across * where.normal, np.full(where.count, volume / where.count)


def is_sure(single: Mesh) -> bool:
    """Whether nearly all of a surface has the inside on one side and the outside, or more inside, on the other."""
    where = sample_even(single, PROBE_COUNT, np.random.default_rng(0))
    step = PROBE_DEPTH * single.diagonal * where.normal
    within, without = (wind(single, where.position + sign * step) for sign in (-1.0, 1.0))
    off = np.abs(np.stack([within, without]) - np.round([within, without]))
    sure = (off < SURE).all(axis=0) & (within > 0.5)
    return bool(sure.mean() >= MIN_SURE_SHARE)


def wind(single: Mesh, position: Array) -> Array:
    """Generalised winding numbers of points, [p]: one within a surface that looks outwards, zero without."""
    import igl

    return np.asarray(igl.fast_winding_number(single.vertices, single.faces, position)).reshape(-1)


def _turn(mesh: Mesh) -> Mesh:
    return Mesh(mesh.vertices, mesh.faces[:, ::-1])


def _sample(single: Mesh, area: float, voxel: float) -> SurfacePoints:
    """Points of the surface, as dense as fine voxels."""
    count = int(np.clip(4 * area / (voxel / SPLIT) ** 2, 1000, MAX_FINE_VOXELS))
    return sample_even(single, count, np.random.default_rng(0))


def _fill_shell(single: Mesh, area: float, thickness: float, voxel: float) -> tuple[Array, Array]:
    """Points either side of the surface, of a thickness, with its second moment t^2 / 12."""
    where = _sample(single, area, voxel)
    away = thickness / np.sqrt(12.0) * where.normal
    position = np.concatenate([where.position - away, where.position + away])
    return position, np.full(len(position), area * thickness / len(position))


def _fit_voxels(single: Mesh, voxel: float) -> Array:
    """The sides of voxels of which a whole number spans the surface's box, [3]: boxes along axes are cut exactly."""
    extent = np.ptp(single.bounds, axis=0)
    return np.asarray(extent / np.maximum(np.ceil(extent / voxel - 1e-6), 1))


def _cover_box(single: Mesh, side: Array) -> Array:
    """The centres of all voxels of a surface's box, [v, 3]."""
    count = np.round(np.ptp(single.bounds, axis=0) / side).astype(int)
    index = np.stack(np.meshgrid(*map(np.arange, count), indexing="ij"), axis=-1).reshape(-1, 3)
    return np.asarray(single.bounds[0] + side * (index + 0.5))


def _cover_surface(single: Mesh, area: float, side: Array) -> Array:
    """The centres of voxels on a surface or next to it, [v, 3]: all of a body that is thinner than they are."""
    where = sample_even(single, int(np.clip(8 * area / side.min() ** 2, 64, MAX_FINE_VOXELS)), np.random.default_rng(0))
    touched = np.unique(np.floor((where.position - single.bounds[0]) / side).astype(np.int64), axis=0)
    index = np.unique((touched[:, None] + _lattice(3) - 1).reshape(-1, 3), axis=0)
    return np.asarray(single.bounds[0] + side * (index + 0.5))


def _fill_grid(single: Mesh, side: Array, centre: Array, volume: float | None) -> tuple[Array, Array]:
    """Whole voxels within, and the shares of fine ones near the surface; centre: of all that may be either, [v, 3].

    volume: that of a closed surface, which the shares are brought to: at sharp edges they count too much.
    """
    near = _find_nearest(single, centre)[0] <= 0.5 * np.linalg.norm(side)
    full = centre[~near][wind(single, centre[~near]) > 0.5]
    gauss = (_lattice(2) - 0.5) / np.sqrt(3.0)
    index = _lattice(SPLIT)
    fine = (centre[near][:, None] + side * ((index + 0.5) / SPLIT - 0.5)).reshape(-1, 3)
    spread = np.tile(1.0 - 2.0 * ((index.sum(axis=1, keepdims=True) - index) % 2), (near.sum(), 1)) / np.sqrt(12.0)
    share, cut = _cut_voxels(single, fine, side / SPLIT, spread)
    position = np.concatenate([(full[:, None] + side * gauss).reshape(-1, 3), cut[share > 0]])
    whole = float(np.prod(side))
    pieces = whole / SPLIT**3 * share[share > 0]
    if volume is not None and (wanted := volume - len(full) * whole) > 0:
        pieces *= np.clip(wanted / pieces.sum(), 1.0 - MAX_CORRECTION, 1.0 + MAX_CORRECTION)
    return position, np.concatenate([np.full(8 * len(full), whole / 8), pieces])


def _cut_voxels(single: Mesh, centre: Array, side: Array, spread: Array) -> tuple[Array, Array]:
    """The share of fine voxels that lies within, as of a plane as far from them as the surface, [p], and points [p, 3]
    that stand for what is cut off: about its middle, `spread` sides away from it, one way in one voxel and the other
    way in the next, so that the second moment is right."""
    distance, nearest = _find_nearest(single, centre)
    sign = np.where(wind(single, centre) > 0.5, 1.0, -1.0)
    inwards = (sign / np.maximum(distance, 1e-300))[:, None] * (centre - nearest)
    across = np.maximum(np.abs(inwards) @ side, side.min())  # how far a voxel reaches along the normal
    share = np.clip(0.5 + sign * distance / across, 0.0, 1.0)
    away = spread * side
    thinner = away - ((1.0 - share) * (away * inwards).sum(axis=1))[:, None] * inwards
    return share, centre + (0.5 * (1.0 - share) * across)[:, None] * inwards + thinner


def _find_nearest(single: Mesh, position: Array) -> tuple[Array, Array]:
    """How far points are from the surface, [p], and its points nearest to them, [p, 3]."""
    import igl

    square, _, nearest = igl.point_mesh_squared_distance(position, single.vertices, single.faces)
    return np.sqrt(np.asarray(square).reshape(-1)), np.asarray(nearest).reshape(-1, 3)


def _lattice(count: int) -> Indices:
    """All triples of numbers below `count`, [count^3, 3]."""
    return np.stack(np.meshgrid(*[np.arange(count)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)


def _measure_spread(where: SurfacePoints, across: float) -> float:
    """How the normals spread about places as wide as the part is, mean: 0 for plates, 1 for round rods."""
    from scipy.spatial import cKDTree

    near = cKDTree(where.position).query_ball_point(where.position[:256], 3.0 * across)
    spread = []
    for some in near:
        n = where.normal[some]
        values = np.linalg.eigvalsh(n.T @ n)
        spread.append(values[1] / max(values[2], 1e-300))
    return float(np.mean(spread))
