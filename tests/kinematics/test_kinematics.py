"""Laws every kinematics obeys: rest is the mesh, the closed forms are the derivatives, limits contain rest."""

import numpy as np
import pytest
import torch

from neurok.geometry.articulation import Articulation, Joint, Link, Mimic
from neurok.geometry.mesh import merge
from neurok.geometry.motion import Skin
from neurok.geometry.primitives import box
from neurok.geometry.surface import at_vertices, sample_even
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.choose import rigid_space
from neurok.kinematics.floating_base import FloatingBase
from neurok.kinematics.jet import forward_jet, forward_line, line_of
from neurok.kinematics.skinning import shares
from neurok.kinematics.translated import translate_space
from neurok.kinematics.twists import Twists
from neurok.opening import kinematics
from tests.kinematics.particles import Particles
from tests.mechanics.objects import chain, shift


def mixed_tree() -> Articulation:
    """A branching tree with every kind of joint, a mimic with an offset, and links listed children first."""
    meshes = [box(0.1 + 0.05 * i, 0.2, 0.1) for i in range(7)]
    places = [shift(0.3 * i, 0.1 * i, -0.2 * i) for i in range(7)]
    links = [Link(f"l{i}", T) for i, T in enumerate(places)]
    axis = np.array([1.0, 2.0, 2.0]) / 3

    def joint(name: str, kind: str, parent: int, child: int, **more) -> Joint:
        return Joint(name, kind, parent, child, np.linalg.inv(places[parent]) @ places[child], axis, **more)

    joints = (
        joint("turn", "revolute", 6, 0, lower=-0.5, upper=1.0),
        joint("slide", "prismatic", 0, 1, lower=0.1, upper=0.4),
        joint("spin", "continuous", 6, 2),
        joint("thread", "screw", 2, 3, pitch=0.05, lower=-6.0, upper=6.0),
        joint("tube", "cylindrical", 1, 4, lower=-1.0, upper=1.0, slide=(-0.1, 0.2)),
        joint("follow", "revolute", 4, 5, mimic=Mimic(0, -2.0, 0.3)),
    )
    vertex_link = np.repeat(np.arange(7), [m.vertex_count for m in meshes])
    mesh = merge([m.with_vertices(m.vertices + T[:3, 3]) for m, T in zip(meshes, places)])
    return Articulation(mesh, vertex_link, tuple(links), joints)


def twists() -> Twists:
    """A soft block with five handles, three weights a vertex, four modes and an origin of its own."""
    rng = np.random.default_rng(0)
    mesh = box(0.3, 0.2, 0.1, cells=2)
    weights = rng.random((mesh.vertex_count, 3))
    weights /= weights.sum(axis=1, keepdims=True)
    joints = rng.integers(0, 5, weights.shape)
    skin = Skin(joints, weights, tuple("abcde"), np.full(5, -1), np.tile(np.eye(4), (5, 1, 1)))
    return Twists(mesh, skin, rng.normal(size=(5, 6, 4)), origin=np.array([0.4, -0.3, 0.2]))


SPACES = {
    "chain": lambda: Articulated(chain(3)),
    "tree": lambda: Articulated(mixed_tree()),
    "free chain": lambda: FloatingBase(Articulated(chain(2)), T_base=_pose()),
    "rigid": lambda: FloatingBase(rigid_space(box(0.3, 0.2, 0.1))),
    "twists": twists,
    "particles": lambda: Particles(box(0.3, 0.2, 0.1, cells=2), 9),
}


def _pose() -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    T[:3, 3] = 1, 2, 3
    return T


@pytest.fixture(params=SPACES, name="space")
def _space(request):
    return SPACES[request.param]()


def random_state(space, seed: int = 0):
    rng = np.random.default_rng(seed)
    return 0.4 * rng.normal(size=space.size), rng.normal(size=space.size)


def test_rest_is_the_mesh(space):
    if space.has_free_base:
        space = FloatingBase(space.inner)
    where = at_vertices(space.mesh)
    assert torch.equal(space.admit(space.rest), space.rest)
    np.testing.assert_allclose(space.positions(space.rest, where).numpy(), space.mesh.vertices, atol=1e-14)


def test_samples_are_admissible(space):
    states = space.prior.sample(50, torch.Generator().manual_seed(0))
    assert states.shape == (50, space.size)
    for q in states:
        torch.testing.assert_close(space.admit(q), q, atol=1e-12, rtol=0)


def test_closed_form_equals_forward_mode(space):
    q, v = random_state(space)
    fast, slow = space.transforms_jet(q, v, rate=True), forward_jet(space.transforms, q, v, rate=True)
    for name in ("value", "jacobian", "second", "rate"):
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), atol=1e-12, err_msg=name)
    plain = forward_jet(space.transforms, q, v)
    np.testing.assert_allclose(plain.second, slow.second, atol=1e-12)
    np.testing.assert_allclose(plain.jacobian, slow.jacobian, atol=1e-12)


def test_line_equals_forward_mode(space):
    q, v = random_state(space)
    P, dP = np.random.default_rng(2).normal(size=(2, space.skin.bone_count, 3, 4))

    def upper(state):
        return space.transforms(state)[:, :3]

    quick = space.transforms_line(q, v)
    for slow in (line_of(forward_jet(upper, q, v, rate=True), v), forward_line(upper, q, v)):
        for name in ("value", "first"):
            np.testing.assert_allclose(getattr(quick, name), getattr(slow, name), atol=1e-12, err_msg=name)
        np.testing.assert_allclose(quick.second(), slow.second(), atol=1e-12)
        np.testing.assert_allclose(quick.to_coordinates(P, dP), slow.to_coordinates(P, dP), atol=1e-11)


