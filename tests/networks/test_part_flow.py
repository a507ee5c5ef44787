import torch

from neurok.networks.part_flow import FlowSize, PartFlow, follow_flow

SIZE = FlowSize(features=3, context=2, rows=4, width=16, heads=2, layers=1, kinds=5)


class _Straight(PartFlow):
    """The exact velocity of a flow to one point for each kind: (x_1 - x_t) / (1 - t)."""

    def forward(self, x, t, kind, source, context=None):
        target = torch.where(kind == self.any_kind, 0.0, kind.float())[:, None, None].expand_as(x)
        return (target - x) / (1.0 - t)[:, None, None].clamp(min=1e-6)


def test_the_exact_velocity_is_followed_to_its_end():
    kind = torch.tensor([1, 4])
    found = follow_flow(_Straight(SIZE), torch.randn(2, 4, 3), kind, torch.zeros(2, dtype=torch.long), steps=7)
    torch.testing.assert_close(found, kind.float()[:, None, None].expand(2, 4, 3), atol=1e-4, rtol=0)


def test_guidance_of_two_doubles_what_the_kind_does():
    kind = torch.tensor([1])
    found = follow_flow(
        _Straight(SIZE), torch.zeros(1, 4, 3), kind, torch.zeros(1, dtype=torch.long), steps=5, guidance=2.0
    )
    torch.testing.assert_close(found, torch.full((1, 4, 3), 2.0), atol=1e-4, rtol=0)


def test_a_flow_learns_two_points_by_kind():
    torch.manual_seed(0)
    flow = PartFlow(FlowSize(features=2, rows=1, width=24, heads=2, layers=1, kinds=2))
    optimiser = torch.optim.Adam(flow.parameters(), lr=1e-2)
    kind = torch.arange(64) % 2
    truth = torch.where(kind[:, None, None] == 0, torch.tensor([1.0, -1.0]), torch.tensor([-2.0, 0.5]))
    source = torch.zeros(64, dtype=torch.long)
    for _ in range(150):
        t, noise = torch.rand(64), torch.randn(64, 1, 2)
        told = flow((1 - t)[:, None, None] * noise + t[:, None, None] * truth, t, kind, source)
        loss = (told - (truth - noise)).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        drawn = follow_flow(flow.eval(), torch.randn(64, 1, 2), kind, source, steps=10)
    for each, point in ((0, (1.0, -1.0)), (1, (-2.0, 0.5))):
        torch.testing.assert_close(drawn[kind == each].mean((0, 1)), torch.tensor(point), atol=0.25, rtol=0)
