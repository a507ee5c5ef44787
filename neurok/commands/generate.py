"""neurok generate: an object from words."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction

from neurok.commands.options import PLAIN_FLAG, choice, hint, whole, word
from neurok.errors import InputError, OptionError, OutputError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

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
        from neurok.commands.files import check_outputs, write_all
        from neurok.commands.say import progress, say, say_json, written_facts, written_lines
        from neurok.generate.grammar import parse_prompt
        from neurok.generate.making import realise
        from neurok.generate.telling import collect_facts, describe_result
        from neurok.geometry.articulation import Articulation
        from neurok.geometry.mesh import Mesh
        from neurok.geometry.motion import Motion

        if self.describe is not None:
            _describe(self.describe, self.json)
            return
        if self.text is None:
            raise OptionError("generate needs WORDS", "say what to make; `neurok generate --describe all` lists kinds")
        if not 1 <= self.count <= MAX_SHEET:
            raise OptionError(f"-n is {self.count}", f"give a number from 1 to {MAX_SHEET}")
        outputs = [*self.output, *self.more]
        if outputs:
            check_outputs(outputs, Mesh, Motion, Articulation)
        request = parse_prompt(self.text)
        _check_formats(request.kinds, outputs)
        draw = realise if self.model == "programs" else _find_learned()
        begin = time.perf_counter()
        with progress("making") as report:
            found = []
            for number in range(self.count):
                found.append(draw(request, self.seed + number))
                report((number + 1) / self.count)
        seconds = time.perf_counter() - begin
        if not self.keep_failing:
            _refuse_failing(found)
        with progress("writing") as report:
            written = write_all(_list_contents(found, outputs), report)
        if self.json:
            facts = [collect_facts(each) for each in found]
            say_json({"objects": facts, "seconds": seconds, "outputs": written_facts(written)})
            return
        for each in found:
            for line in describe_result(each):
                say(line)
        for line in written_lines(written):
            say(line)


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
