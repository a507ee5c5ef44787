"""One clip for each joint: from rest through its range and back; and the object as a skeleton that has these clips."""

from dataclasses import replace

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


def make_skeleton(articulation: Articulation) -> list[Motion]:
    """The clips of an object over one skin: a bone a link, called like it, where the joint above the link sits.

    Engines and modellers import that as a skeleton or an armature. Without coordinates it is one frame, at rest.
    """
    skin = replace(link_skin(articulation), frames=_place_bones(articulation), stays_skin=True)
    still = Motion(
        articulation.mesh, np.zeros(1), skin=skin, transforms=np.tile(np.eye(4), (1, skin.bone_count, 1, 1)),
        name="rest",
    )  # fmt: skip
    if not articulation.coordinate_freedoms:
        return [still]
    return [replace(clip, skin=skin) for clip in make_clips(articulation)]


def _place_bones(articulation: Articulation) -> Array:
    """T_world_bone of each link at zero, parents first, [L, 4, 4]: in its joint, in its own frame where it has none."""
    frames = np.stack([link.T_world_link for link in articulation.links]).astype(np.float64)
    for joint in articulation.joints:
        frames[joint.child] = articulation.links[joint.parent].T_world_link @ joint.origin
    return frames[list(articulation.order)]
