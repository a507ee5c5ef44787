"""SurfacePoints: samples of a mesh's surface, and values interpolated at them.

A sample keeps the three vertices it lies between and its barycentric weights,
so that it follows the mesh through every deformation:

    x = sum_k weights[k] vertices[corners[k]].
"""

import itertools
from dataclasses import dataclass

import numpy as np

from neurok.errors import InputError, OptionError
from neurok.geometry.arrays import Array, Indices, sum_by_label
from neurok.geometry.mesh import Mesh
from neurok.geometry.rotation import Tensorlike, array_module
from neurok.geometry.triangles import area_vectors, closest_on_triangles, face_areas, face_normals, unit_or_zero


@dataclass(frozen=True)
class SurfacePoints:
    """m points on a mesh.

    face: the face each lies on, [m]; -1 for a vertex that no face uses.
    corners: the vertices of that face, [m, 3]; a vertex without a face three times.
    weights: barycentric, [m, 3], not negative, rows sum to one.
    position: [unit], [m, 3]. normal: unit, zero where the face is degenerate, [m, 3].
    area: the area each point stands for [unit^2], [m].
    """

    face: Indices
    corners: Indices
    weights: Array
    position: Array
    normal: Array
    area: Array

    @property
    def count(self) -> int:
        return len(self.face)

    def subset(self, index: Indices) -> "SurfacePoints":
        """The points at these indices (or of this mask), with the areas they had."""
        return SurfacePoints(
            self.face[index],
            self.corners[index],
            self.weights[index],
            self.position[index],
            self.normal[index],
            self.area[index],
        )


# ---------------------------------------------------------------- samples


def sample_even(mesh: Mesh, count: int, generator: np.random.Generator) -> SurfacePoints:
    """Points spread evenly by area, however the surface is triangulated: each stands for total area / count.

    Large and long faces are cut into pieces no larger than the share of one point; the pieces are
    ordered along a space-filling curve, which is cut into equal shares; within a piece the points
    follow a low-discrepancy sequence. A mesh without area (a wire, a point, a cloud of points)
    gives vertices instead, evenly through its list, with area zero.
    """
    areas = _compute_checked_areas(mesh, count)
    if areas.sum() == 0.0:
        index = ((np.arange(count) + 0.5) * mesh.vertex_count / count).astype(np.int64)
        return at_vertices(mesh).subset(index)
    share = areas.sum() / count
    whole, cut, cut_weights = _cut(mesh, areas, share)
    face = np.concatenate([whole, cut])
    cut_corners = cut_weights @ mesh.vertices[mesh.faces[cut]]
    cut_areas = 0.5 * np.linalg.norm(np.cross(*np.diff(cut_corners, axis=1).swapaxes(0, 1)), axis=1)
    piece_areas = np.concatenate([areas[whole], cut_areas])
    middles = np.concatenate([mesh.vertices[mesh.faces[whole]].mean(axis=1), cut_corners.mean(axis=1)])
    order = _order_along_curve(middles)
    piece = order[_pick(piece_areas[order], (np.arange(count) + generator.random()) / count)]
    # The plane's counterpart of the golden ratio: the real root of g^3 = g + 1.
    g = 1.324717957244746
    weights = _map_to_triangle((generator.random(2) + np.arange(count)[:, None] * np.array([1 / g, 1 / g**2])) % 1.0)
    of_cut = piece >= len(whole)
    weights[of_cut] = np.einsum("mi,mij->mj", weights[of_cut], cut_weights[piece[of_cut] - len(whole)])
    return _place_on_faces(mesh, face[piece], weights, np.full(count, share))


def sample_uniform(mesh: Mesh, count: int, generator: np.random.Generator) -> SurfacePoints:
    """Independent points, uniform by area; a mesh without area gives independent vertices with area zero."""
    areas = _compute_checked_areas(mesh, count)
    if areas.sum() == 0.0:
        return at_vertices(mesh).subset(generator.integers(mesh.vertex_count, size=count))
    face = _pick(areas, generator.random(count))
    weights = _map_to_triangle(generator.random((count, 2)))
    return _place_on_faces(mesh, face, weights, np.full(count, areas.sum() / count))


