"""Where MJCF says that something is: positions, and orientations in any of its five ways."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from neurok.errors import InputError
from neurok.files.urdf.attributes import parse_finite
from neurok.geometry.arrays import Array
from neurok.geometry.rotation import quaternion_to_matrix, rotation

EULER_AXES = "xyzXYZ"


@dataclass(frozen=True)
class MjcfAngles:
    """How a file writes angles: radians per unit of an angle; its Euler angles, capitals for fixed axes."""

    unit: float = np.pi / 180
    sequence: str = "xyz"

    @staticmethod
    def of(compiler: Mapping[str, str]) -> "MjcfAngles":
        sequence = compiler.get("eulerseq", "xyz")
        if len(sequence) != 3 or any(letter not in EULER_AXES for letter in sequence):
            raise InputError(f"the eulerseq of the compiler is '{sequence[:20]}'", "give three of xyz or XYZ")
        return MjcfAngles(1.0 if compiler.get("angle") == "radian" else np.pi / 180, sequence)


def read_vector(values: Mapping[str, str], key: str, where: str, default: tuple[float, ...] | None = None,
                count: int = 0) -> Array:  # fmt: skip
    """The numbers of an attribute; count: how many there must be, 0 for any."""
    if key not in values:
        if default is None:
            raise InputError(f"{where} has no {key}", "add it")
        return np.array(default, dtype=np.float64)
    found = np.array([parse_finite(word, key, where) for word in values[key].split()])
    if count and len(found) != count:
        raise InputError(f"{where}: {key} has {len(found)} numbers", f"give {count}")
    return found


def read_pose(values: Mapping[str, str], angles: MjcfAngles, where: str) -> Array:
    """T_parent_element of attributes, [4, 4]."""
    T = np.eye(4)
    T[:3, 3] = read_vector(values, "pos", where, (0.0, 0.0, 0.0), 3)
    T[:3, :3] = read_orientation(values, angles, where)
    return T


def read_orientation(values: Mapping[str, str], angles: MjcfAngles, where: str) -> Array:
    """The rotation of attributes, [3, 3]."""
    if "quat" in values:
        return make_rotation(read_vector(values, "quat", where, count=4), where)
    if "axisangle" in values:
        x, y, z, angle = read_vector(values, "axisangle", where, count=4)
        R: Array = rotation(_normalise(np.array([x, y, z]), where) * angle * angles.unit)
        return R
    if "euler" in values:
        return _turn_euler(read_vector(values, "euler", where, count=3) * angles.unit, angles.sequence)
    if "xyaxes" in values:
        numbers = read_vector(values, "xyaxes", where, count=6)
        x = _normalise(numbers[:3], where)
        y = _normalise(numbers[3:] - (numbers[3:] @ x) * x, where)
        return np.stack([x, y, np.cross(x, y)], axis=1)
    if "zaxis" in values:
        return turn_z_onto(_normalise(read_vector(values, "zaxis", where, count=3), where))
    return np.eye(3)


def make_rotation(quaternion: Array, where: str) -> Array:
    """The rotation of a quaternion w, x, y, z of any length but zero, [3, 3]."""
    R: Array = quaternion_to_matrix(_normalise(quaternion, where))
    return R


def turn_z_onto(axis: Array) -> Array:
    """The shortest rotation that takes z to a unit axis, [3, 3]; about x where it is -z."""
    across = np.cross([0.0, 0.0, 1.0], axis)
    sine = np.linalg.norm(across)
    direction = across / sine if sine > 1e-12 else np.array([1.0, 0.0, 0.0])
    R: Array = rotation(direction * np.arctan2(sine, axis[2]))
    return R


def _turn_euler(turns: Array, sequence: str) -> Array:
    """Turns one after another: about moving axes (small letters) or fixed ones (capitals)."""
    R = np.eye(3)
    for turn, letter in zip(turns, sequence):
        step = rotation(np.eye(3)["xyz".index(letter.lower())] * turn)
        R = R @ step if letter.islower() else step @ R
    return R


def _normalise(vector: Array, where: str) -> Array:
    length = np.linalg.norm(vector)
    if length < 1e-12:
        raise InputError(f"{where} has a direction of length zero", "give one that has a length")
    unit: Array = vector / length
    return unit
