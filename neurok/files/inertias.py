"""An inertia for each link that every simulator accepts: the stated one, else the geometry's."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.errors import InputError, OutputError
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Inertia
from neurok.geometry.measure import (
    assess_pieces,
    close_rims,
    compute_area,
    compute_volume,
    is_closed,
    shell_inertia,
    solid_inertia,
)
from neurok.geometry.mesh import Mesh
from neurok.geometry.rigid import inverse
from neurok.materials.link_matter import NO_MATTER, LinkMatter

# As the simulation weighs links whose file states no mass, so that an exported object weighs what the moving one did.
DENSITY = 500.0  # [kg/m^3], about that of wood
SHELL_THICKNESS = 0.005  # of the object's diagonal, where a link's surface bounds no volume
FLAT_VOLUME_SHARE = 0.1  # a volume below this share of the shell's is that of a sheet with a front and a back
HELPER_MASS_SHARE = 1e-6  # of the whole object's mass, for a moving link without geometry
# Below these, simulators refuse a moving body.
MIN_MASS = 1e-9  # [kg]
MIN_INERTIA = 1e-12  # [kg m^2]


def compute_link_inertias(
    articulation: Articulation,
    meshes: Sequence[Mesh],
    frames: Sequence[Array],
    given: Sequence[Inertia] | None,
    matter: Sequence[LinkMatter],
) -> list[Inertia]:
    """A physical inertia for every link, in its body's frame: the given, else the stated, else that of its matter and
    geometry."""
    if given is not None and len(given) != len(articulation.links):
        raise OutputError(
            f"{len(given)} inertias are given for {len(articulation.links)} links", "give one for each link"
        )
    found: list[Inertia | None] = []
    shell = SHELL_THICKNESS * articulation.mesh.diagonal if articulation.mesh.vertex_count else 0.0
    cut, shell = assess_pieces(articulation.mesh, meshes, shell)
    for index, link in enumerate(articulation.links):
        T_body_link = inverse(frames[index]) @ link.T_world_link
        stated = given[index] if given is not None else link.inertia
        if stated is not None and stated.mass > 0:
            found.append(_complete_inertia(_move_inertia(stated, T_body_link), meshes[index], shell, cut))
        else:
            found.append(compute_geometric_inertia(meshes[index], shell, cut=cut, matter=matter[index]))
    whole = sum(inertia.mass for inertia in found if inertia is not None)
    mass = max(HELPER_MASS_SHARE * whole, MIN_MASS)
    size = 0.01 * articulation.mesh.diagonal if articulation.mesh.vertex_count else 1.0
    helper = Inertia(mass, np.zeros(3), mass * size**2 * np.eye(3))
    return [make_physical(inertia if inertia is not None else helper) for inertia in found]


def compute_geometric_inertia(
    mesh: Mesh, shell: float, *, cut: bool = False, matter: LinkMatter = NO_MATTER
) -> Inertia | None:
    """The inertia of the solid that a closed mesh [m] bounds, else of a shell of this thickness [m]; None without area.

    cut: whether the mesh is a piece of a closed one, which is solid where it was cut. matter: its density, and its own
    thickness where it is a sheet, which holds no more than what it encloses.
    """
    density = DENSITY if matter.density is None else matter.density
    if mesh.face_count == 0:
        return None
    try:
        solid = close_rims(mesh) if cut else mesh
        if is_closed(solid) and abs(compute_volume(solid)) > FLAT_VOLUME_SHARE * shell * compute_area(mesh):
            if matter.thickness is None or matter.thickness * compute_area(mesh) > abs(compute_volume(solid)):
                return solid_inertia(solid, density)
        return shell_inertia(mesh, density * (shell if matter.thickness is None else matter.thickness))
    except InputError:  # no area at all
        return None


def _move_inertia(inertia: Inertia, T: Array) -> Inertia:
    R = T[:3, :3]
    return Inertia(inertia.mass, R @ inertia.centre + T[:3, 3], R @ inertia.tensor @ R.T)


def _complete_inertia(inertia: Inertia, mesh: Mesh, shell: float, cut: bool) -> Inertia:
    """A stated mass without a tensor gets the geometry's distribution."""
    if np.any(inertia.tensor):
        return inertia
    shape = compute_geometric_inertia(mesh, shell, cut=cut)
    if shape is None:
        return inertia
    arm = shape.centre - inertia.centre
    tensor = shape.tensor / shape.mass + (arm @ arm) * np.eye(3) - np.outer(arm, arm)
    return replace(inertia, tensor=inertia.mass * tensor)


def make_physical(inertia: Inertia) -> Inertia:
    """The nearest inertia a simulator accepts: positive, and no moment greater than the sum of the other two."""
    tensor = 0.5 * (inertia.tensor + inertia.tensor.T)
    moments, axes = np.linalg.eigh(tensor)
    least = max(MIN_INERTIA, 1e-9 * moments[2])
    better = np.maximum(moments, least)
    lack = better[2] * (1 + 1e-9) - better[0] - better[1]
    if lack > 0:
        better[:2] += lack / 2
    if not np.array_equal(better, moments):
        tensor = axes @ np.diag(better) @ axes.T
        tensor = 0.5 * (tensor + tensor.T)
    return Inertia(max(float(inertia.mass), MIN_MASS), np.asarray(inertia.centre, dtype=np.float64), tensor)
