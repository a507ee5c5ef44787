"""How an uploaded object moves is found in a process of its own, and is what this process would find."""

from dataclasses import fields

import numpy as np
import pytest
import torch

import neurok
from neurok.data.procedural import make
from neurok.files.registry import Asset
from neurok.kinematics.prior import NormalPrior, SparsePrior
from neurok.kinematics.twists import Twists
from neurok.viewer.spaces import find_space_in_child
from tests.viewer.client import elsewhere


@pytest.mark.parametrize(("category", "prior"), [("laptop", SparsePrior), ("fish", NormalPrior)])
def test_a_space_that_a_child_found_is_the_one_found_here(category, prior):
    asset = Asset(make(category, 0).mesh)
    found, expected = elsewhere(find_space_in_child(asset)), neurok.kinematics(asset)
    assert isinstance(expected, Twists) and isinstance(found.space, Twists)
    assert found.why and not found.note
    assert found.space.mesh is asset.mesh and found.space.names == expected.names
    states = expected.prior.sample(5, torch.Generator().manual_seed(0))
    for q in states:
        torch.testing.assert_close(found.space.transforms(q), expected.transforms(q), rtol=0, atol=1e-12)
    assert type(found.space.prior) is type(expected.prior) is prior
    for field in fields(prior):
        np.testing.assert_array_equal(getattr(found.space.prior, field.name), getattr(expected.prior, field.name))
