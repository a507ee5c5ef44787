"""Parts as grids of distances to their surface, and as meshes: what a code says, filled into the box of the part."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from neurok.generate.learned.layout import Layout
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.networks.part_code import PartCoder

ROOM = 1.12  # half sides: what the grid covers
MIN_CELLS, MAX_CELLS = 10, 34  # along a side of the box, by its share of the longest
REACH = 0.2  # half sides: distance that a decoded one stands for
FACE_BUDGET = 17_000  # of an object
MIN_FACES, MAX_FACES = 300, 2_400  # of a part
FAR = 1.0  # units: what is said outside of a grid


@dataclass(frozen=True)
class PartGrid:
    """Distances to the surface of a part, negative inside [units], [x, y, z], at origin + index step."""

    values: Array
    origin: Array
    step: Array

    def place(self) -> Array:
        """The points of the grid, [x, y, z, 3]."""
        axes = [o + s * np.arange(n) for o, s, n in zip(self.origin, self.step, self.values.shape)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)

    def read(self, points: Array) -> Array:
        """Distances at points [n, 3]; FAR outside."""
        from scipy.ndimage import map_coordinates

        where = ((points - self.origin) / self.step).T
        found: Array = map_coordinates(self.values, where, order=1, mode="constant", cval=FAR)
        return found

    def shift(self, offset: Array) -> "PartGrid":
        return replace(self, origin=self.origin + offset)

    @property
    def bounds(self) -> Array:
        """Lower and upper corner, [2, 3]."""
        return np.stack([self.origin, self.origin + self.step * (np.array(self.values.shape) - 1)])


def decode_grids(coder: PartCoder, layout: Layout) -> list[PartGrid] | None:
    """The grid of every part, which fills its box; None where a code has no surface."""
    grids = []
    for part in range(layout.count):
        grid = _decode_grid(coder, layout, part)
        if grid is None:
            return None
        grids.append(grid)
    return grids


def _decode_grid(coder: PartCoder, layout: Layout, part: int) -> PartGrid | None:
    half = layout.half[part]
    share = half / half.max()
    shape = np.round(MIN_CELLS + (MAX_CELLS - MIN_CELLS) * share).astype(int)
    blank = PartGrid(np.zeros(shape), np.full(3, -ROOM), 2 * ROOM / (shape - 1))
    points = torch.from_numpy(blank.place().reshape(1, -1, 3)).float()
    aspect = torch.from_numpy(np.log(share)[None]).float()
    with torch.inference_mode():
        told = coder.decode(torch.from_numpy(layout.code[part][None]).float(), aspect, points)
    values = REACH * told.distance[0].double().numpy().reshape(shape)
    inside = np.argwhere(values < 0)
    if len(inside) < 4:
        return None
    surface = mesh_grid(replace(blank, values=values))
    lower, upper = surface.bounds
    stretch = 2.0 / np.maximum(upper - lower, 0.2)  # so that the part fills its box
    step = blank.step * stretch * half
    origin = layout.centre[part] + half * stretch * (blank.origin - (lower + upper) / 2)
    slope = np.linalg.norm([np.gradient(values, side, axis=axis) for axis, side in enumerate(step)], axis=0)
    return PartGrid(values / np.maximum(slope, 0.3 * np.median(slope)), origin, step)


def mesh_grid(grid: PartGrid) -> Mesh:
    """The surface where the distance is zero, closed, looking outwards."""
    import igl

    padded = np.pad(grid.values, 1, constant_values=np.abs(grid.values).max() + 1e-6)
    nx, ny, nz = padded.shape
    points = replace(grid, values=padded, origin=grid.origin - grid.step).place()
    flat = np.ascontiguousarray(points.transpose(2, 1, 0, 3).reshape(-1, 3))
    values = np.ascontiguousarray(padded.transpose(2, 1, 0).reshape(-1))
    vertices, faces, _ = igl.marching_cubes(values, flat, nx, ny, nz, 0.0)
    return Mesh(vertices, faces, up="z")


def mesh_parts(grids: Sequence[PartGrid]) -> list[Mesh]:
    """The meshes of all parts, with fewer faces where there are many parts, and without crumbs."""
    budget = int(np.clip(FACE_BUDGET / len(grids), MIN_FACES, MAX_FACES))
    return [thin_mesh(drop_crumbs(mesh_grid(grid)), budget) for grid in grids]


def thin_mesh(mesh: Mesh, count: int) -> Mesh:
    """The mesh with at most so many faces, by collapsing edges; as it is where that fails."""
    import igl

    if mesh.face_count <= count:
        return mesh
    vertices, faces, *_ = igl.qslim(mesh.vertices, mesh.faces.astype(np.int32), count)
    return Mesh(vertices, faces, up="z") if len(faces) else mesh


def drop_crumbs(mesh: Mesh, least: float = 0.02) -> Mesh:
    """Without loose pieces of less than a share of the largest one's faces."""
    from neurok.geometry.components import face_components, select_faces

    count, owner = face_components(mesh)
    sizes = np.bincount(owner, minlength=count)
    kept = select_faces(mesh, (sizes >= least * sizes.max())[owner])
    used, faces = np.unique(kept.faces, return_inverse=True)
    return Mesh(kept.vertices[used], faces.reshape(-1, 3), up="z")
