"""Does it stay where it is, and do its links keep clear of each other?"""

from typing import Any

import numpy as np

from neurok.articulate.check.criteria import MAX_DRIFT, TOLERANCE, TRIAL_SECONDS
from neurok.articulate.check.depths import find_deepest
from neurok.articulate.check.report import CheckReport


def check_drift(model: Any, found: CheckReport) -> None:
    """With the joints locked and no gravity, nothing drives the free base: it may not drift."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    moving = [joint for joint in range(model.njnt) if model.jnt_type[joint] != int(mujoco.mjtJoint.mjJNT_FREE)]
    held = np.array([model.jnt_dofadr[joint] for joint in moving], dtype=int)
    qpos = np.array([model.jnt_qposadr[joint] for joint in moving], dtype=int)
    gravity, flags = np.array(model.opt.gravity), model.opt.disableflags
    model.opt.gravity[:] = 0.0
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT)  # a locked joint is not driven into its range,
    data.eq_active[model.eq_type == int(mujoco.mjtEq.mjEQ_JOINT)] = 0  # nor to where one that leads it would have it
    start, at = np.array(data.xpos), np.array(data.qpos)
    try:
        for _ in range(int(TRIAL_SECONDS / model.opt.timestep)):
            data.qpos[qpos], data.qvel[held] = at[qpos], 0.0
            mujoco.mj_step(model, data)
            if not np.isfinite(data.qpos).all():
                break
        data.qpos[qpos] = at[qpos]
        mujoco.mj_kinematics(model, data)
    finally:
        model.opt.gravity[:], model.opt.disableflags = gravity, flags
    drift = float(np.linalg.norm(data.xpos[1] - start[1])) if np.isfinite(data.xpos).all() else np.inf
    found.figures["base_drift"] = drift
    if not drift < MAX_DRIFT:
        found.faults.append(f"with its joints locked the base drifts {1e3 * drift:.3g} mm in {TRIAL_SECONDS:g} s")


def check_overlap(model: Any, size: float, found: CheckReport) -> None:
    """How deep links without a joint between them lie in each other at rest."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    depth, pair = find_deepest(model, data, size)
    found.figures["penetration"] = depth / size
    if depth > TOLERANCE * size:
        found.faults.append(f"at rest '{pair[0]}' and '{pair[1]}' penetrate by {depth / size:.1%} of the diagonal")
