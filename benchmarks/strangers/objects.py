"""Strange objects with known joints: what a person expects of them, to be compared with what the software finds.

None of these shapes comes from the programs in `neurok/data/procedural`; they are written by hand, with other
proportions and other constructions, as someone would who tries the software on things of his own.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from trimesh import Trimesh

from benchmarks.strangers.solids import Vector, ball, box, open_box, prism, ring, rod, tube

Solids = list[Trimesh]


@dataclass(frozen=True)
class TrueJoint:
    """How a body moves: 'turn' about, 'slide' along, or 'screw' along an axis through a point.

    range: of the turn [rad], or of the way along [m], from rest.
    """

    body: str
    kind: str
    axis: Vector
    point: Vector = (0.0, 0.0, 0.0)
    range: tuple[float, float] = (0.0, 1.0)
    parent: str = "base"


@dataclass(frozen=True)
class Stranger:
    """An object: the solids of each body, 'base' the one that stays, and the joints of the others."""

    bodies: dict[str, Solids]
    joints: list[TrueJoint] = field(default_factory=list)


def make_table() -> Stranger:
    """A table with two drawers under its top, side by side."""
    legs = [rod((x, y, 0), (0.9 * x, 0.9 * y, 0.7), 0.025) for x in (-0.55, 0.55) for y in (-0.3, 0.3)]
    case = [box((0.02, 0.56, 0.14), (x, 0, 0.63)) for x in (-0.46, 0, 0.46)] + [
        box((0.94, 0.02, 0.14), (0, 0.27, 0.63))
    ]
    base = [box((1.3, 0.75, 0.03), (0, 0, 0.715)), box((0.94, 0.56, 0.012), (0, 0, 0.554)), *legs, *case]
    bodies, joints = {"base": base}, []
    for number, x in enumerate((-0.23, 0.23)):
        front = box((0.43, 0.02, 0.12), (x, -0.285, 0.628))
        tray = open_box((0.41, 0.5, 0.09), (x, -0.015, 0.575), 0.01)
        bodies[f"drawer_{number}"] = [front, *tray, ball((x, -0.31, 0.628), 0.018)]
        joints.append(TrueJoint(f"drawer_{number}", "slide", (0, -1, 0), range=(0, 0.35)))
    return Stranger(bodies, joints)


def make_scissors() -> Stranger:
    """Two crossed blades on a pin, with rings for fingers."""

    def blade(side: float, z: float) -> Solids:
        outline = [(-0.009, -0.06), (0.011, -0.06), (0.013, 0.0), (0.0, 0.11), (-0.009, 0.0)]
        slanted = [(side * (x - 0.12 * y), y) for x, y in outline]
        solid = prism(slanted if side > 0 else slanted[::-1], 0.003, (0, 0, z))
        return [solid, ring((side * 0.024, -0.08, z + 0.0015), (0, 0, 1), 0.022, 0.004)]

    pin = [rod((0, 0, -0.001), (0, 0, 0.008), 0.004)]
    joint = TrueJoint("blade", "turn", (0, 0, 1), (0, 0, 0), (-0.2, 0.8))
    return Stranger({"base": blade(1, 0.0) + pin, "blade": blade(-1, 0.0032)}, [joint])


def make_chair() -> Stranger:
    """A plain wooden chair: nothing about it moves."""
    legs = [box((0.04, 0.04, 0.45), (x, y, 0.225)) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
    back = [box((0.04, 0.03, 0.5), (x, 0.2, 0.72)) for x in (-0.2, 0.2)]
    slats = [box((0.36, 0.02, 0.06), (0, 0.2, z)) for z in (0.65, 0.78, 0.91)]
    return Stranger({"base": [*legs, *back, *slats, box((0.46, 0.46, 0.03), (0, 0, 0.465))]})


def make_folding_ruler() -> Stranger:
    """Four links on pins, half unfolded, each above the last."""
    bodies, joints, at = {}, [], np.zeros(3)
    for number, heading in enumerate((0.0, 2.4, 0.3, 2.7)):
        way = np.array([np.cos(heading), np.sin(heading), 0.0])
        middle = at + 0.1 * way + (0, 0, 0.004 * number)
        name = "base" if number == 0 else f"link_{number}"
        bodies[name] = [box((0.225, 0.016, 0.0036), tuple(middle), yaw=heading)]
        if number:
            low = (at[0], at[1], 0.004 * number - 0.008)
            bodies[name].append(rod(low, (at[0], at[1], 0.004 * number + 0.004), 0.004))
            parent = "base" if number == 1 else f"link_{number - 1}"
            joints.append(TrueJoint(name, "turn", (0, 0, 1), tuple(at), (-1.0, 1.0), parent))
        at = at + 0.2 * way
    return Stranger(bodies, joints)


def make_hinged_box() -> Stranger:
    """A case with a lid on two barrel hinges, shut."""
    base = open_box((0.4, 0.28, 0.12), (0, 0, 0), 0.01)
    lid = [box((0.4, 0.28, 0.02), (0, 0, 0.131)), box((0.06, 0.012, 0.03), (0, -0.147, 0.125))]
    for x in (-0.12, 0.12):
        base += [
            tube((x - 0.03, 0.148, 0.121), (x, 0.148, 0.121), 0.003, 0.007),
            box((0.028, 0.01, 0.03), (x - 0.015, 0.143, 0.1)),
        ]
        lid += [
            tube((x, 0.148, 0.121), (x + 0.03, 0.148, 0.121), 0.003, 0.007),
            box((0.028, 0.01, 0.012), (x + 0.015, 0.143, 0.131)),
        ]
        base += [rod((x - 0.032, 0.148, 0.121), (x + 0.032, 0.148, 0.121), 0.0028)]
    return Stranger({"base": base, "lid": lid}, [TrueJoint("lid", "turn", (-1, 0, 0), (0, 0.148, 0.121), (0, 1.9))])


def make_clamp() -> Stranger:
    """A C-clamp: a spindle with a pad below and a crossbar through its head runs in the frame's boss."""
    frame = [
        box((0.03, 0.02, 0.22), (-0.06, 0, 0.11)), box((0.14, 0.02, 0.03), (-0.005, 0, 0.205)),
        box((0.12, 0.02, 0.025), (-0.015, 0, 0.0125)), rod((0.04, 0, 0.025), (0.04, 0, 0.032), 0.014),
        tube((0.07, 0, 0.17), (0.07, 0, 0.24), 0.0075, 0.016),
    ]  # fmt: skip
    spindle = [
        rod((0.07, 0, 0.06), (0.07, 0, 0.3), 0.007), rod((0.07, 0, 0.05), (0.07, 0, 0.06), 0.015),
        rod((0.02, 0, 0.292), (0.12, 0, 0.292), 0.0035), ball((0.02, 0, 0.292), 0.006), ball((0.12, 0, 0.292), 0.006),
    ]  # fmt: skip
    return Stranger(
        {"base": frame, "spindle": spindle}, [TrueJoint("spindle", "screw", (0, 0, -1), range=(-0.02, 0.02))]
    )


