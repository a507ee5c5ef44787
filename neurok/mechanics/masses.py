"""Mass points: even samples of the surface, each with its share of its part's mass and its part's properties."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_diag, csr_matrix, diags

from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.measure import assess_pieces, close_rims, compute_area, compute_volume, is_closed
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.materials.assignment import PartAssignment, assign_properties
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.cubature import choose_cubature
from neurok.mechanics.gram import RowMatrix, compact_matrix

SHELL_THICKNESS = 0.005  # thickness of an open surface, of the diagonal
SKIN_POINT_COUNT = 4096  # a skin's mass matrix costs the same for any number
DENSE_POINT_COUNT = 1024  # of which a cubature keeps a few


@dataclass(frozen=True)
class BoneMasses:
    """The masses that a file states of the bones of a rigid skin.

    moments: sum_i m_i (x, 1)(x, 1)^T of each bone at rest [kg, file units], [b, 4, 4].
    leader: the bone that each mass point follows, [m].
    """

    moments: Array
    leader: Indices

    def scale(self, mass: Array, factor: Array) -> Array:
        """The moments, each times the mean factor of its own points, [b, 4, 4]; mass, factor: of each point, [m]."""
        count = len(self.moments)
        weighed = np.bincount(self.leader, mass * factor, count)
        per_bone = weighed / np.maximum(np.bincount(self.leader, mass, count), 1e-300)
        return per_bone[:, None, None] * self.moments


@dataclass(frozen=True)
class MatterMasses:
    """The masses of matter that fills an object, told by its bones, which share it.

    inertia: G [kg, file units], [4 b, 4 b]. leader: the bone that each mass point follows most, [m].
    """

    inertia: csr_matrix
    leader: Indices

    def scale(self, mass: Array, factor: Array) -> csr_matrix:
        """G with each bone's share times the root of the mean factor of its own points; mass, factor: of each, [m]."""
        count = self.inertia.shape[0] // 4
        weighed, total = (np.bincount(self.leader, x, count) for x in (mass * factor, mass))
        root = np.sqrt(np.where(total > 0, weighed / np.maximum(total, 1e-300), factor.mean()))
        return (diags(np.repeat(root, 4)) @ self.inertia @ diags(np.repeat(root, 4))).tocsr()


@dataclass(frozen=True)
class MassPoints:
    """where: the points; mass [kg], stiffness and damping [1/s] of each, [m].

    origin: where the masses come from, for people to read.
    bones: where the file states masses; these then hold instead of the points'.
    """

    where: SurfacePoints
    mass: Array
    stiffness: Array
    damping: Array
    origin: str
    bones: BoneMasses | MatterMasses | None = None

    @property
    def total(self) -> float:
        """Mass of the whole object [kg]."""
        if isinstance(self.bones, MatterMasses):
            return float(self.compute_moment(csr_matrix((0, 0)))[3::4].sum())
        return float(self.mass.sum() if self.bones is None else self.bones.moments[:, 3, 3].sum())

    def compute_inertia(self, shares: csr_matrix, factor: Array | None = None) -> RowMatrix:
        """G = sum_i f_i m_i H_i^T H_i, [r, r], dense where small; f [m] is one where None."""
        if self.bones is None:
            return _sum_shares(shares, self.mass if factor is None else self.mass * factor)
        if isinstance(self.bones, MatterMasses):
            return compact_matrix(self.bones.inertia if factor is None else self.bones.scale(self.mass, factor))
        blocks = self.bones.moments if factor is None else self.bones.scale(self.mass, factor)
        return compact_matrix(block_diag(blocks, format="csr"))

    def compute_moment(self, shares: csr_matrix) -> Array:
        """sum_i m_i H_i, [r]."""
        if self.bones is None:
            return np.asarray(shares.T @ self.mass).ravel()
        if isinstance(self.bones, MatterMasses):  # the shares of all bones in a point add up to one
            return np.asarray(self.bones.inertia[:, 3::4].sum(axis=1)).ravel()
        return self.bones.moments[:, :, 3].ravel()


def _sum_shares(shares: csr_matrix, weights: Array) -> RowMatrix:
    return compact_matrix((shares.T @ diags(weights) @ shares).tocsr())


