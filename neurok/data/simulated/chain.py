"""Chains: stems, branches and ropes as rods of jointed bodies that bend and twist elastically.

A bending stiffness k at a joint between pieces of length l is that of a rod with E I = k l.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurok.data.procedural.kit import compute_bend_weights
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.engine import EngineRecording, Force, Gravity, Hands, SimulatedScene, run_scene
from neurok.data.simulated.sheet import format_numbers
from neurok.data.simulated.wind import AIR_DENSITY, GustyWind, compute_rod_forces
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh, merge

TIME_STEP = 0.002  # s


@dataclass(frozen=True)
class Chain:
    """A rod along a path [m], [p, 3], one body per segment, and the surfaces that it moves.

    root: "" where the first body is joined to the world, 'free', or (chain, body) where it grows from another chain.
    radius: [m], one or per body, for mass and contacts. stiffness: E I [N m^2], one or per body.
    surface: a mesh that bends with the path. tip: a mesh that follows the last body rigidly.
    """

    path: Array
    surface: Mesh
    radius: Array | float
    stiffness: Array | float
    density: float = 600.0
    damping: float = 0.05  # seconds: damping over stiffness
    root: tuple[int, int] | str = ""
    collides: bool = False
    tip: Mesh | None = None

    @property
    def mesh(self) -> Mesh:
        return self.surface if self.tip is None else merge([self.surface, self.tip])

    @property
    def count(self) -> int:
        return len(self.path) - 1

    @property
    def lengths(self) -> Array:
        return np.linalg.norm(np.diff(self.path, axis=0), axis=1)

    @property
    def masses(self) -> Array:
        """The masses of the bodies [kg], [count]."""
        return self.density * np.pi * np.broadcast_to(self.radius, self.count) ** 2 * self.lengths


def simulate_chains(
    chains: Sequence[Chain], duration: float, *, force: Force | None = None, hands: Hands | None = None,
    gravity: Gravity | None = None, ties: str = "", scenery: str = "", settle: float = 0.0,
) -> SimulatedClip:  # fmt: skip
    """Simulate all chains under gravity; forces act on their bodies, chain after chain. Only scenery is held."""
    bodies = "".join(_format_body(chains, i) for i, chain in enumerate(chains) if not isinstance(chain.root, tuple))
    names = tuple(f"c{i}_{j}" for i, chain in enumerate(chains) for j in range(chain.count))
    scene = SimulatedScene(
        scenery + bodies, duration, ties, names, force, hands, settle, gravity,
        integrator="implicitfast", step=TIME_STEP,
    )  # fmt: skip
    return _blend_surfaces(chains, run_scene(scene))


def make_wind_force(chains: Sequence[Chain], wind: GustyWind, areas: Array) -> Force:
    """The force of the wind on all bodies; areas: that each body turns to the wind [m^2], [bodies]."""
    masses = np.concatenate([chain.masses for chain in chains])
    return lambda time, x, v: compute_rod_forces(wind, time, x, v, areas, masses)


def compute_stiffness(speed: float, area: float, length: float, *, bend: float) -> float:
    """E I [N m^2] of a rod that a wind [m/s] on an area [m^2] turns at its tip by about `bend` [rad].

    An even load F turns the tip of a clamped rod by F l^2 / (6 E I).
    """
    return 0.5 * AIR_DENSITY * area * speed**2 * length**2 / (6.0 * bend)


def _format_body(chains: Sequence[Chain], i: int, j: int = 0, origin: Array | None = None) -> str:
    """MJCF of body j of a chain and of all that hangs on it; axes of the world, origin at the start of the segment."""
    chain = chains[i]
    at, piece = chain.path[j], chain.path[j + 1] - chain.path[j]
    radius = float(np.broadcast_to(chain.radius, chain.count)[j])
    k = float(np.broadcast_to(chain.stiffness, chain.count)[j] / chain.lengths[j])
    joint = f'<joint type="ball" stiffness="{k:.9g}" damping="{k * chain.damping + 1e-6:.9g}"/>'
    if chain.root == "free" and j == 0:
        joint = "<freejoint/>"
    touch = 'friction="0.5"' if chain.collides else 'contype="0" conaffinity="0"'
    inside = _format_body(chains, i, j + 1, at) if j + 1 < chain.count else ""
    inside += "".join(_format_body(chains, n, 0, at) for n, other in enumerate(chains) if other.root == (i, j))
    place = at - (np.zeros(3) if origin is None else origin)
    return (
        f'<body name="c{i}_{j}" pos="{format_numbers(place)}">{joint}<geom type="capsule" size="{radius:.9g}" '
        f'fromto="0 0 0 {format_numbers(piece)}" mass="{chain.masses[j]:.9g}" {touch}/>{inside}</body>'
    )


def _blend_surfaces(chains: Sequence[Chain], recording: EngineRecording) -> SimulatedClip:
    """The surfaces, blended between the bodies: x(t) = sum_j w_j (R_j (x - o_j) + p_j)."""
    parts: list[Array] = []
    start = 0
    for chain in chains:
        p, R = (x[:, start : start + chain.count] for x in (recording.positions, recording.turns))
        start += chain.count
        x = chain.mesh.vertices
        total = np.zeros((len(p), *x.shape))
        for j, w in enumerate(_compute_weights(chain).T):
            near = np.flatnonzero(w)
            moved = np.zeros((len(p), *x.shape))
            moved[:, near] = np.einsum("tab,nb->tna", R[:, j], x[near] - chain.path[j]) + p[:, j, None]
            total = total + w[:, None] * moved
        parts.append(total)
    frames = np.concatenate(parts, axis=1)
    mesh = merge([chain.mesh for chain in chains])
    return SimulatedClip(mesh.with_vertices(frames[0]), frames, np.zeros(0, dtype=np.int64))


def _compute_weights(chain: Chain) -> Array:
    """The skinning weights of the vertices for the bodies, [n, count]: each body takes over where it begins."""
    names = [str(j) for j in range(chain.count + 1)]
    shares = np.stack(list(compute_bend_weights(chain.surface, chain.path, names).values()), axis=1)
    # The first name of `compute_bend_weights` is what the root is fixed to: here the first body itself.
    shares[:, 1] += shares[:, 0]
    last = np.zeros((chain.mesh.vertex_count - len(shares), chain.count))
    last[:, -1] = 1.0
    return np.concatenate([shares[:, 1:], last])
