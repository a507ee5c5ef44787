"""Candidate features: numbers of the axis, the contact and the simulated motion that speak for one candidate."""

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.proposals.candidates import Candidates, measure_axis_distances
from neurok.proposals.sampling import PartContact, SampledPart
from neurok.proposals.simulator import SMALL_STEP_COUNT, Trials, find_survivors

STEPS = ("1", "2", "3", "4", "5")
ABSOLUTE_FEATURES = (
    "turns", "upright", "along_longest", "along_shortest", "relative_extent", "pivot_in_middle", "pivot_on_edge",
    "pivot_on_corner", "pivot_farther", "pivot_nearer", "at_contact", "contact_distance", "contact_spread",
    "contact_on_axis", "axis_on_normal", "axis_in_contact", "asymmetry", "hung", "handle_distance", "handle_known",
    "outward", "survives", "one_sided", "object_along", "object_thinnest", "pivot_outward", "pivot_sideways",
    "off_centre", "toward_front", "middle_extent", "pressed", "pressed_back", "pressed_most", "grazing",
    *(f"hit_free_{s}" for s in STEPS), *(f"hit_blocked_{s}" for s in STEPS), *(f"kept_{s}" for s in STEPS),
    "kept_blocked_1", "kept_blocked_2", "kept_blocked_3",
)  # fmt: skip
COMPARED_FEATURES = (
    "hit_free_1", "hit_free_2", "hit_free_3", "hit_free_4", "kept_2", "kept_3", "kept_4", "asymmetry",
    "contact_on_axis", "contact_distance", "axis_on_normal", "along_longest", "pressed", "pressed_back",
)  # fmt: skip
CANDIDATE_FEATURES = (
    *ABSOLUTE_FEATURES,
    *(f"{name}_against_least" for name in COMPARED_FEATURES),
    *(f"{name}_against_most" for name in COMPARED_FEATURES),
)


def compute_candidate_features(
    box: Array, piece: SampledPart, meeting: PartContact, tried: Candidates, trials: Trials, asymmetry: Array
) -> Array:
    """Numbers of each candidate, [c, g], in the order of ABSOLUTE_FEATURES; box: corners of the object, [2, 3]."""
    worst = trials.worst
    free = np.argmin(worst.sum(axis=2) - 0.3 * trials.kept.sum(axis=2), axis=1)
    rows = np.arange(tried.count)
    numbers: dict[str, Array | Mask] = {
        **_describe_axis(box, piece, tried),
        **_describe_contact(piece, meeting, tried),
        "asymmetry": asymmetry,
        "survives": find_survivors(trials),
        "one_sided": np.abs(worst[:, 0, SMALL_STEP_COUNT - 1] - worst[:, 1, SMALL_STEP_COUNT - 1]),
    }
    sense = np.where(free == 0, 1.0, -1.0)
    front = piece.centre[:2] @ (tried.axis[:, :2] * sense[:, None]).T
    numbers["toward_front"] = np.where(tried.turns, 0.0, front)
    for step, name in enumerate(STEPS):
        numbers[f"hit_free_{name}"] = worst[rows, free, step]
        numbers[f"hit_blocked_{name}"] = worst[rows, 1 - free, step]
        numbers[f"kept_{name}"] = trials.kept[rows, free, step]
        numbers[f"kept_blocked_{name}"] = trials.kept[rows, 1 - free, step]
    return np.stack([np.asarray(numbers[name], dtype=np.float64) for name in ABSOLUTE_FEATURES], axis=1)


def compute_relative_features(tried: Candidates, features: Array) -> Array:
    """How a candidate differs from the least and the most among its kind, [c, 2 k]."""
    columns = [ABSOLUTE_FEATURES.index(name) for name in COMPARED_FEATURES]
    chosen = features[:, columns]
    found = np.zeros((tried.count, 2 * len(columns)))
    for mine in (tried.turns, ~tried.turns):
        found[mine] = np.hstack([chosen[mine] - chosen[mine].min(axis=0), chosen[mine] - chosen[mine].max(axis=0)])
    return found


