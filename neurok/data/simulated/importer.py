"""Simulated clips as samples of the store."""

import numpy as np

from neurok.data import simulated
from neurok.data.frames import motions_of_the_whole, thinned, without_the_whole
from neurok.data.sample import Facts, MotionSample, from_motion
from neurok.data.simulated.engine import Unstable
from neurok.data.store import Rejected
from neurok.geometry.motion import Motion
from neurok.geometry.surface import at_vertices

SOURCE = "simulated"
MOST_STATES = 32
DUPLICATE = 0.005  # of the diagonal: two frames nearer than this (RMS) count once
LEAST_MOTION = 0.02  # of the diagonal


def sample(name: str, split: str, *, category: str, seed: int) -> MotionSample | Rejected:
    """The states of one clip, rest first, or why there are none."""
    label = f"{SOURCE}/{name}"
    try:
        clip = simulated.make(category, seed)
    except Unstable as fault:
        return Rejected(label, SOURCE, str(fault))
    frames = clip.frames
    if not len(clip.held):
        frames = without_the_whole(frames, motions_of_the_whole(frames, at_vertices(clip.mesh).area))
    diagonal = float(np.linalg.norm(np.ptp(frames[0], axis=0)))
    apart = float(np.linalg.norm(frames - frames[0], axis=2).max())
    if apart < LEAST_MOTION * diagonal:
        return Rejected(label, SOURCE, f"it moves by {apart / diagonal:.1%} of its diagonal only")
    kept = thinned(frames, DUPLICATE * diagonal, MOST_STATES)
    facts = Facts(label, SOURCE, "Apache-2.0", category, label, split, clip.mesh.up)
    return from_motion(facts, Motion(clip.mesh, np.arange(len(kept), dtype=float), positions=frames[kept]))
