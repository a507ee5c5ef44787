"""Plain solids, closed and oriented outwards, with the closed-form volume, area and inertia of their ideal shapes.

All are centred at the origin; round ones turn about z. Where a surface has a natural
map, `uv0` is stored at the corners, so that a seam does not cut the solid open.
"""

from dataclasses import dataclass

import numpy as np

from neurok.errors import OptionError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh


@dataclass(frozen=True)
class Ideal:
    """Volume [unit^3], area [unit^2] and principal inertia of the solid of mass one [unit^2], [3]; centre at 0."""

    volume: float
    area: float
    inertia: Array


def _check_lengths(**lengths: float) -> None:
    for name, value in lengths.items():
        if not (np.isfinite(value) and value > 0):
            raise OptionError(f"a {name.replace('_', ' ')} of {value}", "give a number above zero")


# ---------------------------------------------------------------- flat ones


def grid(width: float, depth: float, columns: int = 1, rows: int = 1) -> Mesh:
    """A flat sheet in the xy plane, looking to +z, of columns x rows cells of two triangles."""
    _check_lengths(width=width, depth=depth, columns=columns, rows=rows)
    x, y = np.meshgrid(np.linspace(0.0, 1.0, columns + 1), np.linspace(0.0, 1.0, rows + 1))
    u, v = x.reshape(-1), y.reshape(-1)
    vertices = np.stack([(u - 0.5) * width, (v - 0.5) * depth, 0.0 * u], axis=1)
    faces = _lattice_faces(np.arange(len(u)).reshape(rows + 1, columns + 1))
    return Mesh(vertices, faces, attributes={"uv0": np.stack([u, 1.0 - v], axis=1)}, up="z")


def box(width: float = 1.0, depth: float = 1.0, height: float = 1.0, cells: int = 1) -> Mesh:
    """A box along x, y, z with cells x cells squares on each of its sides."""
    _check_lengths(width=width, depth=depth, height=height, cells=cells)
    ticks = np.linspace(-0.5, 0.5, cells + 1)
    return _build_box([ticks * size for size in (width, depth, height)])


def ideal_box(width: float, depth: float, height: float) -> Ideal:
    a, b, c = width, depth, height
    inertia = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 12.0
    return Ideal(a * b * c, 2.0 * (a * b + b * c + c * a), inertia)


def _build_box(ticks: list[Array]) -> Mesh:
    """The surface of the box with these grid planes along x, y, z, its vertices shared between sides."""
    sides: list[Array] = []
    squares: list[Indices] = []
    maps: list[Array] = []
    start = 0
    for axis in range(3):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        a, b = np.meshgrid(ticks[i], ticks[j], indexing="ij")
        for end, outward in ((0, False), (-1, True)):
            side = np.empty((a.size, 3))
            side[:, axis], side[:, i], side[:, j] = ticks[axis][end], a.reshape(-1), b.reshape(-1)
            flat = _lattice_faces(np.arange(start, start + a.size).reshape(a.shape).T)
            squares.append(flat if outward else flat[:, ::-1])
            sides.append(side)
            maps.append(np.stack([_unit_range(a), 1.0 - _unit_range(b)], axis=-1).reshape(-1, 2))
            start += a.size
    faces, uv = np.concatenate(squares), np.concatenate(maps)
    vertices, merged = np.unique(np.concatenate(sides), axis=0, return_inverse=True)
    return Mesh(vertices, merged.reshape(-1)[faces], corner_attributes={"uv0": uv[faces]}, up="z")


def _unit_range(values: Array) -> Array:
    return (values - values.min()) / (values.max() - values.min())


def _lattice_faces(index: Indices) -> Indices:
    """Two triangles for each cell of a lattice of vertices [rows, columns], counter-clockwise, [m, 3]."""
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    return np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)], axis=2).reshape(-1, 3)


# ---------------------------------------------------------------- solids of revolution


