"""Shapes of parts as they can move: hinges where two parts meet, ranges cut to what goes, what cannot move fixed."""

from dataclasses import dataclass, replace

import numpy as np

from neurok.data.procedural.shapes import ball, rod
from neurok.generate.learned.carving import Shaped, carve_parts, find_range, find_screw, join_parts, list_path
from neurok.generate.learned.fields import PartGrid, mesh_parts
from neurok.generate.learned.layout import Layout
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.rigid import exp_twist

# In units, of which the diagonal has two; a little less than what the check allows (data/procedural/check.py).
MAX_GAP = 0.015
MAX_DEPTH = 0.007
CONTACT_DEPTH, CONTACT_SHARE = 0.002, 0.007
PIN_RADIUS = 0.014
MAX_PIN = 0.25  # from an axis to the part that it holds
SWEEP_COUNT = 8  # places between rest and an end
SAMPLE_COUNT = 240  # points of a part
MIN_RANGE = {1: 0.25, 2: 0.02, 4: 0.005}  # rad, or units, below which a part counts as fixed
MAX_FIXED_SHARE = 0.5  # of the parts that should move


@dataclass(frozen=True)
class Body:
    """A closed mesh and points of it."""

    mesh: Mesh
    points: Array

    def measure_depths(self, points: Array) -> Array:
        """How deep points [n, 3] lie within, zero outside."""
        import igl

        depth = np.zeros(len(points))
        lower, upper = self.mesh.bounds
        near = np.flatnonzero(np.all((points > lower) & (points < upper), axis=1))
        if len(near):
            winding = np.asarray(igl.fast_winding_number(self.mesh.vertices, self.mesh.faces, points[near]))
            near = near[winding.reshape(-1) > 0.5]
        if len(near):
            depth[near] = np.sqrt(np.maximum(self._find_squares(points[near]), 0.0))
        return depth

    def find_gap(self, points: Array) -> float:
        """The least distance of points [n, 3] from the surface."""
        return float(np.sqrt(max(self._find_squares(points).min(), 0.0)))

    def _find_squares(self, points: Array) -> Array:
        import igl

        return np.asarray(igl.point_mesh_squared_distance(points, self.mesh.vertices, self.mesh.faces)[0])


@dataclass(frozen=True)
class Movable:
    """A shaped layout with the meshes of its parts; parts whose joint is 0 are fixed to their parent."""

    layout: Layout
    grids: tuple[PartGrid, ...]
    meshes: tuple[Mesh, ...]


def shape_parts(layout: Layout, grids: list[PartGrid]) -> Movable | None:
    """Parts in touch, with room to move, their ranges cut to what goes; None where that cannot be."""
    joined = join_parts(layout, grids)
    if joined is None:
        return None
    shaped = carve_parts(joined)
    if any(grid.values.min() >= 0 for grid in shaped.grids):
        return None  # a part that others go through everywhere
    meshes = mesh_parts(shaped.grids)
    return trim_ranges(shaped, pin_hinges(shaped.layout, meshes))


def make_body(mesh: Mesh) -> Body:
    spread = np.linspace(0, mesh.vertex_count - 1, min(SAMPLE_COUNT, mesh.vertex_count)).astype(int)
    return Body(mesh, mesh.vertices[spread])


def pin_hinges(layout: Layout, meshes: list[Mesh]) -> list[Mesh]:
    """Meshes with two rods that meet on the axis of every hinge whose parts come apart."""
    pinned = list(meshes)
    for part in range(1, layout.count):
        parent = int(layout.parent[part])
        if layout.joint[part] not in (1, 3) or not _comes_apart(layout, meshes, part):
            continue
        found = _find_pin(layout, part, meshes[part], meshes[parent])
        if found is not None:
            spot, ends = found
            for owner, end in zip((part, parent), ends):
                pieces = [ball(PIN_RADIUS, at=spot)] + ([rod(spot, end, PIN_RADIUS)] if _is_apart(spot, end) else [])
                pinned[owner] = merge([pinned[owner], *(_strip(piece) for piece in pieces)])
    return [_strip(mesh) for mesh in pinned]


def _is_apart(a: Array, b: Array) -> bool:
    return float(np.linalg.norm(a - b)) > 0.3 * PIN_RADIUS


def _strip(mesh: Mesh) -> Mesh:
    return Mesh(mesh.vertices, mesh.faces, up="z")


