"""How good the dynamics of a state space are, whatever kind it is: energy, convergence, stability, motion.

A conservative swing begins half a spread away from rest in every coordinate, pulled back by springs, without damping,
limits or contact: all of its energy should stay. Its exact counterpart is the same swing at a much finer step.
Further swings move one coordinate each over half of its range: that of its limits, or two spreads either way where
these are wider.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from neurok.evaluate.boundary import measure_boundary
from neurok.evaluate.flow import compute_flow
from neurok.geometry.arrays import Array
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.integrators import INTEGRATORS
from neurok.mechanics.simulate import animate
from neurok.mechanics.trajectory import Trajectory

START_DEVIATIONS = 0.5  # of a spread
MAX_DEVIATIONS = 2.0  # spreads either way: no coordinate is taken to range farther
MAX_SINGLE_SWINGS = 4  # coordinates that swing alone, at most: those of greatest effect
SWING_SECONDS = 10.0
LONG_RUN_STEPS = 10_000  # of the long run
LARGEST_STEP = 1.0 / 60.0  # the largest step whose error is measured [s]
HALVING_COUNT = 3
FINE_STEP_FACTOR = (
    4  # how much finer than the finest the step is that stands for the truth, by the scheme of highest order
)
CONVERGENCE_SECONDS = 0.4


@dataclass(frozen=True)
class DynamicsResult:
    """facts: all figures, as JSON can hold them; swing: the trajectory of the energy plot."""

    facts: dict[str, Any]
    swing: Trajectory


def evaluate_dynamics(
    space: Kinematics,
    conditions: Conditions | None = None,
    *,
    progress: Callable[[float], None] | None = None,
) -> DynamicsResult:
    """Every measurement; conditions: those of the motion whose flow is measured (default: released from a state)."""
    report = progress or (lambda fraction: None)
    swing = animate(space, make_swing_conditions(space))
    alone = measure_single_swings(space)
    report(0.3)
    truth = compute_fine_end(space)
    convergence = {name: measure_order(space, name, truth) for name in INTEGRATORS}
    report(0.5)
    stability = measure_long_run(space)
    report(0.9)
    flow = compute_flow(animate(space, conditions or Conditions()).motion())
    facts = {
        "coordinates": space.size,
        "energy": summarise_energy(swing),
        "single_swings": alone,
        "boundary": measure_boundary(space),
        "convergence": convergence,
        "long_run": stability,
        "motion_magnitude": flow.magnitude,
        "dynamic_degree": float(flow.is_dynamic),
        "fastest_flow": float(flow.fastest.max()),
    }
    report(1.0)
    return DynamicsResult(facts, swing)


def make_swing_conditions(space: Kinematics, **changes: Any) -> Conditions:
    """A conservative swing; the base, where it is free, begins where it is."""
    rest = space.rest.numpy()
    roomier = np.where(space.upper.numpy() - rest >= rest - space.lower.numpy(), 1.0, -1.0)
    away = START_DEVIATIONS * space.prior.deviation * roomier  # towards the side where there is more room
    away[: space.base_count] = 0.0
    state = tuple(float(q) for q in space.rest.numpy() + away)
    usual = Conditions(state=state, gravity=(0.0, 0.0, 0.0), stiffness=1.0, damping=0.0, limits=False,
                       self_contact=False, seconds=SWING_SECONDS)  # fmt: skip
    return replace(usual, **changes)


def measure_single_swings(space: Kinematics) -> list[dict[str, Any]]:
    """The energies of swings of one coordinate each, over half of its range."""
    rest, spread = space.rest.numpy(), space.prior.deviation
    low = np.maximum(space.lower.numpy(), rest - MAX_DEVIATIONS * spread)
    high = np.minimum(space.upper.numpy(), rest + MAX_DEVIATIONS * spread)
    found = []
    for index in range(space.base_count, min(space.size, space.base_count + MAX_SINGLE_SWINGS)):
        away = np.zeros(space.size)
        # Begins on the side where there is more room, and swings as far to the other.
        side = 1.0 if high[index] - rest[index] >= rest[index] - low[index] else -1.0
        away[index] = side * 0.25 * (high[index] - low[index])
        state = tuple(float(q) for q in rest + away)
        found.append(
            {"coordinate": space.names[index]}
            | summarise_energy(animate(space, make_swing_conditions(space, state=state)))
        )
    return found


def summarise_energy(swing: Trajectory) -> dict[str, float]:
    """Energies of a swing [J]; drift: the largest change of the total, over the largest kinetic energy."""
    exchanged = float(np.ptp(swing.potential))
    return {
        "drift": swing.drift,
        "seconds": float(swing.time[-1]),
        "largest_kinetic": float(swing.kinetic.max()),
        "exchanged": exchanged,
        "kinetic_share": float(swing.kinetic.max()) / exchanged if exchanged > 0 else 0.0,
    }


def measure_order(space: Kinematics, integrator: str, truth: Array) -> dict[str, Any]:
    """The error of one scheme at steps that are halved, and the order it shows against the one it declares."""
    steps = [LARGEST_STEP / 2**i for i in range(HALVING_COUNT + 1)]
    errors = [float(np.abs((_compute_end(space, h, integrator) - truth) / space.prior.deviation).max()) for h in steps]
    pairs = [np.log2(a / b) for a, b in zip(errors, errors[1:]) if b > 0]
    return {
        "steps": steps,
        "errors": errors,
        "order": float(pairs[-1]) if pairs else None,
        "declared": INTEGRATORS[integrator].order,
    }


def compute_fine_end(space: Kinematics) -> Array:
    """Where the swing ends at a much finer step, [k]."""
    return _compute_end(space, LARGEST_STEP / 2**HALVING_COUNT / FINE_STEP_FACTOR, "rk4")


def _compute_end(space: Kinematics, step: float, integrator: str) -> Array:
    """The state of the swing after less than half a period, where no symmetry flatters."""
    conditions = make_swing_conditions(
        space, dt=step, integrator=integrator, seconds=CONVERGENCE_SECONDS, fps=1.0 / CONVERGENCE_SECONDS
    )
    return animate(space, conditions).states[-1]


def measure_long_run(space: Kinematics, steps: int | None = None) -> dict[str, Any]:
    """So many steps of the swing at the usual step: whether all stays finite, and what becomes of the energy."""
    steps = LONG_RUN_STEPS if steps is None else steps
    dt = Conditions().dt
    run = animate(space, make_swing_conditions(space, seconds=steps * dt, fps=1.0 / (10 * dt)))
    half = len(run.total) // 2
    scale = max(float(run.kinetic.max()), 1e-300)
    return {
        "steps": steps,
        "finite": bool(np.all(np.isfinite(run.states)) and np.all(np.isfinite(run.total))),
        "drift": run.drift,
        "trend": float(run.total[half:].mean() - run.total[:half].mean()) / scale,
        "status": run.status,
    }
