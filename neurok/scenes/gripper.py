"""A simple hand of our own: a wrist, a palm and two fingers that shut on each other.

Its frame sits between the fingertips: +z is where it reaches, the fingers move along x. The hand is led, not driven: it
goes where it is told and passes through everything, except for what it pushes; its grasp pulls with a limited force.
"""

from dataclasses import replace

import numpy as np

from neurok.data.procedural.placing import label, paint
from neurok.data.procedural.shapes import block, rod
from neurok.generate.looks import linearise
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Inertia, Joint, Link
from neurok.geometry.mesh import Material, merge
from neurok.scenes.colliders import add_hollow_colliders
from neurok.scenes.thing import PlacedThing, SceneThing

HAND = "hand"  # its name in a scene
MAX_OPENING = 0.10  # [m] between the fingers, as hands of its size have
FINGER = (0.012, 0.022, 0.075)  # [m], of a finger
PALM = (0.14, 0.045, 0.035)
WRIST_LENGTH, WRIST_RADIUS = 0.16, 0.026
TIP = 0.012  # [m] by which the tips reach past the point they hold


def make_gripper() -> PlacedThing:
    """The hand, open, at the origin."""
    grey = Material("hand metal", (*linearise((0.82, 0.83, 0.85)), 1.0), metallic=0.6, roughness=0.35)
    dark = Material("hand rubber", (*linearise((0.12, 0.13, 0.15)), 1.0), roughness=0.9)
    accent = Material("hand plastic", (*linearise((0.95, 0.45, 0.10)), 1.0), roughness=0.4)
    top = TIP - FINGER[2]
    palm = block(PALM, (0, 0, top - PALM[2] / 2 + 0.004), round=0.006)
    wrist = rod((0, 0, top - PALM[2]), (0, 0, top - PALM[2] - WRIST_LENGTH), WRIST_RADIUS)
    links = [merge([paint(accent, [label("palm", palm)]), paint(grey, [label("wrist", wrist)])])]
    for side in (-1, 1):
        at = (side * FINGER[0] / 2, 0, TIP - FINGER[2] / 2)
        links.append(paint(dark, [label("finger", block(FINGER, at, round=0.003))]))
    mesh = replace(merge(links), up="z")
    owner = np.repeat(np.arange(3), [link.vertex_count for link in links])
    weight = Inertia(0.2, np.zeros(3), 1e-4 * np.eye(3))
    named = tuple(Link(name, np.eye(4), weight) for name in ("palm", "left_finger", "right_finger"))
    joints = tuple(
        Joint(f"{name}_slide", "prismatic", 0, 1 + k, np.eye(4), np.array([side, 0.0, 0.0]), 0.0, MAX_OPENING / 2)
        for k, (name, side) in enumerate((("left", -1.0), ("right", 1.0)))
    )
    made = add_hollow_colliders(Articulation(mesh, owner, named, joints, HAND))
    thing = SceneThing(HAND, HAND, made, np.full(2, MAX_OPENING / 2), held=True)
    return PlacedThing(thing, np.eye(4))


def aim_gripper(point: Array, reach: Array, shut: Array) -> Array:
    """T_world_hand with the fingertips at a point [m], reaching along a direction, shutting along another, [3] each."""
    z = reach / np.linalg.norm(reach)
    x = shut - (shut @ z) * z
    if np.linalg.norm(x) < 1e-6:
        x = np.cross(z, (0.0, 0.0, 1.0) if abs(z[2]) < 0.9 else (1.0, 0.0, 0.0))
    x = x / np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    T[:3, 3] = point
    return T
