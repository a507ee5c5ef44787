"""Are drawn states of strange objects valid, and are their joints found?  python -m benchmarks.strangers.judge FOLDER

FOLDER holds what `benchmarks.strangers.write` wrote. Nothing of neurok judges: each true body is fitted with its best
rigid motion (Kabsch), its samples are looked up inside the closed solids of the other bodies (winding numbers and
distances of libigl), and joints are compared with those that the objects were built with. A state is valid where every
body stays rigid to 0.5 % of the diagonal, no body is deeper in another than at rest by more than 0.25 %, and each is
still within 2 % of some other body if it was so at rest.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import igl
import numpy as np
import trimesh

import neurok
from benchmarks.strangers.objects import STRANGERS, Stranger, TrueJoint
from neurok.errors import InputError
from neurok.geometry.articulation import Articulation
from neurok.mechanics.showing import show_states
from neurok.opening import choose_kinematics

DRAWS = 16
RIGID_TOLERANCE = 0.005  # of the diagonal, RMS
DEPTH_TOLERANCE = 0.0025  # a board is some 0.01 thick, and nothing can be deeper in it than half of that
ATTACHED_DISTANCE = 0.02
MOVED_DISTANCE = 0.02
SAMPLES = 400  # of a body
Y_UP = trimesh.transformations.rotation_matrix(-np.pi / 2, (1.0, 0.0, 0.0))


@dataclass
class Verdict:
    """What was found of one object. axis: degrees between true and found axes, 90 where a body was not found."""

    name: str
    why: str
    valid: float
    torn: float
    deep: float
    loose: float
    bodies: int
    moved: int
    found: int
    typed: int
    axis: float
    extra: int


def judge(folder: Path, name: str, kind: str = "given", seed: int = 0) -> Verdict:
    thing, labels = STRANGERS[name.removesuffix("_fused")](), np.load(folder / f"{name}.npz")
    try:
        choice = choose_kinematics(neurok.load(folder / f"{name}.glb"), kind=kind)
    except InputError as fault:  # nothing is said to move
        bodies = len(thing.joints)
        return Verdict(name, fault.problem, 1.0, 0.0, 0.0, 0.0, bodies, 0, 0, 0, 90.0 if bodies else 0.0, 0)
    body, names = labels["body"], list(labels["names"])
    space, faces = choice.space, choice.space.mesh.faces[: len(body)]  # the caps of cuts follow, and belong to no body
    rest = space.mesh.vertices[faces].astype(np.float64)
    size = float(np.linalg.norm(np.ptp(rest.reshape(-1, 3), axis=0)))
    solids = [[solid.copy().apply_transform(Y_UP) for solid in thing.bodies[each]] for each in names]
    still = [np.eye(4)] * len(names)
    deep_at_rest, far_at_rest = measure_contact(solids, still, size)
    torn, deep, loose, moved = [], [], [], np.zeros(len(names), dtype=bool)
    if space.size:
        motion = show_states(space, neurok.sample(space, DRAWS, seed=seed))
        for frame in range(DRAWS):
            corners = motion.mesh_at(frame).vertices[faces]
            fits = [
                fit_rigid(rest[body == b].reshape(-1, 3), corners[body == b].reshape(-1, 3)) for b in range(len(names))
            ]
            depth, far = measure_contact(solids, [T for T, _ in fits], size)
            torn.append(max(error for _, error in fits) > RIGID_TOLERANCE * size)
            deep.append(np.any(depth > deep_at_rest + DEPTH_TOLERANCE))
            loose.append(np.any((far > ATTACHED_DISTANCE) & (far_at_rest <= ATTACHED_DISTANCE)))
            moved |= [np.linalg.norm(corners[body == b] - rest[body == b], axis=2).max() > MOVED_DISTANCE * size
                      for b in range(len(names))]  # fmt: skip
    joints = {joint.body for joint in thing.joints}
    found, typed, angles, extra = compare_joints(thing, getattr(choice.asset, "articulation", None), body, names)
    bad = np.array([torn, deep, loose]).reshape(3, -1)
    return Verdict(
        name, choice.why, float(1 - bad.any(axis=0).mean()) if bad.size else 1.0,
        *(float(row.mean()) if len(row) else 0.0 for row in bad), len(joints),
        sum(bool(m) for m, each in zip(moved, names) if each in joints), found, typed,
        float(np.mean(angles)) if angles else 0.0, extra,
    )  # fmt: skip


def fit_rigid(rest: np.ndarray, there: np.ndarray) -> tuple[np.ndarray, float]:
    """The rigid motion that takes points nearest to others, [4, 4], and the root of the mean square of what is left."""
    a, b = rest.mean(axis=0), there.mean(axis=0)
    u, _, v = np.linalg.svd((rest - a).T @ (there - b))
    turn = v.T @ np.diag([1, 1, np.sign(np.linalg.det(v.T @ u.T))]) @ u.T
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = turn, b - turn @ a
    return T, float(np.sqrt(np.mean(np.sum((rest @ turn.T + T[:3, 3] - there) ** 2, axis=1))))


def measure_contact(solids: list, motions: list, size: float) -> tuple[np.ndarray, np.ndarray]:
    """How deep samples of each body lie in each other's solids, [b, b], and how far it is from all others, [b]."""
    count = len(solids)
    depth, far = np.zeros((count, count)), np.full(count, np.inf)
    for one in range(count):
        whole = trimesh.util.concatenate(solids[one])
        points = trimesh.sample.sample_surface(whole, SAMPLES, seed=0)[0]
        points = np.vstack([points, whole.vertices[:: max(1, len(whole.vertices) // SAMPLES)]])
        for other in range(count):
            if one == other:
                continue
            there = trimesh.transform_points(points, np.linalg.inv(motions[other]) @ motions[one])
            for solid in solids[other]:
                distance = igl.signed_distance(there, np.asarray(solid.vertices), np.asarray(solid.faces))[0]
                depth[one, other] = max(depth[one, other], float(-distance.min()) / size)
                near = max(float(distance.min()), 0.0) / size
                far[one], far[other] = min(far[one], near), min(far[other], near)
    return depth, far


def compare_joints(
    thing: Stranger, found: Articulation | None, body: np.ndarray, names: list[str]
) -> tuple[int, int, list[float], int]:
    """Bodies that some joint carries (IoU > .5 by area), joints of the right type, axis errors [degrees], and how many
    joints carry what does not move in truth."""
    if found is None or not found.joints:
        return 0, 0, [90.0] * len(thing.joints), 0
    faces = found.mesh.faces[: len(body)]  # without the caps of cuts
    link, corners = np.asarray(found.vertex_link)[faces[:, 0]], found.mesh.vertices[faces]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    carried = {joint.child: {joint.child} for joint in found.joints}
    for joint in list(found.joints) * len(found.joints):
        for links in carried.values():
            if joint.parent in links:
                links.add(joint.child)
    used, count, typed, angles = set(), 0, 0, []
    for truth in thing.joints:
        inside = np.isin(body, [names.index(each) for each in list_carried(thing, truth)])
        best, overlap = None, 0.5
        for joint in found.joints:
            mine = np.isin(link, list(carried[joint.child]))
            iou = area[inside & mine].sum() / max(area[inside | mine].sum(), 1e-12)
            if iou > overlap and joint.kind != "fixed":
                best, overlap = joint, iou
        if best is None:
            angles.append(90.0)
            continue
        used.add(best.child)
        count += 1
        typed += int(truth.kind == "screw" or (best.kind == "prismatic") == (truth.kind == "slide"))
        axis = Y_UP[:3, :3] @ np.asarray(truth.axis)
        angles.append(measure_angle(axis, found, best))
    return count, typed, angles, sum(joint.kind != "fixed" for joint in found.joints) - len(used)


def list_carried(thing: Stranger, joint: TrueJoint) -> set[str]:
    carried = {joint.body}
    for _ in thing.joints:
        carried |= {each.body for each in thing.joints if each.parent in carried}
    return carried


def measure_angle(axis: np.ndarray, found: Articulation, joint: object) -> float:
    """Degrees between a true axis and that of a found joint, both undirected."""
    own = found.links[joint.parent].T_world_link[:3, :3] @ joint.origin[:3, :3] @ joint.axis
    cosine = abs(float(axis @ own)) / np.linalg.norm(axis) / np.linalg.norm(own)
    return float(np.degrees(np.arccos(min(cosine, 1.0))))


def main(folder: Path, names: list[str], kind: str) -> None:
    chosen = names or sorted(path.stem for path in folder.glob("*.npz"))
    verdicts = []
    print(
        f"{'object':16}{'valid':>7}{'torn':>6}{'deep':>6}{'loose':>6}{'moved':>7}{'found':>7}{'typed':>6}{'axis':>7}{'extra':>6}"
    )
    for name in chosen:
        v = judge(folder, name, kind)
        verdicts.append(v)
        print(f"{v.name:16}{v.valid:7.2f}{v.torn:6.2f}{v.deep:6.2f}{v.loose:6.2f}{v.moved:>4}/{v.bodies}{v.found:>5}/{v.bodies}"
              f"{v.typed:6}{v.axis:7.1f}{v.extra:6}  {v.why}", flush=True)  # fmt: skip
    bodies = sum(v.bodies for v in verdicts)
    print(
        f"valid draws {np.mean([v.valid for v in verdicts]):.2f}; "
        f"moved {sum(v.moved for v in verdicts)} of {bodies} bodies; "
        f"found {sum(v.found for v in verdicts)}, of the right type {sum(v.typed for v in verdicts)}; "
        f"axis error {np.average([v.axis for v in verdicts], weights=[v.bodies for v in verdicts]):.1f} degrees; "
        f"{sum(v.extra for v in verdicts)} joints too many"
    )
    (folder / f"verdicts-{kind}.json").write_text(json.dumps([asdict(v) for v in verdicts], indent=1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="only these objects")
    parser.add_argument("--kinematics", default="given")
    asked = parser.parse_args()
    main(asked.folder, asked.names, asked.kinematics)
