"""One clip for each joint: from rest through its range and back."""

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.links import link_motions, link_skin
from neurok.geometry.motion import Motion
from neurok.kinematics.articulated import OPEN_ANGLE, OPEN_SLIDE

# Set by hand, never measured.
FRAME_RATE = 24  # [1/s]; a joint takes a second from rest to an end
MAX_SHOWN = 2.0  # whole turns, or diagonals: a limit farther away is not worth showing
MAX_CLIPS = 64  # of an object; nobody looks through more, and each holds the motion of every link


def make_clips(articulation: Articulation) -> list[Motion]:
    """A motion per coordinate, or one of all where these are more than MAX_CLIPS.

    A joint without limits turns once round, or slides by a fifth of the diagonal.
    """
    freedoms = [articulation.freedoms[d] for d in articulation.coordinate_freedoms]
    ways = [_sweep_range(f.lower, f.upper, f.turns, articulation.mesh.diagonal) for f in freedoms]
    names = articulation.coordinate_names
    groups = [[column] for column in range(len(ways))]
    if len(ways) > MAX_CLIPS:
        groups, names = [list(range(len(ways)))], ["all joints"]
    skin = link_skin(articulation)
    clips = []
    for name, group in zip(names, groups):
        states = np.zeros((max(len(ways[column]) for column in group), len(ways)))
        for column in group:
            states[: len(ways[column]), column] = ways[column]
        motions = link_motions(articulation, states)
        clips.append(
            Motion(articulation.mesh, np.arange(len(states)) / FRAME_RATE, skin=skin, transforms=motions, name=name)
        )
    return clips


def _sweep_range(lower: float, upper: float, turns: bool, diagonal: float) -> Array:
    """Values of a coordinate, from rest to both ends of its range and back, [frames]."""
    if turns and not np.isfinite([lower, upper]).any():
        return np.linspace(0.0, 2.0 * np.pi, 2 * FRAME_RATE + 1)
    alone, unit = (OPEN_ANGLE, 2.0 * np.pi) if turns else (OPEN_SLIDE * diagonal, diagonal)
    most = MAX_SHOWN * unit
    lower = max(lower, -most) if np.isfinite(lower) else -alone
    upper = min(upper, most) if np.isfinite(upper) else alone
    ease = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, FRAME_RATE + 1) / FRAME_RATE)
    way = [0.0, *(end for end in (upper, lower) if end != 0.0), 0.0]
    return np.concatenate([[0.0], *(a + (b - a) * ease for a, b in zip(way, way[1:]))])
