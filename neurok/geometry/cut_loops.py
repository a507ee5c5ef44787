"""Cut loops: the closed lines along which the faces of one part were cut from those of others.

A side of a face is cut where faces of other parts lie on its edge and no second face of its own part does. Faces meet
where they share vertices, or lie at the same place in the same piece of the file: what a file holds as two pieces was
never one surface. A line that does not close is the border of a sheet, and so is a line on a surface with large
openings: such a surface bounds no solid that a cut could show. Nor does one whose file holds each face twice, back to
back: no side of it is alone, and its inside is there to be seen.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.components import Edges, connect, find_edges, identical_rows, weld_map
from neurok.geometry.mesh import Mesh
from neurok.geometry.regions import WELD_TOLERANCE
from neurok.geometry.triangles import face_areas

# Of the area of a surface: how large its openings may be. Set by hand: those of the Stanford bunny are 2 %, that of a
# box without a lid is 20 %.
MAX_OPEN_SHARE = 0.05


@dataclass(frozen=True)
class CutLoop:
    """A closed line around a cut of one part. corner: a face corner (three a face) of that part at each of its points,
    [p]; point: the welded vertex there, [p], in an order that does not depend on the part; along: whether most of the
    part's faces beside it run as it does."""

    part: int
    corner: Indices
    point: Indices
    along: bool


@dataclass(frozen=True)
class WeldedSurface:
    """Where faces meet. place: of welded vertices, [w, 3]; faces: over them, [m, 3]; lines: their edges."""

    place: Array
    faces: Indices
    lines: Edges

    def has_edges(self, ends: Indices) -> Mask:
        """Which pairs of welded vertices [s, 2] are the ends of an edge, [s]; numbers beyond the last have none."""
        count = len(self.place) + 1
        known = self.lines.vertices @ np.array([count, 1])  # in rising order
        asked = np.sort(ends, axis=1) @ np.array([count, 1])
        place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        return known[place] == asked


def find_cut_loops(mesh: Mesh, label: Indices) -> tuple[WeldedSurface, list[CutLoop]]:
    """The closed lines around the cuts of all parts; label: the part of each face, [m]."""
    surface = weld_pieces(mesh)
    cut = find_cut_sides(surface.lines, label) & _bounds_solid(surface)
    loops = []
    for part in np.unique(label):
        sides = np.flatnonzero(cut & np.repeat(label == part, 3))
        loops += _make_loops(surface, int(part), sides)
    return surface, loops


def weld_pieces(mesh: Mesh) -> WeldedSurface:
    """The surface with vertices of the same place made one, where they are shared or of the same piece of the file."""
    corners, piece = mesh.faces.reshape(-1), np.repeat(mesh.face_part, 3)
    used, first = np.unique(corners, return_index=True)
    spot = weld_map(mesh.vertices[used], WELD_TOLERANCE * mesh.diagonal)
    group = identical_rows(np.stack([spot, piece[first]], axis=1))  # a vertex counts to the piece of its first face
    number = np.zeros(mesh.vertex_count, dtype=np.int64)
    number[used] = group
    place = np.zeros((int(group.max(initial=-1)) + 1, 3))
    place[group[::-1]] = mesh.vertices[used[::-1]]
    faces = number[mesh.faces]
    return WeldedSurface(place, faces, find_edges(Mesh(place, faces)))


def find_cut_sides(lines: Edges, label: Indices) -> Mask:
    """Which face sides lie on a cut, [3 m]: on an edge that faces of other parts share, and an odd number of their own
    part; of more than one, the first side."""
    side = lines.of_face.reshape(-1)
    owner, proper = np.repeat(label, 3), side >= 0
    key = np.where(proper, side * (int(label.max(initial=0)) + 1) + owner, -1)
    _, first, inverse, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    own = count[inverse.reshape(-1)]
    leads = first[inverse.reshape(-1)] == np.arange(len(side))
    shared = np.zeros(len(side), dtype=bool)
    shared[proper] = lines.face_count[side[proper]] > own[proper]
    return proper & shared & leads & (own % 2 == 1)


