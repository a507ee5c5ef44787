"""What is said of a scene: its things, how still it is, and how the hand fared."""

from typing import TYPE_CHECKING

import numpy as np

from neurok.generate.parts import means
from neurok.scenes.making import MadeScene, list_openings
from neurok.scenes.openings import OPENING_WORDS
from neurok.scenes.request import FLOOR

if TYPE_CHECKING:
    from neurok.scenes.agent import ActionResult, AgentRun


def describe_scene(scene: MadeScene, ran: "AgentRun | None" = None) -> list[str]:
    """Lines for people."""
    lines = []
    for each in scene.placed:
        if each.name == FLOOR:
            continue
        size = " x ".join(f"{100 * side:.3g}" for side in np.ptp(each.bounds, axis=0))
        how = [r.describe().removeprefix(f"{each.name} ") for r in scene.request.relations if r.subject == each.name]
        opened = [f"{name} {share:.0%} open" for name, share in list_openings(each) if share > 0.02 and _opens(name)]
        told = [*(how or ["on the floor"]), *opened[:3], *(["fastened"] if each.thing.held else [])]
        lines.append(f"{each.name} ({each.thing.kind.replace('_', ' ')}, {size} cm): {', '.join(told)}")
    if scene.request.ignored:
        lines.append(f"not understood: {', '.join(scene.request.ignored)}")
    rest = scene.rest
    lines.append(
        f"at rest: moves by {1e3 * rest.drift:.2g} mm in 2 s, penetration {rest.penetration:.2%} of the smaller's size"
    )
    if scene.redraws:
        lines.append(f"drawn again {scene.redraws} times, as what was drawn did not stand")
    lines += [f"fails: {fault}" for fault in scene.faults]
    for result in ran.results if ran is not None else ():
        lines.append(describe_action(result))
    return lines


def _opens(name: str) -> bool:
    return any(means(name, word) for word in OPENING_WORDS)


def describe_action(result: "ActionResult") -> str:
    """One line on an action."""
    state = "done" if result.done else "NOT done"
    return f"{result.action.text}: {state}, {result.share:.0%} of the way"


def collect_scene_facts(scene: MadeScene, ran: "AgentRun | None" = None) -> dict[str, object]:
    """What a program wants to know."""
    return {
        "text": scene.request.text,
        "seed": scene.request.seed,
        "things": [
            {"name": each.name, "kind": each.thing.kind, "held": each.thing.held, "place": each.T,
             "bounds": each.bounds, "joints": dict(list_openings(each))}
            for each in scene.placed
        ],
        "relations": [
            {"subject": r.subject, "relation": r.word, "other": r.other, "part": r.part, "met": r not in scene.unmet}
            for r in scene.request.relations
        ],
        "ignored": list(scene.request.ignored), "remarks": list(scene.remarks), "faults": scene.faults,
        "drift": scene.rest.drift, "penetration": scene.rest.penetration, "redraws": scene.redraws,
        "actions": [
            {"text": r.action.text, "thing": r.action.thing, "share": r.share, "value": r.value, "done": r.done}
            for r in (ran.results if ran is not None else ())
        ],
    }  # fmt: skip