def revolve(profile: Array, segments: int = 32, *, ring: bool = False) -> Mesh:
    """The surface of a profile (radius, z), [p, 2], turned about z; where the radius is zero, one pole.

    Looks outwards where the profile runs upwards on the outside. ring: the profile is a closed curve.
    """
    if segments < 3:
        raise OptionError(f"{segments} segments around an axis", "give at least three")
    profile = np.asarray(profile, dtype=np.float64)
    lengths = np.linalg.norm(np.diff(profile, axis=0, append=profile[:1]), axis=1)
    v = np.concatenate([[0.0], np.cumsum(lengths if ring else lengths[:-1])])
    v = 1.0 - v / v[-1]
    radius, z = (np.append(profile[:, i], profile[0, i]) if ring else profile[:, i] for i in (0, 1))
    angle = 2.0 * np.pi * np.arange(segments) / segments
    index = np.empty((len(z), segments + 1), dtype=np.int64)
    circles: list[Array] = []
    for row in range(len(profile)):
        pole = radius[row] == 0.0
        start = sum(len(circle) for circle in circles)
        around = radius[row] * np.stack([np.cos(angle), np.sin(angle)], axis=1)[: 1 if pole else None]
        circles.append(np.column_stack([around, np.full(len(around), z[row])]))
        index[row] = start if pole else start + np.arange(segments + 1) % segments
    if ring:
        index[-1] = index[0]
    uv = np.stack(np.meshgrid(np.linspace(0.0, 1.0, segments + 1), v), axis=-1).reshape(-1, 2)
    lattice = _lattice_faces(np.arange(index.size).reshape(index.shape))
    faces = index.reshape(-1)[lattice]
    proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return Mesh(np.concatenate(circles), faces[proper], corner_attributes={"uv0": uv[lattice[proper]]}, up="z")


def cylinder(radius: float = 0.5, height: float = 1.0, segments: int = 32) -> Mesh:
    """A cylinder along z with flat ends."""
    _check_lengths(radius=radius, height=height)
    h = 0.5 * height
    return revolve(np.array([[0.0, -h], [radius, -h], [radius, h], [0.0, h]]), segments)


def ideal_cylinder(radius: float, height: float) -> Ideal:
    across = radius**2 / 4.0 + height**2 / 12.0
    volume, area = np.pi * radius**2 * height, 2.0 * np.pi * radius * (radius + height)
    return Ideal(volume, area, np.array([across, across, radius**2 / 2.0]))


def cone(radius: float = 0.5, height: float = 1.0, segments: int = 32) -> Mesh:
    """A cone along z, its tip up; its centre of mass, a quarter up from the base, is the origin."""
    _check_lengths(radius=radius, height=height)
    return revolve(np.array([[0.0, -0.25 * height], [radius, -0.25 * height], [0.0, 0.75 * height]]), segments)


def ideal_cone(radius: float, height: float) -> Ideal:
    across = 3.0 / 20.0 * radius**2 + 3.0 / 80.0 * height**2
    area = np.pi * radius * (radius + np.hypot(radius, height))
    return Ideal(np.pi * radius**2 * height / 3.0, area, np.array([across, across, 0.3 * radius**2]))


def _arc(radius: float, start: float, stop: float, count: int) -> Array:
    """Points (radius cos, radius sin) over angles from start to stop, [count + 1, 2]."""
    angle = np.linspace(start, stop, count + 1)
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def sphere(radius: float = 0.5, segments: int = 32, rings: int = 16) -> Mesh:
    """A sphere of meridians and parallels, poles on z."""
    _check_lengths(radius=radius, rings=rings - 1)
    profile = _arc(radius, -0.5 * np.pi, 0.5 * np.pi, rings)
    profile[[0, -1], 0] = 0.0
    return revolve(profile, segments)


def ideal_sphere(radius: float) -> Ideal:
    return Ideal(4.0 / 3.0 * np.pi * radius**3, 4.0 * np.pi * radius**2, np.full(3, 0.4 * radius**2))


def capsule(radius: float = 0.25, length: float = 0.5, segments: int = 32, rings: int = 8) -> Mesh:
    """A cylinder along z of this length with half a sphere on both ends."""
    _check_lengths(radius=radius, length=length, rings=rings)
    lower, upper = _arc(radius, -0.5 * np.pi, 0.0, rings), _arc(radius, 0.0, 0.5 * np.pi, rings)
    lower[0, 0] = upper[-1, 0] = 0.0
    shift = np.array([0.0, 0.5 * length])
    return revolve(np.concatenate([lower - shift, upper + shift]), segments)


def ideal_capsule(radius: float, length: float) -> Ideal:
    r, h = radius, length
    tube, ball = np.pi * r**2 * h, 4.0 / 3.0 * np.pi * r**3
    # Half a ball's centre lies 3r/8 from its flat face; moved there and on by h/2.
    along = 0.5 * tube * r**2 + 0.4 * ball * r**2
    across = tube * (r**2 / 4.0 + h**2 / 12.0) + ball * (0.4 * r**2 + h**2 / 4.0 + 3.0 * h * r / 8.0)
    volume = tube + ball
    return Ideal(volume, 2.0 * np.pi * r * h + 4.0 * np.pi * r**2, np.array([across, across, along]) / volume)


