"""What the networks compute of handles is the handle metric that everyone else uses."""

from dataclasses import replace

import numpy as np
import torch

from neurok.geometry.handle_metric import measure_handles
from neurok.networks.shapes import handle_geometry
from neurok.networks.twist_field import metric_of
from tests.networks.toy_batch import doubled, make_batch


def test_handles_have_the_one_metric_also_where_samples_have_no_area():
    """A third of the samples have no area, and all those of handle 1."""
    shapes = doubled(make_batch()).shapes
    area = shapes.area.clone()
    area[:, ::3] = 0.0
    area[shapes.owner == 1] = 0.0
    shapes = replace(shapes, area=area / area.sum(-1, keepdim=True))
    found = metric_of(handle_geometry(shapes))
    for i in range(len(area)):
        position, own, owner = (array[i].numpy() for array in (shapes.position, shapes.area, shapes.owner))
        expected = measure_handles(position, own, owner, shapes.handles)
        for name in ("share", "centre", "moments"):
            np.testing.assert_allclose(getattr(found, name)[i], getattr(expected, name), rtol=1e-9, atol=1e-14)


def test_a_handle_without_area_has_a_centre_in_single_precision():
    shapes = make_batch().shapes
    area = shapes.area * (shapes.owner != 1)
    geometry = handle_geometry(replace(shapes, area=area / area.sum(-1, keepdim=True)))
    for i in range(len(area)):
        mean = shapes.position[i][shapes.owner[i] == 1].mean(0)
        torch.testing.assert_close(geometry.centre[i, 1], mean, atol=1e-6, rtol=1e-5)
