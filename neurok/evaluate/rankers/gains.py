"""How good proposals are, where the truth is known: the motion that options explain, and the parts hypotheses meet."""

import numpy as np

from neurok.evaluate.pairs import Pair
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.articulation import Articulation
from neurok.geometry.links import find_moving_joints
from neurok.geometry.triangles import face_areas
from neurok.proposals.assignment import carry_points
from neurok.proposals.hypotheses import Hypotheses

JUDGED_POINT_COUNT = 1500  # of the surface, on which an option is judged
MIN_MOTION = 1e-3  # RMS in diagonals, below which a pair counts as if it moved so much


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


def measure_overlaps(found: Hypotheses, truth: Articulation | None) -> Array:
    """Intersection over union of every hypothesis with the true moving part that it meets best, by area, [h]."""
    areas = face_areas(found.units.mesh.vertices, found.units.mesh.faces)
    overlap = np.zeros(len(found.members))
    for part in find_true_parts(truth) if truth is not None else []:
        overlap = np.maximum(overlap, measure_overlap(found, areas, part))
    return overlap


def measure_overlap(found: Hypotheses, areas: Array, part: Mask) -> Array:
    """Intersection over union of every hypothesis with a part given by its faces [m], by area, [h]."""
    units = found.units
    common = found.members @ np.bincount(units.face, areas * part, units.count)
    return common / np.maximum(found.members @ units.area + areas[part].sum() - common, 1e-12)


def find_true_parts(articulation: Articulation) -> list[Mask]:
    """For every joint that moves, the faces of all that it carries, [m] each."""
    return list(enumerate_true_parts(articulation).values())


def enumerate_true_parts(articulation: Articulation) -> dict[int, Mask]:
    """The faces of all that each joint carries, [m] each, by the number of the joint; only of joints that move some."""
    link = np.asarray(articulation.vertex_link)[articulation.mesh.faces[:, 0]]
    moving, above = find_moving_joints(articulation), {j.child: j.parent for j in articulation.joints}
    parts = {}
    for number, joint in enumerate(articulation.joints):
        if not (moving == number).any():
            continue
        carried = np.array([_hangs_on(each, joint.child, above) for each in range(len(articulation.links))])[link]
        if carried.any() and not carried.all():
            parts[number] = carried
    return parts


def _hangs_on(link: int, ancestor: int, above: dict[int, int]) -> bool:
    while link != ancestor and link in above:
        link = above[link]
    return link == ancestor
