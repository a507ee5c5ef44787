"""Numbers of every hypothesis that say whether it is a part that moves: how it is cut from the rest, its shape and
place, and how it differs from the next larger and the next smaller hypothesis. None of them knows a category."""

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.proposals.sampling import SMALL_LENGTH, TINY
from neurok.proposals.trees import RIDER_CONTACT_SHARE, list_members, measure_firmness
from neurok.proposals.units import Units

CUT_FEATURES = (
    "area", "unit_count", "cut_firm", "cut_plain", "cut_concave", "cut_crowded", "cut_contact", "split_components",
    "whole_components", "is_component", "left_over",
)  # fmt: skip
SHAPE_FEATURES = (
    "size", "flat", "slim", "solidity", "height", "top", "bottom", "on_ground", "on_top", "outward", "at_side", "twins",
    "object_flat", "object_slim", "object_up", "long_axis_up", "thin_axis_up", "unit_total", "component_total",
)  # fmt: skip
COMPARED_FEATURES = ("cut_firm", "cut_concave", "cut_crowded", "cut_contact")
NEST_FEATURES = (
    "has_outer", "outer_area", *(f"outer_{name}" for name in COMPARED_FEATURES),
    "has_inner", "inner_area", *(f"inner_{name}" for name in COMPARED_FEATURES),
)  # fmt: skip
HYPOTHESIS_FEATURES = (*CUT_FEATURES, *SHAPE_FEATURES, *NEST_FEATURES)


def describe_hypotheses(units: Units, members: Mask) -> Array:
    """The numbers of HYPOTHESIS_FEATURES of hypotheses [h, u], [h, f]."""
    if len(members) == 0:  # the surface is one unit
        return np.zeros((0, len(HYPOTHESIS_FEATURES)))
    cuts = _describe_cuts(units, members)
    return np.hstack([cuts, _describe_shapes(units, members), _describe_nesting(units, members, cuts)])


def _describe_cuts(units: Units, members: Mask) -> Array:
    M, border = members.astype(np.float64), units.border
    area = M @ units.area
    touch = units.contact + units.contact.T
    side = np.sqrt(np.maximum(area, 1e-9))  # a length of the part's own

    def cut(between: Array) -> Array:
        """What leads out of each part, [h]."""
        return np.einsum("hu,hu->h", M @ between, 1.0 - M)

    components = list_members(units.component).astype(np.float64)
    of_component = components @ units.area
    share = (M * units.area) @ components.T / np.maximum(of_component, 1e-12)  # of each component, [h, c]
    full, split = share >= 1.0 - TINY, (share > TINY) & (share < 1.0 - TINY)
    outside = np.maximum((components @ touch * (1.0 - components)).sum(axis=1), 1e-9)
    rides = (components @ touch @ M.T / outside[:, None] > RIDER_CONTACT_SHARE).T & (share <= TINY)
    numbers = {
        "area": np.log(np.maximum(area / units.area.sum(), 1e-6)),
        "unit_count": np.log(M.sum(axis=1)),
        "cut_firm": cut(measure_firmness(units)) / side,
        "cut_plain": cut(np.maximum(border.length - border.crowded, 0.0)) / side,
        "cut_concave": cut(border.concave) / side,
        "cut_crowded": cut(border.crowded) / side,
        "cut_contact": np.log1p(cut(touch)) - np.log1p(M @ touch.sum(axis=1)),
        "split_components": np.minimum(split.sum(axis=1), 5),
        "whole_components": np.log1p(full.sum(axis=1)),
        "is_component": (full.sum(axis=1) == 1) & ~split.any(axis=1),
        "left_over": rides @ of_component / np.maximum(area, 1e-9),
    }
    return np.stack([np.asarray(numbers[name], dtype=np.float64) for name in CUT_FEATURES], axis=1)


def _describe_shapes(units: Units, members: Mask) -> Array:
    lower = np.where(members[:, :, None], units.lower, np.inf).min(axis=1)
    upper = np.where(members[:, :, None], units.upper, -np.inf).max(axis=1)
    extent, area = np.maximum(upper - lower, 1e-6), members.astype(np.float64) @ units.area
    thin, middle, long = np.sort(extent, axis=1).T
    box = np.array([units.lower.min(axis=0), units.upper.max(axis=0)])
    whole, high = np.ptp(box, axis=0), max(float(box[1, 2]), 1e-6)
    least, between, most = np.sort(whole)
    centre, every = 0.5 * (lower + upper), np.ones(len(members))
    numbers = {
        "size": np.log(np.linalg.norm(extent, axis=1)),
        "flat": thin / long,
        "slim": middle / long,
        "solidity": area / (2.0 * (thin * middle + middle * long + thin * long)),
        "height": centre[:, 2] / high,
        "top": upper[:, 2] / high,
        "bottom": lower[:, 2] / high,
        "on_ground": lower[:, 2] < box[0, 2] + SMALL_LENGTH,
        "on_top": upper[:, 2] > box[1, 2] - SMALL_LENGTH,
        "outward": np.linalg.norm(centre[:, :2], axis=1),
        "at_side": (np.minimum(np.abs(lower - box[0]), np.abs(box[1] - upper)) < SMALL_LENGTH).sum(axis=1),
        "twins": np.log1p(_count_twins(members, np.stack([thin, middle, long], axis=1), area)),
        "object_flat": every * least / most,
        "object_slim": every * between / most,
        "object_up": every * whole[2] / most,
        "long_axis_up": extent[:, 2] / long,
        "thin_axis_up": thin / extent[:, 2],
        "unit_total": every * np.log(units.count),
        "component_total": every * np.log(len(np.unique(units.component))),
    }
    return np.stack([np.asarray(numbers[name], dtype=np.float64) for name in SHAPE_FEATURES], axis=1)


def _count_twins(members: Mask, extent: Array, area: Array) -> Array:
    """How many hypotheses of the same size and area lie elsewhere, [h]; extent: sorted sides of the boxes, [h, 3]."""
    M = members.astype(np.float64)
    alike = np.abs(extent[:, None] - extent[None]).max(axis=2) < 0.03 * extent[:, None, 2] + 0.002
    alike &= np.abs(np.log(area[:, None] / area[None])) < 0.1
    return (alike & ((M @ M.T) == 0)).sum(axis=1)


def _describe_nesting(units: Units, members: Mask, cuts: Array) -> Array:
    """How the cuts of the smallest hypothesis around each and of the largest within it differ from its own."""
    M = members.astype(np.float64)
    size, area = M.sum(axis=1), M @ units.area
    within = ((M @ M.T) == size[:, None]) & (size[:, None] < size[None])  # row inside column
    columns = [CUT_FEATURES.index(name) for name in COMPARED_FEATURES]
    found = []
    for inside, sign in ((within, 1.0), (within.T, -1.0)):
        candidates = np.where(inside, sign * area[None], np.inf)
        nearest, exists = candidates.argmin(axis=1), inside.any(axis=1)
        ratio = np.log(np.maximum(area[nearest], 1e-12) / np.maximum(area, 1e-12))
        rows = np.hstack([ratio[:, None], (cuts[nearest] - cuts)[:, columns]])
        found += [exists[:, None].astype(np.float64), np.where(exists[:, None], rows, 0.0)]
    return np.hstack(found)
