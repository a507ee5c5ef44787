"""neurok generate: an object from words, or like that in a picture."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction

from neurok.commands.options import PLAIN_FLAG, Strict, choice, hint, whole, word
from neurok.errors import InputError, OptionError, OutputError, unknown

if TYPE_CHECKING:
    from neurok.generate.making import Generated
    from neurok.generate.request import Request
    from neurok.geometry.articulation import Articulation
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.motion import Motion

MODELS = ("programs", "learned")
MAX_SHEET = 64  # objects of one sheet: more can no longer be told apart on it


@dataclass(frozen=True)
class Generate:
    """Make an object from words, for example "a wooden cabinet with two drawers and a glass door".

    Understood are kinds of objects and, of their parts: how many, of what material, in which colour, and which are not
    there; and sizes ("40 cm wide"). The object is checked, its joints swept and a simulation run, before it is written;
    what fails is drawn again. What was met, left out and assumed is printed. .urdf, .xml (MJCF) and .usd get joints and
    masses by material; .glb gets a clip for each joint.

    With --image the object is like the one in a picture: its kind, what there is of each part, proportions and colours
    are told from the picture, and of many draws the one is kept and refined that looks most like it. It is an object
    like this one, not a reconstruction.
    """

    text: Positional[Annotated[str | None, word("WORDS"), hint()]] = None
    """what to make"""
    more: Positional[Annotated[tuple[Annotated[str, word("OUT")], ...], hint()]] = ()
    """further outputs, as a shell gives them for -o OUT.{glb,urdf}"""
    output: Annotated[
        UseAppendAction[tuple[Annotated[str, word("OUT")], ...]], hint("may be repeated", aliases=("-o",))
    ] = ()
    """the file to write; its suffix is the format"""
    seed: Annotated[int, whole("--seed"), hint("default: 0")] = 0
    """which of the many objects that would do"""
    count: Annotated[int, whole("-n"), hint("default: 1", aliases=("-n",))] = 1
    """how many to make, each different: a .png gets all on a sheet, other files a number each"""
    image: Annotated[str | None, word("PICTURE"), hint("default: none")] = None
    """a picture of one thing, instead of words: PNG, JPEG or WebP, best cut out or before a plain wall"""
    kind: Annotated[str | None, word("KIND"), hint("default: as seen")] = None
    """what the thing in the picture is"""
    strict: Strict = False
    describe: Annotated[str | None, word("KIND"), hint("default: none")] = None
    """print what a kind can be asked: names, ranges, words; `all` lists the kinds"""
    model: Annotated[str, choice("--model", MODELS), hint("default: programs")] = "programs"
    """what draws the object: programs, or `learned`, a small model that knows kinds alone and meets nothing else that
    is asked; its objects are new but rough, and more of them fail the check (figures: neurok/weights/objects)"""
    keep_failing: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """write an object although no draw of it passes the check"""
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from neurok.commands.files import check_outputs
        from neurok.geometry.articulation import Articulation
        from neurok.geometry.mesh import Mesh
        from neurok.geometry.motion import Motion

        if self.describe is not None:
            _describe(self.describe, self.json)
            return
        if self.image is None and self.kind is not None:
            raise OptionError("--kind says what is in a picture", "add --image PICTURE, or name the thing in words")
        if self.text is None and self.image is None:
            raise OptionError("generate needs WORDS", "say what to make; `neurok generate --describe all` lists kinds")
        if self.seed < 0:
            raise OptionError(f"a seed of {self.seed}", "give a whole number from zero on")
        if not 1 <= self.count <= MAX_SHEET:
            raise OptionError(f"-n is {self.count}", f"give a number from 1 to {MAX_SHEET}")
        outputs = [*self.output, *self.more]
        if self.image is not None and self.text is not None:
            outputs.insert(len(self.output), _read_output(self.text))
        if outputs:
            check_outputs(outputs, Mesh, Motion, Articulation)
        if self.image is not None and self.model != "programs":
            raise OptionError("--image and --model learned", "leave one of them out: that model sees no pictures")
        if self.image is None:
            self.make_from_words(self.text or "", outputs)
        else:
            self.make_from_picture(self.image, outputs)

    def make_from_words(self, text: str, outputs: list[str]) -> None:
        from neurok.generate.grammar import parse_prompt
        from neurok.generate.making import realise

        request = parse_prompt(text)
        _check_formats(request.kinds, outputs)
        draw = realise if self.model == "programs" else _find_learned()
        begin = time.perf_counter()
        found = self.make_all(lambda seed: draw(request, seed))
        self.deliver(found, outputs, time.perf_counter() - begin, [], {})

    def make_from_picture(self, picture: str, outputs: list[str]) -> None:
        from neurok.commands.doubts import Doubts
        from neurok.generate.pictures.picturing import (
            collect_findings,
            describe_doubts,
            describe_findings,
            look_at_picture,
            realise_picture,
        )

        begin = time.perf_counter()
        kinds = () if self.kind is None else _find_kinds(self.kind)
        findings = look_at_picture(picture, kinds=kinds)
        _check_formats((findings.kind,), outputs)
        doubts = Doubts(self.strict)
        doubts.add(*describe_doubts(findings))
        overlaps: list[float] = []

        def make(seed: int) -> "Generated":
            pictured = realise_picture(findings, seed)
            overlaps.append(pictured.overlap)
            return pictured.made

        found = self.make_all(make)
        lines = [*describe_findings(findings), "an object like this, not a reconstruction of it:"]
        facts: dict[str, object] = {"picture": collect_findings(findings), "overlaps": overlaps}
        self.deliver(found, outputs, time.perf_counter() - begin, lines, facts)
        doubts.check()

    def make_all(self, make: "Callable[[int], Generated]") -> "list[Generated]":
        """The objects of --seed and the seeds that follow; none where one of them fails the gate."""
        from neurok.commands.say import progress

        with progress("making") as report:
            found = []
            for number in range(self.count):
                found.append(make(self.seed + number))
                report((number + 1) / self.count)
        if not self.keep_failing:
            _refuse_failing(found)
        return found

    def deliver(
        self, found: "list[Generated]", outputs: list[str], seconds: float, lines: list[str], further: dict[str, object]
    ) -> None:  # fmt: skip
        """Write the objects and say what they are; lines and further facts come first."""
        from neurok.commands.files import write_all
        from neurok.commands.say import progress, say, say_json, written_facts, written_lines
        from neurok.generate.telling import collect_facts, describe_result

        with progress("writing") as report:
            written = write_all(_list_contents(found, outputs), report)
        if self.json:
            facts = [collect_facts(each) for each in found]
            say_json({**further, "objects": facts, "seconds": seconds, "outputs": written_facts(written)})
            return
        for line in (*lines, *(line for each in found for line in describe_result(each)), *written_lines(written)):
            say(line)


def _read_output(text: str) -> str:
    """With a picture the first free word is a further output, as a shell gives them for -o OUT.{glb,urdf}."""
    from neurok.files.registry import WRITERS

    if Path(text).suffix.lower() not in WRITERS:
        raise OptionError("generate takes WORDS or --image, not both", "leave one of them out")
    return text


def _find_kinds(name: str) -> tuple[str, ...]:
    """A kind by its own name, or all that people call so."""
    from neurok.generate.kinds import KIND_NAMES, index_names

    plain = name.lower().replace("_", " ").strip()
    own = plain.replace(" ", "_")
    if own in KIND_NAMES:
        return (own,)
    if plain not in index_names():
        raise unknown("kind", name, KIND_NAMES)
    return tuple(index_names()[plain])


def _find_learned() -> "Callable[[Request, int], Generated]":
    """The learned model's way to make an object; it alone needs torch."""
    from neurok.generate.learned.drawing import realise_learned

    return realise_learned


