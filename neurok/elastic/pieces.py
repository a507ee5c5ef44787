"""Pieces of a mesh that are one body of one material, however many names and looks it has.

The stripes of a cushion bound a volume together, and none of them alone.
"""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from neurok.elastic.matter import FaceMaterials
from neurok.geometry.arrays import Indices
from neurok.geometry.components import weld_map
from neurok.geometry.mesh import Mesh


def label_bodies(mesh: Mesh, made: FaceMaterials) -> Indices:
    """A number for each face, [m]: pieces of one material and thickness that share an edge have one."""
    numbers = {hooke: number for number, hooke in enumerate(dict.fromkeys(made.materials))}
    material = np.array([numbers[hooke] for hooke in made.materials])[made.index]
    stuff = np.unique(np.stack([material, made.thickness], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    return join_pieces(mesh, stuff)


def join_pieces(mesh: Mesh, stuff: Indices) -> Indices:
    """A number for each face, [m]: pieces of the same stuff that share an edge have one; stuff: of each face, [m]."""
    piece = np.unique(np.stack([mesh.face_part, stuff], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    corner = weld_map(mesh.vertices)[mesh.faces]
    edges = np.sort(np.concatenate([corner[:, [0, 1]], corner[:, [1, 2]], corner[:, [2, 0]]]), axis=1)
    rows = np.concatenate([edges, np.tile(stuff, 3)[:, None]], axis=1)
    shared = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
    count = int(piece.max()) + 1
    table = coo_matrix((np.ones(len(shared)), (np.tile(piece, 3), count + shared)), shape=(count + len(shared),) * 2)
    body = connected_components(table, directed=False)[1][:count]
    found: Indices = body[piece]
    return found
