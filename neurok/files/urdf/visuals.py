"""A link's mesh as the visuals of a URDF: one for each run of parts with one name.

MuJoCo reads only the first object or group of an OBJ file, so a file holds
one, and the parts' names stand in the URDF.
"""

from dataclasses import replace

import numpy as np

from neurok.files.bodies import drop_unused_materials
from neurok.geometry.arrays import Indices
from neurok.geometry.components import select_faces
from neurok.geometry.mesh import NO_LABELS, Mesh


def split_visuals(mesh: Mesh) -> list[tuple[str, Mesh]]:
    """Name ('' for none) and mesh of each visual; put side by side they have the mesh's vertices in their order."""
    names = [_find_top_name(mesh, part) for part in range(len(mesh.parts))] + [""]
    labels = {name: index for index, name in enumerate(dict.fromkeys(names))}
    face_name = np.array([labels[name] for name in names])[mesh.face_part]
    runs = _find_runs(mesh, face_name)
    if runs is None:
        single = np.unique(face_name)
        name = list(labels)[single[0]] if len(single) == 1 else ""
        return [(name, replace(mesh, parts=(), face_part=NO_LABELS))]
    vertex_run, run_name = runs
    face_run = vertex_run[mesh.faces[:, 0]]
    starts = np.searchsorted(vertex_run, np.arange(len(run_name) + 1))
    found = []
    for run, label in enumerate(run_name):
        piece = select_faces(mesh, face_run == run)
        start, end = int(starts[run]), int(starts[run + 1])
        piece = replace(
            piece,
            vertices=mesh.vertices[start:end],
            faces=piece.faces - start,
            attributes={key: np.asarray(value)[start:end] for key, value in mesh.attributes.items()},
            parts=(),
            face_part=NO_LABELS,
        )
        found.append((list(labels)[label], drop_unused_materials(piece)))
    return found


def _find_runs(mesh: Mesh, face_name: Indices) -> tuple[Indices, Indices] | None:
    """The run of each vertex, [n], and the name of each run, [r]; None where names mix."""
    corner_name = np.repeat(face_name, 3)
    vertex_name = np.full(mesh.vertex_count, -1)
    vertex_name[mesh.faces.reshape(-1)] = corner_name
    if np.any(vertex_name[mesh.faces.reshape(-1)] != corner_name):
        return None  # two names share a vertex
    # A vertex of no face goes with the one before it; leading ones with the first that is used.
    used = np.flatnonzero(vertex_name >= 0)
    before = np.maximum(np.searchsorted(used, np.arange(mesh.vertex_count), side="right") - 1, 0)
    vertex_name = vertex_name[used[before]]
    change = np.flatnonzero(np.diff(vertex_name, prepend=-1) != 0)
    run = np.cumsum(np.diff(vertex_name, prepend=vertex_name[0]) != 0)
    ends_apart = np.any(run[mesh.faces] != run[mesh.faces[:, :1]])
    in_order = bool(np.all(np.diff(run[mesh.faces[:, 0]]) >= 0))
    return None if ends_apart or not in_order else (run, vertex_name[change])


def _find_top_name(mesh: Mesh, part: int) -> str:
    while mesh.parts[part].parent >= 0:
        part = mesh.parts[part].parent
    return mesh.parts[part].name