def _comes_apart(layout: Layout, meshes: list[Mesh], part: int) -> bool:
    own, parent = make_body(meshes[part]), make_body(meshes[int(layout.parent[part])])
    screw = find_screw(layout, part)
    return any(
        _measure_gap(own, parent, exp_twist(value * screw)) > MAX_GAP
        for value in np.linspace(*find_range(layout, part), 5)
    )


def _find_pin(layout: Layout, part: int, own: Mesh, parent: Mesh) -> tuple[Array, tuple[Array, Array]] | None:
    """A point of the axis, and the points of the part and its parent that are nearest to it."""
    import igl

    axis, pivot = layout.axis[part], layout.pivot[part]
    reach = float(np.abs(axis) @ layout.half[part]) + 0.05
    spots = pivot + np.linspace(-reach, reach, 25)[:, None] * axis
    near = [igl.point_mesh_squared_distance(spots, mesh.vertices, mesh.faces) for mesh in (own, parent)]
    far = np.sqrt(np.maximum(near[0][0], near[1][0]))
    best = int(np.argmin(far))
    if far[best] > MAX_PIN:
        return None
    return spots[best], (np.asarray(near[0][2][best]), np.asarray(near[1][2][best]))


def _measure_gap(own: Body, other: Body, T: Array) -> float:
    """How far a part that is moved by T is from another."""
    moved, back = own.points @ T[:3, :3].T + T[:3, 3], (other.points - T[:3, 3]) @ T[:3, :3]
    return min(other.find_gap(moved), own.find_gap(back))


def _measure_overlap(own: Body, other: Body, T: Array) -> tuple[float, float]:
    """How deep a part that is moved by T and another lie in each other, and the greater share of points that do."""
    inner = other.measure_depths(own.points @ T[:3, :3].T + T[:3, 3])
    outer = own.measure_depths((other.points - T[:3, 3]) @ T[:3, :3])
    crowd = max(float(np.mean(inner > CONTACT_DEPTH)), float(np.mean(outer > CONTACT_DEPTH)))
    return max(float(inner.max()), float(outer.max())), crowd


def trim_ranges(shaped: Shaped, meshes: list[Mesh]) -> Movable | None:
    """Each range cut where the part would go into others or lose its parent; what has no range left is fixed."""
    layout, bodies = shaped.layout, [make_body(mesh) for mesh in meshes]
    limits, joint = layout.limits.copy(), layout.joint.copy()
    for part in range(1, layout.count):
        lower, upper = find_range(layout, part)
        shares = [_find_free_share(layout, bodies, part, end) for end in (lower, upper)]
        if layout.joint[part] == 3:
            if min(share for share, end in zip(shares, (lower, upper)) if end) < 1.0:
                joint[part] = 0
            continue
        limits[part] *= shares
        if np.ptp(limits[part]) < MIN_RANGE[int(layout.joint[part])]:
            joint[part] = 0
    fixed = joint == 0
    limits[fixed] = 0.0
    if fixed[1:].sum() > MAX_FIXED_SHARE * (layout.count - 1) or fixed.all():
        return None
    return Movable(replace(layout, limits=limits, joint=joint), shaped.grids, tuple(meshes))


def _find_free_share(layout: Layout, bodies: list[Body], part: int, end: float) -> float:
    """How much of the way from rest to an end a part can go with all that hangs on it."""
    if end == 0.0:
        return 1.0
    follows = [other for other in range(layout.count) if part in list_path(layout, other)]
    rest = [other for other in range(layout.count) if other not in follows]
    parent = int(layout.parent[part])
    at_rest = _measure_overlap(bodies[part], bodies[parent], np.eye(4))
    free = 0.0
    for share in np.linspace(0.0, 1.0, SWEEP_COUNT + 1):
        T = exp_twist(share * end * find_screw(layout, part))
        if _measure_gap(bodies[part], bodies[parent], T) > MAX_GAP:
            return free
        for own in follows:
            for other in rest:
                deep, crowd = _measure_overlap(bodies[own], bodies[other], T)
                allowed = at_rest if (own, other) == (part, parent) else (0.0, 0.0)
                if deep > allowed[0] + MAX_DEPTH or crowd > allowed[1] + CONTACT_SHARE:
                    return free
        free = float(share)
    return free
