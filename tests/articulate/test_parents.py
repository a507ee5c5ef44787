"""Parents lead to the base from every part, whatever was said of them; limits hold rest between them."""

from dataclasses import replace

import numpy as np
import pytest

from neurok.articulate.assemble import Movement
from neurok.articulate.limits import widen_limits
from neurok.articulate.parents import attach_by_contact, break_cycles
from neurok.geometry.mesh import merge
from neurok.geometry.parts import name_parts
from neurok.proposals.sampling import sample_shape
from neurok.proposals.simulator import find_steps
from tests.boxes import place_box

Z = np.array([0.0, 0.0, 1.0])


def _chain(parents: list[int]) -> list[Movement]:
    return [replace(Movement.moving("revolute", Z, np.zeros(3)), parent=parent) for parent in parents]


@pytest.mark.parametrize("parents", [[-1, 2, 1], [-1, 2, 3, 1], [-1, 1, 1], [-1, 0, 1, 2], [1, 2, -1]])
def test_every_part_comes_to_the_base(parents):
    base = parents.index(-1)
    found = break_cycles(_chain(parents), base)
    for part in range(len(found)):
        here = part
        for _ in found:
            here = here if found[here].parent < 0 else found[here].parent
        assert here == base


def test_parents_without_cycles_stay_as_they_are():
    parents = [-1, 0, 1, 1, 3]
    assert [movement.parent for movement in break_cycles(_chain(parents), 0)] == parents


def test_a_fixed_part_of_which_nothing_is_known_has_no_axis():
    with pytest.raises(ValueError, match="no axis"):
        _ = Movement.fixed().screw


@pytest.mark.parametrize("turns, whole", [(True, np.pi), (False, 0.3)])
def test_the_free_way_is_tried_in_even_steps_up_to_its_end(turns, whole):
    steps = find_steps(0.3, turns)
    assert steps[-1] == pytest.approx(whole) and np.allclose(np.diff(steps, prepend=0.0), steps[0])


@pytest.mark.parametrize("lower, upper", [(0.2, 0.5), (-0.5, -0.2), (0.0, 0.0), (0.3, -0.3)])
def test_widened_limits_hold_rest_and_are_never_narrower(lower, upper):
    low, high = widen_limits(lower, upper, 0.1)
    assert low <= 0.0 <= high and high - low >= 0.1 - 1e-12
    assert low <= min(lower, upper) and high >= max(lower, upper)


def test_parts_hang_on_what_leads_to_the_base():
    # A foot, a thin arm on it, a large head on the arm with a knob on it, and a block that touches nothing.
    boxes = [place_box(2, 2, 0.2, 0, 0, 0), place_box(0.1, 0.1, 1, 0, 0, 0.6), place_box(1, 1, 0.6, 0, 0, 1.4),
             place_box(0.1, 0.1, 0.1, 0, 0, 1.75), place_box(0.2, 0.2, 0.2, 3, 0, 0)]  # fmt: skip
    mesh = merge(boxes)
    label = np.repeat(np.arange(5), [each.face_count for each in boxes])
    whole = sample_shape(mesh, name_parts(label, ["foot", "arm", "head", "knob", "block"]))
    turn = Movement.moving("revolute", Z, np.zeros(3))
    movements = [Movement.fixed(), turn, turn, Movement.fixed(), Movement.fixed()]
    assert [move.parent for move in attach_by_contact(whole, movements)] == [-1, 0, 1, 2, 0]
