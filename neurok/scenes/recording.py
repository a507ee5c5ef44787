"""What happened in MuJoCo as a motion of one mesh: a bone for every body."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.links import link_skin
from neurok.geometry.motion import Motion
from neurok.geometry.rigid import inverse
from neurok.scenes.assembly import Assembler, place_bodies
from neurok.scenes.settling import FRAME_RATE
from neurok.scenes.thing import PlacedThing


def record_motion(
    articulation: Articulation, placed: Sequence[PlacedThing], maker: Assembler, model: Any, frames: Array, name: str
) -> Motion:
    """A motion of the joined things; frames: T_world_body over time, [t, bodies, 4, 4]."""
    moved = []
    for each in placed:
        document = maker.document(each)
        rest = inverse(place_bodies(each, document))
        ids = [model.body(f"{each.name}/{body}").id for body in document.bodies]
        moved.append(frames[:, ids] @ rest)
    motions = np.concatenate(moved, axis=1)
    order = list(articulation.order)
    time = np.arange(len(frames)) / FRAME_RATE
    return Motion(articulation.mesh, time, skin=link_skin(articulation), transforms=motions[:, order], name=name)
