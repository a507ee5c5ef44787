"""How well scenes are made: what stays at rest, relations that hold, and joints that the hand opens, from files."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neurok.errors import NeurokError
from neurok.evaluate.scene_files import measure_joint_way, measure_rest, meets_relation, open_scene
from neurok.evaluate.scene_prompts import ScenePrompt, draw_prompts
from neurok.scenes.actions import parse_action
from neurok.scenes.agent import run_agent
from neurok.scenes.assembly import name_coordinates
from neurok.scenes.delivery import write_scene
from neurok.scenes.making import MadeScene, make_scene
from neurok.scenes.words import parse_scene

MAX_DRIFT = 1e-3  # [m]
MAX_PENETRATION = 0.01  # of the smaller thing's diagonal
MIN_WAY = 0.8  # of a joint's range


@dataclass(frozen=True)
class SceneResult:
    """One text: why it was refused, '' where it was not; what its file does; how much of its range a joint went."""

    text: str
    refused: str = ""
    things: int = 0
    drift: float = 0.0
    penetration: float = 0.0
    relations: int = 0
    met: int = 0
    unmet: tuple[str, ...] = ()
    redraws: int = 0
    opening: str = ""
    way: float = 0.0
    seconds: float = 0.0
    agent_seconds: float = 0.0

    @property
    def settles(self) -> bool:
        return not self.refused and self.drift < MAX_DRIFT and self.penetration < MAX_PENETRATION


def evaluate_scenes(
    count: int, *, seed: int = 0, agent: bool = True, progress: Callable[[float], None] | None = None
) -> dict[str, Any]:
    """All figures of so many scenes."""
    found = []
    for number, prompt in enumerate(draw_prompts(count, seed)):
        found.append(_try_scene(prompt, seed + number, agent))
        if progress is not None:
            progress((number + 1) / count)
    return summarise_scenes(found)


def _try_scene(prompt: ScenePrompt, seed: int, agent: bool) -> SceneResult:
    begin = time.perf_counter()
    try:
        scene = make_scene(parse_scene(prompt.text, seed))
    except NeurokError as fault:
        return SceneResult(prompt.text, str(fault), seconds=time.perf_counter() - begin)
    seconds = time.perf_counter() - begin
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.xml"
        write_scene(scene, path)
        drift, penetration = measure_rest(path)
        file = open_scene(path)
        unmet = tuple(
            r.describe() for r in scene.request.relations if not meets_relation(file, r.subject, r.word, r.other)
        )
        begin = time.perf_counter()
        opening, way = _try_opening(scene, prompt, path) if agent else ("", 0.0)
        spent = time.perf_counter() - begin
    count = len(scene.request.relations)
    return SceneResult(prompt.text, "", len(scene.request.things), drift, penetration, count, count - len(unmet), unmet,
                       scene.redraws, opening, way, seconds, spent)  # fmt: skip


def _try_opening(scene: MadeScene, prompt: ScenePrompt, path: Path) -> tuple[str, float]:
    """What the hand was asked to open, and how much of its range it went in the recording's file."""
    name, part = prompt.opening
    if not name or name not in [each.name for each in scene.placed]:
        return "", 0.0
    each = scene.find(name)
    try:
        action = parse_action(f"open {part} of {name}", scene.placed)
    except NeurokError:  # this one of its kind has none
        return "", 0.0
    recording = path.with_name("recording.glb")
    write_scene(scene, recording, run_agent(scene, [action]).recording)
    joint = name_coordinates(each, scene.maker.document(each))[action.coordinate]
    return f"{part} of {each.thing.kind}", measure_joint_way(recording, path, joint, action.goal)


def summarise_scenes(found: list[SceneResult]) -> dict[str, Any]:
    """Shares and times, with counts beside them."""
    made = [r for r in found if not r.refused]
    asked = [r for r in made if r.opening]
    parts = sorted({r.opening.split(" of ")[0] for r in asked})
    relations = sum(r.relations for r in made)
    seconds = np.array([r.seconds for r in made] or [0.0])
    return {
        "scenes": len(found),
        "refused": len(found) - len(made),
        "things": sum(r.things for r in made),
        "settled": sum(r.settles for r in made) / max(len(found), 1),
        "still": sum(r.drift < MAX_DRIFT for r in made) / max(len(made), 1),
        "apart": sum(r.penetration < MAX_PENETRATION for r in made) / max(len(made), 1),
        "at_once": sum(r.settles and not r.redraws for r in made) / max(len(found), 1),
        "relations": relations,
        "relations_met": sum(r.met for r in made) / max(relations, 1),
        "openings": len(asked),
        "opened": sum(r.way >= MIN_WAY for r in asked) / max(len(asked), 1),
        "opened_by_part": {p: [sum(r.way >= MIN_WAY for r in asked if r.opening.startswith(p)),
                               sum(r.opening.startswith(p) for r in asked)] for p in parts},
        "median_seconds": float(np.median(seconds)),
        "p95_seconds": float(np.quantile(seconds, 0.95)),
        "median_agent_seconds": float(np.median([r.agent_seconds for r in asked] or [0.0])),
        "results": [asdict(r) for r in found],
    }  # fmt: skip


def format_scene_lines(facts: dict[str, Any]) -> list[str]:
    """The figures for people."""
    parts = ", ".join(f"{part} {done} of {of}" for part, (done, of) in facts["opened_by_part"].items())
    return [
        f"{facts['scenes']} scenes with {facts['things']} things; {facts['refused']} refused",
        f"  at rest in the file: {facts['settled']:.1%} ({facts['still']:.1%} move by less than a millimetre in 2 s, "
        f"{facts['apart']:.1%} penetrate by less than 1 %); as first drawn {facts['at_once']:.1%}",
        f"  {facts['relations']} relations: {facts['relations_met']:.1%} hold in the file",
        f"  {facts['openings']} things to open: {facts['opened']:.1%} by at least 80 % of the way ({parts})",
        f"  seconds: median {facts['median_seconds']:.1f}, 95th percentile {facts['p95_seconds']:.1f}; "
        f"the hand {facts['median_agent_seconds']:.1f}",
    ]
