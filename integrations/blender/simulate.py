"""The operator that simulates: to key frames of bones, or of the shape where an object has no joints."""

import json
from pathlib import Path

import bpy
import numpy as np

from .answers import FoundJoint, read_shapes, read_states
from .axes import Axes
from .command_lines import SHAPES, STATES, Demand, Vector, build_simulate
from .exchange import clamp_coordinate, list_coordinates, write_meshes, write_rig
from .grasp import Grasp, grasp_mesh, grasp_rig
from .posing import key_states
from .process import Fault
from .rig import JOINT_SUFFIX, MARK, find_rig, read_coordinate
from .running import Running
from .settings import SIMULATION
from .shapes import bake_shapes

CONDITIONS = "conditions.json"


class Simulate(Running):
    """Simulate the active object under gravity and a hand, and set a key for every frame"""

    bl_idname = "neurok.simulate"
    bl_label = "Simulate"
    bl_options = {"REGISTER", "UNDO"}
    words = "simulating"
    __annotations__ = dict(SIMULATION)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        cls.poll_message_set("Make a mesh or its rig the active object")
        return context.mode in ("OBJECT", "POSE") and is_movable(context.active_object)

    def read_settings(self, context: bpy.types.Context) -> None:
        for name in SIMULATION:
            setattr(self, name, getattr(context.scene.neurok, name))

    def prepare(self, context: bpy.types.Context, folder: Path, command: str) -> list[str]:
        self._thing = context.active_object
        self._rig = find_rig(self._thing)
        self._axes = find_axes(context, self._rig)
        if self._rig is None:
            (self._surface,) = write_meshes([self._thing], self._axes, folder)
            return build_simulate(command, self._demand(context), with_joints=False)
        joints = write_rig(self._rig, self._axes, folder)
        line = build_simulate(command, self._demand(context), with_joints=True)
        if self.from_pose:
            state = [read_state(self._rig, joint) for joint in list_coordinates(joints)]
            (folder / CONDITIONS).write_text(json.dumps({"state": state}))
            line.append(f"--conditions={CONDITIONS}")
        return line

    def take_in(self, context: bpy.types.Context, folder: Path) -> str:
        scene = context.scene
        if self._rig is not None:
            found = read_states(folder / STATES)
            frames = scene.frame_start + found.time * read_rate(scene)
            key_states(self._rig, found, frames)
            what = f"{len(found.names)} joints"
        else:
            time, shapes = read_shapes(folder / SHAPES)
            frames = scene.frame_start + time * read_rate(scene)
            bake_shapes(self._surface, self._axes, shapes, frames)
            what = "the shape"
        scene.frame_end = max(scene.frame_end, int(np.ceil(frames[-1])))
        scene.frame_set(scene.frame_start)
        return f"{len(frames)} key frames of {what}, {frames[0]:g} to {frames[-1]:g}."

    def _demand(self, context: bpy.types.Context) -> Demand:
        gravity = self._axes.write_vectors(np.array(self.gravity), are_lengths=False)
        hands: tuple[tuple[Vector, Vector], ...] = ()
        if self.action != "NONE":
            point = self._axes.write_points(self._grasp(context).point[None])[0]
            vector = self._axes.write_vectors(np.array(self.vector), are_lengths=self.action == "PULL")
            hands = ((tuple(point), tuple(vector)),)
        return Demand(
            self.seconds, self.fps or read_rate(context.scene), tuple(gravity), self.ground,
            hands if self.action == "PULL" else (), hands if self.action == "PUSH" else (), self.material.strip(),
        )  # fmt: skip

    def _grasp(self, context: bpy.types.Context) -> Grasp:
        place = context.scene.cursor.location
        if self._rig is None:
            return grasp_mesh(context, self._thing, place)
        return grasp_rig(context, self._rig, place)


def read_state(rig: bpy.types.Object, joint: FoundJoint) -> float:
    """Where a joint of a rig is, within its limits, in radians or metres."""
    bone = rig.pose.bones[joint.name.removesuffix(JOINT_SUFFIX)]
    return clamp_coordinate(joint, read_coordinate(bone, rig[MARK]))


def is_movable(thing: bpy.types.Object | None) -> bool:
    """Whether an object can be simulated and dragged: a mesh, or an armature of ours."""
    return thing is not None and (thing.type == "MESH" or find_rig(thing) is not None)


def find_axes(context: bpy.types.Context, rig: bpy.types.Object | None) -> Axes:
    """The frame in which an object is written: the armature's, or the world."""
    if rig is None:
        return Axes(np.eye(4), context.scene.unit_settings.scale_length)
    frame = np.array(rig.matrix_world)
    if not abs(np.linalg.det(frame[:3, :3])) > 0:
        raise Fault(f"{rig.name} is scaled to nothing; give it another scale.")
    return Axes(frame, rig[MARK])


def read_rate(scene: bpy.types.Scene) -> float:
    """Frames a second of a scene."""
    rate: float = scene.render.fps / scene.render.fps_base
    return rate