def _describe(kind: str, as_json: bool) -> None:
    from dataclasses import asdict

    from neurok.commands.say import say, say_json
    from neurok.generate.kinds import KIND_NAMES, list_kinds
    from neurok.generate.programs import describe_program, read_card

    if kind == "all":
        if as_json:
            say_json({"kinds": KIND_NAMES})
            return
        for name in list_kinds():
            say(f"{name}: {', '.join(KIND_NAMES[name])}")
        return
    name = kind.replace(" ", "_")
    meant = [name] if name in KIND_NAMES else [k for k, names in KIND_NAMES.items() if kind.replace("_", " ") in names]
    if not meant:
        raise unknown("kind", kind, KIND_NAMES)
    if as_json:
        say_json({"kinds": [asdict(read_card(each)) for each in meant]})
        return
    for each in meant:
        for line in describe_program(each):
            say(line)


def _check_formats(kinds: tuple[str, ...], outputs: list[str]) -> None:
    """Fail before the work where a soft object should go to a file of rigid links."""
    from neurok.files.registry import WRITERS
    from neurok.generate.programs import read_card
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.motion import Motion

    for path in outputs:
        holds = WRITERS[Path(path).suffix.lower()][1]
        if Motion not in holds and Mesh not in holds and all(read_card(kind).soft for kind in kinds):
            raise OutputError(f"a {kinds[0].replace('_', ' ')} is soft, and {Path(path).suffix} holds rigid links only",
                              "use .glb or .usdc")  # fmt: skip


def _refuse_failing(found: "list[Generated]") -> None:
    """Deliver nothing where an object fails the gate after all redraws."""
    for each in found:
        if each.faults:
            what = f"the {each.kind.replace('_', ' ')} of seed {each.seed} fails its check, as did all drawn before it"
            raise InputError(
                f"{what} ({each.faults[0].rstrip('.')})",
                "ask for another --seed, or say --keep-failing to have it all the same",
            )


def _list_contents(
    found: "list[Generated]", outputs: list[str]
) -> "list[tuple[Articulation | Mesh | Motion | list[Motion], str]]":
    """What goes into which file: one object each, numbered where there are several; a picture gets them all."""
    from neurok.generate.delivery import make_content, place_on_sheet

    rows: list[tuple[Articulation | Mesh | Motion | list[Motion], str]] = []
    for path in outputs:
        file = Path(path)
        if file.suffix.lower() == ".png":
            rows.append((place_on_sheet(found), path))
        elif len(found) == 1:
            rows.append((make_content(found[0], file.suffix.lower()), path))
        else:
            rows += [
                (make_content(each, file.suffix.lower()), str(file.with_stem(f"{file.stem}_{number}")))
                for number, each in enumerate(found)
            ]
    return rows
