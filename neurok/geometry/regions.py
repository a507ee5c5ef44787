"""Regions of a surface that networks receive as input: crease patches and connected components; features of both."""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.borders import join_patches
from neurok.geometry.components import face_components
from neurok.geometry.mesh import Mesh
from neurok.geometry.patches import crease_patches

MAX_REGION_PATCHES = 96  # with 64, patches of real objects with fused parts too often join moving and static parts
WELD_TOLERANCE = 1e-5  # of the diagonal
REGION_FEATURE_COUNT = 40  # four times: centre 3, extents 3, share of the area 1, mean normal 3


def find_regions(mesh: Mesh) -> tuple[Indices, Indices]:
    """The crease patch and the welded component of each face, [m] twice."""
    _, component = face_components(mesh, tolerance=WELD_TOLERANCE * mesh.diagonal)
    return crease_patches(mesh, max_count=MAX_REGION_PATCHES).face, component


def all_region_features(position: Array, normal: Array, area: Array, patch: Indices, component: Indices,
                        border: Array) -> Array:  # fmt: skip
    """`region_features` of the patch, the component and the two pieces of each point, [n, REGION_FEATURE_COUNT]."""
    labels = [patch, component, *(piece[patch] for piece in join_patches(border))]
    return np.concatenate([region_features(position, normal, area, label) for label in labels], axis=1)


def region_features(position: Array, normal: Array, area: Array, label: Indices) -> Array:
    """Centre, extents, share of the area and mean normal of the region of each point, [n, 10].

    The features are computed from the points alone, so that an augmentation of the points (noise, missing sides) also
    changes the features.
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
