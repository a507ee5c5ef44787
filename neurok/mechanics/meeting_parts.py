"""From a state space to the contacts between its parts: which pairs may meet, and which probes count."""

import numpy as np
import torch
from scipy.spatial import cKDTree

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.triangles import face_areas
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import BoneCarrier
from neurok.mechanics.moving_parts import MovingPart, find_moving_parts
from neurok.mechanics.part_pairs import PartPairs
from neurok.mechanics.part_surface import spread_surfaces
from neurok.mechanics.rubbing import find_ranges, find_rubbing, list_sweep
from neurok.mechanics.self_contact import ProbeMemory, RestGaps, SelfContacts

SAMPLE_COUNT = 16  # states of the prior, beside the sweeps of single coordinates, in which parts are compared
OPEN_DEVIATIONS = 5.0  # how far a coordinate without limits is swept
NEAR_PAIR = 0.01  # of the diagonal: parts whose boxes never come so near are never compared
FINE_SAMPLES = 8192  # samples of the surface whose spacing is the length by which the data's own noise is judged
TOUCH_TOLERANCE = 0.1  # of that spacing: how much deeper than at rest parts may touch, and how thick sheets are
MAX_PAIR_DEPTH = 0.01  # of the diagonal: how deeply two parts may overlap anywhere, if they do somewhere at rest
OVERLAP_REACH = 2.0  # times the depth of an overlap at rest: how far around it parts may pass through each other


def build_self_contacts(
    space: Kinematics, friction: Array, slop: float, *, limited: bool, seed: int
) -> SelfContacts | None:
    """What parts may touch, or None where no two of them can meet.

    friction: of each face, [m]. slop: penetration that is left alone [file units]. limited: whether limits hold.
    """
    if space.skin is None or space.size == space.base_count or not space.prior.is_sparse:
        return None
    carrier = BoneCarrier()
    rows = carrier.compute_rows(space, _list_states(space, limited=limited, seed=seed))
    parts = find_moving_parts(space, rows, seed)
    pairs = _pair_parts(parts, _find_meeting(parts, rows, NEAR_PAIR * space.mesh.diagonal), friction)
    if pairs is None:
        return None
    rest = pairs.measure(np.arange(pairs.count), pairs.points)
    area = float(face_areas(space.mesh.vertices, space.mesh.faces).sum())
    tolerance = TOUCH_TOLERANCE * float(np.sqrt(area / FINE_SAMPLES))
    max_depth = MAX_PAIR_DEPTH * space.mesh.diagonal
    allowed = _allow_rest_gaps(pairs.couples, rest.gap, tolerance, max_depth)
    contacts = SelfContacts(pairs, allowed, tolerance, tolerance, slop, ProbeMemory(pairs))
    found = contacts.without(_find_interlocked(pairs, rest.gap, max_depth))
    return None if found is None else found.without(find_rubbing(found, space, carrier, limited=limited))


def _allow_rest_gaps(couple: Indices, gap: Array, tolerance: float, max_depth: float) -> RestGaps:
    """The gaps that probes may keep: their own at rest, [c], or, before solids, the least of the same two parts.

    Rails bring ever other points into touch, so all points may overlap as deeply as any does at rest, up to max_depth.
    """
    least = np.empty_like(gap)
    for number in np.unique(couple):
        mine = couple == number
        least[mine] = gap[mine].min()
    return RestGaps(np.minimum(gap, np.maximum(least, -max_depth)), gap, least < 2 * tolerance)


def _find_interlocked(pairs: PartPairs, gap: Array, max_depth: float) -> Indices:
    """Probes at deep overlaps at rest, as of a pin in its hinge, and around them: these belong into each other."""
    deep: Indices = np.flatnonzero(gap < -max_depth)
    within, couple = np.zeros(pairs.count, dtype=bool), pairs.couples
    for number in np.unique(couple[deep]):
        mine, some = np.flatnonzero(couple == number), deep[couple[deep] == number]
        near = cKDTree(pairs.points[mine]).query_ball_point(pairs.points[some], OVERLAP_REACH * -gap[some])
        for found in near:
            within[mine[found]] = True
    return np.flatnonzero(within)


def _list_states(space: Kinematics, *, limited: bool, seed: int) -> Array:
    """Rest, sweeps of each coordinate alone over its range, and samples of the prior, the base held, [s, k]."""
    below, above = find_ranges(space, limited=limited, deviations=OPEN_DEVIATIONS)
    rest = space.rest.numpy().astype(np.float64)
    sampled = space.prior.sample(SAMPLE_COUNT, torch.Generator().manual_seed(seed)).numpy().astype(np.float64)
    sampled[:, : space.base_count] = rest[: space.base_count]
    sweeps = [
        list_sweep(space, i, extent) for i in range(space.base_count, space.size) for extent in (-below[i], above[i])
    ]
    return np.concatenate([rest[None], sampled, *sweeps])


def _find_meeting(parts: list[MovingPart], rows: Array, margin: float) -> Mask:
    """Whether the boxes of two parts come within a margin of each other in some state, [parts, parts]."""
    meet = np.zeros((len(parts), len(parts)), dtype=bool)
    if not parts:
        return meet
    bounds = np.stack([part.surface.bounds for part in parts])
    centre, half = bounds.mean(axis=1), np.diff(bounds, axis=1)[:, 0] / 2
    bones = [part.bone for part in parts]
    for Y in rows:
        X = Y.reshape(-1, 4, 3)[bones]
        middle = np.einsum("pj,pji->pi", centre, X[:, :3]) + X[:, 3]
        reach = np.einsum("pj,pji->pi", half, np.abs(X[:, :3])) + margin / 2
        apart = np.abs(middle[:, None] - middle[None]) > reach[:, None] + reach[None]
        meet |= ~apart.any(axis=2)
    return meet & ~np.eye(len(parts), dtype=bool)


def _pair_parts(parts: list[MovingPart], meet: Mask, friction: Array) -> PartPairs | None:
    """All probes of each part beside each other part that it may meet; None where there are none."""
    first, second = np.nonzero(meet)
    if not len(first):
        return None
    probes = [parts[part].probes for part in first]
    surface, offsets = spread_surfaces([part.surface for part in parts])
    return PartPairs(
        tuple(parts),
        surface,
        offsets,
        first,
        second,
        np.repeat(np.arange(len(first)), [own.count for own in probes]),
        np.concatenate([own.position for own in probes]),
        np.concatenate([friction[own.face] for own in probes]),
    )
