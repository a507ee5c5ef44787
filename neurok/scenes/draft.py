"""A scene while it is read from words, and what it becomes where nobody says more."""

import re
from dataclasses import dataclass, field, replace

from neurok.scenes.request import FLOOR, SUPPORTS, SceneRelation, ThingRequest
from neurok.scenes.vocabulary import FLOOR_KINDS, SMALL_SORTS


@dataclass
class SceneDraft:
    """A scene while it is read. group: the things of the present list; owner: of 'with'; last: named last."""

    things: list[ThingRequest] = field(default_factory=list)
    kinds: dict[str, tuple[str, ...]] = field(default_factory=dict)
    relations: list[SceneRelation] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    group: list[str] = field(default_factory=list)
    owner: str = ""
    last: str = ""
    related: bool = False  # whether the group already has a relation, so that 'and' begins another


def change_thing(
    found: SceneDraft, name: str, *, source: str | None = None, opened: tuple[tuple[str, float], ...] | None = None
) -> None:
    """Say something else of a thing: its source, or what of it is open."""
    place = next(i for i, thing in enumerate(found.things) if thing.name == name)
    old = found.things[place]
    found.things[place] = replace(
        old, source=old.source if source is None else source, opened=old.opened if opened is None else opened
    )


def complete_relations(found: SceneDraft) -> list[SceneRelation]:
    """The relations with what nobody says: a thing of a table's list stands on it, a chair before it."""
    told = [r for r in found.relations if r.word != "?"]
    for relation in (r for r in found.relations if r.word == "?"):
        own = [r for r in told if r.subject == relation.subject]
        beside = any(r.word not in SUPPORTS and r.word != "facing" for r in own)
        kinds, owner = found.kinds[relation.subject], found.kinds[relation.other]
        if any(r.word in SUPPORTS or (beside and r.other == relation.other) for r in own):
            continue
        if beside and kinds[0] in FLOOR_KINDS:
            continue
        if owner[0] == "rail":
            told.append(SceneRelation("hanging from", relation.subject, relation.other))
        elif kinds[0] in FLOOR_KINDS:
            word = "in front of" if "chair" in kinds[0] else "beside"
            told.append(SceneRelation(word, relation.subject, relation.other))
        else:
            told.append(SceneRelation("on", relation.subject, relation.other))
    _share_supports(found, told)
    _choose_sorts(found, told)
    return list(dict.fromkeys(told))


def _share_supports(found: SceneDraft, told: list[SceneRelation]) -> None:
    """What a thing on a table stands beside is on the table, too."""
    for _ in found.things:
        for relation in list(told):
            own = next((r for r in told if r.subject == relation.subject and r.word in ("on", "in")), None)
            other = relation.other
            if relation.word in SUPPORTS or own is None or other in (FLOOR, own.other):
                continue
            if not any(r.subject == other for r in told) and found.kinds[other][0] not in FLOOR_KINDS:
                told.append(SceneRelation(own.word, other, own.other, own.part))


def _choose_sorts(found: SceneDraft, told: list[SceneRelation]) -> None:
    """A clock on a shelf is none of those that stand on the floor."""
    for relation in told:
        name = re.sub(r"_\d+$", "", relation.subject)
        if relation.word == "on" and name in SMALL_SORTS and relation.other != FLOOR:
            thing = next(t for t in found.things if t.name == relation.subject)
            change_thing(found, thing.name, source=re.sub(rf"\b{name}\b", SMALL_SORTS[name], thing.source))
