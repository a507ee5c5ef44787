"""Are drawn states valid?  python -m benchmarks.valid_draws --data DATA [--lists LISTS --fold K] [--count N]

Draws states of plain merged meshes of known objects as `neurok sample` does: of the dev objects, or with --fold of
train objects of the kinds that a fold leaves out, by a ranker of motions that was fitted without them (LISTS: see
`benchmarks.calibrate_motions`). Judged with the true parts by libigl, which shares nothing with what made the draws:
each true part is fitted with its best rigid motion (Kabsch). A moving part is torn where the rest is more than .5 % of
the diagonal, deep where a sample lies in another part (winding number above a half) by more than 1 % and deeper than at
rest, loose where it was within 2 % of another part at rest and is near none now. A draw without these is valid. In
another column: what never moves in truth is torn. --joints measures the joints of found parts instead, as
`neurok evaluate articulation --predictors proposals --parts found` does.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import igl
import numpy as np
import torch

from benchmarks.calibrate_motions import fit_ranker
from benchmarks.strangers.judge import fit_rigid
from neurok.articulate.find_joints import find_joints
from neurok.articulate.found_movements import move_found_parts
from neurok.articulate.parts import find_moving_parts
from neurok.articulate.predict import assemble_joints
from neurok.articulate.valid_states import draw_valid_states
from neurok.data.folds import find_kind, load_folds
from neurok.errors import InputError
from neurok.evaluate.articulation import FOUND, measure_predictors, read_annotated
from neurok.evaluate.joint_tables import summarise_parts
from neurok.evaluate.objects import Entry, find_objects, read_pairs
from neurok.evaluate.pairs import Pair
from neurok.evaluate.predictors import PREDICTORS, PROPOSALS
from neurok.evaluate.samples import find_moving_bodies
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.kinematics.articulated import Articulated
from neurok.mechanics.descent import pose_mesh
from neurok.proposals.motion_ranker import MotionRanker
from neurok.proposals.sampling import sample_shape
from neurok.training.motion_fitting import read_motion_lists

DRAWS, SAMPLES = 16, 300  # of an object; of a part, besides its corners
RIGID_TOLERANCE, DEPTH_TOLERANCE, NOISE = 0.005, 0.01, 0.0025  # of the diagonal
ATTACHED_DISTANCE, MOVED_DISTANCE = 0.02, 0.02


@dataclass(frozen=True)
class Surface:
    """A true part: corners of its faces [m, 3, 3] and points on it [p, 3], in diagonals."""

    corners: Array
    points: Array

    @staticmethod
    def of(corners: Array) -> "Surface":
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        rng = np.random.default_rng(0)
        face = rng.choice(len(corners), SAMPLES, p=area / area.sum())
        a, b = rng.uniform(size=(2, SAMPLES, 1))
        a, b = np.where(a + b > 1, 1 - a, a), np.where(a + b > 1, 1 - b, b)
        spots = corners[face]
        inner = spots[:, 0] + a * (spots[:, 1] - spots[:, 0]) + b * (spots[:, 2] - spots[:, 0])
        own = np.unique(corners.reshape(-1, 3), axis=0)
        return Surface(corners, np.concatenate([inner, own[:: max(1, len(own) // SAMPLES)]]))

    def look_up(self, points: Array) -> tuple[float, float]:
        """How deep the deepest of some points lies within, and how far the nearest is."""
        low, high = self.corners.min(axis=(0, 1)) - ATTACHED_DISTANCE, self.corners.max(axis=(0, 1)) + ATTACHED_DISTANCE
        near = points[np.all((points > low) & (points < high), axis=1)]
        if not len(near):
            return 0.0, np.inf
        vertices, faces = self.corners.reshape(-1, 3), np.arange(3 * len(self.corners)).reshape(-1, 3)
        distance = np.sqrt(igl.point_mesh_squared_distance(near, vertices, faces)[0])
        inside = np.abs(igl.winding_number(vertices, faces, near)) > 0.5
        return float(distance[inside].max(initial=0.0)), float(distance.min())


@dataclass(frozen=True)
class Tally:
    """Shares of an object's draws; how many true parts move, and how many of these some draw moves."""

    valid: float
    torn: float
    deep: float
    loose: float
    base_torn: float
    parts: int
    moved: int
    drawn: bool


def judge_object(pair: Pair, moving: Indices, joints: Articulation | None) -> Tally:
    if joints is None or not Articulated(joints).size:
        return Tally(1.0, 0.0, 0.0, 0.0, 0.0, len(moving), 0, False)
    space = Articulated(joints)
    bodies = [np.flatnonzero(pair.body == body) for body in np.unique(pair.body)]
    known = [Surface.of(pair.rest[faces]) for faces in bodies]
    still = [np.eye(4)] * len(bodies)
    deep_at_rest, far_at_rest = measure_contact(known, still)
    faults, moved = np.zeros((DRAWS, 4), dtype=bool), np.zeros(len(bodies), dtype=bool)
    movable = np.isin(np.unique(pair.body), moving)
    for number, state in enumerate(draw_valid_states(space, DRAWS)):
        corners = pose_mesh(space, state).vertices[space.mesh.faces]
        fits = [fit_rigid(pair.rest[faces].reshape(-1, 3), corners[faces].reshape(-1, 3)) for faces in bodies]
        depth, far = measure_contact(known, [T for T, _ in fits])
        torn = np.array([error for _, error in fits]) > RIGID_TOLERANCE
        faults[number, [0, 3]] = torn[movable].any(), torn[~movable].any()
        faults[number, 1] = np.any(depth > np.maximum(deep_at_rest + NOISE, DEPTH_TOLERANCE))
        faults[number, 2] = np.any((far > ATTACHED_DISTANCE) & (far_at_rest <= ATTACHED_DISTANCE))
        ways = [np.linalg.norm(corners[faces] - pair.rest[faces], axis=2).max() for faces in bodies]
        moved |= np.array(ways) > MOVED_DISTANCE
    valid = float(1 - faults[:, :3].any(axis=1).mean())
    return Tally(valid, *map(float, faults.mean(axis=0)), len(moving), int(moved[movable].sum()), True)


