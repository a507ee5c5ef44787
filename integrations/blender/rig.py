"""An armature whose bones are joints: made of what neurok found, and read again as Blender's user left it.

A bone lies along its joint's axis, which is its own Y: a hinge turns about Y, a slide moves along Y, and all else is
locked, for the mouse by locks and for everything by constraints in local space.
"""

import json
import math
from collections.abc import Mapping, Sequence

import bpy
import numpy as np
from mathutils import Vector

from .answers import Follow, FoundJoint, FoundLinks
from .axes import TURN, Array, Axes

MARK = "neurok_rig"  # on the armature: metres of its unit
JOINT, KIND, LIMITS, PITCH, FOLLOWS = "neurok_joint", "neurok_kind", "neurok_limits", "neurok_pitch", "neurok_follows"
DAMPING, FRICTION = "neurok_damping", "neurok_friction"
TURN_LIMIT, SLIDE_LIMIT = "neurok turn", "neurok slide"
ORDER = "YXZ"  # of Euler angles: with Y first, it may be any angle
BONE_LENGTH = 0.15  # of the diagonal
JOINT_SUFFIX = "_bone"  # no joint is called as if nobody had named it, since neurok would rename it
MAX_NAME_BYTES = 60  # Blender's names have 63


def make_rig(
    name: str,
    found: FoundLinks,
    bones: Mapping[str, str],
    bounds: Array,
    axes: Axes,
    collection: bpy.types.Collection,
) -> bpy.types.Object:
    """An armature in the frame of the axes. bones: the bone of each link; bounds: of the object there, [2, 3]."""
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    collection.objects.link(rig)
    rig[MARK] = axes.metres
    rig.show_in_front = True
    above = {joint.child: joint for joint in found.joints}
    _edit_bones(rig, [(bones[link], above.get(link)) for link in found.names], bones, bounds, axes)
    for joint in found.joints:
        _note_joint(data.bones[bones[joint.child]], joint)
    for joint in found.joints:
        hold_bone(rig.pose.bones[bones[joint.child]], joint, axes.metres)
    for joint in found.joints:
        _drive_bone(rig, bones, joint, found.joints, axes.metres)
    return rig


def choose_bone_names(links: Sequence[str], taken: set[str]) -> dict[str, str]:
    """A bone for each link, called like it as far as Blender's names are long and no vertex group has it."""
    found: dict[str, str] = {}
    taken = set(taken)
    for link in links:
        stem = link.encode()[:MAX_NAME_BYTES].decode(errors="ignore") or "link"
        name, number = stem, 1
        while name in taken:
            number += 1
            name = f"{stem.encode()[: MAX_NAME_BYTES - 4].decode(errors='ignore')}_{number}"
        taken.add(name)
        found[link] = name
    return found


def _edit_bones(
    rig: bpy.types.Object,
    rows: list[tuple[str, FoundJoint | None]],
    bones: Mapping[str, str],
    bounds: Array,
    axes: Axes,
) -> None:
    length = BONE_LENGTH * float(np.linalg.norm(bounds[1] - bounds[0])) or 1.0
    foot = Vector((*bounds.mean(axis=0)[:2], bounds[0, 2]))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    edit = rig.data.edit_bones
    for name, joint in rows:
        bone = edit.new(name)
        if joint is None:
            bone.head, bone.tail = foot, foot + Vector((0.0, 0.0, length))
            continue
        bone.head = Vector(axes.read_points(np.array([joint.pivot]))[0])
        bone.tail = bone.head + length * Vector(axes.read_directions(np.array(joint.axis)))
    for name, joint in rows:
        if joint is not None:
            edit[name].parent = edit[bones[joint.parent]]
    bpy.ops.object.mode_set(mode="OBJECT")


def _note_joint(bone: bpy.types.Bone, joint: FoundJoint) -> None:
    bone[JOINT], bone[KIND] = joint.name, joint.kind
    bone[DAMPING], bone[FRICTION] = joint.damping, joint.friction
    if joint.kind == "screw":
        bone[PITCH] = joint.pitch
    if not _fits_turn(joint):
        bone[LIMITS] = list(joint.limits)
    if joint.follow is not None:
        bone[FOLLOWS] = json.dumps([joint.follow.joint, joint.follow.multiplier, joint.follow.offset])


def _fits_turn(joint: FoundJoint) -> bool:
    """Whether a constraint can hold the limits: Blender knows angles within one turn alone."""
    lower, upper = joint.limits
    return not joint.turns or not math.isfinite(upper - lower) or upper - lower < 2 * math.pi


def hold_bone(bone: bpy.types.PoseBone, joint: FoundJoint, metres: float) -> None:
    """Lock and limit a bone to what its joint lets it do."""
    turns, slides = joint.turns, joint.kind in ("prismatic", "screw")
    bone.rotation_mode = ORDER
    bone.lock_scale = (True, True, True)
    bone.lock_rotation = (True, not turns, True)
    bone.lock_location = (True, joint.kind != "prismatic", True)
    turn = bone.constraints.new("LIMIT_ROTATION")
    turn.name, turn.euler_order = TURN_LIMIT, ORDER
    turn.use_limit_x = turn.use_limit_z = turn.use_limit_y = True
    if turns:
        _limit_turn(turn, joint)
    slide = bone.constraints.new("LIMIT_LOCATION")
    slide.name = SLIDE_LIMIT
    for axis in "xyz":
        for end in ("min", "max"):
            setattr(slide, f"use_{end}_{axis}", not (slides and axis == "y"))
    if joint.kind == "prismatic":
        lower, upper = joint.limits
        slide.use_min_y, slide.use_max_y = math.isfinite(lower), math.isfinite(upper)
        slide.min_y, slide.max_y = (x / metres if math.isfinite(x) else 0.0 for x in (lower, upper))
    for constraint in (turn, slide):
        constraint.owner_space = "LOCAL"
        constraint.use_transform_limit = True  # the mouse stops at the limit as well


