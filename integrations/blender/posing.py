"""States of neurok as poses and key frames of bones."""

from collections.abc import Collection

import bpy
import numpy as np
from numpy.typing import NDArray

from .answers import Recorded
from .process import Fault
from .rig import JOINT_SUFFIX, MARK, key_coordinate, write_coordinate


def key_states(rig: bpy.types.Object, found: Recorded, frames: NDArray[np.float64]) -> None:
    """Key every coordinate in every frame, in an action of its own: a former one is kept, and played no more."""
    bones = _list_bones(rig, found)
    moving = rig.animation_data_create()
    moving.action = bpy.data.actions.new(f"{rig.name} simulated")
    for frame, state in zip(frames.tolist(), found.states.tolist()):
        for bone, value in zip(bones, state):
            write_coordinate(bone, value, rig[MARK])
            key_coordinate(bone, frame)


def pose_state(rig: bpy.types.Object, found: Recorded, wanted: Collection[str]) -> None:
    """Bring the wanted bones to the first state."""
    for bone, value in zip(_list_bones(rig, found), found.states[0].tolist()):
        if bone.name in wanted:
            write_coordinate(bone, value, rig[MARK])


def list_path(rig: bpy.types.Object, bone: str) -> set[str]:
    """A bone and all above it: what can move its part."""
    own = rig.data.bones[bone]
    return {bone, *(above.name for above in own.parent_recursive)}


def _list_bones(rig: bpy.types.Object, found: Recorded) -> list[bpy.types.PoseBone]:
    """The bone of each coordinate."""
    names = [name.removesuffix(JOINT_SUFFIX) for name in found.names]
    lost = next((name for name in names if name not in rig.pose.bones), None)
    if lost is not None:
        raise Fault(f"neurok moved '{lost}', which is no bone of {rig.name}; update neurok and the add-on together.")
    return [rig.pose.bones[name] for name in names]