def _describe_axis(box: Array, piece: SampledPart, tried: Candidates) -> dict[str, Array | Mask]:
    """Where the axis lies in the part's box and in the shape's."""
    along = np.ptp(piece.points @ tried.axis.T, axis=0)
    extent = np.maximum(np.sort(piece.extent), 1e-6)
    size = float(np.linalg.norm(extent))
    centre = piece.points.mean(axis=0)
    farther, nearer = tried.box.max(axis=1), tried.box.min(axis=1)
    whole = np.maximum(np.ptp(box, axis=0), 1e-6)
    thickness = np.abs(tried.axis) @ whole
    flat = lambda vectors: vectors - np.einsum("ca,ca->c", vectors, tried.axis)[:, None] * tried.axis  # noqa: E731
    arm = flat(tried.pivot - piece.centre)
    middle = flat(np.broadcast_to(piece.centre, tried.pivot.shape))
    handle = find_handle(piece)
    reach = np.maximum(measure_axis_distances(piece.points[:200], tried).max(axis=1), 1e-6)
    outward = centre[:2] @ tried.axis[:, :2].T / max(float(np.linalg.norm(centre[:2])), 1e-6)
    return {
        "turns": tried.turns,
        "upright": np.abs(tried.axis[:, 2]),
        "along_longest": along / extent[2],
        "along_shortest": extent[0] / np.maximum(along, extent[0]),
        "middle_extent": np.exp(-(((along - extent[1]) / (0.1 * extent[2])) ** 2)),
        "relative_extent": along / size,
        "pivot_in_middle": np.exp(-(farther**2) / 0.02),
        "pivot_on_edge": (farther > 0.85) & (nearer < 0.15),
        "pivot_on_corner": nearer > 0.85,
        "pivot_farther": farther,
        "pivot_nearer": nearer,
        "at_contact": tried.at_contact,
        "hung": np.clip((tried.pivot[:, 2] - centre[2]) / size, -1.0, 1.0),
        "handle_known": np.full(tried.count, handle is not None),
        "handle_distance": np.zeros(tried.count)
        if handle is None
        else measure_axis_distances(handle, tried)[:, 0] / reach,
        "outward": np.abs(outward),
        "object_along": thickness,
        "object_thinnest": whole.min() / thickness,
        # A hinge on the outer side of a part, seen from the middle of the shape.
        "pivot_outward": np.clip(np.einsum("ca,ca->c", arm, middle) / (size * 0.1), -2.0, 2.0),
        "pivot_sideways": np.linalg.norm(tried.pivot[:, :2], axis=1) - np.linalg.norm(piece.centre[:2]),
        "off_centre": np.linalg.norm(arm, axis=1) / size,
    }


def _describe_contact(piece: SampledPart, meeting: PartContact, tried: Candidates) -> dict[str, Array]:
    """How the axis lies to where the part meets the rest."""
    along = np.ptp(piece.points @ tried.axis.T, axis=0)
    reach = np.maximum(measure_axis_distances(piece.points[:200], tried).max(axis=1), 1e-6)
    touch = meeting.points[:: max(1, len(meeting.points) // 100)]
    radius = measure_axis_distances(touch, tried) / reach[:, None]
    return {
        "contact_distance": radius.mean(axis=1),
        "contact_spread": np.minimum(np.ptp(touch @ tried.axis.T, axis=0) / np.maximum(along, 1e-6), 1.5),
        "contact_on_axis": np.mean(radius < 0.15, axis=1),
        "axis_on_normal": np.mean(np.abs(meeting.normals @ tried.axis.T), axis=0),
        "axis_in_contact": radius.min(axis=1),
    } | _measure_pressing(meeting, tried)


def _measure_pressing(meeting: PartContact, tried: Candidates) -> dict[str, Array]:
    """How much the first instant of a motion presses the contact together, in its easier and its harder sense.

    A drawer grazes along all sides but the open one, a tight fit is seen although nothing has any room to collide.
    """
    chosen = slice(None, None, max(1, len(meeting.points) // 100))
    points, toward = meeting.points[chosen], meeting.toward[chosen]
    turning = np.cross(tried.axis[:, None], points[None] - tried.pivot[:, None])
    velocity = np.where(tried.turns[:, None, None], turning, tried.axis[:, None])
    speed = np.maximum(np.linalg.norm(velocity, axis=2).max(axis=1), 1e-9)
    into = np.einsum("cpa,pa->cp", velocity, toward) / speed[:, None]
    along = np.sqrt(np.maximum((velocity**2).sum(axis=2) / speed[:, None] ** 2 - into**2, 0.0))
    forth, back = np.maximum(into, 0.0).mean(axis=1), np.maximum(-into, 0.0).mean(axis=1)
    return {
        "pressed": np.minimum(forth, back),
        "pressed_back": np.maximum(forth, back),
        "pressed_most": np.minimum(np.quantile(into, 0.95, axis=1), np.quantile(-into, 0.95, axis=1)),
        "grazing": along.mean(axis=1),
    }


def find_handle(piece: SampledPart) -> Array | None:
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
