"""Regions of a plain surface, as networks are told them: crease patches and connected components; features of both."""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.borders import pieces
from neurok.geometry.components import face_components
from neurok.geometry.mesh import Mesh
from neurok.geometry.patches import crease_patches

PATCHES = 96  # at most; of real objects whose parts are fused, 64 too often join what moves to what rests
WELD = 1e-5  # of the diagonal
REGION = 40  # four times: centre 3, extents 3, share of the area 1, mean normal 3


def regions(mesh: Mesh) -> tuple[Indices, Indices]:
    """The crease patch and the welded component of each face, [m] twice."""
    return crease_patches(mesh, most=PATCHES).face, face_components(mesh, tolerance=WELD * mesh.diagonal)[1]


def all_region_features(position: Array, normal: Array, area: Array, patch: Indices, component: Indices,
                        border: Array) -> Array:  # fmt: skip
    """`region_features` of each point's patch, component and the two pieces in between, [n, REGION]."""
    labels = [patch, component, *(piece[patch] for piece in pieces(border))]
    return np.concatenate([region_features(position, normal, area, label) for label in labels], axis=1)


def region_features(position: Array, normal: Array, area: Array, label: Indices) -> Array:
    """Centre, extents, share of the area and mean normal of the region each point belongs to, [n, 10].

    Read off the points alone, so that whatever is done to them (noise, missing sides) shows in the features.
    """
    _, label = np.unique(label, return_inverse=True)
    order = np.argsort(label, kind="stable")
    starts = np.flatnonzero(np.diff(label[order], prepend=-1))
    weight = area[order, None]
    total = np.add.reduceat(weight, starts)
    centre = np.add.reduceat(weight * position[order], starts) / np.maximum(total, 1e-12)
    mean = np.add.reduceat(weight * normal[order], starts) / np.maximum(total, 1e-12)
    extent = np.maximum.reduceat(position[order], starts) - np.minimum.reduceat(position[order], starts)
    return np.concatenate([centre, extent, total, mean], axis=1)[label].astype(np.float32)
