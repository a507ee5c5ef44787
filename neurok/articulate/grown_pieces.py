"""Grown pieces: what grows out of a moving part and touches hardly anything else goes with it, and its free way is
measured anew.

Proposals let small components ride on what they touch. Where handles, knobs and rings are fused with the part that they
sit on, they are no components, and a part that leaves its handle behind is stopped by it.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.geometry.arrays import Indices, Mask
from neurok.geometry.components import connect
from neurok.proposals.candidates import Candidates
from neurok.proposals.hypotheses import PART_SAMPLE_COUNT
from neurok.proposals.mechanism import PartMotion
from neurok.proposals.sampling import find_contact
from neurok.proposals.simulator import Surroundings, find_free_way, find_steps
from neurok.proposals.trees import RIDER_AREA_SHARE, RIDER_CONTACT_SHARE
from neurok.proposals.units import Units


def add_grown_pieces(units: Units, owner: Indices, moving: Sequence[PartMotion]) -> tuple[Indices, list[PartMotion]]:
    """The moving part of each unit, [u], and the parts' motions; owner: 0 where a unit stays, else one more than the
    number of its part."""
    grown = find_grown_units(units, owner)
    motions = list(moving)
    for number in np.unique(grown[grown != owner]):
        motions[number - 1] = _add_units(units, moving[number - 1], (grown == number) & (owner == 0))
    return grown, motions


def find_grown_units(units: Units, owner: Indices) -> Indices:
    """The part of each unit, [u], where pieces that stay go with the moving part that they share edges with, if that is
    one alone, larger, and nearly all that they touch."""
    stays = owner == 0
    edges = np.stack(np.nonzero((units.border.length > 0) & stays[:, None] & stays[None]), axis=1)
    piece = connect(units.count, edges)
    pieces = np.unique(piece[stays])
    in_piece, in_part = (piece == pieces[:, None]) & stays, owner == np.arange(int(owner.max(initial=0)) + 1)[:, None]
    P, Q = in_piece.astype(np.float64), in_part.astype(np.float64)
    touch = units.contact + units.contact.T
    edge, near = P @ units.border.length @ Q[1:].T, P @ touch @ Q[1:].T  # [pieces, moving parts]
    if not edge.size:
        return owner
    outside = (P @ touch * (1.0 - P)).sum(axis=1)
    carrier, row = edge.argmax(axis=1), np.arange(len(pieces))
    area = P @ units.area
    grown = edge[row, carrier] > RIDER_CONTACT_SHARE * edge.sum(axis=1)
    grown &= near[row, carrier] > RIDER_CONTACT_SHARE * outside
    grown &= (area < RIDER_AREA_SHARE * (Q[1:] @ units.area)[carrier]) & (area < area.max())
    found = owner.copy()
    for number in np.flatnonzero(grown):
        found[in_piece[number]] = carrier[number] + 1
    return found


def _add_units(units: Units, part: PartMotion, added: Mask) -> PartMotion:
    """A part with more units, and how far it goes with them."""
    members = part.members | added
    away = ~members[units.owner]
    if not away.any():
        return part
    piece, rest = units.take_part(members, PART_SAMPLE_COUNT), Surroundings(units.points[away], units.normals[away])
    contact = find_contact(piece, rest.points, rest.normals)
    one = Candidates(
        np.array([part.turns]), part.axis[None], part.pivot[None], np.zeros((1, 2)), np.zeros(1, dtype=bool)
    )
    ways = find_free_way(piece, contact, rest, one, find_steps(piece.size, part.turns))
    return replace(part, members=members, ways=ways, along=float(np.ptp(piece.points @ part.axis)), size=piece.size)
