"""Surface points: evenness, exact closest points against a plain search, partitions of unity."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neurok.errors import InputError, OptionError
from neurok.geometry import primitives, surface
from neurok.geometry.measure import compute_area
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import closest_on_triangles, face_areas, face_normals, unit_or_zero


def generator(seed=0):
    return np.random.default_rng(seed)


def check_consistent(mesh, points):
    """What holds for surface points however they were made."""
    np.testing.assert_allclose(points.weights.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert points.weights.min(initial=0.0) >= 0.0
    on_face = points.face >= 0
    np.testing.assert_array_equal(points.corners[on_face], mesh.faces[points.face[on_face]])
    np.testing.assert_allclose(surface.carry(mesh.vertices, points), points.position, rtol=0, atol=1e-12)
    length = np.linalg.norm(points.normal, axis=1)
    assert np.all((np.abs(length - 1.0) < 1e-12) | (length == 0.0))


SHAPES = {
    "box": primitives.box(1.0, 2.0, 0.5),
    "ball": primitives.icosphere(0.5, 3),
    "ring": primitives.torus(0.4, 0.1),
    "sheet": primitives.grid(1.0, 1.0, 30, 2),
    "slivers": primitives.grid(1.0, 1.0, 300, 1),
}


@pytest.mark.parametrize("sample", [surface.sample_even, surface.sample_uniform])
@pytest.mark.parametrize("name", SHAPES)
def test_samples_lie_on_their_faces_and_share_the_area(sample, name):
    mesh = SHAPES[name]
    points = sample(mesh, 500, generator())
    check_consistent(mesh, points)
    assert points.count == 500
    np.testing.assert_allclose(points.area, compute_area(mesh) / 500, rtol=1e-12)
    np.testing.assert_allclose(points.normal, face_normals(mesh.vertices, mesh.faces)[points.face], atol=1e-15)


def test_even_samples_give_every_face_its_share():
    mesh = SHAPES["box"]
    points = surface.sample_even(mesh, 1000, generator(1))
    share = face_areas(mesh.vertices, mesh.faces) / compute_area(mesh) * 1000
    # A face's pieces are not in one run of the curve, so that a few may be gained or lost at the runs' ends.
    assert np.max(np.abs(np.bincount(points.face, minlength=12) - share)) <= 5.0
    assert np.std(np.bincount(points.face, minlength=12) - share) < 0.25 * np.sqrt(share.mean())


@pytest.mark.parametrize("name", SHAPES)
def test_even_samples_are_more_even_than_independent_ones(name):
    """The gaps (farthest surface point from any sample) and the clumps (closest pairs) both shrink."""
    from scipy.spatial import cKDTree

    mesh = SHAPES[name]
    probe = surface.sample_uniform(mesh, 20000, generator(2)).position

    def gap_and_clump(sample):
        figures = []
        for seed in range(5):
            tree = cKDTree(sample(mesh, 800, generator(seed)).position)
            figures.append((tree.query(probe)[0].max(), np.median(tree.query(tree.data, k=2)[0][:, 1])))
        return np.mean(figures, axis=0)

    even, loose = gap_and_clump(surface.sample_even), gap_and_clump(surface.sample_uniform)
    assert even[0] < 0.85 * loose[0]
    assert even[1] > 1.15 * loose[1]


def test_cutting_a_mesh_into_pieces_keeps_its_area_and_stays_small():
    for mesh in (*SHAPES.values(), primitives.grid(1000.0, 1e-6, 1, 1), broken_mesh(3)):
        areas = face_areas(mesh.vertices, mesh.faces)
        whole, face, weights = surface._cut(mesh, areas, compute_area(mesh) / 100)
        corners = (weights @ mesh.vertices[mesh.faces[face]]).reshape(-1, 3)
        pieces = face_areas(corners, np.arange(len(corners)).reshape(-1, 3))
        total = np.bincount(whole, areas[whole], mesh.face_count) + np.bincount(face, pieces, mesh.face_count)
        np.testing.assert_allclose(total, areas, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(weights.sum(axis=2), 1.0)
        assert len(whole) + len(face) <= mesh.face_count + 20 * 100


def test_even_samples_integrate_better_than_independent_ones():
    """int x^2 over a sphere of radius r is 4/3 pi r^4."""
    mesh = primitives.icosphere(1.0, 5)

    def error(sample):
        found = [np.sum(p.area * p.position[:, 0] ** 2) for p in (sample(mesh, 512, generator(s)) for s in range(10))]
        return np.sqrt(np.mean((np.array(found) - 4.0 / 3.0 * np.pi) ** 2))

    assert error(surface.sample_even) < 0.5 * error(surface.sample_uniform)


def test_samples_do_not_depend_on_chance_beyond_their_generator():
    for sample in (surface.sample_even, surface.sample_uniform):
        a, b = (sample(SHAPES["ring"], 50, generator(3)) for _ in range(2))
        np.testing.assert_array_equal(a.position, b.position)
        assert not np.array_equal(a.position, sample(SHAPES["ring"], 50, generator(4)).position)


def test_uniform_samples_are_uniform():
    """On the unit square a chi-square over 100 cells stays below its 99.9 % point, 149 for 99 degrees of freedom."""
    mesh = primitives.grid(1.0, 1.0, 1, 1)
    cells = np.floor((surface.sample_uniform(mesh, 20000, generator(5)).position[:, :2] + 0.5) * 10).astype(int)
    counts = np.bincount(cells[:, 0] * 10 + cells[:, 1], minlength=100)
    assert np.sum((counts - 200.0) ** 2 / 200.0) < 149.0


def test_faces_without_area_are_never_sampled():
    mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]], [[0, 1, 1], [0, 1, 3], [0, 1, 2], [2, 2, 2], [3, 1, 0]])
    for sample in (surface.sample_even, surface.sample_uniform):
        assert set(sample(mesh, 200, generator()).face) == {2}


@pytest.mark.parametrize("faces", [[], [[0, 1, 2]], [[0, 0, 0]]])
def test_a_mesh_without_area_gives_vertices(faces):
    mesh = Mesh(np.outer(np.arange(5.0), [1.0, 2.0, 3.0]), faces)
    for sample in (surface.sample_even, surface.sample_uniform):
        points = sample(mesh, 40, generator())
        check_consistent(mesh, points)
        assert np.all(points.area == 0.0)
        assert all(np.any(np.all(p == mesh.vertices, axis=1)) for p in points.position)
    even = surface.sample_even(mesh, 5, generator())
    np.testing.assert_array_equal(even.position, mesh.vertices)


def test_what_cannot_be_sampled_is_told():
    with pytest.raises(OptionError, match="0 surface points"):
        surface.sample_even(SHAPES["box"], 0, generator())
    with pytest.raises(InputError, match="no vertices"):
        surface.sample_uniform(Mesh(np.zeros((0, 3)), []), 5, generator())
    for bad in (np.nan, 1e200):
        with pytest.raises(InputError, match="not finite"):
            surface.sample_even(Mesh(bad * np.eye(3), [[0, 1, 2]]), 5, generator())


def test_subset_by_index_and_by_mask():
    points = surface.sample_even(SHAPES["ball"], 20, generator())
    some = points.subset(np.array([3, 1]))
    np.testing.assert_array_equal(some.position, points.position[[3, 1]])
    np.testing.assert_array_equal(some.area, points.area[[3, 1]])
    assert points.subset(points.position[:, 2] > 0).count == np.sum(points.position[:, 2] > 0)


# ---------------------------------------------------------------- vertices


def test_points_at_vertices_are_the_vertices():
    mesh = SHAPES["ball"]
    points = surface.at_vertices(mesh)
    check_consistent(mesh, points)
    np.testing.assert_array_equal(points.position, mesh.vertices)
    np.testing.assert_array_equal(surface.carry(mesh.vertices, points), mesh.vertices)
    assert points.area.sum() == pytest.approx(compute_area(mesh))
    # A ball's vertex normals point away from its centre.
    assert np.min(np.sum(points.normal * mesh.vertices, axis=1)) > 0.5 * np.cos(np.deg2rad(3.0))
    assert all(v in mesh.faces[f] for v, f in enumerate(points.face))


def test_a_vertex_without_a_face_still_follows_itself():
    mesh = Mesh(np.arange(15.0).reshape(5, 3) ** 2, [[3, 1, 4]])
    points = surface.at_vertices(mesh)
    np.testing.assert_array_equal(points.face, [-1, 0, -1, 0, 0])
    moved = generator().normal(size=(5, 3))
    np.testing.assert_array_equal(surface.carry(moved, points), moved)
    np.testing.assert_array_equal(points.area[[0, 2]], 0.0)
    np.testing.assert_array_equal(points.normal[[0, 2]], 0.0)


# ---------------------------------------------------------------- farthest points


def test_farthest_points_against_the_plain_rule():
    positions = generator(6).normal(size=(60, 3))
    chosen = [7]
    while len(chosen) < 25:
        reach = np.min(np.linalg.norm(positions[:, None] - positions[chosen], axis=2), axis=1)
        chosen.append(int(np.argmax(reach)))
    np.testing.assert_array_equal(surface.farthest_points(positions, 25, start=7), chosen)


def test_farthest_points_take_none_twice():
    same = np.zeros((6, 3))
    assert sorted(surface.farthest_points(same, 10)) == list(range(6))
    for count, start in ((0, 0), (1, 6), (1, -1)):
        with pytest.raises(OptionError):
            surface.farthest_points(same, count, start)


# ---------------------------------------------------------------- nearest


def plain_closest(point, a, b, c):
    """The closest point of a triangle by a convex quadratic's corner cases, one number at a time."""
    best = min((a, b, c), key=lambda p: np.sum((p - point) ** 2))
    for p, q in ((a, b), (b, c), (c, a)):
        length = np.sum((q - p) ** 2)
        if length > 0:
            s = np.clip(np.dot(point - p, q - p) / length, 0, 1)
            best = min((best, p + s * (q - p)), key=lambda x: np.sum((x - point) ** 2))
    try:
        s, t = np.linalg.solve(
            [[np.dot(b - a, b - a), np.dot(b - a, c - a)], [np.dot(b - a, c - a), np.dot(c - a, c - a)]],
            [np.dot(point - a, b - a), np.dot(point - a, c - a)],
        )
    except np.linalg.LinAlgError:
        return best
    if s >= 0 and t >= 0 and s + t <= 1:
        best = min((best, a + s * (b - a) + t * (c - a)), key=lambda x: np.sum((x - point) ** 2))
    return best


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_closest_point_of_a_triangle(seed):
    rng = generator(seed)
    a, b, c, p = rng.integers(-3, 4, size=(4, 3)).astype(float)  # small integers: many degenerate ones among them
    weights, square = closest_on_triangles(*(x[None] for x in (p, a, b, c)))
    expected = plain_closest(p, a, b, c)
    assert square[0] == pytest.approx(np.sum((expected - p) ** 2), abs=1e-12)
    assert weights.min() >= 0 and weights.sum() == pytest.approx(1.0)


