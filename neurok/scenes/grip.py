"""A grasp in MuJoCo: what is held is drawn towards where it should be by a force of limited size.

With the grasp point p, where it should be p* and the mass m that it has along its way,

    f = k (p* - p + s) - c v,    |f| <= MAX_FORCE,    k = m w^2,  c = 2 m w,    s' = (p* - p) / CATCHING_UP,

so that a light lid and a heavy door follow alike, and friction is made good.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.rotation import rotation_vector

MAX_FORCE = 150.0  # [N] of a grasp: what an arm pulls without effort
MAX_TORQUE = 5.0  # [N m] by which a grasp keeps what it lifts from turning
CATCHING_UP = 0.3  # [s] in which what friction and weight hold back is made good
STEADY_FORCE = 40.0  # [N] by which a free thing is kept in its place while a part of it is moved, as by another hand
FOLLOWING = 60.0  # [1/s], the rate w: what is held lags by some hundredths of a second


@dataclass
class HandGrip:
    """A grasp: a body, the point in its frame [3], the mass it has there, and where the point should be [3]."""

    body: int
    local: Array
    mass: float
    goal: Array
    upright: Array | None = None  # how the body stood, [3, 3], where the grasp keeps it from turning
    carries: bool = False  # whether it bears the weight as well
    limit: float = MAX_FORCE  # [N]
    lack: Array = field(default_factory=lambda: np.zeros(3))  # how much farther than the goal it is drawn, [3]

    def pull(self, model: Any, data: Any) -> None:
        import mujoco

        R = np.array(data.xmat[self.body]).reshape(3, 3)
        point = data.xpos[self.body] + R @ self.local
        speed = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, self.body, speed, 0)
        spin, v = speed[:3], speed[3:] + np.cross(speed[:3], point - data.xpos[self.body])
        lag = self.goal - point
        force = self.mass * FOLLOWING**2 * (lag + self.lack) - 2.0 * self.mass * FOLLOWING * v
        if float(np.linalg.norm(force)) < self.limit:  # what cannot be pulled harder is not wished harder
            self.lack = self.lack + lag * (model.opt.timestep / CATCHING_UP)
        torque = np.zeros(3)
        if self.upright is not None:
            moment = float(model.body_inertia[self.body].max()) + self.mass * float(self.local @ self.local)
            lean = rotation_vector(self.upright @ R.T)
            torque = moment * (FOLLOWING**2 * lean - 2.0 * FOLLOWING * spin)
            torque *= min(1.0, MAX_TORQUE / max(float(np.linalg.norm(torque)), 1e-9))
        if self.carries:
            force = force - self.mass * np.asarray(model.opt.gravity)
        force *= min(1.0, self.limit / max(float(np.linalg.norm(force)), 1e-9))
        mujoco.mj_applyFT(model, data, force, torque, point, self.body, data.qfrc_applied)

    def find_point(self, data: Any) -> Array:
        return np.asarray(data.xpos[self.body] + np.array(data.xmat[self.body]).reshape(3, 3) @ self.local)
