"""Objects cut into layouts move as they did, mirrored ones as their mirror image."""

from dataclasses import replace

import numpy as np
import pytest

from neurok.data.procedural import draw
from neurok.evaluate.object_sets import find_motions
from neurok.generate.learned.layout import DIAGONAL
from neurok.training.objects.cutting import cut_object
from neurok.training.objects.examples import load_objects, make_objects, save_objects
from neurok.training.objects.matter import average_quantities, tabulate_matter
from neurok.training.objects.part_batches import store_parts
from neurok.training.objects.turning import mirror_layout, stretch_layout


@pytest.mark.parametrize("category", ["drawer_cabinet", "laptop", "excavator", "folding_chair"])
def test_the_parts_of_a_layout_move_as_the_links_do(category):
    thing = draw(category, 3)
    articulation, cut = thing.articulation, cut_object(thing.articulation)
    moved = articulation.mesh.vertices
    faces = articulation.mesh.faces
    lower, upper = thing.limits
    for end in (lower, upper):  # each joint at an end of its range, all at once
        motions = thing.transforms(end[None])[0][np.argsort(np.array(articulation.order))][articulation.vertex_link]
        posed = np.einsum("nab,nb->na", motions[:, :3, :3], moved) + motions[:, :3, 3]
        shape = posed[faces].reshape(-1, 3)
        best = min(_compare(cut, find_motions_at(cut, mask), shape, thing) for mask in _ends(cut))
        assert best < 1e-6 * articulation.mesh.diagonal


def _ends(cut):
    """All ways in which the joints may be at their ends; the axis of a layout may point the other way."""
    moving = cut.layout.count - 1
    for number in range(2**moving):
        yield [(number >> bit) & 1 for bit in range(moving)]


def find_motions_at(cut, ends):
    limits = cut.layout.limits.copy()
    for part, end in enumerate(ends, start=1):
        limits[part] = limits[part, end]
    return find_motions(replace(cut.layout, limits=limits), 0.0)


def _compare(cut, motions, shape, thing):
    corners = cut.mesh.vertices[cut.mesh.faces].reshape(-1, 3)
    own = motions[np.repeat(cut.face, 3)]
    posed = np.einsum("nab,nb->na", own[:, :3, :3], corners) + own[:, :3, 3]
    box = thing.mesh.bounds
    return np.abs(posed * cut.scale + box.mean(axis=0) - shape).max()


def test_the_frame_is_that_of_the_layout():
    cut = cut_object(draw("microwave", 5).articulation)
    lower, upper = (cut.layout.centre - cut.layout.half).min(0), (cut.layout.centre + cut.layout.half).max(0)
    np.testing.assert_allclose(lower, -upper, atol=1e-6)
    assert np.linalg.norm(upper - lower) == pytest.approx(DIAGONAL)


def test_a_mirrored_layout_moves_as_the_mirror_image():
    M = np.diag([-1.0, 1.0, 1.0, 1.0])
    for category in ("drawer_cabinet", "laptop", "excavator"):
        layout = cut_object(draw(category, 4).articulation).layout
        # What turns without end may turn either way round, so these stand still here.
        layout = replace(layout, limits=np.where(layout.joint[:, None] == 3, 0.0, layout.limits))
        mirrored = mirror_layout(layout)
        for share in (0.0, 0.3, 1.0):
            a, b = find_motions(layout, share), find_motions(mirrored, share)
            np.testing.assert_allclose(b, M @ a @ M, atol=1e-9)


def test_a_stretched_layout_keeps_its_frame_and_touches_as_before():
    layout = cut_object(draw("drawer_cabinet", 4).articulation).layout
    found = stretch_layout(layout, np.array([1.2, 0.9, 1.0]))
    lower, upper = (found.centre - found.half).min(0), (found.centre + found.half).max(0)
    np.testing.assert_allclose(lower, -upper, atol=1e-6)
    assert np.linalg.norm(upper - lower) == pytest.approx(DIAGONAL)
    ratio = found.limits[1:, 1] / found.half[1:, 1]  # of what slides along y, against its own depth
    np.testing.assert_allclose(ratio, layout.limits[1:, 1] / layout.half[1:, 1], rtol=1e-9)


def test_examples_come_back_from_their_file(tmp_path):
    from itertools import islice

    objects = list(islice(make_objects(1, 7), 3))
    save_objects(objects, tmp_path / "few.npz")
    found = load_objects(tmp_path / "few.npz")
    assert [one.name for one in found] == [one.name for one in objects]
    for a, b in zip(objects, found):
        np.testing.assert_allclose(b.layout.half, a.layout.half)
        np.testing.assert_allclose(b.parts[-1].distance, a.parts[-1].distance, atol=2e-3)
        np.testing.assert_array_equal(b.parts[0].matter, a.parts[0].matter)
    store = store_parts(found)
    assert store.told.shape[0] == 1 + sum(len(one.table) for one in objects)
    assert (store.matter > 0).all()  # our own objects say what all is made of
    points = [part.surface for one in found for part in one.parts]
    assert max(float(np.abs(p.astype(float)).max()) for p in points) < 1.01


def test_quantities_of_a_mixture_are_those_that_its_materials_have():
    table = tabulate_matter()
    chance = np.eye(len(table.values))
    values, has = average_quantities(chance)
    np.testing.assert_allclose(values, table.values)
    np.testing.assert_array_equal(has, table.has)
