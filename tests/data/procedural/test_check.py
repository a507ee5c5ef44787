"""The check finds what is wrong with objects that are wrong on purpose, and nothing in those that are right."""

import numpy as np
import pytest

from neurok.data.procedural.check import find_faults
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import block, pipe, rod, tube


@pytest.fixture
def kit():
    return Kit("thing", np.random.default_rng(0))


def _door(kit, *, gap=0.01, lower=0.0, upper=90.0):
    """A leaf hinged at the edge of a post, with a pin on the axis; a second post may stand in its way."""
    color = kit.material("wood")
    kit.link("post", paint(color, block((0.1, 0.1, 1.0), (0, 0, 0.5))))
    pin = rod((0.08, 0, 0.2), (0.08, 0, 0.8), 0.02)
    arm = block((0.04, 0.02, 0.5), (0.06, 0, 0.5))
    kit.link("leaf", paint(color, block((0.7, 0.03, 0.9), (0.1 + 0.35 + gap, 0, 0.5)), pin))
    kit.meshes["post"].append(paint(color, arm))
    kit.hinge("post", "leaf", at=(0.08, 0, 0), axis="z", lower=lower, upper=upper)


def test_a_sound_door_has_no_fault(kit):
    _door(kit)
    assert find_faults(kit.build()) == []


def test_a_door_that_turns_into_its_post_is_found(kit):
    _door(kit, upper=175.0)
    assert any("leaf" in fault and "post" in fault and "deep" in fault for fault in find_faults(kit.build()))


def test_a_third_link_in_the_way_is_found_over_the_range_only(kit):
    _door(kit)
    kit.link("wall", paint(kit.material("white"), block((0.02, 0.3, 0.9), (0.1, 0.6, 0.5))))
    kit.link("foot", paint(kit.material("white"), block((1, 1.5, 0.02), (0.2, 0.2, -0.011))))
    kit.hinge("post", "wall", at=(0, 1, 0), axis="z", lower=0, upper=1)
    found = find_faults(kit.build())
    assert any("leaf" in fault and "wall" in fault and "at rest" not in fault for fault in found)


def test_a_drawer_pulled_out_of_its_rail_comes_apart(kit):
    color = kit.material("wood")
    kit.link("rail", paint(color, pipe((0, 0, 0.5), (0, -0.4, 0.5), 0.06, 0.01)))
    kit.link("bar", paint(color, rod((0, -0.02, 0.5), (0, -0.38, 0.5), 0.046)))
    kit.slide("rail", "bar", axis="-y", upper=0.3)
    assert find_faults(kit.build()) == []
    kit.joints["bar"].upper = 0.5
    assert any("away from rail" in fault for fault in find_faults(kit.build()))


def test_links_sunk_into_each_other_at_rest_are_found(kit):
    color = kit.material("wood")
    kit.link("a", paint(color, block((1, 1, 1))))
    kit.link("b", paint(color, block((0.5, 0.5, 0.5), (0.4, 0, 0))))
    kit.slide("a", "b", axis="x", upper=0.1)
    assert any("sunk" in fault for fault in find_faults(kit.build()))


def test_a_soft_piece_that_is_torn_is_found(kit):
    path = np.stack([np.zeros(20), np.zeros(20), np.linspace(0, 1, 20)], axis=1)
    kit.link("pot", paint(kit.material("clay"), block((0.3, 0.3, 0.1), (0, 0, -0.05))))
    stalk = paint(kit.material("leaf"), tube(path, 0.02))
    kit.bend("stalk", "pot", stalk, path, axis="x", lower=0, upper=25)
    assert find_faults(kit.build()) == []
    kit.joints["stalk_1"].upper = np.radians(170)
    assert find_faults(kit.build())


def test_not_a_number_and_too_many_faces_are_found(kit):
    cube = block((1, 1, 1))
    kit.link("a", paint(kit.material("wood"), cube.with_vertices(np.where(cube.vertices > 0.4, np.nan, cube.vertices))))
    kit.link("b", paint(kit.material("wood"), block((1, 1, 1))))
    kit.slide("a", "b", axis="x", upper=0.1)
    assert "finite" in find_faults(kit.build())[0]
    other = Kit("thing", np.random.default_rng(0))
    other.link("a", paint(other.material("wood"), *[block((1, 1, 1), cells=30)] * 3))
    assert "faces" in find_faults(other.build())[0]


def test_the_kit_refuses_what_makes_no_tree(kit):
    kit.link("a", paint(kit.material("wood"), block((1, 1, 1))))
    with pytest.raises(ValueError, match="two links"):
        kit.link("a")
    with pytest.raises(ValueError, match="make both links first"):
        kit.slide("a", "b", axis="x", upper=1.0)
    kit.bone("b")
    with pytest.raises(ValueError, match="must contain rest"):
        kit.hinge("a", "b", at=(0, 0, 0), axis="x", lower=10, upper=20)


def _stalks(kit, apart):
    """Two soft stalks this far apart [m] that lean by themselves, each as far as 3 x 12 degrees."""
    kit.link("foot", paint(kit.material("wood"), block((1.5, 0.5, 0.1), (0, 0, -0.05))))
    for side, x in (("left", -0.5 * apart), ("right", 0.5 * apart)):
        path = np.linspace((x, 0, -0.01), (x, 0, 1.0), 14)
        stalk = paint(kit.material("leaf"), tube(path, 0.04))
        kit.bend(f"stalk_{side}", "foot", stalk, path, axis="y", lower=-12, upper=12)
    return kit.build()


def test_soft_pieces_that_bend_into_each_other_are_found(kit):
    found = find_faults(_stalks(kit, 0.15))
    assert any("sinks into soft ones" in fault for fault in found)
    assert find_faults(_stalks(Kit("thing", np.random.default_rng(0)), 1.3)) == []


def test_a_soft_piece_that_bends_into_itself_is_found(kit):
    """A hook whose end curls back through its own stem."""
    turn = np.linspace(0, np.pi, 25)[1:]
    bow = np.stack([0.15 - 0.15 * np.cos(turn), 0 * turn, 1.0 + 0.15 * np.sin(turn)], axis=1)
    tip = np.linspace(bow[-1], bow[-1] - (0, 0, 0.7), 12)[1:]
    path = np.concatenate([np.linspace((0, 0, 0), (0, 0, 1), 14), bow, tip])
    for limit, sound in ((3.0, True), (25.0, False)):
        own = Kit("thing", np.random.default_rng(0))
        own.link("foot", paint(own.material("wood"), block((0.5, 0.5, 0.1), (0, 0, -0.05))))
        hook = paint(own.material("leaf"), tube(path, 0.05))
        own.bend("hook", "foot", hook, path, axis="y", lower=0, upper=limit, bones=4)
        assert (not any("sinks into soft ones" in fault for fault in find_faults(own.build()))) == sound
