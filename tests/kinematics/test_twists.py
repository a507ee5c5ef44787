"""Twists: closed forms against independent ones, joints as straight lines, the prior's region."""

import numpy as np
import pytest
import torch
from scipy.linalg import expm

from neurok.errors import InputError
from neurok.geometry.motion import Skin
from neurok.geometry.rotation import skew
from neurok.geometry.surface import sample_even
from neurok.geometry.twist_jacobian import twist_motion
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.jet import forward_jet, line_of
from neurok.kinematics.prior import sparse_prior
from neurok.kinematics.twists import Twists
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.lagrangian import evaluate
from neurok.mechanics.scene import build
from neurok.mechanics.simulate import State, simulate
from tests.kinematics.test_kinematics import twists
from tests.mechanics.objects import chain
from tests.mechanics.oracles import christoffel_term

SWING = Conditions(seconds=2.0, gravity=(0.0, 0.0, 0.0), damping=0.0, stiffness=1.0)


def matrix(twist: np.ndarray) -> np.ndarray:
    hat = np.zeros((4, 4))
    hat[:3, :3], hat[:3, 3] = skew(twist[:3]), twist[3:]
    return hat


def test_handles_move_by_matrix_exponentials_about_the_origin():
    space, q = twists(), np.array([0.7, -1.1, 0.4, 0.9])
    there, back = np.eye(4), np.eye(4)
    there[:3, 3], back[:3, 3] = space.origin, -space.origin
    wanted = [there @ expm(matrix(B @ q)) @ back for B in space.basis]
    np.testing.assert_allclose(space.transforms(torch.from_numpy(q)).numpy(), wanted, atol=1e-12)


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-3, 0.49, 0.51, 3.0, 9.0])
def test_left_jacobian_is_the_mean_of_the_adjoints_along_the_way(size):
    rng = np.random.default_rng(0)
    v, w = rng.normal(size=(2, 3))
    xi = np.concatenate([v, size * w / np.linalg.norm(w)])
    adjoint = np.block([[skew(xi[3:]), skew(xi[:3])], [np.zeros((3, 3)), skew(xi[3:])]])
    s, weights = np.polynomial.legendre.leggauss(24)
    mean = sum(0.5 * g * expm(0.5 * (x + 1) * adjoint) for x, g in zip(s, weights))
    np.testing.assert_allclose(twist_motion(xi[:, None]).J[..., 0], mean, atol=1e-12)


@pytest.mark.parametrize("scale", [0.0, 1e-8, 1e-3, 0.2, 1.0, 3.0])
def test_jet_equals_forward_mode_near_and_far_from_rest(scale):
    space, rng = twists(), np.random.default_rng(1)
    q, v = scale * rng.normal(size=4), rng.normal(size=4)
    slow = forward_jet(space.transforms, q, v, rate=True)
    fast, plain = space.transforms_jet(q, v, rate=True), space.transforms_jet(q, v)
    still = space.transforms_jet(q, np.zeros(4))
    for name in ("value", "jacobian", "second", "rate"):
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), atol=1e-11, err_msg=name)
    np.testing.assert_allclose(plain.second, slow.second, atol=1e-11)
    np.testing.assert_allclose(still.jacobian, slow.jacobian, atol=1e-11)
    assert not still.second.any()


@pytest.mark.parametrize("scale", [0.0, 1e-3, 0.5, 3.0])
def test_line_equals_its_slow_twin_the_jet(scale):
    space, rng = twists(), np.random.default_rng(2)
    q, v = scale * rng.normal(size=4), rng.normal(size=4)
    P, dP = rng.normal(size=(2, space.skin.bone_count, 3, 4))
    jet = forward_jet(lambda state: space.transforms(state)[:, :3], q, v, rate=True)
    fast, slow = space.transforms_line(q, v), line_of(jet, v)
    for name in ("value", "first"):
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), atol=1e-11, err_msg=name)
    np.testing.assert_allclose(fast.second(), slow.second(), atol=1e-11)
    np.testing.assert_allclose(fast.to_coordinates(P, dP), slow.to_coordinates(P, dP), atol=1e-11)


def test_momenta_change_along_a_line_as_they_are_said_to():
    space, rng = twists(), np.random.default_rng(3)
    (q, v), (P, dP) = rng.normal(size=(2, 4)), rng.normal(size=(2, space.skin.bone_count, 3, 4))
    s = 1e-5
    ends = [space.transforms_line(q + x * v, v).to_coordinates(P + x * dP, dP)[0] for x in (-s, s)]
    np.testing.assert_allclose(
        space.transforms_line(q, v).to_coordinates(P, dP)[1], (ends[1] - ends[0]) / (2 * s), atol=1e-7
    )


