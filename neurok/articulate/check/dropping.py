"""Dropped on the ground, does any number run away?"""

from typing import Any

import numpy as np

from neurok.articulate.check.report import CheckReport

SECONDS = 2.0
RUNAWAY = 1e3  # diagonals a second, or radians: no part of an object moves like that


def check_drop(model: Any, size: float, found: CheckReport) -> None:
    """Dropped on the ground for two seconds: no number may run away."""
    import mujoco

    data = mujoco.MjData(model)
    fastest = 0.0
    for _ in range(int(SECONDS / model.opt.timestep)):
        mujoco.mj_step(model, data)
        fastest = max(fastest, _speed(model, data))
        if not np.isfinite(data.qpos).all() or fastest > RUNAWAY * max(size, 1.0):
            break
    unstable = sum(int(data.warning[kind].number) for kind in _run_away())
    found.figures["fastest"] = fastest
    if unstable or not np.isfinite(fastest) or fastest > RUNAWAY * max(size, 1.0):
        found.faults.append(f"dropped, it explodes (a joint reaches {fastest:.3g} rad/s or m/s)")


def _speed(model: Any, data: Any) -> float:
    return float(np.abs(data.qvel).max(initial=0.0))


def _run_away() -> tuple[int, ...]:
    """The warnings by which MuJoCo says that its numbers are no numbers any more."""
    import mujoco

    kinds = mujoco.mjtWarning
    return int(kinds.mjWARN_BADQPOS), int(kinds.mjWARN_BADQVEL), int(kinds.mjWARN_BADQACC)
