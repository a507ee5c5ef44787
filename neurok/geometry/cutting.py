"""Cutting: a surface taken apart into parts that share no vertex, with caps where the cut would show a hole."""

from dataclasses import replace

import numpy as np

from neurok.geometry.arrays import Indices
from neurok.geometry.capping import append_caps, make_caps
from neurok.geometry.cut_loops import find_cut_loops
from neurok.geometry.mesh import Mesh


def cut_parts(mesh: Mesh, label: Indices) -> tuple[Mesh, Indices]:
    """The mesh with no vertex in two parts and with cut solids capped on both sides, and the part of each vertex, [n].

    label: the part of each face, [m]. Vertices and faces of the input keep their places; copies of shared vertices
    follow, then the vertices and faces of caps. Vertices that no face uses go with the first part.
    """
    surface, loops = find_cut_loops(mesh, label)
    caps = make_caps(mesh, surface, loops)
    split, part = split_vertices(mesh, label)
    return append_caps(split, caps), np.concatenate([part, *(np.full(len(cap.corner), cap.part) for cap in caps)])


def split_vertices(mesh: Mesh, label: Indices) -> tuple[Mesh, Indices]:
    """The mesh with no vertex in two parts, and the part of each vertex, [n]; a shared vertex gets copies at the end.

    label: the part of each face, [m]. Vertices that no face uses go with the first part.
    """
    corners = mesh.faces.reshape(-1)
    owner = np.repeat(label, 3)
    count = int(label.max(initial=0)) + 1
    keys, inverse = np.unique(corners * count + owner, return_inverse=True)
    vertex, part = np.divmod(keys, count)
    first = np.ones(len(keys), dtype=bool)
    first[1:] = vertex[1:] != vertex[:-1]
    place = np.empty(len(keys), dtype=np.int64)
    place[first] = vertex[first]
    place[~first] = mesh.vertex_count + np.arange(np.count_nonzero(~first))
    source = np.concatenate([np.arange(mesh.vertex_count), vertex[~first]])
    link = np.zeros(len(source), dtype=np.int64)
    link[place] = part
    cut = replace(
        mesh, vertices=mesh.vertices[source], faces=place[inverse].reshape(-1, 3),
        attributes={key: np.asarray(value)[source] for key, value in mesh.attributes.items()},
    )  # fmt: skip
    return cut, link
