"""Which joint a word means, and what its range is."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.errors import InputError
from neurok.generate.parts import PART_WORDS, means, singular
from neurok.geometry.articulation import Articulation
from neurok.scenes.thing import SceneThing

# What opens, the likeliest first.
OPENING_WORDS = ("drawer", "door", "lid", "flap", "leaf", "cover", "tray", "cap", "head", "upper half", "blade")


def find_coordinates(articulation: Articulation, word: str) -> list[int]:
    """The coordinates of joints that a word means: by its whole name, else 'drawer' for drawer_1, drawer_2..."""
    names = articulation.coordinate_names
    spaced = word.strip().replace(" ", "_")
    exact = [i for i, name in enumerate(names) if name in (word, spaced)]
    if exact:
        return exact
    plain = singular(word.strip().lower().replace("_", " "))
    for other in (plain, *PART_WORDS.get(plain, ())):
        found = [i for i, name in enumerate(names) if means(name, other) or means(_name_child(articulation, i), other)]
        if found:
            return found
    return []


def _name_child(articulation: Articulation, coordinate: int) -> str:
    freedom = articulation.freedoms[articulation.coordinate_freedoms[coordinate]]
    return articulation.links[articulation.joints[freedom.joint].child].name


def find_opening(articulation: Articulation) -> list[int]:
    """The coordinates of what opens first of OPENING_WORDS; else of the joint with the largest range."""
    for word in OPENING_WORDS:
        found = [i for i in find_coordinates(articulation, word) if np.ptp(find_range(articulation, i)) > 0]
        if found:
            return found
    count = len(articulation.coordinate_freedoms)
    return [max(range(count), key=lambda i: float(np.ptp(find_range(articulation, i))))] if count else []


def name_openings(articulation: Articulation) -> list[str]:
    """The joints of all that opens: of a washing machine its door and its drawer."""
    found = {i for word in OPENING_WORDS for i in find_coordinates(articulation, word)}
    return [articulation.coordinate_names[i] for i in sorted(found)]


def find_range(articulation: Articulation, coordinate: int) -> tuple[float, float]:
    """Shut and open: the end nearer to zero and the other one [rad or m]; a joint without limits turns half round."""
    freedom = articulation.freedoms[articulation.coordinate_freedoms[coordinate]]
    lower = freedom.lower if np.isfinite(freedom.lower) else -np.pi
    upper = freedom.upper if np.isfinite(freedom.upper) else np.pi
    return (lower, upper) if abs(upper) >= abs(lower) else (upper, lower)


def choose_topmost(articulation: Articulation, found: Sequence[int]) -> int:
    """Of several coordinates the one of the highest part: what a person sees first."""
    heights = []
    for coordinate in found:
        child = articulation.joints[articulation.freedoms[articulation.coordinate_freedoms[coordinate]].joint].child
        own = articulation.mesh.vertices[articulation.vertex_link == child]
        heights.append(float(own[:, 2].mean()) if len(own) else -np.inf)
    return found[int(np.argmax(np.round(heights, 4)))]


def open_joints(thing: SceneThing, opened: tuple[tuple[str, float], ...]) -> SceneThing:
    """The thing with joints moved to a share of their range; '' stands for what opens first, '*' for all of that."""
    state = np.array(thing.state)
    for word, share in opened:
        if not 0.0 <= share <= 1.0:
            raise InputError(f"'{thing.name}' should be open by {share:g}", "give a share from 0 to 1")
        found = (
            find_coordinates(thing.articulation, word) if word not in ("", "*") else find_opening(thing.articulation)
        )
        if not found and word != "*":
            raise lacks_joint(thing, word)
        for chosen in found if word == "*" else [choose_topmost(thing.articulation, found)]:
            shut, wide = find_range(thing.articulation, chosen)
            state[chosen] = shut + share * (wide - shut)
    return replace(thing, state=state)


def lacks_joint(thing: SceneThing, word: str) -> InputError:
    """The fault of a joint that a thing has not."""
    names = thing.articulation.coordinate_names
    remedy = f"its joints are: {', '.join(names[:20])}" if names else "it has no joints"
    return InputError(f"'{thing.name}' has no joint '{word or 'that opens'}'", remedy)
