"""The articulation table: predictors of joints on objects whose joints are known, parts given and parts found."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import neurok.articulate
from neurok.articulate.assemble import Movement
from neurok.articulate.moves import studies_of
from neurok.articulate.parts import Parts, found_parts
from neurok.articulate.pieces import Shape, contact, shape
from neurok.articulate.predict import movements
from neurok.articulate.reasons import Study
from neurok.errors import InputError, NeurokError, OptionError, unknown
from neurok.evaluate.joint_tables import PAPER, rows
from neurok.evaluate.objects import Entry, find
from neurok.evaluate.results import PartResult
from neurok.evaluate.truths import TYPES, Truth, given, of_sample
from neurok.geometry.mesh import Array, Mesh
from neurok.geometry.triangles import face_areas

MATCH = 0.5  # of the union: a found part that overlaps a true one by less is another part
GIVEN, FOUND = "given", "found"
PARTS = (GIVEN, FOUND)


# ---------------------------------------------------------------- predictors


@dataclass(frozen=True)
class Looked:
    """A shape, and what the search tried with its parts, once for all predictors that ask."""

    whole: Shape

    @cached_property
    def studies(self) -> list[Study | None]:
        return studies_of(self.whole)


def search(looked: Looked) -> list[Movement]:
    """Candidates, simulator, ranking."""
    return movements(looked.whole, studies=looked.studies)


def nearest_edge(looked: Looked) -> list[Movement]:
    """Every part but the largest turns by 90 degrees about the edge of its box nearest to where it meets the rest."""
    whole = looked.whole
    largest = int(np.argmax([piece.area for piece in whole.pieces]))
    found = []
    for number, piece in enumerate(whole.pieces):
        points, normals, _ = whole.rest(number)
        if number == largest or len(points) == 0:
            found.append(Movement("fixed", np.array([0.0, 0.0, 1.0]), piece.centre, centre=piece.centre))
            continue
        meeting = contact(piece, points, normals)
        axis, pivot = _edge_near(piece.lower, piece.upper, meeting.centre)
        found.append(Movement("revolute", axis, pivot, 0.0, np.pi / 2, centre=pivot))
    return found


def _edge_near(lower: Array, upper: Array, point: Array) -> tuple[Array, Array]:
    """Direction and a point of the edge of a box nearest to a point."""
    best = (np.inf, np.eye(3)[0], lower)
    for k in range(3):
        b, c = (k + 1) % 3, (k + 2) % 3
        for x in (lower[b], upper[b]):
            for y in (lower[c], upper[c]):
                corner = np.empty(3)
                corner[[k, b, c]] = np.clip(point[k], lower[k], upper[k]), x, y
                distance = float(np.linalg.norm(corner - point))
                if distance < best[0]:
                    best = (distance, np.eye(3)[k], corner)
    return best[1], best[2]


def majority(looked: Looked) -> list[Movement]:
    """Every part stays, the commonest type; its axis, were it asked, is the vertical through its box."""
    up = np.array([0.0, 0.0, 1.0])
    return [Movement("fixed", up, piece.centre, centre=piece.centre) for piece in looked.whole.pieces]


@dataclass(frozen=True)
class Predictor:
    """moves: from a shape to how its parts move; says: what it is; networks: the folder of the weights it asks."""

    moves: Callable[[Looked], list[Movement]]
    says: str
    networks: Path | None = None


def learned(predictor: str, folder: Path, says: str) -> Predictor:
    """A predictor with the weights of a folder."""

    def moves(looked: Looked) -> list[Movement]:
        from neurok.articulate.weights import shipped_networks

        studies = looked.studies if predictor == "both" else None
        return movements(looked.whole, predictor=predictor, networks=shipped_networks(folder), studies=studies)

    return Predictor(moves, says, folder)


_WEIGHTS = Path(neurok.articulate.__file__).parents[1] / "weights"
PREDICTORS: dict[str, Predictor] = {
    "search": Predictor(
        search, "candidate motions, simulated for collision and detachment, ranked by geometric reasons"
    ),
    "network": learned("network", _WEIGHTS / "articulation", "learned from shapes; nothing is tried"),
    "both": learned("both", _WEIGHTS / "articulation", "the network judges the motions that the search tried"),
    "network-plain": learned(
        "network", _WEIGHTS / "articulation_plain", "the network without pretraining on what the search leaves"
    ),
    "both-plain": learned("both", _WEIGHTS / "articulation_plain", "both, with that network"),
    "edge": Predictor(nearest_edge, "every part but the largest turns about the edge of its box nearest to the rest"),
    "majority": Predictor(majority, "every part stays: the commonest type; vertical axis through the box"),
}


# ---------------------------------------------------------------- measuring


@dataclass(frozen=True)
class Task:
    """An object, the predictors to measure by name, the kinds of parts, and folders of further weights."""

    entry: Entry
    predictors: tuple[str, ...]
    parts: tuple[str, ...]
    weights: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evaluation:
    """All results, and the objects that gave none, with the reason."""

    results: list[PartResult]
    left_out: dict[str, str]
    settings: dict[str, Any]

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it, with the tables."""
        return {
            "settings": self.settings,
            "rows": rows(self.results),
            "paper": PAPER,
            "left_out": self.left_out,
            "results": [asdict(result) for result in self.results],
        }


