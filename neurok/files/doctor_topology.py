"""The part of the input doctor that judges the topology of a mesh.

Vertices at the same place count as one, since files split them along the seams
of textures and normals (vertices of different links stay apart). Duplicate and
collapsed faces are counted first and left out of the count of edges, so that
one fault is named once.
"""

from typing import Any

import numpy as np

from neurok.files.findings import Finding, count_noun
from neurok.geometry.arrays import Indices, Mask
from neurok.geometry.components import (
    Edges,
    degenerate_faces,
    duplicate_faces,
    face_components,
    find_edges,
    hole_count,
    select_faces,
    unused_vertices,
    weld_map,
)
from neurok.geometry.measure import compute_area, compute_volume, is_closed
from neurok.geometry.mesh import Mesh


def examine_topology(mesh: Mesh, link: Indices, findings: list[Finding]) -> dict[str, Any]:
    """Counts over the mesh with vertices at one place made one, unless they belong to different links, [n]."""
    merged = weld_map(mesh.vertices) * (int(link.max()) + 1) + link
    merged = np.unique(merged, return_inverse=True)[1].reshape(-1)
    first = np.full(int(merged.max()) + 1, mesh.vertex_count)
    np.minimum.at(first, merged, np.arange(mesh.vertex_count))
    welded = Mesh(mesh.vertices[first], merged[mesh.faces])
    flat, double = degenerate_faces(welded), duplicate_faces(welded)
    total = compute_area(welded)
    a, b, c = welded.faces.T
    kept = select_faces(welded, ~double & (a != b) & (b != c) & (c != a))
    found = find_edges(kept)
    turned = _find_inconsistent_edges(kept, found)
    count, _ = face_components(welded)
    holes = hole_count(kept)
    # Every face with its back encloses nothing, though no edge is open.
    two_sided = (
        bool(double.any()) and is_closed(welded) and abs(compute_volume(welded)) <= 1e-6 * total * welded.diagonal
    )
    closed = is_closed(welded) and not two_sided
    counts = {
        "degenerate_faces": int(flat.sum()),
        "duplicate_faces": int(double.sum()),
        "non_manifold_edges": int(found.non_manifold.sum()),
        "holes": holes,
        "boundary_edges": int(found.boundary.sum()),
        "inconsistent_edges": int(turned.sum()),
        "unused_vertices": int(unused_vertices(mesh).sum()),
    }
    enclosed = compute_volume(welded) if closed else None
    # A sheet encloses nothing, but for rounding; that is not inside out.
    inside_out = enclosed is not None and enclosed < -1e-6 * total * welded.diagonal
    _judge_topology(counts, total, inside_out, findings)
    seams = mesh.vertex_count - welded.vertex_count
    shape = {"components": count, "closed": closed, "two_sided": two_sided, "area": total, "volume": enclosed}
    return shape | {"split_vertices": seams} | counts


def _find_inconsistent_edges(mesh: Mesh, found: Edges) -> Mask:
    """Edges whose two faces run along them in the same direction, so that one of the two is turned over, [e]."""
    start, end = mesh.faces, np.roll(mesh.faces, -1, axis=1)
    balance = np.bincount(found.of_face.reshape(-1), np.where(start < end, 1.0, -1.0).reshape(-1), found.count)
    return (found.face_count == 2) & (balance != 0)


# count -> severity, what it is (noun, plural, what about it), what will be done
TOPOLOGY_DEFECTS = {
    "degenerate_faces": ("note", "face", "faces", "without area", "kept: no mass, no samples"),
    "duplicate_faces": (
        "warning",
        "face",
        "faces",
        "with the same corners as an earlier one",
        "kept: both count in the mass of a shell, one when volumes are compared",
    ),
    "non_manifold_edges": ("note", "edge", "edges", "with more than two faces", "kept: motion needs no manifold"),
    "holes": ("note", "hole or open border", "holes or open borders", "", "kept: an open part weighs as a thin shell"),
    "inconsistent_edges": (
        "warning",
        "edge",
        "edges",
        "between faces that look opposite ways",
        "kept: such a part weighs as a thin shell, and may look dark",
    ),
    "unused_vertices": ("note", "vertex", "vertices", "in no face", "kept in the order of vertices"),
}


def _judge_topology(counts: dict[str, int], total: float, inside_out: bool, findings: list[Finding]) -> None:
    for name, (severity, noun, plural, what, action) in TOPOLOGY_DEFECTS.items():
        if counts[name]:
            text = f"{count_noun(counts[name], noun, plural)} {what}".rstrip()
            findings.append(Finding(name, severity, counts[name], text, action))
    if not total > 0:
        findings.append(Finding("no_area", "error", 1, "the surface has no area", "animate and fit refuse it"))
    elif not np.isfinite(total):
        findings.append(Finding("too_large", "error", 1, "the numbers are too large to measure", "scale the file down"))
    elif inside_out:
        text = "the surface is inside out: its faces look inwards"
        findings.append(Finding("inside_out", "warning", 1, text, "its volume is taken positive; it may look dark"))
