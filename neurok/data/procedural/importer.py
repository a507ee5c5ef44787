"""Procedural objects as samples of the store."""

import numpy as np

from neurok.data import procedural
from neurok.data.procedural import variants
from neurok.data.sample import Facts, MotionSample, from_motion
from neurok.data.store import Rejected
from neurok.errors import NeurokError

STATES = 32
VARIANTS = {"plain": variants.plain, "fused": variants.fused, "noisy": variants.noisy}


def sample(name: str, split: str, *, category: str, seed: int, surface: str = "plain") -> MotionSample | Rejected:
    """The states of one made object, or why it could not be made; surface: 'plain', 'fused' or 'noisy'."""
    label = f"procedural/{name}"
    try:
        thing = procedural.make(category, seed)
        shape = VARIANTS[surface](thing)
    except NeurokError as fault:
        return Rejected(label, "procedural", str(fault))
    motion = shape.motion(thing.states(STATES, np.random.default_rng([seed, len(category)])))
    links = thing.articulation.links
    facts = Facts(
        label, "procedural", "Apache-2.0", category, label, split, thing.mesh.up, tuple(link.name for link in links)
    )
    return from_motion(facts, motion)
