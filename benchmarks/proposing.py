"""Proposals: from a surface to the parts that seem to move and their motions, by its faces and by its pieces.

A chest of drawers is refined again and again: its pieces stay the same, its faces grow. A cloud of loose triangles has
a piece for every face, as generated files and careless exports have. Times are this process's own, on one thread.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from benchmarks.figures import Figure
from benchmarks.self_contact import build_chest
from benchmarks.spaces import refined
from neurok.articulate.parts import find_moving_parts
from neurok.geometry.mesh import Mesh

SECONDS = 10.0  # for 100,000 vertices
LINEAR = 1.2  # the exponent of a cost that grows as the faces do, with what sorting adds


@dataclass(frozen=True)
class Sizes:
    """side: drawers along either side of a chest; faces of it, at least; pieces: loose triangles."""

    side: int = 4
    faces: tuple[int, ...] = (12_500, 50_000, 200_000)
    pieces: tuple[int, ...] = (12_500, 50_000, 200_000)


def measure(sizes: Sizes) -> list[Figure]:
    torch.set_num_threads(1)
    find_moving_parts(build_cloud(100))  # what is loaded once
    chest = build_chest(sizes.side, 50 * sizes.side**2).mesh
    figures = measure_growth("faces", [refined(chest, count // 2) for count in sizes.faces])
    return [*figures, *measure_growth("loose pieces", [build_cloud(count) for count in sizes.pieces])]


def measure_growth(what: str, meshes: list[Mesh]) -> list[Figure]:
    """The time for each mesh, and how it grows with their faces."""
    costs = [clock(partial(find_moving_parts, mesh)) for mesh in meshes]
    counts = [mesh.face_count for mesh in meshes]
    figures = [
        Figure(f"mesh to moving parts, {count} {what}", cost, " s", most=SECONDS) for count, cost in zip(counts, costs)
    ]
    exponent = float(np.polyfit(np.log(counts), np.log(costs), 1)[0]) if len(set(counts)) > 1 else 0.0
    return [*figures, Figure(f"  exponent in {what}", exponent, most=LINEAR)]


def clock(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def build_cloud(count: int) -> Mesh:
    """So many triangles of one size, each a piece of its own, all about in a cube."""
    rng = np.random.default_rng(0)
    corners = rng.uniform(-1.0, 1.0, (count, 1, 3)) + rng.normal(0.0, 0.3 / count ** (1 / 3), (count, 3, 3))
    return Mesh(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3), up="z")
