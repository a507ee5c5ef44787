"""From a request to a thing: a piece of furniture, an object of a prompt, or what a file holds."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from neurok.articulate.physics import add_physics
from neurok.errors import InputError
from neurok.files.bodies import convert_to_z_up
from neurok.files.registry import READERS, load
from neurok.generate.grammar import parse_prompt
from neurok.generate.making import Generated, realise
from neurok.generate.weighing import add_masses, weigh_mesh
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import transform
from neurok.scenes.colliders import add_hollow_colliders
from neurok.scenes.furniture import PieceNeeds, find_piece, make_piece
from neurok.scenes.masses import limit_mass
from neurok.scenes.openings import open_joints
from neurok.scenes.request import ThingRequest
from neurok.scenes.thing import SceneThing

# What people build in, screw to a wall or sink into the ground; everything else stands freely.
HELD_KINDS = frozenset(
    "crane dishwasher door door_cabinet drawer_cabinet faucet flag_pole garage_door gate mailbox oven refrigerator "
    "swing toilet wall_switch washing_machine window".split()
)
# [m], of what the programs of smaller kinds stand for.
LEAST_WIDTHS = {"keyboard": 0.30, "computer keyboard": 0.30}
SIZE_BOUNDS = (0.005, 15.0)  # [m], of a thing in a scene


def is_path(source: str) -> bool:
    """Whether a source names a file rather than words."""
    return Path(source).suffix.lower() in READERS or Path(source).suffix.lower() == ".zip" or "/" in source


def make_thing(request: ThingRequest, seed: int, folder: Path, needs: PieceNeeds | None = None) -> SceneThing:
    """The thing of a request; folder: where relative paths begin. needs: of a piece of furniture."""
    remarks: list[str] = []
    piece = find_piece(request.source)
    if is_path(request.source):
        kind, articulation = "file", _read_file(request.source, folder)
    elif piece is not None:
        rng = np.random.default_rng([seed, len(request.name)])
        kind, articulation = piece, _finish(make_piece(request.source, needs or PieceNeeds(), None, rng), piece)
    else:
        made = realise(parse_prompt(request.source), seed)
        kind, articulation = made.kind, _finish_made(made, remarks)
        width = float(np.ptp(articulation.mesh.vertices[:, 0]))
        least = LEAST_WIDTHS.get(made.request.name, 0.0)
        articulation = scale_articulation(articulation, max(1.0, least / width))
    articulation = stand_upright(scale_articulation(articulation, request.scale))
    _check_size(request.name, articulation)
    held = request.held if request.held is not None else kind in HELD_KINDS or piece is not None
    thing = SceneThing(request.name, kind, articulation, np.zeros(len(articulation.coordinate_freedoms)), held)
    return replace(open_joints(thing, request.opened), remarks=tuple(remarks))


def _finish_made(made: Generated, remarks: list[str]) -> Articulation:
    """An object of a program; what is soft becomes one rigid body."""
    remarks += [f"not met: {attribute.describe()}" for attribute in made.unmet]
    remarks += [f"not understood: {word}" for word in made.request.ignored]
    if made.made.thing.is_soft:
        remarks.append("it is soft, and stands in the scene as a rigid body")
        return _finish(make_rigid(made.made.thing.mesh, made.kind), made.kind)
    return _finish(made.made.thing.articulation, made.kind)


def _finish(articulation: Articulation, kind: str) -> Articulation:
    return add_physics(add_hollow_colliders(limit_mass(add_masses(articulation), kind)))


def make_rigid(mesh: Mesh, name: str) -> Articulation:
    """A mesh as one body."""
    inertia = weigh_mesh(mesh) if mesh.materials and mesh.unit == 1.0 else None
    return Articulation(mesh, np.zeros(mesh.vertex_count, dtype=np.int64), (Link(name, np.eye(4), inertia),), (), name)


def _read_file(source: str, folder: Path) -> Articulation:
    """What a file holds, in metres with z up, its root as one tree."""
    asset = load(folder / source)
    found = asset.articulation
    if found is None:
        found = make_rigid(asset.mesh, Path(source).stem)
    if int(np.sum(found.parent_joint < 0)) != 1:
        raise InputError(f"{Path(source).name} holds several objects", "give a file of one, or join them")
    found = convert_to_z_up(found)
    bare = any(link.colliders is None for link in found.links)
    return add_physics(add_hollow_colliders(found) if bare else found)


def _check_size(name: str, articulation: Articulation) -> None:
    size = articulation.mesh.diagonal
    if not SIZE_BOUNDS[0] <= size <= SIZE_BOUNDS[1]:
        raise InputError(
            f"'{name}' is {size:.3g} m across", f"scale it to between {SIZE_BOUNDS[0]:g} and {SIZE_BOUNDS[1]:g} m"
        )


def stand_upright(articulation: Articulation) -> Articulation:
    """The articulation with its lowest point at z = 0 and its middle over the origin."""
    T = np.eye(4)
    T[:3, 3] = -SceneThing.find_foot(articulation.mesh.bounds)
    links = tuple(replace(link, T_world_link=T @ link.T_world_link) for link in articulation.links)
    return replace(articulation, mesh=transform(articulation.mesh, T), links=links)


def scale_articulation(articulation: Articulation, factor: float) -> Articulation:
    """The articulation in another size, of the same density: masses go with the cube, moments with the fifth power."""
    if factor == 1.0:
        return articulation
    if not (math.isfinite(factor) and factor > 0):
        raise InputError(f"a scale of {factor}", "give a number above zero")
    links = tuple(_scale_link(link, factor) for link in articulation.links)
    joints = tuple(_scale_joint(joint, factor, articulation.joints) for joint in articulation.joints)
    mesh = transform(articulation.mesh, np.diag([factor, factor, factor, 1.0]))
    return replace(articulation, mesh=mesh, links=links, joints=joints)


def _scale_place(T: Array, factor: float) -> Array:
    T = np.array(T, dtype=np.float64)
    T[:3, 3] *= factor
    return T


def _scale_link(link: Link, factor: float) -> Link:
    inertia = link.inertia
    if inertia is not None:
        inertia = replace(inertia, mass=inertia.mass * factor**3, centre=inertia.centre * factor,
                          tensor=inertia.tensor * factor**5)  # fmt: skip
    pieces = link.colliders
    if pieces is not None:
        pieces = tuple(transform(piece, np.diag([factor, factor, factor, 1.0])) for piece in pieces)
    return replace(link, T_world_link=_scale_place(link.T_world_link, factor), inertia=inertia, colliders=pieces)


def _scale_joint(joint: Joint, factor: float, joints: tuple[Joint, ...]) -> Joint:
    slides = joint.kind == "prismatic"
    length = factor if slides else 1.0
    mimic = joint.mimic
    if mimic is not None:
        lead = factor if joints[mimic.joint].kind == "prismatic" else 1.0
        mimic = replace(mimic, multiplier=mimic.multiplier * length / lead, offset=mimic.offset * length)
    moment = factor**3 if slides else factor**5
    return replace(
        joint, origin=_scale_place(joint.origin, factor), lower=joint.lower * length, upper=joint.upper * length,
        pitch=joint.pitch * factor, slide=(joint.slide[0] * factor, joint.slide[1] * factor), mimic=mimic,
        damping=joint.damping * moment, friction=joint.friction * factor ** (3 if slides else 4),
    )  # fmt: skip
