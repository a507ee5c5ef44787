"""Contact between parts: a chest of drawers that all run against its back, against the clock.

The chest is tilted, so that every drawer slides in, hits the back and rests there: in most steps all of them touch.
The same motion is timed without contact between parts, where the drawers fall through the back. Times are this
process's own, on one thread. Distances are measured in a hierarchy of boxes over the faces, so that the cost of a step
hardly grows with the number of vertices.
"""

import time
from dataclasses import dataclass, replace

import numpy as np
import torch

from benchmarks.figures import Figure
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.primitives import box
from neurok.kinematics.articulated import Articulated
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.scene import build_scene
from neurok.mechanics.simulate import find_first_state, simulate

REAL = 1.0  # simulated seconds per second
LINEAR = 1.0  # the exponent of a cost that grows as the vertices do
SLIDING = Conditions(gravity=(-2.0, 0.0, -9.6), damping=0.2)


@dataclass(frozen=True)
class Sizes:
    """drawers along either side; vertices of the mesh, of which the second number has the bound; seconds simulated."""

    side: int = 4
    vertices: tuple[int, ...] = (12_500, 50_000, 200_000)
    bounded: int = 50_000
    seconds: float = 1.0


def measure(sizes: Sizes) -> list[Figure]:
    torch.set_num_threads(1)
    figures, costs = [], []
    for count in sizes.vertices:
        space = build_chest(sizes.side, count)
        told = f"{space.size} coordinates, {space.mesh.vertex_count} vertices"
        conditions = replace(SLIDING, seconds=sizes.seconds)
        prepared, stepped, contacts = clock(space, conditions)
        plain = clock(space, replace(conditions, self_contact=False))
        costs.append(stepped)
        least = REAL if count == sizes.bounded else None
        figures += [
            Figure(
                f"real time / time with self-contact, steps of 1/240 s, {told}", sizes.seconds / stepped, "x", least
            ),
            Figure("  time with self-contact / without", stepped / plain[1], "x"),
            Figure("  preparing it, beyond what it takes without", prepared - plain[0], " s"),
            Figure("  most contacts at a time at the end of a frame", contacts),
        ]
    exponent = float(np.polyfit(np.log(sizes.vertices), np.log(costs), 1)[0])
    told = f"{min(sizes.vertices)} to {max(sizes.vertices)}"
    return [*figures, Figure(f"exponent of a motion with self-contact in vertices, {told}", exponent, most=LINEAR)]


def clock(space: Articulated, conditions: Conditions) -> tuple[float, float, int]:
    """The time to prepare and to simulate a motion [s], and the most contacts at a time."""
    start = time.process_time()
    scene = build_scene(space, conditions)
    first = find_first_state(scene, conditions)
    prepared = time.process_time() - start
    start = time.process_time()
    trajectory = simulate(scene, first, conditions)
    return prepared, time.process_time() - start, int(trajectory.contacts.max())


def build_chest(side: int, vertices: int) -> Articulated:
    """side x side drawers in a chest of about so many vertices; each 0.1 from the back, 0.005 from its shelves."""
    boxes = side * side + 2 * (side + 1) + 1
    cells = max(int(np.sqrt((vertices / boxes - 2) / 6)), 1)
    width, depth, pitch, board = side * 0.3, 0.5, 0.3, 0.02

    def place(mesh: Mesh, x: float, y: float, z: float) -> Mesh:
        return mesh.with_vertices(mesh.vertices + [x, y, z])

    at = (np.arange(side + 1) - side / 2) * pitch
    boards = [place(box(depth, board, width + board, cells), 0.0, y, 0.0) for y in at]
    boards += [place(box(depth, width + board, board, cells), 0.0, 0.0, z) for z in at]
    boards.append(place(box(board, width + board, width + board, cells), -depth / 2, 0.0, 0.0))
    inner = pitch - board - 0.01
    middles = [(y, z) for y in at[:-1] + pitch / 2 for z in at[:-1] + pitch / 2]
    drawers = [place(box(0.4, inner, inner, cells), 0.06, y, z) for y, z in middles]
    parts = [merge(boards), *drawers]
    names = ["chest", *(f"drawer {i}" for i in range(len(drawers)))]
    mesh = replace(merge(parts, names=names), up="z")
    links = tuple(Link(name, np.eye(4)) for name in names)
    joints = tuple(
        Joint(f"slide {i}", "prismatic", 0, i + 1, np.eye(4), np.array([1.0, 0.0, 0.0])) for i in range(len(drawers))
    )
    label = np.repeat(np.arange(len(parts)), [part.vertex_count for part in parts])
    return Articulated(Articulation(mesh, label, links, joints))
