"""What a scene should hold: things, how they stand to each other, and a seed."""

from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter

from neurok.errors import InputError

FLOOR = "floor"  # the name of what everything stands on in the end
SUPPORTS = ("on", "in", "below", "hanging from")  # relations that say what carries the subject
SIDES = ("left of", "right of", "behind", "in front of", "beside")  # relations that say where beside it
RELATIONS = (*SUPPORTS, *SIDES, "facing")
MAX_THINGS = 40  # of a scene: more do not settle in a time that anybody waits


@dataclass(frozen=True)
class ThingRequest:
    """One thing of a scene.

    source: words for a program, the name of a piece of furniture, or a path. scale: of a file or a made object.
    turn: degrees about the upward axis, None where the scene may choose. place: x, y and perhaps z [m].
    opened: (name of a joint or part, or '' for whatever opens; share of its range). held: whether it is fastened.
    """

    name: str
    source: str
    scale: float = 1.0
    turn: float | None = None
    place: tuple[float, ...] | None = None
    opened: tuple[tuple[str, float], ...] = ()
    held: bool | None = None


@dataclass(frozen=True)
class SceneRelation:
    """The subject stands to another thing as a word of RELATIONS says; part: of the other one, a drawer or a shelf."""

    word: str
    subject: str
    other: str
    part: str = ""

    def describe(self) -> str:
        other = f"the {self.part} of {self.other}" if self.part else self.other
        return f"{self.subject} {self.word} {other}"


@dataclass(frozen=True)
class SceneRequest:
    """A scene as it was understood; ignored: words without a meaning here. assumed: what was added, in words."""

    text: str
    things: tuple[ThingRequest, ...]
    relations: tuple[SceneRelation, ...] = ()
    seed: int = 0
    ignored: tuple[str, ...] = field(default=())

    def find_support(self, name: str) -> SceneRelation | None:
        """What carries a thing, as it was said."""
        return next((r for r in self.relations if r.subject == name and r.word in SUPPORTS), None)


def check_request(request: SceneRequest) -> SceneRequest:
    """The same request, its things in an order in which each comes after all it depends on; a fault as one sentence."""
    names = [thing.name for thing in request.things]
    if not names:
        raise InputError("the scene holds no things", "name some, for example: a table with a lamp and a laptop")
    if len(names) > MAX_THINGS:
        raise InputError(f"the scene has {len(names)} things", f"ask for {MAX_THINGS} at most")
    twice = next((name for name in names if names.count(name) > 1 or name == FLOOR), None)
    if twice is not None:
        raise InputError(f"two things are called '{twice}'", "give each its own name")
    _check_relations(request, names)
    order = _find_order(request, names)
    return replace(request, things=tuple(sorted(request.things, key=lambda thing: order.index(thing.name))))


def _check_relations(request: SceneRequest, names: list[str]) -> None:
    for relation in request.relations:
        if relation.word not in RELATIONS:
            raise InputError(f"a relation '{relation.word[:40]}'", f"use one of: {', '.join(RELATIONS)}")
        for name in (relation.subject, relation.other):
            if name not in (*names, FLOOR) or (name == FLOOR and name == relation.subject):
                raise InputError(f"a relation speaks of '{name[:40]}', which is not in the scene",
                                 f"the things are: {', '.join(names)}")  # fmt: skip
    for name in names:
        found = [r for r in request.relations if r.subject == name and r.word in SUPPORTS]
        if len(found) > 1:
            raise InputError(f"'{found[0].describe()}' and '{found[1].describe()}' cannot both be", "choose one")


def _find_order(request: SceneRequest, names: list[str]) -> list[str]:
    graph: dict[str, list[str]] = {name: [] for name in names}
    for relation in request.relations:
        if relation.other != FLOOR:
            graph[relation.subject].append(relation.other)
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as fault:
        round_trip = " -> ".join(fault.args[1])
        raise InputError(f"the relations go round in a circle ({round_trip})", "leave one of them out") from None