def make_bicycle() -> Stranger:
    """A bicycle: wheels turn, the bar steers, the cranks turn."""
    rear, front, hub = (-0.5, 0, 0.34), (0.55, 0, 0.34), (0.0, 0, 0.28)
    head_low, head_top, seat = (0.38, 0, 0.62), (0.33, 0, 0.82), (-0.16, 0, 0.78)

    def wheel(at: Vector) -> Solids:
        spokes = [(at[0] + 0.31 * np.cos(a), 0, at[2] + 0.31 * np.sin(a)) for a in np.arange(8) * np.pi / 4]
        return [ring(at, (0, 1, 0), 0.32, 0.02), rod((at[0], -0.04, at[2]), (at[0], 0.04, at[2]), 0.015),
                *(rod(at, end, 0.003, sides=8) for end in spokes)]  # fmt: skip

    frame = [rod(hub, seat, 0.016), rod(seat, head_top, 0.016), rod(hub, head_low, 0.018),
             tube(head_low, head_top, 0.017, 0.024), rod((0, -0.04, 0.28), (0, 0.04, 0.28), 0.024),
             rod(seat, (-0.19, 0, 0.92), 0.013), box((0.24, 0.13, 0.04), (-0.18, 0, 0.94))]  # fmt: skip
    for y in (-0.055, 0.055):
        frame += [rod((0, y, 0.28), (rear[0], y, rear[2]), 0.009), rod((-0.16, y, 0.76), (rear[0], y, rear[2]), 0.008)]
    fork = [rod((0.395, 0, 0.56), (0.31, 0, 0.9), 0.015), box((0.05, 0.14, 0.03), (0.395, 0, 0.56)),
            rod((0.31, -0.28, 0.92), (0.31, 0.28, 0.92), 0.013)]  # fmt: skip
    fork += [rod((0.395, y, 0.56), (front[0], y, front[2]), 0.01) for y in (-0.06, 0.06)]
    cranks = [rod((0, -0.07, 0.28), (0, 0.07, 0.28), 0.012), ring((0, -0.05, 0.28), (0, 1, 0), 0.09, 0.006)]
    for y, sign in ((-0.08, 1), (0.08, -1)):
        cranks += [
            box((0.17 * 1, 0.012, 0.02), (sign * 0.085, y, 0.28)),
            box((0.09, 0.06, 0.018), (sign * 0.17, 1.45 * y, 0.28)),
        ]
    steer = tuple(np.subtract(head_top, head_low) / np.linalg.norm(np.subtract(head_top, head_low)))
    joints = [
        TrueJoint("rear_wheel", "turn", (0, 1, 0), rear, (-2, 2)), TrueJoint("cranks", "turn", (0, 1, 0), hub, (-2, 2)),
        TrueJoint("fork", "turn", steer, head_low, (-0.5, 0.5)),
        TrueJoint("front_wheel", "turn", (0, 1, 0), front, (-2, 2), "fork"),
    ]  # fmt: skip
    return Stranger(
        {"base": frame, "rear_wheel": wheel(rear), "front_wheel": wheel(front), "fork": fork, "cranks": cranks}, joints
    )


