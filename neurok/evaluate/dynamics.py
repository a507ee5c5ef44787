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

from neurok.evaluate.boundary import boundary
from neurok.evaluate.flow import exact_flow
from neurok.geometry.arrays import Array
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.integrators import INTEGRATORS
from neurok.mechanics.simulate import animate
from neurok.mechanics.trajectory import Trajectory

START = 0.5  # of a spread
REACH = 2.0  # spreads either way: no coordinate is taken to range farther
SWINGS = 4  # coordinates that swing alone, at most: those of greatest effect
SWING_SECONDS = 10.0
STEPS = 10_000  # of the long run
COARSE = 1.0 / 60.0  # the largest step whose error is measured [s]
HALVINGS = 3
FINER = 4  # how much finer than the finest the step is that stands for the truth, by the scheme of highest order
CONVERGENCE_SECONDS = 0.4


@dataclass(frozen=True)
class Dynamics:
    """facts: all figures, as JSON can hold them; swing: the trajectory of the energy plot."""

    facts: dict[str, Any]
    swing: Trajectory


def evaluate_dynamics(
    space: Kinematics,
    conditions: Conditions | None = None,
    *,
    progress: Callable[[float], None] | None = None,
) -> Dynamics:
    """Every measurement; conditions: those of the motion whose flow is measured (default: released from a state)."""
    report = progress or (lambda fraction: None)
    swing = animate(space, swing_conditions(space))
    alone = single_swings(space)
    report(0.3)
    truth = finest(space)
    convergence = {name: orders(space, name, truth) for name in INTEGRATORS}
    report(0.5)
    stability = long_run(space)
    report(0.9)
    flow = exact_flow(animate(space, conditions or Conditions()).motion())
    facts = {
        "coordinates": space.size,
        "energy": energy(swing),
        "single_swings": alone,
        "boundary": boundary(space),
        "convergence": convergence,
        "long_run": stability,
        "motion_magnitude": flow.magnitude,
        "dynamic_degree": float(flow.is_dynamic),
        "fastest_flow": float(flow.fastest.max()),
    }
    report(1.0)
    return Dynamics(facts, swing)


def swing_conditions(space: Kinematics, **changes: Any) -> Conditions:
    """A conservative swing; the base, where it is free, begins where it is."""
    rest = space.rest.numpy()
    roomier = np.where(space.upper.numpy() - rest >= rest - space.lower.numpy(), 1.0, -1.0)
    away = START * space.prior.deviation * roomier  # towards the side where there is more room
    away[: space.base_count] = 0.0
    state = tuple(float(q) for q in space.rest.numpy() + away)
    usual = Conditions(state=state, gravity=(0.0, 0.0, 0.0), stiffness=1.0, damping=0.0, limits=False,
                       seconds=SWING_SECONDS)  # fmt: skip
    return replace(usual, **changes)


def single_swings(space: Kinematics) -> list[dict[str, Any]]:
    """The energies of swings of one coordinate each, over half of its range."""
    rest, spread = space.rest.numpy(), space.prior.deviation
    low = np.maximum(space.lower.numpy(), rest - REACH * spread)
    high = np.minimum(space.upper.numpy(), rest + REACH * spread)
    found = []
    for index in range(space.base_count, min(space.size, space.base_count + SWINGS)):
        away = np.zeros(space.size)
        # Begins on the side where there is more room, and swings as far to the other.
        side = 1.0 if high[index] - rest[index] >= rest[index] - low[index] else -1.0
        away[index] = side * 0.25 * (high[index] - low[index])
        state = tuple(float(q) for q in rest + away)
        found.append({"coordinate": space.names[index]} | energy(animate(space, swing_conditions(space, state=state))))
    return found


def energy(swing: Trajectory) -> dict[str, float]:
    """Energies of a swing [J]; drift: the largest change of the total, over the largest kinetic energy."""
    exchanged = float(np.ptp(swing.potential))
    return {
        "drift": swing.drift,
        "seconds": float(swing.time[-1]),
        "largest_kinetic": float(swing.kinetic.max()),
        "exchanged": exchanged,
        "kinetic_share": float(swing.kinetic.max()) / exchanged if exchanged > 0 else 0.0,
    }


def orders(space: Kinematics, integrator: str, truth: Array) -> dict[str, Any]:
    """The error of one scheme at steps that are halved, and the order it shows against the one it declares."""
    steps = [COARSE / 2**i for i in range(HALVINGS + 1)]
    errors = [float(np.abs((_end(space, h, integrator) - truth) / space.prior.deviation).max()) for h in steps]
    pairs = [np.log2(a / b) for a, b in zip(errors, errors[1:]) if b > 0]
    return {
        "steps": steps,
        "errors": errors,
        "order": float(pairs[-1]) if pairs else None,
        "declared": INTEGRATORS[integrator].order,
    }


def finest(space: Kinematics) -> Array:
    """Where the swing ends at a much finer step, [k]."""
    return _end(space, COARSE / 2**HALVINGS / FINER, "rk4")


def _end(space: Kinematics, step: float, integrator: str) -> Array:
    """The state of the swing after less than half a period, where no symmetry flatters."""
    conditions = swing_conditions(
        space, dt=step, integrator=integrator, seconds=CONVERGENCE_SECONDS, fps=1.0 / CONVERGENCE_SECONDS
    )
    return animate(space, conditions).states[-1]


def long_run(space: Kinematics, steps: int | None = None) -> dict[str, Any]:
    """So many steps of the swing at the usual step: whether all stays finite, and what becomes of the energy."""
    steps = STEPS if steps is None else steps
    dt = Conditions.__dataclass_fields__["dt"].default
    run = animate(space, swing_conditions(space, seconds=steps * dt, fps=1.0 / (10 * dt)))
    half = len(run.total) // 2
    scale = max(float(run.kinetic.max()), 1e-300)
    return {
        "steps": steps,
        "finite": bool(np.all(np.isfinite(run.states)) and np.all(np.isfinite(run.total))),
        "drift": run.drift,
        "trend": float(run.total[half:].mean() - run.total[:half].mean()) / scale,
        "status": run.status,
    }
