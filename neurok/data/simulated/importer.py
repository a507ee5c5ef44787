"""Simulated clips as samples of the store."""

import numpy as np

from neurok.data import simulated
from neurok.data.frames import apply_rigid_motions, fit_rigid_motions, thin_frames
from neurok.data.sample import Facts, MotionSample, sample_from_motion
from neurok.data.simulated.engine import Unstable
from neurok.data.store import Rejected
from neurok.geometry.motion import Motion
from neurok.geometry.surface import at_vertices

SOURCE = "simulated"
MAX_STATES = 32
DUPLICATE_DISTANCE = 0.005  # of the diagonal (RMS): of two frames that are nearer, one is dropped
MIN_MOTION = 0.02  # of the diagonal


def build_sample(name: str, split: str, *, category: str, seed: int) -> MotionSample | Rejected:
    """The states of one clip, rest first, or the reason for its rejection."""
    label = f"{SOURCE}/{name}"
    try:
        clip = simulated.make(category, seed)
    except Unstable as fault:
        return Rejected(label, SOURCE, str(fault))
    frames = clip.frames
    if not len(clip.held):
        frames = apply_rigid_motions(frames, fit_rigid_motions(frames, at_vertices(clip.mesh).area))
    diagonal = float(np.linalg.norm(np.ptp(frames[0], axis=0)))
    apart = float(np.linalg.norm(frames - frames[0], axis=2).max())
    if apart < MIN_MOTION * diagonal:
        return Rejected(label, SOURCE, f"it moves by {apart / diagonal:.1%} of its diagonal only")
    kept = thin_frames(frames, DUPLICATE_DISTANCE * diagonal, MAX_STATES)
    facts = Facts(label, SOURCE, "Apache-2.0", category, label, split, clip.mesh.up)
    return sample_from_motion(facts, Motion(clip.mesh, np.arange(len(kept), dtype=float), positions=frames[kept]))
