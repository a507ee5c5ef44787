"""neurok scene: several objects at rest together, and a hand that moves them."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction

from neurok.commands.options import PLAIN_FLAG, hint, random_seed, word
from neurok.errors import OptionError, unknown

if TYPE_CHECKING:
    from neurok.scenes.agent import AgentRun
    from neurok.scenes.making import MadeScene
    from neurok.scenes.reading import SceneFile


@dataclass(frozen=True)
class MakeScene:
    """Put objects together, "a kitchen counter with a kettle, a toaster and an open drawer below", or as a file says.

    Things are made from words, come from files, or are furniture: counter, table, shelf, bench, rail. They are placed
    by their relations (on, in, below, beside, left of, right of, behind, in front of, facing, hanging from) on surfaces
    found by geometry, and let go in MuJoCo; what moves by more than a millimetre, or lies in something else, is drawn
    again. Joints stay. With --do a hand carries out one sentence after another, and the recording is what is written.
    """

    source: Positional[Annotated[str, word("WORDS|FILE"), hint()]]
    """what the scene holds, in words or in a .yaml, .json or .toml file"""
    more: Positional[Annotated[tuple[Annotated[str, word("OUT")], ...], hint()]] = ()
    """further outputs, as a shell gives them for -o OUT.{glb,xml}"""
    output: Annotated[
        UseAppendAction[tuple[Annotated[str, word("OUT")], ...]], hint("may be repeated", aliases=("-o",))
    ] = ()
    """the file to write: .xml (MJCF), .usd, .glb, .html, .mp4, .png"""
    do: Annotated[
        UseAppendAction[tuple[Annotated[str, word("ACTION")], ...]], hint("may be repeated")
    ] = ()  # fmt: skip
    """what the hand does: "open drawer_1", "close door of cabinet", "push kettle left 10 cm", "lift box" """
    seed: Annotated[int | None, random_seed(), hint("default: the file's, else 0")] = None
    """which of the many scenes that would do"""
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from neurok.commands.say import note, progress, say, say_json, written_facts, written_lines
        from neurok.scenes.actions import parse_action
        from neurok.scenes.agent import run_agent
        from neurok.scenes.making import make_scene
        from neurok.scenes.telling import collect_scene_facts, describe_scene

        outputs = [*self.output, *self.more]
        _check_scene_outputs(outputs)
        asked, folder = _read_source(self.source, self.seed)
        begin = time.perf_counter()
        with progress("making the scene") as report:
            scene = make_scene(asked.request, folder=folder, progress=report)
        actions = [parse_action(text, scene.placed) for text in (self.do or asked.actions)]
        ran = None
        if actions:
            with progress("moving things") as report:
                ran = run_agent(scene, actions)
                report(1.0)
        seconds = time.perf_counter() - begin
        written = _write_outputs(scene, ran, outputs)
        if self.json:
            say_json({**collect_scene_facts(scene, ran), "seconds": seconds, "outputs": written_facts(written)})
            return
        for remark in scene.remarks:
            note(remark)
        for line in [*describe_scene(scene, ran), *written_lines(written)]:
            say(line)


Scene = MakeScene  # as verbs are looked up; mechanics has a Scene of its own


def _read_source(source: str, seed: int | None) -> "tuple[SceneFile, Path]":
    """What is asked for, and the folder where relative paths begin."""
    from neurok.scenes.reading import SCENE_SUFFIXES, SceneFile, read_scene
    from neurok.scenes.words import parse_scene

    name = source.rsplit("/", 1)[-1]
    if " " not in name and "." in name and len(source) < 4096:
        path = Path(source)
        if path.suffix.lower() not in SCENE_SUFFIXES:
            raise OptionError(
                f"{name[:80]} is no file of a scene", f"give words, or one of: {' '.join(SCENE_SUFFIXES)}"
            )
        return read_scene(path, seed), path.parent
    return SceneFile(parse_scene(source, 0 if seed is None else seed)), Path()


def _check_scene_outputs(outputs: list[str]) -> None:
    """Fail before the work where a scene could not be written."""
    from neurok.files.registry import check_output
    from neurok.scenes.delivery import SUFFIXES

    for index, path in enumerate(outputs):
        if Path(path).suffix.lower() not in SUFFIXES:
            raise unknown("output suffix for a scene", Path(path).suffix or path, SUFFIXES)
        check_output(path)
        if Path(path).resolve() in [Path(other).resolve() for other in outputs[:index]]:
            raise OptionError(f"{path} is named twice", "give each output its own name")


def _write_outputs(scene: "MadeScene", ran: "AgentRun | None", outputs: list[str]) -> list[Path]:
    from neurok.commands.say import progress
    from neurok.scenes.delivery import write_scene

    written: list[Path] = []
    with progress("writing") as report:
        for number, path in enumerate(outputs, start=1):
            files = write_scene(scene, Path(path), None if ran is None else ran.recording)
            written += [files[-1], *files[:-1]]
            report(number / len(outputs))
    return written
