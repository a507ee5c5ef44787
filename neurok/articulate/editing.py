"""An articulation as a JSON file that a person can read, change and feed back.

Axes, pivots and the limits of slides are in the object's own axes and units, the limits of hinges in degrees, null
where there is none. A link is a list of the mesh's parts: moving a name from one list to another moves the part.
"""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from neurok.articulate.assemble import make_link_frame, place_joint
from neurok.articulate.physics import compute_max_offset
from neurok.errors import InputError
from neurok.files.gltf.reading.container import MAX_JSON_BYTES
from neurok.files.inertias import MIN_MASS
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.articulation import JOINT_KINDS, Articulation, Inertia, Joint, Link, Mimic
from neurok.geometry.cutting import cut_parts
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts

ABOUT = (
    "Joints of an object, to be changed and fed back with `neurok articulate MESH --edit THIS -o OUT`. type: fixed, "
    "revolute, continuous, prismatic or screw. axis and pivot are in the mesh file's axes and units; limits in "
    "degrees, for prismatic joints in the file's units; null: none. mass in kg, damping in N m s/rad or N s/m, "
    "friction in N m or N; null: from the geometry. A joint with "
    '"follows": {"joint": NAME, "multiplier": m, "offset": o} goes to m times the value of that joint, plus o.'
)
DEGREES = ("revolute", "continuous", "screw")
KINDS = tuple(kind for kind in JOINT_KINDS if kind != "cylindrical")
MAX_NUMBER = 1e9  # no number of a person's is larger


def describe_articulation(articulation: Articulation, parts: Parts, *, with_faces: bool = False) -> dict[str, Any]:
    """What goes into the file. parts: those whose faces come first in the articulation. with_faces: also which faces
    of the mesh each link has, as runs [first, end)."""
    link_of_face = np.asarray(articulation.vertex_link)[articulation.mesh.faces[:, 0]]
    first = np.unique(parts.face, return_index=True)[1]
    link_of_part = link_of_face[first]
    return {
        "about": ABOUT,
        "name": articulation.name,
        "up": articulation.mesh.up,
        "metres_per_unit": articulation.mesh.unit,
        "links": [
            {
                "name": link.name,
                "parts": [name for part, name in enumerate(parts.names) if link_of_part[part] == index],
                "mass": None if link.inertia is None else float(link.inertia.mass),
                **({"faces": find_runs(link_of_face[: len(parts.face)] == index)} if with_faces else {}),
            }
            for index, link in enumerate(articulation.links)
        ],
        "joints": [describe_joint(articulation, joint) for joint in articulation.joints],
    }


