"""PartNet-Mobility: any folder of objects in the SAPIEN layout becomes samples of joint states."""

import json
from pathlib import Path

import numpy as np
import torch

from neurok.data.sample import Facts, MotionSample, sample_from_motion
from neurok.data.states import draw_joint_states
from neurok.data.store import Rejected
from neurok.errors import InputError, NeurokError
from neurok.files.registry import load
from neurok.geometry.articulation import Joint
from neurok.geometry.motion import Motion
from neurok.kinematics.articulated import Articulated

SOURCE = "partnet"
LICENCE = "PartNet-Mobility terms: non-commercial research and education"
STATE_COUNT = 32
MIN_MOTION = 1e-3  # of the diagonal: an object whose every joint moves less is rejected


def list_objects(folder: Path) -> list[str]:
    """The names of the objects in a folder, numbers first and in numerical order."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}", "name the folder that holds one folder per object")
    found = [path.parent.name for path in folder.glob("*/mobility.urdf")]
    if not found:
        raise InputError(f"{folder} holds no object in the SAPIEN layout", "it should hold ID/mobility.urdf")
    return sorted(found, key=lambda name: (not name.isdigit(), int(name) if name.isdigit() else 0, name))


def build_sample(folder: Path, name: str, split: str, seed: int) -> MotionSample | Rejected:
    """The states of one object, or the reason for its rejection."""
    label = f"{SOURCE}/{name}"
    try:
        asset = load(folder / name)
        if asset.articulation is None:
            return Rejected(label, SOURCE, "its file describes no joints")
        space = Articulated(asset.articulation)
    except NeurokError as fault:
        return Rejected(label, SOURCE, str(fault))
    if space.size == 0:
        return Rejected(label, SOURCE, "none of its joints has a range")
    rng = np.random.default_rng([seed, _number(name)])
    spread = space.prior.deviation
    lower, upper = space.lower.numpy(), space.upper.numpy()
    # A joint without limits is taken over its default range about rest.
    states = draw_joint_states(
        np.where(np.isfinite(lower), lower, -spread), np.where(np.isfinite(upper), upper, spread), STATE_COUNT, rng
    )
    X = np.stack([space.transforms(torch.from_numpy(q)).numpy() for q in states])
    motion = Motion(space.mesh, np.arange(len(states), dtype=float), skin=space.skin, transforms=X)
    farthest = max(np.linalg.norm(motion.frame(i) - space.mesh.vertices, axis=1).max() for i in range(len(states)))
    if farthest < MIN_MOTION * space.mesh.diagonal:
        return Rejected(label, SOURCE, "nothing moves by more than 0.1 % of the diagonal")
    facts = Facts(
        name=label,
        source=SOURCE,
        licence=LICENCE,
        category=_read_category(folder / name),
        group=label,
        split=split,
        up=space.mesh.up,
        parts=motion.skinning[0].names,
        joints=tuple(_describe_joint(j) for j in asset.articulation.joints),
        notes=asset.notes,
    )
    return sample_from_motion(facts, motion)


def _describe_joint(joint: Joint) -> dict[str, object]:
    limits = [float(x) if np.isfinite(x) else None for x in (joint.lower, joint.upper)]
    return {
        "name": joint.name, "kind": joint.kind, "parent": joint.parent, "child": joint.child,
        "axis": [float(x) for x in joint.axis], "limits": limits,
    }  # fmt: skip


def _read_category(folder: Path) -> str:
    try:
        return str(json.loads((folder / "meta.json").read_text())["model_cat"]).lower()
    except (OSError, ValueError, KeyError, TypeError):
        return "unknown"  # 45 of the objects carry no meta.json


def _number(name: str) -> int:
    return int(name) if name.isdigit() else int.from_bytes(name.encode()[:8], "big")
