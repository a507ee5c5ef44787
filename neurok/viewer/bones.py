"""Bones: what the pieces of an object are called that move as one, and how each of them moves."""

import numpy as np

from neurok.geometry.articulation import Articulation
from neurok.geometry.links import find_moving_joints
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.kinematics import Kinematics
from neurok.viewer.heat import compute_displacements
from neurok.viewer.messages import Bone
from neurok.viewer.sliders import SAMPLED_VERTEX_COUNT, describe_coordinates
from neurok.viewer.viewed_object import ViewedObject

JOINT_WORDS = {
    "revolute": "turns", "continuous": "turns", "prismatic": "slides", "screw": "twists", "cylindrical": "twists",
}  # fmt: skip
MAX_NAMED_BONES = 512  # beyond which nobody asks for names


def describe_bones(shown: ViewedObject, space: Kinematics) -> tuple[Bone, ...]:
    """The bones of an object whose parts move; none of one that bends as a whole, whose bones are nothing to see."""
    space = space.without_base()
    if space.skin is None or space.skin.bone_count > MAX_NAMED_BONES:
        return ()
    if isinstance(space, Articulated):
        return _describe_links(space.articulation)
    return _describe_learned(shown, space) if space.prior.is_sparse else ()


def _describe_links(joints: Articulation) -> tuple[Bone, ...]:
    """A bone for each link: its own joint, or that of the link that carries it."""
    found = []
    for index, moving in enumerate(find_moving_joints(joints).tolist()):
        joint = joints.joints[moving] if moving >= 0 else None
        if joint is None:
            words, name = "stands still", ""
        elif joint.child == index:
            words, name = JOINT_WORDS.get(joint.kind, "moves"), joint.name
        else:
            words, name = f"goes with {_make_plain(joints.links[joint.child].name)}", joint.name
        found.append(Bone(_make_plain(joints.links[index].name), words, name))
    return tuple(found)


def _describe_learned(shown: ViewedObject, space: Kinematics) -> tuple[Bone, ...]:
    """A bone for each part of a learned space, with the coordinate that moves it farthest."""
    skin = space.skin
    assert skin is not None
    rows = np.arange(0, space.mesh.vertex_count, 1 + space.mesh.vertex_count // SAMPLED_VERTEX_COUNT)
    leader, count = skin.leader[rows], skin.bone_count
    moved = np.zeros((space.size, count))
    for index in range(space.size):
        distance = np.linalg.norm(compute_displacements(space, index, rows), axis=1)
        moved[index] = np.bincount(leader, distance, count) / np.maximum(np.bincount(leader, minlength=count), 1)
    sliders, least = describe_coordinates(shown, space), 1e-3 * space.mesh.diagonal
    found = []
    for bone in range(count):
        best = int(moved[:, bone].argmax()) if space.size else 0
        still = not space.size or moved[best, bone] < least
        slider = None if still else sliders[best]
        found.append(Bone(skin.names[bone], slider.moves if slider else "stands still", slider.name if slider else ""))
    return tuple(found)


def _make_plain(name: str) -> str:
    return name.replace("_", " ")
