"""Parts: names that differ, pieces below links, an order from above to below; against plain twins."""

import numpy as np
import pytest

from neurok.geometry.arrays import distinct_rows
from neurok.geometry.mesh import Mesh, Part
from neurok.geometry.parts import find_pieces, name_parts, order_parts


def draw_tree(count, seed):
    """Parts whose parents come before or after them."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(count)
    parents = np.full(count, -1)
    for place in range(1, count):
        parents[order[place]] = order[rng.integers(0, place)] if rng.random() < 0.9 else -1
    return tuple(Part(f"p{i}", int(parent)) for i, parent in enumerate(parents))


@pytest.mark.parametrize("seed", range(5))
def test_every_part_comes_after_the_one_above_it(seed):
    parts = draw_tree(40, seed)
    order = order_parts(parts)
    place = {part: i for i, part in enumerate(order)}
    assert sorted(order) == list(range(40))
    assert all(part.parent < 0 or place[part.parent] < place[i] for i, part in enumerate(parts))


def test_parts_that_hang_on_each_other_are_each_listed_once():
    assert sorted(order_parts((Part("a", 1), Part("b", 0), Part("c", 2)))) == [0, 1, 2]


@pytest.mark.parametrize("seed", range(5))
def test_pieces_are_those_one_level_below_the_top(seed):
    parts = draw_tree(40, seed)

    def climb(index):
        """One after another: the plain twin."""
        while parts[index].parent >= 0 and parts[parts[index].parent].parent >= 0:
            index = parts[index].parent
        return index if parts[index].parent >= 0 else -1

    mesh = Mesh(np.eye(3), np.tile([0, 1, 2], (41, 1)), parts=parts, face_part=np.arange(-1, 40))
    assert find_pieces(mesh).tolist() == [-1, *map(climb, range(40))]


def test_names_of_parts_differ():
    names = ["a", "a", "", "a_1", "a"]
    found = name_parts(np.arange(5), names).names
    assert len(set(found)) == 5 and found[0] == "a"


def test_distinct_rows_are_those_of_numpy():
    rng = np.random.default_rng(0)
    for count in (0, 1, 2, 500):
        rows = rng.integers(-2, 3, (count, 3)).astype(float)
        assert np.array_equal(distinct_rows(rows), np.unique(rows, axis=0))
