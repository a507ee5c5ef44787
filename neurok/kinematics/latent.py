"""The learned state space of a plain mesh: a network's modes on handles, and the skin that carries the vertices.

The network first says whether the shape is a mechanism, of which few parts move, or a body, which bends or walks. Of a
mechanism it knows the parts and their joints; of a body, shapes of motion are taken from elasticity (see `body`).
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.handles import Handles
from neurok.geometry.mesh import Mesh, split_corners
from neurok.geometry.observation import Observation, observe_surface
from neurok.geometry.rotation import rotation
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.bilateral import bilateral_skin, grouped, rigid_groups, torn_corners, vertex_handles
from neurok.kinematics.body import body
from neurok.kinematics.crisp import crisp_modes
from neurok.kinematics.in_file import origin_in_file, skin_in_file, twists_in_file
from neurok.kinematics.leeway import USUAL, leeway
from neurok.kinematics.modes import Modes, completed, mode_products, ordered_modes, twist_roots
from neurok.kinematics.naming import bone_names
from neurok.kinematics.prior import sparse_prior
from neurok.kinematics.twists import Twists
from neurok.networks.basis import Basis
from neurok.networks.handles import HandlesModel
from neurok.networks.proposals import propose
from neurok.networks.shapes import Shapes, handle_geometry, shapes_from_input

POINTS = 2048
HANDLES = 128
MOST = 16  # coordinates
TURNS = 4  # sides from which the network looks at the object
MARGIN = 1.2  # beyond what nearly all states keep to
KNOWN_MARGIN = 2.0  # the same where what is known of a state tells how far it goes
SURE = 0.5  # of these sides from which a mode must be seen to stand for itself
DOUBT = 10.0  # how much unlikelier, in its logarithm, a mode that was seen from no side would be to move
UNLIKELY = 200.0  # the same of what is only held possible: it moves where points leave no choice
SLACK = 6.0  # how many times as much handles of one rigid part may differ in what is only held possible
BENDS = 0.0  # logit of being a body, above which it is one
MOST_BENT = 160  # coordinates of a body, where what is known of a state is much
FEWER = 64  # handles of a body in MOST coordinates: so few bend it no finer than these can, and each handle costs time
UNSURE = 0.05  # how far a part that hardly seems to move is held to move [diagonals], at one deviation


@dataclass(frozen=True)
class LearnedOptions:
    """How a learned state space is made.

    purpose: 'move', or 'fit' for a space that also has coordinates for what the network holds possible without being
        sure of it, up to MOST in all (a soft body has many more), since a target tells what moved.
    is_soft: whether the object is a body that bends, where that is known better than by the network.
    split: give faces that move with different parts vertices of their own (the space's mesh then has more vertices,
        the first ones and the order of faces as they were); otherwise what lies between two parts stretches. Soft
        bodies are never split.
    point_count: samples of the surface that the network sees. handle_count: regions that may move on their own, at
        most. seed: of the samples.
    """

    purpose: str = "move"
    is_soft: bool | None = None
    split: bool = False
    point_count: int = POINTS
    handle_count: int = HANDLES
    seed: int = 0


def latent(mesh: Mesh, model: HandlesModel, options: LearnedOptions | None = None) -> Twists:
    """The states a mesh can take as a model has learned it; in the file's own axes and units."""
    options = options or LearnedOptions()
    possible, bends, tear, handles = options.purpose == "fit", options.is_soft, options.split, options.handle_count
    points, seed = options.point_count, options.seed
    observation = observe_surface(mesh, points, np.random.default_rng(seed))
    place, seen, where = observation.place, observation.mesh, observation.samples
    patch, component = observation.face_patch, observation.face_component
    fewer = handles if possible else min(handles, FEWER)  # of a body
    placed = observation.place_handles(fewer if bends else handles)
    looks = _looks(model, observation, placed)
    if bends is None:
        bends = bool(np.mean([float(look.basis.bends) for look in looks]) > BENDS)
        if bends and fewer < handles:
            placed = observation.place_handles(fewer)
            looks = _looks(model, observation, placed)
    if bends:
        most, modes = MOST_BENT if possible else MOST, _seen_modes(looks, where, placed, possible)
        return body(mesh, seen, where, placed, component, modes, place, count=most, known=possible)
    modes = _modes(looks, where, placed, possible)
    sure = modes.support >= SURE
    crisp, gate = crisp_modes(modes.twist, where, placed, patch[where.face])
    told, gate = np.where(sure[:, None], crisp, modes.twist), np.where(sure, gate, 0.0)
    twist, group = rigid_groups(told, where, placed, np.where(modes.support > 0, 1.0, SLACK))
    doubt = np.where(modes.support > 0, 1.0 + DOUBT * np.maximum(1.0 - modes.support, 0.0), UNLIKELY)
    mends = None
    if possible:
        centre = where.position[placed.anchor]
        modes, gate, doubt, mends = _with_leeway(replace(modes, twist=twist), gate, doubt, group, centre)
        twist = modes.twist
    own = vertex_handles(seen, patch, where, placed)
    source = np.arange(mesh.vertex_count)
    if tear:
        corners = torn_corners(seen, patch, where, placed, twist, group, own)
        mesh, source, own = _torn(mesh, corners, own, group)
    joints, weights = bilateral_skin(seen.vertices[source], own, where.position[placed.anchor], twist, gate)
    first = np.unique(group, return_index=True)[1]  # of each group
    skin = skin_in_file(where.position[placed.anchor[first]], *grouped(joints, weights, group), place)
    skin = replace(skin, names=bone_names(mesh, skin))
    basis = twists_in_file(twist[first], place)
    usual = modes.sides * (MARGIN / KNOWN_MARGIN) if possible else modes.sides
    if mends is not None:
        usual = np.where(mends[:, None] >= 0, USUAL, usual)
    prior = sparse_prior(modes.sides, typical=usual, penalty=doubt, corrects=mends)
    return Twists(mesh, skin, basis, origin=origin_in_file(place), prior=prior)


