"""Ragged borders on one surface become short closed lines; what lies away from them keeps its part."""

import numpy as np
import pytest
import trimesh

from neurok.geometry.border_cuts import (
    BAND_WIDTH,
    find_band,
    make_face_graph,
    measure_cut,
    smooth_borders,
)
from neurok.geometry.cutting import cut_parts
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import box, icosphere

RADIUS, HEIGHT = 0.35, 0.45  # of the ball and of its centre; the top of the box is at 0.3
RING = np.sqrt(RADIUS**2 - (HEIGHT - 0.3) ** 2)


def ball_on_box(faces: int | None) -> Mesh:
    """A ball sunk into a box, as one remeshed surface; faces: decimated to so many, without regard to the crease."""
    parts = [trimesh.creation.box((1.0, 1.0, 0.6)), trimesh.creation.icosphere(4, RADIUS)]
    parts[1].apply_translation((0.0, 0.0, HEIGHT))
    union = trimesh.boolean.union(parts, engine="manifold")
    fine = trimesh.Trimesh(*trimesh.remesh.subdivide_to_size(union.vertices, union.faces, 0.05))
    if faces is None:
        return Mesh(fine.vertices, fine.faces)
    import igl

    place, triangles = np.array(fine.vertices, order="F"), np.array(fine.faces, dtype=np.int32, order="F")
    vertices, triangles = igl.decimate(place, triangles, faces)[:2]
    return Mesh(vertices, triangles)


def ideal_labels(mesh: Mesh) -> np.ndarray:
    middle = mesh.vertices[mesh.faces].mean(axis=1)
    return ((middle[:, 2] > 0.301) & (np.linalg.norm(middle - [0, 0, HEIGHT], axis=1) < RADIUS + 0.01)).astype(int)


def distance_to_ring(mesh: Mesh) -> np.ndarray:
    middle = mesh.vertices[mesh.faces].mean(axis=1)
    return np.hypot(np.linalg.norm(middle[:, :2], axis=1) - RING, middle[:, 2] - 0.3)


@pytest.mark.parametrize("faces", [None, 12000])
@pytest.mark.parametrize("width", [0.02, 0.04])
def test_a_noisy_border_becomes_the_circle_of_the_crease(faces, width):
    mesh = ball_on_box(faces)
    ideal, near = ideal_labels(mesh), distance_to_ring(mesh) < width
    noisy = np.where(near & (np.random.default_rng(0).random(mesh.face_count) < 0.5), 1 - ideal, ideal)
    graph, smooth = make_face_graph(mesh), smooth_borders(mesh, make_face_graph(mesh), noisy)
    circle = 2.0 * np.pi * RING
    assert measure_cut(graph, noisy) > 3.0 * circle
    assert measure_cut(graph, smooth) == pytest.approx(circle, rel=0.1)
    band = find_band(mesh, graph, noisy)
    assert np.array_equal(smooth[~band], noisy[~band])
    away = distance_to_ring(mesh) > width + 2.0 * BAND_WIDTH * mesh.diagonal
    assert np.array_equal(smooth[away], ideal[away])


def test_what_is_cut_along_a_smoothed_border_is_two_solids():
    mesh = ball_on_box(None)
    ideal, near = ideal_labels(mesh), distance_to_ring(mesh) < 0.03
    noisy = np.where(near & (np.random.default_rng(1).random(mesh.face_count) < 0.5), 1 - ideal, ideal)
    cut, part = cut_parts(mesh, smooth_borders(mesh, make_face_graph(mesh), noisy))
    solids = [trimesh.Trimesh(cut.vertices, cut.faces[part[cut.faces[:, 0]] == k]) for k in (0, 1)]
    assert all(solid.is_watertight for solid in solids)
    assert solids[0].volume == pytest.approx(0.6, rel=1e-3)


def test_borders_that_follow_edges_of_large_faces_stay():
    mesh = box(cells=3)
    label = (mesh.vertices[mesh.faces].mean(axis=1)[:, 2] > 1.0 / 6.0).astype(int)
    assert np.array_equal(smooth_borders(mesh, make_face_graph(mesh), label), label)


def test_no_part_vanishes():
    mesh = icosphere(0.5, 4)
    middle = mesh.vertices[mesh.faces].mean(axis=1)
    label = (middle[:, 2] > 0.499).astype(int)  # a few faces, all near the border
    assert 0 < label.sum() < 20 and smooth_borders(mesh, make_face_graph(mesh), label).sum() > 0


def test_specks_are_given_to_what_is_around_them():
    mesh = icosphere(0.5, 4)
    label = (mesh.vertices[mesh.faces].mean(axis=1)[:, 2] > 0).astype(int)
    spotted = label.copy()
    spotted[np.random.default_rng(0).choice(np.flatnonzero(label), 3, replace=False)] = 0
    assert np.mean(smooth_borders(mesh, make_face_graph(mesh), spotted) != label) < 0.02
    graph = make_face_graph(mesh)
    assert len(np.unique(graph.find_pieces(smooth_borders(mesh, make_face_graph(mesh), spotted)))) == 2