def test_positions_have_two_derivatives_at_rest():
    space = twists()
    where = sample_even(space.mesh, 20, np.random.default_rng(0))
    jet = forward_jet(lambda q: space.positions(q, where), np.zeros(4), np.ones(4), rate=True)
    assert all(np.all(np.isfinite(x)) for x in (jet.jacobian, jet.second, jet.rate))


def test_a_hinge_of_any_amplitude_is_a_straight_line():
    joints = Articulated(chain(1, lower=-3.0, upper=3.0))
    freedom = joints.articulation.freedoms[0]
    basis = np.zeros((joints.skin.bone_count, 6, 1))
    moves = joints._chain._path[:, 0] > 0
    basis[moves, :, 0] = np.concatenate([freedom.screw[3:], freedom.screw[:3]])
    space = Twists(joints.mesh, joints.skin, basis, origin=np.zeros(3))
    for angle in (-2.5, -0.3, 1e-5, 1.0, 2.5):
        q = torch.tensor([angle], dtype=torch.float64)
        np.testing.assert_allclose(space.transforms(q).numpy(), joints.transforms(q).numpy(), atol=1e-12)


def test_states_lie_between_the_bounds_of_each_coordinate():
    plain = twists()
    extent, penalty = np.array([[0.0, 2.0], [1.0, 1.0], [0.5, 3.0], [2.0, 2.0]]), np.array([1.0, 1.0, 1.0, 1e6])
    space = Twists(
        plain.mesh, plain.skin, plain.basis, origin=plain.origin, prior=sparse_prior(extent, penalty=penalty)
    )
    inside = space.admit(torch.tensor([-3.0, 4.0, 0.7, -12.0], dtype=torch.float64))
    torch.testing.assert_close(inside, torch.tensor([0.0, 1.0, 0.7, -2.0], dtype=torch.float64))
    states = space.prior.sample(4000, torch.Generator().manual_seed(0))
    assert (states >= space.lower).all() and (states <= space.upper).all()
    moving = (states != 0).double()
    assert (moving.sum(1) >= 1).all() and moving[:, 3].mean() < 1e-2  # something moves, the unlikely one hardly ever
    for i in range(3):
        own = states[moving[:, i] > 0, i]  # even between its bounds
        assert own.mean() == pytest.approx((extent[i, 1] - extent[i, 0]) / 2, abs=0.1)
        assert own.std() == pytest.approx(extent[i].sum() / np.sqrt(12), rel=0.05)
    assert space.prior.price(np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]), 0.1).tolist() == [1.0, 1e6 + 1.0]


def test_a_swing_keeps_its_energy():
    space = twists()
    scene = build(space, SWING)
    state = State(space, np.array([0.6, -0.4, 0.5, 0.3]), np.zeros(4), 0.0)
    energy = (lambda t: t.kinetic + t.potential)(simulate(scene, state, SWING))
    assert np.abs(energy - energy[0]).max() < 0.01 * energy[0]


def test_velocity_term_equals_christoffel_sum():
    space, rng = twists(), np.random.default_rng(1)
    scene = build(space, SWING, mass_count=200)
    q, v = 0.5 * rng.normal(size=4), rng.normal(size=4)
    explicit = christoffel_term(
        lambda s: space.positions(s, scene.masses.where),
        torch.from_numpy(scene.masses.mass),
        torch.from_numpy(q),
        torch.from_numpy(v),
    )
    ours = evaluate(scene.system, space, q, v, 0.0).velocity_term
    np.testing.assert_allclose(ours, explicit, atol=1e-8 * np.abs(explicit).max())


def test_wrong_bases_are_refused():
    space = twists()
    with pytest.raises(InputError, match="shape"):
        Twists(space.mesh, space.skin, space.basis[:4], origin=space.origin)
    with pytest.raises(InputError, match="finite"):
        Twists(space.mesh, space.skin, space.basis * np.nan, origin=space.origin)
    with pytest.raises(InputError, match="names"):
        Twists(space.mesh, space.skin, space.basis, origin=space.origin, names=("one",))
    with pytest.raises(InputError, match="match"):
        skin = Skin(space.skin.joints[1:], space.skin.weights[1:], *_rest_of(space.skin))
        Twists(space.mesh, skin, space.basis, origin=space.origin)
    with pytest.raises(InputError, match="weights per vertex"):
        wide = Skin(np.tile(space.skin.joints, 2), np.tile(space.skin.weights / 2, 2), *_rest_of(space.skin))
        Twists(space.mesh, wide, space.basis, origin=space.origin)


def _rest_of(skin: Skin):
    return skin.names, skin.parents, skin.frames