@dataclass(frozen=True)
class Look:
    """What the network says of an object that was turned by R, [3, 3]."""

    R: Array
    seen: Shapes
    basis: Basis


def _looks(model: HandlesModel, observation: Observation, placed: Handles) -> list[Look]:
    """The object from several sides, the first as it is."""
    found = []
    for turn in range(TURNS):
        R = rotation(np.array([0.0, 0.0, 2.0 * np.pi * turn / TURNS]))
        seen = shapes_from_input(observation.rotate_samples(R).network_input(placed))
        found.append(Look(R, seen, model.basis(seen)))
    return found


def _seen_modes(looks: list[Look], where: SurfacePoints, placed: Handles, possible: bool) -> Modes:
    """The distinct modes of all sides; its chance errors average out in those that are seen from many."""
    margin = KNOWN_MARGIN if possible else MARGIN
    sides = np.concatenate([margin * look.basis.reach[0].double().numpy() for look in looks])
    twist = np.concatenate([_turned(look.basis.twist, look.R) for look in looks], axis=1)
    share = len(looks)
    every = Modes(twist / np.sqrt(share), sides * np.sqrt(share), np.full(len(sides), 1.0 / share))
    return ordered_modes(every, where, placed)


def _modes(looks: list[Look], where: SurfacePoints, placed: Handles, possible: bool) -> Modes:
    """The modes that the network is sure of, and, without any support, what it holds possible besides.

    It looks at the object from several sides: what it sees from most of them is a mode. What it sees from one only, and
    what its votes say of parts that hardly seem to move, fill the coordinates that are left.
    """
    every = _seen_modes(looks, where, placed, possible)
    sure = every.support >= SURE
    first = Modes(every.twist[:, sure], every.sides[sure], every.support[sure])
    square = np.diag(mode_products(every.twist, where, placed))
    if not possible and square[sure].sum() > square[~sure].sum():
        return first
    voted = []
    for look in looks:
        unsure = replace(look.basis.votes, reach=look.basis.votes.reach.clamp_min(UNSURE))
        with torch.inference_mode():
            further = propose(unsure, handle_geometry(look.seen), MOST)
        voted.append(_turned(further.gate.sigmoid()[..., None] * further.screw[:, None], look.R))
    others = np.concatenate([every.twist[:, ~sure], np.concatenate(voted, axis=1) / np.sqrt(len(looks))], axis=1)
    geometry = handle_geometry(looks[0].seen)
    centre, moments, area = (x[0].double().numpy() for x in (geometry.centre, geometry.moments, geometry.area))
    return completed(first, others, twist_roots(centre, moments, area), MOST)


def _with_leeway(
    modes: Modes, gate: Array, doubt: Array, group: Indices, centre: Array
) -> tuple[Modes, Array, Array, Indices]:
    """Modes that were seen, leeway for their axes, and as much of what is only held possible as there is room for; how
    far handles follow each, its doubt, and which it mends."""
    seen = np.flatnonzero(modes.support > 0)
    first = Modes(modes.twist[:, seen], modes.sides[seen], modes.support[seen])
    more, price, mended = leeway(first, gate[:, seen], group, centre, MOST - len(seen))
    rest = np.flatnonzero(modes.support == 0)[: MOST - len(seen) - more.count]
    last = Modes(modes.twist[:, rest], modes.sides[rest], modes.support[rest])
    every = [first, more, last]
    loose = np.zeros((len(gate), more.count))
    return (
        Modes(
            np.concatenate([each.twist for each in every], axis=1),
            np.concatenate([each.sides for each in every]), np.concatenate([each.support for each in every]),
        ),
        np.concatenate([gate[:, seen], loose, gate[:, rest]], axis=1),
        np.concatenate([doubt[seen], price, doubt[rest]]),
        np.concatenate([np.full(len(seen), -1), mended, np.full(len(rest), -1)]),
    )  # fmt: skip


def _turned(twist: Tensor, R: Array) -> Array:
    """Twists [1, h, m, 6] of an object that was turned by R, of the object as it is, [h, m, 6]."""
    return (twist[0].double().numpy().reshape(*twist.shape[1:3], 2, 3) @ R).reshape(*twist.shape[1:3], 6)


def _torn(mesh: Mesh, corners: Indices, own: Indices, group: Indices) -> tuple[Mesh, Indices, Indices]:
    """The mesh with vertices of their own for corners [m, 3] that leave; where each came from, and its handle."""
    attributes = {**mesh.corner_attributes, "part": corners[..., None].astype(np.float64)}
    split, source = split_corners(replace(mesh, corner_attributes=attributes))
    part = np.asarray(split.attributes["part"])[:, 0].astype(np.int64)
    kept = {name: value for name, value in split.attributes.items() if name != "part"}
    first_of = np.array([np.flatnonzero(group == g)[0] for g in range(group.max() + 1)])
    return replace(split, attributes=kept), source, np.where(part > 0, first_of[part - 1], own[source])