def evaluate(
    data: str, split: str, *, predictors: Sequence[str] = (), parts: Sequence[str] = (), weights: Sequence[str] = (),
    limit: int | None = None, workers: int = 1, progress: Callable[[float], None] | None = None,
) -> Evaluation:  # fmt: skip
    """Measure predictors (all where none is named) on the objects of a split of a data folder.

    weights: folders of further weights, see `chosen`.
    """
    names, modes = tuple(predictors) or available(), tuple(parts) or PARTS
    for kind, asked, known in (("predictor", names, PREDICTORS), ("kind of parts", modes, PARTS)):
        for name in asked:
            if name not in known:
                raise unknown(kind, name, known)
    if limit is not None and limit < 1:
        raise OptionError(f"a limit of {limit}", "give a whole number from one on")
    for folder in weights:
        _record(folder)  # what cannot be read is an error at once
    entries = find(data, split)[:limit]
    from neurok.data.engines import run

    results: list[PartResult] = []
    left_out: dict[str, str] = {}
    tasks = [Task(entry, names, modes, tuple(weights)) for entry in entries]
    for done, (found, name, fault) in enumerate(run("local", measure_object, tasks, workers), start=1):
        results += found
        if fault:
            left_out[name] = fault
        if progress is not None:
            progress(done / len(tasks))
    if not results:
        raise InputError(f"none of the objects of {data} can be used ({next(iter(left_out.values()))})",
                         "give another folder or split")  # fmt: skip
    used = list(dict.fromkeys(result.predictor for result in results))
    settings = {"data": data, "split": split, "objects": len(entries), "predictors": used, "parts": list(modes)}
    return Evaluation(results, left_out, settings)


def available() -> tuple[str, ...]:
    """Predictors whose weights, if they need any, are there."""
    return tuple(name for name, one in PREDICTORS.items() if one.networks is None or one.networks.is_dir())


def described(name: str) -> str:
    """What a predictor is."""
    if name in PREDICTORS:
        return PREDICTORS[name].says
    kind, _, weights = name.partition("-")
    return f"{kind}, each object by weights made without its category" if weights == "unseen" else f"{kind}, {weights}"


def chosen(task: Task) -> dict[str, Predictor]:
    """The predictors for one object. Further weights give two each, named after their folder; those that were made
    without some categories are measured on these alone, all as the one predictor `network-unseen` or `both-unseen`."""
    found = {name: PREDICTORS[name] for name in task.predictors}
    for folder in task.weights:
        without = _record(folder).get("without") or ()
        if without and task.entry.category not in without:
            continue
        name = "unseen" if without else Path(folder).name
        for kind in ("network", "both"):
            found[f"{kind}-{name}"] = learned(kind, Path(folder), f"{kind}, weights of {Path(folder).name}")
    return found


def _record(folder: str) -> dict[str, Any]:
    from neurok.articulate.weights import open_networks

    return open_networks(folder)[1]


def measure_object(task: Task) -> tuple[list[PartResult], str, str]:
    """All results of one object, its name, and why there are none."""
    try:
        mesh, parts, truths = annotated(task.entry)
    except NeurokError as fault:
        return [], task.entry.name, str(fault)
    results = []
    predictors = chosen(task)
    for mode in task.parts:
        proposed = parts if mode == GIVEN else found_parts(Mesh(mesh.vertices, mesh.faces, up=mesh.up, unit=mesh.unit))
        looked = Looked(shape(mesh, proposed))
        match = np.arange(parts.count) if mode == GIVEN else matched(mesh, parts, proposed)
        for name, predictor in predictors.items():
            begin = time.perf_counter()
            moves = predictor.moves(looked)
            seconds = time.perf_counter() - begin
            for part, truth in enumerate(truths):
                move = moves[match[part]] if match[part] >= 0 else Movement("fixed")
                figures = errors(looked.whole, truth, move)
                results.append(
                    PartResult(
                        task.entry.name,
                        task.entry.category,
                        parts.names[part],
                        name,
                        mode,
                        truth.kind,
                        turning(move.kind),
                        **figures,
                        matched=bool(match[part] >= 0),
                        seconds=seconds,
                    )  # fmt: skip
                )
    return results, task.entry.name, ""


def annotated(entry: Entry) -> tuple[Mesh, Parts, list[Truth]]:
    """An object's mesh, its true parts and what is known of them."""
    if entry.source == "store":
        from neurok.data.store import Store

        return of_sample(Store(entry.folder).read(entry.file))
    if entry.source != "sapien":
        raise InputError(f"{entry.name} states no joints", "give objects in the SAPIEN layout, or a store")
    from neurok.files.registry import load

    articulation = load(Path(entry.folder) / entry.file).articulation
    if articulation is None or articulation.mesh.face_count == 0:
        raise InputError(f"{entry.name} has no joints", "leave it out")
    return (articulation.mesh, *given(articulation))


def matched(mesh: Mesh, true: Parts, found: Parts) -> Array:
    """For each true part the found one that overlaps it by more than MATCH of their union, else -1, [p]."""
    areas = face_areas(mesh.vertices, mesh.faces)
    both = np.bincount(true.face * found.count + found.face, areas, true.count * found.count)
    both = both.reshape(true.count, found.count)
    union = both.sum(axis=1, keepdims=True) + both.sum(axis=0, keepdims=True) - both
    overlap = both / np.maximum(union, 1e-300)
    best = overlap.argmax(axis=1)
    return np.where(overlap.max(axis=1) > MATCH, best, -1)


def errors(whole: Shape, truth: Truth, move: Movement) -> dict[str, float | None]:
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
