"""A four-legged animal: legs, neck, head and tail move; dogs, cats, horses, cows, sheep, elephants and giraffes."""

from dataclasses import dataclass

import numpy as np

from neurok.data.procedural.backbone import Way, add_backbone
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.limbs import Limb, add_body, attach_to_bone, ellipsoid
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import ball, curve, tube
from neurok.geometry.arrays import Array


@dataclass(frozen=True)
class Kind:
    """Lengths as shares of the trunk's length; angles in degrees above the horizon."""

    trunk: float  # [m]
    girth: float
    leg: float
    limb: float  # radius of a leg
    neck: float
    rise: float
    head: float  # radius of the skull
    muzzle: float
    ear: float
    ears: str  # up, flop, fan
    tail: float
    droop: float
    horns: bool = False
    coat: str = "fur"


KINDS = {
    "dog": Kind(0.6, 0.19, 0.55, 0.055, 0.28, 48, 0.14, 0.2, 0.15, "flop", 0.45, -35),
    "cat": Kind(0.35, 0.17, 0.45, 0.045, 0.2, 42, 0.15, 0.08, 0.14, "up", 0.75, -50),
    "horse": Kind(1.5, 0.2, 0.72, 0.05, 0.5, 55, 0.1, 0.24, 0.1, "up", 0.5, 60),
    "cow": Kind(1.6, 0.25, 0.5, 0.06, 0.26, 25, 0.13, 0.19, 0.13, "flop", 0.5, 58, True),
    "sheep": Kind(0.9, 0.28, 0.42, 0.045, 0.2, 40, 0.13, 0.15, 0.12, "flop", 0.12, 45, False, "white"),
    "elephant": Kind(2.8, 0.29, 0.5, 0.1, 0.3, 24, 0.2, 0.1, 0.24, "fan", 0.35, 58, False, "grey"),
    "giraffe": Kind(1.6, 0.22, 0.95, 0.055, 1.0, 68, 0.1, 0.17, 0.1, "up", 0.4, 58, True, "yellow"),
}


def draw(kit: Kit) -> None:
    name = kit.pick(*KINDS, name="animal")
    k = KINDS[name]
    size = k.trunk * kit.between(0.8, 1.2, name="size share")
    girth, leg = (
        size * k.girth * kit.between(0.88, 1.15, name="girth share"),
        size * k.leg * kit.between(0.85, 1.15, name="leg share"),
    )
    thin = size * k.limb * kit.between(0.88, 1.15, name="thin share")
    height = leg + 0.75 * girth  # of the spine above the floor
    knee = min(0.5, 0.7 * (leg - 0.25 * girth) / height)  # below the belly
    agile = float(np.clip(leg / (2.6 * girth), 0.5, 1.0))  # short legs under a thick trunk swing less
    kit.bone("trunk")
    limbs = _trunk(size, girth, height, kit.between(0.8, 1.0, name="limbs share"))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for end, y in (("fore", -0.36 * size), ("hind", 0.36 * size)):
            limbs += _leg(
                kit,
                f"{end}_{side}",
                np.array([sign * max(0.6 * girth, 1.95 * thin), y, height]),
                thin,
                knee,
                agile,
                end == "hind",
            )
    limbs += _neck_and_head(kit, k, size, girth, height, name == "elephant")
    limbs += _tail(kit, k, size, girth, height, thin)
    coat = kit.material(
        *{"grey": ("metal",), "white": ("white",), "yellow": ("yellow", "fur")}.get(k.coat, (k.coat,)), name="coat"
    )
    other = kit.material("black", "fur", "white", name="other") if kit.chance(0.7, name="second colour") else coat
    add_body(kit, limbs, (coat, other), blend=0.3 * thin, softness=(0.25 if k.ears == "fan" else 0.6) * thin, cells=56)


def _trunk(size: float, girth: float, height: float, waist: float) -> list[Limb]:
    y = size * np.array([-0.36, -0.1, 0.15, 0.36])
    path = np.stack([0 * y, y, height + girth * np.array([0.0, -0.12, -0.06, 0.04])], axis=1)
    return [
        Limb(
            "trunk", curve(path, 9), np.interp(np.linspace(0, 3, 9), range(4), girth * np.array([1, 1.04, waist, 0.92]))
        )
    ]


