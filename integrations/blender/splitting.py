"""A mesh taken apart into links: no vertex in two of them, and a vertex group for each."""

from collections.abc import Sequence

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

LAYER = "neurok_link"


def label_faces(link: NDArray[np.int64], face: NDArray[np.int64], face_count: int) -> tuple[NDArray[np.int64], int]:
    """The link of each face by most of its triangles, [faces], and how many faces have triangles in several links."""
    width = int(link.max(initial=0)) + 1
    votes = np.zeros((face_count, width), dtype=np.int64)
    np.add.at(votes, (face, link), 1)
    return votes.argmax(axis=1), int(np.count_nonzero((votes > 0).sum(axis=1) > 1))


def split_mesh(thing: bpy.types.Object, label: NDArray[np.int64], groups: Sequence[str]) -> None:
    """Cut the mesh of an object along the borders of links, and put each link into the vertex group of its name.

    label: the link of each face. What no face uses goes with the first link. Materials, UVs and shape keys stay.
    """
    if thing.data.users > 1:
        thing.data = thing.data.copy()
    indices = [(thing.vertex_groups.get(name) or thing.vertex_groups.new(name=name)).index for name in groups]
    surface = bmesh.new()
    surface.from_mesh(thing.data)
    layer = surface.faces.layers.int.new(LAYER)
    surface.faces.ensure_lookup_table()
    for face, link in zip(surface.faces, label.tolist()):
        face[layer] = link
    for link in range(1, len(groups)):
        _tear_off(surface, layer, link)
    weights = surface.verts.layers.deform.verify()
    for vertex in surface.verts:
        link = vertex.link_faces[0][layer] if vertex.link_faces else 0
        for index in indices:
            if index in vertex[weights]:
                del vertex[weights][index]
        vertex[weights][indices[link]] = 1.0
    surface.faces.layers.int.remove(surface.faces.layers.int[LAYER])
    surface.to_mesh(thing.data)
    surface.free()
    thing.data.update()


def _tear_off(surface: bmesh.types.BMesh, layer: bmesh.types.BMLayerItem, link: int) -> None:
    """Give a link vertices of its own where it shares some."""
    mine = [face for face in surface.faces if face[layer] == link]
    if any(other[layer] != link for face in mine for vertex in face.verts for other in vertex.link_faces):
        bmesh.ops.split(surface, geom=mine)
