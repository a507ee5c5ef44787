"""State spaces of the variational autoencoders: exact rest, the prior's region, units, derivatives."""

import numpy as np
import pytest
import torch

from neurok.geometry.mesh import Mesh
from neurok.geometry.rigid import apply, exp_twist
from neurok.geometry.surface import at_vertices, carry, sample_uniform
from neurok.kinematics.ball import ball_radius
from neurok.kinematics.learned import decoded
from neurok.kinematics.learned.decoded import Decoded, LatentHandles, LatentPoints, decode_space
from neurok.kinematics.learned.options import LearnedOptions
from neurok.networks.config import Config
from neurok.networks.vae import VaeModel

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
SIDES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(decoded, "QUERY_COUNT", 24)
    torch.manual_seed(0)


def two_boxes(scale: float = 1.0, up: str = "z") -> Mesh:
    """A box and a lid that floats above it."""
    lid = CUBE * [1.0, 1.0, 0.2] + [0.0, 0.0, 1.05]
    vertices = scale * (np.concatenate([CUBE, lid]) * [2.0, 1.0, 1.0] + [3.0, -1.0, 0.5])
    return Mesh(vertices, np.concatenate([SIDES, SIDES + 8]), up=up)


def space_of(
    decoder: str, prior: str = "unit", *, mesh: Mesh | None = None, scramble: float = 0.05, **values
) -> Decoded:
    torch.manual_seed(1)
    model = VaeModel(Config(decoder=decoder, prior=prior, size="tiny", **values))
    with torch.no_grad():
        for p in model.parameters():
            p.add_(scramble * torch.randn_like(p))
    return decode_space(two_boxes() if mesh is None else mesh, model, LearnedOptions(point_count=192, handle_count=12))


KINDS = [("points", "unit"), ("points", "lowrank"), ("handles", "unit")]


@pytest.mark.parametrize(("decoder", "prior"), KINDS)
@pytest.mark.parametrize("dual_quaternion", [True, False])
def test_rest_is_the_mesh(decoder, prior, dual_quaternion):
    space = space_of(decoder, prior, dual_quaternion=dual_quaternion)
    x = space.positions(space.rest, at_vertices(space.mesh)).numpy()
    assert np.abs(x - space.mesh.vertices).max() < 1e-9 * space.mesh.diagonal
    assert torch.equal(space.admit(space.rest), space.rest)
    state = space.prior.sample(1, torch.Generator().manual_seed(0))[0]
    moved = space.positions(state, at_vertices(space.mesh)).numpy()
    assert np.abs(moved - space.mesh.vertices).max() > 1e-3


@pytest.mark.parametrize(("decoder", "prior"), KINDS)
def test_states_stay_where_the_prior_is(decoder, prior):
    space = space_of(decoder, prior)
    states = space.prior.sample(200, torch.Generator().manual_seed(0))
    radius = max(ball_radius(space.size), float(space.rest.norm()) * (1 + 1e-9))
    assert (states.norm(dim=1) <= radius).all()
    far = space.admit(100.0 * states[0])
    assert far.norm() == pytest.approx(radius)
    covariance = space._root @ space._root.T
    expected = (
        torch.diag(space.encoded.prior.diagonal[0]) + space.encoded.prior.factor[0] @ space.encoded.prior.factor[0].T
    )
    assert torch.allclose(covariance, expected, atol=1e-9)
    z = space.encoded.rest[0] + 1.0
    assert torch.allclose(space._mean + space._root @ space.whitened(z), z)


@pytest.mark.parametrize("decoder", ["points", "handles"])
def test_motions_have_the_units_and_axes_of_the_file(decoder):
    plain = space_of(decoder)
    turn = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # z up to y up
    mesh = plain.mesh
    other = space_of(decoder, mesh=Mesh(1000.0 * mesh.vertices @ turn.T, mesh.faces, up="y"))
    q = plain.prior.sample(1, torch.Generator().manual_seed(0))[0]
    x, y = (s.positions(q, at_vertices(s.mesh)).numpy() for s in (plain, other))
    assert np.abs(1000.0 * x @ turn.T - y).max() < 1e-3 * other.mesh.diagonal * np.abs(x - mesh.vertices).max()


def test_queries_that_move_rigidly_carry_vertices_rigidly():
    """X at a query is a rigid motion; the skin has at most four of them, rows that sum to one."""
    space = space_of("points")
    assert isinstance(space, LatentPoints)
    X = space.transforms(space.prior.sample(1, torch.Generator().manual_seed(0))[0])
    assert torch.allclose(X[:, :3, :3] @ X[:, :3, :3].mT, torch.eye(3).double().expand(24, 3, 3), atol=1e-9)
    assert space.skin.joints.shape == (16, 4)
    assert np.allclose(space.skin.weights.sum(1), 1.0)


@pytest.mark.parametrize(("decoder", "prior"), KINDS)
def test_jets_agree_with_differences(decoder, prior):
    space = space_of(decoder, prior)
    q, v = torch.randn(2, space.size).double().numpy()
    v /= np.linalg.norm(v)
    jet = space.transforms_jet(q, v)
    h = 1e-3

    def X(s: float) -> np.ndarray:
        return space.transforms(torch.from_numpy(q + s * v)).numpy()

    velocity = np.tensordot(v, jet.jacobian, axes=1)
    assert np.abs(velocity - (X(h) - X(-h)) / (2 * h)).max() < 1e-5 * (1 + np.abs(velocity).max())
    assert np.abs(jet.second).max() > 1e-4
    assert np.abs(jet.second - (X(h) - 2 * X(0) + X(-h)) / h**2).max() < 1e-4 * (1 + np.abs(jet.second).max())


@pytest.mark.parametrize(("decoder", "prior"), KINDS)
def test_no_motion_is_recognised_as_rest(decoder, prior):
    space = space_of(decoder, prior)
    where = sample_uniform(space.mesh, 600, np.random.default_rng(0))
    assert (space.recognise(where, where.position) - space.rest).abs().max() < 1e-4


def test_handles_recognise_a_lid_that_opens_before_any_training():
    """What each handle was seen to do goes straight through the latent."""
    space = space_of("handles", scramble=0.0)
    assert isinstance(space, LatentHandles)
    hinge = np.array([3.0, -1.0, 1.55])
    w = np.array([0.5, 0.0, 0.0])
    target = space.mesh.vertices.copy()
    target[8:] = apply(exp_twist(np.concatenate([np.cross(hinge, w), w])), target[8:])
    where = sample_uniform(space.mesh, 2000, np.random.default_rng(0))
    x = space.positions(space.recognise(where, carry(target, where)), at_vertices(space.mesh)).numpy()
    rms = np.sqrt(((x - target) ** 2).sum(1).mean())
    assert rms < 0.25 * np.sqrt(((target - space.mesh.vertices) ** 2).sum(1).mean())
