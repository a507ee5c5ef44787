"""Motion and Skin: linear blend skinning by its definition, and what a motion refuses."""

import numpy as np
import pytest

from neurok.errors import InputError
from neurok.geometry import rigid
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion, Skin, rigid_skin

rng = np.random.default_rng(0)
MESH = Mesh(rng.normal(size=(20, 3)), rng.integers(0, 20, size=(10, 3)))


def skin(width=3, bones=5):
    return Skin(
        joints=rng.integers(0, bones, size=(20, width)),
        weights=rng.dirichlet(np.ones(width), size=20),
        names=tuple(f"bone {i}" for i in range(bones)),
        parents=np.arange(bones) - 1,
        frames=np.tile(np.eye(4), (bones, 1, 1)),
    )


def test_blend_is_the_weighted_sum_of_motions():
    some, X = skin(), rigid.exp_twist(rng.normal(size=(5, 6)))
    moved = some.blend(X, MESH.vertices)
    for v in range(20):
        pieces = [some.weights[v, j] * (X[some.joints[v, j]] @ np.append(MESH.vertices[v], 1.0))[:3] for j in range(3)]
        np.testing.assert_allclose(moved[v], np.sum(pieces, axis=0), rtol=0, atol=1e-14)
    np.testing.assert_allclose(some.blend(X[:, :3], MESH.vertices), moved, rtol=0, atol=0)


def test_blend_laws():
    some, X = skin(), np.tile(rigid.exp_twist(rng.normal(size=6)), (5, 1, 1))
    np.testing.assert_allclose(some.blend(some.frames, MESH.vertices), MESH.vertices, rtol=0, atol=1e-15)
    # All bones moving as one move the whole as one.
    np.testing.assert_allclose(some.blend(X, MESH.vertices), rigid.apply(X[0], MESH.vertices), rtol=0, atol=1e-14)


def test_rigid_skin_follows_one_link_each():
    link = rng.integers(0, 3, size=20)
    one = rigid_skin(link, ("a", "b", "c"), [-1, 0, 1], np.tile(np.eye(4), (3, 1, 1)))
    assert one.is_rigid and one.bone_count == 3 and not skin().is_rigid
    np.testing.assert_array_equal(one.leader, link)
    X = rigid.exp_twist(rng.normal(size=(3, 6)))
    np.testing.assert_allclose(one.blend(X, MESH.vertices), rigid.apply(X[link], MESH.vertices), rtol=0, atol=1e-14)


def test_leader_is_the_heaviest_bone():
    some = skin()
    for v in range(20):
        assert some.leader[v] == some.joints[v, np.argmax(some.weights[v])]


def test_frames_of_positions_and_of_a_skin_agree():
    some, X = skin(), rigid.exp_twist(rng.normal(size=(4, 5, 6)))
    time = [0.0, 0.1, 0.3, 1.0]
    skinned = Motion(MESH, time, skin=some, transforms=X)
    plain = Motion(MESH, time, positions=skinned.frames)
    assert plain.frame_count == 4 and plain.duration == 1.0
    for i in range(4):
        np.testing.assert_array_equal(plain.frame(i), skinned.frame(i))
        np.testing.assert_array_equal(plain.mesh_at(i).vertices, some.blend(X[i], MESH.vertices))


@pytest.mark.parametrize(
    "time, given, word",
    [
        ([], {"positions": np.zeros((0, 20, 3))}, "increasing"),
        ([0.0, 0.0], {"positions": np.zeros((2, 20, 3))}, "increasing"),
        ([0.0, np.nan], {"positions": np.zeros((2, 20, 3))}, "finite"),
        ([0.0, np.inf], {"positions": np.zeros((2, 20, 3))}, "finite"),
        ([0.0], {"positions": np.zeros((1, 19, 3))}, "positions have shape"),
        ([0.0], {}, "either positions or a skin"),
        ([0.0], {"positions": np.zeros((1, 20, 3)), "skin": skin()}, "either positions or a skin"),
        ([0.0], {"skin": skin()}, "transforms do not match"),
        ([0.0], {"skin": skin(), "transforms": np.zeros((1, 4, 4, 4))}, "transforms do not match"),
        ([0.0], {"skin": rigid_skin([0], ("a",), [-1], np.eye(4)[None]), "transforms": np.eye(4)[None, None]}, "skin"),
    ],
)
def test_a_motion_that_does_not_fit_its_mesh_is_refused(time, given, word):
    with pytest.raises(InputError, match=word):
        Motion(MESH, time, **given)
