"""A teddy bear, sitting or standing, whose head, arms and legs move softly."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.limbs import Limb, add_body, attach_to_bone, ellipsoid
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import ball, curve, tube
from neurok.geometry.arrays import Array


def draw(kit: Kit) -> None:
    size = kit.between(0.1, 0.2, name="size")  # half height of the trunk [m]
    width = size * kit.between(0.78, 0.98, name="width share")
    skull = size * kit.between(0.72, 0.92, name="skull share")
    sits = kit.chance(0.6, name="sitting")
    limb = size * kit.between(0.27, 0.36, name="limb share")  # radius of a leg
    leg = size * kit.between(1.0, 1.4, name="leg share")
    low = 0.95 * size if sits else 0.75 * size + leg
    kit.bone("trunk")
    limbs = [ellipsoid("trunk", (0, 0, low), (width, 0.78 * width, size))]
    limbs.append(
        ellipsoid(
            "trunk", (0, -0.22 * width, low - 0.05 * size), np.array([0.72, 0.64, 0.78]) * (width, width, size), tint=1
        )
    )
    limbs += _head(kit, skull, low + 0.92 * size + 0.55 * skull)
    for side, s in (("left", 1.0), ("right", -1.0)):
        limbs += _arm(kit, side, s, size, width, low, 0.82 * limb)
        limbs += _leg(kit, side, s, width, low - 0.55 * size, limb, leg, sits)
    fur = kit.material("fur", "fur", "fabric", name="fur")
    light = kit.material("cardboard", "paper", "fur", name="light")
    add_body(kit, limbs, (fur, light), blend=0.06 * size, softness=0.14 * size, cells=44)
    if kit.chance(0.6, name="bow tie"):
        _bow(kit, skull, low + size, width)


def _head(kit: Kit, r: float, z: float) -> list[Limb]:
    turn, head = kit.bone("neck"), kit.bone("head")
    pivot = (0.0, 0.0, z - 0.75 * r)
    kit.hinge("trunk", turn, at=pivot, axis="z", lower=-28, upper=28)
    kit.hinge(turn, head, at=pivot, axis="x", lower=-14, upper=9)
    limbs = [ellipsoid(head, (0, -0.05 * r, z), (r, 0.9 * r, 0.9 * r))]
    snout = np.array([0.0, -0.88 * r, z - 0.22 * r])
    limbs.append(ellipsoid(head, snout, r * np.array([0.42, 0.36, 0.33]), tint=1))
    ear, apart = r * kit.between(0.3, 0.42, name="head ear share"), kit.between(0.68, 0.82, name="head apart")
    for s in (1.0, -1.0):
        at = np.array([s * apart * r, 0.05 * r, z + 0.75 * r])
        limbs.append(ellipsoid(head, at, (ear, 0.42 * ear, ear)))
        limbs.append(ellipsoid(head, at - (0, 0.28 * ear, 0), (0.62 * ear, 0.22 * ear, 0.62 * ear), tint=1))
    black = kit.material("black", name="head black")
    eye = r * kit.between(0.1, 0.14, name="head eye share")
    eyes = [ball(eye, (s * 0.36 * r, -0.85 * r, z + 0.16 * r), 12) for s in (1, -1)]
    nose = ball(r * np.array([0.17, 0.1, 0.12]), snout + (0, -0.34 * r, 0.13 * r), 14)
    smile = curve(snout + r * np.array([[-0.2, -0.28, -0.1], [0, -0.36, -0.15], [0.2, -0.28, -0.1]]), 9)
    attach_to_bone(kit, head, paint(black, *eyes, nose, tube(smile, 0.025 * r, sides=6)))
    return limbs


def _arm(kit: Kit, side: str, s: float, size: float, width: float, low: float, radius: float) -> list[Limb]:
    shoulder = np.array([s * 0.62 * width, -0.02 * size, low + 0.62 * size])
    drop = np.radians(kit.between(20, 50, name="arm drop share"))
    way = np.array([s * np.cos(drop), -0.35, -np.sin(drop)])
    elbow, hand = shoulder + 0.62 * size * way, shoulder + 1.15 * size * way + (0, -0.12 * size, 0)
    lift, swing, lower = (kit.bone(f"{part}_{side}") for part in ("shoulder", "arm", "forearm"))
    # positive lift raises the right arm and lowers the left one
    kit.hinge("trunk", lift, at=shoulder, axis=(0, -s, 0), lower=-14, upper=34)
    kit.hinge(lift, swing, at=shoulder, axis="x", lower=-30, upper=16)
    kit.hinge(swing, lower, at=elbow, axis=np.cross(way, (0, -1, 0)), lower=-6, upper=32)
    return [
        Limb(swing, [shoulder, elbow], [1.05 * radius, radius]),
        Limb(lower, [elbow, hand], [radius, 1.08 * radius]),
        ellipsoid(
            lower, hand + 0.3 * radius * way + (0, -0.35 * radius, 0), radius * np.array([0.9, 0.85, 0.85]), tint=1
        ),
    ]


def _leg(
    kit: Kit, side: str, s: float, width: float, hip_z: float, radius: float, length: float, sits: bool
) -> list[Limb]:
    hip = np.array([s * 0.55 * width, 0.0, hip_z])
    spread = 0.25 if sits else 0.06
    way = np.array([s * spread, -1.0, 0.0]) if sits else np.array([s * spread, 0.0, -1.0])
    if sits:
        hip = hip * (1, 1, 0) + (0, -0.2 * width, 1.02 * radius)
    toe = np.array([0.0, 0.0, 1.0]) if sits else np.array([0.0, -1.0, 0.0])  # where the foot points
    ankle = hip + length * way
    upper, foot = kit.bone(f"leg_{side}"), kit.bone(f"foot_{side}")
    kit.hinge("trunk", upper, at=hip, axis="x", lower=-28 if sits else -30, upper=8 if sits else 26)
    kit.hinge(upper, foot, at=ankle, axis="x", lower=-18, upper=18)
    sole = ankle + 0.35 * radius * toe + 0.35 * radius * way
    flat = 0.55 + 0.6 * np.abs(toe) - 0.05 * np.abs(way)
    return [
        Limb(upper, [hip, ankle], [1.12 * radius, radius]),
        ellipsoid(foot, sole, 1.25 * radius * np.maximum(flat, (0.9, 0.55, 0.55))),
        ellipsoid(foot, sole + 0.3 * radius * way, 1.02 * radius * np.maximum(flat, (0.9, 0.55, 0.55)), tint=1),
    ]


def _bow(kit: Kit, skull: float, z: float, width: float) -> None:
    """A bow tie below the chin."""
    cloth = kit.material("red", "fabric", "plastic", name="bow cloth")
    at: Array = np.array([0.0, -0.66 * width, z - 0.48 * skull])
    wings = [ball(skull * np.array([0.3, 0.1, 0.17]), at + (s * 0.28 * skull, 0, 0), 14) for s in (1, -1)]
    attach_to_bone(kit, "trunk", paint(cloth, *wings, ball(0.12 * skull, at + (0, -0.05 * skull, 0), 12)))
