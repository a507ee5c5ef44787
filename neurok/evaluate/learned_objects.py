"""The learned generator beside random seeds of the programs and copies of train objects, against held-back real ones.

For every PartNet-Mobility object of dev, each row has one object of its kind: delivered by the learned model (after the
gate and its redraws), as the learned model draws it (before the gate), a random seed of the programs, a train object
taken as it is. A kind without a program is drawn by the nearest one (NEAREST_PROGRAMS).
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neurok.data.procedural import list_categories, make
from neurok.data.procedural.procedural import ProceduralObject
from neurok.errors import InputError
from neurok.evaluate.object_sets import PointedObject, SetFigures, compare_sets, measure_distances, prepare_real
from neurok.files.registry import load
from neurok.generate.learned.drawing import MAX_DRAWS, draw_layouts, realise_layout
from neurok.generate.learned.layout import name_kind
from neurok.generate.learned.weights import SHIPPED, LearnedModel, load_learned
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import sample_uniform
from neurok.training.objects.cutting import cut_object

POINT_COUNT = 512  # of an object
NEAREST_PROGRAMS = {"table": "drawer_cabinet"}
SEED = 5000  # the first seed of programs: none of them was trained on
Progress = Callable[[float], None]


@dataclass(frozen=True)
class LearnedResults:
    """rows: figures by method.

    most: draws of a request at most; passed: share of first draws that pass the gate; delivered: of requests that get
    an object; draws: mean number of draws of a request; seconds: median time to make and try one that is drawn.
    nearest: each delivered object's kind, its nearest train object, and the distance; real_nearest: mean of that
    distance of the real objects, for comparison.
    """

    rows: dict[str, SetFigures]
    asked: int
    most: int
    passed: float
    delivered: float
    draws: float
    seconds: float
    faults: dict[str, int]
    nearest: list[tuple[str, str, float]]
    real_nearest: float


def point_object(name: str, kind: str, articulation: Articulation, *, turned: bool = False) -> PointedObject | None:
    """An object by its parts and points; None where nothing of it moves."""
    cut = cut_object(articulation, turned=turned)
    if cut is None:
        return None
    faces = np.flatnonzero(cut.face >= 0)
    where = sample_uniform(Mesh(cut.mesh.vertices, cut.mesh.faces[faces]), POINT_COUNT, np.random.default_rng(0))
    return PointedObject(name, kind, cut.layout, where.position, cut.face[faces][where.face])


def read_real(folder: Path, split: str, kinds: Collection[str]) -> list[PointedObject]:
    """PartNet-Mobility objects of a split, of some kinds."""
    found = []
    for entry in json.loads((folder / "index.json").read_text(encoding="utf-8"))["partnet_mobility"][split]:
        if name_kind(entry["category"]) not in kinds:
            continue
        articulation = load(folder / "partnet_mobility" / entry["id"] / "mobility.urdf").articulation
        if articulation is not None:
            found.append(point_object(entry["id"], name_kind(entry["category"]), articulation, turned=True))
    return [one for one in found if one is not None]


def evaluate_learned(
    folder: Path, *, weights: Path | None = None, limit: int | None = None, seed: int = 0,
    draws: int = MAX_DRAWS, progress: Progress | None = None,
    keep: Callable[[ProceduralObject, PointedObject], None] | None = None,
) -> LearnedResults:  # fmt: skip
    """All figures. keep: is given every delivered object with its nearest train object, for pictures."""
    model = load_learned(SHIPPED if weights is None else weights)
    real = read_real(folder, "dev", model.kinds)
    real = real if limit is None else real[:: max(1, len(real) // limit)][:limit]
    train = read_real(folder, "train", {one.kind for one in real})
    if not real or not train:
        raise InputError(f"{folder} holds no objects of the model's kinds", "name another folder")
    rng = np.random.default_rng(seed)
    delivered, raw, counts = _draw_all(model, real, seed, draws, progress)
    programs = [_draw_program(one.kind, SEED + seed * len(real) + number, rng) for number, one in enumerate(real)]
    copies = [_pick_copy(one.kind, train, rng) for one in real]
    sets: dict[str, Sequence[PointedObject]] = {
        "learned": [one for _, one in delivered], "learned, before the gate": raw,
        "programs, random seeds": programs, "train objects, copied": copies,
    }  # fmt: skip
    reference = prepare_real(real)
    rows = {name: compare_sets(objects, reference) for name, objects in sets.items() if objects}
    nearest = []
    for thing, one in delivered:
        other, distance = find_nearest(one, train)
        nearest.append((one.kind, other.name, distance))
        if keep is not None:
            keep(thing, other)
    usual = float(np.mean([find_nearest(one, train)[1] for one in real]))
    return LearnedResults(rows, len(real), most=draws, **counts, nearest=nearest, real_nearest=usual)


def _draw_all(
    model: LearnedModel, real: Sequence[PointedObject], seed: int, draws: int, progress: Progress | None
) -> tuple[list[tuple[ProceduralObject, PointedObject]], list[PointedObject], dict[str, Any]]:
    """What the model delivers for each real object's kind, its first draws, and how often it had to draw."""
    delivered: dict[int, tuple[ProceduralObject, PointedObject]] = {}
    raw, seconds, faults = [], [], Counter[str]()
    drawn_count, first = 0, 0
    for attempt in range(draws):
        pending = [number for number in range(len(real)) if number not in delivered]
        kinds = [real[number].kind for number in pending]
        layouts = draw_layouts(model, kinds, "partnet", 100_003 * (seed + 1) + attempt) if pending else []
        for number, layout in zip(pending, layouts):
            begin = time.perf_counter()
            drawn = realise_layout(model, layout, real[number].kind, number)
            seconds.append(time.perf_counter() - begin)
            drawn_count += 1
            pointed = None if drawn.thing is None else point_object("", real[number].kind, drawn.thing.articulation)
            if attempt == 0 and pointed is not None:
                raw.append(pointed)
            faults.update(_sort_fault(fault) for fault in drawn.faults[:1])
            if drawn.thing is not None and pointed is not None and not drawn.faults:
                delivered[number] = drawn.thing, pointed
                first += attempt == 0
            if progress is not None:
                progress(min(drawn_count / (draws * len(real)), 1.0))
    counts = {
        "passed": first / len(real), "delivered": len(delivered) / len(real), "draws": drawn_count / len(real),
        "seconds": float(np.median(seconds)), "faults": dict(sorted(faults.items())),
    }  # fmt: skip
    return [delivered[number] for number in sorted(delivered)], raw, counts


