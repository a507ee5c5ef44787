"""What an agent is told to do, in words: open drawer_1, close door of cabinet, push kettle left 10 cm, lift box."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from neurok.errors import InputError, OptionError
from neurok.scenes.openings import choose_topmost, find_coordinates, find_opening, find_range, lacks_joint
from neurok.scenes.request import FLOOR
from neurok.scenes.thing import PlacedThing

VERBS = {
    "open": "open", "pull out": "open", "close": "close", "shut": "close", "push in": "close", "turn": "turn",
    "set": "turn", "push": "push", "pull": "pull", "lift": "lift", "raise": "lift", "pick up": "lift",
}  # fmt: skip
WAYS = {"left": (-1, 0), "right": (1, 0), "back": (0, 1), "backward": (0, 1), "away": (0, 1), "forward": (0, -1),
        "forwards": (0, -1), "front": (0, -1)}  # fmt: skip
USUAL_PUSH, USUAL_LIFT = 0.10, 0.15  # [m]
MAX_WAY = 2.0  # [m] of a push or a lift
MAX_ACTION = 200  # characters
EXAMPLE = "say for example 'open drawer_1', 'close door of cabinet', 'push kettle left 10 cm' or 'lift box'"


@dataclass(frozen=True)
class AgentAction:
    """One thing to do. verb: open, close, turn, push, pull or lift. coordinate: of the thing, for the first three,
    from start to goal [rad or m]. way: of the others, [3] in metres."""

    text: str
    verb: str
    thing: str
    coordinate: int = -1
    goal: float = 0.0
    way: tuple[float, float, float] = (0.0, 0.0, 0.0)


def parse_action(text: str, placed: Sequence[PlacedThing]) -> AgentAction:
    """The action of a sentence in a scene; an OptionError where it cannot be understood there."""
    plain = re.sub(r"\s+", " ", text.lower().replace("%", " percent ")).strip(" .")
    if not plain or len(plain) > MAX_ACTION:
        raise OptionError("an action is empty or longer than a sentence", EXAMPLE)
    verb = next((v for v in sorted(VERBS, key=len, reverse=True) if plain == v or plain.startswith(v + " ")), None)
    if verb is None:
        raise OptionError(f"nobody knows how to '{plain[:40]}'", f"{EXAMPLE}; the verbs are: {', '.join(VERBS)}")
    rest = re.sub(r"\b(the|a|an)\b", " ", plain[len(verb) :])
    rest, share, length = _take_amounts(rest)
    way = next((word for word in WAYS if re.search(rf"\b{word}\b", rest)), None)
    if VERBS[verb] in ("push", "pull", "lift"):
        rest = re.sub(r"\b(" + "|".join(WAYS) + r"|to|by|up|it|down)\b", " ", rest)
        return _move_thing(text, VERBS[verb], " ".join(rest.split()), length, way, placed)
    return _move_joint(text, VERBS[verb], " ".join(re.sub(r"\b(to|by)\b", " ", rest).split()), share, placed)


def _take_amounts(rest: str) -> tuple[str, float | None, float | None]:
    """The words without their numbers, a share of a range, and a length [m]."""
    share = re.search(r"(\d+(?:\.\d+)?) ?percent", rest)
    length = re.search(r"(\d+(?:\.\d+)?) ?(mm|cm|m)\b", rest)
    plain = re.sub(r"\d+(?:\.\d+)? ?(?:percent|mm\b|cm\b|m\b)", " ", rest)
    metres = {"mm": 0.001, "cm": 0.01, "m": 1.0}
    return (
        plain, None if share is None else float(share[1]) / 100.0,
        None if length is None else float(length[1]) * metres[length[2]],
    )  # fmt: skip


def _move_joint(text: str, verb: str, words: str, share: float | None, placed: Sequence[PlacedThing]) -> AgentAction:
    each, coordinate = find_joint(words, placed, text, opened=verb == "close")
    goal = {"open": 1.0, "close": 0.0, "turn": 1.0}[verb] if share is None else share
    if not 0.0 <= goal <= 1.0:
        raise OptionError(f"'{text[:40]}' goes beyond the joint's range", "give a share from 0 to 100 %")
    shut, wide = find_range(each.thing.articulation, coordinate)
    return AgentAction(text, verb, each.name, coordinate, shut + goal * (wide - shut))


def find_joint(
    words: str, placed: Sequence[PlacedThing], text: str, *, opened: bool = False
) -> tuple[PlacedThing, int]:
    """The thing and coordinate of 'drawer_1', 'cabinet/drawer_1', 'door of cabinet' or 'cabinet'.

    Of several that a word means, one that is open where that is wanted, else one that is shut; of these the topmost.
    """
    things = [each for each in placed if each.name != FLOOR]
    part, of, name = words.partition(" of ")
    if not of and "/" in words:
        name, _, part = words.partition("/")
        of = "/"
    if of:
        each = find_thing(name, things)
        found = find_coordinates(each.thing.articulation, part.strip())
        if not found:
            raise lacks_joint(each.thing, part.strip())
        return each, choose_joint(each, found, opened)
    named = [each for each in things if _same(each.name, words)]
    if named:
        found = find_opening(named[0].thing.articulation)
        if not found:
            raise lacks_joint(named[0].thing, "")
        return named[0], choose_joint(named[0], found, opened)
    rows = [(each, found) for each in things if (found := find_coordinates(each.thing.articulation, words))]
    if not words or not rows:
        known = [f"{each.name}/{joint}" for each in things for joint in each.thing.articulation.coordinate_names]
        raise InputError(
            f"nothing in the scene has a joint '{words[:40]}'", f"there are: {', '.join(known[:30]) or 'none'}"
        )
    if len(rows) > 1:
        choice = ", ".join(f"{each.name}/{each.thing.articulation.coordinate_names[found[0]]}" for each, found in rows)
        raise InputError(f"'{text[:60]}' may mean several joints", f"say which: {choice}")
    return rows[0][0], choose_joint(*rows[0], opened)


def choose_joint(each: PlacedThing, found: Sequence[int], opened: bool) -> int:
    """Of several coordinates that a word means, one in the wanted state; the topmost of these."""
    articulation = each.thing.articulation

    def is_open(coordinate: int) -> bool:
        shut, wide = find_range(articulation, coordinate)
        return abs(float(each.thing.state[coordinate]) - shut) > 0.5 * abs(wide - shut)

    fitting = [coordinate for coordinate in found if is_open(coordinate) == opened] or found
    return choose_topmost(articulation, fitting)


def _same(name: str, words: str) -> bool:
    return name.lower().replace("_", " ") == words.strip().replace("_", " ")


def find_thing(words: str, things: Sequence[PlacedThing]) -> PlacedThing:
    """The thing of a name, or the only one whose name begins or ends so."""
    exact = [each for each in things if _same(each.name, words)]
    near = exact or [each for each in things if words and words.strip() in each.name.lower().replace("_", " ").split()]
    if len(near) != 1:
        names = ", ".join(each.name for each in things)
        raise InputError(f"the scene has no single thing '{words.strip()[:40]}'", f"the things are: {names}")
    return near[0]


def _move_thing(
    text: str, verb: str, words: str, length: float | None, way: str | None, placed: Sequence[PlacedThing]
) -> AgentAction:
    each = find_thing(words, [each for each in placed if each.name != FLOOR])
    if each.thing.held:
        raise InputError(f"'{each.name}' is fastened", f"{verb} something that stands freely")
    amount = length if length is not None else (USUAL_LIFT if verb == "lift" else USUAL_PUSH)
    if not 0.0 < amount <= MAX_WAY:
        raise OptionError(f"'{text[:40]}' goes {amount:g} m", f"give up to {MAX_WAY:g} m")
    if verb == "lift":
        return AgentAction(text, verb, each.name, way=(0.0, 0.0, amount))
    x, y = WAYS[way] if way is not None else ((0, 1) if verb == "push" else (0, -1))
    return AgentAction(text, verb, each.name, way=(x * amount, y * amount, 0.0))
