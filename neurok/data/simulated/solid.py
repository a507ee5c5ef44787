"""Soft solids: a closed surface embedded in a lattice of elastic cells; contacts act on the surface."""

from dataclasses import dataclass, field

import numpy as np

from neurok.data.simulated.clip import SimulatedClip, list_edges
from neurok.data.simulated.engine import Force, Gravity, Hands, SimulatedScene, Unstable, check_stretch, run_scene
from neurok.data.simulated.sheet import format_numbers
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.measure import compute_volume
from neurok.geometry.mesh import Mesh

TIME_STEP = 0.005  # s
MAX_STRETCH = 4.0  # of a single edge: where a finger dents a surface its triangles grow a lot
MIN_VOLUME_RATIO, MAX_VOLUME_RATIO = 0.3, 1.8  # of the volume at rest; foam is no liquid
# Light nodes must not sink into what touches them: nearly hard, and as quick as the steps allow.
HARD_CONTACT = 'solref="0.01 1" solimp="0.98 0.999 0.001"'
FLOOR = f'<geom type="plane" size="5 5 0.1" friction="0.8" {HARD_CONTACT}/>'


def format_slope(normal: Array, at: Array) -> str:
    """A floor through a point with any normal; gravity should point against it."""
    place = f'pos="{format_numbers(at)}" zaxis="{format_numbers(normal)}"'
    return f'<geom type="plane" size="5 5 0.1" friction="0.8" {HARD_CONTACT} {place}/>'


@dataclass(frozen=True)
class SoftSolid:
    """An elastic solid.

    mesh: the unloaded surface [m]. cells: of the lattice along x, y and z of its bounding box.
    held: layers of lattice nodes that never move, as (axis, which): (2, 0) is the bottom, (2, -1) the top.
    density: [kg/m^3]. young: [Pa].
    """

    mesh: Mesh
    cells: tuple[int, int, int] = (4, 4, 4)
    held: tuple[tuple[int, int], ...] = ()
    density: float = 200.0
    young: float = 1e4
    poisson: float = 0.35
    damping: float = 0.02
    hands: tuple[str, ...] = field(default=())  # MJCF geoms that hands hold

    @property
    def lattice(self) -> Array:
        """The unloaded positions of the lattice nodes [m], [nodes, 3], in the order in which forces are given."""
        low, high = self.mesh.vertices.min(axis=0), self.mesh.vertices.max(axis=0)
        axes = [np.linspace(low[i], high[i], self.cells[i] + 1) for i in range(3)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=3).reshape(-1, 3)

    @property
    def nodes(self) -> Indices:
        """Numbers of the held lattice nodes."""
        number = np.arange(np.prod(np.array(self.cells) + 1)).reshape(np.array(self.cells) + 1)
        layers = [np.take(number, which, axis=axis).ravel() for axis, which in self.held]
        return np.unique(np.concatenate(layers)) if layers else np.zeros(0, dtype=np.int64)


def simulate_solid(
    solid: SoftSolid, duration: float, *, hands: Hands | None = None, force: Force | None = None,
    gravity: Gravity | None = None, ground: str = "", settle: float = 0.0,
) -> SimulatedClip:  # fmt: skip
    """Simulate the solid under gravity, in contact with hands and the ground (MJCF geoms; FLOOR is z = 0)."""
    mesh, start = solid.mesh, np.zeros((len(solid.hands), 3)) if hands is None else hands(0.0)
    grips = "".join(
        f'<body mocap="true" name="hand_{i}" pos="{format_numbers(start[i])}">{geom}</body>'
        for i, geom in enumerate(solid.hands)
    )
    mass = solid.density * compute_volume(mesh)
    pin = f'<pin id="{format_numbers(solid.nodes)}"/>' if len(solid.nodes) else ""
    bodies = f"""{ground}{grips}
<flexcomp name="solid" type="direct" dim="2" dof="trilinear" cellcount="{format_numbers(solid.cells)}"
 point="{format_numbers(mesh.vertices)}" element="{format_numbers(mesh.faces)}" mass="{mass}" radius="0.001">
<elasticity young="{solid.young}" poisson="{solid.poisson}" damping="{solid.damping}"/>
<contact selfcollide="none" {HARD_CONTACT}/>{pin}</flexcomp>"""
    recording = run_scene(
        SimulatedScene(bodies, duration, force=force, hands=hands, settle=settle, gravity=gravity, step=TIME_STEP)
    )
    frames = recording.positions
    check_stretch(np.concatenate([mesh.vertices[None], frames]), list_edges(mesh.faces), MAX_STRETCH)
    _check_volume(mesh, frames)
    return SimulatedClip(mesh.with_vertices(frames[0]), frames, _find_held(solid))


def _check_volume(mesh: Mesh, frames: Array) -> None:
    """Raise Unstable where the volume of a frame [t, n, 3] is out of range: cells are inverted or have burst."""
    a, b, c = (frames[:, mesh.faces[:, i]] for i in range(3))
    ratio = np.einsum("tmd,tmd->t", np.cross(a, b), c) / 6.0 / compute_volume(mesh)
    if ratio.min() < MIN_VOLUME_RATIO or ratio.max() > MAX_VOLUME_RATIO:
        raise Unstable(f"its volume went from 1 to between {ratio.min():.2f} and {ratio.max():.2f}")


def _find_held(solid: SoftSolid) -> Indices:
    """Vertices on a held side of the bounding box."""
    low, high = solid.mesh.vertices.min(axis=0), solid.mesh.vertices.max(axis=0)
    on = np.zeros(solid.mesh.vertex_count, dtype=bool)
    for axis, which in solid.held:
        side = low[axis] if which == 0 else high[axis]
        on |= np.abs(solid.mesh.vertices[:, axis] - side) < 1e-6 * (high - low)[axis]
    return np.flatnonzero(on)
