"""A running simulation with a hand in it that is led from pose to pose."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.rigid import from_parts
from neurok.geometry.rotation import quaternion_from_matrix, quaternion_slerp, quaternion_to_matrix
from neurok.scenes.grip import HandGrip
from neurok.scenes.gripper import HAND, MAX_OPENING
from neurok.scenes.making import MadeScene
from neurok.scenes.settling import FRAME_RATE, read_poses

SHUT_SECONDS = 0.3


@dataclass
class HandStage:
    """A running simulation with a hand in it. pose: of the hand; opening: between its fingers [m]."""

    scene: MadeScene
    model: Any
    data: Any
    pose: Array
    opening: float = MAX_OPENING
    frames: list[Array] = field(default_factory=list)
    steps: int = 0

    @cached_property
    def every(self) -> int:
        """Steps between two frames."""
        return max(round(1.0 / FRAME_RATE / self.model.opt.timestep), 1)

    @cached_property
    def fingers(self) -> tuple[list[int], list[int]]:
        """Where the fingers' joints stand among positions and speeds."""
        joints = [self.model.joint(f"{HAND}/{side}_slide") for side in ("left", "right")]
        return [int(each.qposadr[0]) for each in joints], [int(each.dofadr[0]) for each in joints]

    def step(self, *grips: HandGrip) -> None:
        """One step: the hand where it is led, a force where something is held."""
        import mujoco

        if self.steps % self.every == 0:
            self.frames.append(read_poses(self.data))
        self.steps += 1
        self.data.mocap_pos[0] = self.pose[:3, 3]
        self.data.mocap_quat[0] = quaternion_from_matrix(self.pose[:3, :3])
        places, dofs = self.fingers
        self.data.qpos[places] = self.opening / 2
        self.data.qvel[dofs] = 0.0
        self.data.qfrc_applied[:] = 0.0
        for grip in grips:
            grip.pull(self.model, self.data)
        mujoco.mj_step(self.model, self.data)

    def travel(self, goal: Array, seconds: float) -> None:
        """Lead the hand to a pose along a line, turning evenly, slow at both ends."""
        start, count = self.pose.copy(), max(round(seconds / self.model.opt.timestep), 1)
        a, b = quaternion_from_matrix(start[:3, :3]), quaternion_from_matrix(goal[:3, :3])
        for number in range(1, count + 1):
            share = ease(number / count)
            R = quaternion_to_matrix(quaternion_slerp(a, b, np.array(share)))
            self.pose = np.asarray(from_parts(R, start[:3, 3] + share * (goal[:3, 3] - start[:3, 3])))
            self.step()

    def shut(self, opening: float) -> None:
        start, count = self.opening, max(round(SHUT_SECONDS / self.model.opt.timestep), 1)
        for number in range(1, count + 1):
            self.opening = start + ease(number / count) * (opening - start)
            self.step()

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / self.model.opt.timestep)):
            self.step()

    def touch(self, on: bool) -> None:
        """Whether the hand touches things."""
        for geom in range(self.model.ngeom):
            name = str(self.model.body(int(self.model.geom_bodyid[geom])).name)
            if name.startswith(f"{HAND}/") and self.model.geom_group[geom] == 3:
                self.model.geom_contype[geom] = self.model.geom_conaffinity[geom] = int(on)


def ease(share: float) -> float:
    """A share of a way by a share of its time, at rest at both ends."""
    return float(share**3 * (10.0 - 15.0 * share + 6.0 * share**2))
