"""Mesh: shapes are checked, order is kept, splitting and merging lose nothing."""

import numpy as np
import pytest

from neurok.errors import InputError
from neurok.geometry.mesh import Material, Mesh, Part, merge, split_corners

TRIANGLE = np.eye(3)
QUAD = Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])


def test_lists_become_frozen_arrays():
    assert QUAD.vertices.dtype == np.float64 and QUAD.faces.dtype == np.int64
    with pytest.raises(ValueError):
        QUAD.vertices[0] = 1.0
    with pytest.raises(AttributeError):
        QUAD.up = "z"
    np.testing.assert_array_equal(QUAD.face_part, [-1, -1])
    assert QUAD.diagonal == pytest.approx(np.sqrt(2))
    np.testing.assert_array_equal(QUAD.bounds, [[0, 0, 0], [1, 1, 0]])
    np.testing.assert_array_equal(QUAD.up_axis, [0, 1, 0])


def test_a_vertex_left_behind_makes_nothing_larger():
    stray = Mesh([*QUAD.vertices, [9, 9, 9]], QUAD.faces)
    np.testing.assert_array_equal(stray.bounds, QUAD.bounds)
    assert stray.diagonal == QUAD.diagonal
    points = Mesh(stray.vertices, np.zeros((0, 3), dtype=int))
    np.testing.assert_array_equal(points.bounds, [[0, 0, 0], [9, 9, 9]])


@pytest.mark.parametrize(
    "vertices, faces, options, word",
    [
        (np.zeros((3, 2)), [], {}, "vertices have shape"),
        (TRIANGLE, [[0, 1, 2, 0]], {}, "faces have shape"),
        (TRIANGLE, [[0, 1, 3]], {}, "vertex 3 of a mesh with 3"),
        (TRIANGLE, [[0, 1, -1]], {}, "vertex -1"),
        (TRIANGLE, [[0, 1, 2**40]], {}, str(2**40)),
        (TRIANGLE, [[0, 1, 2]], {"up": "w"}, "up axis 'w'"),
        (TRIANGLE, [[0, 1, 2]], {"face_part": [0, 1]}, "face_part"),
        (TRIANGLE, [[0, 1, 2]], {"face_material": [0, 1]}, "face_material"),
    ],
)
def test_wrong_shapes_are_told(vertices, faces, options, word):
    with pytest.raises(InputError, match=word):
        Mesh(vertices, faces, **options)


def test_with_vertices_drops_what_no_longer_holds():
    flat = Mesh(
        TRIANGLE,
        [[0, 1, 2]],
        attributes={"normal": TRIANGLE, "uv0": TRIANGLE[:, :2]},
        corner_attributes={"tangent": np.zeros((1, 3, 4)), "color": np.ones((1, 3, 4))},
    )
    moved = flat.with_vertices(2 * TRIANGLE)
    assert set(moved.attributes) == {"uv0"} and set(moved.corner_attributes) == {"color"}
    with pytest.raises(InputError, match="keep the mesh's own shape"):
        flat.with_vertices(TRIANGLE[:2])


# ---------------------------------------------------------------- split_corners


def corner_values(mesh, name):
    return np.asarray(mesh.attributes[name])[mesh.faces]


def test_split_keeps_every_corner_and_the_old_order_as_a_prefix():
    rng = np.random.default_rng(0)
    faces = rng.integers(0, 30, size=(80, 3))
    uv = rng.integers(0, 3, size=(80, 3, 2)) / 2.0
    mesh = Mesh(
        rng.normal(size=(33, 3)), faces, attributes={"color": rng.random((33, 4))}, corner_attributes={"uv0": uv}
    )
    split, source = split_corners(mesh)
    np.testing.assert_array_equal(source[:33], np.arange(33))
    np.testing.assert_array_equal(split.vertices, mesh.vertices[source])
    np.testing.assert_array_equal(source[split.faces], faces)
    np.testing.assert_array_equal(corner_values(split, "uv0"), uv)
    np.testing.assert_array_equal(split.attributes["color"], mesh.attributes["color"][source])
    assert not split.corner_attributes
    # No vertex is split further than its corners differ.
    distinct = len(np.unique(np.concatenate([faces.reshape(-1, 1), uv.reshape(-1, 2)], axis=1), axis=0))
    unused = 33 - len(np.unique(faces))
    assert split.vertex_count == distinct + unused


