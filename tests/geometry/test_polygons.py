"""Polygons cut into triangles: areas add up, sides are kept, and crossing lines are refused."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from neurok.geometry.membranes import find_least_area, span_loop
from neurok.geometry.polygons import contains_point, crosses_itself, measure_signed_area, triangulate_polygon
from neurok.geometry.triangles import face_areas


def areas(points, triangles):
    return np.array([measure_signed_area(points[triangle]) for triangle in triangles])


def star(count, seed, radius=1.0):
    """A random line around the origin that does not cross itself."""
    generator = np.random.default_rng(seed)
    angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    return (radius * generator.uniform(0.6, 1.0, count))[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def directed(triangles):
    return [(int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3)]


@settings(max_examples=40, deadline=None)
@given(count=st.integers(3, 60), seed=st.integers(0, 10**6), hole=st.booleans(), turned=st.booleans())
def test_triangles_fill_a_polygon(count, seed, hole, turned):
    outer, inner = star(count, seed), star(count, seed + 1, 0.3)
    loops, points = [np.arange(count)], outer
    if count < 8:
        inner = 0.2 * outer
    if hole:
        points, loops = np.concatenate([outer, inner]), [*loops, np.arange(count, 2 * count)]
    if turned:
        loops = [loop[::-1] for loop in loops]
    triangles = triangulate_polygon(points, loops)
    found = areas(points, triangles)
    wanted = measure_signed_area(outer) - (measure_signed_area(inner) if hole else 0.0)
    assert np.all(found > 0) and np.isclose(found.sum(), wanted)
    sides = directed(triangles)
    assert len(set(sides)) == len(sides)
    alone = {side for side in sides if side[::-1] not in sides}
    assert len(alone) == len(points) and np.array_equal(np.unique(list(alone)), np.arange(len(points)))


def test_points_on_straight_stretches_stay_corners():
    steps = np.linspace(0.0, 1.0, 20, endpoint=False)
    zero, one = np.zeros(20), np.ones(20)
    square = np.concatenate([np.stack(side, axis=1) for side in
                             ((steps, zero), (one, steps), (1 - steps, one), (zero, 1 - steps))])  # fmt: skip
    points = np.concatenate([square, 0.25 * square + 0.1, 0.25 * square + 0.6])
    triangles = triangulate_polygon(points, [np.arange(80), np.arange(80, 160), np.arange(160, 240)])
    assert np.all(areas(points, triangles) > 0) and np.isclose(areas(points, triangles).sum(), 0.875)
    assert len(np.unique(triangles)) == 240


def test_lines_that_cross_are_refused():
    bow = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert crosses_itself(bow, [np.arange(4)]) and triangulate_polygon(bow, [np.arange(4)]) is None
    assert not crosses_itself(bow[[0, 2, 1, 3]], [np.arange(4)])


def test_a_place_lies_within_a_line_or_not():
    line = star(30, 0)
    assert contains_point(line, np.zeros(2)) and not contains_point(line, np.array([2.0, 0.0]))


def test_the_least_area_across_a_flat_line_is_its_own():
    line = np.column_stack([star(25, 3), np.zeros(25)])
    found = find_least_area(line)
    assert np.isclose(face_areas(line, found).sum(), measure_signed_area(line[:, :2]))


def test_the_least_area_is_the_least_of_all_triangulations():
    line = np.random.default_rng(4).normal(size=(7, 3))

    def all_of(first, last):  # the slow plain twin
        if last - first < 2:
            return [[]]
        return [left + right + [(first, k, last)] for k in range(first + 1, last)
                for left in all_of(first, k) for right in all_of(k, last)]  # fmt: skip

    least = min(face_areas(line, np.array(each)).sum() for each in all_of(0, 6))
    assert np.isclose(face_areas(line, find_least_area(line)).sum(), least)


def test_long_lines_get_a_fan():
    angle = np.linspace(0.0, 2.0 * np.pi, 1000, endpoint=False)
    line = np.stack([np.cos(angle), np.sin(angle), 0.1 * np.sin(5 * angle)], axis=1)
    faces, added = span_loop(line)
    assert len(faces) == 1000 and np.allclose(added, 0.0, atol=1e-9)
