"""Shapes: the numbers of each part's form, place and neighbours, all shares of the object's size."""

from dataclasses import dataclass

import numpy as np

from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.components import face_components
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts
from neurok.geometry.surface import SurfacePoints, sample_stratified
from neurok.geometry.triangles import face_areas

SHAPE_FEATURES = (
    "size", "flat", "slim", "thin", "area", "filled", "boxy", "height", "bottom", "top", "outward", "planar", "linear",
    "upright", "bent", "detail", "pieces", "twins", "count", "touching", "neighbours", "larger", "largest", "inside",
    "object_low", "object_flat", "object_slim", "object_detail",
)  # fmt: skip
POINT_COUNT = 6000  # points on the whole object: enough that a part of a per cent gets about a hundred
TOUCH_DISTANCE = 0.01  # of the diagonal, within which two parts touch; as in `neurok.proposals`
SAMPLE_SEED = 7


@dataclass(frozen=True)
class PartForm:
    """One part measured: its extents along its own axes [diagonals], ascending, [3], its corners in the object's box
    [diagonals], [2, 3], its share of the area, its points and their normals, [n, 3]."""

    extent: Array
    box: Array
    share: float
    points: Array
    normals: Array

    @property
    def centre(self) -> Array:
        return 0.5 * (self.box[0] + self.box[1])

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.extent))


def observe_shapes(mesh: Mesh, parts: Parts) -> Array:
    """SHAPE_FEATURES of all parts, [p, 28]."""
    if not mesh.face_count or not face_areas(mesh.vertices, mesh.faces).sum() > 0:
        raise InputError("the mesh has no surface", "give one with faces")
    points = sample_stratified(mesh, parts.face, POINT_COUNT, np.random.default_rng(SAMPLE_SEED))
    placed = _place(mesh, points.position)
    forms = _measure_forms(mesh, parts, points, placed)
    gaps = _measure_gaps(forms)
    counts = _count_pieces(mesh, parts)
    whole = np.ptp(placed, axis=0)
    rows = [_list_features(forms, part, gaps, counts, whole, mesh.face_count) for part in range(parts.count)]
    return np.array([[float(row[name]) for name in SHAPE_FEATURES] for row in rows])


def _place(mesh: Mesh, points: Array) -> Array:
    """Points with z up, standing on z = 0 about x = y = 0, in diagonals, [n, 3]."""
    turned = np.roll(points, 2 - "xyz".index(mesh.up), axis=1)
    lower, upper = np.roll(mesh.bounds, 2 - "xyz".index(mesh.up), axis=1)
    middle = 0.5 * (lower + upper)
    middle[2] = lower[2]
    return (turned - middle) / (mesh.diagonal or 1.0)


def _measure_forms(mesh: Mesh, parts: Parts, points: SurfacePoints, placed: Array) -> list[PartForm]:
    owner = parts.face[points.face]
    normals = np.roll(points.normal, 2 - "xyz".index(mesh.up), axis=1)
    areas = np.bincount(parts.face, face_areas(mesh.vertices, mesh.faces), parts.count)
    forms = []
    for part in range(parts.count):
        own = owner == part
        if not own.any():  # a part without area: its vertices stand for it
            corners = _place(mesh, mesh.vertices[np.unique(mesh.faces[parts.face == part])])
            forms.append(_measure_form(corners, np.zeros_like(corners), 0.0))
            continue
        forms.append(_measure_form(placed[own], normals[own], float(areas[part] / areas.sum())))
    return forms


def _measure_form(points: Array, normals: Array, share: float) -> PartForm:
    axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2] if len(points) > 3 else np.eye(3)
    along, upright = np.ptp(points @ axes.T, axis=0), np.ptp(points, axis=0)
    extent = np.sort(along if np.prod(along + 1e-4) < np.prod(upright + 1e-4) else upright)
    return PartForm(extent, np.stack([points.min(axis=0), points.max(axis=0)]), share, points, normals)


