"""Metrics of a predicted shape against the true one: Chamfer distances, overlap, share of the motion recovered.

All figures are in units of the bounding-box diagonal of the shape before it moved, and mean little alone:
`deformation_report` gives beside each the floor (two samplings of the true target) and the figure of the shape that
does not move at all.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neurok.errors import InputError
from neurok.geometry.arrays import Array
from neurok.geometry.components import identical_rows, weld
from neurok.geometry.mesh import Mesh
from neurok.geometry.orientation import make_one_sided
from neurok.geometry.surface import SurfacePoints, carry, sample_uniform

CHAMFER_POINT_COUNT = 8192
IOU_POINT_COUNT = 65536
VOXEL_SIDE = 1.0 / 64.0  # of the diagonal
MIN_MOTION = 1e-3  # RMS, of the diagonal: a pair of states that differ by less counts as static
MAX_CELL_COORDINATE = 1 << 20  # so that three coordinates of a voxel fit into one number of 63 bits
MAX_VOXEL_COUNT = 1 << 24  # in the box around a shape; a prediction that needs more has flown apart


def chamfer_l1(a: Array, b: Array) -> float:
    """1/2 (mean_a min_b |a - b| + mean_b min_a |a - b|) over two point sets, [p, 3] and [q, 3]."""
    return compute_chamfers(a, b)[0]


def chamfer_l2(a: Array, b: Array) -> float:
    """As chamfer_l1 with the root of the mean square in place of the mean; same unit."""
    return compute_chamfers(a, b)[1]


def compute_chamfers(a: Array, b: Array) -> tuple[float, float]:
    """chamfer_l1 and chamfer_l2 at once."""
    from scipy.spatial import cKDTree

    a, b = (_require_finite(x) for x in (a, b))
    there, back = cKDTree(b).query(a)[0], cKDTree(a).query(b)[0]
    l1 = 0.5 * float(there.mean() + back.mean())
    return l1, 0.5 * float(np.sqrt(np.mean(there**2)) + np.sqrt(np.mean(back**2)))


def _require_finite(points: Array) -> Array:
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    if len(points) == 0 or not np.all(np.isfinite(points)):
        raise InputError("a shape to compare is empty or not finite", "check how it was made")
    return points


def surface_iou(a: Array, b: Array, side: float = VOXEL_SIDE) -> float:
    """Voxels touched by both point sets over voxels touched by either; [p, 3], [q, 3], side in their unit."""
    return _compute_overlap(touched_cells(a, side), touched_cells(b, side))


def touched_cells(points: Array, side: float) -> Array:
    """Cells of the grid through the origin that contain points [p, 3], [c, 3]; cells repeat if some are far out."""
    cells = np.floor(_require_finite(points) / side)
    if not np.abs(cells).max() < MAX_CELL_COORDINATE:
        return cells
    # One number a cell is sorted several times as fast as three.
    digits = cells.astype(np.int64) + MAX_CELL_COORDINATE
    base = 2 * MAX_CELL_COORDINATE
    number = np.unique((digits[:, 0] * base + digits[:, 1]) * base + digits[:, 2])
    rest, z = np.divmod(number, base)
    return np.stack([*np.divmod(rest, base), z], axis=1).astype(np.float64) - MAX_CELL_COORDINATE


def volume_iou(a: Mesh, b: Mesh, side: float = VOXEL_SIDE) -> float | None:
    """Voxels inside both meshes over voxels inside either; None where one has no inside.

    Inside means that the generalised winding number at the centre of the voxel is above 1/2, once duplicate faces are
    dropped and, where faces lay back to back (of such a pair neither is the right one), patches are oriented outwards.
    """
    return _compute_volume_overlap(inside_cells(a, side), inside_cells(b, side))


def _compute_volume_overlap(a: Array, b: Array) -> float | None:
    return _compute_overlap(a, b) if len(a) and len(b) else None


def _compute_overlap(a: Array, b: Array) -> float:
    """Intersection over union of two sets of cells, [c, 3] and [d, 3], in which cells may repeat."""
    label = identical_rows(np.concatenate([a, b]))
    in_a, in_b = np.zeros((2, int(label.max()) + 1), dtype=bool)
    in_a[label[: len(a)]] = True
    in_b[label[len(a) :]] = True
    return float(np.sum(in_a & in_b) / np.sum(in_a | in_b))


def inside_cells(mesh: Mesh, side: float) -> Array:
    """Cells of the grid through the origin whose centres lie inside, [c, 3]."""
    _require_finite(mesh.vertices)
    mesh = make_one_sided(weld(mesh)[0])
    if mesh.face_count == 0:
        return np.zeros((0, 3))
    import igl

    lower, upper = np.floor(mesh.bounds / side)
    if np.prod(upper - lower + 1.0) > MAX_VOXEL_COUNT:
        raise InputError(
            f"a shape to compare spans more than {MAX_VOXEL_COUNT} voxels", "check that it has not flown apart"
        )
    axes = [np.arange(start, stop + 1.0) for start, stop in zip(lower, upper)]
    cells = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    winding = igl.fast_winding_number(mesh.vertices, mesh.faces, (cells + 0.5) * side)
    return cells[winding > 0.5]


def rms(differences: Array) -> float:
    """Root of the mean squared length of vectors [m, 3]."""
    return float(np.sqrt(np.mean(np.sum(np.asarray(differences, dtype=np.float64) ** 2, axis=-1))))


def motion_recovered(rest: Array, target: Array, predicted: Array) -> float:
    """1 - RMS(predicted - target) / RMS(target - rest) over corresponding points, [m, 3] each.

    1 is perfect, 0 is not moving, negative is worse than that; not a number where nothing moves.
    """
    motion = rms(np.asarray(target) - rest)
    return 1.0 - rms(np.asarray(predicted) - target) / motion if motion > 0 else float("nan")


def chamfer_recovered(chamfer: float, still: float, floor: float) -> float:
    """1 - (C - C_floor) / (C_still - C_floor): 0 is not moving, 1 the floor; not a number where they coincide."""
    return 1.0 - (chamfer - floor) / (still - floor) if still != floor else float("nan")


@dataclass(frozen=True)
class Normalisation:
    """x -> (x - centre) / diagonal, taken from the shape before it moved."""

    centre: Array
    diagonal: float

    def __call__(self, mesh: Mesh) -> Mesh:
        return mesh.with_vertices((mesh.vertices - self.centre) / self.diagonal)


def compute_normalisation(mesh: Mesh) -> Normalisation:
    """The map that centres a mesh's bounding box and gives it diagonal 1."""
    _require_finite(mesh.vertices)
    if not mesh.diagonal > 0:
        raise InputError("the object is a single point", "give a mesh with an extent")
    return Normalisation(mesh.bounds.mean(axis=0), mesh.diagonal)


