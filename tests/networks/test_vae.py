"""The variational autoencoders: exact rest, unit motions, the KL divergence, derivatives, learning, equal gradients."""

from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest
import torch
from torch.distributions import MultivariateNormal, kl_divergence
from torch.func import jvp

from neurok.data.pairs import DRAW_COUNT, displace_points
from neurok.geometry.handles import place_handles
from neurok.geometry.regions import region_features
from neurok.geometry.rigid import dual_from_rigid, dual_normalise, dual_to_rigid, exp_twist
from neurok.networks.attention import PlainNorm
from neurok.networks.batch import TrainingBatch
from neurok.networks.config import Config
from neurok.networks.gaussian import Posterior, Prior
from neurok.networks.handle_motion import dual_from_twist
from neurok.networks.models import build_model
from neurok.networks.shapes import Shapes
from neurok.networks.vae import VaeModel, _noise

COMBINATIONS = [("points", "unit"), ("points", "lowrank"), ("handles", "unit"), ("handles", "lowrank")]


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(before)


def lidded_box(rng: np.random.Generator, points: int, states: int) -> dict[str, np.ndarray]:
    """Points of a box whose lid turns about an edge: a base in z < 0 and a lid above it, hinged along x."""
    size = rng.uniform(0.3, 0.6, 3)
    position = rng.uniform(-0.5, 0.5, (points, 3)) * size
    side = rng.integers(3, size=points)
    position[np.arange(points), side] = np.sign(position[np.arange(points), side]) * 0.5 * size[side]
    lid = (position[:, 2] > 0).astype(np.int64)
    normal = np.zeros((points, 3))
    normal[np.arange(points), side] = np.sign(position[np.arange(points), side])
    pivot = np.array([0.0, -0.5 * size[1], 0.0])
    w = rng.uniform(0.3, 1.5, states)[:, None] * np.array([1.0, 0.0, 0.0])
    hinge = exp_twist(np.concatenate([np.cross(pivot, w), w], axis=1))
    dual = dual_from_rigid(np.stack([np.tile(np.eye(4), (states, 1, 1)), hinge], axis=1))[:, lid]
    area = np.full(points, 1.0 / points)
    region = np.concatenate([region_features(position, normal, area, lid)] * 4, axis=1)
    arrays = {
        "position": position, "normal": normal, "area": area, "region": region, "patch": lid, "component": 0 * lid,
        "border": np.zeros((2, 2, 6)),
        "owner": place_handles(position, lid, 8).owner, "displacement": displace_points(dual, position), "dual": dual,
        "draw": rng.random((states, DRAW_COUNT)), "is_soft": np.zeros(()),
    }  # fmt: skip
    return {k: v if v.dtype.kind == "i" else v.astype(np.float32) for k, v in arrays.items()}


def make_batch(shapes: int = 2, *, points: int = 64, states: int = 3, seed: int = 0) -> TrainingBatch:
    each = [lidded_box(np.random.default_rng([seed, i]), points, states) for i in range(shapes)]
    tensors = {name: torch.from_numpy(np.stack([s[name] for s in each])) for name in each[0]}
    own = {f.name: tensors.pop(f.name) for f in fields(TrainingBatch) if f.name != "shapes"}
    return TrainingBatch(Shapes(**tensors, handles=int(tensors["owner"].max()) + 1), **own)


def changed(batch: TrainingBatch, change: Callable[[torch.Tensor], torch.Tensor]) -> TrainingBatch:
    """The batch with every tensor of it changed."""
    shapes = {f.name: change(getattr(batch.shapes, f.name)) for f in fields(Shapes) if f.name != "handles"}
    own = {f.name: change(getattr(batch, f.name)) for f in fields(TrainingBatch) if f.name != "shapes"}
    return TrainingBatch(Shapes(**shapes, handles=batch.shapes.handles), **own)


def part_of(batch: TrainingBatch, rows: slice) -> TrainingBatch:
    return changed(batch, lambda value: value[rows])


def model_of(decoder: str, prior: str, **values) -> torch.nn.Module:
    return build_model(Config(decoder=decoder, prior=prior, size="tiny", **values))