def make_glasses() -> Stranger:
    """Spectacles: two temples on small hinges."""
    base = [ring((x, 0, 0), (0, 1, 0), 0.024, 0.0022) for x in (-0.034, 0.034)] + [
        rod((-0.012, 0, 0.008), (0.012, 0, 0.008), 0.002)
    ]
    bodies, joints = {"base": base}, []
    for side, name in ((-1, "left"), (1, "right")):
        base.append(box((0.012, 0.004, 0.006), (side * 0.063, 0.001, 0.008)))
        temple = [
            box((0.003, 0.12, 0.005), (side * 0.0685, 0.066, 0.008)),
            box((0.003, 0.005, 0.025), (side * 0.0685, 0.1285, -0.002)),
        ]
        base.append(tube((side * 0.0685, 0.002, 0.004), (side * 0.0685, 0.002, 0.0065), 0.0008, 0.002, sides=12))
        temple += [rod((side * 0.0685, 0.002, 0.0065), (side * 0.0685, 0.002, 0.012), 0.002, sides=12)]
        bodies[name] = temple
        joints.append(TrueJoint(name, "turn", (0, 0, side), (side * 0.0685, 0.002, 0), (0, 1.5)))
    return Stranger(bodies, joints)


def make_stapler() -> Stranger:
    """A stapler: the arm turns up; the magazine between arm and base turns about the same pin."""
    base = [box((0.15, 0.036, 0.008), (0, 0, 0.004)), rod((-0.062, -0.02, 0.03), (-0.062, 0.02, 0.03), 0.003)]
    base += [box((0.02, 0.004, 0.035), (-0.06, y, 0.02)) for y in (-0.016, 0.016)]
    base += [box((0.012, 0.02, 0.003), (0.06, 0, 0.0085))]
    magazine = [box((0.138, 0.016, 0.011), (0.003, 0, 0.0245))]
    arm = [
        box((0.14, 0.024, 0.006), (0.004, 0, 0.044)),
        box((0.14, 0.002, 0.012), (0.004, 0.012, 0.036)),
        box((0.14, 0.002, 0.012), (0.004, -0.012, 0.036)),
        box((0.006, 0.024, 0.014), (0.075, 0, 0.037)),
    ]
    pin = (-0.062, 0, 0.03)
    joints = [
        TrueJoint("magazine", "turn", (0, -1, 0), pin, (0, 0.1)),
        TrueJoint("arm", "turn", (0, -1, 0), pin, (0, 1.2)),
    ]
    return Stranger({"base": base, "magazine": magazine, "arm": arm}, joints)


