"""Edges, components, holes, doubtful faces and welding, on shapes whose answers are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurok.errors import OptionError
from neurok.geometry import components, primitives
from neurok.geometry.mesh import Mesh, merge

BOX = primitives.box()
SHEET = primitives.grid(1.0, 1.0, 4, 3)


def soup(mesh):
    """Every face with three vertices of its own."""
    return Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(3 * mesh.face_count).reshape(-1, 3))


def random_mesh(seed, vertex_count=25, face_count=20):
    rng = np.random.default_rng(seed)
    return Mesh(rng.normal(size=(vertex_count, 3)), rng.integers(0, vertex_count, size=(face_count, 3)))


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize(
    "mesh, characteristic",
    [(BOX, 2), (primitives.icosphere(1.0, 2), 2), (primitives.capsule(), 2), (primitives.torus(), 0), (SHEET, 1)],
)
def test_euler_characteristic(mesh, characteristic):
    assert mesh.vertex_count - components.find_edges(mesh).count + mesh.face_count == characteristic


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_edges_against_plain_sets(seed):
    mesh = random_mesh(seed)
    faces_on: dict[tuple[int, int], list[int]] = {}
    for f, face in enumerate(mesh.faces.tolist()):
        for i in range(3):
            a, b = sorted((face[i], face[(i + 1) % 3]))
            if a != b:
                faces_on.setdefault((a, b), []).append(f)
    found = components.find_edges(mesh)
    assert [tuple(e) for e in found.vertices.tolist()] == sorted(faces_on)
    assert found.face_count.tolist() == [len(faces_on[e]) for e in sorted(faces_on)]
    for f, face in enumerate(mesh.faces):
        for i in range(3):
            a, b = sorted((face[i], face[(i + 1) % 3]))
            edge = found.of_face[f, i]
            assert (edge == -1) if a == b else found.vertices[edge].tolist() == [a, b]
    pairs = sorted(p for fs in faces_on.values() for p in zip(fs, fs[1:]))
    assert sorted(map(tuple, found.face_pairs.tolist())) == pairs


def test_boundary_and_non_manifold_edges():
    found = components.find_edges(SHEET)
    assert found.boundary.sum() == 2 * (4 + 3) and not found.non_manifold.any()
    fins = Mesh(np.random.default_rng(0).normal(size=(5, 3)), [[0, 1, 2], [1, 0, 3], [0, 1, 4]])
    assert components.find_edges(fins).vertices[components.find_edges(fins).non_manifold].tolist() == [[0, 1]]
    assert not components.find_edges(BOX).boundary.any()
    assert len(components.find_edges(BOX).face_pairs) == components.find_edges(BOX).count


# ---------------------------------------------------------------- components


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_components_against_plain_flooding(seed):
    mesh = random_mesh(seed, face_count=9)
    label = list(range(25))
    for _ in range(25):
        for face in mesh.faces:
            for v in face:
                label[v] = min(label[u] for u in face)
    count, found = components.vertex_components(mesh)
    names = {old: new for new, old in enumerate(dict.fromkeys(label))}
    assert count == len(names) and found.tolist() == [names[old] for old in label]
    face_count, of_face = components.face_components(mesh)
    assert face_count == len({label[f[0]] for f in mesh.faces})
    assert all((of_face[i] == of_face[j]) == (label[mesh.faces[i, 0]] == label[mesh.faces[j, 0]])
               for i in range(9) for j in range(9))  # fmt: skip


def test_pieces_hang_together_by_index_or_by_place():
    apart = merge([BOX, BOX.with_vertices(BOX.vertices + 5.0), Mesh(np.ones((1, 3)) * 9, [])])
    assert components.vertex_components(apart)[0] == 3
    assert components.face_components(apart)[0] == 2
    np.testing.assert_array_equal(components.face_components(apart)[1], np.repeat([0, 1], 12))
    split = soup(BOX)
    assert components.face_components(split)[0] == 12
    assert components.face_components(split, tolerance=0.0)[0] == 1
    touching = merge([BOX, BOX.with_vertices(BOX.vertices + [1.0 + 1e-6, 0.0, 0.0])])
    assert components.face_components(touching, tolerance=1e-7)[0] == 2
    assert components.face_components(touching, tolerance=1e-5)[0] == 1


def test_nothing_has_no_pieces():
    empty = Mesh(np.zeros((0, 3)), [])
    assert components.vertex_components(empty)[0] == 0
    assert components.vertex_components(empty, tolerance=0.1)[0] == 0
    assert components.face_components(empty)[0] == 0
    assert components.find_edges(empty).count == 0 and components.hole_count(empty) == 0
    assert components.boundary_loops(empty) == [] and components.duplicate_faces(empty).shape == (0,)
    assert components.degenerate_faces(empty).shape == (0,)


# ---------------------------------------------------------------- holes


def test_holes_are_loops_in_order():
    tube = primitives.cylinder(0.5, 1.0, 12)
    radius = np.linalg.norm(tube.vertices[:, :2], axis=1)
    tube = components.select_faces(tube, np.all(radius[tube.faces] > 0.0, axis=1))  # without its ends
    assert components.hole_count(tube) == 2
    loops = components.boundary_loops(tube)
    assert sorted(len(loop) for loop in loops) == [12, 12]
    sides = {tuple(s) for f in tube.faces.tolist() for s in zip(f, f[1:] + f[:1])}
    for loop in loops:
        assert len(set(loop)) == 12
        assert all((a, b) in sides for a, b in zip(loop, np.roll(loop, -1)))
    assert components.hole_count(SHEET) == 1 and len(components.boundary_loops(SHEET)[0]) == 14
    assert components.hole_count(BOX) == 0 and components.boundary_loops(BOX) == []


def test_boundary_edges_are_used_once_each_even_where_loops_touch():
    bow = Mesh(np.random.default_rng(1).normal(size=(5, 3)), [[0, 1, 2], [2, 3, 4]])  # two triangles at one vertex
    loops = components.boundary_loops(bow)
    assert components.hole_count(bow) == 1
    assert sum(len(loop) for loop in loops) == 6
    turned = Mesh(SHEET.vertices, np.where(np.arange(24)[:, None] % 5 == 0, SHEET.faces[:, ::-1], SHEET.faces))
    assert [len(loop) for loop in components.boundary_loops(turned)] == [14]


# ---------------------------------------------------------------- doubtful faces


@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_degenerate_faces_at_every_size(size):
    vertices = size * np.array(
        [[0, 0, 0], [1, 0, 0], [0.5, 0, 0], [0, 1, 0], [1 / 3, 1 / 7, 0], [2 / 3, 2 / 7, 0], [1, 0, 0]]
    )
    faces = [[0, 1, 3], [0, 1, 2], [0, 1, 1], [0, 4, 5], [3, 3, 3], [0, 1, 6], [0, 2, 3]]
    expected = [False, True, True, True, True, True, False]
    assert components.degenerate_faces(Mesh(vertices, faces)).tolist() == expected


def test_duplicate_faces_are_the_later_ones_whichever_way_round():
    faces = [[0, 1, 2], [2, 1, 0], [0, 1, 3], [1, 2, 0], [3, 0, 1]]
    found = components.duplicate_faces(Mesh(np.eye(4)[:, :3], faces))
    assert found.tolist() == [False, True, False, True, True]


def test_select_faces_keeps_what_belongs_to_them():
    mesh = Mesh(
        SHEET.vertices,
        SHEET.faces,
        corner_attributes={"uv0": np.arange(24 * 6.0).reshape(24, 3, 2)},
        face_attributes={"polygon": np.arange(24)},
        face_part=np.zeros(24),
        face_material=np.arange(24) % 2 - 1,
    )
    some = components.select_faces(mesh, np.array([5, 2]))
    np.testing.assert_array_equal(some.faces, mesh.faces[[5, 2]])
    np.testing.assert_array_equal(some.corner_attributes["uv0"], mesh.corner_attributes["uv0"][[5, 2]])
    assert some.face_attributes["polygon"].tolist() == [5, 2] and some.face_material.tolist() == [0, -1]
    assert components.unused_vertices(some).sum() == 20 - len(set(some.faces.reshape(-1)))


# ---------------------------------------------------------------- welding


@given(st.integers(0, 10**6), st.floats(0.0, 0.2))
@settings(max_examples=40, deadline=None)
def test_weld_groups_are_chains_of_close_vertices(seed, tolerance):
    rng = np.random.default_rng(seed)
    vertices = rng.random((40, 3))
    vertices[30:] = vertices[rng.integers(0, 30, size=10)]
    distance = np.linalg.norm(vertices[:, None] - vertices, axis=2)
    joined = distance <= tolerance
    for _ in range(6):  # squared six times: chains of up to 64
        joined = (joined.astype(int) @ joined.astype(int)) > 0
    group = components.weld_map(vertices, tolerance)
    np.testing.assert_array_equal(group[:, None] == group, joined)
    first = [int(np.flatnonzero(group == g)[0]) for g in range(group.max() + 1)]
    assert first == sorted(first)


def test_weld_closes_a_soup_and_keeps_its_faces():
    welded, merged = components.weld(soup(BOX), 1e-9)
    assert welded.vertex_count == 8 and not components.find_edges(welded).boundary.any()
    np.testing.assert_array_equal(welded.vertices[merged], soup(BOX).vertices)
    np.testing.assert_array_equal(welded.vertices[welded.faces], BOX.vertices[BOX.faces])
    collapsed, _ = components.weld(BOX, 10.0)
    assert collapsed.vertex_count == 1 and collapsed.face_count == 12


def test_weld_moves_a_seam_to_the_corners():
    split = soup(SHEET)
    uv = np.random.default_rng(2).random((split.vertex_count, 2))
    color = np.ones((split.vertex_count, 4))
    welded, _ = components.weld(Mesh(split.vertices, split.faces, attributes={"uv0": uv, "color": color}))
    assert welded.attributes["color"].shape == (20, 4) and "uv0" not in welded.attributes
    np.testing.assert_array_equal(welded.corner_attributes["uv0"], uv[split.faces])


def test_weld_takes_signed_zeros_for_one_and_crowds_without_choking():
    assert components.weld_map(np.array([[0.0, 0, 0], [-0.0, 0, 0]])).tolist() == [0, 0]
    crowd = np.random.default_rng(3).random((50000, 3))
    assert components.weld_map(crowd, 5.0).max() == 0
    assert components.weld_map(np.zeros((50000, 3)), 1e-5).max() == 0
    far = np.concatenate([1e-9 * crowd[:100], [[1e300, 0.0, 0.0]]])
    assert components.weld_map(far, 1e-5).max() == 1
    for tolerance in (-1.0, np.nan, np.inf):
        with pytest.raises(OptionError, match="weld tolerance"):
            components.weld_map(crowd, tolerance)
