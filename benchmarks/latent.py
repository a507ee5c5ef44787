"""Dynamics in a learned space of 16 coordinates against the naive form, and against the clock.

The space has the form of every learned one, x = skin o exp(B q), with 128 handles and random modes, so that nothing
depends on the weights. The naive form takes the Jacobian of all vertices by forward mode, forms the mass matrix, its
derivatives and all Christoffel symbols (see `acceleration`); vectorised, in float64, on one thread, as ours is. It is
timed on all vertices, as it is usually written, and on the mass points that ours stands on. Times are this process's.

Real time: a swing of one second in steps of 1/120 s, once the states alone, once with the vertices of 30 frames.
The map from state to handles is in closed form, so there is nothing to distil.
"""

import time
from dataclasses import dataclass

import numpy as np
import torch

from benchmarks.acceleration import FALLING, by_product, christoffel
from benchmarks.figures import Figure, fastest
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.primitives import torus
from neurok.geometry.surface import SurfacePoints, at_vertices, compute_drive, farthest_points
from neurok.kinematics.twists import Twists
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.lagrangian import evaluate
from neurok.mechanics.scene import build
from neurok.mechanics.simulate import first_state, simulate

TIMES = 100.0
REAL = 1.0  # simulated seconds per second


@dataclass(frozen=True)
class Sizes:
    """coordinates, handles; vertices of the mesh; mass points; rounds of timings; seconds that are simulated."""

    coordinates: int = 16
    handles: int = 128
    vertices: int = 50_000
    points: int = 4096
    rounds: int = 3
    seconds: float = 1.0


def measure(sizes: Sizes) -> list[Figure]:
    torch.set_num_threads(1)
    space = learned_like(sizes)
    told = f"{sizes.coordinates} coordinates"
    scene = build(space, FALLING, mass_count=sizes.points)
    q, v = np.random.default_rng(1).normal(size=(2, space.size)) * 0.5
    tasks = {
        "ours": lambda: evaluate(scene.system, space, q, v, 0.0).acceleration,
        "points": lambda: naive(space, scene.masses.where, scene.masses.mass, q, v),
    }
    seconds = fastest(tasks, rounds=sizes.rounds, slice_seconds=0.05, clock=time.process_time)
    every = at_vertices(space.mesh)
    share = np.full(every.count, 1.0 / every.count)
    start = time.process_time()
    naive(space, every, share, q, v)
    whole = time.process_time() - start
    return [
        Figure(f"naive on {every.count} vertices / ours, {told}", whole / seconds["ours"], "x", least=TIMES),
        Figure(f"naive on the same {sizes.points} points / ours, {told}", seconds["points"] / seconds["ours"], "x"),
        Figure(f"  one evaluation, {told}", 1e3 * seconds["ours"], " ms"),
        *clock(space, sizes, told),
    ]


def clock(space: Twists, sizes: Sizes, told: str) -> list[Figure]:
    """Simulated seconds per second of this process."""
    first = np.zeros(space.size)
    first[:3] = 1.0
    wishes = Conditions(state=tuple(first), damping=0.2, seconds=sizes.seconds, dt=1 / 120, fps=30)
    start = time.process_time()
    scene = build(space, wishes)
    begin = first_state(scene, wishes)
    built = time.process_time() - start
    start = time.process_time()
    trajectory = simulate(scene, begin, wishes)
    stepped = time.process_time() - start
    motion = trajectory.motion()
    for index in range(motion.frame_count):
        motion.frame(index)
    shown = time.process_time() - start
    count = space.mesh.vertex_count
    return [
        Figure(f"real time / time, steps of 1/120 s, {told}", sizes.seconds / stepped, "x", least=REAL),
        Figure("  preparing it, once", built, " s"),
        Figure(f"  the same with 30 frames/s of {count} vertices", sizes.seconds / shown, "x", least=REAL),
    ]


def naive(space: Twists, where: SurfacePoints, mass: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The acceleration by explicit Christoffel symbols over points; in pieces of memory, summed."""
    state, speed = torch.from_numpy(q), torch.from_numpy(v)
    gravity = torch.from_numpy(np.array(FALLING.gravity))
    if where.count <= PIECE:
        return christoffel(by_product(lambda s: space.positions(s, where), torch.from_numpy(mass)),
                           torch.from_numpy(mass), gravity, state, speed)  # fmt: skip
    sums = [_sums(space, where.subset(np.arange(a, min(a + PIECE, where.count))), mass[a : a + PIECE], state)
            for a in range(0, where.count, PIECE)]  # fmt: skip
    M, dM, pull = (sum(parts) for parts in zip(*sums))
    gamma = 0.5 * (dM + dM.permute(0, 2, 1) - dM.permute(2, 0, 1))
    term = torch.einsum("ijk,j,k->i", gamma, speed, speed)
    return torch.linalg.solve(M, gravity @ pull - term).numpy()


PIECE = 4096  # points at a time: all k^2 tangents of all vertices at once would not fit into memory


def _sums(space: Twists, where: SurfacePoints, mass: np.ndarray, state: torch.Tensor):
    """M, its derivative, and sum_i m_i J_i [3, k] of some points."""
    weights = torch.from_numpy(mass)
    matrix = by_product(lambda s: space.positions(s, where), weights)
    dM, (M, J) = torch.func.jacfwd(matrix, has_aux=True)(state)
    return M, dM, torch.einsum("m,mai->ai", weights, J)


def learned_like(sizes: Sizes) -> Twists:
    """A ring with handles spread over it, each mode a screw that fades away from a random place."""
    side = max(int(np.sqrt(sizes.vertices / 2)), 4)
    mesh = torus(1.0, 0.3, 2 * side, side)
    mesh = Mesh(mesh.vertices, mesh.faces, up="z")
    rng = np.random.default_rng(0)
    centres = mesh.vertices[farthest_points(mesh.vertices, sizes.handles)]
    joints, weights = compute_drive(centres, mesh.vertices)
    frames = np.tile(np.eye(4), (len(centres), 1, 1))
    frames[:, :3, 3] = centres
    skin = Skin(joints, weights, tuple(f"h{i}" for i in range(len(centres))), np.full(len(centres), -1), frames)
    middle = centres[rng.integers(len(centres), size=sizes.coordinates)]
    near = np.exp(-4.0 * ((centres[:, None] - middle[None]) ** 2).sum(-1))
    basis = near[:, None] * 0.2 * rng.normal(size=(1, 6, sizes.coordinates))
    return Twists(mesh, skin, basis, origin=np.zeros(3))