def make_ceiling_fan() -> Stranger:
    base = [rod((0, 0, 0.35), (0, 0, 0.38), 0.07), rod((0, 0, 0.08), (0, 0, 0.36), 0.012)]
    rotor = [rod((0, 0, 0), (0, 0, 0.075), 0.1), ball((0, 0, -0.02), 0.05)]
    for angle in np.arange(5) * 2 * np.pi / 5:
        rotor.append(box((0.5, 0.12, 0.006), (0.36 * np.cos(angle), 0.36 * np.sin(angle), 0.03), yaw=angle))
    return Stranger({"base": base, "rotor": rotor}, [TrueJoint("rotor", "turn", (0, 0, 1), (0, 0, 0), (-2, 2))])


def make_jar() -> Stranger:
    """A jar with a knurled screw lid."""
    glass = [
        tube((0, 0, 0.004), (0, 0, 0.1), 0.037, 0.04),
        rod((0, 0, 0), (0, 0, 0.004), 0.04),
        tube((0, 0, 0.1), (0, 0, 0.115), 0.03, 0.033),
    ]
    lid = [tube((0, 0, 0.102), (0, 0, 0.12), 0.0345, 0.038), rod((0, 0, 0.118), (0, 0, 0.122), 0.038)]
    return Stranger({"base": glass, "lid": lid}, [TrueJoint("lid", "screw", (0, 0, 1), range=(0, 0.1))])


def make_desk_lamp() -> Stranger:
    """A lamp with two arms and a head, each on a pin across."""
    shoulder, elbow, wrist = (0, 0, 0.06), (-0.14, 0, 0.36), (0.14, 0, 0.56)
    base = [
        rod((0, 0, 0), (0, 0, 0.025), 0.1),
        box((0.02, 0.008, 0.06), (0, 0.022, 0.05)),
        box((0.02, 0.008, 0.06), (0, -0.022, 0.05)),
    ]
    lower = [rod(shoulder, elbow, 0.011), rod((0, -0.03, 0.06), (0, 0.03, 0.06), 0.007)]
    upper = [
        rod((-0.14, 0.02, 0.36), (0.14, 0.02, 0.56), 0.009),
        rod((-0.14, -0.018, 0.36), (-0.14, 0.034, 0.36), 0.007),
    ]
    head = [
        tube((0.2, 0, 0.57), (0.26, 0, 0.47), 0.06, 0.064),
        rod((0.19, 0, 0.585), (0.205, 0, 0.56), 0.062),
        rod((0.14, 0.034, 0.56), (0.14, -0.012, 0.56), 0.007),
        rod((0.14, 0, 0.56), (0.2, 0, 0.572), 0.009),
    ]
    joints = [
        TrueJoint("lower", "turn", (0, 1, 0), shoulder, (-0.5, 0.5)),
        TrueJoint("upper", "turn", (0, 1, 0), elbow, (-0.5, 0.5), "lower"),
        TrueJoint("head", "turn", (0, 1, 0), wrist, (-0.5, 0.5), "upper"),
    ]
    return Stranger({"base": base, "lower": lower, "upper": upper, "head": head}, joints)


def make_padlock() -> Stranger:
    body = [box((0.05, 0.02, 0.04), (0, 0, 0.02)), rod((0, -0.0101, 0.012), (0, -0.011, 0.012), 0.004)]
    angles = np.linspace(0, np.pi, 13)
    bow = [(0.016 * np.cos(a), 0, 0.06 + 0.016 * np.sin(a)) for a in angles]
    shackle = [rod(a, b, 0.0035, sides=12) for a, b in zip(bow[:-1], bow[1:])] + [ball(p, 0.0035) for p in bow[1:-1]]
    shackle += [rod((x, 0, 0.03), (x, 0, 0.06), 0.0035, sides=12) for x in (-0.016, 0.016)]
    return Stranger({"base": body, "shackle": shackle}, [TrueJoint("shackle", "slide", (0, 0, 1), range=(0, 0.012))])


