"""From words to a request: a small grammar of counts, parts, materials, colours, sizes and negations.

A prompt is a head, "a wooden cabinet", and clauses, "with two drawers and a glass door". In a clause, words before a
noun speak of it ("two red doors"), and so do words after it that begin with is, of, in or made ("a door of glass").
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from neurok.errors import InputError
from neurok.generate.kinds import SORTS, find_nearest_names, index_names, list_kinds
from neurok.generate.looks import COLOUR_WORDS, COLOURS, SHADE_WORDS, SUBSTANCE_WORDS, SUBSTANCES
from neurok.generate.parts import PART_WORDS, singular
from neurok.generate.programs import read_card
from neurok.generate.request import Attribute, Request

MAX_PROMPT = 1000  # characters: nobody describes an object in more, and a page of text is a mistake
MAX_COUNT = 99  # parts of a kind: more is a mistake
SIZE_BOUNDS = (0.001, 50.0)  # [m] that an object may measure: from a grain to a tower crane
NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1000, "million": 1_000_000,
    "single": 1, "double": 2, "triple": 3, "twin": 2, "dual": 2, "both": 2, "pair": 2, "couple": 2, "dozen": 12,
}  # fmt: skip
UNITS = {
    "mm": 0.001, "millimetre": 0.001, "millimeter": 0.001, "cm": 0.01, "centimetre": 0.01, "centimeter": 0.01,
    "dm": 0.1, "m": 1.0, "metre": 1.0, "meter": 1.0, "in": 0.0254, "inch": 0.0254, "inche": 0.0254, '"': 0.0254,
    "ft": 0.3048, "foot": 0.3048, "feet": 0.3048, "km": 1000.0, "kilometre": 1000.0, "kilometer": 1000.0,
    "mile": 1609.0, "yard": 0.9144,
}  # fmt: skip
AXIS_WORDS = {
    "wide": "width", "width": "width", "broad": "width", "across": "width", "tall": "height", "high": "height",
    "height": "height", "deep": "depth", "depth": "depth", "long": "length", "length": "length", "diameter": "width",
    "thick": "depth",
}  # fmt: skip
NEGATIONS = ("without", "no", "lacking", "minus", "missing", "zero", "sans", "not")
FILLERS = frozenset(
    "a an the some of and or with has have having its it is are which that whose featuring includes including plus "
    "please in on at by for to made from out make me i want need would like create generate build give design show "
    "draw model render could you can produce get one's there be should must also but as my our this these those "
    "nice small big large little tiny simple modern classic old new style styled plain basic standard "
    "ordinary regular fitted equipped comes along each every all any only just exactly total overall set "
    "painted coloured colored finished finish color colour colours colors material tone toned about "
    "roughly around so very quite really up side kind sort type".split()
)
HEAD_ENDS = (
    "with", "without", "that", "which", "having", "whose", "featuring", "made", "has", "have", "in", "of", "from",
    "lacking", "no", "including", "where", "is", "are", "painted", "minus", "plus", "measuring", "and", "but",
    "standing", "on", "for", "fitted", "equipped", "finished", "coloured", "colored", "its", "it", "to", "at", "not",
    "sans", "being", "by", "the", "as", "built", "constructed", "carved", "about", "roughly", "around", "should",
)  # fmt: skip


@dataclass
class _Phrase:
    """The words that speak of one noun, while they are collected."""

    count: int | None = None
    negated: bool = False
    colours: list[str] = field(default_factory=list)
    materials: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    apart: bool = False  # whether it follows a with or without, so that it does not speak of the whole
    unknown: str = ""  # the last word without a meaning: perhaps a part that no program has


def parse_prompt(text: str) -> Request:
    """The request in a prompt; an InputError where there is none that can be met."""
    _check_text(text)
    plain, sizes = _take_sizes(_simplify(text))
    tokens = _join_names(plain)
    head, kinds, rest = _find_head(tokens, text)
    reader = _ClauseReader(kinds)
    named = [_find_material(word) for word in head.split(" ")]
    attributes = [*sizes, *(Attribute("material", "", word, head) for word in named if word), *reader.read(rest)]
    attributes += [
        Attribute("option", choice, value if isinstance(value, str) else ("yes" if value else "no"), head)
        for choice, value in SORTS.get(head, {}).items()
    ]
    found = _drop_repeats(attributes)
    _check_contradictions(found)
    return Request(text.strip(), tuple(kinds), head, tuple(found), tuple(dict.fromkeys(reader.ignored)))


def _check_text(text: str) -> None:
    if not text.strip():
        raise InputError("the prompt is empty", "say what to make, for example: a wooden cabinet with two drawers")
    if len(text) > MAX_PROMPT:
        raise InputError(f"the prompt has {len(text)} characters", f"say it in {MAX_PROMPT} at most")
    if not re.search(r"[A-Za-z]{2}", text):
        raise InputError("the prompt holds no words", "say what to make in English")


def _simplify(text: str) -> str:
    """Lower case, hyphens and possessives undone, compounds such as 'handleless' and '3-drawer' spelt out."""
    plain = text.lower().replace("’", "'").replace("–", "-").replace("×", " x ")
    if re.search(r"(?<![\w.])-\s?\d", plain):
        raise InputError("a negative number is asked for", "ask for a number from zero on")
    plain = re.sub(r"\b(is|are|was|were)n't\b", r"\1 not", plain)
    plain = re.sub(r"\bnon[- ](?=[a-z])", "not ", plain)
    plain = re.sub(r"\bhalf[- ]a[- ]dozen\b", "six", plain)
    plain = re.sub(r"\b(don't|doesn't|does not|do not)( want| have| need)?\b", " without ", plain)
    plain = re.sub(r"(\w)-less\b", r"\1less", plain)
    lacking = re.findall(r"\b(handle|lid|leg|door|drawer|wheel|arm|knob|foot|back|cap|cover)less\b", plain)
    plain = re.sub(r"\b(handle|lid|leg|door|drawer|wheel|arm|knob|foot|back|cap|cover)less\b", " ", plain)
    plain = plain.rstrip(" .!") + "".join(f" , without {part}" for part in lacking)
    plain = re.sub(r"\b(two|three|four|five|six|seven|eight)(fold)\b", r"\1", plain)
    plain = re.sub(r"'s\b", " is", re.sub(r"[()\[\]]", " , ", plain))
    plain = re.sub(r"\ba half\b|\bhalf( a|-a)?(?= ?m)", "half a", plain.replace("half-", "half "))
    plain = re.sub(r"(?<=[a-z0-9])-(?=[a-z0-9])", " ", plain)
    plain = re.sub(r"(\d),(\d{3})\b", r"\1\2", plain)
    return re.sub(r"\s+", " ", re.sub(r"[^a-z0-9.,;:\"' ]", " ", plain)).strip()


def _take_sizes(plain: str) -> tuple[str, list[Attribute]]:
    """The prompt without its sizes, and these."""
    units = "|".join(sorted((re.escape(unit) for unit in UNITS), key=len, reverse=True))
    number = r"(\d+(?:\.\d+)?|" + "|".join(NUMBERS) + r"|half a|an?)"
    axes = "|".join(AXIS_WORDS)
    unit = rf"({units})s?(?![a-z])"
    found: list[Attribute] = []

    def note(match: re.Match[str], amount: str, unit: str, axis: str) -> str:
        metres = _read_number(amount) * UNITS[unit]
        least, most = SIZE_BOUNDS
        if not least <= metres <= most:
            raise InputError(f"'{match[0].strip()}' is {metres:g} m", f"ask for a size from {least:g} to {most:g} m")
        found.append(Attribute("size", AXIS_WORDS[axis], metres, match[0].strip(" ,")))
        return " , "

    plain = re.sub(
        rf"(?<![a-z0-9]){number} ?{unit} (?:in )?({axes})\b", lambda m: note(m, m[1], m[2], m[3]), plain
    )  # fmt: skip
    plain = re.sub(
        rf"\b(?:a |its )?({axes})\b(?: of| is|:)?(?: about| roughly| around| approximately| exactly)? {number} ?{unit}",
        lambda m: note(m, m[2], m[3], m[1]), plain,
    )  # fmt: skip
    return plain, found


def _read_number(word: str) -> float:
    if word in ("a", "an"):
        return 1.0
    return 0.5 if word == "half a" else float(NUMBERS.get(word, word))


def _join_numbers(before: int | None, number: int, word: str) -> int:
    """What a number word makes of the one before it: 'two hundred', 'two dozen', 'twenty five'."""
    if before and (number >= 100 or word in ("dozen", "pair", "couple")):
        return before * number
    if before and 20 <= before < 100 and before % 10 == 0 and number < 10:
        return before + number
    return number


def _join_names(plain: str) -> list[str]:
    """Tokens; the longest names of several words become one token each."""
    names = [
        *index_names(),
        *_list_choice_names(),
        *SUBSTANCE_WORDS,
        *COLOUR_WORDS,
        *(word for word in PART_WORDS if " " in word),
    ]
    for name in sorted((n for n in names if " " in n), key=len, reverse=True):
        plain = re.sub(rf"\b{re.escape(name)}(s?)\b", lambda m: m[0].replace(" ", "_"), plain)
    return re.findall(r"[a-z0-9_'.]*[a-z0-9_]|[,;:.]", plain)


@cache
def _list_choice_names() -> list[str]:
    """Names of two words that programs give to what may be there or be counted: 'back slats', 'second hand'."""
    cards = [read_card(kind) for kind in list_kinds()]
    names = {c.name for card in cards for c in card.choices if c.kind in ("count", "yes or no")}
    joined = {name for name in names if " " in name and _is_plain_name(name)}
    return sorted({singular(name) for name in joined})


def _is_plain_name(name: str) -> bool:
    """Whether no word of a name is a count, a colour, a material or a shade, which are understood by themselves."""
    words = name.split(" ")
    known = {*NUMBERS, *COLOURS, *SUBSTANCES, *SUBSTANCE_WORDS, *SHADE_WORDS, "own", "plain", "contrasting", "matching"}
    return not known.intersection(words)


def _word(token: str) -> str:
    return token.replace("_", " ")


def _find_head(tokens: list[str], text: str) -> tuple[str, list[str], list[str]]:
    """The name of the kind, the kinds it stands for, and the tokens about them: what stands before, and what after."""
    names, unknown = index_names(), ""
    clause: list[str] = []
    for place, token in enumerate([*tokens, "."]):
        if token not in HEAD_ENDS and token not in ",;:.":
            clause.append(token)
            continue
        nouns = [i for i, word in enumerate(clause) if not _is_modifier(word)]
        if nouns:
            last = clause[nouns[-1]]
            kind = next((n for n in (_word(last), singular(_word(last))) if n in names), None)
            if kind is not None:
                before = [word for i, word in enumerate(clause) if i != nouns[-1]]
                return kind, names[kind], [*before, "<head>", *tokens[place:]]
            unknown = unknown or _word(last)
            break
        if token in (".", ";", ":") and place >= len(tokens):
            break
    if not unknown:
        raise InputError("the prompt names no thing to make", "name one, for example a cabinet, a lamp or a kettle")
    near = ", ".join(find_nearest_names(singular(unknown)))
    raise InputError(
        f"there is no program for '{unknown}'",
        f"the nearest kinds are {near}; `neurok generate --describe all` lists all",
    )


def _is_modifier(token: str) -> bool:
    """Whether a word never is the noun of a head."""
    word = _word(token)
    if word in FILLERS or word in NUMBERS or word in SHADE_WORDS or re.fullmatch(r"[\d.]+", word):
        return word not in index_names()
    return _find_colour(word) is not None or (_find_material(word) is not None and singular(word) not in index_names())


def _find_colour(word: str) -> str | None:
    word = COLOUR_WORDS.get(word, word)
    return word if word in COLOURS else None


def _find_material(word: str) -> str | None:
    word = SUBSTANCE_WORDS.get(word, word)
    return word if word in SUBSTANCES else None


class _ClauseReader:
    """Walks over the tokens; a noun closes what was said before it and takes what follows it with is, of, in."""

    def __init__(self, kinds: Sequence[str]) -> None:
        cards = [read_card(kind) for kind in kinds]
        self.counts = {choice.name for card in cards for choice in card.find_choices("count")}
        self.nouns = {singular(word) for word in PART_WORDS} | {
            singular(token) for card in cards for part in card.parts for token in (part.name, part.name.split(" ")[-1])
        }
        self.nouns |= {singular(name) for name in self.counts}
        self.switches = {singular(c.name) for card in cards for c in card.find_choices("yes or no")}
        self.options = {option: c.name for card in cards for c in card.find_choices("option") for option in c.options
                        if re.fullmatch(r"[a-z][a-z ]+", option) and option not in ("none",)}  # fmt: skip
        self.ignored: list[str] = []
        self.headed = False

    def read(self, tokens: Sequence[str]) -> list[Attribute]:
        found: list[Attribute] = []
        phrase, noun, after, negated = _Phrase(), "", False, False
        for place, token in enumerate(tokens):
            word = _word(token)
            if token == "<head>":
                found += self._close(phrase, "")
                phrase, noun, after, self.headed = _Phrase(), "", True, True
            elif word in NEGATIONS:
                found += self._close(phrase, noun) if after else self._close(phrase, "") if phrase.unknown else []
                negated, phrase, after = True, _Phrase(apart=True, negated=True), False
            elif token in ",;:.":
                found += self._close(phrase, noun if after else "") if after or phrase.unknown else []
                if token in ";.":
                    negated = False
                if after or token in ";.":
                    phrase, after = _Phrase(), noun != "" or token == ","
                    noun = noun if token == "," and not after else ""
            elif word in ("with", "has", "have", "having", "featuring", "but", "plus", "including"):
                found += self._close(phrase, noun) if after else self._close(phrase, "") if phrase.unknown else []
                phrase, after, negated = _Phrase(apart=True), False, False
            elif self._is_noun(tokens, place):
                if after:
                    ahead, phrase = phrase, _Phrase()
                    moved = ahead if self._belongs_ahead(tokens, place) else None
                    if moved is None:
                        found += self._close(ahead, noun)
                    else:
                        phrase = moved
                noun = singular(word)
                phrase.negated = (negated and not phrase.count) or phrase.count == 0
                found += self._close(phrase, noun)
                phrase, after = _Phrase(), True
            else:
                self._note_word(phrase, word, token)
        return found + self._close(phrase, noun if after else "")

    def _is_noun(self, tokens: Sequence[str], place: int) -> bool:
        word = _word(tokens[place])
        name = singular(word)
        if name not in self.nouns and name not in self.switches:
            return False
        if _find_colour(word) or word in FILLERS:
            return False
        if _find_material(word):  # 'a glass door' and 'a door of glass' speak of a material; 'dark glass' of a part
            return False
        return True

    def _belongs_ahead(self, tokens: Sequence[str], place: int) -> bool:
        """Whether the words between two nouns speak of the second: no 'is', 'of', 'in' or 'made' among them."""
        for token in reversed(tokens[:place]):
            if token in ("is", "are", "of", "in", "made", "from", "painted"):
                return False
            if token in (",", ";", "and", "with", "without", "no", "<head>") or self.is_noun_name(token):
                return True
        return True

    def is_noun_name(self, token: str) -> bool:
        return singular(_word(token)) in self.nouns and not _find_material(_word(token))

    def _note_word(self, phrase: _Phrase, word: str, token: str) -> None:
        colour, material = _find_colour(word), _find_material(word)
        if colour:
            phrase.colours.append(colour)
        elif material:
            phrase.materials.append(material)
        elif word in NUMBERS or re.fullmatch(r"\d+", word):
            phrase.count = _join_numbers(phrase.count, int(_read_number(word)), word)
        elif word in self.options:
            phrase.options.append(word)
            phrase.unknown = word if phrase.apart else ""
        elif word not in FILLERS and word not in HEAD_ENDS and word not in SHADE_WORDS:
            self.ignored.append(word)
            phrase.unknown = word
            return
        else:
            return
        phrase.said.append(word)

    def _close(self, phrase: _Phrase, noun: str) -> list[Attribute]:
        """The attributes that a phrase states of its noun; of a word that is none where the phrase is of something."""
        if not noun and self.headed and phrase.unknown and phrase.apart:
            noun = singular(phrase.unknown)
        words = " ".join([*phrase.said, noun]).strip()
        if phrase.negated and (phrase.colours or phrase.materials):
            what = (phrase.colours + phrase.materials)[-1]
            raise InputError(f"the prompt says what is not {what}", "say what it is instead, or leave it out")
        if phrase.negated:
            return [Attribute("absent", noun, "", f"no {words}")] if noun else []
        found = []
        if noun and phrase.count is not None:
            if phrase.count > MAX_COUNT:
                raise InputError(f"{phrase.count} {noun}s are asked for", f"ask for {MAX_COUNT} at most")
            found.append(Attribute("count", noun, phrase.count, words))
        elif noun and not phrase.said and noun not in self.counts:
            found.append(Attribute("present", noun, "", words))
        elif noun and phrase.said:
            found.append(Attribute("present", noun, "", words))
        found += [Attribute("material", noun, material, words) for material in phrase.materials[-1:]]
        found += [Attribute("colour", noun, colour, words) for colour in phrase.colours[-1:]]
        found += [Attribute("option", self.options[option], option, words) for option in phrase.options]
        return found


def _drop_repeats(attributes: list[Attribute]) -> list[Attribute]:
    """Each once; what is only said to be there goes where more is said of it."""
    unique: dict[tuple[str, str, object], Attribute] = {}
    for attribute in attributes:
        unique.setdefault((attribute.sort, attribute.part, attribute.value), attribute)
    counted = {a.part for a in unique.values() if a.sort in ("count", "absent")}
    return [a for a in unique.values() if a.sort != "present" or a.part not in counted]


def _check_contradictions(attributes: Sequence[Attribute]) -> None:
    absent = {a.part for a in attributes if a.sort == "absent"}
    for attribute in attributes:
        if attribute.sort in ("count", "material", "colour", "present") and attribute.part in absent:
            raise InputError(
                f"the prompt wants no {attribute.part} and '{attribute.words}'", "leave one of the two out"
            )
    for sort in ("count", "size", "material", "colour"):
        seen: dict[str, Attribute] = {}
        for attribute in attributes:
            if attribute.sort != sort or not attribute.part and sort in ("material", "colour"):
                continue
            other = seen.setdefault(attribute.part, attribute)
            if other.value != attribute.value and not _is_close(other, attribute):
                raise InputError(f"the prompt wants both '{other.words}' and '{attribute.words}'", "choose one of them")


def _is_close(a: Attribute, b: Attribute) -> bool:
    return a.sort == "size" and math.isclose(float(a.value), float(b.value), rel_tol=0.02)
