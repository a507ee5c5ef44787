"""The joints of MJCF bodies as single freedoms, and the equalities that couple them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from neurok.errors import InputError
from neurok.files.mjcf.poses import MjcfAngles, read_vector
from neurok.files.mjcf.statements import MjcfStatements
from neurok.files.urdf.attributes import MAX_LENGTH, parse_finite
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Joint, Mimic


@dataclass(frozen=True)
class MjcfFreedom:
    """A hinge or a slide: a point of it and its unit axis in the body's frame, [3]; limits from the file's pose."""

    name: str
    kind: str
    place: Array
    axis: Array
    limits: tuple[float, float] = (-np.inf, np.inf)
    damping: float = 0.0
    friction: float = 0.0
    effort: float | None = None


def read_freedoms(
    values: Mapping[str, str], T: Array, angles: MjcfAngles, fallback: str, *, autolimits: bool
) -> list[MjcfFreedom]:
    """What a joint lets a body do, none for a free one; T: of the frame around it; fallback: for its name."""
    kind, name = values.get("type", "hinge"), values.get("name") or fallback
    where = f"joint '{name}'"
    if kind not in ("hinge", "slide", "ball", "free"):
        raise InputError(f"{where} is of the type '{kind[:40]}'", "use hinge, slide, ball or free")
    if kind == "free":
        return []
    place = T[:3, :3] @ read_vector(values, "pos", where, (0.0, 0.0, 0.0), 3) + T[:3, 3]
    unit = 1.0 if kind == "slide" else angles.unit
    limits = _read_limits(values, unit, where, autolimits=autolimits)
    damping, friction = (_read_resistance(values, key, where) for key in ("damping", "frictionloss"))
    drive = read_vector(values, "actuatorfrcrange", where, (0.0, 0.0), 2)
    effort = float(np.abs(drive).max()) or None
    if kind == "ball":
        reach = limits[1]
        rest = (-reach, reach), damping, friction, effort
        return [MjcfFreedom(f"{name} {'xyz'[i]}", "revolute", place, np.eye(3)[i], *rest) for i in range(3)]
    axis = T[:3, :3] @ read_vector(values, "axis", where, (0.0, 0.0, 1.0), 3)
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        raise InputError(f"the axis of {where} is zero", "give the direction it turns about or slides along")
    start = float(read_vector(values, "ref", where, (0.0,), 1)[0]) * unit
    moved = limits[0] - start, limits[1] - start
    turning = "revolute" if np.isfinite(moved).any() else "continuous"
    return [
        MjcfFreedom(
            name, "prismatic" if kind == "slide" else turning, place, axis / length, moved, damping, friction, effort
        )
    ]  # fmt: skip


def _read_resistance(values: Mapping[str, str], key: str, where: str) -> float:
    """Damping or friction, zero or more; some files hold a joint still by a damping of 1e11."""
    words = values.get(key, "0").split() or ["0"]
    return min(max(parse_finite(words[0], key, where, infinite=True), 0.0), MAX_LENGTH)


def _read_limits(values: Mapping[str, str], unit: float, where: str, *, autolimits: bool) -> tuple[float, float]:
    limited = values.get("limited", "auto")
    if limited == "false" or "range" not in values or (limited == "auto" and not autolimits):
        return -np.inf, np.inf
    lower, upper = (float(x) * unit for x in read_vector(values, "range", where, count=2))
    if lower > upper:
        raise InputError(f"the range of {where} goes from {lower:g} down to {upper:g}", "give the lower one first")
    return lower, upper


def couple_joints(joints: tuple[Joint, ...], statements: MjcfStatements, notes: list[str]) -> tuple[Joint, ...]:
    """The joints with the linear couplings of the file: q1 = c0 + c1 q2, both counted from the pose of the file."""
    place = {joint.name: index for index, joint in enumerate(joints)}
    found = list(joints)
    for element in statements.list_section("equality"):
        values = statements.resolve(element, "equality", None)
        if values.get("active") == "false":
            continue
        first, second = place.get(values.get("joint1", "")), place.get(values.get("joint2", ""))
        numbers = read_vector(values, "polycoef", "an equality of joints", (0.0, 1.0, 0.0, 0.0, 0.0))
        coefficients = np.pad(numbers, (0, max(5 - len(numbers), 0)))
        if element.tag != "joint" or first is None or second is None or np.any(coefficients[2:]):
            notes.append(
                f"an equality of the kind '{element.tag[:30]}' is left out: only linear ones of joints are kept"
            )
            continue
        if _follows(found, second, first) or found[first].mimic is not None:
            notes.append(f"a second coupling of joint '{joints[first].name}' is left out")
            continue
        found[first] = replace(found[first], mimic=Mimic(second, float(coefficients[1]), float(coefficients[0])))
    return tuple(found)


def _follows(joints: list[Joint], one: int, other: int) -> bool:
    """Whether a joint follows another, or is it."""
    at: int | None = one
    while at is not None:
        if at == other:
            return True
        mimic = joints[at].mimic
        at = None if mimic is None else mimic.joint
    return False
