"""What an object weighs: every closed piece as a solid of what it is made of.

A link's pieces have masses m_i = rho_i V_i, centres c_i and tensors I_i about them; together
m = sum m_i, c = sum m_i c_i / m and I = sum I_i + m_i (|d_i|^2 1 - d_i d_i^T) with d_i = c_i - c.
"""

from dataclasses import replace

import numpy as np

from neurok.files.bodies import split_links
from neurok.generate.looks import find_density
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Inertia
from neurok.geometry.components import face_components, select_faces
from neurok.geometry.measure import compute_volume, is_closed, solid_inertia
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import transform
from neurok.materials.assignment import assign_properties
from neurok.materials.library import load_library
from neurok.materials.part_properties import PartProperties

MIN_VOLUME = 1e-10  # [m^3], of a piece: smaller ones weigh nothing that counts


def add_masses(articulation: Articulation) -> Articulation:
    """The articulation with an inertia for each link, by what its pieces are made of."""
    links = []
    for link, mesh in zip(articulation.links, split_links(articulation)):
        inertia = weigh_mesh(transform(mesh, np.linalg.inv(link.T_world_link))) if mesh.face_count else None
        links.append(replace(link, inertia=inertia))
    return replace(articulation, links=tuple(links))


def find_densities(mesh: Mesh) -> Array:
    """[kg/m^3] of each face, [m]: as its piece states, else by its look."""
    made = assign_properties(mesh, {}, PartProperties(), load_library()).read("density", np.nan)
    looks = np.array([find_density(material) for material in mesh.materials] or [np.nan])
    return np.where(np.isnan(made), looks[mesh.face_material], made)


def weigh_mesh(mesh: Mesh) -> Inertia | None:
    """The inertia of closed pieces [m] with materials; None where they bound nothing."""
    count, owner = face_components(mesh)
    density = find_densities(mesh)
    found = []
    for piece in range(count):
        faces = np.flatnonzero(owner == piece)
        solid = select_faces(mesh, faces)
        if abs(compute_volume(solid)) < MIN_VOLUME or not is_closed(solid):
            continue
        found.append(solid_inertia(solid, float(density[faces[0]])))
    if not found:
        return None
    mass = sum(one.mass for one in found)
    centre = np.sum([one.mass * one.centre for one in found], axis=0) / mass
    tensor = np.zeros((3, 3))
    for one in found:
        d = one.centre - centre
        tensor += one.tensor + one.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Inertia(float(mass), centre, tensor)
