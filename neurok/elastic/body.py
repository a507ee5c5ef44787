"""One body that deforms: its matter, the bricks about it, its slowest vibrations, and the handles that carry them.

A body is held where it stands, or where it meets what carries it; a body that is free vibrates about its own mean.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix, diags
from scipy.spatial import cKDTree

from neurok.elastic.bricks import Bricks, assemble, choose_side, find_rigid_nodes, label_rigid_bodies, lay_bricks
from neurok.elastic.carried import Carrying, fit_twists
from neurok.elastic.filling import GRID, fill
from neurok.elastic.handles import MatterHandles
from neurok.elastic.matter import FaceMaterials, Matter
from neurok.elastic.pieces import label_bodies
from neurok.elastic.vibration import FREE, HELD, find_vibrations
from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.mesh import Mesh

BRICK_COUNT = 800  # at most: about three seconds of one core
# Bricks along a body without solid parts, at most, whose matter is finer than that of solids. With 24 a rubber rod of
# 1/80 is 1.7 % too fast, with 48 it is 0.7 %, with 90 it is 0.2 %, at twice the time.
SLENDER_GRID = 60
HANDLE_COUNT = 48  # of the elastic matter of a body
RIGID_CONTRAST = 1e5  # of Young's modulus to the softest of the body, from which a part counts as rigid
FOOT = 0.02  # of its height: how far above its lowest matter a body stands


@dataclass(frozen=True)
class ElasticBody:
    """A body's vibrations on handles, in file units.

    follow, weight: the handles of each vertex of its mesh, [n, 4] twice. seat: of the handles, [h, 3].
    twist: (v, w) of each handle by each vibration of unit modal mass, [h, m, 6].
    rate [rad/s], loss: of the vibrations, [m]. inertia: sum_p m_p h_p^T h_p of matter in the handles' rows
    [kg, file units], [4 h, 4 h]. kinds: how its parts were filled. is_free: whether nothing holds it.
    """

    follow: Indices
    weight: Array
    seat: Array
    twist: Array
    rate: Array
    loss: Array
    inertia: csr_matrix
    kinds: tuple[str, ...]
    is_free: bool


def fill_body(mesh: Mesh, made: FaceMaterials) -> tuple[Matter, tuple[str, ...]]:
    """The matter of a mesh [m], and how each of its parts was filled."""
    body = label_bodies(mesh, made)
    first = np.unique(body, return_index=True)[1]
    filling = fill(mesh, body, made.thickness / mesh.unit)
    matter = Matter(
        position=filling.position * mesh.unit,
        volume=filling.volume * mesh.unit**3,
        material=made.index[first][filling.label],
        materials=made.materials,
    )
    return stiffen(matter), tuple(filling.kinds[k] for k in sorted(filling.kinds))


def stiffen(matter: Matter) -> Matter:
    """The matter with what is far stiffer than the rest of it taken as rigid."""
    present = [matter.materials[i] for i in np.unique(matter.material)]
    softest = min((one.young for one in present if not one.is_rigid), default=np.inf)
    materials = tuple(replace(m, is_rigid=m.is_rigid or m.young >= RIGID_CONTRAST * softest) for m in matter.materials)
    return replace(matter, materials=materials)


def build_body(mesh: Mesh, made: FaceMaterials, count: int, held: Array | None, origin: Array) -> ElasticBody:
    """A body's slowest vibrations, as twists about a point [file units], [3].

    held: a direction [3] along which it stands on its lowest matter, or points [file units], [k, 3], at which it hangs
    on another body; None where it is free.
    """
    matter, kinds = fill_body(mesh, made)
    if not matter.mass.sum() > 0:
        raise InputError("a part that is to deform has no volume and no area", "check for collapsed faces")
    extent = float(np.ptp(matter.position, axis=0).max())
    finest = extent / (GRID if "solid" in kinds else SLENDER_GRID)
    stands = held is not None and held.ndim == 1
    bricks = lay_bricks(matter, max(choose_side(matter, BRICK_COUNT), finest), held if stands else None)
    follows = find_follows(bricks, matter, None if held is None else _find_held(bricks, matter, held, mesh.unit))
    vibrations = find_vibrations(bricks, assemble(bricks, matter), follows, count)
    handles = MatterHandles(bricks, matter, HANDLE_COUNT)
    follow, weight = handles.weigh(matter.position, np.arange(len(matter.position)))
    carrying = Carrying(follow, weight, len(handles.seat), _find_still(bricks, matter, handles, follows))
    twist = fit_twists(bricks, matter, vibrations, carrying, origin * mesh.unit)
    twist[..., :3] /= mesh.unit
    position = mesh.vertices * mesh.unit
    on_vertices = handles.weigh(position, _find_nearest(mesh, made, matter, position))
    return ElasticBody(
        *on_vertices,
        seat=handles.seat / mesh.unit,
        twist=twist,
        rate=vibrations.rate,
        loss=vibrations.loss,
        inertia=_weigh(matter, follow, weight, len(handles.seat), mesh.unit),
        kinds=kinds,
        is_free=held is None,
    )


def _find_still(bricks: Bricks, matter: Matter, handles: MatterHandles, follows: Indices) -> Indices:
    """The handles of rigid bodies that are held."""
    body = label_rigid_bodies(bricks, matter)
    held = np.unique(body[(follows[bricks.nodes] == HELD).any(axis=1) & (body >= 0)])
    return np.flatnonzero(np.isin(handles.rigid, held) & (handles.rigid >= 0))


def build_rigid_body(mesh: Mesh, made: FaceMaterials) -> ElasticBody:
    """A body that does not deform: one handle, and what its matter weighs."""
    matter, kinds = fill_body(mesh, made)
    zero, one = np.zeros((len(matter.position), 4), dtype=np.int64), np.array([1.0, 0.0, 0.0, 0.0])
    return ElasticBody(
        follow=np.zeros((mesh.vertex_count, 4), dtype=np.int64),
        weight=np.tile(one, (mesh.vertex_count, 1)),
        seat=mesh.bounds.mean(axis=0)[None],
        twist=np.zeros((1, 0, 6)),
        rate=np.zeros(0),
        loss=np.zeros(0),
        inertia=_weigh(matter, zero, np.tile(one, (len(zero), 1)), 1, mesh.unit),
        kinds=kinds,
        is_free=True,
    )


def find_follows(bricks: Bricks, matter: Matter, held: Mask | None) -> Indices:
    """What each node does, as `find_vibrations` asks, [n]; held: nodes that are held, with rigid bodies they are of."""
    follows = np.full(len(bricks.node), FREE)
    rigid_nodes, body = find_rigid_nodes(bricks, matter), label_rigid_bodies(bricks, matter)
    for number in range(body.max(initial=-1) + 1):
        mine = np.zeros(len(follows), dtype=bool)
        mine[bricks.nodes[body == number].ravel()] = True
        touched = held is not None and bool((held & mine).any())
        follows[mine & rigid_nodes] = HELD if touched else number
    if held is not None:
        follows[held] = HELD
    return follows


def _find_held(bricks: Bricks, matter: Matter, held: Array, unit: float) -> Mask:
    """Nodes at the foot of the matter, or about the points at which it hangs, [n]."""
    found = np.zeros(len(bricks.node), dtype=bool)
    if held.ndim == 1:
        height = matter.position @ held
        floor = height.min() + FOOT * np.ptp(height)
        standing = np.unique(bricks.owner[height <= floor])
        found[bricks.nodes[standing].ravel()] = True
        return found & (bricks.places @ held <= height.min() + 0.25 * bricks.side)
    near = cKDTree(held * unit).query(matter.position)[0]
    touching = near <= max(float(near.min()) * 1.01, 0.5 * bricks.side)
    found[bricks.nodes[np.unique(bricks.owner[touching])].ravel()] = True
    return found


def _find_nearest(mesh: Mesh, made: FaceMaterials, matter: Matter, position: Array) -> Indices:
    """The point of matter nearest to each vertex, of the material of a face of the vertex, [n]."""
    nearest = cKDTree(matter.position).query(position)[1]
    rigid_face = np.array([one.is_rigid for one in matter.materials])[made.index]
    for is_rigid in (False, True):
        vertices = np.unique(mesh.faces[rigid_face == is_rigid])
        mine = np.flatnonzero(matter.rigid == is_rigid)
        if len(vertices) and len(mine):
            nearest[vertices] = mine[cKDTree(matter.position[mine]).query(position[vertices])[1]]
    return nearest


def _weigh(matter: Matter, follow: Indices, weight: Array, count: int, unit: float) -> csr_matrix:
    """G in the handles' rows, in file units, [4 h, 4 h]."""
    x = np.concatenate([matter.position / unit, np.ones((len(matter.position), 1))], axis=1)
    values = weight[:, :, None] * x[:, None]
    columns = 4 * follow[:, :, None] + np.arange(4)
    rows = np.broadcast_to(np.arange(len(x))[:, None, None], values.shape)
    H = csr_matrix((values.ravel(), (rows.ravel(), columns.ravel())), shape=(len(x), 4 * count))
    return (H.T @ diags(matter.mass) @ H).tocsr()


def cut_body(mesh: Mesh, made: FaceMaterials, mine: Mask) -> tuple[Mesh, FaceMaterials, Indices]:
    """The faces of one body as a mesh, what they are made of, and its vertices in the whole, [n']."""
    used, faces = np.unique(mesh.faces[mine], return_inverse=True)
    piece = Mesh(mesh.vertices[used], faces.reshape(-1, 3), face_part=mesh.face_part[mine], up=mesh.up, unit=mesh.unit)
    return piece, FaceMaterials(made.index[mine], made.thickness[mine], made.materials), used
