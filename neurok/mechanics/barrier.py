"""Fixed bodies to collide with: signed distances and outward normals of plane, sphere and box."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array


@dataclass(frozen=True)
class Barrier:
    """A fixed body: plane, sphere or box. Lengths in file units; friction < 0 means the object's own."""

    kind: str
    point: Array
    normal: Array | None = None
    radius: float = 0.0
    half: Array | None = None
    friction: float = -1.0

    def gap(self, x: Array) -> tuple[Array, Array]:
        """Signed distance of points [p, 3] from the surface, [p], and the outward normal there, [p, 3]."""
        if self.kind == "plane":
            return (x - self.point) @ self.normal, np.broadcast_to(self.normal, x.shape)
        offset = x - self.point
        if self.kind == "sphere":
            distance = np.linalg.norm(offset, axis=1)
            outward = np.divide(offset, distance[:, None], out=np.zeros_like(offset), where=distance[:, None] > 0)
            return distance - self.radius, outward
        return _box_gap(offset, self.half)


def _box_gap(offset: Array, half: Array) -> tuple[Array, Array]:
    beyond = np.abs(offset) - half
    outside = np.maximum(beyond, 0.0)
    distance = np.linalg.norm(outside, axis=1)
    normal = np.divide(outside, distance[:, None], out=np.zeros_like(offset), where=distance[:, None] > 0)
    inner = distance == 0
    nearest = beyond.argmax(axis=1)
    normal[inner] = np.eye(3)[nearest[inner]]
    gap = np.where(inner, beyond.max(axis=1), distance)
    return gap, normal * np.where(offset < 0, -1.0, 1.0)
