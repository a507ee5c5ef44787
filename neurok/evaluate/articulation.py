"""The articulation table: predictors of joints on objects whose joints are known, parts given and parts found."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from neurok.articulate.assemble import Movement
from neurok.articulate.parts import FoundParts, find_moving_parts
from neurok.errors import InputError, unknown
from neurok.evaluate.joint_tables import PAPER, make_part_rows
from neurok.evaluate.loop import Measured, MeasureOptions, Progress, measure_all
from neurok.evaluate.objects import Entry
from neurok.evaluate.predictors import (
    PREDICTORS,
    PROPOSALS,
    Predictor,
    StudiedShape,
    choose_predictors,
    list_available,
    read_record,
)
from neurok.evaluate.results import PartResult
from neurok.evaluate.truths import TYPES, Truth, infer_truths, read_given_parts
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts
from neurok.geometry.triangles import face_areas
from neurok.proposals.motion_ranker import MotionRanker
from neurok.proposals.sampling import SampledShape, sample_shape

MIN_OVERLAP = 0.5  # of the union: a found part that overlaps a true one by less is another part
GIVEN, FOUND = "given", "found"
PART_KINDS = (GIVEN, FOUND)


@dataclass(frozen=True)
class AnnotatedObject:
    """An object's mesh, its true parts and what is known of each."""

    entry: Entry
    mesh: Mesh
    parts: Parts
    truths: list[Truth]


def evaluate_articulation(
    options: MeasureOptions, *, predictors: Sequence[str] = (), parts: Sequence[str] = (), weights: Sequence[str] = (),
    progress: Progress | None = None,
) -> Measured[PartResult]:  # fmt: skip
    """Measure predictors (all where none is named) on the objects of a split of a data folder.

    weights: folders of further weights, see `predictors.chosen`.
    """
    names, modes = tuple(predictors) or list_available(), tuple(parts) or PART_KINDS
    for kind, asked, known in (("predictor", names, PREDICTORS), ("kind of parts", modes, PART_KINDS)):
        for name in asked:
            if name not in known:
                raise unknown(kind, name, known)
    for folder in weights:
        read_record(folder)  # what cannot be read is an error at once
    entries = options.find_entries()
    results, left_out = measure_all(
        entries, read_annotated, partial(measure_object, predictors=names, parts=modes, weights=tuple(weights)),
        workers=options.workers, progress=progress,
    )  # fmt: skip
    used = list(dict.fromkeys(result.predictor for result in results))
    settings = options.to_settings() | {"objects": len(entries), "predictors": used, "parts": list(modes)}
    return Measured(results, left_out, settings, make_tables, tuple(entries))


def make_tables(results: Sequence[PartResult]) -> dict[str, Any]:
    """Our rows and the papers'."""
    return {"rows": make_part_rows(results), "paper": PAPER}


def read_annotated(entry: Entry) -> AnnotatedObject:
    """An object with its joints, as a file or a store has it."""
    if entry.source == "store":
        from neurok.data.store import Store

        return AnnotatedObject(entry, *infer_truths(Store(entry.folder).read(entry.file)))
    if entry.source != "sapien":
        raise InputError(f"{entry.name} states no joints", "give objects in the SAPIEN layout, or a store")
    from neurok.files.registry import load

    articulation = load(Path(entry.folder) / entry.file).articulation
    if articulation is None or articulation.mesh.face_count == 0:
        raise InputError(f"{entry.name} has no joints", "leave it out")
    return AnnotatedObject(entry, articulation.mesh, *read_given_parts(articulation))


def measure_object(
    known: AnnotatedObject, predictors: Sequence[str], parts: Sequence[str], weights: Sequence[str]
) -> list[PartResult]:
    """All results of one object."""
    return measure_predictors(known, choose_predictors(known.entry.category, predictors, weights), parts)


def measure_predictors(
    known: AnnotatedObject,
    predictors: Mapping[str, Predictor],
    parts: Sequence[str],
    ranker: MotionRanker | None = None,
) -> list[PartResult]:
    """What these predictors make of the parts of one object, given and found. ranker: of motions, that finds them."""
    mesh, true, results = known.mesh, known.parts, []
    for mode in parts:
        plain = Mesh(mesh.vertices, mesh.faces, up=mesh.up, unit=mesh.unit)
        found = FoundParts(true, "given") if mode == GIVEN else find_moving_parts(plain, ranker=ranker)
        looked = StudiedShape(sample_shape(mesh, found.parts), found.motions)
        match = np.arange(true.count) if mode == GIVEN else match_parts(mesh, true, found.parts)
        for name, predictor in predictors.items():
            if mode == GIVEN and name == PROPOSALS:
                continue
            begin = time.perf_counter()
            moves = predictor.moves(looked)
            seconds = time.perf_counter() - begin
            for part, truth in enumerate(known.truths):
                move = moves[match[part]] if match[part] >= 0 else Movement.fixed()
                figures = measure_errors(looked.whole, truth, move)
                results.append(PartResult(
                    known.entry.name, known.entry.category, true.names[part], name, mode, truth.kind,
                    to_joint_type(move.kind), **figures, matched=bool(match[part] >= 0), seconds=seconds,
                ))  # fmt: skip
    return results


def match_parts(mesh: Mesh, true: Parts, found: Parts) -> Array:
    """For each true part the found one that overlaps it by more than MATCH of their union, else -1, [p]."""
    areas = face_areas(mesh.vertices, mesh.faces)
    both = np.bincount(true.face * found.count + found.face, areas, true.count * found.count)
    both = both.reshape(true.count, found.count)
    union = both.sum(axis=1, keepdims=True) + both.sum(axis=0, keepdims=True) - both
    overlap = both / np.maximum(union, 1e-300)
    best = overlap.argmax(axis=1)
    return np.where(overlap.max(axis=1) > MIN_OVERLAP, best, -1)


def measure_errors(whole: SampledShape, truth: Truth, move: Movement) -> dict[str, float | None]:
    """How far a prediction is from the truth, as the protocol has it."""
    found: dict[str, float | None] = dict.fromkeys(
        ("axis_error", "centre_error", "centre_error_diagonal", "range_error")
    )
    if truth.axis is None or truth.point is None:
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
    if truth.range is not None and to_joint_type(move.kind) == truth.kind:
        wide = min(move.upper, np.pi) - max(move.lower, -np.pi) if truth.kind == "revolute" else move.upper - move.lower
        true = truth.range if truth.kind == "revolute" else truth.range / frame.size
        found["range_error"] = float(abs(wide - true) / true)
    return found


def to_joint_type(kind: str) -> str:
    """The type of the table: continuous and screw joints turn."""
    return kind if kind in TYPES else "revolute"
