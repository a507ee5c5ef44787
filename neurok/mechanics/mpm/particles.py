"""Particles: what fills the parts of an object, as points about as far apart as half a cell of the solver's grid.

A part is filled as `neurok.elastic.filling` does it, with voxels of the size of a cell; what lies in one eighth of a
voxel becomes one particle in its middle, with its volume.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from neurok.elastic.filling import fill_part
from neurok.elastic.pieces import join_pieces
from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.components import select_faces
from neurok.geometry.measure import compute_area, compute_volume
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import face_areas
from neurok.materials.assignment import PartAssignment
from neurok.mechanics.mpm.flow_rules import Defaults, FlowRule, read_flow_rule

PARTICLE_COUNT = 1500  # of a compact object: some tens of seconds of one core for a second of motion
MAX_COUNT = 12_000  # of one with thin parts, about
SHEET = 0.005  # of the diagonal: the thickness of an open surface of which nobody states one, as with masses
CELLS_ACROSS = 1.0  # of the thinnest part, where the count allows it
SMALL = 0.4  # of the median volume: what a surface cuts off in a corner
FULL = 0.99  # of an eighth of a voxel: its particle lies in the middle


@dataclass(frozen=True)
class Particles:
    """position [m], [p, 3]; volume [m^3], [p]; rule: which of `rules`, [p]; label: the body each is of, [p].

    rules: of each material. vertex_label: the body that each vertex of the mesh follows, [n]. spacing [m]: half a cell.
    thinnest [m]: of the parts, twice their volume over their area.
    """

    position: Array
    volume: Array
    rule: Indices
    label: Indices
    rules: tuple[FlowRule, ...]
    vertex_label: Indices
    spacing: float
    thinnest: float

    @property
    def mass(self) -> Array:
        """[kg], [p]."""
        return self.volume * self.read("density")

    def read(self, name: str) -> Array:
        """A number of each particle's flow rule, [p]."""
        return np.array([float(getattr(one, name)) for one in self.rules])[self.rule]


def fill_particles(mesh: Mesh, made: PartAssignment, usual: Defaults, *, count: int = PARTICLE_COUNT) -> Particles:
    """The particles of an object, about so many."""
    if not mesh.face_count or not compute_area(mesh) > 0:
        raise InputError("the object has no volume and no area, so nothing fills it", "check for collapsed faces")
    rules = tuple(read_flow_rule(one, usual) for one in made.properties)
    thickness = made.read("thickness", SHEET * mesh.diagonal * mesh.unit) / mesh.unit
    label = _join_collapsed(mesh, join_pieces(mesh, _number_stuff(made, rules, thickness)))
    first = np.unique(label, return_index=True)[1]
    spacing, thinnest = _choose_spacing(mesh, label, thickness[first], count)
    found = [_fill_one(mesh, label == one, spacing, thickness[first[one]]) for one in range(len(first))]
    numbers = np.repeat(np.arange(len(first)), [len(volume) for _, volume in found])
    volume = np.concatenate([v for _, v in found])
    vertex_label = np.zeros(mesh.vertex_count, dtype=np.int64)
    vertex_label[mesh.faces.ravel()] = np.repeat(label, 3)
    return Particles(
        position=np.concatenate([x for x, _ in found]) * mesh.unit,
        volume=volume * mesh.unit**3,
        rule=made.index[first][numbers],
        label=numbers,
        rules=rules,
        vertex_label=vertex_label,
        spacing=spacing * mesh.unit,
        thinnest=thinnest * mesh.unit,
    )


def _number_stuff(made: PartAssignment, rules: tuple[FlowRule, ...], thickness: Array) -> Indices:
    """A number for each kind of matter, by its rule and thickness, [m]."""
    numbers = {rule: number for number, rule in enumerate(dict.fromkeys(rules))}
    material = np.array([numbers[rule] for rule in rules])[made.index]
    stuff: Indices = np.unique(np.stack([material, thickness], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    return stuff


def _join_collapsed(mesh: Mesh, label: Indices) -> Indices:
    """The same labels, [m]; bodies without area go with the body nearest to them."""
    area = np.bincount(label, face_areas(mesh.vertices, mesh.faces))
    flat = (area <= 1e-12 * mesh.diagonal**2)[label]
    if not flat.any() or flat.all():
        return label
    middle, joined = mesh.vertices[mesh.faces].mean(axis=1), label.copy()
    joined[flat] = label[~flat][cKDTree(middle[~flat]).query(middle[flat])[1]]
    found: Indices = np.unique(joined, return_inverse=True)[1].reshape(-1)
    return found


def _choose_spacing(mesh: Mesh, label: Indices, thickness: Array, count: int) -> tuple[float, float]:
    """How far particles are apart, and how thick the thinnest part is, in file units."""
    volumes, across = [], []
    for number, sheet in enumerate(thickness):
        part = select_faces(mesh, label == number)
        area, volume = compute_area(part), abs(compute_volume(part))
        is_sheet = volume < 0.1 * sheet * area
        volumes.append(sheet * area if is_sheet else volume)
        across.append(sheet if is_sheet else 2.0 * volume / max(area, 1e-300))
    total, thinnest = float(np.sum(volumes)), float(np.min(across))
    usual, least = (total / count) ** (1 / 3), (total / max(MAX_COUNT, count)) ** (1 / 3)
    return float(np.clip(0.5 * thinnest / CELLS_ACROSS, least, usual)), thinnest


def _fill_one(mesh: Mesh, mine: Array, spacing: float, thickness: float) -> tuple[Array, Array]:
    """The particles of one body, [p, 3], and their volumes, [p], in file units."""
    part = select_faces(mesh, mine)
    _, position, volume = fill_part(part, 2.0 * spacing, thickness)
    low, extent = part.bounds[0], np.ptp(part.bounds, axis=0)
    side = np.maximum(extent, 1e-9 * mesh.diagonal) / np.maximum(np.ceil(extent / (2.0 * spacing) - 1e-6), 1) / 2
    # What stands for a sheet lies outside of its surface's box, which may be flat.
    side = np.where(extent < spacing, spacing, side)
    cell, member = np.unique(np.floor((position - low) / side).astype(np.int64), axis=0, return_inverse=True)
    member = member.reshape(-1)
    whole = np.asarray(np.bincount(member, volume, len(cell)), dtype=np.float64)
    moment = np.stack([np.bincount(member, volume * position[:, k], len(cell)) for k in range(3)], axis=1)
    middle = np.asarray(moment / np.maximum(whole, 1e-300)[:, None], dtype=np.float64)
    full = whole >= FULL * np.prod(side)
    middle[full] = low + side * (cell[full] + 0.5)
    return _merge_small(middle, whole)


def _merge_small(position: Array, volume: Array) -> tuple[Array, Array]:
    """The same matter without particles much smaller than most, which are merged into those nearest to them."""
    small = volume < SMALL * np.median(volume)
    kept = np.flatnonzero(~small)
    into = np.arange(len(volume))
    into[kept] = np.arange(len(kept))
    into[small] = cKDTree(position[kept]).query(position[small])[1]
    whole = np.asarray(np.bincount(into, volume, len(kept)), dtype=np.float64)
    moment = np.stack([np.bincount(into, volume * position[:, k], len(kept)) for k in range(3)], axis=1)
    return np.asarray(moment / whole[:, None], dtype=np.float64), whole
