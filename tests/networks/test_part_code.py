import torch

from neurok.networks.part_code import CodedSurface, CodeSize, PartCoder

SMALL = {"width": 16, "heads": 2, "tokens": 4, "channels": 4, "matter": 3, "materials": 5}


def _surface(seed: int) -> CodedSurface:
    rng = torch.Generator().manual_seed(seed)
    return CodedSurface(*(torch.rand(2, 9, 3, generator=rng) for _ in range(3)), torch.zeros(2, 3))


def test_codes_are_of_unit_size_whatever_order_the_points_have():
    coder, surface = PartCoder(CodeSize(**SMALL)), _surface(0)
    code = coder.encode(surface)
    torch.testing.assert_close(code.square().mean(dim=1), torch.ones(2), atol=1e-4, rtol=0)
    turned = CodedSurface(surface.place.flip(1), surface.color.flip(1), surface.matter.flip(1), surface.aspect)
    torch.testing.assert_close(coder.encode(turned), code, atol=1e-5, rtol=0)


def test_a_point_is_told_the_same_whatever_else_is_asked():
    coder, code, points = PartCoder(CodeSize(**SMALL)), torch.randn(2, 16), torch.rand(2, 6, 3)
    whole, one = coder.decode(code, torch.zeros(2, 3), points), coder.decode(code, torch.zeros(2, 3), points[:, 2:3])
    torch.testing.assert_close(whole.distance[:, 2:3], one.distance)
    torch.testing.assert_close(whole.logits[:, 2:3], one.logits)


def test_streams_that_are_apart_know_nothing_of_each_other():
    """The shape is told by its own tokens alone, materials by theirs; in joint streams each depends on all."""
    points, aspect = torch.rand(2, 5, 3), torch.zeros(2, 3)
    code = torch.randn(2, 16)
    other = torch.cat([code[:, :12], torch.randn(2, 4)], dim=1)  # another material: the last token of four
    for streams, depends in (("apart", False), ("joint", True)):
        torch.manual_seed(1)
        coder = PartCoder(CodeSize(**SMALL, streams=streams))
        a, b = coder.decode(code, aspect, points), coder.decode(other, aspect, points)
        assert torch.allclose(a.distance, b.distance) is not depends
        assert not torch.allclose(a.logits, b.logits)