def _sort_fault(fault: str) -> str:
    words = {"away from": "apart", "deep": "collides", "no moving": "no layout", "surface": "no surface",
             "cannot move": "cannot move"}  # fmt: skip
    return next((short for word, short in words.items() if word in fault), "fails in the simulator")


def _draw_program(kind: str, seed: int, rng: np.random.Generator) -> PointedObject:
    """An object of a program of a kind."""
    programs = [each for each in list_categories() if name_kind(each) == kind]
    category = programs[int(rng.integers(len(programs)))] if programs else NEAREST_PROGRAMS[kind]
    thing = make(category, seed)
    found = point_object(f"{category} {seed}", kind, thing.articulation)
    assert found is not None, "an object of a program moves"
    return found


def _pick_copy(kind: str, train: Sequence[PointedObject], rng: np.random.Generator) -> PointedObject:
    """A train object of a kind, or of any where there is none."""
    alike = [one for one in train if one.kind == kind] or list(train)
    return alike[int(rng.integers(len(alike)))]


def find_nearest(one: PointedObject, train: Sequence[PointedObject]) -> tuple[PointedObject, float]:
    """The train object of the same kind that is nearest, and its distance."""
    alike = [other for other in train if other.kind == one.kind] or list(train)
    distances = measure_distances([one.list_trees()], [other.list_trees() for other in alike])[0]
    best = int(np.argmin(distances))
    return alike[best], float(distances[best])


def format_learned(results: LearnedResults) -> list[str]:
    """The table for people."""
    lines = [f"{'':26}{'objects':>8}{'MMD':>8}{'COV':>7}{'1-NNA':>7}{'AOR':>8}{'all pairs':>10}"]
    for name, row in results.rows.items():
        lines.append(
            f"{name:26}{row.count:8d}{row.mmd:8.4f}{row.cov:7.3f}{row.nna:7.3f}{row.aor:8.4f}{row.overlap:10.4f}"
        )
    lines += [
        f"gate: {results.passed:.1%} of {results.asked} first draws pass, {results.delivered:.1%} of requests get an"
        f" object within {results.most} draws ({results.draws:.1f} on the mean, {results.seconds:.1f} s each)",
        "first faults of draws: " + (", ".join(f"{word} {n}" for word, n in sorted(results.faults.items())) or "none"),
    ]
    if results.nearest:
        mean = np.mean([distance for _, _, distance in results.nearest])
        lines.append(
            f"nearest train object of its kind: {mean:.4f} away on the mean;"
            f" of real dev objects {results.real_nearest:.4f}"
        )
    return lines


def describe_learned(results: LearnedResults) -> dict[str, Any]:
    return asdict(results)
