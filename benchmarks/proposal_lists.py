"""What the ranker of proposals learns from: python -m benchmarks.proposal_lists DATA --out LISTS [--split train].

For every object, in its rest states, all hypotheses with their overlap with the true moving parts; and for drags of
one and of three points all options with the share of the squared motion that each would explain. One .npz file for
each object; objects that have one already are left alone, so that a run can go on.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neurok.articulate.parts import find_moving_joints
from neurok.errors import InputError
from neurok.evaluate.objects import Entry, find_objects, read_pairs
from neurok.evaluate.pairs import Pair
from neurok.evaluate.targets import DragTarget, make_target
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.articulation import Articulation
from neurok.geometry.triangles import face_areas
from neurok.proposals.assignment import carry_points
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.options import list_options

JUDGED_POINT_COUNT = 1500  # of the surface, on which an option is judged
MIN_MOTION = 1e-3  # RMS in diagonals, below which a pair counts as if it moved so much
SPLIT_SHARE = 0.15  # of the drags whose points lie on one body also teach what a subset of the points would mean
SUBSETS = {1: [(0,)], 2: [(0, 1), (0,), (1,)], 3: [(0, 1, 2), (0, 1), (0, 2), (1, 2), (0,), (1,), (2,)]}
DRAGS = ("drag1", "drag3")


@dataclass
class Lists:
    """All that one object teaches. Options of one list follow each other; starts: where lists begin, [l + 1]."""

    features: list[Array]
    gains: list[Array]
    point_counts: list[tuple[int, int]]  # of the list's points, and of all dragged points
    part_features: list[Array]
    overlaps: list[Array]  # of every hypothesis with the nearest true part, [h]

    def save(self, path: Path, entry: Entry) -> None:
        lengths = [len(gain) for gain in self.gains]
        arrays = {
            "features": np.concatenate(self.features).astype(np.float32), "gain": np.concatenate(self.gains),
            "starts": np.cumsum([0, *lengths]), "point_counts": np.array(self.point_counts),
            "part_features": np.concatenate(self.part_features).astype(np.float32),
            "overlap": np.concatenate(self.overlaps), "part_starts": np.cumsum([0, *map(len, self.overlaps)]),
            "name": np.array(entry.name), "category": np.array(entry.category),
        }  # fmt: skip
        partial = path.with_suffix(".partial.npz")
        np.savez_compressed(partial, **arrays)
        partial.rename(path)


def gather_lists(entry: Entry) -> Lists:
    """The lists of one object."""
    lists, made = Lists([], [], [], [], []), {}
    generator = np.random.default_rng(0)
    for pair in read_pairs(entry):
        key = pair.mesh.vertices.tobytes()
        if key not in made:  # pairs of one rest state share their hypotheses
            made = {key: Hypotheses.of(pair.mesh)}
            _add_parts(lists, made[key], pair)
        for kind in DRAGS:
            target = make_target(pair, kind)
            if isinstance(target, DragTarget):
                _add_drag(lists, made[key], pair, target, generator)
    return lists


def _add_parts(lists: Lists, found: Hypotheses, pair: Pair) -> None:
    overlap = np.zeros(len(found.members))
    areas = face_areas(found.units.mesh.vertices, found.units.mesh.faces)
    for part in find_true_parts(pair.truth) if pair.truth is not None else []:
        overlap = np.maximum(overlap, measure_overlap(found, areas, part))
    lists.part_features.append(found.features)
    lists.overlaps.append(overlap)


def _add_drag(lists: Lists, found: Hypotheses, pair: Pair, target: DragTarget, generator: np.random.Generator) -> None:
    unit = found.units.face[target.where.face]
    points, goals = (found.units.to_canonical(x) for x in (target.where.position, target.positions))
    one_body = pair.body is not None and len(np.unique(pair.body[target.where.face])) == 1
    for subset in SUBSETS[len(points)]:
        if len(subset) < len(points) and one_body and generator.random() > SPLIT_SHARE:
            continue
        mine = np.array(subset)
        others = np.setdiff1d(np.arange(len(points)), mine)
        options = list_options(found, points[mine], goals[mine], unit[mine], unit[others])
        if options.count:
            lists.features.append(options.features)
            lists.gains.append(measure_gains(found, pair, options.part, options.twist))
            lists.point_counts.append((len(subset), len(points)))


def measure_gains(found: Hypotheses, pair: Pair, part: Indices, twist: Array) -> Array:
    """The share of the pair's squared motion that moving each part by its twist explains, [n]."""
    units = found.units
    areas = face_areas(units.mesh.vertices, units.mesh.faces)
    face = np.random.default_rng(0).choice(len(areas), JUDGED_POINT_COUNT, p=areas / areas.sum())
    rest = units.mesh.vertices[units.mesh.faces[face]].mean(axis=1)
    goal = units.to_canonical(pair.target[face].mean(axis=1))
    still = ((goal - rest) ** 2).sum(axis=1)
    total = max(float(still.sum()), MIN_MOTION**2 * JUDGED_POINT_COUNT)
    inside = found.members[part][:, units.face[face]]
    missed = ((carry_points(twist, rest) - goal) ** 2).sum(axis=2)
    return np.where(inside, still - missed, 0.0).sum(axis=1) / total


def measure_overlap(found: Hypotheses, areas: Array, part: Mask) -> Array:
    """Intersection over union of every hypothesis with a part given by its faces [m], by area, [h]."""
    units = found.units
    common = found.members @ np.bincount(units.face, areas * part, units.count)
    return common / np.maximum(found.members @ units.area + areas[part].sum() - common, 1e-12)


def find_true_parts(articulation: Articulation) -> list[Mask]:
    """For every joint that moves, the faces of all that it carries, [m] each."""
    link = np.asarray(articulation.vertex_link)[articulation.mesh.faces[:, 0]]
    moving, above = find_moving_joints(articulation), {j.child: j.parent for j in articulation.joints}
    parts = []
    for number, joint in enumerate(articulation.joints):
        if not (moving == number).any():
            continue
        carried = np.array([_hangs_on(each, joint.child, above) for each in range(len(articulation.links))])[link]
        if carried.any() and not carried.all():
            parts.append(carried)
    return parts


def _hangs_on(link: int, ancestor: int, above: dict[int, int]) -> bool:
    while link != ancestor and link in above:
        link = above[link]
    return link == ancestor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--split", default="train")
    parser.add_argument("--sources", nargs="*", default=())
    parser.add_argument("--per-kind", type=int, default=1000)
    parser.add_argument("--share", default="0/1", help="which of how many shares of the objects, such as 1/2")
    asked = parser.parse_args()
    first, step = map(int, asked.share.split("/"))
    asked.out.mkdir(parents=True, exist_ok=True)
    seen: dict[str, int] = {}
    for entry in find_objects(asked.data, asked.split, asked.sources)[first::step]:
        seen[entry.category] = seen.get(entry.category, 0) + 1
        path = asked.out / f"{entry.name.replace('/', '_')}.npz"
        if path.exists() or seen[entry.category] > asked.per_kind:
            continue
        try:
            lists = gather_lists(entry)
            if lists.gains:
                lists.save(path, entry)
        except InputError as fault:
            print(f"{entry.name}: {fault}", flush=True)
        print(entry.name, flush=True)


if __name__ == "__main__":
    main()
