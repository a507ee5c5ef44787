"""From words to a scene: things, what stands where, and what is open.

A text is cut at its joints, which are commas, "and", "with" and the words of relations. Between them are segments, each
of which names a thing of the scene: a kind that there is a program for, a piece of furniture, a drawer, or one that was
named before ("it", "the kettle"). A segment that names none says more about the thing before it where that thing has
such a part; else it is refused.
"""

import re

from neurok.errors import InputError
from neurok.generate.grammar import FILLERS, NUMBERS
from neurok.generate.kinds import find_nearest_names, index_names
from neurok.generate.looks import COLOUR_WORDS, COLOURS, SHADE_WORDS, SUBSTANCE_WORDS, SUBSTANCES
from neurok.generate.parts import find_word, singular
from neurok.generate.programs import read_card
from neurok.scenes.draft import SceneDraft, change_thing, complete_relations
from neurok.scenes.furniture import FURNITURE_NAMES
from neurok.scenes.request import FLOOR, MAX_THINGS, SUPPORTS, SceneRelation, SceneRequest, ThingRequest
from neurok.scenes.vocabulary import (
    JOINTS,
    MAX_TEXT,
    OPEN_WORDS,
    OWNERS,
    PRONOUNS,
    RELATION_WORDS,
    SIZE_PATTERN,
    SURROUNDINGS,
)


def parse_scene(text: str, seed: int = 0) -> SceneRequest:
    """The scene in a text; an InputError where there is none that can be made."""
    _check_text(text)
    found = SceneDraft()
    joint, pending = "", ""
    for sort, words in cut_text(text):
        if sort == "joint":
            if words in RELATION_WORDS:
                if pending:  # two relations side by side, 'standing' 'on': the second holds
                    pending = ""
                pending = RELATION_WORDS[words]
            else:
                if pending and words in ("and", ",", ".", ";"):
                    _end_relation(found, pending)
                    pending = ""
                joint = words if words in OWNERS or words == "." or joint not in OWNERS else joint
                if words == ".":
                    found.owner, found.group, found.last, found.related = "", [], "", False
        else:
            _read_segment(found, words, joint, pending)
            joint, pending = "", ""
    if pending:
        _end_relation(found, pending)
    if not found.things:
        raise InputError(
            "the text names no things for a scene", "name some, for example: a table with a lamp and a laptop"
        )
    return SceneRequest(
        text.strip(), tuple(found.things), tuple(complete_relations(found)), seed, tuple(dict.fromkeys(found.ignored))
    )


def _check_text(text: str) -> None:
    if not text.strip():
        raise InputError("the scene is empty", "say what it holds, for example: a table with a lamp and a laptop")
    if len(text) > MAX_TEXT:
        raise InputError(f"the text has {len(text)} characters", f"say it in {MAX_TEXT} at most, or write a file")
    if not re.search(r"[A-Za-z]{2}", text):
        raise InputError("the text holds no words", "say in English what the scene holds")


def cut_text(text: str) -> list[tuple[str, str]]:
    """Joints and the segments between them, in order: ('joint', 'on'), ('segment', 'a table')."""
    plain = re.sub(r"[^a-z0-9,.;_ ]", " ", text.lower().replace("-", " ").replace("'s ", " is "))
    plain = re.sub(r"(?<=\d)\.(?=\d)", "#", plain)
    plain = re.sub(SIZE_PATTERN, lambda m: m[0].replace(" ", "_"), plain)
    for name in sorted((n for n in _list_names() if " " in n), key=len, reverse=True):
        plain = re.sub(rf"\b{re.escape(name)}(s|es)?\b", lambda m: m[0].replace(" ", "_"), plain)
    joints = sorted([*RELATION_WORDS, *JOINTS], key=len, reverse=True)
    pattern = re.compile(r"([,.;]|\b(?:" + "|".join(re.escape(j) for j in joints) + r")\b)")
    found = []
    for place, piece in enumerate(pattern.split(plain)):
        words = piece.replace("#", ".").strip()
        if words:
            found.append(("joint" if place % 2 else "segment", words if words != ";" else "."))
    return found


def _list_names() -> list[str]:
    return [*index_names(), *(name for names in FURNITURE_NAMES.values() for name in names)]