def make_syringe() -> Stranger:
    barrel = [
        tube((0, 0, 0.0), (0, 0, 0.08), 0.0075, 0.0085),
        rod((0, 0, -0.002), (0, 0, 0.0), 0.0085),
        rod((0, 0, -0.012), (0, 0, -0.002), 0.0022),
        box((0.034, 0.018, 0.002), (0, 0.0, 0.081)),
    ]
    barrel[-1] = tube((0, 0, 0.08), (0, 0, 0.082), 0.0075, 0.015)
    plunger = [
        rod((0, 0, 0.03), (0, 0, 0.036), 0.0073),
        box((0.011, 0.0015, 0.075), (0, 0, 0.0735)),
        box((0.0015, 0.011, 0.075), (0, 0, 0.0735)),
        rod((0, 0, 0.111), (0, 0, 0.113), 0.011),
    ]
    return Stranger(
        {"base": barrel, "plunger": plunger}, [TrueJoint("plunger", "slide", (0, 0, -1), range=(-0.03, 0.028))]
    )


def make_valve() -> Stranger:
    """A pipe with a handwheel on a spindle."""
    base = [
        tube((-0.2, 0, 0), (0.2, 0, 0), 0.04, 0.046),
        ball((0, 0, 0.01), 0.062),
        rod((0, 0, 0.05), (0, 0, 0.11), 0.02),
    ]
    base += [tube((x, 0, 0), (x + 0.012, 0, 0), 0.045, 0.07) for x in (-0.2, 0.188)]
    wheel = [ring((0, 0, 0.16), (0, 0, 1), 0.075, 0.008), rod((0, 0, 0.105), (0, 0, 0.17), 0.008)]
    wheel += [
        rod((0, 0, 0.16), (0.073 * np.cos(a), 0.073 * np.sin(a), 0.16), 0.005, sides=12)
        for a in np.arange(4) * np.pi / 2
    ]
    return Stranger({"base": base, "wheel": wheel}, [TrueJoint("wheel", "turn", (0, 0, 1), (0, 0, 0.16), (-2, 2))])


def make_folder() -> Stranger:
    """A ring binder, half open: two covers on a spine."""
    base = [box((0.07, 0.32, 0.003), (0, 0, 0.0015))]
    bodies, joints = {"base": base}, []
    for side, name in ((-1, "left"), (1, "right")):
        bodies[name] = [box((0.003, 0.32, 0.28), (side * 0.0368, 0, 0.1432))]
        joints.append(TrueJoint(name, "turn", (0, side, 0), (side * 0.0368, 0, 0.003), (0, 1.4)))
    return Stranger(bodies, joints)


def make_bench_vice() -> Stranger:
    base = [
        box((0.2, 0.1, 0.02), (0, 0, 0.01)),
        box((0.03, 0.1, 0.1), (-0.08, 0, 0.07)),
        box((0.1, 0.04, 0.03), (-0.02, 0, 0.035)),
    ]
    jaw = [
        box((0.03, 0.1, 0.07), (0.05, 0, 0.087)),
        rod((0.06, 0, 0.08), (0.16, 0, 0.08), 0.01),
        rod((0.15, -0.06, 0.08), (0.15, 0.06, 0.08), 0.004),
    ]
    base.append(box((0.02, 0.1, 0.026), (0.05, 0, 0.033)))
    return Stranger({"base": base, "jaw": jaw}, [TrueJoint("jaw", "slide", (1, 0, 0), range=(-0.09, 0.04))])


def make_mug() -> Stranger:
    cup = [tube((0, 0, 0), (0, 0, 0.1), 0.036, 0.04), rod((0, 0, 0), (0, 0, 0.005), 0.039)]
    handle = [(0.04 + 0.025 * np.sin(a), 0, 0.05 + 0.03 * np.cos(a)) for a in np.linspace(0, np.pi, 11)]
    return Stranger({"base": cup + [rod(a, b, 0.005, sides=12) for a, b in zip(handle[:-1], handle[1:])]})


def make_gate() -> Stranger:
    """A garden gate between two posts, with slats and a latch side."""
    base = [box((0.1, 0.1, 1.3), (x, 0, 0.65)) for x in (-0.6, 0.6)] + [ball((x, 0, 1.36), 0.07) for x in (-0.6, 0.6)]
    gate = [box((0.06, 0.02, 0.95), (x, 0, 0.6)) for x in np.linspace(-0.48, 0.48, 8)]
    gate += [box((1.05, 0.03, 0.07), (0, 0.02, z)) for z in (0.3, 0.9)]
    for z in (0.3, 0.9):
        base.append(rod((-0.538, 0.02, z - 0.03), (-0.538, 0.02, z + 0.03), 0.01))
    return Stranger(
        {"base": base, "gate": gate}, [TrueJoint("gate", "turn", (0, 0, 1), (-0.538, 0.02, 0), (-1.5, 1.5))]
    )


