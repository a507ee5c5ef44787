"""Fixed bodies to collide with: signed distances and outward normals of plane, sphere and box."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from neurok.errors import unknown
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.mechanics.conditions import OBSTACLES, Conditions, Obstacle


@dataclass(frozen=True)
class Barrier(ABC):
    """A fixed body; lengths in file units.

    point: a point of a plane, or the centre, [3]. friction: Coulomb's coefficient, the object's own where None.
    """

    point: Array
    friction: float | None = field(default=None, kw_only=True)

    @abstractmethod
    def measure_gap(self, x: Array) -> tuple[Array, Array]:
        """Signed distance of points [p, 3] from the surface, [p], and the outward normal there, [p, 3]."""


@dataclass(frozen=True)
class PlaneBarrier(Barrier):
    """Everything below a plane; normal: unit vector that points out of it, [3]."""

    normal: Array

    def measure_gap(self, x: Array) -> tuple[Array, Array]:
        return (x - self.point) @ self.normal, np.broadcast_to(self.normal, x.shape)


@dataclass(frozen=True)
class SphereBarrier(Barrier):
    """A sphere."""

    radius: float

    def measure_gap(self, x: Array) -> tuple[Array, Array]:
        offset = x - self.point
        distance = np.linalg.norm(offset, axis=1)
        outward = np.divide(offset, distance[:, None], out=np.zeros_like(offset), where=distance[:, None] > 0)
        return distance - self.radius, outward


@dataclass(frozen=True)
class BoxBarrier(Barrier):
    """A box along the axes of the file; half: half of its edges, [3]."""

    half: Array

    def measure_gap(self, x: Array) -> tuple[Array, Array]:
        offset = x - self.point
        beyond = np.abs(offset) - self.half
        outside = np.maximum(beyond, 0.0)
        distance = np.linalg.norm(outside, axis=1)
        normal = np.divide(outside, distance[:, None], out=np.zeros_like(offset), where=distance[:, None] > 0)
        inner = distance == 0
        nearest = beyond.argmax(axis=1)
        normal[inner] = np.eye(3)[nearest[inner]]
        gap = np.where(inner, beyond.max(axis=1), distance)
        return gap, normal * np.where(offset < 0, -1.0, 1.0)


def build_barriers(mesh: Mesh, conditions: Conditions) -> tuple[Barrier, ...]:
    """What the object cannot pass: the ground, and obstacles."""
    ground: list[Barrier] = []
    if conditions.ground:
        up = mesh.up_axis
        height = conditions.ground_height
        height = float((mesh.bounds @ up).min()) if height is None else height
        ground.append(PlaneBarrier(height * up, up))
    return (*ground, *(_build_barrier(obstacle) for obstacle in conditions.obstacles))


def _build_barrier(obstacle: Obstacle) -> Barrier:
    point = np.array(obstacle.point)
    if obstacle.kind == "plane" and obstacle.normal is not None:
        normal = np.array(obstacle.normal) / np.linalg.norm(obstacle.normal)
        return PlaneBarrier(point, normal, friction=obstacle.friction)
    if obstacle.kind == "sphere" and obstacle.radius is not None:
        return SphereBarrier(point, obstacle.radius, friction=obstacle.friction)
    if obstacle.kind == "box" and obstacle.size is not None:
        return BoxBarrier(point, np.array(obstacle.size) / 2, friction=obstacle.friction)
    raise unknown("obstacle", obstacle.kind, OBSTACLES)
