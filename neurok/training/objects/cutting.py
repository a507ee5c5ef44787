"""An articulation cut into its moving parts: boxes, joints and surfaces in the frame of `generate.learned.layout`."""

from dataclasses import dataclass

import numpy as np

from neurok.generate.learned.layout import DIAGONAL, JOINT_TYPES, MAX_PARTS, MIN_HALF, Layout, order_parts
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation, Freedom
from neurok.geometry.links import find_moving_joints
from neurok.geometry.mesh import Mesh

QUARTER_TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # -x, where others look, to our -y
MAX_LIMIT = 4.0  # rad or units: what lies beyond is endless or a slip


@dataclass(frozen=True)
class CutObject:
    """The layout (without codes), the mesh in its frame, and the part of each of its faces, [m], -1 where left out.

    scale: metres per unit.
    """

    layout: Layout
    mesh: Mesh
    face: Indices
    scale: float


def cut_object(articulation: Articulation, *, turned: bool = False) -> CutObject | None:
    """The parts of an object; None where it has no moving part with a surface. turned: whether it looks to -x."""
    mesh, R = articulation.mesh, QUARTER_TURN if turned else np.eye(3)
    vertices = mesh.vertices @ R.T
    used = vertices[mesh.used_vertices]
    middle, scale = (used.max(0) + used.min(0)) / 2, float(np.linalg.norm(np.ptp(used, axis=0))) / DIAGONAL
    vertices = (vertices - middle) / scale
    group = find_moving_joints(articulation)
    owner = group[articulation.vertex_link][mesh.faces[:, 0]]
    shown = sorted(set(owner.tolist()))  # groups with surface, by the joint above them; -1 stays
    above, freedoms = _find_chains(articulation, group, shown)
    if len(shown) < 2:
        return None
    base = -1 if -1 in shown else next(g for g in shown if above[g] not in shown)
    boxes = {g: _find_box(vertices[mesh.faces[owner == g]].reshape(-1, 3)) for g in shown}
    kept = _keep_largest(shown, above, base, boxes)
    rows = {g: n for n, g in enumerate(kept)}
    parent = np.array([-1 if g == base else rows.get(above[g], rows[base]) for g in kept])
    order = order_parts(parent, np.array([np.prod(boxes[g][1]) for g in kept]))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    joints = [
        _find_joint(freedoms[g] if g != base else [], boxes[g][0], (R, middle, scale)) for g in (kept[i] for i in order)
    ]
    kind, axis, pivot, limits = (np.array(column) for column in zip(*joints))
    if np.any(kind[1:] == 0):
        return None
    centre, half = (np.stack([boxes[kept[i]][k] for i in order]) for k in (0, 1))
    above_row = parent[order]
    layout = Layout(
        np.where(above_row >= 0, place[above_row], -1),
        kind,
        centre,
        half,
        axis,
        pivot,
        limits,
        np.zeros((len(order), 0)),
    )
    table = {g: int(place[n]) for n, g in enumerate(kept)}
    face = np.array([table.get(int(g), -1) for g in owner])
    return CutObject(layout, Mesh(vertices, mesh.faces, up="z"), face, scale)


def _find_chains(
    articulation: Articulation, group: Indices, shown: list[int]
) -> tuple[dict[int, int], dict[int, list[Freedom]]]:
    """Of each group with a surface the next such group above it, and the freedoms between the two."""
    above, between = {}, {}
    for g in shown:
        found: list[Freedom] = []
        joint = g
        while joint >= 0:
            found += [f for f in articulation.freedoms if f.joint == joint]
            joint = int(group[articulation.joints[joint].parent])
            if joint in shown:
                break
        above[g], between[g] = joint, found
    return above, between


def _find_box(points: Array) -> tuple[Array, Array]:
    lower, upper = points.min(axis=0), points.max(axis=0)
    return (lower + upper) / 2, np.maximum((upper - lower) / 2, MIN_HALF)


def _keep_largest(
    shown: list[int], above: dict[int, int], base: int, boxes: dict[int, tuple[Array, Array]]
) -> list[int]:
    """The groups that are kept where there are too many: leaves go, the smallest first."""
    kept = [base] + [g for g in shown if g != base]
    while len(kept) > MAX_PARTS:
        inner = {above[g] for g in kept}
        leaves = [g for g in kept if g not in inner and g != base]
        kept.remove(min(leaves, key=lambda g: float(np.linalg.norm(boxes[g][1]))))
    return kept


def _find_joint(
    freedoms: list[Freedom], centre: Array, frame: tuple[Array, Array, float]
) -> tuple[int, Array, Array, Array]:
    """(type, axis, pivot, limits) of what lies between a part and its parent."""
    if not freedoms:
        return 0, np.zeros(3), np.zeros(3), np.zeros(2)
    R, middle, scale = frame
    turn = next((f for f in freedoms if f.turns), None)
    slide = next((f for f in freedoms if not f.turns), None)
    pitch = 0.0 if turn is None else float(turn.screw[:3] @ turn.screw[3:])
    if turn is None:
        assert slide is not None
        return _orient(2, R @ slide.screw[:3], centre, slide.lower / scale, slide.upper / scale, centre)
    w = turn.screw[3:]
    point = (R @ np.cross(w, turn.screw[:3]) - middle) / scale
    axis = R @ w
    if abs(pitch) > 1e-9 or (slide is not None and abs(slide.screw[:3] @ w) > 0.99):
        lower, upper = (pitch * turn.lower, pitch * turn.upper) if slide is None else (slide.lower, slide.upper)
        return _orient(4, axis, point, min(lower, upper) / scale, max(lower, upper) / scale, centre)
    endless = not (np.isfinite(turn.lower) and np.isfinite(turn.upper)) or turn.upper - turn.lower > 1.9 * np.pi
    if endless:
        return _orient(3, axis, point, -np.pi, np.pi, centre)
    return _orient(1, axis, point, turn.lower, turn.upper, centre)


def _orient(
    kind: int, axis: Array, point: Array, lower: float, upper: float, centre: Array
) -> tuple[int, Array, Array, Array]:
    """The joint with its axis along the greater part of its range, and zero within the range."""
    assert JOINT_TYPES[kind] != "base"
    lower, upper = float(np.clip(lower, -MAX_LIMIT, 0.0)), float(np.clip(upper, 0.0, MAX_LIMIT))
    axis = axis / np.linalg.norm(axis)
    if kind == 3:
        flip = axis[np.argmax(np.abs(axis))] < 0
    else:
        flip = -lower > upper
    if flip:
        axis, lower, upper = -axis, -upper, -lower
    pivot = point + axis * ((centre - point) @ axis)
    return kind, axis, pivot, np.array([lower, upper])
