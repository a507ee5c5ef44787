"""The lists that the ranker of possible motions learns from: a file for each object, so that a long run can go on.

Of one state of an object: the hypotheses that the ranker of parts finds likeliest, those that are true, and a few
others; all their motions; how well each hypothesis meets a part that moves, and each motion that part's true one. Of
some objects only what never moves is shown, so that things without moving parts are known as well.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.evaluate.objects import Entry, read_pairs
from neurok.evaluate.pairs import Pair
from neurok.evaluate.rankers.gains import enumerate_true_parts, find_true_parts, measure_overlap
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.rigid import exp_twist
from neurok.geometry.triangles import face_areas
from neurok.proposals.assignment import carry_points
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.options import fit_amounts
from neurok.proposals.possible_motions import list_possible_motions
from neurok.proposals.ranker import load_ranker

LIKELY_COUNT, MAX_TRUE_COUNT, OTHER_COUNT = 12, 8, 3  # hypotheses of a list
TRUE_COUNT = 2  # of each part that moves, among the second of these
MIN_TRUE_OVERLAP = 0.3  # of a hypothesis and a part, from which the motions of one are compared with the other's
POINT_COUNT = 200  # of a true part, that say how it moves
MIN_TURN, MAX_TURN, SLIDE = 0.3, 1.2, 0.15  # [rad], and diagonals: how far a true part is moved
MIN_BASE_SHARE = 0.2  # of the surface, that never moves, from which it is shown alone


@dataclass(frozen=True)
class TrueMotion:
    """A part that moves: its faces [m], and some of its points before and after, canonical place, [p, 3] each."""

    faces: Mask
    points: Array
    goals: Array


def find_true_motions(found: Hypotheses, truth: Articulation, areas: Array) -> list[TrueMotion]:
    """Every part that some joint moves, with all that it carries and alone, moved by a usual amount."""
    units, corners = found.units, truth.mesh.vertices[truth.mesh.faces]
    carried = enumerate_true_parts(truth)
    motions = []
    for freedom in truth.freedoms:
        faces = carried.get(freedom.joint)
        if faces is None or not freedom.upper > freedom.lower or not areas[faces].sum() > 0:
            continue
        chance = areas * faces
        face = np.random.default_rng(0).choice(len(areas), POINT_COUNT, p=chance / chance.sum())
        rest = corners[face].mean(axis=1)
        there = _move_points(rest, freedom.screw, _choose_amount(freedom.lower, freedom.upper, freedom.turns))
        points, goals = units.to_canonical(rest), units.to_canonical(there)
        motions.append(TrueMotion(faces, points, goals))
        inner = [other for other in carried.values() if not np.array_equal(other, faces) and np.all(other <= faces)]
        alone = faces & ~np.any(inner, axis=0) if inner else faces
        if alone.any() and inner:
            motions.append(TrueMotion(alone, points, goals))
    return motions


def _move_points(points: Array, screw: Array, amount: float) -> Array:
    T = exp_twist(screw[None] * amount)[0]
    return points @ T[:3, :3].T + T[:3, 3]


def _choose_amount(lower: float, upper: float, turns: bool) -> float:
    """A usual amount towards the farther limit [rad, or units of the object's diagonal]."""
    way = upper if upper >= -lower else lower
    if not turns:
        return float(np.sign(way) * SLIDE)
    return float(np.sign(way) * np.clip(0.6 * min(abs(way), 10.0), MIN_TURN, MAX_TURN))


def measure_motions(found: Hypotheses, part: int, truth: Sequence[TrueMotion], overlaps: Array) -> Array:
    """The share of a true motion that each motion of a hypothesis makes, the best of all true ones, [c]."""
    study = found.study(part)
    assert study is not None
    best = np.zeros(study.tried.count)
    for one, overlap in zip(truth, overlaps):
        if overlap < MIN_TRUE_OVERLAP:
            continue
        twist = study.tried.screws() * fit_amounts(study.tried, one.points, one.goals)[:, None]
        missed = np.sqrt(np.mean(np.sum((carry_points(twist, one.points) - one.goals) ** 2, axis=2), axis=1))
        way = np.sqrt(np.mean(np.sum((one.goals - one.points) ** 2, axis=1)))
        best = np.maximum(best, 1.0 - missed / max(float(way), 1e-9))
    return best


def choose_hypotheses(found: Hypotheses, overlaps: Array) -> Indices:
    """The hypotheses of a list; overlaps: of all with each true part, [t, h]."""
    odds = load_ranker().judge_parts(found.features)
    likely = np.argsort(-odds, kind="stable")[:LIKELY_COUNT]
    rows = np.random.default_rng(0).permutation(len(overlaps))
    true = [np.argsort(-overlaps[row], kind="stable")[:TRUE_COUNT] for row in rows]
    others = np.random.default_rng(0).permutation(len(odds))[:OTHER_COUNT]
    some = np.concatenate([np.zeros(0, dtype=np.int64), *true])[:MAX_TRUE_COUNT]
    return np.array(list(dict.fromkeys(map(int, np.concatenate([likely, some, others])))), dtype=np.int64)


def gather_motions(mesh: Mesh, truth: Articulation | None) -> dict[str, NDArray[Any]]:
    """What one state of an object teaches: arrays by name."""
    found = Hypotheses.of(mesh)
    areas = face_areas(found.units.mesh.vertices, found.units.mesh.faces)
    motions = find_true_motions(found, truth, areas) if truth is not None else []
    if not len(found.members):
        raise InputError("the surface is one unit", "leave it out")
    overlaps = np.zeros((len(motions), len(found.members)))
    for row, one in zip(overlaps, motions):
        row[:] = measure_overlap(found, areas, one.faces)
    parts = choose_hypotheses(found, overlaps)
    listed = list_possible_motions(found, parts)
    if not listed.count:
        raise InputError("nothing can be moved against the rest", "leave it out")
    kept = np.array([part for part in parts if part in listed.part], dtype=np.int64)  # those that could be studied
    share = [measure_motions(found, int(part), motions, overlaps[:, part]) for part in kept]
    return {
        "features": listed.features.astype(np.float16), "turns": listed.turns, "share": np.concatenate(share),
        "starts": np.cumsum([0, *map(len, share)]), "overlap": overlaps[:, kept], "reachable": overlaps.max(axis=1),
        "members": found.members[kept], "area": found.units.area,
    }  # fmt: skip


def take_base(pair: Pair) -> Mesh | None:
    """What no joint moves, as a thing of its own; None where that is little."""
    if pair.truth is None:
        return None
    moved = np.any(find_true_parts(pair.truth), axis=0)
    areas = face_areas(pair.mesh.vertices, pair.mesh.faces)
    if np.ndim(moved) == 0 or areas[~moved].sum() < MIN_BASE_SHARE * areas.sum():
        return None
    kept = np.unique(pair.mesh.faces[~moved], return_inverse=True)
    return Mesh(pair.mesh.vertices[kept[0]], kept[1].reshape(-1, 3), up=pair.mesh.up)


def gather_missing_motions(folder: Path, entries: Sequence[Entry], say: Callable[[str], None]) -> None:
    """The lists of all objects of which the folder has none yet: at rest and in a random state in turn, and of every
    third one the base alone."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, entry in enumerate(entries):
        stem = folder / entry.name.replace("/", "_")
        if stem.with_suffix(".done").is_file():
            continue
        try:
            pairs = read_pairs(entry)
            pair = pairs[2 * (number % 2)]
            _save_motions(stem.with_suffix(".npz"), entry, gather_motions(pair.mesh, pair.truth))
            base = take_base(pairs[0]) if number % 3 == 0 else None
            if base is not None:
                _save_motions(stem.with_suffix(".base.npz"), entry, gather_motions(base, None))
        except InputError as fault:
            say(f"{entry.name} is left out: {fault}")
        stem.with_suffix(".done").touch()
        say(f"motions of {entry.name}, {number + 1} of {len(entries)}")


def _save_motions(path: Path, entry: Entry, lists: dict[str, NDArray[Any]]) -> None:
    partial = path.with_suffix(".partial")
    with open(partial, "wb") as stream:
        facts: dict[str, NDArray[Any]] = {"name": np.array(entry.name), "category": np.array(entry.category), **lists}
        np.savez_compressed(stream, allow_pickle=False, **facts)
    partial.rename(path)
