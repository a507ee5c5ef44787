"""What training minimises: every model trains, votes and bounds settle where they should, equal shares of a batch."""

import pytest
import torch

from neurok.data.pairs import DRAW_COUNT
from neurok.networks.batch import TrainingBatch
from neurok.networks.config import Config
from neurok.networks.models import StateSpaceModel, build_model
from neurok.networks.proposals import Votes, about_centre
from neurok.networks.twist_field import metric_of
from neurok.training.gradients import bound_gradient
from neurok.training.losses import OUTSIDE_SHARE, REST_RADIUS, bounds_loss, compute_loss, draw_noise
from neurok.training.vote_loss import vote_losses
from tests.networks.toy_batch import make_batch, part_of, scramble
from tests.networks.toy_votes import geometry, perfect, toy_centres

COMBINATIONS = [("points", "unit"), ("points", "lowrank"), ("handles", "unit"), ("handles", "lowrank")]


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(("decoder", "prior"), COMBINATIONS)
@pytest.mark.parametrize("size", ["tiny", "base", "large"])
def test_every_combination_of_decoder_and_prior_trains(decoder, prior, size):
    config = Config(decoder=decoder, prior=prior, size=size)
    model = build_model(config)
    loss, figures = compute_loss(model, make_batch(points=16, states=2), config, 0.5)
    loss.backward()
    assert torch.isfinite(loss)
    assert figures["fit"].shape == (2, 2)
    missing = [name for name, p in model.named_parameters() if p.grad is None]
    assert not missing
    assert all(bool(torch.isfinite(p.grad).all()) for p in model.parameters())


@pytest.mark.parametrize(("decoder", "prior"), COMBINATIONS[:3])
def test_two_halves_of_a_batch_give_the_gradient_of_the_whole(decoder, prior):
    config = Config(decoder=decoder, prior=prior, size="tiny")
    model = build_model(config)
    scramble(model)
    batch = make_batch(4)
    whole = _gradient(model, batch, config)
    halves = [_gradient(model, part_of(batch, slice(k, None, 2)), config) for k in range(2)]
    for name, value in whole.items():
        mean = 0.5 * (halves[0][name] + halves[1][name])
        assert torch.allclose(value, mean, atol=2e-5 * float(value.abs().max() + 1e-3)), name


def test_noise_belongs_to_the_shape():
    draw = torch.rand(3, 2, DRAW_COUNT)
    noise = draw_noise(draw, torch.zeros(3, 2, 1000))
    assert torch.equal(noise[1:], draw_noise(draw[1:], torch.zeros(2, 2, 1000)))
    assert (noise.mean((1, 2)).abs() < 0.1).all() and ((noise.std((1, 2)) - 1).abs() < 0.1).all()
    assert (noise[0] - noise[1]).abs().mean() > 0.5
    assert (noise[0, 0] - noise[0, 1]).abs().mean() > 0.5


def test_the_kl_divergence_warms_up():
    config = Config(decoder="points", prior="unit", size="tiny", weight=0.5)
    model = build_model(config)
    batch = make_batch()
    losses = [compute_loss(model, batch, config, warmth)[0].item() for warmth in (0.0, 0.5, 1.0)]
    kl = compute_loss(model, batch, config)[1]["kl"].mean()
    assert losses[1] - losses[0] == pytest.approx(0.25 * float(kl) / 8, rel=1e-3)
    assert losses[2] - losses[0] == pytest.approx(0.5 * float(kl) / 8, rel=1e-3)


@pytest.mark.parametrize(
    ("decoder", "prior", "dual"), [(*c, True) for c in COMBINATIONS[:3]] + [("points", "unit", False)]
)
def test_a_tiny_model_learns_one_object(decoder, prior, dual):
    config = Config(decoder=decoder, prior=prior, size="tiny", dual_quaternion=dual, weight=1e-3)
    model = build_model(config)
    batch = make_batch(1, points=32, states=6)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    first = compute_loss(model, batch, config)[0].item()
    for step in range(160):
        loss, _ = compute_loss(model, batch, config, min(1.0, step / 80))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    with torch.no_grad():
        loss, figures = compute_loss(model, batch, config)
    assert float(loss) < 0.3 * first
    assert float(figures["fit"].median()) > 0.6


def _gradient(model: StateSpaceModel, batch: TrainingBatch, config: Config) -> dict[str, torch.Tensor]:
    model.zero_grad()
    compute_loss(model, batch, config)[0].backward()
    return {name: p.grad.clone() for name, p in model.named_parameters()}


def test_perfect_votes_lose_least():
    centre = toy_centres()
    votes, truth, _ = perfect(centre)
    angle = torch.tensor([0.5, -1.0, 0.8])
    observed = truth[None, :, None] * angle[:, None]
    observed = observed.expand(len(centre), -1, -1, -1)
    size = about_centre(observed, centre).square().sum((1, 3)).sqrt() / 6**0.5
    good = vote_losses(votes, observed, metric_of(geometry(centre)), size)
    wrong = Votes(-votes.together, votes.own.flip(-1), votes.amplitude + 1.0)
    bad = vote_losses(wrong, observed, metric_of(geometry(centre)), size)
    assert good["together"].max() < 1e-3 < bad["together"].min()
    assert good["own"].max() < 1e-4 < bad["own"].min()
    assert good["amplitude"].mean() < bad["amplitude"].mean()


def test_bounds_settle_at_the_quantiles_of_the_states_that_leave_rest():
    generator = torch.Generator().manual_seed(0)
    q = torch.rand((1, 2, 4000), generator=generator, dtype=torch.float64) * torch.tensor([2.0, 3.0])[:, None]
    q[:, 1] -= 1.0  # from -1 to 2
    q[:, :, ::2] = 0.0  # half of the states are at rest, and count for nothing
    bounds = torch.ones((1, 2, 2), dtype=torch.float64, requires_grad=True)
    descent = torch.optim.Adam([bounds], 0.02)
    for step in range(1500):
        descent.param_groups[0]["lr"] = 0.02 if step < 1000 else 0.002
        descent.zero_grad()
        bounds_loss(bounds.abs(), q).sum().backward()
        descent.step()
    away = REST_RADIUS
    upper = 2.0 - (2.0 - away) * OUTSIDE_SHARE
    wide = 3.0 - 2 * away  # what is left of -1 .. 2 without the states about rest
    want = [[0.0, upper], [1.0 - wide * OUTSIDE_SHARE, 2.0 - wide * OUTSIDE_SHARE]]
    torch.testing.assert_close(bounds.detach().abs()[0], torch.tensor(want, dtype=torch.float64), atol=0.04, rtol=0)


def test_bounded_gradients_leave_values_and_directions_as_they_are():
    values = torch.randn(3, 4, 5, requires_grad=True)
    slope = torch.randn(3, 4, 5) * torch.tensor([1e-3, 1.0, 1e3])[:, None, None]
    (bound_gradient(values, 6.0) * slope).sum().backward()
    assert torch.equal(bound_gradient(values, 6.0), values)
    norms = values.grad.flatten(1).norm(dim=1)
    assert torch.equal(values.grad[0], slope[0]) and norms[1:] == pytest.approx([2.0, 2.0])
    cosine = torch.nn.functional.cosine_similarity(values.grad.flatten(1), slope.flatten(1))
    assert cosine == pytest.approx(torch.ones(3))
