"""Names and numbers as XML holds them."""

import re
from collections.abc import Iterable

from neurok.files.names import make_unique
from neurok.geometry.articulation import Articulation


def make_unique_text(names: Iterable[str]) -> list[str]:
    """Names without what XML cannot hold, each once."""
    return make_unique(clean_xml_text(name) or "unnamed" for name in names)


def clean_xml_text(name: str) -> str:
    """A name without the control characters and half pairs that XML cannot hold."""
    return re.sub(r"[^ -\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]+", "_", name).strip()


def name_freedoms(articulation: Articulation) -> dict[tuple[int, str], str]:
    """(joint, 'turn' or 'slide') -> its name in a file; a joint with one freedom has only the first."""
    keys = [(index, "turn") for index in range(len(articulation.joints))]
    names = [joint.name or f"joint_{index}" for index, joint in enumerate(articulation.joints)]
    for index, joint in enumerate(articulation.joints):
        if joint.kind in ("screw", "cylindrical"):
            keys.append((index, "slide"))
            names.append(f"{names[index]}_slide")
    return dict(zip(keys, make_unique_text(names)))


def format_number(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(value) + 0.0)


def format_numbers(values: Iterable[float]) -> str:
    return " ".join(format_number(value) for value in values)


def widen_range(lower: float, upper: float) -> tuple[float, float]:
    """Limits as simulators understand them: MuJoCo takes an empty range for none at all, so it gets a hair's width."""
    return (lower - 1e-9, upper + 1e-9) if upper - lower < 2e-9 else (lower, upper)