def sample_stratified(mesh: Mesh, label: Indices, count: int, generator: np.random.Generator) -> SurfacePoints:
    """Points in every region of the surface: half of them spread by area, half by the square root of the area.

    label: the region of each face, [m]. The area of a point is that of its region over the number of points there, so
    that sums over points remain sums over the surface. A mesh without area gives vertices, as `sample_even` does.
    """
    areas = _compute_checked_areas(mesh, count)
    if areas.sum() == 0.0:
        return sample_even(mesh, count, generator)
    region = np.bincount(label, areas)
    wanted = region / region.sum() + np.sqrt(region) / np.sqrt(region).sum()
    # A region's points lie side by side along the list of faces, so every region gets its number up to one.
    order = np.argsort(label, kind="stable")
    chance = areas * (wanted / np.where(region > 0, region, 1.0))[label]
    face = order[_pick(chance[order], (np.arange(count) + generator.random()) / count)]
    weights = _map_to_triangle(generator.random((count, 2)))
    found = np.bincount(label[face], minlength=len(region))
    return _place_on_faces(mesh, face, weights, (region / np.maximum(found, 1))[label[face]])


def at_vertices(mesh: Mesh) -> SurfacePoints:
    """One point at every vertex, exactly.

    It lies on the first face that uses the vertex, stands for a third of the area of all
    faces around it, and has their area-weighted normal. A vertex that no face uses has
    face -1, zero normal and zero area, and still follows its vertex.
    """
    n, m = mesh.vertex_count, mesh.face_count
    used = mesh.faces.reshape(-1)
    first = np.full(n, 3 * m)
    first[used[::-1]] = np.arange(3 * m)[::-1]  # of several, the last one written stays: the first
    lonely = first == 3 * m
    slot = np.where(lonely, 0, first % 3)
    face = np.where(lonely, -1, first // 3)
    corners = np.repeat(np.arange(n)[:, None], 3, axis=1)
    corners[~lonely] = mesh.faces[face[~lonely]]
    vectors = area_vectors(mesh.vertices, mesh.faces)
    normal = np.stack([sum_by_label(used, np.repeat(v, 3), n) for v in vectors.T], axis=1)
    area = sum_by_label(used, np.repeat(np.linalg.norm(vectors, axis=1) / 3.0, 3), n)
    return SurfacePoints(face, corners, np.eye(3)[slot], mesh.vertices, unit_or_zero(normal), area)


def move_to_corner(mesh: Mesh, where: SurfacePoints, index: int) -> SurfacePoints:
    """Corner 0, 1 or 2 of the face of each point; the three corners together give its normal in any deformation."""
    weights = np.tile(np.eye(3)[index], (where.count, 1))
    position = mesh.vertices[where.corners[:, index]]
    return SurfacePoints(where.face, where.corners, weights, position, where.normal, where.area)


def farthest_points(positions: Array, count: int, start: int = 0) -> Indices:
    """Farthest point sampling: indices of points, each farthest from those before it; [min(count, n)].

    Begins with `start`; of equally far points the first is taken; none is taken twice.
    """
    positions = np.asarray(positions, dtype=np.float64)
    if not 0 <= start < len(positions) or count < 1:
        raise OptionError(
            f"farthest points: {count} of {len(positions)} from point {start}", "ask for at least one of them"
        )
    chosen = np.empty(min(count, len(positions)), dtype=np.int64)
    reach = np.full(len(positions), np.inf)
    columns = np.ascontiguousarray(positions.T)
    for i in range(len(chosen)):
        chosen[i] = start if i == 0 else np.argmax(reach)
        square = sum((column - column[chosen[i]]) ** 2 for column in columns)
        np.minimum(reach, square, out=reach)
        reach[chosen[i]] = -1.0
    return chosen


def _compute_checked_areas(mesh: Mesh, count: int) -> Array:
    """Face areas of a mesh that can be sampled."""
    if count < 1:
        raise OptionError(f"{count} surface points were asked for", "ask for at least one")
    if mesh.vertex_count == 0:
        raise InputError("the mesh has no vertices to sample", "check that the export included the object")
    with np.errstate(over="ignore", invalid="ignore"):  # reported below
        areas = face_areas(mesh.vertices, mesh.faces)
    if not np.isfinite(areas.sum()):
        raise InputError("the mesh has vertices that are not finite, or too large", "export it again")
    return areas


def _cut(mesh: Mesh, areas: Array, share: float) -> tuple[Indices, Indices, Array]:
    """The faces that are small enough, [w]; the pieces of the others: face [p], weights of its corners [p, 3, 3].

    The weights are barycentric. Faces are halved at their longest side until that side is 0.7 times the
    root of a share, or until their area is a tenth of it, so that there are never many more pieces than shares.
    """
    large = areas > 0.1 * share
    face = np.flatnonzero(large)
    weights = np.tile(np.eye(3), (len(face), 1, 1))
    whole, small_faces, small_weights = [np.flatnonzero(~large)], [face[:0]], [weights[:0]]
    for halvings in itertools.count():
        corners = weights @ mesh.vertices[mesh.faces[face]]
        sides = np.roll(corners, -1, axis=1) - corners
        squares = np.einsum("mkd,mkd->mk", sides, sides)
        cut = (squares.max(axis=1) > 0.5 * share) & (areas[face] > 0.1 * share * 2.0**halvings)
        if halvings == 0:
            whole.append(face[~cut])
        else:
            small_faces.append(face[~cut])
            small_weights.append(weights[~cut])
        if not cut.any():
            break
        row, first = np.arange(np.sum(cut)), squares[cut].argmax(axis=1)
        a, b, c = (weights[cut][row, (first + k) % 3] for k in range(3))
        middle = 0.5 * (a + b)
        weights = np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
        face = np.tile(face[cut], 2)
    return np.concatenate(whole), np.concatenate(small_faces), np.concatenate(small_weights)


def _pick(areas: Array, shares: Array) -> Indices:
    """The face at each share 0..1 of the total area; never one without area."""
    ends = np.cumsum(areas)
    last = np.flatnonzero(areas)[-1]
    return np.minimum(np.searchsorted(ends, shares * ends[-1], side="right"), last)


def _map_to_triangle(square: Array) -> Array:
    """The unit square [m, 2] laid over a triangle so that equal areas stay equal; [m, 3]."""
    root = np.sqrt(square[:, :1])
    second = square[:, 1:]
    return np.concatenate([1.0 - root, root * (1.0 - second), root * second], axis=1)


def _place_on_faces(mesh: Mesh, face: Indices, weights: Array, area: Array) -> SurfacePoints:
    corners = mesh.faces[face]
    position = np.einsum("mk,mkd->md", weights, mesh.vertices[corners])
    return SurfacePoints(face, corners, weights, position, face_normals(mesh.vertices, corners), area)


def _order_along_curve(points: Array) -> Indices:
    """Indices along a Z-order curve through a grid of 1024 cells a side."""
    lower = points.min(axis=0)
    size = max(float(np.max(points.max(axis=0) - lower)), np.finfo(float).tiny)
    cells = np.minimum((points - lower) / size * 1024.0, 1023.0).astype(np.uint64)
    code = np.zeros(len(points), dtype=np.uint64)
    for bit in range(10):
        for axis in range(3):
            code |= ((cells[:, axis] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(3 * bit + axis)
    return np.argsort(code, kind="stable")


# ---------------------------------------------------------------- nearest


def find_nearest(mesh: Mesh, points: Array) -> SurfacePoints:
    """The closest point of the surface to each of points [unit], [p, 3]; their area is zero.

    Degenerate faces count as the segments or points they are. A mesh without faces
    gives its closest vertices; otherwise vertices that no face uses are ignored.
    """
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    if mesh.vertex_count == 0:
        raise InputError("the mesh has no vertices to be near to", "check that the export included the object")
    if not np.all(np.isfinite(points)):
        raise InputError("a point to be found on the surface is not finite", "give three finite numbers")
    if mesh.face_count == 0:
        from scipy.spatial import cKDTree

        return at_vertices(mesh).subset(cKDTree(mesh.vertices).query(points)[1])
    if not np.all(np.isfinite(mesh.vertices)):
        raise InputError("the mesh has vertices that are not finite", "export it again")
    import igl

    # The tree gives the face; the place on it is computed here, so that weights and position agree to round-off.
    face = igl.point_mesh_squared_distance(points, mesh.vertices, mesh.faces)[1]
    weights, _ = closest_on_triangles(points, *(mesh.vertices[mesh.faces[face, i]] for i in range(3)))
    return _place_on_faces(mesh, face, weights, np.zeros(len(points)))


# ---------------------------------------------------------------- carried values


def carry(values: Tensorlike, where: SurfacePoints) -> Tensorlike:
    """Values at the vertices, [n] or [n, ...], interpolated at the points, [m] or [m, ...]; numpy or torch."""
    return apply_drive(values, where.corners, where.weights)


def compute_drive(points: Array, targets: Array, k: int = 4) -> tuple[Indices, Array]:
    """How targets [n, 3] follow the nearest min(k, m) of points [m, 3]: index [n, k], weights [n, k].

    With d_j the distances and r that of the next point beyond the k,
        w_j ~ ((r - d_j) / (r d_j))^2,
    which sums to one, fades to nothing before a neighbour changes, and is exact at a point.
    """
    points, targets = (np.asarray(x, dtype=np.float64).reshape(-1, 3) for x in (points, targets))
    if len(points) == 0 or k < 1:
        raise OptionError(f"a drive by {k} of {len(points)} points", "give at least one of both")
    if not (np.all(np.isfinite(points)) and np.all(np.isfinite(targets))):
        raise InputError("a point of a drive is not finite", "check how it was made")
    from scipy.spatial import cKDTree

    k = min(k, len(points))
    reach = min(k + 1, len(points))
    distance, index = cKDTree(points).query(targets, k=np.arange(1, reach + 1))
    if not np.all(np.isfinite(distance)):
        raise InputError("points of a drive are too far apart", "check how they were made")
    beyond = distance[:, k:] if reach > k else np.full((len(targets), 1), np.inf)
    distance, index = distance[:, :k], index[:, :k]
    nearest_one = distance[:, :1]
    # Multiplied by the nearest distance squared, so that nothing is divided by zero at a point itself.
    ratio = np.where(distance > nearest_one, nearest_one / np.where(distance > 0, distance, 1.0), 1.0)
    fade = 1.0 - distance / np.where(beyond > 0, beyond, 1.0)
    weights = (ratio * np.maximum(fade, 0.0)) ** 2
    total = weights.sum(axis=1, keepdims=True)
    # All equally far: share equally. (The fades are then all zero.)
    level = total <= np.finfo(float).tiny
    return index, np.where(level, 1.0 / k, weights / np.where(level, 1.0, total))


def apply_drive(values: Tensorlike, index: Indices, weights: Array) -> Tensorlike:
    """sum_k weights[:, k] values[index[:, k]]; values [m] or [m, ...], numpy or torch -> [n] or [n, ...]."""
    xp = array_module(values)
    if xp is np:
        values = np.asarray(values)
        kind = values.dtype if np.issubdtype(values.dtype, np.floating) else np.float64
        weights = np.asarray(weights, dtype=kind)
        return np.einsum("nk,nk...->n...", weights, values[index])
    index = xp.as_tensor(index, device=values.device)
    weights = xp.as_tensor(weights, dtype=values.dtype, device=values.device)
    return (weights.reshape(tuple(weights.shape) + (1,) * (values.ndim - 1)) * values[index]).sum(1)
