"""How well prompts are met: from the files that were written, by code that knows nothing of the generator.

A file of prompts is a JSON list of {"text", "kind", "attributes": [{"type", "part", "value"}, ...]} and of
{"text", "refuse": true}. Types are count, material, colour, absent (each of a part) and size ("axis", "metres"). The
do-nothing baseline is another object of the kind, with what was asked left aside.
"""

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from neurok.articulate.physics import add_physics
from neurok.data.procedural.procedural import ProceduralObject
from neurok.errors import InputError, NeurokError
from neurok.evaluate.generated_file import GeneratedFile, has_colour, has_material, read_obj, read_urdf
from neurok.files.registry import save
from neurok.generate.grammar import parse_prompt
from neurok.generate.making import Generated, make_object, realise
from neurok.generate.weighing import add_masses

SIZE_TOLERANCE = 0.03  # relative, of a size in the file
AXES = {"width": 0, "depth": 1, "height": 2}


@dataclass(frozen=True)
class PromptResult:
    """One prompt: whether it was refused, and of its attributes (type, met, named as unmet where it was not).

    right_kind: whether the object is of the kind that was meant. baseline: attributes that an unasked object meets.
    passed: the gate; redraws: objects before it that did not pass. seconds: to make it.
    """

    text: str
    refused: bool
    right_kind: bool = False
    attributes: tuple[tuple[str, str, bool, bool], ...] = ()
    baseline: int = 0
    passed: bool = False
    redraws: int = 0
    seconds: float = 0.0
    said: str = ""


def evaluate_generation(
    path: Path, *, seed: int = 0, limit: int | None = None, progress: Callable[[float], None] | None = None
) -> dict[str, Any]:
    """All figures of a file of prompts."""
    rows = read_prompts(path)[:limit]
    found = []
    for number, row in enumerate(rows):
        found.append(_try_prompt(row, seed))
        if progress is not None:
            progress((number + 1) / len(rows))
    return summarise(rows, found)


def read_prompts(path: Path) -> list[dict[str, Any]]:
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise InputError(f"{path} cannot be read as JSON ({fault})", "give a file of prompts") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) and "text" in row for row in rows):
        raise InputError(f"{path} is no list of prompts", 'write [{"text": ..., "kind": ..., "attributes": [...]}]')
    return rows


def _try_prompt(row: dict[str, Any], seed: int) -> PromptResult:
    begin = time.perf_counter()
    try:
        request = parse_prompt(row["text"])
        made = realise(request, seed)
    except NeurokError as fault:
        return PromptResult(row["text"], True, seconds=time.perf_counter() - begin, said=str(fault))
    seconds = time.perf_counter() - begin
    if row.get("refuse"):
        return PromptResult(row["text"], False, seconds=seconds, said=made.kind)
    file = read_exported(made.made.thing)
    bare = replace(request, attributes=(), kinds=(made.kind,))
    plain = read_exported(make_object(bare, made.kind, seed + 1).thing) if row["attributes"] else file
    checked = []
    for attribute in row["attributes"]:
        met = check_attribute(file, attribute)
        checked.append((attribute["type"], str(attribute.get("part", "")), met, met or _is_named(made, attribute)))
    baseline = sum(check_attribute(plain, attribute) for attribute in row["attributes"])
    right = row.get("kind") in (made.kind, None)
    return PromptResult(row["text"], False, right, tuple(checked), baseline, not made.faults, made.redraws, seconds,
                        made.kind)  # fmt: skip


