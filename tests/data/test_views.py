"""One network input: training and inference show a network equal arrays for the same mesh, points and seed."""

from dataclasses import fields, replace

import numpy as np
import pytest
import torch

from neurok.data.augment import NO_AUGMENTATION
from neurok.data.pairs import Reading, sample_pair
from neurok.data.procedural.importer import build_sample
from neurok.data.views import ARRAY_TYPES, TrainingView, make_view
from neurok.geometry.observation import NetworkInput, Observation, observe_surface
from neurok.networks.shapes import Shapes, shapes_from_input

POINT_COUNT, HANDLE_COUNT, SEED = 300, 24, 5


def stored(observation: Observation) -> Observation:
    """The observation in the precision of a training view: 16 bits of a normal, borders in whole steps of 1/255."""
    samples = observation.samples
    position, normal = samples.position.astype(ARRAY_TYPES["position"]), samples.normal.astype(ARRAY_TYPES["normal"])
    samples = replace(samples, position=position.astype(np.float64), normal=normal.astype(np.float64))
    border = np.rint(255 * observation.border).astype(ARRAY_TYPES["border"]) / np.float32(255)
    return replace(observation, samples=samples, border=border)


def seen_in_training(category: str) -> NetworkInput:
    """What training shows of an object: its stored view, read back without augmentation, all points of it."""
    view = make_view(build_sample("a", "train", category=category, seed=0), 0, np.random.default_rng(SEED), POINT_COUNT)
    assert isinstance(view, TrainingView)
    how = Reading(states=2, points=POINT_COUNT, handles=HANDLE_COUNT, augmentation=NO_AUGMENTATION)
    return sample_pair(view, how, np.random.default_rng(0))[0]


def seen_in_inference(category: str, like: NetworkInput, point_count: int = POINT_COUNT) -> NetworkInput:
    """What inference shows of the same mesh, its points in the order in which training read them."""
    mesh = build_sample("a", "train", category=category, seed=0).mesh()
    observation = stored(observe_surface(mesh, point_count, np.random.default_rng(SEED)))
    distance = np.linalg.norm(like.position[:, None] - observation.samples.position, axis=-1)
    order = distance.argmin(axis=1)
    observation = replace(observation, samples=observation.samples.subset(order))
    return observation.network_input(observation.place_handles(HANDLE_COUNT))


def differing(one: NetworkInput, other: NetworkInput) -> list[str]:
    """The arrays in which two inputs differ; shares of the area were rounded once more where they were stored."""
    names = [f.name for f in fields(NetworkInput)]
    exact = [name for name in names if name not in ("area", "region")]
    found = [name for name in exact if not np.array_equal(getattr(one, name), getattr(other, name))]
    close = [name for name in ("area", "region") if not _is_close(getattr(one, name), getattr(other, name))]
    return found + close


def _is_close(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("category", ["laptop", "drawer_cabinet", "plant"])
def test_training_and_inference_show_the_network_equal_arrays(category):
    trained = seen_in_training(category)
    assert differing(trained, seen_in_inference(category, trained)) == []


def test_the_comparison_of_both_paths_can_fail():
    trained = seen_in_training("laptop")
    asked = seen_in_inference("laptop", trained)
    for name, of_points in (("position", True), ("normal", True), ("area", True), ("region", True), ("border", False)):
        array = getattr(asked, name).copy()
        array[0 if of_points else (0, 1)] += 0.01
        assert differing(trained, replace(asked, **{name: array})) == [name]
    other = np.random.default_rng(0).permutation(asked.owner)
    assert differing(trained, replace(asked, owner=other)) == ["owner"]


def test_shapes_are_the_input_as_tensors_with_a_batch_axis():
    asked = seen_in_training("laptop")
    shapes = shapes_from_input(asked)
    assert isinstance(shapes, Shapes) and shapes.handles == HANDLE_COUNT
    for field in fields(NetworkInput):
        array, tensor = getattr(asked, field.name), getattr(shapes, field.name)
        assert tensor.dtype == torch.from_numpy(array).dtype
        inside = tensor[0] if field.name != "border" else tensor[0, : len(array), : len(array)]
        np.testing.assert_array_equal(inside.numpy(), array)
    assert float(shapes.border.sum()) == pytest.approx(float(asked.border.sum()))  # zero beyond