def _leg(kit: Kit, name: str, hip: Array, thin: float, knee_share: float, agile: float, hind: bool) -> list[Limb]:
    bend = 0.12 * hip[2] * (-1.0 if hind else 0.6)  # hind knees point forwards, elbows back
    knee = hip * (1, 1, knee_share) + (0, bend * (0.8 if hind else 0.3), 0)
    hock = hip * (1, 1, 0.48 * knee_share) - (0, 0.6 * bend if hind else 0.0, 0)
    foot = hip * (1, 1, 0) + (0, 0, 0.75 * thin)
    upper, lower = kit.bone(f"{name}_upper"), kit.bone(f"{name}_lower")
    paw = kit.bone(f"{name}_foot")
    swing = agile * kit.between(18, 26, name="leg swing share")
    kit.hinge("trunk", upper, at=hip * (1, 1, 0.9), axis="x", lower=-swing, upper=swing)
    kit.hinge(upper, lower, at=knee, axis="x", lower=-10 if hind else -36 * agile, upper=36 * agile if hind else 10)
    kit.hinge(lower, paw, at=hock, axis="x", lower=-20, upper=20)
    middle = 0.5 * (hip + knee) - (0, 0, 0.05 * hip[2])
    return [
        Limb(upper, [hip - (0, 0, 0.3 * thin), middle, knee], [1.75 * thin, 1.6 * thin, 1.15 * thin]),
        Limb(lower, [knee, hock], [1.1 * thin, 0.9 * thin]),
        Limb(paw, [hock, foot], [0.9 * thin, 0.85 * thin]),
        Limb(paw, [foot, foot + (0, -0.9 * thin, -0.05 * thin)], [0.95 * thin, 0.75 * thin], tint=1),
    ]


def _neck_and_head(kit: Kit, k: Kind, size: float, girth: float, height: float, trunked: bool) -> list[Limb]:
    rise = np.radians(k.rise * kit.between(0.85, 1.1, name="neck and head rise share"))
    way = np.array([0.0, -np.cos(rise), np.sin(rise)])
    root = np.array([0.0, -0.38 * size, height + 0.3 * girth])
    length, skull = (
        size * k.neck * kit.between(0.85, 1.2, name="neck and head length share") + 0.5 * girth,
        size * k.head * kit.between(0.92, 1.1, name="neck and head skull share"),
    )
    path = root + np.linspace(0.0, length, 8)[:, None] * way
    free = 5.0 if trunked else min(11.0, 30.0 * k.neck)  # short necks are stiff
    ways = [Way("nod", "x", -0.8 * free, free), Way("turn", "z", -0.8 * free, 0.8 * free)]
    bones = add_backbone(kit, "neck", "trunk", path, 3, ways)
    thick = np.linspace(max(0.6 * girth, 0.75 * skull), 0.68 * skull, 4)
    joints = [path[0], path[2], path[5], path[7]]
    limbs = [Limb(b, [joints[i], joints[i + 1]], [thick[i], thick[i + 1]]) for i, b in enumerate(bones)]
    top = path[-1]
    head = kit.bone("head")
    kit.hinge(bones[-1], head, at=top, axis="x", lower=-18, upper=18)
    muzzle = size * k.muzzle * kit.between(0.85, 1.2, name="neck and head muzzle share")
    centre = top + (0, -0.35 * skull, 0.15 * skull)
    snout = centre + np.array([0.0, -0.7 * skull - muzzle, -0.35 * skull - 0.35 * muzzle])
    limbs.append(ellipsoid(head, centre, (0.9 * skull, 1.05 * skull, 0.92 * skull)))
    if trunked:
        limbs += _proboscis(kit, head, snout, skull, height)
    else:
        limbs.append(Limb(head, [centre + (0, -0.3 * skull, -0.2 * skull), snout], [0.68 * skull, 0.42 * skull]))
        nose = snout + (0, -0.34 * skull, 0.12 * skull)
        attach_to_bone(kit, head, paint(kit.material("black", name="neck and head ball"), ball(0.2 * skull, nose, 12)))
    limbs += _ears(kit, k.ears, head, centre, skull, size * k.ear * kit.between(0.85, 1.25, name="neck and head ears"))
    eye = np.array([0.62, -0.72, 0.3]) * skull
    attach_to_bone(
        kit,
        head,
        paint(
            kit.material("black", name="neck and head ball"),
            *(ball(0.14 * skull, centre + eye * (s, 1, 1), 12) for s in (1, -1)),
        ),
    )
    if k.horns:
        horn = curve(skull * np.array([[0.35, 0.1, 0.6], [0.75, 0.1, 1.1], [0.7, -0.1, 1.7]]), 7)
        tusks = [tube(centre + horn * (s, 1, 1), skull * np.linspace(0.15, 0.06, 7), sides=8) for s in (1, -1)]
        attach_to_bone(kit, head, paint(kit.material("paper", name="neck and head tusks"), *tusks, parts="tusks"))
    return limbs