def _limit_turn(turn: bpy.types.LimitRotationConstraint, joint: FoundJoint) -> None:
    lower, upper = joint.limits
    turn.use_limit_y = joint.kind != "continuous" and math.isfinite(upper - lower) and _fits_turn(joint)
    if turn.use_limit_y:
        turn.min_y, turn.max_y = lower, upper


def _drive_bone(
    rig: bpy.types.Object, bones: Mapping[str, str], joint: FoundJoint, joints: Sequence[FoundJoint], metres: float
) -> None:
    """A joint that follows another is driven by it, and the way of a screw by its angle."""
    own = bones[joint.child]
    if joint.kind == "screw":
        _add_driver(rig, own, ("location", 1), (own, "rotation_euler"), joint.pitch / metres, 0.0)
    if joint.follow is None:
        return
    leader = next(each for each in joints if each.name == joint.follow.joint)
    scale = 1.0 if joint.turns else metres
    per = 1.0 if leader.turns else metres
    path = ("rotation_euler", 1) if joint.turns else ("location", 1)
    source = (bones[leader.child], "rotation_euler" if leader.turns else "location")
    _add_driver(rig, own, path, source, joint.follow.multiplier * per / scale, joint.follow.offset / scale)


def _add_driver(
    rig: bpy.types.Object, bone: str, path: tuple[str, int], source: tuple[str, str], factor: float, offset: float
) -> None:
    driver = rig.pose.bones[bone].driver_add(*path).driver
    driver.type = "SCRIPTED"
    lead = driver.variables.new()
    lead.name, lead.type = "lead", "SINGLE_PROP"
    lead.targets[0].id = rig
    lead.targets[0].data_path = f'pose.bones["{bpy.utils.escape_identifier(source[0])}"].{source[1]}[1]'
    driver.expression = f"{factor!r} * lead + {offset!r}"  # so simple that Blender needs no Python for it


# ---------------------------------------------------------------- the rig as it is now


def find_rig(thing: bpy.types.Object | None) -> bpy.types.Object | None:
    """The armature of ours that an object is, or by which it is deformed."""
    if thing is None:
        return None
    if thing.type == "ARMATURE":
        return thing if MARK in thing else None
    rigs = [m.object for m in thing.modifiers if m.type == "ARMATURE" and m.object is not None]
    return next((rig for rig in rigs if MARK in rig), None)


def list_meshes(rig: bpy.types.Object) -> list[bpy.types.Object]:
    """The objects that an armature deforms."""
    return [thing for thing in bpy.data.objects if thing.type == "MESH" and find_rig(thing) == rig]


def read_joints(rig: bpy.types.Object) -> tuple[FoundJoint, ...]:
    """The joints as bones and constraints have them, called like their bones, in the axes of a file of their frame."""
    bones = {bone[JOINT]: bone.name for bone in rig.data.bones if JOINT in bone}
    return tuple(_read_joint(rig, bone, bones) for bone in rig.data.bones if JOINT in bone)


def _read_joint(rig: bpy.types.Object, bone: bpy.types.Bone, bones: dict[str, str]) -> FoundJoint:
    metres = rig[MARK]
    axis = TURN @ np.array(bone.matrix_local)[:3, 1]
    pivot = TURN @ np.array(bone.head_local) * metres
    follow = None
    if FOLLOWS in bone:
        leader, multiplier, offset = json.loads(bone[FOLLOWS])
        follow = Follow(bones[leader] + JOINT_SUFFIX, multiplier, offset)
    x, y, z = map(float, axis)
    a, b, c = map(float, pivot)
    return FoundJoint(
        bone.name + JOINT_SUFFIX, bone[KIND], bone.parent.name, bone.name, (x, y, z), (a, b, c),
        _read_limits(rig.pose.bones[bone.name], metres), float(bone.get(PITCH, 0.0)), follow,
        float(bone.get(DAMPING, 0.0)), float(bone.get(FRICTION, 0.0)),
    )  # fmt: skip


def _read_limits(bone: bpy.types.PoseBone, metres: float) -> tuple[float, float]:
    kind = bone.bone[KIND]
    if LIMITS in bone.bone:
        lower, upper = bone.bone[LIMITS]
        return float(lower), float(upper)
    if kind == "prismatic":
        slide = bone.constraints.get(SLIDE_LIMIT)
        lower = slide.min_y * metres if slide and slide.use_min_y else -math.inf
        return lower, slide.max_y * metres if slide and slide.use_max_y else math.inf
    turn = bone.constraints.get(TURN_LIMIT)
    limited = turn is not None and turn.use_limit_y
    return (turn.min_y, turn.max_y) if limited else (-math.inf, math.inf)


def read_coordinate(bone: bpy.types.PoseBone, metres: float) -> float:
    """Where a joint is, in radians or metres."""
    return bone.location[1] * metres if bone.bone[KIND] == "prismatic" else bone.rotation_euler[1]


def write_coordinate(bone: bpy.types.PoseBone, value: float, metres: float) -> None:
    """Bring a joint to a place, in radians or metres."""
    if bone.bone[KIND] == "prismatic":
        bone.location[1] = value / metres
    else:
        bone.rotation_euler[1] = value


def key_coordinate(bone: bpy.types.PoseBone, frame: float) -> None:
    """Set a key where the joint is."""
    path = "location" if bone.bone[KIND] == "prismatic" else "rotation_euler"
    bone.keyframe_insert(path, index=1, frame=frame, group=bone.name)
