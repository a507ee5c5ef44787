"""Variants of an object that resemble a scan or a generated mesh: one connected surface, or a noisy one.

Where pieces touch, a fused surface continues from one link to the next; each of its vertices follows the link (or the
bones) of the nearest place on the original surface.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from neurok.data.procedural.procedural import ProceduralObject
from neurok.data.procedural.shapes import rod
from neurok.errors import MissingExtra, NeurokError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.components import vertex_components
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion, Skin
from neurok.geometry.surface import find_nearest
from neurok.geometry.triangles import area_vectors, unit_or_zero

if TYPE_CHECKING:
    from manifold3d import Manifold

# Lengths are shares of the diagonal.
FUSED_EDGE_LENGTH = 0.03  # of the longest edge of a fused surface: only small faces stretch where two links meet
NOISY_EDGE_LENGTH = 0.015  # of the longest edge of a noisy surface
SMOOTHING_LENGTH = 0.0015  # below which a noisy surface loses details
NOISE_DEVIATION = 0.001  # deviation of a noisy vertex along its normal
WAVE_HEIGHT = 0.002  # height of the slow waves over a noisy surface
BRIDGE_RADIUS = 0.004  # of the rods that connect separate pieces
TARGET_FACE_COUNT = 12_000  # beside the faces of small details
MAX_FACE_COUNT = 24_000  # a surface with more is refined less
EDGE_GROWTH = 1.25  # factor of the edge length when a surface is refined less
MAX_BRIDGING_ROUNDS = 8  # each at least halves the number of pieces


@dataclass(frozen=True)
class Variant:
    """Another surface of a procedural object, with the bones that move it."""

    original: ProceduralObject
    mesh: Mesh
    skin: Skin

    def motion(self, states: Array, fps: float = 12.0) -> Motion:
        """The states [t, k] one after another as a motion."""
        whole = self.original.motion(states, fps)
        return replace(whole, mesh=self.mesh, skin=self.skin)


def make_plain(thing: ProceduralObject) -> Variant:
    """The object as it is."""
    return Variant(thing, thing.mesh, thing.bones)


def make_fused(thing: ProceduralObject) -> Variant:
    """All pieces as one connected surface without inner walls: their boolean union, and thin bridges across gaps."""
    return _carry_skin(thing, _refine(_unite_pieces(thing), FUSED_EDGE_LENGTH * thing.mesh.diagonal))


def make_noisy(thing: ProceduralObject) -> Variant:
    """The fused object without its small details, evenly triangulated, with slow waves and noise along the normals."""
    diagonal = thing.mesh.diagonal
    shell = _refine(_unite_pieces(thing, smoothed=True), NOISY_EDGE_LENGTH * diagonal)
    rng = np.random.default_rng([crc32(thing.category.encode()), thing.seed])
    phase = rng.uniform(0, 2 * np.pi, (8, 1))
    wave = np.sin(rng.normal(0, 12 / diagonal, (8, 3)) @ shell.vertices.T + phase).mean(axis=0)
    height = diagonal * (WAVE_HEIGHT * wave + rng.normal(0, NOISE_DEVIATION, shell.vertex_count))
    return _carry_skin(thing, shell, shell.vertices + height[:, None] * _compute_normals(shell))


def _unite_pieces(thing: ProceduralObject, smoothed: bool = False) -> "Manifold":
    """The union of all pieces and of the bridges that make it one component (a manifold3d.Manifold)."""
    try:
        from manifold3d import Manifold, OpType
    except ImportError:
        raise MissingExtra("fusing an object into one surface", "data") from None
    solid = Manifold.batch_boolean([_make_solid(*piece) for piece in _split_pieces(thing.mesh)], OpType.Add)
    if smoothed:
        solid = solid.simplify(SMOOTHING_LENGTH * thing.mesh.diagonal)
    return _bridge_components(solid, BRIDGE_RADIUS * thing.mesh.diagonal)


def _bridge_components(solid: "Manifold", radius: float) -> "Manifold":
    """One component: crumbs dropped, the others connected by bridges of this radius [m]."""
    from manifold3d import Manifold, OpType

    for _ in range(MAX_BRIDGING_ROUNDS):
        parts = [part for part in solid.decompose() if part.volume() > radius**3]
        if len(parts) == 1:
            return parts[0]
        clouds = [_extract_mesh(part.refine_to_length(8 * radius)).vertices for part in parts]
        rods = [rod(a, b, radius, round=0.0, sides=6) for a, b in _find_bridges(clouds, radius)]
        solid = Manifold.batch_boolean([*parts, *(_make_solid(r.vertices, r.faces) for r in rods)], OpType.Add)
    raise NeurokError(f"{len(parts)} pieces of an object could not be joined", "use another seed")


def _split_pieces(mesh: Mesh) -> Iterator[tuple[Array, Indices]]:
    """Vertices and faces of every closed piece."""
    count, owner = vertex_components(mesh)
    for piece in range(count):
        used, faces = np.unique(mesh.faces[owner[mesh.faces[:, 0]] == piece], return_inverse=True)
        if len(used):
            yield mesh.vertices[used], faces.reshape(-1, 3)


def _make_solid(vertices: Array, faces: Indices) -> "Manifold":
    from manifold3d import Manifold, Mesh64

    solid = Manifold(Mesh64(np.array(vertices), np.array(faces, dtype=np.uint64, order="C")))
    if solid.is_empty():
        raise NeurokError(f"a piece of {len(faces)} faces is not a closed solid ({solid.status()})", "mend its shape")
    return solid


def _find_bridges(clouds: list[Array], radius: float) -> Iterator[tuple[Array, Array]]:
    """The shortest segment from every component but the largest to another one, sunk a little into both."""
    from scipy.spatial import cKDTree

    trees = [cKDTree(cloud) for cloud in clouds]
    largest = max(range(len(clouds)), key=lambda i: np.ptp(clouds[i], axis=0).sum())
    for i in range(len(clouds)):
        if i == largest:
            continue
        ways = []
        for j in range(len(clouds)):
            if j != i:
                gaps, index = trees[j].query(clouds[i])
                ways.append((gaps.min(), j, int(gaps.argmin()), int(index[gaps.argmin()])))
        _, j, here, there = min(ways)
        a, b = clouds[i][here], clouds[j][there]
        way = b - a if np.linalg.norm(b - a) > 1e-9 * radius else np.array([0.0, 0.0, 1.0])
        way = radius * way / np.linalg.norm(way)
        yield a - way, b + way


def _refine(solid: "Manifold", edge: float) -> Mesh:
    """The surface with edges no longer than this [m], or longer where it would have too many faces."""
    edge = max(edge, np.sqrt(2.3 * solid.surface_area() / TARGET_FACE_COUNT))  # the side of so many equal triangles
    fine = solid.refine_to_length(edge)
    # Long thin triangles give more than their area lets expect.
    while fine.num_tri() > max(MAX_FACE_COUNT, 1.1 * solid.num_tri()):
        edge *= EDGE_GROWTH
        fine = solid.refine_to_length(edge)
    return _extract_mesh(fine)


def _extract_mesh(solid: "Manifold") -> Mesh:
    mesh = solid.to_mesh64()
    return Mesh(mesh.vert_properties[:, :3], np.asarray(mesh.tri_verts, dtype=np.int64), up="z")


def _compute_normals(mesh: Mesh) -> Array:
    """Unit normals of the vertices, [n, 3]."""
    normals = np.zeros_like(mesh.vertices)
    for corner in range(3):
        np.add.at(normals, mesh.faces[:, corner], area_vectors(mesh.vertices, mesh.faces))
    return unit_or_zero(normals)


def _carry_skin(thing: ProceduralObject, shell: Mesh, vertices: Array | None = None) -> Variant:
    """The surface with the skin and colours of the nearest places of the original, and, if given, other vertices."""
    where = find_nearest(thing.mesh, shell.vertices)
    strongest = where.corners[np.arange(where.count), where.weights.argmax(axis=1)]
    bones = thing.bones
    skin = replace(bones, joints=bones.joints[strongest], weights=bones.weights[strongest])
    centres = find_nearest(thing.mesh, shell.vertices[shell.faces].mean(axis=1))
    materials = thing.mesh.face_material[centres.face]
    mesh = replace(shell, materials=thing.mesh.materials, face_material=materials)
    return Variant(thing, mesh if vertices is None else mesh.with_vertices(vertices), skin)


VARIANTS: dict[str, Callable[[ProceduralObject], Variant]] = {
    "plain": make_plain,
    "fused": make_fused,
    "noisy": make_noisy,
}
