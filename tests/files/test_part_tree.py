"""Trees of parts that are stated in files, and names that must be told apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurok.errors import OutputError
from neurok.files.names import make_unique
from neurok.files.part_tree import order_parents_first, parse_parts
from neurok.geometry.mesh import Part


@given(st.lists(st.integers(-2, 8), max_size=8))
def test_stated_parts_are_a_forest_or_nothing(parents):
    names = [str(index) for index in range(len(parents))]

    def is_rooted(part: int) -> bool:
        seen = set()
        while part != -1:
            if part in seen or not 0 <= part < len(parents):
                return False
            seen.add(part)
            part = parents[part]
        return True

    stated = parse_parts(names, parents)
    assert (stated is not None) == all(map(is_rooted, range(len(parents))))
    parts = [Part(name, parent) for name, parent in zip(names, parents)]
    if stated is None:
        with pytest.raises(OutputError, match="circle"):
            order_parents_first(parts)
        return
    order = order_parents_first(parts)
    assert sorted(order) == list(range(len(parents)))
    assert all(parents[part] == -1 or order.index(parents[part]) < order.index(part) for part in order)


@given(st.lists(st.sampled_from(["a", "b", "a_2", "a_3", "a_2_2", ""])))
def test_unique_names_keep_the_first_of_each(names):
    told = make_unique(names)
    assert len(set(told)) == len(names)
    assert all(after.startswith(before) for before, after in zip(names, told))
    assert all(told[names.index(name)] == name or name in told[: names.index(name)] for name in names)
