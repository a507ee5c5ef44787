"""How the cost of an evaluation of the equations of motion, and of a step, grows with points and coordinates.

cost ~ size^p over a range of sizes; p is fitted to the logarithms of the least times. Linear or better in points,
at most quadratic in coordinates up to 32; both ways: over a skin's bones, and over the points themselves.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from benchmarks.acceleration import FALLING
from benchmarks.figures import Figure, fastest
from neurok.kinematics.articulated import Articulated
from neurok.mechanics.integrators import INTEGRATORS
from neurok.mechanics.lagrangian import evaluate
from neurok.mechanics.scene import build_scene
from tests.mechanics.objects import chain

LINEAR = 1.1  # a linear cost, as far as a fit to times on a busy machine can tell
QUADRATIC = 2.0


@dataclass(frozen=True)
class Sizes:
    """What is varied, and what is kept meanwhile. Small sizes are left out: there, fixed costs hide the growth."""

    points: tuple[int, ...] = (4096, 8192, 16384, 32768)
    coordinates: tuple[int, ...] = (4, 8, 16, 32)
    kept_points: int = 2048
    kept_coordinates: int = 8
    rounds: int = 4


def measure(sizes: Sizes) -> list[Figure]:
    torch.set_num_threads(1)
    figures = []
    for dense in (False, True):
        way = "points" if dense else "bones"
        for cost in COSTS:
            by_points = {m: COSTS[cost](sizes.kept_coordinates, m, dense) for m in sizes.points}
            by_coordinates = {k: COSTS[cost](k, sizes.kept_points, dense) for k in sizes.coordinates}
            for name, tasks, most in (("points", by_points, LINEAR), ("coordinates", by_coordinates, QUADRATIC)):
                what = f"exponent of {cost} ({way}) in {name}, {min(tasks)} to {max(tasks)}"
                figures.append(Figure(what, exponent(tasks, rounds=sizes.rounds), most=most))
    return figures


def exponent(tasks: dict[int, Callable[[], object]], *, rounds: int) -> float:
    """p of cost ~ size^p, by least squares over the logarithms."""
    seconds = fastest({str(size): task for size, task in tasks.items()}, rounds=rounds, slice_seconds=0.05)
    return float(np.polyfit(np.log(list(tasks)), np.log([seconds[str(size)] for size in tasks]), 1)[0])


def _evaluation(k: int, points: int, dense: bool) -> Callable[[], object]:
    """One acceleration of a chain of k hinges."""
    space = Articulated(chain(k))
    system = build_scene(space, FALLING, mass_count=points, dense=dense).system
    q, v = _state(k)
    return lambda: evaluate(system, space, q, v, 0.0).acceleration


def _step(k: int, points: int, dense: bool) -> Callable[[], object]:
    """One step of the default integrator, the terms at its start included."""
    space = Articulated(chain(k))
    system = build_scene(space, FALLING, mass_count=points, dense=dense).system
    scheme = INTEGRATORS[FALLING.integrator]
    q, v = _state(k)

    def step() -> object:
        now = evaluate(system, space, q, v, 0.0)
        return scheme.step(system, space, now, q, v, 0.0, FALLING.dt)

    return step


COSTS = {"an evaluation": _evaluation, "a step": _step}


def _state(k: int) -> tuple[np.ndarray, np.ndarray]:
    """A slow swing of all hinges, the same for every length, so that steps take equally many iterations."""
    return np.full(k, 0.3 / k), np.full(k, 0.3 / k)
