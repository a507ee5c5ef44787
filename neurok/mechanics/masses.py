"""Mass points: even samples of the surface, each with its share of its part's mass and its part's properties."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_diag, csr_matrix, diags

from neurok.errors import InputError, OptionError
from neurok.geometry.arrays import Array
from neurok.geometry.measure import assess_pieces, close_rims, compute_area, compute_volume, is_closed
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.conditions import DENSITY, Conditions
from neurok.mechanics.cubature import cubature

SHELL = 0.005  # thickness of an open surface, of the diagonal
SKIN_POINTS = 4096  # a skin's mass matrix costs the same for any number
DENSE_POINTS = 1024  # of which a cubature keeps a few
FEW_ROWS = 64  # up to this many rows a dense G is the faster one,
SMALL_ROWS = 256  # and up to this many where it is well filled


@dataclass(frozen=True)
class MassPoints:
    """where: the points; mass [kg], stiffness and damping [1/s] of each, [m].

    origin: where the masses come from, for people to read.
    bones: [b, 4, 4] where a rigid skin's file states its masses; these then hold instead of the points'.
    """

    where: SurfacePoints
    mass: Array
    stiffness: Array
    damping: Array
    origin: str
    bones: Array | None = None
    leader: NDArray[np.int64] | None = None  # the bone each point follows, [m], with `bones`

    @property
    def total(self) -> float:
        """Mass of the whole object [kg]."""
        return float(self.mass.sum() if self.bones is None else self.bones[:, 3, 3].sum())

    def inertia(self, shares: csr_matrix, factor: Array | None = None) -> Array | csr_matrix:
        """G = sum_i f_i m_i H_i^T H_i, [r, r], dense where small; f [m] is one where None."""
        if self.bones is None:
            return _gram(shares, self.mass if factor is None else self.mass * factor)
        blocks = self.bones
        if factor is not None:
            per_bone = np.bincount(self.leader, self.mass * factor, len(blocks))
            per_bone /= np.maximum(np.bincount(self.leader, self.mass, len(blocks)), 1e-300)
            blocks = per_bone[:, None, None] * blocks
        return compact(block_diag(blocks, format="csr"))

    def moment(self, shares: csr_matrix) -> Array:
        """sum_i m_i H_i, [r]."""
        if self.bones is None:
            return np.asarray(shares.T @ self.mass).ravel()
        return self.bones[:, :, 3].ravel()


def _gram(shares: csr_matrix, weights: Array) -> Array | csr_matrix:
    return compact((shares.T @ diags(weights) @ shares).tocsr())


def compact(G: csr_matrix) -> Array | csr_matrix:
    """Dense where that is the faster one."""
    rows = min(G.shape)
    return G.toarray() if rows <= FEW_ROWS or (rows <= SMALL_ROWS and G.nnz > 0.1 * np.prod(G.shape)) else G


def mass_points(space: Kinematics, conditions: Conditions, *, stiffness: float, count: int | None = None) -> MassPoints:
    """Spread the object's mass evenly over its surface, link by link (part by part where densities differ).

    A closed link weighs density x volume, and so does one that is cut out of a closed surface; an open one density x
    area x 0.5 % of the diagonal; `mass` overrides
    the total and keeps the proportions. Masses that a file states hold where nothing else is asked for.
    count: how many points; where None, as many as a skin takes for nothing, and else few that stand for many.
    """
    mesh = space.mesh
    points = count or (SKIN_POINTS if space.skin is not None else DENSE_POINTS)
    where = sample_even(mesh, points, np.random.default_rng(conditions.seed))
    bodies = _bodies(space)
    mass = where.area * face_property(mesh, conditions, "density", conditions.density)[where.face]
    if not mass.sum() > 0:
        raise InputError("the surface has no area, so it has no mass", "check for collapsed faces")
    pieces = {body: Mesh(mesh.vertices, mesh.faces[bodies == body]) for body in np.unique(bodies)}
    cut, shell = assess_pieces(mesh, list(pieces.values()), SHELL * mesh.diagonal)
    thick = {body: _thickness(piece, cut, shell) for body, piece in pieces.items()}
    for body, thickness in thick.items():
        mass[bodies[where.face] == body] *= thickness
    mass *= mesh.unit**3
    if conditions.mass is not None:
        mass *= conditions.mass / mass.sum()
    if count is None and space.skin is None and space.size:
        kept, weights = cubature(space, where, mass, seed=conditions.seed)
        where, mass = where.subset(kept), weights
    dense = conditions.density != DENSITY or any(part.density is not None for part in conditions.parts.values())
    bones = None if dense or conditions.mass is not None else space.stated_masses.moments
    shells = sum(thickness == SHELL * mesh.diagonal for thickness in thick.values())
    weighed = _weighed(shells, len(thick))
    return MassPoints(
        where=where,
        mass=mass,
        stiffness=face_property(mesh, conditions, "stiffness", stiffness)[where.face],
        damping=face_property(mesh, conditions, "damping", conditions.damping)[where.face],
        origin=_origin(space, conditions, weighed, stated=bones is not None, dense=dense),
        bones=bones,
        leader=None if space.skin is None else space.skin.leader[where.corners[:, 0]],
    )


def _weighed(shells: int, bodies: int) -> str:
    """How the bodies were weighed, so many of them as shells."""
    if not shells:
        return "density x volume"
    if shells < bodies:
        return f"density x volume, and {shells} of {bodies} links as thin shells"
    return f"density x area x {SHELL:.1%} of the diagonal, as a thin shell"


def _origin(space: Kinematics, conditions: Conditions, weighed: str, *, stated: bool, dense: bool) -> str:
    if conditions.mass is not None:
        return "asked for"
    if stated:
        return "stated by the file"
    return weighed + (f"; {space.stated_masses.note}" if space.stated_masses.note and not dense else "")


def face_property(mesh: Mesh, conditions: Conditions, name: str, default: float) -> Array:
    """A property of each face, [m]: that of its part, or of the nearest part above it that has one."""
    known = [part.name for part in mesh.parts]
    for wanted in conditions.parts:
        if wanted not in known:
            listed = ", ".join(sorted(set(known))[:20]) or "the file names none"
            raise OptionError(f"there is no part '{wanted}'", f"the parts are: {listed}")
    values = []
    for index in range(len(mesh.parts)):
        value, at, steps = None, index, 0
        while value is None and at >= 0 and steps <= len(mesh.parts):
            value = getattr(conditions.parts.get(mesh.parts[at].name), name, None)
            at, steps = mesh.parts[at].parent, steps + 1
        values.append(default if value is None else value)
    return np.array([*values, default])[mesh.face_part]  # label -1 is the last entry: the default


def _bodies(space: Kinematics) -> NDArray[np.int64]:
    """Which faces weigh together, [m]: those of one rigid link, else all."""
    if space.skin is not None and space.skin.is_rigid:
        return space.skin.leader[space.mesh.faces[:, 0]]
    return np.zeros(space.mesh.face_count, dtype=np.int64)


def _thickness(body: Mesh, cut: bool, shell: float) -> float:
    """How thick the surface would have to be to hold the body's volume [file units].

    cut: whether it is solid where it was cut out of another. shell: how thick it is where it holds none.
    """
    inside = abs(compute_volume(close_rims(body) if cut else body)) if cut or is_closed(body) else 0.0
    # Faces doubled back to back are closed too, and hold nothing: a shell.
    return inside / compute_area(body) if inside > 0.1 * shell * compute_area(body) else shell