def make_pepper_mill() -> Stranger:
    base = [
        rod((0, 0, 0), (0, 0, 0.02), 0.03),
        rod((0, 0, 0.02), (0, 0, 0.08), 0.022),
        rod((0, 0, 0.08), (0, 0, 0.1), 0.028),
    ]
    head = [
        rod((0, 0, 0.101), (0, 0, 0.12), 0.027),
        ball((0, 0, 0.14), 0.026),
        rod((0, 0, 0.165), (0, 0, 0.175), 0.006),
    ]
    return Stranger({"base": base, "head": head}, [TrueJoint("head", "turn", (0, 0, 1), (0, 0, 0), (-2, 2))])


def make_wardrobe() -> Stranger:
    """A wardrobe with two panels that slide past each other in tracks."""
    base = (
        [box((1.6, 0.6, 0.04), (0, 0, z)) for z in (0.02, 2.02)]
        + [box((0.03, 0.6, 1.96), (x, 0, 1.02)) for x in (-0.785, 0.785)]
        + [box((1.54, 0.02, 1.96), (0, 0.29, 1.02)), box((0.02, 0.5, 1.96), (0, 0.03, 1.02))]
    )
    bodies, joints = {"base": base}, []
    for name, x, y, sign in (("left", -0.385, -0.285, 1), ("right", 0.385, -0.255, -1)):
        bodies[name] = [
            box((0.77, 0.02, 1.955), (x, y, 1.02)),
            box((0.02, 0.008, 0.25), (x - sign * 0.34, y - 0.013, 1.0)),
        ]
        joints.append(TrueJoint(name, "slide", (sign, 0, 0), range=(0, 0.7)))
    return Stranger(bodies, joints)


def make_monitor_arm() -> Stranger:
    base = [box((0.1, 0.1, 0.012), (0, 0, 0.006)), rod((0, 0, 0.01), (0, 0, 0.3), 0.017)]
    arm = [
        tube((0, 0, 0.24), (0, 0, 0.28), 0.018, 0.03),
        box((0.24, 0.03, 0.03), (0.145, 0, 0.26)),
        rod((0.28, 0, 0.23), (0.28, 0, 0.29), 0.02),
    ]
    screen = [
        tube((0.28, 0, 0.292), (0.28, 0, 0.32), 0.012, 0.02),
        box((0.03, 0.06, 0.06), (0.31, 0, 0.306)),
        box((0.02, 0.5, 0.3), (0.335, 0, 0.32)),
    ]
    joints = [
        TrueJoint("arm", "turn", (0, 0, 1), (0, 0, 0), (-1.5, 1.5)),
        TrueJoint("screen", "turn", (0, 0, 1), (0.28, 0, 0), (-1, 1), "arm"),
    ]
    return Stranger({"base": base, "arm": arm, "screen": screen}, joints)


def make_wobbler() -> Stranger:
    """A ball on a spring-like stem on a foot: nothing moves rigidly but the ball might turn; expected to rest."""
    return Stranger(
        {"base": [rod((0, 0, 0), (0, 0, 0.02), 0.06), rod((0, 0, 0.02), (0, 0, 0.15), 0.006), ball((0, 0, 0.18), 0.04)]}
    )


STRANGERS: dict[str, Callable[[], Stranger]] = {
    "table": make_table, "scissors": make_scissors, "chair": make_chair, "folding_ruler": make_folding_ruler,
    "hinged_box": make_hinged_box, "clamp": make_clamp, "bicycle": make_bicycle, "glasses": make_glasses,
    "stapler": make_stapler, "ceiling_fan": make_ceiling_fan, "jar": make_jar, "desk_lamp": make_desk_lamp,
    "padlock": make_padlock, "syringe": make_syringe, "valve": make_valve, "folder": make_folder,
    "bench_vice": make_bench_vice, "mug": make_mug, "gate": make_gate, "pepper_mill": make_pepper_mill,
    "wardrobe": make_wardrobe, "monitor_arm": make_monitor_arm, "wobbler": make_wobbler,
}  # fmt: skip