def test_split_leaves_agreeing_corners_alone_and_the_first_in_place():
    uv = np.array([[[0, 0], [1, 0], [1, 1]], [[0.5, 0.5], [1, 1], [0, 1]]])
    mesh = Mesh(QUAD.vertices, QUAD.faces, corner_attributes={"uv0": uv})
    split, source = split_corners(mesh)
    np.testing.assert_array_equal(split.faces, [[0, 1, 2], [4, 2, 3]])
    np.testing.assert_array_equal(source, [0, 1, 2, 3, 0])
    same, source = split_corners(QUAD)
    assert same is QUAD
    np.testing.assert_array_equal(source, np.arange(4))


def test_split_regards_all_attributes_together():
    uv = np.zeros((2, 3, 2))
    normal = np.zeros((2, 3, 3))
    normal[0, :, 2], normal[1, :, 0] = 1.0, 1.0  # a crease: the shared corners differ in normal only
    split, _ = split_corners(Mesh(QUAD.vertices, QUAD.faces, corner_attributes={"uv0": uv, "normal": normal}))
    assert split.vertex_count == 6
    np.testing.assert_array_equal(corner_values(split, "normal"), normal)
    np.testing.assert_array_equal(corner_values(split, "uv0"), uv)


# ---------------------------------------------------------------- merge


def test_merge_sets_meshes_side_by_side():
    a = Mesh(
        TRIANGLE,
        [[0, 1, 2]],
        materials=(Material("red"),),
        face_material=[0],
        parts=(Part("body"), Part("lid", 0)),
        face_part=[1],
        up="z",
        unit=0.01,
    )
    b = Mesh(2 * QUAD.vertices, QUAD.faces, materials=(Material("blue"),), face_material=[0, -1], parts=(Part("leg"),))
    both = merge([a, b], names=["first", "second"])
    np.testing.assert_array_equal(both.vertices, np.concatenate([a.vertices, b.vertices]))
    np.testing.assert_array_equal(both.faces, [[0, 1, 2], [3, 4, 5], [3, 5, 6]])
    assert [(p.name, p.parent) for p in both.parts] == [
        ("first", -1),
        ("body", 0),
        ("lid", 1),
        ("second", -1),
        ("leg", 3),
    ]
    assert [both.parts[i].name for i in both.face_part] == ["lid", "second", "second"]
    assert [both.materials[i].name if i >= 0 else None for i in both.face_material] == ["red", "blue", None]
    assert (both.up, both.unit) == ("z", 0.01)
    with pytest.raises(InputError, match="no mesh"):
        merge([])


def test_merge_without_names_adds_no_parts():
    assert merge([QUAD, QUAD]).parts == ()
    np.testing.assert_array_equal(merge([QUAD, QUAD]).face_part, [-1] * 4)


def test_merge_fills_missing_attributes_with_what_shows_nothing():
    a = Mesh(TRIANGLE, [[0, 1, 2]], attributes={"color": np.zeros((3, 4)), "normal": TRIANGLE, "uv0": np.ones((3, 2))})
    b = Mesh(TRIANGLE, [[0, 1, 2]], face_attributes={"polygon": np.array([7])})
    both = merge([a, b, b])
    np.testing.assert_array_equal(both.attributes["color"][3:], 1.0)
    np.testing.assert_array_equal(both.attributes["uv0"][3:], 0.0)
    assert "normal" not in both.attributes
    assert len(np.unique(both.face_attributes["polygon"])) == 3


def test_merge_keeps_an_attribute_that_is_per_vertex_here_and_per_corner_there():
    uv = np.random.default_rng(1).random((3, 2))
    corner_uv = np.random.default_rng(2).random((2, 3, 2))
    a = Mesh(TRIANGLE, [[0, 1, 2]], attributes={"uv0": uv})
    b = Mesh(QUAD.vertices, QUAD.faces, corner_attributes={"uv0": corner_uv})
    for order in ([a, b], [b, a]):
        split, _ = split_corners(merge(order))
        expected = np.concatenate([uv[None] if m is a else corner_uv for m in order])
        np.testing.assert_array_equal(corner_values(split, "uv0"), expected)