def _read_segment(found: SceneDraft, words: str, joint: str, relation: str) -> None:
    tokens = words.split()
    noun = next((t for t in reversed(tokens) if _find_noun(t)), None)
    if noun is None or _is_part(found, noun, joint, relation):
        _read_rest(found, tokens, joint, relation)
        return
    name = singular(noun.replace("_", " "))
    before = tokens[: len(tokens) - 1 - tokens[::-1].index(noun)]
    after = tokens[len(before) + 1 :]
    old = _find_old(found, name, before)
    if name in PRONOUNS:
        old = found.owner or (found.things[0].name if found.things else "")
    if name in SURROUNDINGS:
        old = FLOOR
    part = "drawer" if name == "drawer" and old else ""
    if len(before) > 1 and before[-1] in ("of", "a", "the") and "of" in before and "drawer" in before:
        part, before = "drawer", before[before.index("of") :]
    names = [old] if old else _add_things(found, name, before, after, plural=name != noun.replace("_", " "))
    if part:
        _open_part(found, names[0], part, tokens, new=not old)
    _relate(found, names, joint, relation, part=part, new=not old)
    found.last = names[-1] if names[-1] != FLOOR else found.last


def _open_part(found: SceneDraft, name: str, part: str, tokens: list[str], *, new: bool) -> None:
    """What 'the open drawer of a cabinet' says of the cabinet: that it has one, and that it is open."""
    thing = next(t for t in found.things if t.name == name)
    share = _find_opening(tokens)
    if share is not None:
        change_thing(found, name, opened=((part, share),))
    if new and part not in thing.source:
        change_thing(found, name, source=f"{thing.source} with a {part}")


def _find_noun(token: str) -> str | None:
    """The kind, piece or reference that a token names."""
    word = singular(token.replace("_", " "))
    known = word in index_names() or token.replace("_", " ") in index_names()
    piece = any(word in names or token.replace("_", " ") in names for names in FURNITURE_NAMES.values())
    return word if known or piece or word in SURROUNDINGS or word in PRONOUNS or word == "drawer" else None


def _find_old(found: SceneDraft, name: str, before: list[str]) -> str:
    """The thing that 'the kettle' or 'its drawer' speaks of; '' for a new one."""
    if not {"the", "its", "this", "that"}.intersection(before):
        return ""
    for thing in reversed(found.things):
        if re.sub(r" \d+$", "", thing.name.replace("_", " ")) == name:
            return thing.name
    if name == "drawer":
        for thing in reversed(found.things):
            if any(_has_part(kind, "drawer") for kind in found.kinds[thing.name]):
                return thing.name
    return ""


def _has_part(kind: str, word: str) -> bool:
    return kind not in FURNITURE_NAMES and find_word(read_card(kind), word) is not None


def _is_part(found: SceneDraft, noun: str, joint: str, relation: str) -> bool:
    """Whether a word after 'with' is a part of the thing before it: the door of a cabinet, not a door."""
    if relation or not found.last:
        return False
    word = singular(noun.replace("_", " "))
    return any(_has_part(kind, word) for kind in found.kinds[found.last]) and word not in (
        "box",
        "pot",
        "bucket",
        "flag",
    )


def _read_rest(found: SceneDraft, tokens: list[str], joint: str, relation: str) -> None:
    """A segment that names no thing: more about the thing before it, or a word that nobody knows."""
    plain = [t for t in tokens if t not in FILLERS]
    opened = _find_opening(tokens)
    said = [t for t in plain if t not in " ".join(OPEN_WORDS).split()]
    if not said:
        if opened is not None and found.last:
            change_thing(found, found.last, opened=(("", opened),))
        return
    last = found.last
    kinds = found.kinds.get(last, ())
    word = singular(said[-1].replace("_", " "))
    if last and any(_has_part(kind, word) for kind in kinds):
        thing = next(t for t in found.things if t.name == last)
        link = " with " if " with " not in thing.source else " and "
        change_thing(
            found,
            last,
            source=f"{thing.source}{link}{' '.join(t.replace('_', ' ') for t in tokens if t not in OPEN_WORDS)}",
        )
        if opened is not None:
            change_thing(found, last, opened=((word, opened),))
        return
    if all(_is_modifier(t) for t in said) and last:
        found.ignored += said
        return
    near = ", ".join(find_nearest_names(word))
    raise InputError(f"there is no '{word[:40]}' to put into a scene",
                     f"the nearest kinds are {near}; furniture is: {', '.join(FURNITURE_NAMES)}")  # fmt: skip


def _is_modifier(token: str) -> bool:
    word = token.replace("_", " ")
    known = {*COLOURS, *COLOUR_WORDS, *SUBSTANCES, *SUBSTANCE_WORDS, *SHADE_WORDS, *NUMBERS, *FILLERS}
    return word in known or bool(
        re.fullmatch(r"\d[\d.]* ?[a-z]+( [a-z]+)?|wide|tall|high|deep|long|one|other|left|right", word)
    )


