"""Procedural objects as samples of the store."""

import numpy as np

from neurok.data import procedural
from neurok.data.procedural.variants import VARIANTS
from neurok.data.sample import Facts, MotionSample, sample_from_motion
from neurok.data.store import Rejected
from neurok.errors import NeurokError

STATE_COUNT = 32


def build_sample(name: str, split: str, *, category: str, seed: int, surface: str = "plain") -> MotionSample | Rejected:
    """The states of one procedural object, or the reason for its rejection; surface: 'plain', 'fused' or 'noisy'."""
    label = f"procedural/{name}"
    try:
        thing = procedural.make(category, seed)
        variant = VARIANTS[surface](thing)
    except NeurokError as fault:
        return Rejected(label, "procedural", str(fault))
    motion = variant.motion(thing.states(STATE_COUNT, np.random.default_rng([seed, len(category)])))
    links = thing.articulation.links
    facts = Facts(
        label, "procedural", "Apache-2.0", category, label, split, thing.mesh.up, tuple(link.name for link in links)
    )
    return sample_from_motion(facts, motion)
