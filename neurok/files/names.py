"""Names that must differ from each other."""

from collections.abc import Iterable


def make_unique(names: Iterable[str]) -> list[str]:
    """Each name once: a second 'lid' becomes 'lid_2', or 'lid_3' where there is a 'lid_2' already."""
    taken: dict[str, int] = {}
    result = []
    for name in names:
        free = name
        while free in taken:
            taken[name] += 1
            free = f"{name}_{taken[name]}"
        taken[free] = 1
        result.append(free)
    return result