def test_jacobian_equals_differences(space):
    q, v = random_state(space)
    jet, h = space.transforms_jet(q, v), 1e-6
    for i in range(space.size):
        step = np.zeros(space.size)
        step[i] = h
        ahead = space.transforms(torch.from_numpy(q + step)).numpy()
        behind = space.transforms(torch.from_numpy(q - step)).numpy()
        np.testing.assert_allclose(jet.jacobian[i], (ahead - behind) / (2 * h), atol=1e-8)


def test_positions_follow_the_skin(space):
    q, _ = random_state(space)
    where = sample_even(space.mesh, 60, np.random.default_rng(0))
    X = space.transforms(torch.from_numpy(q)).numpy()
    rows = np.swapaxes(X[:, :3, :], 1, 2).reshape(-1, 3)
    positions = space.positions(torch.from_numpy(q), where).numpy()
    np.testing.assert_allclose(positions, shares(space.mesh, space.skin, where) @ rows, atol=1e-12)
    vertices = space.positions(torch.from_numpy(q), at_vertices(space.mesh)).numpy()
    np.testing.assert_allclose(vertices, space.skin.blend(X, space.mesh.vertices), atol=1e-12)


def test_limits_widen_to_contain_rest():
    space = Articulated(mixed_tree())
    slide = space.names.index("slide")
    assert space.lower[slide] == 0.0 and space.upper[slide] == pytest.approx(0.4)
    assert "follow" not in space.names and "tube slide" in space.names


def test_screw_advances_by_its_pitch():
    space = Articulated(mixed_tree())
    q = torch.zeros(space.size, dtype=torch.float64)
    q[space.names.index("thread")] = 2 * np.pi
    bone = space.skin.names.index("l3")
    T = space.transforms(q)[bone].numpy()
    axis = np.array([1.0, 2.0, 2.0]) / 3
    np.testing.assert_allclose(T[:3, :3], np.eye(3), atol=1e-12)
    np.testing.assert_allclose(T[:3, 3], 2 * np.pi * 0.05 * axis, atol=1e-12)


def test_mimic_follows_with_multiplier_and_offset():
    space = Articulated(mixed_tree())
    tree = space.articulation
    A, b = tree.coupling
    leader, follower = 0, next(i for i, f in enumerate(tree.freedoms) if tree.joints[f.joint].name == "follow")
    np.testing.assert_allclose(A[follower], -2.0 * A[leader])
    assert b[follower] == 0.3


def test_joint_without_range_is_no_coordinate():
    assert Articulated(chain(2, lower=0.0, upper=0.0)).size == 0


def test_recentring_keeps_position_and_velocity():
    space = SPACES["free chain"]()
    q, v = random_state(space, 3)
    q[3:6] *= 2
    moved, q1, v1 = space.recentre(q, v)
    where = at_vertices(space.mesh)
    before = forward_jet(lambda s: space.positions(s, where), q, v)
    after = forward_jet(lambda s: moved.positions(s, where), q1, v1)
    np.testing.assert_allclose(after.value, before.value, atol=1e-12)
    np.testing.assert_allclose(
        np.tensordot(v1, after.jacobian, axes=1), np.tensordot(v, before.jacobian, axes=1), atol=1e-12
    )
    assert not q1[:6].any()


def test_particles_at_every_vertex_span_everything():
    mesh = box(0.3, 0.2, 0.1)
    space = Particles(mesh, mesh.vertex_count)
    rng = np.random.default_rng(0)
    wanted = rng.normal(size=mesh.vertices.shape)
    q = torch.from_numpy((wanted - mesh.vertices).ravel())
    np.testing.assert_allclose(space.positions(q, at_vertices(mesh)).numpy(), wanted, atol=1e-12)


def test_a_plain_mesh_takes_the_learned_space():
    space = kinematics(box())
    assert isinstance(space, Twists) and 1 <= space.size <= 16
    assert kinematics(box(), base="free").size == space.size + 6


def test_links_move_alike_whoever_asks():
    """The batch of all states at once against the kinematics, state by state."""
    from neurok.geometry.links import link_motions

    space = Articulated(chain(4))
    states = np.random.default_rng(0).normal(size=(6, space.size))
    each = np.stack([space.transforms(torch.from_numpy(q)).numpy() for q in states])
    np.testing.assert_allclose(link_motions(space.articulation, states), each, atol=1e-12)


MADE_ANEW = {name: make for name, make in SPACES.items() if name != "particles"}


@pytest.mark.parametrize("name", MADE_ANEW)
def test_a_translated_space_is_as_exact_and_as_fast_as_before(name):
    space, by = MADE_ANEW[name](), np.array([0.3, -0.2, 0.5])
    moved = translate_space(space, by)
    assert type(moved) is type(space) and moved.has_closed_form == space.has_closed_form
    q = space.prior.sample(1, torch.Generator().manual_seed(0))[0]
    here, there = (s.positions(q, at_vertices(s.mesh)).numpy() for s in (space, moved))
    R = space.T_base[:3, :3]  # a base that is turned about the object's centre carries the shift as well
    np.testing.assert_allclose(there, here + by, atol=1e-12, err_msg=str(R))
