"""Colliders of generated objects: a hull for each piece of a link, as programs put links together of simple pieces.

One hull for a whole link fills its hollows: a door frame's swallows the handle. A link of more than MAX_PIECES pieces
keeps the hulls of the largest.
"""

from dataclasses import replace

import numpy as np

from neurok.files.bodies import split_links
from neurok.files.hulls import compute_convex_hull
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.components import face_components
from neurok.geometry.measure import compute_volume
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import transform

MIN_FILLING = 0.5  # of its hull that a piece fills, or it is bent or hollow; set by hand, as is the next
SLICE_COUNT = 8  # of a bent piece
MAX_PIECES = 32  # of a link; set by hand: a simulator tests all pairs of them


def add_piece_colliders(articulation: Articulation) -> Articulation:
    """The articulation with convex pieces for every link that has a surface; what a link has already stays."""
    links = [
        replace(link, colliders=hull_pieces(transform(mesh, np.linalg.inv(link.T_world_link))))
        if mesh.face_count and link.colliders is None
        else link
        for link, mesh in zip(articulation.links, split_links(articulation))
    ]
    return replace(articulation, links=tuple(links))


def hull_pieces(mesh: Mesh) -> tuple[Mesh, ...]:
    """The hulls of the connected pieces of a mesh, the largest boxes first; a bent one is cut into slices before."""
    count, owner = face_components(mesh)
    hulls: list[Mesh] = []
    for piece in range(count):
        faces = mesh.faces[owner == piece]
        hull = compute_convex_hull(mesh.vertices[np.unique(faces)])
        if hull is not None:
            solid = abs(compute_volume(Mesh(mesh.vertices, faces)))
            bent = solid < MIN_FILLING * abs(compute_volume(hull))
            hulls += _slice_piece(mesh.vertices, faces) if bent else [hull]
    hulls.sort(key=lambda hull: -float(np.prod(np.ptp(hull.vertices, axis=0))))
    return tuple(hulls[:MAX_PIECES])


def _slice_piece(vertices: Array, faces: Indices) -> list[Mesh]:
    """The hulls of slices of a piece across the longest side of its box."""
    centres = vertices[faces].mean(axis=1)
    axis = int(np.argmax(np.ptp(centres, axis=0)))
    edges = np.linspace(centres[:, axis].min(), centres[:, axis].max(), SLICE_COUNT + 1)
    slot = np.clip(np.searchsorted(edges, centres[:, axis], side="right") - 1, 0, SLICE_COUNT - 1)
    found = (compute_convex_hull(vertices[np.unique(faces[slot == k])]) for k in np.unique(slot))
    return [hull for hull in found if hull is not None]
