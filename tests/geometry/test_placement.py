"""Moving a mesh: points, normals and orientation, for rigid, stretching, mirroring and flattening maps."""

import numpy as np
import pytest

from neurok.geometry.measure import compute_volume
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import carry_normals, carry_tangents, quarter_turn, transform
from neurok.geometry.triangles import face_normals


def tetrahedron():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    normals = np.repeat(face_normals(vertices, faces)[:, None], 3, axis=1)
    tangents = np.concatenate([vertices[faces[:, 1]] - vertices[faces[:, 0]], np.ones((4, 1))], axis=1)
    tangents[:, :3] /= np.linalg.norm(tangents[:, :3], axis=1, keepdims=True)
    corners = {"normal": normals, "tangent": np.repeat(tangents[:, None], 3, axis=1)}
    return Mesh(vertices, faces, corner_attributes=corners, attributes={"color": np.ones((4, 4))})


@pytest.mark.parametrize("seed", range(20))
def test_normals_and_volume_follow_any_affine_map(seed):
    generator = np.random.default_rng(seed)
    T = np.eye(4)
    T[:3] = generator.normal(size=(3, 4))
    mesh, moved = tetrahedron(), transform(tetrahedron(), T)
    np.testing.assert_allclose(moved.vertices, mesh.vertices @ T[:3, :3].T + T[:3, 3])
    assert compute_volume(moved) == pytest.approx(abs(np.linalg.det(T[:3, :3])) / 6)
    expected = np.repeat(face_normals(moved.vertices, moved.faces)[:, None], 3, axis=1)
    np.testing.assert_allclose(moved.corner_attributes["normal"], expected, atol=1e-9)
    tangent = moved.corner_attributes["tangent"]
    np.testing.assert_allclose(np.einsum("mkd,mkd->mk", tangent[..., :3], expected), 0, atol=1e-9)
    assert (tangent[..., 3] == np.sign(np.linalg.det(T[:3, :3]))).all()


def test_a_flattening_map_gives_the_normals_of_the_plane():
    moved = transform(tetrahedron(), np.diag([1.0, 1.0, 0.0, 1.0]))
    upward = np.abs(moved.corner_attributes["normal"][..., 2])
    assert set(np.round(upward[:, 0], 9)) <= {0.0, 1.0}


def test_the_identity_changes_nothing():
    mesh = tetrahedron()
    assert transform(mesh, np.eye(4)) is mesh


@pytest.mark.parametrize("up", "xyz")
@pytest.mark.parametrize("target", "xyz")
def test_quarter_turns_take_up_to_up_and_back(up, target):
    axis = dict(zip("xyz", np.eye(3)))
    turn = quarter_turn(up, target)
    assert np.array_equal(turn @ axis[up], axis[target])
    assert np.linalg.det(turn) == 1.0
    assert np.array_equal(quarter_turn(target, up) @ turn, np.eye(3))
    assert sum(np.array_equal(turn @ a, a) for a in np.eye(3)) == (3 if up == target else 1)


def test_a_map_for_each_vertex_carries_as_the_same_map_for_all():
    generator = np.random.default_rng(0)
    maps = generator.normal(size=(5, 3, 3))
    normals, tangents = generator.normal(size=(5, 3)), generator.normal(size=(5, 4))
    for carry, vectors in ((carry_normals, normals), (carry_tangents, tangents)):
        each = carry(vectors, maps)
        for index, linear in enumerate(maps):
            np.testing.assert_allclose(each[index], carry(vectors[index : index + 1], linear)[0], atol=1e-12)
    inverse = np.linalg.inv(maps).transpose(0, 2, 1)  # the textbook's way, where there is an inverse
    expected = np.einsum("nab,nb->na", inverse, normals)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(carry_normals(normals, maps), expected, atol=1e-10)