def _ears(kit: Kit, style: str, head: str, centre: Array, skull: float, length: float) -> list[Limb]:
    limbs = []
    for side, s in (("left", 1.0), ("right", -1.0)):
        bone = kit.bone(f"ear_{side}")
        root = centre + np.array([s * 0.6, 0.15, 0.65]) * skull
        if style == "up":
            kit.hinge(head, bone, at=root, axis="x", lower=-15, upper=25)
            tip = root + np.array([s * 0.25, 0.1, 1.0]) * length
            limbs.append(Limb(bone, [root, tip], [0.3 * skull, 0.1 * skull], tint=1))
        elif style == "flop":
            kit.hinge(head, bone, at=root, axis="y", lower=-15 if s > 0 else -25, upper=25 if s > 0 else 15)
            bow = root + np.array([s * 0.6, 0.0, -0.05]) * length
            limbs.append(
                Limb(
                    bone,
                    [root, bow, bow + (s * 0.1 * length, 0, -0.7 * length)],
                    [0.22 * skull, 0.26 * skull, 0.2 * skull],
                    tint=1,
                )
            )
        else:
            root = centre + np.array([s * 0.9, 0.05, 0.25]) * skull
            kit.hinge(head, bone, at=root, axis="z", lower=-5 if s > 0 else -20, upper=20 if s > 0 else 5)
            limbs.append(
                ellipsoid(
                    bone, root + np.array([s * 0.62, -0.05, -0.15]) * length, length * np.array([0.62, 0.13, 0.75])
                )
            )
    return limbs


def _proboscis(kit: Kit, head: str, snout: Array, skull: float, height: float) -> list[Limb]:
    start = snout + (0, 0.35 * skull, 0.35 * skull)
    drop = start[2] - 0.18 * height
    path = curve(
        start
        + np.array(
            [[0, 0, 0], [0, -0.45 * skull, -0.3 * drop], [0, -0.5 * skull, -0.75 * drop], [0, -0.9 * skull, -drop]]
        ),
        17,
    )
    bones = add_backbone(kit, "proboscis", head, path, 4, [Way("curl", "x", -8, 13), Way("sway", "z", -10, 10)])
    radii = skull * np.linspace(0.5, 0.18, 17)
    tusk = curve(start + skull * np.array([[0.4, 0, -0.2], [0.5, -0.7, -0.9], [0.5, -1.5, -0.8]]), 7)
    pair = [
        tube((tusk - (start * (1, 0, 0))) * (s, 1, 1), skull * np.linspace(0.11, 0.05, 7), sides=8) for s in (1, -1)
    ]
    attach_to_bone(kit, head, paint(kit.material("paper", name="proboscis pair"), *pair))
    return [Limb(b, path[4 * i : 4 * i + 5], radii[4 * i : 4 * i + 5]) for i, b in enumerate(bones)]


def _tail(kit: Kit, k: Kind, size: float, girth: float, height: float, thin: float) -> list[Limb]:
    droop = np.radians(k.droop + kit.between(-12, 12, name="tail droop share"))
    root = np.array([0.0, 0.36 * size + 0.88 * girth, height + 0.35 * girth])
    length = size * k.tail * kit.between(0.8, 1.15, name="tail length share")
    t = np.linspace(0.0, length, 13)[:, None]
    path = root + t * (0.0, np.cos(droop), -np.sin(droop))
    bones = add_backbone(kit, "tail", "trunk", path, 3, [Way("wag", "z", -16, 16), Way("lift", "x", -8, 14)])
    radius = np.linspace(0.8, 0.5, 13) * thin
    return [Limb(b, path[4 * i : 4 * i + 5], radius[4 * i : 4 * i + 5], tint=int(i == 2)) for i, b in enumerate(bones)]
