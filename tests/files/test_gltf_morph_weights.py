"""Morph weights stay in 0..1, where programs that cut them there draw the same shape."""

import numpy as np
import pytest

from neurok.files.gltf.writing.morphs import compress_frames

TOLERANCE = 1e-5


def _swing(reference, rng, time):
    return np.sin(5 * time)[:, None, None] * rng.normal(size=reference.shape)


def _ramp(reference, rng, time):
    return time[:, None, None] * rng.normal(size=reference.shape)


def _noise(reference, rng, time):
    return rng.normal(size=(len(time), *reference.shape))


def _still(reference, rng, time):
    return np.zeros((len(time), *reference.shape))


@pytest.mark.parametrize(("kind", "most"), [(_swing, 2), (_ramp, 1), (_noise, 10), (_still, 1)])
def test_weights_lie_in_the_unit_range_and_cost_one_target_at_most(kind, most):
    rng = np.random.default_rng(4)
    reference = rng.normal(size=(200, 3))
    frames = reference + 0.1 * kind(reference, rng, np.linspace(0.0, 1.0, 9))
    morphs = compress_frames(reference, [frames[:4], frames[4:]], tolerance=TOLERANCE)
    assert 0.0 <= morphs.weights.min() and morphs.weights.max() <= 1.0
    assert morphs.weights.shape == (9, len(morphs.targets))
    assert len(morphs.targets) <= most
    drawn = reference + np.einsum("tr,rni->tni", morphs.weights, morphs.targets, dtype=np.float64)
    assert np.linalg.norm(drawn - frames, axis=2).max() < TOLERANCE
