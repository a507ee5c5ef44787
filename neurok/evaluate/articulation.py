"""The articulation table: predictors of joints on objects whose joints are known, parts given and parts found."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from neurok.articulate.assemble import Movement
from neurok.articulate.parts import Parts, find_parts
from neurok.articulate.sampling import SampledShape, sample_shape
from neurok.errors import InputError, unknown
from neurok.evaluate.joint_tables import PAPER, rows
from neurok.evaluate.loop import Measured, Progress, measure_all
from neurok.evaluate.objects import Entry, find
from neurok.evaluate.predictors import PREDICTORS, Looked, available, chosen, record
from neurok.evaluate.results import PartResult
from neurok.evaluate.truths import TYPES, Truth, given, of_sample
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import face_areas

MATCH = 0.5  # of the union: a found part that overlaps a true one by less is another part
GIVEN, FOUND = "given", "found"
PARTS = (GIVEN, FOUND)


@dataclass(frozen=True)
class Annotated:
    """An object's mesh, its true parts and what is known of each."""

    entry: Entry
    mesh: Mesh
    parts: Parts
    truths: list[Truth]


def evaluate(
    data: str, split: str, *, predictors: Sequence[str] = (), parts: Sequence[str] = (), weights: Sequence[str] = (),
    limit: int | None = None, workers: int = 1, progress: Progress | None = None,
) -> Measured[PartResult]:  # fmt: skip
    """Measure predictors (all where none is named) on the objects of a split of a data folder.

    weights: folders of further weights, see `predictors.chosen`.
    """
    names, modes = tuple(predictors) or available(), tuple(parts) or PARTS
    for kind, asked, known in (("predictor", names, PREDICTORS), ("kind of parts", modes, PARTS)):
        for name in asked:
            if name not in known:
                raise unknown(kind, name, known)
    for folder in weights:
        record(folder)  # what cannot be read is an error at once
    entries = find(data, split, limit=limit)
    results, left_out = measure_all(
        entries, annotated, partial(measure_object, predictors=names, parts=modes, weights=tuple(weights)),
        workers=workers, progress=progress,
    )  # fmt: skip
    used = list(dict.fromkeys(result.predictor for result in results))
    settings = {"data": data, "split": split, "objects": len(entries), "predictors": used, "parts": list(modes)}
    return Measured(results, left_out, settings, tables, tuple(entries))


def tables(results: Sequence[PartResult]) -> dict[str, Any]:
    """Our rows and the papers'."""
    return {"rows": rows(results), "paper": PAPER}


def annotated(entry: Entry) -> Annotated:
    """An object with its joints, as a file or a store has it."""
    if entry.source == "store":
        from neurok.data.store import Store

        return Annotated(entry, *of_sample(Store(entry.folder).read(entry.file)))
    if entry.source != "sapien":
        raise InputError(f"{entry.name} states no joints", "give objects in the SAPIEN layout, or a store")
    from neurok.files.registry import load

    articulation = load(Path(entry.folder) / entry.file).articulation
    if articulation is None or articulation.mesh.face_count == 0:
        raise InputError(f"{entry.name} has no joints", "leave it out")
    return Annotated(entry, articulation.mesh, *given(articulation))


def measure_object(
    known: Annotated, predictors: Sequence[str], parts: Sequence[str], weights: Sequence[str]
) -> list[PartResult]:
    """All results of one object."""
    mesh, true, results = known.mesh, known.parts, []
    asked = chosen(known.entry.category, predictors, weights)
    for mode in parts:
        proposed = true if mode == GIVEN else find_parts(Mesh(mesh.vertices, mesh.faces, up=mesh.up, unit=mesh.unit))
        looked = Looked(sample_shape(mesh, proposed))
        match = np.arange(true.count) if mode == GIVEN else matched(mesh, true, proposed)
        for name, predictor in asked.items():
            begin = time.perf_counter()
            moves = predictor.moves(looked)
            seconds = time.perf_counter() - begin
            for part, truth in enumerate(known.truths):
                move = moves[match[part]] if match[part] >= 0 else Movement.fixed()
                figures = errors(looked.whole, truth, move)
                results.append(PartResult(
                    known.entry.name, known.entry.category, true.names[part], name, mode, truth.kind,
                    turning(move.kind), **figures, matched=bool(match[part] >= 0), seconds=seconds,
                ))  # fmt: skip
    return results


def matched(mesh: Mesh, true: Parts, found: Parts) -> Array:
    """For each true part the found one that overlaps it by more than MATCH of their union, else -1, [p]."""
    areas = face_areas(mesh.vertices, mesh.faces)
    both = np.bincount(true.face * found.count + found.face, areas, true.count * found.count)
    both = both.reshape(true.count, found.count)
    union = both.sum(axis=1, keepdims=True) + both.sum(axis=0, keepdims=True) - both
    overlap = both / np.maximum(union, 1e-300)
    best = overlap.argmax(axis=1)
    return np.where(overlap.max(axis=1) > MATCH, best, -1)


def errors(whole: SampledShape, truth: Truth, move: Movement) -> dict[str, float | None]:
    """How far a prediction is from the truth, as the protocol has it."""
    found: dict[str, float | None] = dict.fromkeys(
        ("axis_error", "centre_error", "centre_error_diagonal", "range_error")
    )
    if truth.kind == "fixed":
        return found
    frame = whole.frame
    axis, point = frame.turn @ truth.axis, frame.points(truth.point[None])[0]
    if move.axis is None:
        found["axis_error"] = 90.0
    else:
        found["axis_error"] = float(np.degrees(np.arccos(np.clip(abs(axis @ move.axis), 0.0, 1.0))))
    if truth.kind == "revolute":
        points = np.concatenate([piece.points for piece in whole.pieces])
        middle = points.mean(axis=0)
        radius = float(np.linalg.norm(points - middle, axis=1).max()) or 1.0
        arm = (middle if move.centre is None else move.centre) - point
        distance = float(np.linalg.norm(arm - (arm @ axis) * axis))
        found["centre_error"], found["centre_error_diagonal"] = distance / radius, distance
    if truth.range is not None and turning(move.kind) == truth.kind:
        wide = min(move.upper, np.pi) - max(move.lower, -np.pi) if truth.kind == "revolute" else move.upper - move.lower
        true = truth.range if truth.kind == "revolute" else truth.range / frame.size
        found["range_error"] = float(abs(wide - true) / true)
    return found


def turning(kind: str) -> str:
    """The type of the table: continuous and screw joints turn."""
    return kind if kind in TYPES else "revolute"
