"""The tree of a mesh's parts, as writers walk it and as a table in a file states it."""

from collections.abc import Sequence

from neurok.errors import OutputError
from neurok.geometry.mesh import Part


def order_parents_first(parts: Sequence[Part]) -> list[int]:
    """The parts in depth-first order, children in theirs; an error where they are no forest."""
    order = _order_depth_first(parts)
    if len(order) != len(parts):
        raise OutputError("the parts of the mesh hang on each other in a circle", "give each part a parent above it")
    return order


def parse_parts(names: Sequence[str], parents: Sequence[int]) -> tuple[Part, ...] | None:
    """Parts by their names and parents; None where those are no forest."""
    if len(names) != len(parents):
        return None
    parts = tuple(Part(str(name), int(parent)) for name, parent in zip(names, parents))
    return parts if len(_order_depth_first(parts)) == len(parts) else None


def _order_depth_first(parts: Sequence[Part]) -> list[int]:
    """The parts that can be reached from those without a parent."""
    children: dict[int, list[int]] = {}
    for index, part in enumerate(parts):
        children.setdefault(part.parent, []).append(index)
    order, stack = [], children.get(-1, [])[::-1]
    while stack:
        order.append(stack.pop())
        stack += children.get(order[-1], [])[::-1]
    return order
