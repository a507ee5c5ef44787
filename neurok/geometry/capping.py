"""Capping: the holes that a cut leaves in a solid, closed on both sides by the same triangles.

A line that runs the other way within another one is its hole: the wall of a tube is capped by a ring. Caps have
vertices of their own, and look like the surface beside them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.cap_spans import make_plane_axes, measure_steps, measure_vector_area, span_lines
from neurok.geometry.components import list_sides
from neurok.geometry.cut_loops import CutLoop, WeldedSurface
from neurok.geometry.membranes import split_inner_sides
from neurok.geometry.mesh import Mesh
from neurok.geometry.polygons import contains_point
from neurok.geometry.triangles import area_vectors, face_areas, unit_or_zero

# Set by hand, never measured.
MAX_HOLE_OFFSET = 0.25  # of a hole from the plane of the line around it, or from that line, over the root of its area
MIN_CAP_WIDTH = 3e-4  # of the diagonal: a cut that is narrower on average shows no hole


@dataclass(frozen=True)
class Cap:
    """What closes a cut of one part. corner: the face corner behind each of its vertices, [c]; position: of these,
    [c, 3]; faces: over them, looking out of the part, [t, 3]; beside: the face that it looks like."""

    part: int
    corner: Indices
    position: Array
    faces: Indices
    beside: int


def make_caps(mesh: Mesh, surface: WeldedSurface, loops: Sequence[CutLoop]) -> list[Cap]:
    """Caps of all loops that enclose more than a sliver."""
    caps, spans = [], dict[bytes, tuple[Indices, Array] | None]()
    for part in sorted({loop.part for loop in loops}):
        waiting = group_loops(surface, [loop for loop in loops if loop.part == part])
        while waiting:
            group = waiting.pop()
            key = np.concatenate([loop.point for loop in group]).tobytes()
            if key not in spans:
                spans[key] = _span_group(mesh, surface, group)
            span = spans[key]
            if span is not None:
                caps += _make_cap(mesh, surface, group, *span)
            elif len(group) > 1:
                waiting += [[loop] for loop in group]
    return caps


def group_loops(surface: WeldedSurface, loops: Sequence[CutLoop]) -> list[list[CutLoop]]:
    """Each outer line followed by those of its holes."""
    rims = [_describe_rim(surface, loop) for loop in loops]
    groups: dict[int, list[CutLoop]] = {}
    for number in sorted(range(len(loops)), key=lambda each: -rims[each].size):
        around = (outer for outer in reversed(groups) if _is_hole(rims[number], rims[outer]))
        groups.setdefault(next(around, number), []).append(loops[number])
    return list(groups.values())


@dataclass(frozen=True)
class _Rim:
    """A cut loop in space: its points, [p, 3], its area along the normal about which its part's faces run, [3], and the
    direction in which these faces lie, [3]."""

    place: Array
    vector: Array
    inward: Array

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.vector))


def _describe_rim(surface: WeldedSurface, loop: CutLoop) -> _Rim:
    place = surface.place[loop.point]
    middle = surface.place[surface.faces[loop.corner // 3]].mean(axis=1)
    vector = measure_vector_area(place) * (1.0 if loop.along else -1.0)
    return _Rim(place, vector, unit_or_zero(middle - place).mean(axis=0))


def _is_hole(inner: _Rim, outer: _Rim) -> bool:
    """Whether a line runs the other way than a larger one, within it and nearly in its plane, or close beside it; and
    the faces beside both lie on the same side: else the part is a slice between two cuts."""
    if inner.vector @ outer.vector >= 0 or (inner.inward @ outer.vector) * (outer.inward @ outer.vector) <= 0:
        return False
    reach, normal = MAX_HOLE_OFFSET * np.sqrt(outer.size), unit_or_zero(outer.vector)
    if abs((inner.place.mean(axis=0) - outer.place.mean(axis=0)) @ normal) > reach:
        return False
    axes = make_plane_axes(normal)[:2].T
    if all(contains_point(outer.place @ axes, place) for place in inner.place @ axes):
        return True
    from scipy.spatial import cKDTree

    there, back = cKDTree(outer.place).query(inner.place)[0], cKDTree(inner.place).query(outer.place)[0]
    return bool(max(there.max(), back.max()) <= reach)


def _span_group(mesh: Mesh, surface: WeldedSurface, group: Sequence[CutLoop]) -> tuple[Indices, Array] | None:
    """Triangles across a line with its holes, running as the line does, and points that had to be added, [a, 3].

    None where that fails. The points of the triangles are those of the lines, then the added ones. Nothing here depends
    on the part, so that both sides of a cut get the same.
    """
    lines, place = _number_lines(group), surface.place[np.concatenate([loop.point for loop in group])]
    turned = [line if loop.along == group[0].along else line[::-1] for line, loop in zip(lines, group)]
    span = span_lines(place, turned)
    if span is None:
        return None
    faces, every = span[0], np.concatenate([place, span[1]])
    if _measure_width(every, faces, lines) < MIN_CAP_WIDTH * mesh.diagonal:
        return faces[:0], every[:0]
    taken = _find_taken_sides(surface, np.concatenate([loop.point for loop in group]), faces)
    faces, every = split_inner_sides(every, faces, taken)
    return faces, every[len(place) :]


def _make_cap(mesh: Mesh, surface: WeldedSurface, group: Sequence[CutLoop], faces: Indices, added: Array) -> list[Cap]:
    """The cap of one part, none where there are no triangles."""
    if not len(faces):
        return []
    corner, place = np.concatenate([loop.corner for loop in group]), surface.place[group[0].point]
    position = np.concatenate([mesh.vertices[mesh.faces.reshape(-1)[corner]], added])
    beside = _choose_neighbour(mesh, group[0].corner, measure_steps(place))
    corner = np.concatenate([corner, np.full(len(added), corner[0])])
    return [Cap(group[0].part, corner, position, faces[:, ::-1] if group[0].along else faces, beside)]


def _number_lines(group: Sequence[CutLoop]) -> list[Indices]:
    """The places of each line's points where all points stand one after another."""
    starts = np.cumsum([0, *(len(loop.point) for loop in group)])
    return [np.arange(start, stop) for start, stop in zip(starts[:-1], starts[1:])]


