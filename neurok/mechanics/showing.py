"""States to look at: samples of the prior, and what each coordinate does."""

import numpy as np
import torch

from neurok.geometry.arrays import Array
from neurok.geometry.far import choose_frame_dtype
from neurok.geometry.motion import Motion
from neurok.geometry.surface import at_vertices
from neurok.kinematics.kinematics import Kinematics

FPS = 30.0
SWING_DEVIATIONS = 1.5  # deviations, or as far as the limits let


def move_through(
    space: Kinematics, states: Array, *, seconds: float = 1.0, hold: float = 0.3, name: str = "samples"
) -> Motion:
    """The object going from rest through states [n, k] and back to rest, easing in and out of each.

    seconds: from one state to the next; hold: how long it stays in each.
    """
    rest = space.rest.numpy().astype(np.float64)
    stops = np.vstack([rest, states, rest])
    steps = max(int(round(seconds * FPS)), 1)
    pace = np.linspace(0.0, 1.0, steps + 1)[1:]
    ease = pace * pace * (3.0 - 2.0 * pace)
    stay = int(round(hold * FPS))
    frames = [stops[:1]]
    for before, after in zip(stops, stops[1:]):
        frames += [before + ease[:, None] * (after - before), np.repeat(after[None], stay, axis=0)]
    return show_states(space, np.concatenate(frames), name=name)


def show_states(space: Kinematics, states: Array, *, fps: float = FPS, name: str = "states") -> Motion:
    """The object in states [t, k], one after another."""
    time = np.arange(len(states)) / fps
    rows = torch.from_numpy(np.ascontiguousarray(states))
    if space.skin is not None:
        X = np.stack([space.transforms(q).numpy() for q in rows])
        return Motion(space.mesh, time, skin=space.skin, transforms=X, name=name)
    where = at_vertices(space.mesh)
    frames = np.stack([space.positions(q, where).numpy() for q in rows])
    return Motion(space.mesh, time, positions=frames.astype(choose_frame_dtype(space.mesh)), name=name)


def show_swings(space: Kinematics, *, seconds: float = 2.0) -> list[Motion]:
    """One motion per coordinate: from rest to one side, to the other, and back."""
    rest, deviation = space.rest.numpy(), space.prior.deviation
    wave = np.sin(np.linspace(0.0, 2.0 * np.pi, max(int(round(seconds * FPS)), 4) + 1))
    motions = []
    for i, name in enumerate(space.names):
        states = np.tile(rest, (len(wave), 1)).astype(np.float64)
        far = rest[i] + SWING_DEVIATIONS * deviation[i] * wave
        states[:, i] = np.clip(far, space.lower[i].item(), space.upper[i].item())
        motions.append(show_states(space, states, name=name))
    return motions
