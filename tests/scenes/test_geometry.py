"""Places and colliders against closed forms: boards fill what they should, feet stand where there is ground."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurok.data.procedural.shapes import block, tray
from neurok.geometry.articulation import Articulation, Link
from neurok.geometry.links import link_motions
from neurok.geometry.measure import compute_volume
from neurok.geometry.mesh import Mesh, merge
from neurok.scenes.colliders import add_hollow_colliders, cut_boards
from neurok.scenes.joining import join_things, rebase_thing
from neurok.scenes.placing import find_side, turn_points
from neurok.scenes.request import ThingRequest
from neurok.scenes.sources import make_thing, scale_articulation
from neurok.scenes.supports import Footprint, find_levels, find_spots, measure_footprint
from neurok.scenes.thing import PlacedThing, SceneThing


def _thing(name, *pieces):
    mesh = merge(list(pieces))
    made = Articulation(mesh, np.zeros(mesh.vertex_count, int), (Link(name, np.eye(4)),), (), name)
    return SceneThing(name, name, add_hollow_colliders(made), np.zeros(0), held=True)


def _at(thing, x=0.0, y=0.0, z=0.0, turn=0.0):
    return PlacedThing(thing, thing.locate(turn, np.array([x, y, z])))


def test_a_tray_becomes_boards_of_its_own_volume_and_stays_hollow():
    made = tray((0.4, 0.3, 0.2), 0.02)
    boards = cut_boards(made)
    assert sum(compute_volume(each) for each in boards) == pytest.approx(
        compute_volume(made), rel=0.01
    )  # its edges are rounded
    middle = made.bounds.mean(axis=0)
    assert not any(np.all((each.bounds[0] < middle) & (middle < each.bounds[1])) for each in boards)


def test_a_tilted_tray_is_not_made_of_boards_along_the_axes():
    made = tray((0.4, 0.3, 0.2), 0.02)
    c, s = np.cos(0.4), np.sin(0.4)
    turned = Mesh(made.vertices @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T, made.faces)
    assert cut_boards(turned) == []


def test_the_free_places_of_a_table_are_those_where_the_foot_does_not_hang_over():
    table = _at(_thing("table", block((1.0, 0.6, 0.05), (0, 0, 0.70), round=0)))
    need = Footprint(np.array([0.1, 0.1]), np.array([0.1, 0.1]), np.zeros(2), 0.3)
    feet = np.array([spot.foot for spot in find_spots(table, [], need)])
    assert np.allclose(feet[:, 2], table.bounds[1, 2])
    # The foot may hang over by a tenth of its area at most.
    assert np.abs(feet[:, 0]).max() == pytest.approx(0.4, abs=0.04)
    assert np.abs(feet[:, 1]).max() == pytest.approx(0.2, abs=0.04)


def test_what_stands_there_blocks_its_place_and_what_is_too_tall_finds_none_under_a_board():
    table = _at(_thing("table", block((1.0, 0.6, 0.05), (0, 0, 0.70), round=0)))
    other = _at(_thing("box", block((0.2, 0.2, 0.2), (0, 0, 0.1), round=0)), z=table.bounds[1, 2])
    need = Footprint(np.array([0.1, 0.1]), np.array([0.1, 0.1]), np.zeros(2), 0.3)
    feet = np.array([spot.foot for spot in find_spots(table, [other], need)])
    assert np.abs(feet[:, :2]).max(axis=1).min() >= 0.2 - 1e-9
    shelf = _at(
        _thing("shelf", block((1, 0.4, 0.02), (0, 0, 0.01), round=0), block((1, 0.4, 0.02), (0, 0, 0.41), round=0))
    )
    assert len(find_levels(shelf)) == 2
    heights = {round(float(s.foot[2] - shelf.bounds[0, 2]), 3) for s in find_spots(shelf, [], need)}
    tall = {round(float(s.foot[2] - shelf.bounds[0, 2]), 3)
            for s in find_spots(shelf, [], Footprint(need.foot, need.box, need.shift, 0.5))}  # fmt: skip
    assert heights == {0.02, 0.42} and tall == {0.42}


@settings(max_examples=25, deadline=None)
@given(st.floats(-3, 3), st.floats(-1, 1), st.floats(-1, 1))
def test_a_thing_stands_with_the_middle_of_its_underside_where_it_is_put(turn, x, y):
    thing = _thing("box", block((0.3, 0.2, 0.1), (0.4, 0.2, 0.3), round=0))
    placed = _at(thing, x, y, 0.5, turn)
    assert placed.bounds[0, 2] == pytest.approx(0.5)
    need = measure_footprint(turn_points(thing, turn))
    assert 2 * need.box == pytest.approx(np.ptp(placed.bounds, axis=0)[:2])


def test_sides_are_told_by_boxes_that_do_not_overlap():
    box = np.array([[-0.1, -0.1, 0], [0.1, 0.1, 0.2]])
    feet = np.array([[-0.3, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, -0.3, 0], [-0.15, 0, 0], [-0.3, 5.0, 0]])
    half = np.array([0.1, 0.1])
    found = {
        word: find_side(feet, half, word, box).tolist() for word in ("left of", "right of", "behind", "in front of")
    }
    assert found["left of"] == [True, False, False, False, False, False]
    assert found["right of"][1] and found["behind"][2] and found["in front of"][3]
    assert sum(sum(row) for row in found.values()) == 4


@pytest.fixture(scope="module")
def cabinet(tmp_path_factory):
    asked = ThingRequest("cabinet", "a drawer cabinet", opened=(("drawer_1", 0.5),))
    return make_thing(asked, 3, tmp_path_factory.mktemp("things"))


def test_an_opened_thing_as_zero_moves_on_as_before(cabinet):
    placed = PlacedThing(cabinet, cabinet.locate(0.7, np.array([1.0, 2.0, 0.0])))
    moved = rebase_thing(placed)
    assert np.allclose(moved.mesh.vertices, placed.vertices)
    more = np.linspace(0.01, 0.03, len(cabinet.state))
    a = link_motions(moved, more[None])[0] @ np.stack([moved.links[i].T_world_link for i in moved.order])
    b = PlacedThing(cabinet.with_state(cabinet.state + more), placed.T).link_places[list(moved.order)]
    assert np.allclose(a, b, atol=1e-12)
    wide = cabinet.articulation.joints[0]
    assert moved.joints[0].upper == pytest.approx(wide.upper - cabinet.state[0])


def test_joined_things_keep_their_links_and_know_which_are_free(cabinet):
    box = SceneThing("box", "box", _thing("box", block((0.2, 0.2, 0.2))).articulation, np.zeros(0))
    joined = join_things([_at(cabinet), _at(box, x=2.0)], "scene")
    assert {link.name.split("/")[0] for link in joined.links} == {"cabinet", "box"}
    assert [joined.links[i].name for i in joined.loose] == ["box/box"]
    assert joined.mesh.vertex_count == cabinet.articulation.mesh.vertex_count + box.articulation.mesh.vertex_count


def test_scaled_things_keep_their_density(cabinet):
    half = scale_articulation(cabinet.articulation, 0.5)
    for a, b in zip(cabinet.articulation.links, half.links):
        assert b.inertia.mass == pytest.approx(a.inertia.mass / 8)
        assert np.allclose(b.inertia.tensor, a.inertia.tensor / 32)
    assert np.ptp(half.mesh.vertices, axis=0) == pytest.approx(np.ptp(cabinet.articulation.mesh.vertices, axis=0) / 2)
