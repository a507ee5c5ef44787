"""The input doctor: what a file holds, what is wrong with it, and what will be done about each fault."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from neurok.files.doctor_contents import describe_animations, describe_materials, examine_joints
from neurok.files.doctor_topology import examine_topology
from neurok.files.findings import Finding, count_noun
from neurok.files.registry import Asset
from neurok.files.standing import guess_up_axis
from neurok.geometry.arrays import Mask
from neurok.geometry.mesh import Mesh

PLAUSIBLE_DIAGONALS = (0.02, 20.0)  # diagonals [m] of the objects people animate
LIKELY_UNITS = {"inches": 0.0254, "centimetres": 0.01, "millimetres": 0.001}
UP_AXIS_SOURCES = {  # formats that know which axis is up, and how
    ".glb": "glTF says so",
    ".gltf": "glTF says so",
    ".urdf": "URDF says so",
    ".xml": "MJCF says so",
    ".usd": "the stage says so",
    ".usda": "the stage says so",
    ".usdc": "the stage says so",
    ".usdz": "the stage says so",
    ".npz": "the file says so",
}
FORMATS_WITH_UNIT = {".glb", ".gltf", ".urdf", ".usd", ".usda", ".usdc", ".usdz"}


@dataclass(frozen=True)
class Diagnosis:
    """An examination. facts: the content of the file as plain values; findings: its faults, worst first."""

    facts: dict[str, Any]
    findings: tuple[Finding, ...]


def examine(asset: Asset, suffix: str = "") -> Diagnosis:
    """Look at everything an asset holds; works on meshes that nothing else accepts (no vertices, NaN, no faces).

    suffix: the suffix of the file ('.obj'), which says how axes and units are known where they are.
    """
    findings: list[Finding] = []
    facts: dict[str, Any] = {"vertices": asset.mesh.vertex_count, "faces": asset.mesh.face_count}
    facts["parts"] = [part.name for part in asset.mesh.parts]
    sound, finite = _sound_part(asset.mesh, findings)
    joints = asset.articulation
    link = joints.vertex_link[finite] if joints is not None else np.zeros(sound.vertex_count, dtype=np.int64)
    with np.errstate(over="ignore", invalid="ignore"):  # numbers too large to multiply are a finding, not a warning
        if sound.vertex_count:
            facts |= _examine_extent(sound, suffix, asset.states_axes, findings)
        if sound.face_count:
            facts |= examine_topology(sound, link, findings)
    facts["materials"] = describe_materials(asset.mesh)
    facts["animations"] = describe_animations(asset)
    facts["joints"] = examine_joints(asset.articulation, findings)
    for line in asset.notes:
        findings.append(Finding("reader", "warning", 1, line, "read as this says, the rest as it stands"))
    order = ("error", "warning", "note")
    return Diagnosis(facts, tuple(sorted(findings, key=lambda finding: order.index(finding.severity))))


def _sound_part(mesh: Mesh, findings: list[Finding]) -> tuple[Mesh, Mask]:
    """The mesh of the faces between finite vertices, and which vertices are finite, [n]; the rest is a finding."""
    finite: Mask = np.asarray(np.isfinite(mesh.vertices).all(axis=1))
    bad = int(np.sum(~finite))
    if mesh.vertex_count == 0:
        findings.append(Finding("empty", "error", 1, "there are no vertices", "refused: export the object again"))
    elif bad:
        touched = int(np.sum(~finite[mesh.faces].all(axis=1)))
        used = f"{count_noun(bad, 'vertex', 'vertices')}, used by {count_noun(touched, 'face')}"
        text = f"not finite (NaN or infinity): {used}"
        findings.append(Finding("not_finite", "error", bad, text, "refused: export again, or delete those vertices"))
    elif mesh.face_count == 0:
        text = "there are points but no faces"
        findings.append(Finding("no_faces", "error", 1, text, "converted as points; animate and fit need a surface"))
    place = np.cumsum(finite) - 1
    faces = mesh.faces[finite[mesh.faces].all(axis=1)] if mesh.face_count else mesh.faces
    return Mesh(mesh.vertices[finite], place[faces] if len(faces) else faces, up=mesh.up, unit=mesh.unit), finite


# ---------------------------------------------------------------- size, axes, units


def _examine_extent(mesh: Mesh, suffix: str, is_stated: bool, findings: list[Finding]) -> dict[str, Any]:
    lower, upper = mesh.bounds
    diagonal = mesh.diagonal
    if diagonal == 0:
        text = "all vertices lie in one point"
        findings.append(Finding("single_point", "error", 1, text, "animate and fit refuse it: nothing can be seen"))
    elif not np.isfinite(diagonal) or np.abs(mesh.bounds).max() > 1e4 * diagonal:
        text = "the object is tiny next to its distance from the origin, so its coordinates are coarse"
        findings.append(Finding("far_away", "warning", 1, text, "used as it is: move it to the origin if it jitters"))
    up, reason = (mesh.up, _explain_source(suffix)) if is_stated else guess_up_axis(mesh)
    if up != mesh.up:
        text = f"{mesh.up} is taken as up, but {reason}"
        findings.append(Finding("up_axis", "warning", 1, text, f"{mesh.up} stays up: say --up {up} if that is wrong"))
    size = describe_odd_size(diagonal * mesh.unit, mesh.unit)
    if size is not None:
        findings.append(Finding("size", "warning", 1, *size))
    return {
        "bounds": [lower, upper],
        "diagonal": diagonal,
        "metres_per_unit": mesh.unit,
        "unit_reason": _explain_unit(suffix, is_stated),
        "diagonal_metres": diagonal * mesh.unit,
        "up": mesh.up,
        "up_guess": up,
        "up_reason": reason if is_stated else f"a guess: {reason}",
    }


def _explain_unit(suffix: str, is_stated: bool) -> str:
    if suffix in FORMATS_WITH_UNIT:
        return "the file's format says so"
    if is_stated and suffix not in UP_AXIS_SOURCES:
        return "a comment of neurok's says so"
    return "the format has no unit: taken as metres"


def describe_odd_size(metres: float, unit: float = 1.0) -> tuple[str, str] | None:
    """What is odd about the size of an object with this diagonal [m], and what will be done; None for a usual size.

    unit: the unit of its file as it is understood [m].
    """
    if not np.isfinite(metres) or metres == 0 or PLAUSIBLE_DIAGONALS[0] <= metres <= PLAUSIBLE_DIAGONALS[1]:
        return None
    guess = min(LIKELY_UNITS, key=lambda name: abs(np.log(metres * LIKELY_UNITS[name])))
    likely, remedy = "", "--unit says how many metres the file's unit is"
    if (
        metres > PLAUSIBLE_DIAGONALS[1]
        and PLAUSIBLE_DIAGONALS[0] <= metres * LIKELY_UNITS[guess] <= PLAUSIBLE_DIAGONALS[1]
    ):
        likely = f": perhaps it is in {guess}, and {metres * LIKELY_UNITS[guess]:.3g} m across"
        remedy = f"--unit {unit * LIKELY_UNITS[guess]:g} says that it is in {guess}"
    action = "taken at that size, so gravity will look slow" if metres > 1 else "taken at that size, gravity looks fast"
    return f"the object is {metres:.3g} m across{likely}", f"{action}; if that is wrong, {remedy}"


def _explain_source(suffix: str) -> str:
    """How a file of this suffix says which axis is up."""
    return UP_AXIS_SOURCES.get(suffix, "a comment of neurok's says so")