def _measure_gaps(forms: list[PartForm]) -> Array:
    """The least distance of every two parts' points [diagonals], [p, p]; infinite on the diagonal."""
    from scipy.spatial import cKDTree

    trees = [cKDTree(form.points) for form in forms]
    gaps = np.full((len(forms), len(forms)), np.inf)
    for a, form in enumerate(forms):
        for b in range(a + 1, len(forms)):
            apart = np.maximum(forms[b].box[0] - form.box[1], form.box[0] - forms[b].box[1]).max()
            few, many = (a, b) if len(form.points) < len(forms[b].points) else (b, a)
            near = trees[many].query(forms[few].points)[0].min() if apart < 3 * TOUCH_DISTANCE else apart
            gaps[a, b] = gaps[b, a] = near
    return gaps


def _count_pieces(mesh: Mesh, parts: Parts) -> tuple[Indices, Indices]:
    """Connected pieces and faces of each part, [p] each."""
    component = face_components(mesh, tolerance=1e-6 * mesh.diagonal)[1]
    pairs = np.unique(np.stack([parts.face, component], axis=1), axis=0)
    return np.bincount(pairs[:, 0], minlength=parts.count), np.bincount(parts.face, minlength=parts.count)


def _list_features(
    forms: list[PartForm], part: int, gaps: Array, counts: tuple[Indices, Indices], whole: Array, faces: int
) -> dict[str, float]:
    form = forms[part]
    extent = np.maximum(form.extent, 1e-4)
    box_area = 2.0 * (extent[0] * extent[1] + extent[1] * extent[2] + extent[0] * extent[2])
    shares = np.array([each.share for each in forms])
    total = sum(2.0 * float(np.prod(np.sort(np.ptp(each.box, axis=0))[1:])) for each in forms)
    near = np.flatnonzero(gaps[part] < 2 * TOUCH_DISTANCE)
    outer = forms[int(np.argmax(shares))].box
    spread = np.linalg.eigvalsh(form.normals.T @ form.normals / max(len(form.normals), 1))
    alike = sum(bool(np.all(np.abs(e.extent - form.extent) < 0.1 * extent[2] + 2e-3)) for e in forms)
    ascending = np.sort(whole)
    return {
        "size": np.log(form.size + 1e-4),
        "flat": np.log(extent[0] / extent[2]),
        "slim": np.log(extent[1] / extent[2]),
        "thin": np.log(extent[0]),
        "area": np.log(form.share + 1e-5),
        "filled": np.log((form.share * total + 1e-6) / box_area),
        "boxy": np.prod(np.ptp(form.box, axis=0) + 1e-3) / np.prod(whole + 1e-3),
        "height": form.centre[2] / max(whole[2], 1e-3),
        "bottom": form.box[0, 2] < TOUCH_DISTANCE,
        "top": form.box[1, 2] > whole[2] - TOUCH_DISTANCE,
        "outward": np.linalg.norm(form.centre[:2]),
        "planar": spread[2],
        "linear": spread[0],
        "upright": np.mean(np.abs(form.normals[:, 2])),
        "bent": np.linalg.norm(form.normals.mean(axis=0)),
        "detail": np.log1p(counts[1][part]),
        "pieces": np.log(max(counts[0][part], 1)),
        "twins": np.log(alike),
        "count": np.log(len(forms)),
        "touching": np.log1p(len(near)),
        "neighbours": shares[near].sum(),
        "larger": np.log((shares[near].max(initial=0.0) + 1e-5) / (form.share + 1e-5)),
        "largest": form.share >= shares.max(),
        "inside": bool(np.all(form.box[0] > outer[0] - 1e-6) and np.all(form.box[1] < outer[1] + 1e-6)),
        "object_low": whole[2],
        "object_flat": ascending[0] / max(ascending[2], 1e-6),
        "object_slim": ascending[1] / max(ascending[2], 1e-6),
        "object_detail": np.log(faces),
    }