def broken_mesh(seed, vertex_count=60, face_count=80):
    """Random faces; some repeat a vertex, some are three points of a line."""
    rng = generator(seed)
    vertices = rng.normal(size=(vertex_count, 3))
    faces = rng.integers(0, vertex_count, size=(face_count, 3))
    faces[:8, 1] = faces[:8, 0]
    faces[8:12] = faces[8:12, :1]
    middles = 0.5 * (vertices[faces[12:20, 0]] + vertices[faces[12:20, 1]])
    faces[12:20, 2] = vertex_count + np.arange(8)
    return Mesh(np.concatenate([vertices, middles]), faces)


@pytest.mark.parametrize("seed", range(4))
def test_nearest_against_all_faces(seed):
    mesh = broken_mesh(seed)
    points = 1.5 * generator(seed + 100).normal(size=(150, 3))
    found = surface.find_nearest(mesh, points)
    check_consistent(mesh, found)
    a, b, c = (np.tile(mesh.vertices[mesh.faces[:, i]], (150, 1)) for i in range(3))
    _, square = closest_on_triangles(np.repeat(points, mesh.face_count, axis=0), a, b, c)
    expected = square.reshape(150, -1).min(axis=1)
    np.testing.assert_allclose(np.sum((found.position - points) ** 2, axis=1), expected, rtol=0, atol=1e-13)


