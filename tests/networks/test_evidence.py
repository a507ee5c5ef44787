"""The evidence against brute force, and drags against what a person would expect."""

import numpy as np
import pytest
import torch

from neurok.networks import evidence as ev


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)


def test_evidence_matches_numerical_integration():
    """One mode, one motion: Laplace's approximation against the integral over q on a fine grid."""
    basis = torch.tensor([[[1.0], [0.5], [0.0]]], dtype=torch.float64)
    for amplitude in (0.3, 1.0, 2.5):
        motion = amplitude * basis + torch.tensor([[[0.0], [0.0], [0.05]]], dtype=torch.float64) * amplitude
        cost, _, _ = ev.compute_evidence(basis, motion)
        q = torch.linspace(-20, 20, 400_001, dtype=torch.float64)
        size = motion.square().sum().sqrt().clamp_min(ev.MIN_SIZE)
        missed = (motion[0] - basis[0] * q).square().sum(0) / (ev.NOISE_SHARE * size) ** 2
        nu = ev.DEGREES_OF_FREEDOM
        prior = (nu + 1) * (q.square() / nu).log1p() + ev.TAIL_PRECISION * q.square()
        exact = -torch.logsumexp(-0.5 * (missed + prior), 0) - np.log(40 / 400_000) + 0.5 * np.log(2 * np.pi)
        assert cost.item() == pytest.approx(exact.item(), abs=0.05)


def test_evidence_slope_is_exact(generator):
    """No derivative goes through the search for q, and none is missing but that of the precisions."""
    basis = torch.randn(1, 12, 3, generator=generator, dtype=torch.float64, requires_grad=True)
    motion = torch.randn(1, 12, 2, generator=generator, dtype=torch.float64)
    gram = basis.transpose(1, 2) @ basis
    scale = 1.0 / (ev.NOISE_SHARE * motion.square().sum(1).sqrt()) ** 2
    for _ in range(1):  # the precisions held still, as the derivative takes them
        q, weight = ev.find_sparse_state(gram.detach(), basis.detach().transpose(1, 2) @ motion, scale)

    def cost(b):
        curvature = (b.transpose(1, 2) @ b)[:, None] * scale[..., None, None] + torch.diag_embed(weight)
        right = (b.transpose(1, 2) @ motion * scale[:, None]).transpose(1, 2)[..., None]
        best = torch.linalg.solve(curvature, right)[..., 0].transpose(1, 2)
        fit = 0.5 * (motion - b @ best).square().sum(1) * scale + 0.5 * (weight * best.transpose(1, 2).square()).sum(-1)
        return (fit + 0.5 * torch.logdet(curvature)).sum()

    (expected,) = torch.autograd.grad(cost(basis), basis)
    (found,) = torch.autograd.grad(ev.compute_evidence(basis, motion)[0].sum(), basis)
    # The reweighting has not run to its end in a few rounds, so the two agree up to what is left of it.
    assert torch.nn.functional.cosine_similarity(found.flatten(), expected.flatten(), dim=0) > 0.999


def test_a_mode_that_explains_is_worth_more_than_it_costs(generator):
    right = torch.nn.functional.normalize(torch.randn(1, 30, 1, generator=generator), dim=1)
    motion = right * torch.tensor([1.0, -0.5, 2.0, 0.7])
    wrong = torch.randn(1, 30, 1, generator=generator)
    wrong = wrong - right * (right * wrong).sum()
    none, useful, useless = (ev.compute_evidence(b, motion)[0].mean() for b in (torch.zeros_like(right), right, wrong))
    assert useful < none < useless
    assert ev.compute_evidence(right, motion)[1].max() < 1e-2
    assert ev.compute_evidence(torch.zeros_like(right), motion)[1] == pytest.approx(torch.ones(1, 4))


def test_few_coordinates_explain_when_few_moved(generator):
    """Two modes of which one moved: the other stays at rest, though a small share of it would fit noise."""
    basis = torch.randn(1, 40, 2, generator=generator)
    motion = 1.5 * basis[:, :, :1] + 0.02 * torch.randn(1, 40, 1, generator=generator)
    scale = 1.0 / (ev.NOISE_SHARE * motion.square().sum(1).sqrt()) ** 2
    q, _ = ev.find_sparse_state(basis.transpose(1, 2) @ basis, basis.transpose(1, 2) @ motion, scale)
    assert q[0, 0, 0] == pytest.approx(1.5, abs=0.1)
    assert abs(q[0, 1, 0]) < 0.05


def test_dragging_one_handle_of_a_part_moves_all_of_it():
    """Two parts of three handles; a slider each. Seeing one handle tells the motion of its own part alone."""
    centre = torch.randn(1, 6, 3, generator=torch.Generator().manual_seed(1))
    twist = torch.zeros(1, 6, 2, 6)
    twist[0, :3, 0, 0] = 0.2
    twist[0, 3:, 1, 1] = 0.2
    observed = torch.zeros(1, 6, 1, 6)
    observed[0, :3, 0, 0] = 0.3
    fields = lambda t: t.transpose(2, 3).flatten(1, 2)  # noqa: E731 - unit weights, sliders only
    reach = observed[..., :3].norm(dim=-1)
    lens, seen = ev.observe_drag(twist, observed, centre, reach, torch.tensor([[[0.1]]]))
    assert seen.flatten() == pytest.approx([0.3, 0.0, 0.0])
    assert lens[0, 0, :, 0] == pytest.approx([0.2, 0.0, 0.0])
    share = ev.drag_share(fields(twist), fields(observed), lens, seen)
    assert 1 - share.sqrt().item() > 0.95


def test_dragged_handles_are_those_that_move():
    generator = torch.Generator().manual_seed(2)
    observed = torch.zeros(1, 8, 50, 6)
    observed[0, 5, :, 2] = 1.0
    observed[0, 6, :, 2] = 0.7
    observed[0, 2, :, 2] = 0.3
    draw = torch.rand(1, 50, 1, generator=generator)
    _, seen = ev.observe_drag(torch.zeros(1, 8, 1, 6), observed, torch.zeros(1, 8, 3), observed.norm(dim=-1), draw)
    assert set(np.round(seen[0, :, 2].tolist(), 3)) == {1.0, 0.7}
