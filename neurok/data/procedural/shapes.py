"""Solids to put objects together from: each closed and looking outwards, with few triangles.

Metres; +z up. `at` is where the solid's centre goes (for `lathe`, where its origin goes), `axis` where its z points.
"""

from collections.abc import Sequence

import numpy as np

from neurok.data.procedural.placing import Points, Vector, align, direction, translate
from neurok.data.procedural.polygons import compute_polygon_area, outward_normals, triangulate_polygon
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import box, revolve, rounded_box

ORIGIN = (0.0, 0.0, 0.0)


def block(size: Vector, at: Vector = ORIGIN, round: float | None = None, cells: int = 2) -> Mesh:
    """A box of this size along x, y, z with rounded edges (by default a tenth of its thinnest side; 0 is sharp)."""
    least = float(min(size))
    radius = min(0.1 * least if round is None else round, 0.45 * least)
    width, depth, height = size
    mesh = rounded_box(width, depth, height, radius, cells) if radius > 0 else box(width, depth, height)
    return translate(strip_attributes(mesh), *at)


def ball(radius: float | Vector, at: Vector = ORIGIN, segments: int = 20) -> Mesh:
    """A ball, or with three radii an ellipsoid."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, segments // 2 + 1)
    profile = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    profile[[0, -1], 0] = 0.0
    mesh = strip_attributes(revolve(profile, segments))
    return mesh.with_vertices(mesh.vertices * np.broadcast_to(radius, 3) + np.asarray(at))


def rod(
    start: Vector, end: Vector, radius: float, *, end_radius: float | None = None, round: float | None = None,
    sides: int = 16,
) -> Mesh:  # fmt: skip
    """A straight round bar between two points, tapering to `end_radius`; its rims are rounded."""
    start, end = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    length, last = float(np.linalg.norm(end - start)), radius if end_radius is None else end_radius
    bevel = 0.3 * min(radius, last, length) if round is None else round
    profile = fillet(np.array([[0, 0], [radius, 0], [last, length], [0, length]]), bevel, steps=2)
    return align(lathe(profile, segments=sides), end - start, start)


def lathe(
    profile: Array, at: Vector = ORIGIN, axis: str | Vector = "z", segments: int = 32, ring: bool = False
) -> Mesh:
    """A profile of rows (radius, height) turned about the axis; open ends are capped. ring: the profile is a loop."""
    profile = np.array(profile, dtype=np.float64)
    profile[np.abs(profile[:, 0]) < 1e-9, 0] = 0.0
    if not ring:
        first, last = profile[:1] * (0, 1), profile[-1:] * (0, 1)  # on the axis, level with the ends
        profile = np.concatenate([first[: int(profile[0, 0] > 0)], profile, last[: int(profile[-1, 0] > 0)]])
    return align(orient_outward(revolve(profile, segments, ring=ring)), axis, at)


def pipe(start: Vector, end: Vector, radius: float, wall: float, *, sides: int = 20) -> Mesh:
    """A hollow round tube between two points, open at both ends: rods can slide in it. `radius` is the outer one."""
    start, end = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    length, inner = float(np.linalg.norm(end - start)), radius - wall
    loop = np.array([[radius, 0], [radius, length], [inner, length], [inner, 0]])
    return align(lathe(fillet(loop, 0.2 * wall, steps=1, closed=True), segments=sides, ring=True), end - start, start)


def hoop(radius: float, thickness: float, at: Vector = ORIGIN, axis: str | Vector = "z", segments: int = 32) -> Mesh:
    """A ring: its centre line has this radius, its round wire the radius `thickness`."""
    angle = 2 * np.pi * np.arange(10) / 10
    loop = np.stack([radius + thickness * np.cos(angle), thickness * np.sin(angle)], axis=1)
    return lathe(loop, at, axis, segments, ring=True)


def tube(path: Array, radius: float | Array, *, sides: int = 10, closed: bool = False) -> Mesh:
    """A round wire along a path [p, 3] (see `fillet` for round bends), one radius or one per point; round ends."""
    path = np.asarray(path, dtype=np.float64)
    radii: Array = np.broadcast_to(np.asarray(radius, dtype=np.float64), len(path))
    tangent, normal = _frames(path, closed)
    if not closed:
        path, radii, tangent, normal = _round_ends(path, radii, tangent, normal)
    angle = 2 * np.pi * np.arange(sides) / sides
    across = np.cross(tangent, normal)
    wheel = np.cos(angle)[:, None] * normal[:, None] + np.sin(angle)[:, None] * across[:, None]
    return loft(path[:, None] + radii[:, None, None] * wheel, closed=closed)


def ribbon(path: Array, widths: Array | float, thickness: float, side: str | Vector, *, sides: int = 8) -> Mesh:
    """A flat strip along a path [p, 3], its width along `side`: leaves, blades, straps, springs of a lamp."""
    path = np.asarray(path, dtype=np.float64)
    tangent, _ = _frames(path, False)
    across = direction(side) - (tangent @ direction(side))[:, None] * tangent
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    normal = np.cross(tangent, across)
    angle = 2 * np.pi * np.arange(sides) / sides
    half = 0.5 * np.broadcast_to(np.asarray(widths, dtype=np.float64), len(path))[:, None, None]
    # A super-ellipse: nearly flat faces with round edges.
    u, v = (np.sign(f) * np.abs(f) ** 0.7 for f in (np.cos(angle), np.sin(angle)))
    thick = np.minimum(0.5 * thickness, half)
    rings = path[:, None] + half * u[None, :, None] * across[:, None] + thick * v[None, :, None] * normal[:, None]
    return loft(rings)


def plate(outline: Array, thickness: float, at: Vector = ORIGIN, plane: str = "xy", bevel: float | None = None) -> Mesh:
    """A polygon [p, 2], concave or not, made solid by a thickness; `plane` is where it lies: xy, xz or yz."""
    outline = np.asarray(outline, dtype=np.float64)
    if compute_polygon_area(outline) < 0:
        outline = outline[::-1]
    bevel = min(0.15 * thickness if bevel is None else bevel, 0.45 * thickness)
    inner, half = outline - bevel * outward_normals(outline), 0.5 * thickness
    levels = [(inner, -half), (outline, bevel - half), (outline, half - bevel), (inner, half)]
    if bevel <= 0:
        levels = [(outline, -half), (outline, half)]
    points = np.concatenate([np.c_[ring, np.full(len(ring), z)] for ring, z in levels])
    count, cap = len(outline), triangulate_polygon(outline)
    faces = [cap[:, ::-1], cap + count * (len(levels) - 1)]
    mesh = Mesh(points, np.concatenate([_bands(len(levels), count, False), *faces]), up="z")
    order = {"xy": [0, 1, 2], "xz": [0, 2, 1], "yz": [2, 0, 1]}[plane]
    return translate(orient_outward(mesh.with_vertices(mesh.vertices[:, order])), *at)


def slab(grid: Array, thickness: float | Array) -> Mesh:
    """A curved sheet over a grid of points [r, c, 3] made solid by a thickness (one, or [r, c]): cloth, flaps, fins."""
    r, c = grid.shape[:2]
    along, across = np.gradient(grid, axis=0), np.gradient(grid, axis=1)
    normal = np.cross(along, across)
    normal /= np.maximum(np.linalg.norm(normal, axis=2, keepdims=True), 1e-12)
    half = 0.5 * np.broadcast_to(np.asarray(thickness, dtype=np.float64), (r, c))[..., None] * normal
    number = np.arange(r * c).reshape(r, c)
    a, b, d, e = (number[:-1, :-1].ravel(), number[1:, :-1].ravel(), number[1:, 1:].ravel(), number[:-1, 1:].ravel())
    top = np.concatenate([np.c_[a, b, d], np.c_[a, d, e]])
    edge = np.concatenate([number[:, 0], number[-1, 1:], number[-2::-1, -1], number[0, -2:0:-1]])
    after = np.roll(edge, -1)
    low = r * c
    rim = np.concatenate([np.c_[edge, edge + low, after + low], np.c_[edge, after + low, after]])
    points = np.concatenate([(grid + half).reshape(-1, 3), (grid - half).reshape(-1, 3)])
    return orient_outward(Mesh(points, np.concatenate([top, top[:, ::-1] + low, rim]), up="z"))


def tray(size: Vector, wall: float, at: Vector = ORIGIN, axis: str | Vector = "z", round: float = 0.0) -> Mesh:
    """An open box: outer size along its own x, y, z, walls and floor this thick, its mouth towards the axis.

    round: radius of the four upright edges. The floor's underside is centred on `at`.
    """
    w, d, h = size
    arc = max(round, 0.02 * min(w, d))
    outer = _rectangle(w, d, arc)
    inner = _rectangle(w - 2 * wall, d - 2 * wall, max(arc - wall, 0.01 * min(w, d)))
    lip = 0.15 * wall
    inset = _rectangle(w - 2 * lip, d - 2 * lip, arc)
    inset_inner = _rectangle(w - 2 * wall + 2 * lip, d - 2 * wall + 2 * lip, max(arc - wall, 0.01 * min(w, d)))
    outside = [(inset, 0.0), (outer, lip), (outer, h - lip), (inset, h)]
    inside = [(inset_inner, h), (inner, h - lip), (inner, wall)]
    return align(stack_outlines(outside + inside), axis, at)


def frame(width: float, height: float, border: float, depth: float, at: Vector = ORIGIN, round: float = 0.0) -> Mesh:
    """A rectangular frame standing in the xz plane, centred; `depth` is its thickness along y."""
    arc = max(round, 0.03 * border)
    loops = [(0.0, -0.5), (0.0, 0.5), (border, 0.5), (border, -0.5)]
    bevel = 0.12 * min(border, depth)
    rings = []
    for inset, level in loops:
        sign = 1.0 if inset == 0.0 else -1.0
        near = [(inset + sign * bevel, level * depth), (inset, level * (depth - 2 * bevel))]
        for i, y in near if (inset == 0.0) == (level < 0) else near[::-1]:
            ring = _rectangle(width - 2 * i, height - 2 * i, max(arc - i, 0.2 * arc))
            rings.append(np.c_[ring[:, 0], np.full(len(ring), y), ring[:, 1]])
    return translate(loft(np.stack(rings), closed=True), *at)


# ---------------------------------------------------------------- curves


def fillet(points: Points, radius: float, *, steps: int = 4, closed: bool = False) -> Array:
    """A polyline [p, d] whose corners are replaced by curves that begin `radius` away from the corner."""
    points = np.asarray(points, dtype=np.float64)
    result = [] if closed else [points[:1]]
    t = np.linspace(0.0, 1.0, steps + 1)[:, None]
    for i in range(len(points)) if closed else range(1, len(points) - 1):
        corner, back, on = points[i], points[i - 1] - points[i], points[(i + 1) % len(points)] - points[i]
        lengths = float(np.linalg.norm(back)), float(np.linalg.norm(on))
        cut = min(radius, 0.48 * lengths[0], 0.48 * lengths[1])
        if cut <= 1e-9:
            result.append(corner[None])
            continue
        a, b = corner + cut * back / lengths[0], corner + cut * on / lengths[1]
        result.append((1 - t) ** 2 * a + 2 * t * (1 - t) * corner + t**2 * b)
    return np.concatenate(result if closed else [*result, points[-1:]])


def curve(points: Array, count: int = 16) -> Array:
    """A smooth curve through a few points [p, d], evenly parametrised (Catmull–Rom), [count, d]."""
    points = np.asarray(points, dtype=np.float64)
    padded = np.concatenate([[2 * points[0] - points[1]], points, [2 * points[-1] - points[-2]]])
    u = np.linspace(0.0, len(points) - 1.0, count)
    i = np.minimum(u.astype(int), len(points) - 2)
    t = (u - i)[:, None]
    a, b, c, d = (padded[i + k] for k in range(4))
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)


def circle(radius: float, count: int = 24) -> Array:
    """Points on a circle, [count, 2]."""
    angle = 2 * np.pi * np.arange(count) / count
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def rectangle(width: float, height: float, round: float = 0.0) -> Array:
    """The outline of a rectangle with round corners, counter-clockwise, [p, 2]."""
    return _rectangle(width, height, max(round, 1e-4 * min(width, height)))


# ---------------------------------------------------------------- how they are made


def loft(rings: Array, *, closed: bool = False) -> Mesh:
    """Skin over rings of points, [r, c, 3]; its ends are closed by fans, or it closes on itself."""
    r, c = rings.shape[:2]
    points, faces = rings.reshape(-1, 3), [_bands(r, c, closed)]
    if not closed:
        here = np.arange(c)
        there = np.roll(here, -1)
        points = np.concatenate([points, rings[[0, -1]].mean(axis=1)])
        faces.append(np.c_[there, here, np.full(c, r * c)])
        faces.append(np.c_[here + (r - 1) * c, there + (r - 1) * c, np.full(c, r * c + 1)])
    return orient_outward(Mesh(points, np.concatenate(faces), up="z"))


def stack_outlines(levels: Sequence[tuple[Array, float]], plane: str = "xy", *, closed: bool = False) -> Mesh:
    """Skin over outlines [p, 2] of as many points each, which lie in planes (xy, xz or yz) at levels across them."""
    across = {"xy": 2, "xz": 1, "yz": 0}[plane]
    return loft(np.stack([np.insert(ring, across, level, axis=1) for ring, level in levels]), closed=closed)


def strip_attributes(mesh: Mesh) -> Mesh:
    """Without texture coordinates: the pieces are coloured by their materials alone."""
    return Mesh(mesh.vertices, mesh.faces, up="z")


def orient_outward(mesh: Mesh) -> Mesh:
    """The closed mesh with its faces turned so that it encloses a positive volume."""
    a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
    inward = np.einsum("md,md->", np.cross(a, b), c) < 0
    return Mesh(mesh.vertices, mesh.faces[:, ::-1] if inward else mesh.faces, up="z")


def _bands(rings: int, count: int, closed: bool) -> Indices:
    here, there = np.arange(count), np.roll(np.arange(count), -1)
    faces = []
    for ring in range(rings if closed else rings - 1):
        low, high = ring * count, (ring + 1) % rings * count
        faces += [np.c_[here + low, there + low, there + high], np.c_[here + low, there + high, here + high]]
    return np.concatenate(faces)


def _frames(path: Array, closed: bool) -> tuple[Array, Array]:
    """Tangents and normals [p, 3] that turn as little as possible along the path."""
    ends = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0)
    if not closed:
        ends[0], ends[-1] = path[1] - path[0], path[-1] - path[-2]
    tangent = ends / np.linalg.norm(ends, axis=1, keepdims=True)
    normal = np.empty_like(tangent)
    least = np.eye(3)[np.argmin(np.abs(tangent).max(axis=0))]
    for i in range(len(path)):
        last = least if i == 0 else normal[i - 1]
        flat = last - (last @ tangent[i]) * tangent[i]
        normal[i] = flat / np.linalg.norm(flat)
    if closed:  # the frame comes back turned by some angle: spread it over the way round
        flat = normal[-1] - (normal[-1] @ tangent[0]) * tangent[0]
        off = np.arctan2(np.cross(flat, normal[0]) @ tangent[0], flat @ normal[0])
        turn = off * np.arange(len(path)) / len(path)
        normal = np.cos(turn)[:, None] * normal + np.sin(turn)[:, None] * np.cross(tangent, normal)
    return tangent, normal


def _round_ends(path: Array, radii: Array, tangent: Array, normal: Array) -> tuple[Array, Array, Array, Array]:
    """The path lengthened by two rings at each end that close it like a dome."""
    angle = np.radians([75.0, 40.0])
    low = path[0] - radii[0] * np.sin(angle)[:, None] * tangent[0]
    high = path[-1] + radii[-1] * np.sin(angle[::-1])[:, None] * tangent[-1]
    radii = np.concatenate([radii[0] * np.cos(angle), radii, radii[-1] * np.cos(angle[::-1])])
    index = np.r_[0, 0, np.arange(len(path)), [len(path) - 1] * 2]
    return np.concatenate([low, path, high]), radii, tangent[index], normal[index]


def _rectangle(width: float, depth: float, arc: float) -> Array:
    arc = min(arc, 0.49 * width, 0.49 * depth)
    angle = np.linspace(0.0, np.pi / 2, 5)
    quarter = arc * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    corners = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    turns = [np.array([[c, s], [-s, c]]) for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    return np.concatenate(
        [quarter @ T + np.array(k) * (0.5 * width - arc, 0.5 * depth - arc) for k, T in zip(corners, turns)]
    )
