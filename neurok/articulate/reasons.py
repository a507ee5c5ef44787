"""Reasons: what speaks for a motion of a part, as numbers; nothing in them knows a category or a name.

A part's own numbers say whether it turns, slides or stays; a candidate's say which motion it is. The score of a
candidate is a weighted sum, that of staying is zero, and shares of exp(score) are the chances (a conditional logit).
The weights stand in reasons.json; `python -m benchmarks.calibrate_search` fits them on annotated shapes.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from neurok.articulate.candidates import Candidates, candidates
from neurok.articulate.pieces import NEIGHBOUR, Contact, Piece, Shape, contact
from neurok.articulate.simulator import SMALL, Rest, Trials, simulate, survivors, symmetry
from neurok.geometry.mesh import Array

KINDS = ("revolute", "prismatic")
NEAR_MIDDLE = 0.2  # of the box: a pivot there may be an axis of symmetry


@dataclass(frozen=True)
class Study:
    """All that is known of one part: its motions tried, what happened, and the reasons, part [f], candidates [c, g]."""

    piece: Piece
    contact: Contact | None
    rest: Rest
    tried: Candidates
    trials: Trials
    part: Array
    reasons: Array


def study(shape: Shape, number: int) -> Study | None:
    """Try all motions of one part; None where there is nothing it could move against."""
    piece = shape.pieces[number]
    points, normals, _ = shape.rest(number)
    if len(points) == 0 or not np.linalg.norm(piece.extent) > 1e-6:
        return None
    meeting, rest = contact(piece, points, normals), Rest(points, normals)
    tried = candidates(piece, meeting)
    trials = simulate(piece, meeting, rest, tried)
    middle = np.flatnonzero(tried.turns & (tried.box.max(axis=1) < NEAR_MIDDLE))
    round_ = symmetry(piece, shape.trees[number], tried, middle)
    part = part_reasons(shape, number, meeting, float(round_.min(initial=1.0)))
    return Study(piece, meeting, rest, tried, trials, part, candidate_reasons(piece, meeting, tried, trials, round_))


# ---------------------------------------------------------------- parts

PART_REASONS = (
    "always", "area", "size", "flat", "slim", "touching", "gap", "largest", "on_ground", "height", "outward",
    "part_count", "twins", "neighbours", "asymmetry", "small_and_round",
)  # fmt: skip


def part_reasons(shape: Shape, number: int, meeting: Contact, asymmetry: float) -> Array:
    """Numbers of a part, in the order of PART_REASONS."""
    piece = shape.pieces[number]
    extent = np.sort(piece.extent)
    areas = np.array([p.area for p in shape.pieces])
    boxes = np.sort(np.stack([p.extent for p in shape.pieces]), axis=1)
    alike = np.all(np.abs(boxes - extent) < 0.1 * extent[2] + 0.002, axis=1)
    size = float(np.linalg.norm(extent))
    numbers = {
        "always": 1.0,
        "area": np.log(max(piece.area, 1e-9) / max(areas.sum(), 1e-9)),
        "size": np.log(size),
        "flat": extent[0] / extent[2],
        "slim": extent[1] / extent[2],
        "touching": meeting.share,
        "gap": min(meeting.gap / NEIGHBOUR, 3.0),
        "largest": float(piece.area >= areas.max()),
        "on_ground": float(piece.lower[2] < shape.box[0, 2] + 0.01),
        "height": piece.centre[2] / max(shape.box[1, 2], 1e-6),
        "outward": float(np.linalg.norm(piece.centre[:2])),
        "part_count": np.log(len(shape.pieces)),
        "twins": np.log(alike.sum()),
        "neighbours": np.log1p(np.count_nonzero(shape.gaps[number] < NEIGHBOUR)),
        "asymmetry": asymmetry,
        "small_and_round": (1.0 - asymmetry) * np.exp(-4.0 * size),
    }
    return np.array([numbers[name] for name in PART_REASONS])


# ---------------------------------------------------------------- candidates

_STEPS = ("4", "15", "40", "90", "150")
CANDIDATE_REASONS = (
    "always", "upright", "along_longest", "along_shortest", "relative_extent", "pivot_in_middle", "pivot_on_edge",
    "pivot_on_corner", "pivot_farther", "pivot_nearer", "at_contact", "contact_distance", "contact_spread",
    "contact_on_axis", "axis_on_normal", "axis_in_contact", "asymmetry", "hung", "handle_distance", "outward",
    "survives", "one_sided", *(f"hit_free_{s}" for s in _STEPS), *(f"hit_blocked_{s}" for s in _STEPS[:3]),
    *(f"kept_{s}" for s in _STEPS), "upright_middle", "flat_edge",
)  # fmt: skip


def candidate_reasons(piece: Piece, meeting: Contact, tried: Candidates, trials: Trials, asymmetry: Array) -> Array:
    """Numbers of each candidate, [c, g], in the order of CANDIDATE_REASONS."""
    seen = piece.points @ tried.axis.T
    along = np.ptp(seen, axis=0)
    extent = np.maximum(np.sort(piece.extent), 1e-6)
    size = float(np.linalg.norm(extent))
    centre = piece.points.mean(axis=0)
    radius = _from_axis(piece.points[:: max(1, len(piece.points) // 200)], tried)
    reach = np.maximum(radius.max(axis=1), 1e-6)
    touch = meeting.points[:: max(1, len(meeting.points) // 100)]
    touch_radius = _from_axis(touch, tried) / reach[:, None]
    touch_along = np.ptp(touch @ tried.axis.T, axis=0) / np.maximum(along, 1e-6)
    farther, nearer = tried.box.max(axis=1), tried.box.min(axis=1)
    middle, edge = np.exp(-(farther**2) / 0.02), (farther > 0.85) & (nearer < 0.15)
    worst = trials.worst
    free = np.argmin(worst.sum(axis=2) - 0.3 * trials.kept.sum(axis=2), axis=1)
    rows = np.arange(tried.count)
    upright = np.abs(tried.axis[:, 2])
    handle = _handle(piece)
    outward = centre[:2] @ tried.axis[:, :2].T / max(float(np.linalg.norm(centre[:2])), 1e-6)
    numbers = {
        "always": np.ones(tried.count),
        "upright": upright,
        "along_longest": along / extent[2],
        "along_shortest": extent[0] / np.maximum(along, extent[0]),
        "relative_extent": along / size,
        "pivot_in_middle": middle,
        "pivot_on_edge": edge,
        "pivot_on_corner": nearer > 0.85,
        "pivot_farther": farther,
        "pivot_nearer": nearer,
        "at_contact": tried.at_contact,
        "contact_distance": touch_radius.mean(axis=1),
        "contact_spread": np.minimum(touch_along, 1.5),
        "contact_on_axis": np.mean(touch_radius < 0.15, axis=1),
        "axis_on_normal": np.mean(np.abs(meeting.normals @ tried.axis.T), axis=0),
        "axis_in_contact": np.min(touch_radius, axis=1),
        "asymmetry": asymmetry,
        "hung": np.clip((tried.pivot[:, 2] - centre[2]) / max(size, 1e-6), -1.0, 1.0),
        "handle_distance": np.zeros(tried.count) if handle is None else _from_axis(handle, tried)[:, 0] / reach,
        "outward": np.abs(outward),
        "survives": survivors(trials),
        "one_sided": np.abs(worst[:, 0, SMALL - 1] - worst[:, 1, SMALL - 1]),
        "upright_middle": upright * middle,
        "flat_edge": edge * extent[0] / extent[2],
    }
    for step, name in enumerate(_STEPS):
        numbers[f"hit_free_{name}"] = worst[rows, free, step]
        numbers[f"hit_blocked_{name}"] = worst[rows, 1 - free, step]
        numbers[f"kept_{name}"] = trials.kept[rows, free, step]
    return np.stack([np.asarray(numbers[name], dtype=np.float64) for name in CANDIDATE_REASONS], axis=1)


def _from_axis(points: Array, tried: Candidates) -> Array:
    """Distances of points [p, 3] from every candidate's axis, [c, p]."""
    offset = points[None] - tried.pivot[:, None]
    along = np.einsum("cpa,ca->cp", offset, tried.axis)
    return np.sqrt(np.maximum(np.einsum("cpa,cpa->cp", offset, offset) - along**2, 0.0))