def place_mass_points(
    space: Kinematics, conditions: Conditions, *, stiffness: float, count: int | None = None
) -> MassPoints:
    """Spread the object's mass evenly over its surface, link by link (part by part where densities differ).

    A closed link weighs density x volume, and so does one that is cut out of a closed surface; an open one density x
    area x 0.5 % of the diagonal; `mass` overrides the total and keeps the proportions. Masses that a file states hold
    where nothing else is asked for. count: how many points; where None, as many as a skin takes for nothing, and else
    few that stand for many.
    """
    mesh = space.mesh
    points = count or (SKIN_POINT_COUNT if space.skin is not None else DENSE_POINT_COUNT)
    where = sample_even(mesh, points, np.random.default_rng(conditions.seed))
    made = assign_parts(mesh, conditions)
    mass, weighed = _weigh_points(space, where, conditions, made)
    if count is None and space.skin is None and space.size:
        kept, weights = choose_cubature(space, where, mass, seed=conditions.seed)
        where, mass = where.subset(kept), weights
    dense = made.states("density")
    bones: BoneMasses | MatterMasses | None = None
    stated, filled = space.stated_masses.moments, space.stated_masses.inertia
    if filled is not None and space.skin is not None:
        bones = _take_matter(filled, space.skin.leader[where.corners[:, 0]], conditions.mass)
    elif stated is not None and space.skin is not None and not dense and conditions.mass is None:
        bones = BoneMasses(stated, space.skin.leader[where.corners[:, 0]])
    return MassPoints(
        where=where,
        mass=mass,
        stiffness=made.read("stiffness", stiffness)[where.face],
        damping=made.read("damping", conditions.damping)[where.face],
        origin=_describe_origin(space, conditions, weighed, stated=isinstance(bones, BoneMasses), dense=dense),
        bones=bones,
    )


def _take_matter(inertia: csr_matrix, leader: Indices, mass: float | None) -> MatterMasses:
    """The masses of the matter, in proportion where the mass of the whole is asked for."""
    total = float(inertia[3::4, 3::4].sum())
    return MatterMasses(inertia if mass is None else inertia * (mass / total), leader)


def _weigh_points(
    space: Kinematics, where: SurfacePoints, conditions: Conditions, made: PartAssignment
) -> tuple[Array, str]:
    """The mass that each point stands for [kg], [m], and in words how the bodies were weighed."""
    mesh, bodies = space.mesh, _label_bodies(space)
    mass = where.area * made.read("density", conditions.density)[where.face]
    if not mass.sum() > 0:
        raise InputError("the surface has no area, so it has no mass", "check for collapsed faces")
    pieces = {body: Mesh(mesh.vertices, mesh.faces[bodies == body]) for body in np.unique(bodies)}
    cut, shell = assess_pieces(mesh, list(pieces.values()), SHELL_THICKNESS * mesh.diagonal)
    thick = {body: _measure_thickness(piece, cut, shell) for body, piece in pieces.items()}
    sheet = made.read("thickness", np.nan)[where.face] / mesh.unit
    default = SHELL_THICKNESS * mesh.diagonal
    for body, thickness in thick.items():
        here = bodies[where.face] == body
        # A sheet is as thick as it says, but what is closed holds no more than its volume.
        most = np.inf if thickness == default else thickness
        mass[here] *= np.where(np.isnan(sheet[here]), thickness, np.minimum(sheet[here], most))
    mass *= mesh.unit**3
    if conditions.mass is not None:
        mass *= conditions.mass / mass.sum()
    shells = sum(thickness == default for thickness in thick.values())
    if any(made.materials):
        return mass, f"weighed as {', '.join(name or 'a material that nobody states' for name in made.materials)}"
    return mass, _describe_weighing(shells, len(thick))


def _describe_weighing(shells: int, bodies: int) -> str:
    """How the bodies were weighed, so many of them as shells."""
    if not shells:
        return "density x volume"
    if shells < bodies:
        return f"density x volume, and {shells} of {bodies} links as thin shells"
    return f"density x area x {SHELL_THICKNESS:.1%} of the diagonal, as a thin shell"


def _describe_origin(space: Kinematics, conditions: Conditions, weighed: str, *, stated: bool, dense: bool) -> str:
    if conditions.mass is not None:
        return "asked for"
    if stated:
        return "stated by the file"
    if space.stated_masses.inertia is not None:
        return "its matter, by the density of each material"
    return weighed + (f"; {space.stated_masses.note}" if space.stated_masses.note and not dense else "")


def assign_parts(mesh: Mesh, conditions: Conditions) -> PartAssignment:
    """What each part of the mesh is made of, as far as conditions state it."""
    return assign_properties(mesh, conditions.parts, conditions.whole, conditions.load_library())


def _label_bodies(space: Kinematics) -> Indices:
    """Which faces weigh together, [m]: those of one rigid link, else all."""
    if space.skin is not None and space.skin.is_rigid:
        return space.skin.leader[space.mesh.faces[:, 0]]
    return np.zeros(space.mesh.face_count, dtype=np.int64)


def _measure_thickness(body: Mesh, cut: bool, shell: float) -> float:
    """How thick the surface would have to be to hold the body's volume [file units].

    cut: whether it is solid where it was cut out of another. shell: how thick it is where it holds none.
    """
    inside = abs(compute_volume(close_rims(body) if cut else body)) if cut or is_closed(body) else 0.0
    # Faces doubled back to back are closed too, and hold nothing: a shell.
    return inside / compute_area(body) if inside > 0.1 * shell * compute_area(body) else shell
