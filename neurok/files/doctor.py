"""The input doctor: what a file holds, what is wrong with it, and what will be done about each.

Topology is judged with vertices at the same place made one, since files split
them along the seams of textures and normals (vertices of different links stay
apart); duplicate and collapsed faces are counted first and left out of the
count of edges, so that one fault is named once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurok.files.registry import Asset
from neurok.files.standing import likely_up
from neurok.geometry.articulation import Articulation, Joint
from neurok.geometry.components import (
    Edges,
    degenerate_faces,
    duplicate_faces,
    face_components,
    find_edges,
    hole_count,
    select_faces,
    unused_vertices,
    weld_map,
)
from neurok.geometry.measure import compute_area, compute_volume, is_closed
from neurok.geometry.mesh import Mesh

PLAUSIBLE = (0.02, 20.0)  # diagonals [m] of the objects people animate
OTHER_UNITS = {"inches": 0.0254, "centimetres": 0.01, "millimetres": 0.001}
SAY_UP = {  # formats that know which axis is up, and how
    ".glb": "glTF says so",
    ".gltf": "glTF says so",
    ".urdf": "URDF says so",
    ".usd": "the stage says so",
    ".usda": "the stage says so",
    ".usdc": "the stage says so",
    ".usdz": "the stage says so",
    ".npz": "the file says so",
}
SAY_UNIT = {".glb", ".gltf", ".urdf", ".usd", ".usda", ".usdc", ".usdz"}


@dataclass(frozen=True)
class Finding:
    """One thing worth knowing: severity is 'error' (will be refused), 'warning' or 'note'."""

    name: str
    severity: str
    count: int
    problem: str
    action: str


@dataclass(frozen=True)
class Diagnosis:
    """facts: what the file holds, plain values; findings: what is wrong, worst first."""

    facts: dict[str, Any]
    findings: tuple[Finding, ...]


def examine(asset: Asset, suffix: str = "") -> Diagnosis:
    """Look at everything an asset holds; works on meshes that nothing else accepts (no vertices, NaN, no faces).

    suffix: of the file ('.obj'), which decides whether axes and units are known or guessed.
    """
    findings: list[Finding] = []
    facts = {"vertices": asset.mesh.vertex_count, "faces": asset.mesh.face_count}
    facts["parts"] = [part.name for part in asset.mesh.parts]
    sound, finite = _sound_part(asset.mesh, findings)
    joints = asset.articulation
    link = joints.vertex_link[finite] if joints is not None else np.zeros(sound.vertex_count, dtype=np.int64)
    with np.errstate(over="ignore", invalid="ignore"):  # numbers too large to multiply are a finding, not a warning
        if sound.vertex_count:
            facts |= _extent(sound, suffix, findings)
        if sound.face_count:
            facts |= _topology(sound, link, findings)
    facts["materials"] = _materials(asset.mesh)
    facts["animations"] = _animations(asset)
    facts["joints"] = _joints(asset.articulation, findings)
    for line in asset.notes:
        findings.append(Finding("reader", "warning", 1, line, "read as this says, the rest as it stands"))
    order = ("error", "warning", "note")
    return Diagnosis(facts, tuple(sorted(findings, key=lambda finding: order.index(finding.severity))))


def _sound_part(mesh: Mesh, findings: list[Finding]) -> tuple[Mesh, NDArray[np.bool_]]:
    """The faces between finite vertices, and which vertices those are, [n]; what had to go is a finding."""
    finite = np.isfinite(mesh.vertices).all(axis=1)
    bad = int(np.sum(~finite))
    if mesh.vertex_count == 0:
        findings.append(Finding("empty", "error", 1, "there are no vertices", "refused: export the object again"))
    elif bad:
        touched = int(np.sum(~finite[mesh.faces].all(axis=1)))
        text = f"not finite (NaN or infinity): {_many(bad, 'vertex', 'vertices')}, used by {_many(touched, 'face')}"
        findings.append(Finding("not_finite", "error", bad, text, "refused: export again, or delete those vertices"))
    elif mesh.face_count == 0:
        text = "there are points but no faces"
        findings.append(Finding("no_faces", "error", 1, text, "converted as points; animate and fit need a surface"))
    place = np.cumsum(finite) - 1
    faces = mesh.faces[finite[mesh.faces].all(axis=1)] if mesh.face_count else mesh.faces
    return Mesh(mesh.vertices[finite], place[faces] if len(faces) else faces, up=mesh.up, unit=mesh.unit), finite


def _many(count: int, noun: str, plural: str = "") -> str:
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


# ---------------------------------------------------------------- size, axes, units


def _extent(mesh: Mesh, suffix: str, findings: list[Finding]) -> dict[str, Any]:
    lower, upper = mesh.bounds
    diagonal = mesh.diagonal
    if diagonal == 0:
        text = "all vertices lie in one point"
        findings.append(Finding("single_point", "error", 1, text, "animate and fit refuse it: nothing can be seen"))
    elif not np.isfinite(diagonal) or np.abs(mesh.bounds).max() > 1e4 * diagonal:
        text = "the object is tiny next to its distance from the origin, so its coordinates are coarse"
        findings.append(Finding("far_away", "warning", 1, text, "used as it is: move it to the origin if it jitters"))
    up, reason = _up(mesh, suffix)
    if up != mesh.up:
        text = f"{mesh.up} is taken as up, but {reason}"
        findings.append(Finding("up_axis", "warning", 1, text, f"{mesh.up} stays up: say --up {up} if that is wrong"))
    size = odd_size(diagonal * mesh.unit, mesh.unit)
    if size is not None:
        findings.append(Finding("size", "warning", 1, *size))
    return {
        "bounds": [lower, upper],
        "diagonal": diagonal,
        "metres_per_unit": mesh.unit,
        "unit_reason": "the file's format says so" if suffix in SAY_UNIT else "the format has no unit: taken as metres",
        "diagonal_metres": diagonal * mesh.unit,
        "up": mesh.up,
        "up_guess": up,
        "up_reason": reason,
    }


def odd_size(metres: float, unit: float = 1.0) -> tuple[str, str] | None:
    """What is odd about an object so many metres across, and what will be done; None where nothing is.

    unit: of its file, as it is taken [m].
    """
    if not np.isfinite(metres) or metres == 0 or PLAUSIBLE[0] <= metres <= PLAUSIBLE[1]:
        return None
    guess = min(OTHER_UNITS, key=lambda name: abs(np.log(metres * OTHER_UNITS[name])))
    likely, remedy = "", "--unit says how many metres the file's unit is"
    if metres > PLAUSIBLE[1] and PLAUSIBLE[0] <= metres * OTHER_UNITS[guess] <= PLAUSIBLE[1]:
        likely = f": perhaps it is in {guess}, and {metres * OTHER_UNITS[guess]:.3g} m across"
        remedy = f"--unit {unit * OTHER_UNITS[guess]:g} says that it is in {guess}"
    action = "taken at that size, so gravity will look slow" if metres > 1 else "taken at that size, gravity looks fast"
    return f"the object is {metres:.3g} m across{likely}", f"{action}; if that is wrong, {remedy}"


def _up(mesh: Mesh, suffix: str) -> tuple[str, str]:
    """The likely upward axis and why."""
    return (mesh.up, SAY_UP[suffix]) if suffix in SAY_UP else likely_up(mesh)


# ---------------------------------------------------------------- topology


def _topology(mesh: Mesh, link: NDArray[np.int64], findings: list[Finding]) -> dict[str, Any]:
    """Counts over the mesh with vertices at one place made one, unless they belong to different links, [n]."""
    merged = weld_map(mesh.vertices) * (int(link.max()) + 1) + link
    merged = np.unique(merged, return_inverse=True)[1].reshape(-1)
    first = np.full(int(merged.max()) + 1, mesh.vertex_count)
    np.minimum.at(first, merged, np.arange(mesh.vertex_count))
    welded = Mesh(mesh.vertices[first], merged[mesh.faces])
    flat, double = degenerate_faces(welded), duplicate_faces(welded)
    total = compute_area(welded)
    a, b, c = welded.faces.T
    kept = select_faces(welded, ~double & (a != b) & (b != c) & (c != a))
    found = find_edges(kept)
    turned = _against(kept, found)
    count, _ = face_components(welded)
    holes = hole_count(kept)
    # Every face with its back encloses nothing, though no edge is open.
    two_sided = (
        bool(double.any()) and is_closed(welded) and abs(compute_volume(welded)) <= 1e-6 * total * welded.diagonal
    )
    closed = is_closed(welded) and not two_sided
    counts = {
        "degenerate_faces": int(flat.sum()),
        "duplicate_faces": int(double.sum()),
        "non_manifold_edges": int(found.non_manifold.sum()),
        "holes": holes,
        "boundary_edges": int(found.boundary.sum()),
        "inconsistent_edges": int(turned.sum()),
        "unused_vertices": int(unused_vertices(mesh).sum()),
    }
    enclosed = compute_volume(welded) if closed else None
    # A sheet encloses nothing, but for rounding; that is not inside out.
    inside_out = enclosed is not None and enclosed < -1e-6 * total * welded.diagonal
    _judge_topology(counts, total, inside_out, findings)
    seams = mesh.vertex_count - welded.vertex_count
    shape = {"components": count, "closed": closed, "two_sided": two_sided, "area": total, "volume": enclosed}
    return shape | {"split_vertices": seams} | counts


def _against(mesh: Mesh, found: Edges) -> NDArray[np.bool_]:
    """Edges whose two faces run along them in the same direction, so that one of the two is turned over, [e]."""
    start, end = mesh.faces, np.roll(mesh.faces, -1, axis=1)
    balance = np.bincount(found.of_face.reshape(-1), np.where(start < end, 1.0, -1.0).reshape(-1), found.count)
    return (found.face_count == 2) & (balance != 0)


# count -> severity, what it is (noun, plural, what about it), what will be done
DEFECTS = {
    "degenerate_faces": ("note", "face", "faces", "without area", "kept: no mass, no samples"),
    "duplicate_faces": (
        "warning",
        "face",
        "faces",
        "with the same corners as an earlier one",
        "kept: both count in the mass of a shell, one when volumes are compared",
    ),
    "non_manifold_edges": ("note", "edge", "edges", "with more than two faces", "kept: motion needs no manifold"),
    "holes": ("note", "hole or open border", "holes or open borders", "", "kept: an open part weighs as a thin shell"),
    "inconsistent_edges": (
        "warning",
        "edge",
        "edges",
        "between faces that look opposite ways",
        "kept: such a part weighs as a thin shell, and may look dark",
    ),
    "unused_vertices": ("note", "vertex", "vertices", "in no face", "kept in the order of vertices"),
}


def _judge_topology(counts: dict[str, int], total: float, inside_out: bool, findings: list[Finding]) -> None:
    for name, (severity, noun, plural, what, action) in DEFECTS.items():
        if counts[name]:
            text = f"{_many(counts[name], noun, plural)} {what}".rstrip()
            findings.append(Finding(name, severity, counts[name], text, action))
    if not total > 0:
        findings.append(Finding("no_area", "error", 1, "the surface has no area", "animate and fit refuse it"))
    elif not np.isfinite(total):
        findings.append(Finding("too_large", "error", 1, "the numbers are too large to measure", "scale the file down"))
    elif inside_out:
        text = "the surface is inside out: its faces look inwards"
        findings.append(Finding("inside_out", "warning", 1, text, "its volume is taken positive; it may look dark"))


# ---------------------------------------------------------------- what else the file holds


def _materials(mesh: Mesh) -> list[dict[str, Any]]:
    uses = np.bincount(mesh.face_material[mesh.face_material >= 0], minlength=len(mesh.materials))
    return [
        {"name": material.name, "textures": sorted(material.textures), "faces": int(count)}
        for material, count in zip(mesh.materials, uses)
    ]


def _animations(asset: Asset) -> list[dict[str, Any]]:
    found = []
    for motion in asset.motions:
        kind = "moving points" if motion.skin is None else "moving parts" if motion.skin.is_rigid else "skin"
        bones = 0 if motion.skin is None else motion.skin.bone_count
        facts = {"name": motion.name, "frames": motion.frame_count, "seconds": motion.duration, "kind": kind}
        found.append(facts | ({"bones": bones} if bones else {}))
    return found


def _joints(articulation: Articulation | None, findings: list[Finding]) -> list[dict[str, Any]]:
    if articulation is None:
        return []
    moving = [joint for joint in articulation.joints if joint.kind != "fixed"]
    stuck = [joint.name for joint in moving if joint.mimic is None and _limits(joint)[0] == _limits(joint)[1]]
    outside = [joint.name for joint in moving if not _limits(joint)[0] <= 0.0 <= _limits(joint)[1]]
    if stuck:
        text = f"{_many(len(stuck), 'joint')} whose limits leave no room ({', '.join(stuck[:5])})"
        findings.append(Finding("stuck_joints", "note", len(stuck), text, "held fixed"))
    if outside:
        text = f"{_many(len(outside), 'joint')} whose limits exclude the pose of the file ({', '.join(outside[:5])})"
        findings.append(Finding("rest_outside_limits", "note", len(outside), text, "limits widened to contain it"))
    if not moving:
        findings.append(Finding("no_moving_joint", "warning", 1, "no joint can move", "only --base free can move it"))
    return [_joint(articulation, joint) for joint in articulation.joints]


def _limits(joint: Joint) -> tuple[float, float]:
    return (-np.inf, np.inf) if joint.kind == "continuous" else (joint.lower, joint.upper)


def _joint(articulation: Articulation, joint: Joint) -> dict[str, Any]:
    parent, child = articulation.links[joint.parent].name, articulation.links[joint.child].name
    facts: dict[str, Any] = {"name": joint.name, "kind": joint.kind, "parent": parent, "child": child}
    if joint.kind != "fixed":
        facts["limits"] = list(_limits(joint))
        facts["unit"] = "m" if joint.kind == "prismatic" else "rad"
    if joint.kind == "cylindrical":
        facts["slide"] = list(joint.slide)
    if joint.kind == "screw":
        facts["pitch"] = joint.pitch
    if joint.mimic is not None:
        facts["mimics"] = articulation.joints[joint.mimic.joint].name
    return facts
