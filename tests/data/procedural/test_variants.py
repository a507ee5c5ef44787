"""Fused and noisy objects are one closed surface that moves as the original does."""

import numpy as np
import pytest
import trimesh

from neurok.data import procedural
from neurok.data.procedural.variants import make_fused, make_noisy
from neurok.geometry.components import face_components
from neurok.geometry.surface import find_nearest

pytest.importorskip("manifold3d")


@pytest.mark.parametrize("category", ["bucket", "drawer_cabinet", "plant"])
@pytest.mark.parametrize("variant", [make_fused, make_noisy])
def test_variants_are_one_closed_surface(category, variant):
    made = variant(procedural.make(category, 4))
    assert face_components(made.mesh)[0] == 1
    body = trimesh.Trimesh(made.mesh.vertices, made.mesh.faces, process=False)
    assert body.is_watertight and body.volume > 0
    assert np.allclose(made.skin.weights.sum(axis=1), 1.0)


@pytest.mark.parametrize("category", ["bucket", "plant"])
def test_a_fused_surface_lies_on_the_original_in_every_state(category):
    thing = procedural.make(category, 5)
    made = make_fused(thing)
    states = thing.states(4, np.random.default_rng(0))
    before, after = thing.motion(states), made.motion(states)
    assert np.array_equal(before.time, after.time)
    for i in range(len(states)):
        original = thing.mesh.with_vertices(before.frame(i))
        where = find_nearest(original, after.frame(i))
        gap = np.linalg.norm(where.position - after.frame(i), axis=1) / thing.mesh.diagonal
        assert np.mean(gap < 0.01) > 0.97  # all but the seams between links


def test_noise_is_small_repeatable_and_there():
    thing = procedural.make("bucket", 6)
    first, second = make_noisy(thing), make_noisy(thing)
    assert np.array_equal(first.mesh.vertices, second.mesh.vertices)
    where = find_nearest(thing.mesh, first.mesh.vertices)
    gap = np.linalg.norm(where.position - first.mesh.vertices, axis=1) / thing.mesh.diagonal
    assert 3e-4 < gap.mean() < 5e-3 and gap.max() < 0.02
