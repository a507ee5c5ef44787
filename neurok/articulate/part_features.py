"""Part features: numbers of a part's shape, place and neighbours that say whether it moves."""

import numpy as np

from neurok.geometry.arrays import Array
from neurok.proposals.candidates import Candidates
from neurok.proposals.sampling import TOUCH_DISTANCE, PartContact, SampledShape
from neurok.proposals.simulator import FREE_SHARE, Trials

PART_FEATURES = (
    "area", "size", "flat", "slim", "touching", "gap", "largest", "on_ground", "height", "outward", "part_count",
    "twins", "neighbours", "asymmetry", "small_and_round", "object_height", "object_thin", "object_slim",
    "free_small", "free_middle", "free_large", "free_up", "free_down", "free_out", "turns_free", "on_top", "at_front",
    "normals_agree", "solidity", "larger_neighbour", "riders",
)  # fmt: skip


def compute_part_features(
    shape: SampledShape, number: int, meeting: PartContact, tried: Candidates, trials: Trials, asymmetry: float
) -> Array:
    """The features of a part, in the order of PART_FEATURES, [f]."""
    piece = shape.pieces[number]
    extent = np.maximum(np.sort(piece.extent), 1e-6)
    areas = np.array([p.area for p in shape.pieces])
    boxes = np.sort(np.stack([p.extent for p in shape.pieces]), axis=1)
    alike = np.all(np.abs(boxes - extent) < 0.1 * extent[2] + 0.002, axis=1)
    size = float(np.linalg.norm(extent))
    near = np.flatnonzero(shape.gaps[number] < TOUCH_DISTANCE)
    whole = np.ptp(shape.box, axis=0)
    numbers = {
        "area": np.log(max(piece.area, 1e-9) / max(areas.sum(), 1e-9)),
        "size": np.log(size),
        "flat": extent[0] / extent[2],
        "slim": extent[1] / extent[2],
        "touching": meeting.share,
        "gap": min(meeting.gap / TOUCH_DISTANCE, 3.0),
        "largest": piece.area >= areas.max(),
        "on_ground": piece.lower[2] < shape.box[0, 2] + 0.01,
        "height": piece.centre[2] / max(shape.box[1, 2], 1e-6),
        "outward": np.linalg.norm(piece.centre[:2]),
        "part_count": np.log(len(shape.pieces)),
        "twins": np.log(alike.sum()),
        "neighbours": np.log1p(len(near)),
        "asymmetry": asymmetry,
        "small_and_round": (1.0 - asymmetry) * np.exp(-4.0 * size),
        "object_height": whole[2],
        "object_thin": whole.min() / whole.max(),
        "object_slim": np.sort(whole)[1] / whole.max(),
        "on_top": piece.upper[2] > shape.box[1, 2] - 0.01,
        "at_front": np.max(np.abs(piece.centre[:2]) / np.maximum(shape.box[1, :2], 1e-6)),
        "normals_agree": np.linalg.norm(meeting.normals.mean(axis=0)),
        "solidity": piece.area / (2.0 * (extent[0] * extent[1] + extent[1] * extent[2] + extent[0] * extent[2])),
        "larger_neighbour": np.log(max(areas[near].max(initial=0.0), 1e-9) / max(piece.area, 1e-9)),
        "riders": len(shape.riders(number)) > 0,
    } | _measure_freedom(piece.centre, tried, trials)
    return np.array([float(numbers[name]) for name in PART_FEATURES])


def _measure_freedom(centre: Array, tried: Candidates, trials: Trials) -> dict[str, float]:
    """In how many of the six senses along the shape's axes a part slides freely, and how freely it turns."""
    slides = np.flatnonzero(~tried.turns)[:3]  # the shape's own axes come first
    is_open = trials.worst[slides] < FREE_SHARE
    _, short, middle, long, _ = np.moveaxis(is_open, 2, 0)  # by the steps of the simulator, [3, 2] each
    signs = np.array([1.0, -1.0])
    outwards = tried.axis[slides][:, None] * signs[None, :, None] @ (centre / max(float(np.linalg.norm(centre)), 1e-6))
    turning = trials.worst[tried.turns]
    return {
        "free_small": short.mean(),
        "free_middle": middle.mean(),
        "free_large": long.mean(),
        "free_up": middle[2, 0],
        "free_down": middle[2, 1],
        "free_out": np.max(np.where(middle, outwards, -1.0)),
        "turns_free": np.mean(turning[:, :, 2].min(axis=1) < FREE_SHARE),
    }
