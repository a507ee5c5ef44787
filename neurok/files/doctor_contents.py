"""The part of the input doctor that describes materials, animations and joints."""

from typing import Any

import numpy as np

from neurok.files.findings import Finding, count_noun
from neurok.files.registry import Asset
from neurok.geometry.articulation import Articulation, Joint
from neurok.geometry.mesh import Mesh


def describe_materials(mesh: Mesh) -> list[dict[str, Any]]:
    uses = np.bincount(mesh.face_material[mesh.face_material >= 0], minlength=len(mesh.materials))
    return [
        {"name": material.name, "textures": sorted(material.textures), "faces": int(count)}
        for material, count in zip(mesh.materials, uses)
    ]


def describe_animations(asset: Asset) -> list[dict[str, Any]]:
    found = []
    for motion in asset.motions:
        kind = "moving points" if motion.skin is None else "moving parts" if motion.skin.is_rigid else "skin"
        bones = 0 if motion.skin is None else motion.skin.bone_count
        facts = {"name": motion.name, "frames": motion.frame_count, "seconds": motion.duration, "kind": kind}
        found.append(facts | ({"bones": bones} if bones else {}))
    return found


def examine_joints(articulation: Articulation | None, findings: list[Finding]) -> list[dict[str, Any]]:
    if articulation is None:
        return []
    moving = [joint for joint in articulation.joints if joint.kind != "fixed"]
    stuck = [joint.name for joint in moving if joint.mimic is None and _find_limits(joint)[0] == _find_limits(joint)[1]]
    outside = [joint.name for joint in moving if not _find_limits(joint)[0] <= 0.0 <= _find_limits(joint)[1]]
    if stuck:
        text = f"{count_noun(len(stuck), 'joint')} whose limits leave no room ({', '.join(stuck[:5])})"
        findings.append(Finding("stuck_joints", "note", len(stuck), text, "held fixed"))
    if outside:
        text = (
            f"{count_noun(len(outside), 'joint')} whose limits exclude the pose of the file ({', '.join(outside[:5])})"
        )
        findings.append(Finding("rest_outside_limits", "note", len(outside), text, "limits widened to contain it"))
    if not moving:
        findings.append(Finding("no_moving_joint", "warning", 1, "no joint can move", "only --base free can move it"))
    return [_describe_joint(articulation, joint) for joint in articulation.joints]


def _find_limits(joint: Joint) -> tuple[float, float]:
    return (-np.inf, np.inf) if joint.kind == "continuous" else (joint.lower, joint.upper)


def _describe_joint(articulation: Articulation, joint: Joint) -> dict[str, Any]:
    parent, child = articulation.links[joint.parent].name, articulation.links[joint.child].name
    facts: dict[str, Any] = {"name": joint.name, "kind": joint.kind, "parent": parent, "child": child}
    if joint.kind != "fixed":
        facts["limits"] = list(_find_limits(joint))
        facts["unit"] = "m" if joint.kind == "prismatic" else "rad"
    if joint.kind == "cylindrical":
        facts["slide"] = list(joint.slide)
    if joint.kind == "screw":
        facts["pitch"] = joint.pitch
    if joint.mimic is not None:
        facts["mimics"] = articulation.joints[joint.mimic.joint].name
    return facts