def _bounds_solid(surface: WeldedSurface) -> Mask:
    """Which face sides belong to a surface whose openings are small beside it, [3 m]."""
    lines, count = surface.lines, len(surface.faces)
    sheet = connect(count, lines.face_pairs)
    number = int(sheet.max(initial=-1)) + 1
    area = np.bincount(sheet, face_areas(surface.place, surface.faces), number)
    side = lines.of_face.reshape(-1)
    rim = np.flatnonzero(side >= 0)
    rim = rim[lines.boundary[side[rim]]]
    opening = np.bincount(sheet[rim // 3], _measure_openings(surface, rim), number)
    return np.repeat((opening <= MAX_OPEN_SHARE * area)[sheet], 3)


def _measure_openings(surface: WeldedSurface, rim: Indices) -> Array:
    """The area between each side on a rim and the middle of its rim, [r]; a crack has hardly any."""
    ends = _list_ends(surface, rim)
    hole = connect(len(surface.place), ends)[ends[:, 0]]
    a, b = np.moveaxis(surface.place[ends], 1, 0)
    size = np.maximum(np.bincount(hole), 1)
    middle = np.stack([np.bincount(hole, x) / size for x in (0.5 * (a + b)).T], axis=1)[hole]
    return 0.5 * np.linalg.norm(np.cross(a - middle, b - middle), axis=1)


def _walk_loops(surface: WeldedSurface, sides: Indices) -> list[Indices]:
    """Simple closed walks along sides, as welded vertices; what does not close is left out.

    The walks follow from the edges alone, so that two parts that were cut along the same edges get the same ones.
    """
    around: dict[int, list[tuple[int, int]]] = {}
    for number, (a, b) in enumerate(np.sort(_list_ends(surface, sides), axis=1).tolist()):
        around.setdefault(a, []).append((b, number))
        around.setdefault(b, []).append((a, number))
    for ways in around.values():
        ways.sort()
    used, loops = np.zeros(len(sides), dtype=bool), list[Indices]()
    for start in sorted(around):
        path, place = [start], {start: 0}
        while path:
            way = next(((to, number) for to, number in around[path[-1]] if not used[number]), None)
            if way is None:
                del place[path.pop()]
                continue
            to, number = way
            used[number] = True
            if to in place:
                loops.append(np.array(path[place[to] :]))
                for each in path[place[to] + 1 :]:
                    del place[each]
                path = path[: place[to] + 1]
            else:
                place[to] = len(path)
                path.append(to)
    return [loop for loop in loops if len(loop) > 2]


def _list_ends(surface: WeldedSurface, sides: Indices) -> Indices:
    """The two welded vertices of face sides, in the order of their faces, [s, 2]."""
    face, first = np.divmod(sides, 3)
    return np.stack([surface.faces[face, first], surface.faces[face, (first + 1) % 3]], axis=1)


def _make_loops(surface: WeldedSurface, part: int, sides: Indices) -> list[CutLoop]:
    """The loops along the cut sides of a part, with corners of its faces."""
    ends, at = _list_ends(surface, sides), dict[int, int]()
    for side, (a, b) in zip(sides.tolist(), ends.tolist()):
        face, first = divmod(side, 3)
        at.setdefault(a, side)
        at.setdefault(b, 3 * face + (first + 1) % 3)
    forth, loops = set(map(tuple, ends.tolist())), []
    for walk in _walk_loops(surface, sides):
        steps = list(zip(walk.tolist(), np.roll(walk, -1).tolist()))
        along = sum(step in forth for step in steps) >= sum(step[::-1] in forth for step in steps)
        loops.append(CutLoop(part, np.array([at[point] for point in walk.tolist()]), walk, along))
    return loops