def _find_opening(tokens: list[str]) -> float | None:
    text = " ".join(tokens)
    found = [word for word in sorted(OPEN_WORDS, key=len, reverse=True) if re.search(rf"\b{word}\b", text)]
    return OPEN_WORDS[found[0]] if found else None


def _add_things(found: SceneDraft, name: str, before: list[str], after: list[str], *, plural: bool) -> list[str]:
    """New things of one name, as many as are asked for; their names."""
    numbers = [int(t) if t.isdigit() else NUMBERS[t] for t in before if t.isdigit() or t in NUMBERS]
    several = plural and not (name.endswith("s") and name in index_names())
    count = numbers[-1] if numbers and (several or numbers[-1] != 1) else 2 if several and not numbers else 1
    if not 1 <= count <= MAX_THINGS:
        raise InputError(f"{count} of '{name}' are asked for", f"ask for 1 to {MAX_THINGS}")
    opened = _find_opening([*before, *after])
    said = [t.replace("_", " ") for t in before if t not in NUMBERS and not t.isdigit() and t not in OPEN_WORDS
            and t not in ("half", "wide", "slightly") and t not in FILLERS]  # fmt: skip
    kinds = _find_kinds(name)
    piece = kinds[0] in FURNITURE_NAMES
    unknown = [t for t in said if not _is_modifier(t)]
    found.ignored += [*unknown, *(t for t in after if not _is_modifier(t) and t not in OPEN_WORDS)]
    what = (
        name
        if piece
        else " ".join(["a", *(t for t in said if t not in unknown), "drawer cabinet" if name == "drawer" else name])
    )
    if piece:
        found.ignored += [t for t in said if t not in unknown]
    stem = name.replace(" ", "_")
    taken = sum(re.sub(r"_\d+$", "", thing.name) == stem for thing in found.things)
    names = [stem if count == 1 and not taken and k == 0 else f"{stem}_{taken + k + 1}" for k in range(count)]
    for each in names:
        share = () if opened is None else ((("drawer" if name == "drawer" else ""), opened),)
        found.things.append(ThingRequest(each, what, opened=share))
        found.kinds[each] = kinds
    if len(found.things) > MAX_THINGS:
        raise InputError(f"the scene has {len(found.things)} things", f"ask for {MAX_THINGS} at most")
    return names


def _find_kinds(name: str) -> tuple[str, ...]:
    if name == "drawer":
        return ("drawer_cabinet",)
    piece = next((piece for piece, names in FURNITURE_NAMES.items() if name in names), None)
    return (piece,) if piece is not None else tuple(index_names()[name])


def _relate(found: SceneDraft, names: list[str], joint: str, relation: str, *, part: str, new: bool) -> None:
    """What the joint before a thing says about it and those before it."""
    if relation:
        subjects = found.group or ([t.name for t in found.things if t.name not in names][-1:])
        if not new and names[0] == found.owner:  # 'a lamp and a chair before it': only the chair
            subjects = subjects[-1:]
        if not new and names[0] in subjects:  # 'a kettle and a cup on the kettle': only the cup
            subjects = subjects[-1:]
        carried = {r.subject for r in found.relations if r.word in SUPPORTS}
        if new and relation in SUPPORTS and carried.intersection(subjects) and found.last not in carried:
            subjects = [found.last]  # 'a bottle on a box on a table': the box
        for subject in subjects:
            for other in names[:1]:
                if subject != other and not (other == FLOOR and relation == "in"):
                    found.relations.append(
                        SceneRelation("on" if other == FLOOR and relation == "in" else relation, subject, other, part)
                    )
        found.related = True
        if not found.group:
            found.group = [name for name in names if name != FLOOR]
        return
    if joint in OWNERS and found.things and new:
        found.owner = found.last or next((t.name for t in found.things if t.name not in names), "")
        found.group, found.related = list(names), False
        _note_owner(found, names)
        return
    if not new:
        found.group, found.related = [name for name in names if name != FLOOR], False
        return
    if found.related or not found.group:
        found.group = list(names)
    else:
        found.group = [*found.group, *names]
    found.related = False
    _note_owner(found, names)


def _note_owner(found: SceneDraft, names: list[str]) -> None:
    """What was listed after 'with' belongs to the thing before it, unless something else is said of it."""
    if found.owner and found.owner != FLOOR:
        found.relations += [SceneRelation("?", name, found.owner) for name in names if name != found.owner]


def _end_relation(found: SceneDraft, relation: str) -> None:
    """A relation without a second thing, 'an open drawer below': to the owner of the list, or the first thing."""
    other = found.owner or (found.things[0].name if found.things else "")
    subject = found.group[-1] if found.group else ""
    if subject and other and subject != other:
        found.relations.append(SceneRelation(relation, subject, other))
        found.related = True
