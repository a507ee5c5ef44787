"""One clip for each joint: from rest through its range and back."""

import numpy as np

from neurok.geometry.articulation import Articulation
from neurok.geometry.links import link_motions, link_skin
from neurok.geometry.motion import Motion

FPS = 24.0
LEG = 24  # frames from rest to an end


def joint_clips(articulation: Articulation) -> list[Motion]:
    """A motion per coordinate; a joint without limits turns once round, or slides by a fifth of the diagonal."""
    skin = link_skin(articulation)
    clips = []
    for column, d in enumerate(articulation.coordinate_freedoms):
        freedom = articulation.freedoms[d]
        values = _there_and_back(freedom.lower, freedom.upper, freedom.turns, articulation.mesh.diagonal)
        states = np.zeros((len(values), len(articulation.coordinate_freedoms)))
        states[:, column] = values
        motions = link_motions(articulation, states)
        name = articulation.coordinate_names[column]
        clips.append(Motion(articulation.mesh, np.arange(len(values)) / FPS, skin=skin, transforms=motions, name=name))
    return clips


def _there_and_back(lower: float, upper: float, turns: bool, diagonal: float) -> np.ndarray:
    if turns and not np.isfinite([lower, upper]).any():
        return np.linspace(0.0, 2.0 * np.pi, 2 * LEG + 1)
    most = np.pi if turns else 0.2 * diagonal
    lower, upper = max(lower, -most), min(upper, most)
    ease = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, LEG + 1) / LEG)
    way = [0.0, *(end for end in (upper, lower) if end != 0.0), 0.0]
    return np.concatenate([[0.0], *(a + (b - a) * ease for a, b in zip(way, way[1:]))])
