"""What neurok leaves in the folder: joints with the faces of their links, states over time, shapes over time."""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .process import Fault

TURNING = ("revolute", "continuous", "screw")


@dataclass(frozen=True)
class Follow:
    """A joint that goes to `multiplier` times the value of another, plus `offset`; in radians and metres."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class FoundJoint:
    """A joint in the file's axes. limits [rad or m], infinite where there are none; pitch [m/rad] of a screw.

    damping [N m s/rad or N s/m] and friction [N m or N], as neurok has them by what the joint moves.
    """

    name: str
    kind: str
    parent: str
    child: str
    axis: tuple[float, float, float]
    pivot: tuple[float, float, float]
    limits: tuple[float, float]
    pitch: float = 0.0
    follow: Follow | None = None
    damping: float = 0.0
    friction: float = 0.0

    @property
    def turns(self) -> bool:
        return self.kind in TURNING


@dataclass(frozen=True)
class FoundLinks:
    """The links by name, the triangles of each as runs [first, end), and the joints."""

    names: tuple[str, ...]
    runs: tuple[tuple[tuple[int, int], ...], ...]
    joints: tuple[FoundJoint, ...]

    def label_triangles(self, count: int) -> NDArray[np.int64]:
        """The link of each of the triangles that were written, [count]."""
        label = np.full(count, -1)
        for link, runs in enumerate(self.runs):
            for first, end in runs:
                label[first:end] = link
        if np.any(label < 0):
            raise Fault("neurok says of some triangles no link; update neurok and the add-on to the same version.")
        return label


@dataclass(frozen=True)
class Recorded:
    """Coordinates over time: seconds [t], their names and units, values [t, k] in radians, metres or deviations."""

    time: NDArray[np.float64]
    names: tuple[str, ...]
    units: tuple[str, ...]
    states: NDArray[np.float64]


@contextmanager
def _understanding(path: Path) -> Iterator[dict[str, Any]]:
    """The JSON object of a file; what is missing in it, or is something else, becomes one sentence."""
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        yield entry
    except OSError as fault:
        raise Fault(f"neurok left no answer ({fault.strerror}); look whether the disk is full.") from None
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        reason = f"{type(fault).__name__}: {fault}"
        raise Fault(f"neurok's answer is not understood ({reason}); update it and the add-on together.") from None


def read_links(path: Path) -> FoundLinks:
    """What `neurok articulate -o FILE.json --faces` wrote."""
    with _understanding(path) as entry:
        return _build_links(entry)


def _build_links(entry: dict[str, Any]) -> FoundLinks:
    rows = entry["joints"]
    kinds = {row["name"]: row["type"] for row in rows}
    return FoundLinks(
        tuple(link["name"] for link in entry["links"]),
        tuple(tuple((first, end) for first, end in link["faces"]) for link in entry["links"]),
        tuple(_read_joint(row, kinds) for row in rows),
    )


def _read_joint(row: dict[str, Any], kinds: dict[str, str]) -> FoundJoint:
    scale = scale_of(row["type"])
    lower, upper = row["limits"]
    limits = (-math.inf if lower is None else lower * scale, math.inf if upper is None else upper * scale)
    follow = None
    if "follows" in row:
        tie = row["follows"]
        per = scale_of(kinds[tie["joint"]])
        follow = Follow(tie["joint"], tie["multiplier"] * scale / per, tie["offset"] * scale)
    x, y, z = row["axis"]
    a, b, c = row["pivot"]
    return FoundJoint(
        row["name"], row["type"], row["parent"], row["child"], (x, y, z), (a, b, c), limits, row.get("pitch", 0.0),
        follow, row.get("damping") or 0.0, row.get("friction") or 0.0,
    )  # fmt: skip


def scale_of(kind: str) -> float:
    """What a number in the file is in radians or metres: those of joints that turn are in degrees."""
    return math.radians(1.0) if kind in TURNING else 1.0


def describe_joint(joint: FoundJoint, kinds: dict[str, str]) -> dict[str, Any]:
    """A joint as the file has it: the inverse of reading it."""
    scale = scale_of(joint.kind)
    row: dict[str, Any] = {
        "name": joint.name, "type": joint.kind, "parent": joint.parent, "child": joint.child,
        "axis": list(joint.axis), "pivot": list(joint.pivot),
        "limits": [limit / scale if math.isfinite(limit) else None for limit in joint.limits],
        "damping": joint.damping, "friction": joint.friction,
    }  # fmt: skip
    if joint.kind == "screw":
        row["pitch"] = joint.pitch
    if joint.follow is not None:
        per = scale_of(kinds[joint.follow.joint])
        row["follows"] = {
            "joint": joint.follow.joint,
            "multiplier": joint.follow.multiplier * per / scale,
            "offset": joint.follow.offset / scale,
        }
    return row


def write_links(path: Path, links: tuple[str, ...], joints: tuple[FoundJoint, ...]) -> None:
    """Write joints for `--joints FILE.json`; every link is the part of the same name."""
    kinds = {joint.name: joint.kind for joint in joints}
    entry = {
        "links": [{"name": name, "parts": [name], "mass": None} for name in links],
        "joints": [describe_joint(joint, kinds) for joint in joints],
    }
    path.write_text(json.dumps(entry), encoding="utf-8")


def read_states(path: Path) -> Recorded:
    """What `neurok animate --states FILE.json` wrote."""
    with _understanding(path) as entry:
        time, states = np.array(entry["time"], dtype=np.float64), np.array(entry["states"], dtype=np.float64)
        return Recorded(time, tuple(entry["names"]), tuple(entry["units"]), states.reshape(len(time), -1))


def read_fitted(path: Path) -> Recorded:
    """The one state that `neurok fit --report FILE.json` wrote."""
    with _understanding(path) as entry:
        names = tuple(entry["state"])
        values = np.array([[entry["state"][name] for name in names]], dtype=np.float64)
        return Recorded(np.zeros(1), names, tuple(entry["units"][name] for name in names), values)


def read_shapes(path: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Seconds [t] and vertices [t, n, 3] of an .npz; of a still shape one of each."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if "frames" not in arrays:
                return np.zeros(1), np.asarray(arrays["vertices"], dtype=np.float64)[None]
            return np.asarray(arrays["time"], np.float64), np.asarray(arrays["frames"], np.float64)
    except (OSError, ValueError, KeyError):
        raise Fault(f"neurok wrote no shapes to {path.name} that can be read") from None
