"""Predicted materials as a JSON file that a person can read, change and feed back, and that conditions take."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from neurok.errors import InputError, unknown
from neurok.materials.library import MaterialLibrary
from neurok.materials.material import Behaviour
from neurok.materials.part_properties import PartProperties
from neurok.materials.prediction.driving import DrivingMaterials
from neurok.materials.prediction.observation import INPUT_WORDS
from neurok.materials.prediction.prediction import ELASTIC, MatterPrediction, PartMatter, find_ranges

ABOUT = (
    "What the parts of an object are probably made of. Change a material and feed the file back with `neurok materials"
    " MESH --edit THIS`; the object under `conditions` is what `neurok animate --conditions` takes. SI units."
)
MAX_BYTES = 1 << 26  # of a document of a person's


def describe_prediction(prediction: MatterPrediction, driving: DrivingMaterials) -> dict[str, Any]:
    """What goes into the file; driving: what of it drives a motion."""
    return {
        "about": ABOUT,
        "parts": [describe_part(part) for part in prediction.matter],
        "conditions": _list_stated(driving.whole) | {
            "parts": {name: _list_stated(each) for name, each in driving.parts.items()}
        },
    }  # fmt: skip


def _list_stated(each: PartProperties) -> dict[str, Any]:
    return {name: value for name, value in asdict(each).items() if value is not None}


def describe_part(part: PartMatter) -> dict[str, Any]:
    """One part as plain values."""
    return {
        "part": part.name, "material": part.material, "chance": round(part.chance, 4),
        "behaviour": str(part.behaviour), "behaviour_chance": round(part.behaviour_chance, 4),
        "others": {name: round(chance, 4) for name, chance in part.others.items()},
        "properties": {name: asdict(values) for name, values in part.ranges.items()},
        "why": "stated" if part.stated else part.reasons,
        "absent": [INPUT_WORDS[name] for name in part.absent],
    }  # fmt: skip


def read_corrections(path: str | Path) -> dict[str, str]:
    """The material of each part of a document that a person has changed."""
    path = Path(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path.name} is too large", "give a file written by neurok materials")
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as fault:
        raise InputError(f"{path} cannot be read ({fault.strerror})", "check the path") from None
    except (ValueError, RecursionError) as fault:
        raise InputError(f"{path.name} is not JSON ({fault})", "mend it where the position says") from None
    rows = content.get("parts") if isinstance(content, dict) else None
    if not isinstance(rows, list) or not all(_is_correction(row) for row in rows):
        raise InputError(
            f"{path.name} has no list of parts, each with a part and a material", "give a file of neurok materials"
        )
    return {row["part"]: row["material"] for row in rows}


def _is_correction(row: object) -> bool:
    return isinstance(row, dict) and all(isinstance(row.get(key), str) for key in ("part", "material"))


def correct_prediction(
    prediction: MatterPrediction, corrections: Mapping[str, str], library: MaterialLibrary
) -> MatterPrediction:
    """The prediction with what a person says where it differs."""
    names = [part.name for part in prediction.matter]
    for name in corrections:
        if name not in names:
            raise unknown("part", name, names)
    rows = []
    for part in prediction.matter:
        row = library.find(corrections.get(part.name, part.material))
        if row.behaviour == Behaviour.FLUID:
            raise InputError(
                f"'{part.name}' is said to be {row.name}, a fluid", "give a solid: fluids are not simulated"
            )
        if row.name == part.material:
            rows.append(part)
            continue
        ranges = find_ranges(np.ones(1), [row.name], library)
        rows.append(replace(
            part, material=row.name, chance=1.0, behaviour=row.behaviour, behaviour_chance=1.0, others={}, worth={},
            ranges=ranges, stated=True, deforms=row.behaviour in ELASTIC,
        ))  # fmt: skip
    return replace(prediction, matter=tuple(rows))
