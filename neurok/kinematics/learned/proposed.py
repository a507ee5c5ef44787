"""Proposing: a learned state space that proposes parts and motions for a target, where its own modes know none.

What dragged points, corresponding points or a surface mean is found among parts that geometry proposes (see the room
`proposals`); the state space of the answer has one coordinate for each part that moves, which takes it along its screw.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.far import translate_mesh
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.extrapolation import ROUNDING
from neurok.kinematics.learned.bone_names import bone_names
from neurok.kinematics.learned.file_frame import origin_in_file, skin_in_file, twists_in_file
from neurok.kinematics.learned.skin import split_mesh
from neurok.kinematics.prior import SparsePrior, sparse_prior
from neurok.kinematics.twists import MAX_WEIGHTS, Twists
from neurok.proposals.assignment import Assignment
from neurok.proposals.correspondence import assign_corresponding
from neurok.proposals.drag import assign_drag
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.ranker import Ranker
from neurok.proposals.registration import SurfaceTarget, register_surface
from neurok.proposals.units import Units


class PartScrews(Twists):
    """One coordinate for each part that moves, along its screw: an angle [rad] where `turns` [k], else a length."""

    def __init__(self, mesh: Mesh, skin: Skin, basis: Array, *, origin: Array, prior: SparsePrior, turns: Mask) -> None:
        names = tuple(f"{name} {'turns' if turn else 'slides'}" for name, turn in zip(skin.names[1:], turns))
        super().__init__(mesh, skin, basis, origin=origin, names=names, prior=prior)
        self.turns = turns


@dataclass(frozen=True)
class ProposedState:
    """A state space made for a target, and the state in it that answers the target, [k]."""

    space: PartScrews
    state: Array


class Proposer:
    """What geometry proposes for a target on a mesh.

    whole: the mesh. most: coordinates of a proposed state, at most. split: whether faces of parts that move apart get
    vertices of their own. ranker: another one than that of the package, where kinds are left out.
    """

    def __init__(self, whole: Mesh, *, most: int, split: bool = False, ranker: Ranker | None = None) -> None:
        self.whole, self.most, self.split, self.ranker = whole, most, split, ranker

    @cached_property
    def proposals(self) -> Hypotheses:
        """What could move; found once, when it is first asked for."""
        return Hypotheses.of(self.whole)

    def propose_points(self, where: SurfacePoints, goals: Array, *, corresponding: bool) -> ProposedState | None:
        """The likeliest state that takes points to their goals [p, 3]; None where no part can."""
        on_face = where.face >= 0  # a stray vertex lies on none, and no part takes it along
        if not on_face.any():
            return None
        found, unit = self.proposals, self.proposals.units.face[where.face[on_face]]
        points, goals = (found.units.to_canonical(x[on_face]) for x in (where.position, goals))
        if corresponding:
            moved = assign_corresponding(found, unit, points, goals, self.most)
        else:
            moved = assign_drag(found, unit, points, goals, self.ranker)
        return self._make_state(moved)

    def propose_vertices(self, goals: Array) -> ProposedState | None:
        """The likeliest state that takes all vertices to their goals [n, 3]; None where nothing moves.

        A vertex speaks for all faces around it, so that the faces of a coarse mesh are all heard.
        """
        found, faces = self.proposals, self.whole.faces
        points, goals = (found.units.to_canonical(x[faces].reshape(-1, 3)) for x in (self.whole.vertices, goals))
        return self._make_state(assign_corresponding(found, np.repeat(found.units.face, 3), points, goals, self.most))

    def propose_surface(self, samples: SurfacePoints) -> ProposedState | None:
        """The state whose surface comes nearest to another one, given by samples; None where no part comes nearer."""
        place = self.proposals.units.place
        normals = samples.normal @ (place[:3, :3] / np.linalg.norm(place[0, :3])).T
        target = SurfaceTarget.of(self.proposals.units.to_canonical(samples.position), normals)
        return self._make_state(register_surface(self.proposals, target, self.most))

    def _make_state(self, moved: Assignment) -> ProposedState | None:
        moving = tuple(part for part in moved.moved if part.amount > ROUNDING)
        if not moving:
            return None
        kept = Assignment(moving, moved.unit_count)
        return make_proposed_state(self.whole, self.proposals.units, kept, split=self.split)


class Proposing(Twists, Proposer):
    """A learned space of parts that move, and what geometry proposes beside it.

    learned: the space without proposals. whole: the mesh as it was, of whose faces those of the space are a copy in the
    same order. The others are those of `Proposer`.
    """

    def __init__(
        self, learned: Twists, whole: Mesh, *, most: int, split: bool = False, ranker: Ranker | None = None
    ) -> None:
        Twists.__init__(
            self, learned.mesh, learned.skin, learned.basis, origin=learned.origin, names=learned.names,
            prior=learned.prior,
        )  # fmt: skip
        Proposer.__init__(self, whole, most=most, split=split, ranker=ranker)
        self.learned = learned

    def translate(self, by: Array) -> "Proposing":
        return Proposing(
            super().translate(by), translate_mesh(self.whole, by), most=self.most, split=self.split, ranker=self.ranker
        )


def make_proposed_state(mesh: Mesh, units: Units, moved: Assignment, *, split: bool) -> ProposedState:
    """The state space of moved parts, and how far each has moved.

    split: give faces of parts that move apart vertices of their own; otherwise what lies between them stretches.
    """
    count = len(moved.moved)
    bone = moved.owner + 1  # of each unit; bone 0 stays
    face_bone = bone[units.face]
    own = _vote_vertex_bones(mesh, face_bone, count + 1)
    if split:
        corners = np.where(face_bone[:, None] != own[mesh.faces], face_bone[:, None] + 1, 0)
        mesh, _, own = split_mesh(mesh, corners, own, np.arange(count + 1))
    joints, weights = np.zeros((len(own), MAX_WEIGHTS), dtype=np.int64), np.zeros((len(own), MAX_WEIGHTS))
    joints[:, 0], weights[:, 0] = own, 1.0
    seats = np.stack([_seat_bone(units, bone, number) for number in range(count + 1)])
    skin = skin_in_file(seats, joints, weights, units.place)
    skin = replace(skin, names=bone_names(mesh, skin))
    turns, amount = _measure_amounts(units, moved)
    twist = np.zeros((count + 1, count, 6))
    for number, part in enumerate(moved.moved):
        twist[number + 1, number] = part.twist / amount[number]
    prior = sparse_prior(np.stack([np.zeros(count), amount], axis=1))
    basis = twists_in_file(twist, units.place)
    space = PartScrews(mesh, skin, basis, origin=origin_in_file(units.place), prior=prior, turns=turns)
    return ProposedState(space, amount)


def _measure_amounts(units: Units, moved: Assignment) -> tuple[Mask, Array]:
    """Whether each part turns, and by how much it turns [rad] or slides [file units], [k] each."""
    turns = np.array([part.turns for part in moved.moved])
    amount = np.array([part.amount for part in moved.moved])
    return turns, np.where(turns, amount, amount / np.linalg.norm(units.place[0, :3]))


def _vote_vertex_bones(mesh: Mesh, face_bone: Indices, count: int) -> Indices:
    """The bone of most faces around each vertex, [n]; 0 where a vertex has no face."""
    votes = np.zeros((mesh.vertex_count, count))
    np.add.at(votes, (mesh.faces.ravel(), np.repeat(face_bone, 3)), 1.0)
    return votes.argmax(axis=1)


def _seat_bone(units: Units, bone: Indices, number: int) -> Array:
    """The middle of a bone's samples, [3]; the origin where it has none."""
    mine = (bone == number)[units.owner]
    return units.points[mine].mean(axis=0) if mine.any() else np.zeros(3)
