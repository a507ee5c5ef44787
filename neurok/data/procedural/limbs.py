"""Bodies of animals and toys: round limbs that flow into one closed surface, and the bones that move it.

Each limb is a chain of balls of changing radius. The surface is the zero set of a soft minimum of their distances,
f(x) = -k log sum_i exp(-d_i(x) / k), so that limbs meet in fillets of a width near k.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, paint
from neurok.data.procedural.shapes import orient_outward
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Material, Mesh, Part

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

RELAXATION_ROUNDS = 4  # rounds that even out the triangles of the polygonised surface
SMOOTHING_ROUNDS = 5  # rounds that average the weights of neighbours, so that armpits and groins do not tear


@dataclass(frozen=True)
class Limb:
    """Balls along a path [p, 3] (one point is a ball) with a radius each, drawn as one; follows one bone.

    squash: factors along x, y, z that flatten the limb about the origin; give a ball of radius 1 three radii by it.
    tint: which of the materials it has.
    """

    bone: str
    path: Array | Sequence[Vector]
    radius: float | Sequence[float] | Array = 1.0
    squash: Vector = (1.0, 1.0, 1.0)
    tint: int = 0

    def __post_init__(self) -> None:
        path = np.atleast_2d(np.asarray(self.path, dtype=np.float64))
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "radius", np.broadcast_to(np.asarray(self.radius, dtype=np.float64), len(path)))

    @property
    def bounds(self) -> Array:
        """Corners of a box around it, [2, 3]."""
        reach = np.asarray(self.radius)[:, None] * np.asarray(self.squash)
        return np.stack([(self.path - reach).min(axis=0), (self.path + reach).max(axis=0)])

    def distance(self, points: Array) -> Array:
        """From points [n, 3] to the surface, negative inside (exact where nothing is squashed), [n]."""
        squash = np.asarray(self.squash, dtype=np.float64)
        points, path, radius = points / squash, np.asarray(self.path) / squash, np.asarray(self.radius)
        if len(path) == 1:
            return float(squash.min()) * (np.linalg.norm(points - path[0], axis=1) - radius[0])
        best = np.full(len(points), np.inf)
        for a, b, r, s in zip(path, path[1:], radius, radius[1:]):
            side = b - a
            t = np.clip((points - a) @ side / (side @ side), 0.0, 1.0)
            best = np.minimum(best, np.linalg.norm(points - a - t[:, None] * side, axis=1) - r - (s - r) * t)
        return float(squash.min()) * best


def ellipsoid(bone: str, at: Vector, radii: Vector, tint: int = 0) -> Limb:
    """A limb that is one ellipsoid."""
    return Limb(bone, [at], 1.0, radii, tint)


def add_body(
    kit: Kit, limbs: Sequence[Limb], materials: Sequence[Material], *, blend: float, softness: float, cells: int = 46
) -> Mesh:
    """Adds the limbs as one soft surface to the kit, and returns it.

    blend: width of the fillets [m]. softness: width over which one bone takes over from another [m].
    cells: of the polygonising grid along the body's longest side.
    """
    mesh = fuse_limbs(limbs, blend, cells)
    nearest = np.argmin(np.stack([limb.distance(mesh.vertices[mesh.faces].mean(axis=1)) for limb in limbs]), axis=0)
    mesh = tint_faces(mesh, materials, np.array([limb.tint for limb in limbs])[nearest])
    weights, near = limb_weights(limbs, mesh.vertices, softness), _build_neighbours(mesh.faces, mesh.vertex_count)
    table = np.stack(list(weights.values()), axis=1)
    table /= table.sum(axis=1, keepdims=True)
    for _ in range(SMOOTHING_ROUNDS):
        table = 0.4 * table + 0.6 * (near @ table)
    kit.skin(mesh, dict(zip(weights, table.T)))
    return mesh


def attach_to_bone(kit: Kit, bone: str, *painted: Mesh) -> None:
    """Small pieces (eyes, claws, buttons) that go with a bone as they are."""
    for mesh in painted:
        kit.skin(mesh, {bone: np.ones(mesh.vertex_count)})


def limb_weights(limbs: Sequence[Limb], points: Array, softness: float) -> dict[str, Array]:
    """w_b ~ exp(-d_b / softness), with d_b the distance to the nearest limb of the bone, [n] each."""
    distance: dict[str, Array] = {}
    for limb in limbs:
        own = limb.distance(points)
        distance[limb.bone] = np.minimum(distance.get(limb.bone, own), own)
    nearest = np.min(list(distance.values()), axis=0)
    return {bone: np.exp(-(d - nearest) / softness) for bone, d in distance.items()}


def tint_faces(mesh: Mesh, materials: Sequence[Material], choice: Indices) -> Mesh:
    """The mesh with one of the materials on each face, chosen by number, [m]."""
    names = tuple(Part(material.name) for material in materials)
    choice = np.asarray(choice, dtype=np.int64)
    plain = paint(materials[0], mesh)
    return Mesh(
        plain.vertices, plain.faces, materials=tuple(materials), face_material=choice, parts=names, face_part=choice,
        up="z",
    )  # fmt: skip


def cell_centres(mesh: Mesh) -> Array:
    """The middle of each face's longest side, [m, 3]: of triangles that halve a four-sided cell, the cell's centre."""
    corners = mesh.vertices[mesh.faces]
    following = np.roll(corners, -1, axis=1)
    longest = np.argmax(np.linalg.norm(following - corners, axis=2), axis=1)[:, None, None]
    return np.take_along_axis(0.5 * (corners + following), longest, axis=1)[:, 0]


def fuse_limbs(limbs: Sequence[Limb], blend: float, cells: int = 46) -> Mesh:
    """One closed surface around all limbs."""
    import igl

    bounds = np.stack([limb.bounds for limb in limbs])
    low, high = bounds[:, 0].min(axis=0) - 2 * blend, bounds[:, 1].max(axis=0) + 2 * blend
    cell = float((high - low).max()) / cells
    counts = np.ceil((high - low) / cell).astype(int) + 2
    axes = [low[i] + cell * (np.arange(counts[i]) - 0.5) for i in range(3)]
    z, y, x = np.meshgrid(axes[2], axes[1], axes[0], indexing="ij")  # x runs fastest
    grid = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    points, faces, _ = igl.marching_cubes(_evaluate_field(limbs, blend, grid), grid, *(int(c) for c in counts), 0.0)
    faces = np.asarray(faces, dtype=np.int64)
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    return orient_outward(Mesh(_relax(points, faces, limbs, blend, cell), faces, up="z"))


def _evaluate_field(limbs: Sequence[Limb], blend: float, points: Array) -> Array:
    distances = np.stack([limb.distance(points) for limb in limbs])
    nearest = distances.min(axis=0)
    return nearest - blend * np.log(np.exp((nearest - distances) / blend).sum(axis=0))


def _relax(points: Array, faces: Indices, limbs: Sequence[Limb], blend: float, cell: float) -> Array:
    """Vertices moved towards the mean of their neighbours, and back onto the surface, [n, 3]."""
    near = _build_neighbours(faces, len(points))
    for _ in range(RELAXATION_ROUNDS):
        points = 0.4 * points + 0.6 * (near @ points)
        value = _evaluate_field(limbs, blend, points)
        step = 0.05 * cell
        slope = np.stack([_evaluate_field(limbs, blend, points + step * e) - value for e in np.eye(3)], axis=1) / step
        push = -value[:, None] * slope / np.maximum((slope**2).sum(axis=1, keepdims=True), 0.05)
        points = points + np.clip(push, -cell, cell)
    return points


def _build_neighbours(faces: Indices, n: int) -> "csr_matrix":
    """A sparse matrix [n, n] that takes the mean over the neighbours of each vertex."""
    from scipy.sparse import coo_matrix, diags

    here, there = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    near = coo_matrix((np.ones(len(here)), (here, there)), shape=(n, n)).tocsr()
    near = near + near.T
    return diags(1.0 / np.maximum(np.asarray(near.sum(axis=1)).ravel(), 1.0)) @ near
