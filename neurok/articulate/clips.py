"""One clip for each joint: from rest through its range and back."""

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.links import link_motions, link_skin
from neurok.geometry.motion import Motion

FPS = 24.0
LEG = 24  # frames from rest to an end
# How far a joint goes where it has no limit, and where its limit is farther than is worth showing [rad, diagonals].
OPEN_TURN, MOST_TURN = np.pi, 4 * np.pi
OPEN_SLIDE, MOST_SLIDE = 0.2, 2.0
MOST_CLIPS = 64  # of an object; nobody looks through more, and each holds the motion of every link


def make_clips(articulation: Articulation) -> list[Motion]:
    """A motion per coordinate, or one of all where these are more than MOST_CLIPS.

    A joint without limits turns once round, or slides by a fifth of the diagonal.
    """
    freedoms = [articulation.freedoms[d] for d in articulation.coordinate_freedoms]
    ways = [_there_and_back(f.lower, f.upper, f.turns, articulation.mesh.diagonal) for f in freedoms]
    names = articulation.coordinate_names
    groups = [[column] for column in range(len(ways))]
    if len(ways) > MOST_CLIPS:
        groups, names = [list(range(len(ways)))], ["all joints"]
    skin = link_skin(articulation)
    clips = []
    for name, group in zip(names, groups):
        states = np.zeros((max(len(ways[column]) for column in group), len(ways)))
        for column in group:
            states[: len(ways[column]), column] = ways[column]
        motions = link_motions(articulation, states)
        clips.append(Motion(articulation.mesh, np.arange(len(states)) / FPS, skin=skin, transforms=motions, name=name))
    return clips


def _there_and_back(lower: float, upper: float, turns: bool, diagonal: float) -> Array:
    """Values of a coordinate, from rest to both ends of its range and back, [frames]."""
    if turns and not np.isfinite([lower, upper]).any():
        return np.linspace(0.0, 2.0 * np.pi, 2 * LEG + 1)
    alone, most = (OPEN_TURN, MOST_TURN) if turns else (OPEN_SLIDE * diagonal, MOST_SLIDE * diagonal)
    lower = max(lower, -most) if np.isfinite(lower) else -alone
    upper = min(upper, most) if np.isfinite(upper) else alone
    ease = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, LEG + 1) / LEG)
    way = [0.0, *(end for end in (upper, lower) if end != 0.0), 0.0]
    return np.concatenate([[0.0], *(a + (b - a) * ease for a, b in zip(way, way[1:]))])