def read_exported(thing: ProceduralObject) -> GeneratedFile:
    """The object as its file shows it: URDF, or OBJ where it is soft."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / ("object.obj" if thing.is_soft else "object.urdf")
        save(thing.mesh if thing.is_soft else add_physics(add_masses(thing.articulation)), file)
        return read_obj(file) if thing.is_soft else read_urdf(file)


def check_attribute(found: GeneratedFile, attribute: dict[str, Any]) -> bool:
    """Whether a file has an attribute."""
    kind, part = attribute["type"], str(attribute.get("part", ""))
    if kind == "size":
        extent = found.extent
        axis = attribute["axis"]
        length = extent[:2].max() if axis in ("length", "diameter") else extent[AXES[axis]]
        return bool(abs(length / attribute["metres"] - 1.0) <= SIZE_TOLERANCE)
    if kind == "count":
        return found.count(part) == attribute["value"]
    if kind == "absent":
        return not found.find(part)
    if kind == "material":
        return has_material(found, part, str(attribute["value"]))
    if kind == "colour":
        return has_colour(found, part, str(attribute["value"]))
    raise InputError(f"an attribute of type '{kind}'", "use count, material, colour, size or absent")


def _is_named(made: Generated, attribute: dict[str, Any]) -> bool:
    """Whether the answer says that it lacks this: the part or the value stands among what is not met or understood."""
    said = " ".join([*(a.describe() for a in made.unmet), *made.request.ignored]).lower()
    words = [str(attribute.get(key, "")).lower() for key in ("part", "value", "axis")]
    return any(word and len(word) > 2 and word in said for word in words)


def summarise(rows: list[dict[str, Any]], found: list[PromptResult]) -> dict[str, Any]:
    """Rates and times, with counts beside them."""
    wanted = [r for row, r in zip(rows, found) if not row.get("refuse")]
    unwanted = [r for row, r in zip(rows, found) if row.get("refuse")]
    made = [r for r in wanted if not r.refused]
    asked = [a for r in made for a in r.attributes]
    lost = sum(len(row["attributes"]) for row, r in zip(rows, found) if not row.get("refuse") and r.refused)
    unmet = [a for a in asked if not a[2]]
    seconds = np.array([r.seconds for r in made]) if made else np.zeros(1)
    kinds = sorted({a[0] for a in asked})
    return {
        "prompts": len(wanted),
        "attributes": len(asked) + lost,
        "met": sum(a[2] for a in asked) / max(len(asked) + lost, 1),
        "baseline_met": sum(r.baseline for r in made) / max(len(asked) + lost, 1),
        "met_by_type": {k: [sum(a[2] for a in asked if a[0] == k), sum(a[0] == k for a in asked)] for k in kinds},
        "unmet_named": sum(a[3] for a in unmet) / max(len(unmet), 1),
        "right_kind": sum(r.right_kind for r in made) / max(len(made), 1),
        "refusals": sum(r.refused for r in unwanted) / max(len(unwanted), 1),
        "refusal_prompts": len(unwanted),
        "false_refusals": sum(r.refused for r in wanted) / max(len(wanted), 1),
        "passed": sum(r.passed for r in made) / max(len(made), 1),
        "passed_at_once": sum(r.passed and not r.redraws for r in made) / max(len(made), 1),
        "median_seconds": float(np.median(seconds)),
        "p95_seconds": float(np.quantile(seconds, 0.95)),
        "results": [asdict(r) for r in found],
    }


def format_lines(facts: dict[str, Any]) -> list[str]:
    """The figures for people."""
    types = ", ".join(f"{kind} {met} of {of}" for kind, (met, of) in facts["met_by_type"].items())
    return [
        f"{facts['prompts']} prompts, {facts['attributes']} attributes: {facts['met']:.1%} met in the file ({types})",
        f"  an object of the kind that was asked for nothing meets {facts['baseline_met']:.1%}",
        f"  of what is not met, {facts['unmet_named']:.1%} is named in the answer",
        f"  right kind {facts['right_kind']:.1%}; refused wrongly {facts['false_refusals']:.1%}",
        f"{facts['refusal_prompts']} prompts for what cannot be made: {facts['refusals']:.1%} refused",
        f"gate: {facts['passed_at_once']:.1%} passed as first drawn, {facts['passed']:.1%} after redraws",
        f"seconds: median {facts['median_seconds']:.2f}, 95th percentile {facts['p95_seconds']:.2f}",
    ]
