"""The weight of a solid of density one, as MuJoCo weighs geoms: volume, centre and tensor of inertia."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Inertia
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import area_vectors

MIN_VOLUME = 1e-14  # m^3, below which a mesh weighs nothing


@dataclass(frozen=True)
class SolidWeight:
    """Mass [kg], centre [3] and second moments about the origin, sum m x x^T [3, 3]."""

    mass: float
    centre: Array
    moments: Array

    def scaled(self, factor: float) -> "SolidWeight":
        return SolidWeight(factor * self.mass, self.centre, factor * self.moments)

    def moved(self, T: Array) -> "SolidWeight":
        """In another frame, T rigid, [4, 4]."""
        R, p = T[:3, :3], T[:3, 3]
        centre = R @ self.centre + p
        about = self.moments - self.mass * np.outer(self.centre, self.centre)
        return SolidWeight(self.mass, centre, R @ about @ R.T + self.mass * np.outer(centre, centre))

    def __add__(self, other: "SolidWeight") -> "SolidWeight":
        mass = self.mass + other.mass
        centre = (self.mass * self.centre + other.mass * other.centre) / mass
        return SolidWeight(mass, centre, self.moments + other.moments)

    def to_inertia(self) -> Inertia:
        about = self.moments - self.mass * np.outer(self.centre, self.centre)
        return Inertia(self.mass, self.centre, np.trace(about) * np.eye(3) - about)


def weigh_solid(kind: str, size: Array, mesh: Mesh | None = None, T: Array | None = None) -> SolidWeight | None:
    """A solid of density one about its origin; sizes as MuJoCo has them (radii and half lengths). None without volume.

    mesh, T: of a mesh, and the affine map from its file.
    """
    if kind == "mesh":
        return None if mesh is None or T is None else _weigh_mesh(mesh, T)
    if kind == "box":
        volume, squares = 8 * np.prod(size), size**2 / 3
    elif kind in ("sphere", "ellipsoid"):
        radii = np.broadcast_to(size, 3) if len(size) == 1 else size
        volume, squares = 4 / 3 * np.pi * np.prod(radii), radii**2 / 5
    elif kind == "cylinder":
        r, h = size
        volume, squares = 2 * np.pi * r**2 * h, np.array([r**2 / 4, r**2 / 4, h**2 / 3])
    else:
        return _weigh_capsule(*size)
    return SolidWeight(float(volume), np.zeros(3), float(volume) * np.diag(squares))


def _weigh_capsule(r: float, h: float) -> SolidWeight:
    """A cylinder of half length h and two half balls, whose centres lie 3 r / 8 beyond its ends."""
    rod, ball = 2 * np.pi * r**2 * h, 4 / 3 * np.pi * r**3
    across = rod * r**2 / 4 + ball * r**2 / 5
    along = rod * h**2 / 3 + ball * (r**2 / 5 + h**2 + 2 * h * 3 * r / 8)
    return SolidWeight(rod + ball, np.zeros(3), np.diag([across, across, along]))


def _weigh_mesh(mesh: Mesh, T: Array) -> SolidWeight | None:
    """The tetrahedra between the faces and their middle, all counted as positive, as MuJoCo counts them by default."""
    points = mesh.vertices @ T[:3, :3].T + T[:3, 3]
    if not mesh.face_count:
        return None
    areas = area_vectors(points, mesh.faces)
    weights = np.linalg.norm(areas, axis=1)
    if not weights.sum() > 0:
        return None
    corners = points[mesh.faces]
    middle = weights @ corners.mean(axis=1) / weights.sum()
    corners = corners - middle
    volumes = np.abs(np.linalg.det(corners)) / 6
    volume = float(volumes.sum())
    if not volume > MIN_VOLUME:
        return None
    total = corners.sum(axis=1)
    centre = volumes @ total / 4 / volume
    # Of a tetrahedron with a corner at the origin: V / 20 (sum of c c^T + s s^T), s the sum of the other corners c.
    moments = np.einsum("t,tki,tkj->ij", volumes, corners, corners) + np.einsum("t,ti,tj->ij", volumes, total, total)
    about = SolidWeight(volume, centre, moments / 20)
    shift = np.eye(4)
    shift[:3, 3] = middle
    return about.moved(shift)
