"""The variational autoencoders: exact rest, unit motions, the KL divergence, derivatives."""

import pytest
import torch
from torch.distributions import MultivariateNormal, kl_divergence
from torch.func import jvp

from neurok.geometry.rigid import dual_normalise, dual_to_rigid, exp_twist
from neurok.networks.attention import PlainNorm
from neurok.networks.config import Config
from neurok.networks.gaussian import Posterior, Prior
from neurok.networks.handle_motion import dual_from_twist
from neurok.networks.models import build_model
from neurok.networks.vae import VaeModel
from tests.networks.toy_batch import doubled, make_batch, scramble


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(before)


def model_of(decoder: str, prior: str, **values) -> VaeModel:
    return build_model(Config(decoder=decoder, prior=prior, size="tiny", **values))


@pytest.mark.parametrize("decoder", ["points", "handles"])
@pytest.mark.parametrize("prior", ["unit", "lowrank"])
@pytest.mark.parametrize("dual_quaternion", [True, False])
def test_rest_does_not_move(decoder, prior, dual_quaternion):
    model = VaeModel(Config(decoder=decoder, prior=prior, size="tiny", dual_quaternion=dual_quaternion)).double()
    scramble(model)
    batch = doubled(make_batch())
    encoded = model.space(batch.shapes)
    motion = model.decode(encoded, encoded.rest[:, None], 64)
    still = torch.zeros(3).double() if motion.shape[-1] == 3 else torch.eye(8).double()[0]
    assert (motion - still).abs().max() < 1e-12
    away = model.decode(encoded, encoded.rest[:, None] + 1.0, 64)
    assert (away - still).abs().max() > 1e-3


@pytest.mark.parametrize("decoder", ["points", "handles"])
def test_decoded_motions_are_unit_dual_quaternions(decoder):
    model = VaeModel(Config(decoder=decoder, prior="unit", size="tiny"))
    scramble(model)
    encoded = model.space(make_batch().shapes)
    motion = model.decode(encoded, encoded.rest[:, None] + torch.randn(2, 5, encoded.rest.shape[1]), 64)
    real, rest = motion[..., :4], motion[..., 4:]
    assert (real.square().sum(-1) - 1.0).abs().max() < 1e-5
    assert (real * rest).sum(-1).abs().max() < 1e-5
    assert (motion - dual_normalise(motion)).abs().max() < 1e-5


@pytest.mark.parametrize("rank", [0, 3])
def test_kl_is_that_of_the_full_covariances(rank):
    b, s, d = 2, 3, 7
    mean, log_variance = torch.randn(b, s, d).double(), torch.randn(b, s, d).double()
    prior = Prior(torch.randn(b, d).double(), torch.rand(b, d).double() + 0.1, torch.randn(b, d, rank).double())
    covariance = torch.diag_embed(prior.diagonal) + prior.factor @ prior.factor.mT
    q = MultivariateNormal(mean, torch.diag_embed(log_variance.exp()))
    p = MultivariateNormal(prior.mean[:, None].expand(b, s, d), covariance[:, None].expand(b, s, d, d))
    assert torch.allclose(prior.kl(Posterior(mean, log_variance)), kl_divergence(q, p), rtol=1e-10)
    assert torch.allclose(prior.root() @ prior.root(), covariance, rtol=1e-9)


def test_the_unit_prior_is_the_paper_s():
    model = model_of("points", "unit")
    encoded = model.space(make_batch().shapes)
    assert torch.equal(encoded.prior.diagonal, torch.ones(2, 64))
    assert encoded.prior.factor.shape == (2, 64, 0)
    assert not torch.allclose(encoded.prior.mean, encoded.rest)


def test_the_lowrank_prior_is_centred_on_rest():
    encoded = model_of("points", "lowrank").space(make_batch().shapes)
    assert torch.equal(encoded.prior.mean, encoded.rest)
    assert encoded.prior.factor.shape == (2, 64, 16)
    assert encoded.prior.factor.abs().max() > 0.01


@pytest.mark.parametrize("decoder", ["points", "handles"])
@pytest.mark.parametrize("grad", [True, False])
def test_decoders_have_two_forward_derivatives(decoder, grad):
    model = VaeModel(Config(decoder=decoder, prior="unit", size="tiny")).double().eval().requires_grad_(False)
    scramble(model)
    batch = doubled(make_batch(1, points=16))
    encoded = model.space(batch.shapes)
    z, along = torch.randn(2, encoded.rest.shape[1]).double()

    def decoded(state):
        return model.decode(encoded, state[None, None], 16)[0, 0]

    def velocity(state):
        return jvp(decoded, (state,), (along,))[1]

    with torch.set_grad_enabled(grad):
        first, second = velocity(z), jvp(velocity, (z,), (along,))[1]
    h = 1e-4
    ahead, here, behind = decoded(z + h * along), decoded(z), decoded(z - h * along)
    assert second.abs().max() > 1e-3
    assert torch.allclose(first, (ahead - behind) / (2 * h), atol=1e-6 * float(first.abs().max() + 1))
    assert torch.allclose(second, (ahead - 2 * here + behind) / h**2, atol=1e-4 * float(second.abs().max() + 1))


def test_the_written_out_norm_is_the_fused_one():
    norm, x = PlainNorm(12), torch.randn(3, 5, 12)
    scramble(norm)
    assert torch.allclose(norm.eval()(x), norm.train()(x), atol=1e-5)


def test_the_dual_quaternion_of_a_twist_is_its_exponential():
    twist = torch.randn(200, 6).double() * torch.logspace(-9, 0.7, 200).double()[:, None]
    assert (dual_to_rigid(dual_from_twist(twist)) - exp_twist(twist)).abs().max() < 1e-12
