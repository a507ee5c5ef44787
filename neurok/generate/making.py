"""From a request to an object: draw with wishes, shape, measure, check; what fails is drawn again, so many times."""

import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from neurok.data.procedural import run_program
from neurok.data.procedural.choices import Wish
from neurok.data.procedural.procedural import ProceduralObject
from neurok.errors import InputError
from neurok.generate.composing import state_materials
from neurok.generate.gate import find_gate_faults
from neurok.generate.grammar import parse_prompt
from neurok.generate.measuring import MadeObject, find_absent_words, measure_extent, meets
from neurok.generate.parts import find_word, singular
from neurok.generate.programs import ProgramCard, read_card
from neurok.generate.request import Attribute, Request
from neurok.generate.shaping import paint_part, remove_parts, scale_object
from neurok.generate.solids import add_piece_colliders
from neurok.generate.weighing import add_masses
from neurok.geometry.articulation import Articulation

MAX_DRAWS = 24  # of a kind, to find what was asked for: an option of eight is met in 96 % of so many
MAX_REDRAWS = 8  # of objects that fail the gate; programs fail it in less than one of five
MAX_STRETCH = 2.0  # factor between the axes: more makes an object a caricature of itself
SEED_STEP = 1009  # between draws of one request: a prime, so that neighbouring seeds share none


@dataclass(frozen=True)
class Generated:
    """What a prompt became.

    unmet: what the object lacks of what was asked. assumed: what was left to chance, in words. faults: of the object
    in the gate, empty where it passed. redraws: objects before it that failed the gate; first_passed: whether none did.
    """

    request: Request
    made: MadeObject
    seed: int
    met: tuple[Attribute, ...]
    unmet: tuple[Attribute, ...]
    assumed: tuple[str, ...]
    faults: tuple[str, ...]
    redraws: int

    @property
    def kind(self) -> str:
        return self.made.card.kind

    @property
    def articulation(self) -> Articulation:
        """With masses by the materials' densities, and a convex collider for each piece."""
        return add_piece_colliders(add_masses(self.made.thing.articulation))


def generate(text: str, *, seed: int = 0) -> Generated:
    """The object of a prompt: the same prompt and seed give the same object."""
    return realise(parse_prompt(text), seed)


def realise(request: Request, seed: int) -> Generated:
    """The first object that has all that is asked and passes the gate; else the best there was."""
    _check_kinds(request)
    tried: list[tuple[int, int, MadeObject, list[str]]] = []
    for made, lacking in _list_candidates(request, seed):
        faults = find_gate_faults(made.thing)
        tried.append((len(lacking), len(faults), made, faults))
        if not faults:
            return report_result(request, made, seed, faults, len(tried) - 1)
        if len(tried) > MAX_REDRAWS:
            break
    _, _, made, faults = min(tried, key=lambda row: (row[1] > 0, row[0]))
    return report_result(request, made, seed, faults, len(tried) - 1)


def _check_kinds(request: Request) -> None:
    soft = all(read_card(kind).soft for kind in request.kinds)
    if soft and any(a.sort == "size" and a.part == "" for a in request.attributes):
        raise InputError("a soft object has no such size", "leave it out")


def _list_candidates(request: Request, seed: int) -> Iterator[tuple[MadeObject, list[Attribute]]]:
    """Objects with what they lack, those that lack least first."""
    found: list[tuple[int, int, MadeObject, list[Attribute]]] = []
    kinds = _choose_kinds(request)
    hopeless = {a for a in request.attributes if all(_lacks_part(read_card(kind), a) for kind in kinds)}
    for number in range(MAX_DRAWS):
        kind = kinds[number % len(kinds)]
        made = make_object(request, kind, seed * SEED_STEP + number)
        lacking = [a for a in request.attributes if not meets(made, a)]
        if hopeless.issuperset(lacking):
            yield made, lacking
        else:
            found.append((len(lacking), number, made, lacking))
    for _, _, made, lacking in sorted(found, key=lambda row: row[:2]):
        yield made, lacking


def _choose_kinds(request: Request) -> list[str]:
    """Those of the kinds that know most of the asked parts, in turn."""
    lacks = {kind: sum(_lacks_part(read_card(kind), a) for a in request.attributes) for kind in request.kinds}
    best = [kind for kind in request.kinds if lacks[kind] == min(lacks.values())]
    start = zlib.crc32(request.text.encode()) % len(best)
    return best[start:] + best[:start]


def _lacks_part(card: ProgramCard, attribute: Attribute) -> bool:
    """Whether a program knows nothing of the part that an attribute speaks of."""
    if attribute.sort in ("size", "absent") or not attribute.part:
        return False
    names = {singular(choice.name) for choice in card.choices if choice.kind in ("count", "yes or no")}
    if attribute.sort == "option":
        return attribute.part not in {choice.name for choice in card.choices}
    return attribute.part not in names and find_word(card, attribute.part) is None


