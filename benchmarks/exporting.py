"""From a mesh to a file for simulators: how long it takes, and how the search grows with parts times candidates.

Times are CPU seconds of one thread, reading, searching, colliders and writing included: what an idle machine's clock
would show.
"""

import contextlib
import io
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.figures import Figure
from neurok.articulate.predict import predict_articulation
from neurok.articulate.study import study_part
from neurok.commands.articulate import Articulate
from neurok.data import procedural
from neurok.files.registry import save
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.parts import Parts
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box
from neurok.proposals.sampling import sample_shape

SECONDS = 10.0
LINEAR = 1.1  # a linear cost, as far as a fit to times on a busy machine can tell
OBJECTS = ("drawer_cabinet", "microwave", "office_chair")


@dataclass(frozen=True)
class Sizes:
    faces: int = 100_000
    objects: tuple[str, ...] = OBJECTS
    parts: tuple[int, ...] = (16, 32, 64, 128, 256)
    rounds: int = 2


def measure(sizes: Sizes) -> list[Figure]:
    figures = []
    for category in sizes.objects:
        seconds, faces = to_urdf(category, sizes.faces)
        figures.append(Figure(f"{category}, {faces:,} faces, mesh to URDF", seconds, "s", most=SECONDS))
    work, seconds = zip(*(search_cost(count, sizes.rounds) for count in sizes.parts))
    power = float(np.polyfit(np.log(work), np.log(seconds), 1)[0]) if len(work) > 1 else 1.0
    what = f"exponent of the search in parts x candidates, {work[0]:,} to {work[-1]:,}"
    return [*figures, Figure(what, power, most=LINEAR)]


def to_urdf(category: str, least_faces: int) -> tuple[float, int]:
    """CPU seconds from a file with a fine mesh to a URDF beside it, and its number of faces."""
    mesh = procedural.make(category, 1).mesh
    while mesh.face_count < least_faces:
        mesh = finer(mesh, least_faces - mesh.face_count)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        path = save(mesh, Path(folder) / "fine.glb")
        begin = time.process_time()
        Articulate(input=str(path), output=(str(Path(folder) / "out.urdf"),), json=True).run()
        return time.process_time() - begin, mesh.face_count


def finer(mesh: Mesh, wanted: int) -> Mesh:
    """The mesh with as many triangles cut in four as give about the wanted number more; part labels are kept."""
    cut = np.zeros(mesh.face_count, dtype=bool)
    cut[: -(-wanted // 3)] = True
    a, b, c = mesh.faces[cut].T
    ends = np.sort(np.concatenate([[a, b], [b, c], [c, a]], axis=1).T.reshape(-1, 2), axis=1)
    keys, place = np.unique(ends, axis=0, return_inverse=True)
    p, q, r = mesh.vertex_count + place.reshape(3, -1)
    faces = np.concatenate(
        [mesh.faces[~cut], *(np.stack(t, axis=1) for t in ((a, p, r), (p, b, q), (r, q, c), (p, q, r)))]
    )
    label = np.concatenate([mesh.face_part[~cut], np.tile(mesh.face_part[cut], 4)])
    vertices = np.concatenate([mesh.vertices, mesh.vertices[keys].mean(axis=1)])
    return Mesh(vertices, faces, parts=mesh.parts, face_part=label, up=mesh.up, unit=mesh.unit)


def search_cost(count: int, rounds: int) -> tuple[int, float]:
    """Parts times candidates of a shelf full of boxes, and the least CPU seconds of the search."""
    side = int(np.ceil(np.sqrt(count - 1)))
    pieces = [_placed(1.2 * side, 0.1, 1.2 * side, (0.6 * side, 0.3, 0.6 * side))]
    for number in range(count - 1):
        row, column = divmod(number, side)
        pieces.append(_placed(0.9, 0.5, 0.9, (1.2 * column + 0.6, 0.0, 1.2 * row + 0.6)))
    mesh = merge(pieces)
    parts = Parts(np.repeat(np.arange(count), 12), tuple(f"part_{i}" for i in range(count)))
    whole = sample_shape(mesh, parts)
    work = sum(found.tried.count for found in (study_part(whole, i) for i in range(count)) if found is not None)
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        predict_articulation(mesh, parts, predictor="search")
        times.append(time.process_time() - begin)
    return work, min(times)


def _placed(width: float, depth: float, height: float, at: tuple[float, float, float]) -> Mesh:
    T = np.eye(4)
    T[:3, 3] = at
    return transform(box(width, depth, height), T)
