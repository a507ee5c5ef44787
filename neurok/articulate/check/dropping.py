"""Dropped on the ground, does any number run away?"""

from typing import Any

import numpy as np

from neurok.articulate.check.criteria import MAX_SPEED, TRIAL_SECONDS
from neurok.articulate.check.report import CheckReport


def check_drop(model: Any, size: float, found: CheckReport) -> None:
    """Drop the object on the ground: no number may run away."""
    import mujoco

    data = mujoco.MjData(model)
    fastest = 0.0
    for _ in range(int(TRIAL_SECONDS / model.opt.timestep)):
        mujoco.mj_step(model, data)
        fastest = max(fastest, _measure_speed(model, data))
        if not np.isfinite(data.qpos).all() or fastest > MAX_SPEED * max(size, 1.0):
            break
    unstable = sum(int(data.warning[kind].number) for kind in _list_warnings())
    found.figures["fastest"] = fastest
    if unstable or not np.isfinite(fastest) or fastest > MAX_SPEED * max(size, 1.0):
        found.faults.append(f"dropped, it explodes (a joint reaches {fastest:.3g} rad/s or m/s)")


def _measure_speed(model: Any, data: Any) -> float:
    return float(np.abs(data.qvel).max(initial=0.0))


def _list_warnings() -> tuple[int, ...]:
    """The warnings by which MuJoCo says that its numbers are no numbers any more."""
    import mujoco

    kinds = mujoco.mjtWarning
    return int(kinds.mjWARN_BADQPOS), int(kinds.mjWARN_BADQVEL), int(kinds.mjWARN_BADQACC)