def find_runs(chosen: Mask) -> list[list[int]]:
    """Where a mask holds, [m], as runs [first, end)."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], chosen, [False]]).astype(np.int8)))
    pairs: list[list[int]] = ends.reshape(-1, 2).tolist()
    return pairs


def describe_joint(articulation: Articulation, joint: Joint) -> dict[str, Any]:
    T = articulation.links[joint.parent].T_world_link @ joint.origin
    scale = math.degrees(1.0) if joint.kind in DEGREES else 1.0
    limits = [float(x) * scale if np.isfinite(x) else None for x in (joint.lower, joint.upper)]
    entry = {
        "name": joint.name, "type": joint.kind,
        "parent": articulation.links[joint.parent].name, "child": articulation.links[joint.child].name,
        "axis": [float(x) for x in T[:3, :3] @ joint.axis], "pivot": [float(x) for x in T[:3, 3]], "limits": limits,
        "damping": float(joint.damping), "friction": float(joint.friction),
    }  # fmt: skip
    if joint.kind == "screw":
        entry["pitch"] = float(joint.pitch)
    if joint.mimic is not None:
        leader = articulation.joints[joint.mimic.joint]
        per = math.degrees(1.0) if leader.kind in DEGREES else 1.0
        entry["follows"] = {
            "joint": leader.name,
            "multiplier": joint.mimic.multiplier * scale / per,
            "offset": joint.mimic.offset * scale,
        }
    return entry


# ---------------------------------------------------------------- reading


def read_edit(path: str | Path) -> dict[str, Any]:
    """The document of a file."""
    path = Path(path)
    try:
        if path.stat().st_size > MAX_JSON_BYTES:
            raise InputError(f"{path.name} has {path.stat().st_size} bytes", "give a file written by neurok articulate")
        found = json.loads(path.read_text(encoding="utf-8-sig"))  # some editors begin a file with a mark
    except OSError as fault:
        raise InputError(f"{path} cannot be read ({fault.strerror})", "check the path") from None
    except (ValueError, RecursionError) as fault:
        raise InputError(f"{path.name} is not JSON ({fault})", "mend it where the position says") from None
    if not isinstance(found, dict):
        raise InputError(f"{path.name} holds no object", "give a file written by neurok articulate")
    return found


def apply_edit(mesh: Mesh, parts: Parts, entry: dict[str, Any]) -> Articulation:
    """The articulation a document describes, over the same mesh and parts."""
    links, link_of_part = _read_links(mesh, parts, _read_rows(entry, "links"))
    number = {link.name: index for index, link in enumerate(links)}
    rows = _read_rows(entry, "joints")
    joints = _couple_joints([_read_joint(mesh, row, number) for row in rows], rows)
    cut, link = cut_parts(mesh, link_of_part[parts.face])
    name = entry.get("name", "object")
    if not isinstance(name, str):
        raise _refuse("name", "the object", "a text")
    return Articulation(cut, link, links, joints, name)


def find_resisting(entry: dict[str, Any]) -> set[str]:
    """The joints of a document that state their damping or friction, be it zero."""
    rows = _read_rows(entry, "joints")
    return {row["name"] for row in rows if row.get("damping") is not None or row.get("friction") is not None}


def _read_rows(entry: dict[str, Any], key: str) -> list[dict[str, Any]]:
    rows = entry.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"the document has no list of {key}", "give a file written by neurok articulate")
    return rows


def _read_links(mesh: Mesh, parts: Parts, rows: list[dict[str, Any]]) -> tuple[tuple[Link, ...], Indices]:
    links: list[Link] = []
    names: set[str] = set()
    owner: dict[str, int] = {}
    for row in rows:
        name = _read_text(row, "name", "a link")
        if name in names:
            raise InputError(f"two links are called '{name}'", "give each its own name")
        names.add(name)
        mine = row.get("parts")
        if not isinstance(mine, list):
            raise _refuse("parts", f"link '{name}'", "a list of names")
        for part in mine:
            if part not in parts.names:
                listed = ", ".join(parts.names[:12]) + (", ..." if parts.count > 12 else "")
                raise InputError(f"link '{name}' names the part '{part}', which the mesh has not", f"it has: {listed}")
            if part in owner:
                raise InputError(f"part '{part}' is in two links", "leave it in one of them")
            owner[part] = len(links)
        mass = row.get("mass")
        inertia = None
        if mass is not None:
            # A mass without a tensor: writers complete it from the geometry.
            inertia = Inertia(_read_mass(row, f"link '{name}'"), np.zeros(3), np.zeros((3, 3)))
        links.append(Link(name, make_link_frame(mesh), inertia))
    lost = [name for name in parts.names if name not in owner]
    if lost:
        raise InputError(f"part '{lost[0]}' is in no link", "add it to one")
    return tuple(links), np.array([owner[name] for name in parts.names])


def _read_joint(mesh: Mesh, row: dict[str, Any], number: dict[str, int]) -> Joint:
    name = _read_text(row, "name", "a joint")
    where = f"joint '{name}'"
    kind = _read_text(row, "type", where)
    if kind not in KINDS:
        raise InputError(f"{where} has the type '{kind}'", f"use one of: {', '.join(KINDS)}")
    ends = [_read_text(row, key, where) for key in ("parent", "child")]
    for end in ends:
        if end not in number:
            raise InputError(
                f"{where} names the link '{end}', which is not there", f"the links are: {', '.join(number)}"
            )
    axis = _read_vector(row, "axis", where)
    length = np.linalg.norm(axis)
    if not length > 1e-9:
        raise InputError(f"the axis of {where} has no direction", "give three numbers that are not all zero")
    pivot = _read_vector(row, "pivot", where)
    if not np.linalg.norm(pivot - mesh.bounds.mean(axis=0)) <= compute_max_offset() * (mesh.diagonal or 1.0):
        raise InputError(f"the pivot of {where} lies far outside of the object", "give it in the mesh file's units")
    origin, axis = place_joint(mesh, pivot, axis / length)
    lower, upper = _read_limits(row, kind, where)
    return Joint(
        name, kind, number[ends[0]], number[ends[1]], origin, axis, lower, upper,
        pitch=_read_number(row, "pitch", where) if kind == "screw" else 0.0,
        damping=_read_positive(row, "damping", where), friction=_read_positive(row, "friction", where),
    )  # fmt: skip


def _couple_joints(joints: list[Joint], rows: list[dict[str, Any]]) -> tuple[Joint, ...]:
    """The joints, those that follow another tied to it."""
    names = [joint.name for joint in joints]
    if len(names) > len(set(names)):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InputError(f"two joints are called '{twice}'", "give each its own name")
    found = list(joints)
    for index, (joint, row) in enumerate(zip(joints, rows)):
        if (tie := row.get("follows")) is None:
            continue
        where = f"joint '{joint.name}'"
        if not isinstance(tie, dict) or tie.get("joint") not in names:
            raise _refuse("follows", where, f'{{"joint": NAME, "multiplier": 1}} with one of: {", ".join(names)}')
        leader = names.index(tie["joint"])
        scale, per = (math.radians(1.0) if joints[j].kind in DEGREES else 1.0 for j in (index, leader))
        multiplier = _read_number({"multiplier": 1.0} | tie, "multiplier", where)
        if leader == index or multiplier == 0 or "fixed" in (joint.kind, joints[leader].kind):
            raise InputError(
                f"{where} cannot follow '{names[leader]}'", "leave its 'follows' out, or name another joint"
            )
        found[index] = replace(
            joint, mimic=Mimic(leader, multiplier * scale / per, _read_number(tie, "offset", where) * scale)
        )
    return tuple(found)


def _read_limits(row: dict[str, Any], kind: str, where: str) -> tuple[float, float]:
    if kind == "fixed":
        return 0.0, 0.0
    limits = row.get("limits")
    limits = [None, None] if limits is None else limits
    good = isinstance(limits, list) and len(limits) == 2
    if not good or not all(x is None or _is_number(x) for x in limits):
        raise _refuse("limits", where, f"two numbers up to {MAX_NUMBER:g}, or null where there is none")
    lower, upper = (-math.inf if limits[0] is None else limits[0], math.inf if limits[1] is None else limits[1])
    if lower > upper:
        raise InputError(f"the lower limit of {where} lies above the upper", "swap them")
    scale = math.radians(1.0) if kind in DEGREES else 1.0
    if kind == "continuous":
        return -math.inf, math.inf
    return lower * scale, upper * scale


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -MAX_NUMBER <= value <= MAX_NUMBER


def _read_number(row: dict[str, Any], key: str, where: str) -> float:
    value = row.get(key)
    value = 0.0 if value is None else value
    if not _is_number(value):
        raise _refuse(key, where, f"a number up to {MAX_NUMBER:g}")
    return float(value)


def _read_positive(row: dict[str, Any], key: str, where: str) -> float:
    value = _read_number(row, key, where)
    if value < 0:
        raise _refuse(key, where, "zero or more")
    return value


def _read_mass(row: dict[str, Any], where: str) -> float:
    value = _read_number(row, "mass", where)
    if not value >= MIN_MASS:
        raise _refuse("mass", where, "a number above zero")
    return value


def _read_text(row: dict[str, Any], key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value:
        raise _refuse(key, where, "a text")
    return value


def _read_vector(row: dict[str, Any], key: str, where: str) -> Array:
    value = row.get(key)
    if not isinstance(value, list) or len(value) != 3 or not all(_is_number(x) for x in value):
        raise _refuse(key, where, f"three numbers up to {MAX_NUMBER:g}")
    return np.array(value, dtype=np.float64)


def _refuse(key: str, where: str, wanted: str) -> InputError:
    return InputError(f"'{key}' of {where} cannot be used", f"give {wanted}")