def _handle(piece: Piece) -> Array | None:
    """The middle of what sticks out of a flat part, [1, 3]; None where nothing does."""
    thin = int(np.argmin(piece.extent))
    if piece.extent[thin] > 0.4 * np.sort(piece.extent)[1]:
        return None
    flat = np.abs(piece.normals[:, thin]) > 0.8
    if flat.sum() < 8:
        return None
    height = piece.points[:, thin]
    low, high = np.quantile(height[flat], [0.2, 0.8])
    margin = max(0.005, 0.15 * piece.extent[thin])
    out = (height > high + margin) | (height < low - margin)
    if not 0.005 < out.mean() < 0.35:
        return None
    return piece.points[out].mean(axis=0)[None]


# ---------------------------------------------------------------- scores


@cache
def weights() -> dict[str, tuple[Array, Array]]:
    """For each kind, the weights of the part's reasons [f] and of the candidate's [g]."""
    table = json.loads(files("neurok.articulate").joinpath("reasons.json").read_text(encoding="utf-8"))
    return {
        kind: (
            np.array([table[kind]["part"].get(name, 0.0) for name in PART_REASONS]),
            np.array([table[kind]["candidate"].get(name, 0.0) for name in CANDIDATE_REASONS]),
        )
        for kind in KINDS
    }


def scores(found: Study) -> Array:
    """The score of each candidate, [c]; staying has the score zero."""
    total = np.empty(found.tried.count)
    for kind, mine in zip(KINDS, (found.tried.turns, ~found.tried.turns)):
        of_part, of_candidate = weights()[kind]
        total[mine] = found.part @ of_part + found.reasons[mine] @ of_candidate
    return total


def chances(found: Study) -> dict[str, float]:
    """How likely the part stays, turns and slides."""
    score = scores(found)
    top = max(float(score.max()), 0.0)
    shares = np.exp(score - top)
    turning, sliding, staying = shares[found.tried.turns].sum(), shares[~found.tried.turns].sum(), np.exp(-top)
    whole = turning + sliding + staying
    return {"fixed": staying / whole, "revolute": turning / whole, "prismatic": sliding / whole}
