"""Rehearsal: which way of stepping keeps up with the clock, found by trying a frame of each."""

from dataclasses import dataclass, replace
from time import thread_time

import numpy as np
import torch

from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.scene import Scene
from neurok.mechanics.stepper import State
from neurok.viewer.messages import Settings
from neurok.viewer.recording import LiveRecording

Pace = tuple[str, float]  # a scheme and its step [s]

PACES: tuple[Pace, ...] = (("midpoint", 1 / 120), ("euler", 1 / 120), ("euler", 1 / 60))  # the finest first
MAX_FRAME_SECONDS = 0.02  # of the processor's time for a frame, which lasts 0.033


@dataclass(frozen=True)
class Rehearsal:
    """A scene that was built and timed ahead: of which space and settings, and what was found."""

    space: Kinematics
    settings: Settings
    scene: Scene
    pace: Pace


def choose_pace(space: Kinematics, scene: Scene, conditions: Conditions) -> Pace:
    """The finest pace that keeps up, the coarsest where none does; conditions say which one it was."""
    q = space.prior.sample(1, torch.Generator().manual_seed(0)).numpy()[0].astype(np.float64)
    for pace in PACES:
        timed = replace(conditions, integrator=pace[0], dt=pace[1])
        trial = LiveRecording(scene, timed, State(space, q, 0.3 * space.prior.deviation, 0.0))
        trial.advance()
        begin = thread_time()
        trial.advance()
        if thread_time() - begin < MAX_FRAME_SECONDS:
            return pace
    return PACES[-1]