def test_nearest_on_surfaces_of_known_distance():
    points = generator(7).normal(size=(300, 3))
    box = primitives.box(2.0, 2.0, 2.0)
    inside = np.all(np.abs(points) < 1.0, axis=1)
    found = surface.find_nearest(box, points)
    distance = np.linalg.norm(found.position - points, axis=1)
    expected = np.where(
        inside, 1.0 - np.max(np.abs(points), axis=1), np.linalg.norm(np.maximum(np.abs(points) - 1.0, 0.0), axis=1)
    )
    np.testing.assert_allclose(distance, expected, rtol=0, atol=1e-14)
    again = surface.find_nearest(box, found.position)
    np.testing.assert_allclose(again.position, found.position, rtol=0, atol=1e-15)


def test_nearest_on_the_odd_meshes():
    cloud = Mesh(generator(8).normal(size=(30, 3)), [])
    points = generator(9).normal(size=(10, 3))
    found = surface.find_nearest(cloud, points)
    index = np.argmin(np.linalg.norm(points[:, None] - cloud.vertices, axis=2), axis=1)
    np.testing.assert_array_equal(found.position, cloud.vertices[index])
    assert surface.find_nearest(SHAPES["box"], np.zeros((0, 3))).count == 0
    assert surface.find_nearest(Mesh(np.ones((3, 3)), [[0, 1, 2]]), [[0, 0, 0]]).position.tolist() == [[1, 1, 1]]
    crowd = Mesh(np.zeros((5, 3)), generator(10).integers(0, 5, size=(20000, 3)))
    assert np.all(surface.find_nearest(crowd, points).position == 0.0)
    for mesh, point, word in (
        (Mesh(np.zeros((0, 3)), []), [[0, 0, 0]], "no vertices"),
        (SHAPES["box"], [[0, np.nan, 0]], "not finite"),
        (Mesh(np.nan * np.eye(3), [[0, 1, 2]]), [[0, 0, 0]], "not finite"),
    ):
        with pytest.raises(InputError, match=word):
            surface.find_nearest(mesh, point)