def make_object(
    request: Request, kind: str, number: int, further: Mapping[str, Wish] = MappingProxyType({})
) -> MadeObject:
    """One draw of a kind with all wishes of a request and further ones, shaped."""
    card = read_card(kind)
    wishes = {**further, **plan_wishes(request, card)}
    kit = run_program(kind, number, wishes=wishes, labelled=True)
    thing = kit.build(number)
    made = MadeObject(thing, tuple(kit.choices.made), card)
    better = _correct_sizes(request, card, wishes, made)
    if better != wishes:
        kit = run_program(kind, number, wishes=better, labelled=True)
        made = MadeObject(kit.build(number), tuple(kit.choices.made), card)
    return shape_object(made, request)


def plan_wishes(request: Request, card: ProgramCard) -> dict[str, Wish]:
    """What a request means for the named choices of a program."""
    wishes: dict[str, Wish] = {}
    for attribute in request.attributes:
        for choice in card.choices:
            name = singular(choice.name)
            wish: Wish | None = None
            if attribute.sort == "count" and choice.kind == "count" and name == attribute.part:
                wish = int(np.clip(int(attribute.value), choice.lower, choice.upper))
            elif attribute.sort in ("present", "absent", "material", "colour") and name == attribute.part:
                if choice.kind == "yes or no":
                    wish = attribute.sort != "absent"
                elif choice.kind == "option" and attribute.sort == "absent" and "none" in choice.options:
                    wish = "none"
            elif attribute.sort == "option" and choice.name == attribute.part:
                wish = {"yes": True, "no": False}.get(str(attribute.value), str(attribute.value))
            elif attribute.sort == "size" and choice.kind == "number" and name == attribute.part:
                wish = float(np.clip(float(attribute.value), choice.lower, choice.upper))
            if wish is not None:
                wishes[choice.name] = wish
    return wishes


def _correct_sizes(
    request: Request, card: ProgramCard, wishes: dict[str, Wish], made: MadeObject
) -> dict[str, Wish]:  # fmt: skip
    """The wishes for sizes, moved by what the object measured less or more than was asked."""
    better = dict(wishes)
    for attribute in request.attributes:
        if attribute.sort == "size" and attribute.part in wishes:
            lack = float(attribute.value) - measure_extent(made.thing, attribute.part)
            for choice in card.choices:
                if choice.name == attribute.part and choice.kind == "number":
                    now = wishes[attribute.part]
                    if isinstance(now, float):
                        better[attribute.part] = float(np.clip(now + lack, choice.lower, choice.upper))
    return better


def shape_object(made: MadeObject, request: Request) -> MadeObject:
    """Parts left out, painted and scaled as asked, with what they are then made of."""
    thing, card = made.thing, made.card
    for attribute in request.attributes:
        if attribute.sort == "absent":
            for word in find_absent_words(card, attribute.part):
                thing = remove_parts(thing, word)
    looks: dict[str, dict[str, str]] = {}
    for attribute in request.attributes:
        if attribute.sort in ("material", "colour"):
            key = "substance" if attribute.sort == "material" else "colour"
            looks.setdefault(attribute.part, {})[key] = str(attribute.value)
    resolved: dict[str, str | None] = {part: find_word(card, part) if part else "" for part in looks}
    spared = [word for word in resolved.values() if word]
    for part in sorted(looks):  # the whole first
        name = resolved[part]
        if name is not None:
            others = spared if not part else [w for w in ("handle", "knob", "hinge") if w != name]
            thing = paint_part(thing, name, substance=looks[part].get("substance"), colour=looks[part].get("colour"),
                               sparing=others)  # fmt: skip
    asked = {look["substance"] for look in looks.values() if "substance" in look}
    return replace(made, thing=state_materials(_fit_sizes(replace(made, thing=thing), request), asked))


def _fit_sizes(made: MadeObject, request: Request) -> ProceduralObject:
    thing = made.thing
    ratios: dict[int, float] = {}
    for attribute in request.attributes:
        if attribute.sort == "size":
            axis = {"width": 0, "depth": 1, "height": 2}.get(attribute.part)
            if axis is None:
                axis = int(np.argmax(np.ptp(thing.mesh.vertices, axis=0)[:2]))
            ratios[axis] = float(attribute.value) / float(np.ptp(thing.mesh.vertices, axis=0)[axis])
    if not ratios or all(abs(r - 1.0) < 1e-3 for r in ratios.values()):
        return thing
    even = math.exp(float(np.mean(np.log(list(ratios.values())))))
    factors = np.array([ratios.get(axis, even) for axis in range(3)])
    if factors.max() / factors.min() > MAX_STRETCH:
        factors = np.full(3, next(iter(ratios.values())))
    return scale_object(thing, factors)


def report_result(request: Request, made: MadeObject, seed: int, faults: list[str], redraws: int) -> Generated:
    """An object with what it has and lacks of a request, and what was left to chance."""
    met = tuple(a for a in request.attributes if meets(made, a))
    unmet = tuple(a for a in request.attributes if a not in met)
    asked = {a.part for a in request.attributes}
    free = (c for c in made.choices if not c.asked and c.kind in ("count", "option", "yes or no"))
    assumed = [f"{c.name} {_say_value(c.value)}" for c in free if singular(c.name) not in asked]
    return Generated(request, made, seed, met, unmet, tuple(dict.fromkeys(assumed)), tuple(faults), redraws)


def _say_value(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