def _find_taken_sides(surface: WeldedSurface, point: Indices, faces: Indices) -> Mask:
    """Which sides of triangles over points of a cut are edges of the surface, [3 t]. point: the welded ones, [c]."""
    welded = np.concatenate([point, np.full(1, len(surface.place))])  # what was added lies on no edge
    return surface.has_edges(welded[np.minimum(list_sides(faces), len(point))])


def _measure_width(place: Array, faces: Indices, lines: Sequence[Indices]) -> float:
    """Twice the area over the length of the border: about how wide a strip is, [unit]."""
    border = sum(float(measure_steps(place[line]).sum()) for line in lines)
    return 2.0 * float(face_areas(place, faces).sum()) / border if border > 0 else 0.0


def _choose_neighbour(mesh: Mesh, corner: Indices, length: Array) -> int:
    """Of the faces along a line, the one that takes up most of it among those of the material that does.

    corner: of each point of the line, [p]; length: from there to the next, [p].
    """
    material = np.unique(mesh.face_material[corner // 3], return_inverse=True)[1].reshape(-1)
    usual = np.bincount(material, length).argmax()
    return int(corner[np.where(material == usual, length, -1.0).argmax()] // 3)


# ---------------------------------------------------------------- appending


def append_caps(mesh: Mesh, caps: Sequence[Cap]) -> Mesh:
    """The mesh with the vertices and faces of caps at the end."""
    if not caps:
        return mesh
    starts = mesh.vertex_count + np.cumsum([0, *(len(cap.corner) for cap in caps)])[:-1]
    beside = np.concatenate([np.full(len(cap.faces), cap.beside) for cap in caps])
    tables = {name: np.asarray(value)[beside] for name, value in mesh.face_attributes.items()}
    if "polygon" in tables:  # each triangle is one of its own
        tables["polygon"] = int(np.max(mesh.face_attributes["polygon"])) + 1 + np.arange(len(beside))
    return replace(
        mesh,
        vertices=np.concatenate([mesh.vertices, *(cap.position for cap in caps)]),
        faces=np.concatenate([mesh.faces, *(cap.faces + start for cap, start in zip(caps, starts))]),
        attributes={
            name: np.concatenate([value, *(_find_values(mesh, name, value, cap, False) for cap in caps)])
            for name, value in mesh.attributes.items()
        },
        corner_attributes={
            name: np.concatenate([value, *(_find_values(mesh, name, value, cap, True)[cap.faces] for cap in caps)])
            for name, value in mesh.corner_attributes.items()
        },
        face_attributes={name: np.concatenate([value, tables[name]]) for name, value in mesh.face_attributes.items()},
        face_material=np.concatenate([mesh.face_material, mesh.face_material[beside]]),
        face_part=np.concatenate([mesh.face_part, mesh.face_part[beside]]),
    )


def _find_values(mesh: Mesh, name: str, value: NDArray, cap: Cap, at_corners: bool) -> NDArray:
    """An attribute at the vertices of a cap, [c, ...]: its own normal, no tangent, one place of the texture, which
    would smear else; anything else continues from the border."""
    value = np.asarray(value)
    values = value.reshape(-1, *value.shape[2:]) if at_corners else value
    source = cap.corner if at_corners else mesh.faces.reshape(-1)[cap.corner]
    if name == "normal":
        return find_cap_normals(cap).astype(value.dtype)
    if name == "tangent":
        return np.zeros_like(values[source])
    if name.startswith("uv"):
        corners = 3 * cap.beside + np.arange(3) if at_corners else mesh.faces[cap.beside]
        return np.repeat(values[corners].mean(axis=0, keepdims=True).astype(value.dtype), len(source), axis=0)
    return values[source]


def find_cap_normals(cap: Cap) -> Array:
    """Unit normals at a cap's vertices, [c, 3]: one and the same for the whole of it."""
    normal = unit_or_zero(area_vectors(cap.position, cap.faces).sum(axis=0))
    return np.repeat(normal[None], len(cap.corner), axis=0)