def test_nearest_of_many_on_a_million_faces():
    mesh = primitives.grid(1.0, 1.0, 1000, 500)
    points = generator(11).random((2000, 3)) - 0.5
    found = surface.find_nearest(mesh, points)
    np.testing.assert_allclose(found.position, points * [1.0, 1.0, 0.0], rtol=0, atol=1e-12)


# ---------------------------------------------------------------- carry and drive


def test_carry_is_exact_for_affine_maps_and_alike_in_torch():
    mesh = SHAPES["ring"]
    points = surface.sample_even(mesh, 300, generator(12))
    A, t = generator(13).normal(size=(3, 3)), generator(14).normal(size=3)
    moved = mesh.vertices @ A.T + t
    np.testing.assert_allclose(surface.carry(moved, points), points.position @ A.T + t, rtol=0, atol=1e-14)
    tensor = torch.from_numpy(moved)
    np.testing.assert_allclose(surface.carry(tensor, points), surface.carry(moved, points), rtol=0, atol=1e-15)
    assert surface.carry(tensor.float(), points).dtype == torch.float32
    # One number a vertex, whole matrices a vertex, integers.
    np.testing.assert_allclose(surface.carry(moved[:, 0], points), surface.carry(moved, points)[:, 0], atol=1e-15)
    matrices = generator(15).normal(size=(mesh.vertex_count, 4, 4))
    for values in (matrices, torch.from_numpy(matrices), torch.from_numpy(matrices[:, 0, 0])):
        assert surface.carry(values, points).shape == (300, *values.shape[1:])
    np.testing.assert_allclose(surface.carry(np.ones(mesh.vertex_count, dtype=int), points), 1.0, rtol=1e-15)


@pytest.mark.parametrize("k", [1, 4, 40, 100])
def test_drive_is_a_partition_of_unity_exact_at_its_points(k):
    points = generator(16).normal(size=(40, 3))
    targets = np.concatenate([points, generator(17).normal(size=(200, 3))])
    index, weights = surface.compute_drive(points, targets, k)
    assert index.shape == weights.shape == (240, min(k, 40))
    assert weights.min() >= 0
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(surface.apply_drive(points, index, weights)[:40], points)
    shifted = surface.apply_drive(points + [1.0, 2.0, 3.0], index, weights)
    np.testing.assert_allclose(
        shifted - surface.apply_drive(points, index, weights), [[1.0, 2.0, 3.0]] * 240, atol=1e-13
    )
    distance = np.linalg.norm(targets[:, None] - points, axis=2)
    for row in range(240):
        assert set(index[row]) == set(np.argsort(distance[row], kind="stable")[:k])


def test_drive_is_continuous_where_neighbours_change():
    points = generator(18).normal(size=(30, 3))
    values = generator(19).normal(size=30)
    line = np.linspace(-1.5, 1.5, 20001)[:, None] * np.array([1.0, 0.3, -0.2])
    carried = surface.apply_drive(values, *surface.compute_drive(points, line, 4))
    # Of 20,001 steps none jumps: the steepest is still a small part of the whole range.
    assert np.max(np.abs(np.diff(carried))) < 0.01 * np.ptp(carried)


def test_drive_with_coincident_and_equally_far_points():
    twins = np.array([[0.0, 0, 0], [0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 0]])
    values = np.array([2.0, 4.0, 100.0, 100.0])
    assert surface.apply_drive(values, *surface.compute_drive(twins, [[0.0, 0, 0]], 3)) == pytest.approx(3.0)
    square = np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0, -1.0, 0]])
    index, weights = surface.compute_drive(square, [[0.0, 0, 0]], 2)
    np.testing.assert_allclose(weights, 0.5)
    heap = np.zeros((6, 3))
    np.testing.assert_allclose(surface.compute_drive(heap, [[0.0, 0, 0], [1.0, 0, 0]], 3)[1], 1 / 3)
    assert np.isfinite(surface.compute_drive(square, [[1e150, 0, 0], [1.0 + 1e-300, 0, 0]], 3)[1]).all()
    for far in (np.nan, np.inf, 1e300):
        with pytest.raises(InputError):
            surface.compute_drive(square, [[far, 0, 0]])
    with pytest.raises(OptionError, match="at least one"):
        surface.compute_drive(np.zeros((0, 3)), square)


def test_unit_or_zero_at_every_size():
    v = np.array([[3.0, 4.0, 0.0]])
    for size in (1e-300, 1.0, 1e300):
        np.testing.assert_allclose(unit_or_zero(size * v), [[0.6, 0.8, 0.0]], rtol=1e-15)
    np.testing.assert_array_equal(unit_or_zero(0.0 * v), 0.0 * v)
