"""Pairs of an object in the SAPIEN layout: its joints at the values the protocol draws."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from neurok.errors import InputError
from neurok.evaluate.pairs import Pair, draw_joint_pairs, fill_open_limits, make_plain_mesh, spans_bodies
from neurok.files.registry import load
from neurok.files.source import Source
from neurok.files.urdf.document import parse_document
from neurok.files.urdf.tree import fold_pairs
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation, Joint
from neurok.geometry.links import link_motions
from neurok.geometry.mesh import Mesh

URDF = "mobility.urdf"


def make_jointed_pairs(folder: Path, name: str, category: str, *, seed: int = 0) -> list[Pair]:
    """The four pairs of DIR/NAME; one generator draws all of them, joints in the order of the file."""
    articulation = load(folder / name).articulation
    if articulation is None:
        raise InputError(f"{name} has no joints", "give an object with joints")
    order, sign = _read_file_order(folder / name / URDF, articulation)
    if len(order) == 0:
        raise InputError(f"{name} has no joints", "give an object with joints")
    lower, upper, turns = _read_limits(articulation)
    low, high = fill_open_limits(lower, upper, turns, articulation.mesh.diagonal)
    # A slide that runs against its own axis in our coordinates is drawn along it, as the file has it.
    flipped = sign < 0
    low, high = np.where(flipped, -high, low)[order], np.where(flipped, -low, high)[order]
    if not np.any(high > low):
        raise InputError(f"none of the joints of {name} has a range", "leave the object out")
    generator = np.random.default_rng([seed, seed_from_name(name)])
    result = []
    for index, states in enumerate(draw_joint_pairs(low, high, generator)):
        a, b = (_reorder_values(values, order, sign) for values in states)
        shuffle = np.random.default_rng([seed, seed_from_name(name), index])
        result.append(_make_pair(articulation, a, b, shuffle, name, category, index))
    return result


def seed_from_name(name: str) -> int:
    """The id of an object as the number that seeds its pairs."""
    return int(name) if name.isdigit() else int.from_bytes(name.encode()[:8], "big")


def _reorder_values(values: Array, order: Indices, sign: Array) -> Array:
    ours = np.empty_like(values)
    ours[order] = values
    return sign * ours


def _read_file_order(path: Path, articulation: Articulation) -> tuple[Indices, Array]:
    """Our coordinates in the order of the file's joints, [k], and -1 where one runs against the file's, [k].

    A turn and a slide on one axis are two joints of the file and one cylindrical joint of ours.
    """
    source = Source(path)
    document = parse_document(source.data(), source.name)
    place = {joint.name: index for index, joint in enumerate(document.joints)}
    slides = {pair.turn.name: pair for pair in fold_pairs(document)}
    where, sign = [], []
    for d in articulation.coordinate_freedoms:
        joint = articulation.joints[articulation.freedoms[d].joint]
        if joint.kind == "cylindrical" and not articulation.freedoms[d].turns:
            slide = slides[joint.name].slide
            where.append(place[slide.name])
            sign.append(1.0 if np.allclose(joint.slide, (slide.lower, slide.upper)) else -1.0)
        else:
            where.append(place[joint.name])
            sign.append(1.0)
    return np.argsort(where), np.array(sign)


def _read_limits(articulation: Articulation) -> tuple[Array, Array, Array]:
    """Limits of the coordinates and whether they are angles, [k] each."""
    freedoms = [articulation.freedoms[d] for d in articulation.coordinate_freedoms]
    return (
        np.array([f.lower for f in freedoms]),
        np.array([f.upper for f in freedoms]),
        np.array([f.turns for f in freedoms], dtype=bool),
    )


def _make_pair(
    articulation: Articulation, a: Array, b: Array, shuffle: np.random.Generator, name: str, category: str, index: int
) -> Pair:
    mesh = articulation.mesh
    X = link_motions(articulation, np.stack([a, b]))
    row = np.empty(len(articulation.links), dtype=np.int64)
    row[list(articulation.order)] = np.arange(len(row))
    before, after = (_carry_points(T[row[articulation.vertex_link]], mesh.vertices) for T in X)
    made = make_plain_mesh(before, mesh.faces, mesh.up, shuffle)
    body = find_bodies(articulation)[articulation.vertex_link[mesh.faces[made.face, 0]]]
    truth = _move_to_state(articulation, X[0][row], a, made.centre, made.scale, before, made.face)
    target = made.to_corners(after, mesh.faces)
    return Pair(name, category, index, made.mesh, target, spans_bodies(made.mesh, body), truth, body)


def _carry_points(motions: Array, points: Array) -> Array:
    return np.einsum("nab,nb->na", motions[:, :3, :3], points) + motions[:, :3, 3]


def find_bodies(articulation: Articulation) -> Indices:
    """A number per link, the same for links that cannot move against each other, [L]."""
    body = np.arange(len(articulation.links))
    for link in articulation.order:
        above = articulation.parent_joint[link]
        if above >= 0 and not _can_move(articulation.joints[above]):
            body[link] = body[articulation.joints[above].parent]
    return body


def _can_move(joint: Joint) -> bool:
    if joint.kind == "fixed":
        return False
    slides = joint.kind == "cylindrical" and joint.slide[1] > joint.slide[0]
    return joint.kind == "continuous" or joint.upper > joint.lower or slides


def _move_to_state(
    articulation: Articulation, X: Array, q: Array, centre: Array, scale: float, vertices: Array, face: Indices
) -> Articulation:
    """The same object with state q as its zero, in the units of a pair, its faces in the pair's order.

    X: the links' motions at q, [L, 4, 4]. With every link moved by its own X the joints' screws come out where
    they are at q, because a joint's own motion leaves its axis in place; limits are counted from q.
    """
    links = tuple(replace(link, T_world_link=_scale_transform(T @ link.T_world_link, centre, scale), inertia=None)
                  for link, T in zip(articulation.links, X))  # fmt: skip
    A, _ = articulation.coupling
    now: dict[int, list[float]] = {}
    for freedom, theta in zip(articulation.freedoms, A @ q):
        now.setdefault(freedom.joint, []).append(float(theta))
    joints = tuple(_shift_joint(joint, now.get(i, [0.0]), scale) for i, joint in enumerate(articulation.joints))
    mesh = Mesh((vertices - centre) * scale, articulation.mesh.faces[face], up=articulation.mesh.up)
    return Articulation(mesh, articulation.vertex_link, links, joints, articulation.name)


def _scale_transform(T: Array, centre: Array, scale: float) -> Array:
    result = T.copy()
    result[:3, 3] = (T[:3, 3] - centre) * scale
    return result


def _shift_joint(joint: Joint, theta: list[float], scale: float) -> Joint:
    length = scale if joint.kind == "prismatic" else 1.0
    origin = joint.origin.copy()
    origin[:3, 3] *= scale
    lower, upper = ((limit - theta[0]) * length for limit in (joint.lower, joint.upper))
    slide = joint.slide
    if joint.kind == "cylindrical":
        slide = ((joint.slide[0] - theta[1]) * scale, (joint.slide[1] - theta[1]) * scale)
    mimic = replace(joint.mimic, offset=0.0) if joint.mimic is not None else None
    return replace(joint, origin=origin, lower=lower, upper=upper, slide=slide, pitch=joint.pitch * scale, mimic=mimic)