@pytest.mark.parametrize(("decoder", "prior"), COMBINATIONS)
@pytest.mark.parametrize("size", ["tiny", "base", "large"])
def test_every_combination_of_decoder_and_prior_trains(decoder, prior, size):
    model = build_model(Config(decoder=decoder, prior=prior, size=size))
    batch = make_batch(points=16, states=2)
    loss, figures = model(batch, 0.5)
    loss.backward()
    assert torch.isfinite(loss)
    assert figures["fit"].shape == (2, 2)
    missing = [name for name, p in model.named_parameters() if p.grad is None]
    assert not missing
    assert all(bool(torch.isfinite(p.grad).all()) for p in model.parameters())


@pytest.mark.parametrize("decoder", ["points", "handles"])
@pytest.mark.parametrize("prior", ["unit", "lowrank"])
@pytest.mark.parametrize("dual_quaternion", [True, False])
def test_rest_does_not_move(decoder, prior, dual_quaternion):
    model = VaeModel(Config(decoder=decoder, prior=prior, size="tiny", dual_quaternion=dual_quaternion)).double()
    _scramble(model)
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
    _scramble(model)
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
    _scramble(model)
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
    _scramble(norm)
    assert torch.allclose(norm.eval()(x), norm.train()(x), atol=1e-5)


def test_the_dual_quaternion_of_a_twist_is_its_exponential():
    twist = torch.randn(200, 6).double() * torch.logspace(-9, 0.7, 200).double()[:, None]
    assert (dual_to_rigid(dual_from_twist(twist)) - exp_twist(twist)).abs().max() < 1e-12


@pytest.mark.parametrize(("decoder", "prior"), COMBINATIONS[:3])
def test_two_halves_of_a_batch_give_the_gradient_of_the_whole(decoder, prior):
    model = model_of(decoder, prior)
    _scramble(model)
    batch = make_batch(4)
    whole = _gradient(model, batch)
    halves = [_gradient(model, part_of(batch, slice(k, None, 2))) for k in range(2)]
    for name, value in whole.items():
        mean = 0.5 * (halves[0][name] + halves[1][name])
        assert torch.allclose(value, mean, atol=2e-5 * float(value.abs().max() + 1e-3)), name


def test_noise_belongs_to_the_shape():
    draw = torch.rand(3, 2, DRAW_COUNT)
    noise = _noise(draw, torch.zeros(3, 2, 1000))
    assert torch.equal(noise[1:], _noise(draw[1:], torch.zeros(2, 2, 1000)))
    assert (noise.mean((1, 2)).abs() < 0.1).all() and ((noise.std((1, 2)) - 1).abs() < 0.1).all()
    assert (noise[0] - noise[1]).abs().mean() > 0.5
    assert (noise[0, 0] - noise[0, 1]).abs().mean() > 0.5


def test_the_kl_divergence_warms_up():
    model = model_of("points", "unit", weight=0.5)
    batch = make_batch()
    losses = [model(batch, warmth)[0].item() for warmth in (0.0, 0.5, 1.0)]
    kl = model(batch)[1]["kl"].mean()
    assert losses[1] - losses[0] == pytest.approx(0.25 * float(kl) / 8, rel=1e-3)
    assert losses[2] - losses[0] == pytest.approx(0.5 * float(kl) / 8, rel=1e-3)


@pytest.mark.parametrize(
    ("decoder", "prior", "dual"), [(*c, True) for c in COMBINATIONS[:3]] + [("points", "unit", False)]
)
def test_a_tiny_model_learns_one_object(decoder, prior, dual):
    model = model_of(decoder, prior, dual_quaternion=dual, weight=1e-3)
    batch = make_batch(1, points=32, states=6)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    first = model(batch)[0].item()
    for step in range(160):
        loss, _ = model(batch, min(1.0, step / 80))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    with torch.no_grad():
        loss, figures = model(batch)
    assert float(loss) < 0.3 * first
    assert float(figures["fit"].median()) > 0.6


def doubled(batch: TrainingBatch) -> TrainingBatch:
    return changed(batch, lambda value: value.double() if value.is_floating_point() else value)


def _scramble(model: torch.nn.Module) -> None:
    """Give weights that begin at zero something to do."""
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.05 * torch.randn_like(p))


def _gradient(model: torch.nn.Module, batch: TrainingBatch) -> dict[str, torch.Tensor]:
    model.zero_grad()
    model(batch)[0].backward()
    return {name: p.grad.clone() for name, p in model.named_parameters()}