def torus(radius: float = 0.4, thickness: float = 0.1, segments: int = 32, sides: int = 16) -> Mesh:
    """A ring about z: the tube's centre line has this radius, the tube itself the radius `thickness`."""
    _check_lengths(radius=radius, thickness=thickness, hole=radius - thickness, sides=sides - 2)
    profile = _arc(thickness, 0.0, 2.0 * np.pi, sides)[:-1] + np.array([radius, 0.0])
    return revolve(profile, segments, ring=True)


def ideal_torus(radius: float, thickness: float) -> Ideal:
    R, r = radius, thickness
    across = R**2 / 2.0 + 5.0 / 8.0 * r**2
    inertia = np.array([across, across, R**2 + 0.75 * r**2])
    return Ideal(2.0 * np.pi**2 * R * r**2, 4.0 * np.pi**2 * R * r, inertia)


# ---------------------------------------------------------------- round without an axis


def icosphere(radius: float = 0.5, subdivisions: int = 2) -> Mesh:
    """A sphere from an icosahedron, each face cut in four this many times; nearly equal triangles, no uv."""
    _check_lengths(radius=radius)
    if not 0 <= subdivisions <= 8:
        raise OptionError(f"{subdivisions} subdivisions of an icosahedron", "give 0 to 8")
    g = 0.5 * (1.0 + np.sqrt(5.0))
    pairs = np.array([[0.0, s, t * g] for s in (-1.0, 1.0) for t in (-1.0, 1.0)])
    vertices = np.concatenate([np.roll(pairs, k, axis=1) for k in range(3)])
    faces = _hull_faces(vertices, 2.0)
    for _ in range(subdivisions):
        vertices, faces = _subdivide(vertices, faces)
    vertices = vertices / np.linalg.norm(vertices, axis=1, keepdims=True)
    return Mesh(radius * vertices, faces, up="z")


def _hull_faces(vertices: Array, side: float) -> Indices:
    """The outward triangles of a deltahedron around the origin: all triples of vertices one side apart."""
    distance = np.linalg.norm(vertices[:, None] - vertices[None], axis=2)
    near = np.abs(distance - side) < 1e-9
    n = len(vertices)
    found = [
        (i, j, k) for i in range(n) for j in range(i) for k in range(j) if near[i, j] and near[j, k] and near[k, i]
    ]
    faces = np.array(found)
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    inward = np.einsum("md,md->m", np.cross(b - a, c - a), a) < 0
    return np.where(inward[:, None], faces[:, ::-1], faces)


def _subdivide(vertices: Array, faces: Indices) -> tuple[Array, Indices]:
    """Every face cut in four at the middles of its sides, pushed out to the unit sphere."""
    vertices = vertices / np.linalg.norm(vertices, axis=1, keepdims=True)
    sides = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    ends, inverse = np.unique(sides, axis=0, return_inverse=True)
    middle = len(vertices) + inverse.reshape(-1, 3)
    a, b, c = faces.T
    ab, bc, ca = middle.T
    cut = np.stack([a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca], axis=1).reshape(-1, 3)
    return np.concatenate([vertices, vertices[ends].mean(axis=1)]), cut


def rounded_box(
    width: float = 1.0, depth: float = 1.0, height: float = 1.0, radius: float = 0.1, cells: int = 4
) -> Mesh:
    """A box whose edges and corners are rounded with this radius, by `cells` squares across each eighth of a ball."""
    _check_lengths(radius=radius, cells=cells)
    inner = np.array([width, depth, height]) - 2.0 * radius
    _check_lengths(**{"rounded box's flat side": float(inner.min())})
    # On a unit cube the squares over a corner are spaced by equal angles: tan of -45..45 degrees.
    bend = 1.0 - np.tan(np.linspace(0.25 * np.pi, 0.0, cells + 1))
    ticks = [
        np.concatenate([-0.5 * flat - radius + radius * bend, 0.5 * flat + radius - radius * bend[::-1]])
        for flat in inner
    ]
    base = _build_box(ticks)
    core = np.clip(base.vertices, -0.5 * inner, 0.5 * inner)
    out = base.vertices - core
    vertices = core + radius * out / np.linalg.norm(out, axis=1, keepdims=True)
    return base.with_vertices(vertices)


def ideal_rounded_box(width: float, depth: float, height: float, radius: float) -> tuple[float, float]:
    """Volume and area (Steiner's formula for a box grown by a ball)."""
    a, b, c = (size - 2.0 * radius for size in (width, depth, height))
    r, faces, lengths = radius, 2.0 * (a * b + b * c + c * a), a + b + c
    volume = a * b * c + r * faces + np.pi * r**2 * lengths + 4.0 / 3.0 * np.pi * r**3
    return volume, faces + 2.0 * np.pi * r * lengths + 4.0 * np.pi * r**2
