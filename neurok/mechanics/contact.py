"""Contact: sampled points against the ground and simple obstacles, with Coulomb friction, in reduced coordinates.

Per step, at velocity level (Moreau's scheme): impulses p >= 0 along normals and within the friction disc
|p_t| <= mu p_n along tangents, such that no contact approaches faster than its gap allows. Solved by projected
Gauss-Seidel on A = N E^-1 N^T, with E the effective mass matrix of the step.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from neurok.geometry.surface import farthest_points

Array = NDArray[np.float64]

MOST_CONTACTS = 8  # at a time; more say nothing new about where a body rests
SWEEPS = 100
SETTLED = 1e-6  # relative change of the velocities at which the sweeps stop


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


@dataclass(frozen=True)
class Contacts:
    """What can touch what: candidate points (H [p, r], friction [p]) and the barriers."""

    shares: csr_matrix
    friction: Array
    barriers: tuple[Barrier, ...]


@dataclass(frozen=True)
class Touch:
    """The contacts of one step: gap [c], friction [c], and rows of normal and two tangents, [c, 3, k]."""

    gap: Array
    friction: Array
    rows: Array


def touching(contacts: Contacts, positions: Array, jacobian: Array, margin: float) -> Touch | None:
    """Candidates nearer to a barrier than `margin`; all their positions [p, 3], the rows' jacobian [k, r, 3]."""
    found: list[tuple[Array, Array, Array, Array]] = []
    for barrier in contacts.barriers:
        gap, normal = barrier.gap(positions)
        near = np.flatnonzero(gap < margin)
        if len(near) > MOST_CONTACTS:
            deepest = int(np.argmin(gap[near]))
            near = near[farthest_points(positions[near], MOST_CONTACTS, start=deepest)]
        if len(near):
            own = contacts.friction[near]
            friction = own if barrier.friction < 0 else np.full(len(near), barrier.friction)
            found.append((near, gap[near], normal[near], friction))
    if not found:
        return None
    index, gap, normal, friction = (np.concatenate(column) for column in zip(*found))
    k, r, _ = jacobian.shape
    flat = jacobian.transpose(1, 0, 2).reshape(r, -1)
    at_points = (contacts.shares[index] @ flat).reshape(len(index), k, 3)
    frames = np.stack([normal, *_tangents(normal)], axis=1)
    return Touch(gap, friction, np.einsum("cfa,cka->cfk", frames, at_points))


def _tangents(normal: Array) -> tuple[Array, Array]:
    """Two unit vectors across each normal, [c, 3] each."""
    helper = np.where(np.abs(normal[:, :1]) < 0.9, np.eye(3)[0], np.eye(3)[1])
    first = np.cross(normal, helper)
    first /= np.maximum(np.linalg.norm(first, axis=1, keepdims=True), 1e-300)
    return first, np.cross(normal, first)


def impulses(effective: Array, v: Array, rows: Array, least: Array, friction: Array) -> tuple[Array, Array]:
    """The velocity after the contact impulses, [k], and the impulses, [c, 3].

    rows [c, 3, k]: normal and tangents; least [c]: the lowest normal speed allowed; friction [c].
    """
    count, _, k = rows.shape
    N = rows.reshape(3 * count, k)
    response = np.linalg.solve(effective, N.T)  # [k, 3c]
    A = N @ response
    u = N @ v
    p = np.zeros(3 * count)
    diagonal = A.diagonal()
    slack = 1e-12 * max(diagonal.max(), 1e-300)
    rubs = [bool(f > 0) and max(diagonal[3 * c + 1 : 3 * c + 3]) > slack for c, f in enumerate(friction)]
    # Redundant contacts may trade impulses for ever; it is the velocities that have to settle.
    settled = SETTLED * (np.abs(u).max() + np.abs(least).max() + 1e-300)
    for _ in range(SWEEPS):
        change = 0.0
        for c in range(count):
            n = 3 * c
            if diagonal[n] > slack:
                step = max(-p[n], (least[c] - u[n]) / diagonal[n])
                if step:
                    u += A[:, n] * step
                    p[n] += step
                    change = max(change, abs(step) * diagonal[n])
            if rubs[c] and (p[n] > 0 or p[n + 1] or p[n + 2]):
                change = max(change, _rub(A, u, p, n, friction[c] * p[n]))
        if change <= settled:
            break
    return v + response @ p, p.reshape(count, 3)


def _rub(A: Array, u: Array, p: Array, n: int, most: float) -> float:
    """One projected step of the friction at contact row n, within the disc of radius `most`; the change it made."""
    size = max(A[n + 1, n + 1], A[n + 2, n + 2])
    x, y = p[n + 1] - u[n + 1] / size, p[n + 2] - u[n + 2] / size
    length = np.hypot(x, y)
    if length > most:
        x, y = x * most / length, y * most / length
    step_x, step_y = x - p[n + 1], y - p[n + 2]
    u += A[:, n + 1] * step_x + A[:, n + 2] * step_y
    p[n + 1], p[n + 2] = x, y
    return max(abs(step_x), abs(step_y)) * size