def measure_contact(known: Sequence[Surface], motions: Sequence[Array]) -> tuple[Array, Array]:
    """How deep each part is in each other one, [b, b], and how far it is from all others, [b]."""
    depth, far = np.zeros((len(known), len(known))), np.full(len(known), np.inf)
    for one, here in enumerate(known):
        for other, there in enumerate(known):
            if one != other:
                T = np.linalg.inv(motions[other]) @ motions[one]
                depth[one, other], near = there.look_up(here.points @ T[:3, :3].T + T[:3, 3])
                far[one], far[other] = min(far[one], near), min(far[other], near)
    return depth, far


def find_by_ranker(mesh: Mesh, ranker: MotionRanker) -> Articulation | None:
    """The joints of a plain mesh by another ranker than the one that came with neurok."""
    found = find_moving_parts(mesh, ranker=ranker)
    if not any(found.motions or ()):
        return None
    movements = move_found_parts(sample_shape(mesh, found.parts), found.motions or ())
    return assemble_joints(mesh, found.parts, movements, "object")


def choose_entries(asked: argparse.Namespace) -> list[Entry]:
    """One object of a kind after the other, `count` at most."""
    entries = find_objects(str(asked.data), "train" if asked.fold else "dev")
    if asked.fold:
        folds = load_folds()
        groups = {entry: folds.find_group(find_kind(entry.name, entry.category)) for entry in entries}
        entries = [entry for entry in entries if (group := groups[entry]) and group.fold == asked.fold]
    by_kind: dict[str, list[Entry]] = {}
    for entry in entries:
        by_kind.setdefault(entry.category, []).append(entry)
    turns = [entry for column in zip_longest(*by_kind.values()) for entry in column if entry is not None]
    return turns[: asked.count]


def measure_joints(entries: Sequence[Entry], ranker: MotionRanker | None) -> None:
    """Print how well the joints of found parts are met."""
    results = []
    for entry in entries:
        known = read_annotated(entry)
        results += measure_predictors(known, {PROPOSALS: PREDICTORS[PROPOSALS]}, [FOUND], ranker)
        print(entry.name, flush=True)
    row = summarise_parts(results)
    moving = [result for result in results if result.truth != "fixed"]
    print(f"{row['objects']} objects, {row['part_count']} parts: axis error {row['axis_error']['mean']:.1f} degrees "
          f"(median {row['axis_error']['median']:.1f}), recall {row['type']['recall_macro']:.3f}, precision "
          f"{row['type']['precision_macro']:.3f}; of {len(moving)} parts that move "
          f"{np.mean([one.matched for one in moving]):.3f} are met, "
          f"{np.mean([one.predicted == one.truth for one in moving]):.3f} with the right type")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lists", type=Path)
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--joints", action="store_true")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    ranker = None
    if asked.fold:
        weights = fit_ranker([one for one in read_motion_lists(asked.lists) if one.fold != asked.fold])
        ranker = MotionRanker({name: value.numpy().astype(np.float64) for name, value in weights.items()})
    if asked.joints:
        return measure_joints(choose_entries(asked), ranker)
    tallies = []
    print(f"{'object':28}{'valid':>7}{'torn':>6}{'deep':>6}{'loose':>6}{'base':>6}{'moved':>8}", flush=True)
    for entry in choose_entries(asked):
        try:
            pairs = read_pairs(entry)
            moving = find_moving_bodies(pairs)
        except InputError as fault:
            print(f"{entry.name} is left out: {fault}", flush=True)
            continue
        mesh = pairs[0].mesh
        joints = find_joints(mesh, False)[0] if ranker is None else find_by_ranker(mesh, ranker)
        one = judge_object(pairs[0], moving, joints)
        tallies.append(one)
        print(f"{entry.category + ' ' + Path(entry.name).name:28}{one.valid:7.2f}{one.torn:6.2f}{one.deep:6.2f}"
              f"{one.loose:6.2f}{one.base_torn:6.2f}{one.moved:>5}/{one.parts}"
              f"{'' if one.drawn else '  nothing moves'}", flush=True)  # fmt: skip
    drawn = [one for one in tallies if one.drawn]
    for name in ("valid", "torn", "deep", "loose", "base_torn"):
        print(f"{name} draws {np.mean([getattr(one, name) for one in drawn]):.3f}", end="; ")
    print(f"{sum(one.moved for one in tallies)} of {sum(one.parts for one in tallies)} moving parts are moved; "
          f"{len(drawn)} of {len(tallies)} objects are drawn")  # fmt: skip


if __name__ == "__main__":
    main()
