"""Sheets: cloth as a flex of springy triangles over a grid, shown as a finer sheet with a thickness."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from neurok.data.procedural.shapes import slab
from neurok.data.simulated.clip import SimulatedClip, list_edges
from neurok.data.simulated.engine import Force, Gravity, Hands, SimulatedScene, check_stretch, run_scene
from neurok.data.simulated.wind import GustyWind, compute_triangle_forces
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.primitives import grid as flat_grid

MAX_STRETCH = 1.5
REFINEMENT = 2  # cells of the displayed sheet along a cell of the simulated one


@dataclass(frozen=True)
class Sheet:
    """A sheet of cloth.

    points: of the unloaded cloth, flat or in folds [m], [r, c, 3].
    held: numbers (row * c + column) of points that never move, hands: of those that hands move, [h].
    weight: [kg/m^2]. young: [Pa] at the thickness [m] of the simulated sheet. shown: thickness to draw [m].
    """

    points: Array
    held: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    hands: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    weight: float = 0.25
    young: float = 3e4
    thickness: float = 2e-3
    damping: float = 1e-3
    shown: float = 6e-3

    @property
    def faces(self) -> Indices:
        rows, columns = self.points.shape[:2]
        return flat_grid(1.0, 1.0, columns - 1, rows - 1).faces

    @property
    def mass(self) -> float:
        """The mass of the whole sheet [kg]."""
        a, b, c = (self.points.reshape(-1, 3)[self.faces[:, i]] for i in range(3))
        return self.weight * 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())

    def make_wind_force(self, wind: GustyWind) -> Force:
        faces, share = self.faces, self.mass / (self.points.size // 3)
        return lambda time, x, v: compute_triangle_forces(wind, time, x, v, faces, share)


def simulate_cloth(
    sheet: Sheet, duration: float, *, force: Force | None = None, hands: Hands | None = None, settle: float = 0.0,
    gravity: Gravity | None = None, obstacles: str = "",
) -> SimulatedClip:  # fmt: skip
    """Simulate the sheet under gravity, forces and hands; obstacles: MJCF geoms that it collides with."""
    flat = sheet.points.reshape(-1, 3)
    grips = "".join(
        f'<body mocap="true" name="hand_{i}" pos="{format_numbers(flat[n])}"/>' for i, n in enumerate(sheet.hands)
    )
    ties = "".join(
        f'<connect body1="cloth_{n}" body2="hand_{i}" anchor="0 0 0" solref="0.02 1"/>'
        for i, n in enumerate(sheet.hands)
    )
    collide = "" if obstacles else 'contype="0" conaffinity="0"'
    bodies = f"""{obstacles}{grips}
<flexcomp name="cloth" type="direct" dim="2" point="{format_numbers(flat)}" element="{format_numbers(sheet.faces)}"
 mass="{sheet.mass}" radius="{0.5 * sheet.shown}">
<elasticity young="{sheet.young}" poisson="0.2" thickness="{sheet.thickness}" damping="{sheet.damping}"
 elastic2d="both"/><contact selfcollide="none" {collide}/>{format_pins(sheet.held)}</flexcomp>"""
    recording = run_scene(
        SimulatedScene(bodies, duration, ties, force=force, hands=hands, settle=settle, gravity=gravity)
    )
    check_stretch(np.concatenate([flat[None], recording.positions]), list_edges(sheet.faces), MAX_STRETCH)
    return _thicken(sheet, recording.positions)


def format_numbers(numbers: Array | Indices | Sequence[float]) -> str:
    """Numbers in the notation of MJCF."""
    return " ".join(f"{x:.9g}" for x in np.asarray(numbers).ravel())


def format_pins(held: Indices) -> str:
    return f'<pin id="{format_numbers(held)}"/>' if len(held) else ""


def _thicken(sheet: Sheet, positions: Array) -> SimulatedClip:
    """The finer sheets over the recorded grids, and which of their vertices are held."""
    rows, columns = sheet.points.shape[:2]
    grids = _refine(_refine(positions.reshape(len(positions), rows, columns, 3), 1), 2)
    solid = [slab(grid, sheet.shown) for grid in grids]
    coarse = np.zeros((rows, columns), dtype=bool)
    coarse.reshape(-1)[sheet.held] = True
    fine = np.zeros(grids.shape[1:3], dtype=bool)
    fine[::REFINEMENT, ::REFINEMENT] = coarse
    held = np.flatnonzero(np.concatenate([fine.ravel(), fine.ravel()]))
    return SimulatedClip(solid[0], np.stack([mesh.vertices for mesh in solid]), held)


def _refine(values: Array, axis: int) -> Array:
    """The grid with REFINEMENT times as many cells along an axis, on cubic splines through the given points."""
    from scipy.interpolate import CubicSpline

    count = values.shape[axis]
    return CubicSpline(np.arange(count), values, axis=axis)(np.linspace(0, count - 1, REFINEMENT * (count - 1) + 1))
