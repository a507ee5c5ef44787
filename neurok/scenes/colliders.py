"""Colliders with room inside: a piece made of boards becomes boxes, so that a drawer is not filled by its hull.

The planes of a piece's faces cut space into cells; a cell is solid where the winding number at its middle says so,
and solid cells are joined into as few boxes as a greedy walk finds. Other pieces keep what
generate/solids.py gives them.
"""

from dataclasses import replace

import numpy as np

from neurok.files.bodies import split_links
from neurok.files.hulls import compute_convex_hull
from neurok.generate.solids import MAX_PIECES, MIN_FILLING, hull_pieces
from neurok.geometry.arrays import Array, Mask
from neurok.geometry.articulation import Articulation
from neurok.geometry.components import face_components, select_faces
from neurok.geometry.measure import compute_volume
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box
from neurok.geometry.triangles import area_vectors

MIN_SQUARE_SHARE = 0.8  # of a piece's area that faces along an axis, for it to be made of boards
PLANE_GAP = 1e-3  # of a piece's size: planes nearer to each other are one, as rounded edges have many
MIN_BOARD_FILLING = 0.95  # of its box that a board fills
MAX_CELLS = 20_000  # of a piece: more planes than boards have


def add_hollow_colliders(articulation: Articulation) -> Articulation:
    """The articulation with convex pieces for every link that has a surface, boxes where it is made of boards."""
    links = [
        replace(link, colliders=cut_link(transform(mesh, np.linalg.inv(link.T_world_link))))
        if mesh.face_count
        else link
        for link, mesh in zip(articulation.links, split_links(articulation))
    ]
    return replace(articulation, links=tuple(links))


def cut_link(mesh: Mesh) -> tuple[Mesh, ...]:
    """Convex pieces of a link, the largest boxes first."""
    count, owner = face_components(mesh)
    found: list[Mesh] = []
    plain: list[Mesh] = []
    for piece in range(count):
        part = select_faces(mesh, np.flatnonzero(owner == piece))
        boards = [_make_box(*_find_bounds(part))] if _is_board(part) else cut_boards(part) if _is_hollow(part) else []
        found += boards
        if not boards:
            plain.append(part)
    if plain:
        found += hull_pieces(merge([_strip(part) for part in plain]))
    found.sort(key=lambda hull: -float(np.prod(np.ptp(hull.vertices, axis=0))))
    return tuple(found[:MAX_PIECES])


def _strip(mesh: Mesh) -> Mesh:
    used = np.unique(mesh.faces)
    place = np.zeros(mesh.vertex_count, dtype=np.int64)
    place[used] = np.arange(len(used))
    return Mesh(mesh.vertices[used], place[mesh.faces])


def _find_bounds(part: Mesh) -> Array:
    """Lower and upper corner of a piece [m], [2, 3]."""
    points = part.vertices[np.unique(part.faces)]
    return np.stack([points.min(axis=0), points.max(axis=0)])


def _is_board(part: Mesh) -> bool:
    """Whether a piece fills its box but for rounded edges: eight corners meet others better than hundreds."""
    whole = float(np.prod(np.ptp(_find_bounds(part), axis=0)))
    return abs(compute_volume(part)) > MIN_BOARD_FILLING * whole > 0.0


def _is_hollow(part: Mesh) -> bool:
    hull = compute_convex_hull(part.vertices[np.unique(part.faces)])
    return hull is not None and abs(compute_volume(part)) < MIN_FILLING * abs(compute_volume(hull))


def cut_boards(part: Mesh) -> list[Mesh]:
    """The boxes of a piece whose faces look along the axes; none where they do not."""
    areas = np.abs(area_vectors(part.vertices, part.faces))
    whole = np.linalg.norm(areas, axis=1)
    if whole[areas.max(axis=1) > 0.99 * whole].sum() < MIN_SQUARE_SHARE * whole.sum():
        return []
    planes = _find_planes(part, areas)
    if np.prod([len(each) - 1 for each in planes]) > MAX_CELLS or min(len(each) for each in planes) < 2:
        return []
    middles = [0.5 * (each[1:] + each[:-1]) for each in planes]
    cells = np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1).reshape(-1, 3)
    solid = _find_inside(part, cells).reshape([len(each) for each in middles])
    return [_make_box(low, high) for low, high in _join_cells(solid, planes)]


def _find_planes(part: Mesh, areas: Array) -> list[Array]:
    """Where faces that look along each axis lie, and both ends [m]."""
    found = []
    corners = part.vertices[part.faces]
    size = float(np.ptp(part.vertices[np.unique(part.faces)], axis=0).max())
    for axis in range(3):
        square = areas[:, axis] > 0.99 * np.linalg.norm(areas, axis=1)
        levels = np.sort(np.concatenate([corners[square][:, :, axis].mean(axis=1), corners[..., axis].min()[None],
                                         corners[..., axis].max()[None]]))  # fmt: skip
        keep = np.concatenate([[True], np.diff(levels) > PLANE_GAP * size])
        found.append(levels[keep])
    return found


def _find_inside(part: Mesh, points: Array) -> Mask:
    import igl

    winding = igl.fast_winding_number(part.vertices, part.faces, points)
    return np.asarray(np.abs(winding) > 0.5)


def _join_cells(solid: Mask, planes: list[Array]) -> list[tuple[Array, Array]]:
    """Solid cells as boxes, [3] and [3] each: each grows along x, then y, then z while all is solid."""
    left = solid.copy()
    found = []
    for start in np.argwhere(solid):
        if not left[tuple(start)]:
            continue
        low, high = start.copy(), start + 1
        for axis in range(3):
            while high[axis] < solid.shape[axis]:
                window = [slice(a, b) for a, b in zip(low, high)]
                window[axis] = slice(high[axis], high[axis] + 1)
                if not left[tuple(window)].all():
                    break
                high[axis] += 1
        left[tuple(slice(a, b) for a, b in zip(low, high))] = False
        found.append(
            (np.array([planes[k][low[k]] for k in range(3)]), np.array([planes[k][high[k]] for k in range(3)]))
        )
    return found


def _make_box(low: Array, high: Array) -> Mesh:
    made = box(*np.maximum(high - low, 1e-6).tolist())
    return Mesh(made.vertices - made.bounds.mean(axis=0) + 0.5 * (low + high), made.faces)