def deformation_report(rest: Mesh, target: Mesh, predicted: Mesh, seed: int = 0) -> dict[str, object]:
    """Every figure of the deformation protocol for one pair; see `Yardstick`."""
    return Yardstick(rest, target, seed).report(predicted)


class Yardstick:
    """Measures any number of predictions of one pair of states; whatever they share is computed once.

    rest: the first state. target: the second state, which is to be predicted.
    """

    def __init__(self, rest: Mesh, target: Mesh, seed: int = 0) -> None:
        self.scale = compute_normalisation(rest)
        self.rest, self.target = self.scale(rest), self.scale(target)
        self.seed = seed
        self.truth = sample_uniform(self.target, IOU_POINT_COUNT, self._generator(3)).position

    def _generator(self, index: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, index])

    def report(self, predicted: Mesh, *, volume: bool = True) -> dict[str, object]:
        """All figures of one predicted shape.

        For each of chamfer_l1, chamfer_l2, surface_iou and, if asked for, volume_iou: {value, floor, still}. Also
        chamfer_l1_recovered, chamfer_l2_recovered; and, where all three share their faces, motion (RMS, of the
        diagonal), motion_recovered (None otherwise), and moves: whether the motion is large enough to count.
        """
        predicted = self.scale(predicted)
        value = self._distances(predicted, 1)
        report: dict[str, object] = {}
        for name, figure in value.items():
            figures = {"value": figure, "floor": self._floor[name], "still": self._still[name]}
            report[name] = figures
            if name.startswith("chamfer"):
                report[f"{name}_recovered"] = chamfer_recovered(figure, figures["still"], figures["floor"])
        if volume:
            inside = {"value": inside_cells(predicted, VOXEL_SIDE), **self._inside}
            report["volume_iou"] = {
                key: _compute_volume_overlap(cells, inside["floor"]) for key, cells in inside.items()
            }
        return report | self._motion_figures(predicted)

    def _motion_figures(self, predicted: Mesh) -> dict[str, float | bool | None]:
        if self._moving is None or not _same_faces(self.rest, predicted):
            return {"motion": None, "motion_recovered": None, "moves": None}
        where, a, b = self._moving
        motion = rms(b - a)
        moves = motion >= MIN_MOTION
        recovered = motion_recovered(a, b, carry(predicted.vertices, where)) if moves else None
        return {"motion": motion, "motion_recovered": recovered, "moves": moves}

    def _distances(self, shape: Mesh, index: int) -> dict[str, float]:
        """Chamfer distances and surface overlap of a shape and the target."""
        points = sample_uniform(shape, IOU_POINT_COUNT, self._generator(index)).position
        # Samples are independent, so that the first of many are as good as a sampling of their own.
        l1, l2 = compute_chamfers(points[:CHAMFER_POINT_COUNT], self.truth[:CHAMFER_POINT_COUNT])
        overlap = _compute_overlap(touched_cells(points, VOXEL_SIDE), self._touched)
        return {"chamfer_l1": l1, "chamfer_l2": l2, "surface_iou": overlap}

    @cached_property
    def _still(self) -> dict[str, float]:
        return self._distances(self.rest, 0)

    @cached_property
    def _floor(self) -> dict[str, float]:
        return self._distances(self.target, 2)

    @cached_property
    def _inside(self) -> dict[str, Array]:
        return {"floor": inside_cells(self.target, VOXEL_SIDE), "still": inside_cells(self.rest, VOXEL_SIDE)}

    @cached_property
    def _touched(self) -> Array:
        return touched_cells(self.truth, VOXEL_SIDE)

    @cached_property
    def _moving(self) -> tuple[SurfacePoints, Array, Array] | None:
        """Points of the rest, and where they are at rest and in the target, [m, 3]; None where faces differ."""
        if not _same_faces(self.rest, self.target):
            return None
        where = sample_uniform(self.rest, CHAMFER_POINT_COUNT, self._generator(4))
        return where, carry(self.rest.vertices, where), carry(self.target.vertices, where)


def _same_faces(a: Mesh, b: Mesh) -> bool:
    return a.vertex_count == b.vertex_count and np.array_equal(a.faces, b.faces)
