"""The surfaces of a file's bodies at rest in the world: what is shown, and what collides."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neurok.articulate.check.loading import name_body
from neurok.articulate.sweep.surfaces import SweptSurface
from neurok.errors import NeurokError
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box, capsule, cylinder, sphere


@dataclass(frozen=True)
class BodyShapes:
    """The surface of each body, scaled to the diagonal, [bodies]: as it is shown, and as it collides.

    A body that shows nothing is shown as it collides. remark: what could not be read, in a sentence.
    """

    shown: list[SweptSurface | None]
    solid: list[SweptSurface | None]
    remark: str = ""


def read_shapes(path: Path, model: Any, size: float) -> BodyShapes:
    """What the bodies of a model look like; a URDF's visuals are read from the file, as MuJoCo may drop them."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    collides = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    solid = _merge_geoms(model, data, collides)
    shown, remark = _merge_geoms(model, data, ~collides), ""
    if path.suffix.lower() == ".urdf":
        try:
            shown = {**shown, **_read_visuals(path, model)}
        except NeurokError as fault:
            remark = f"the visuals cannot be read, so colliders stand for them ({fault})"
    surfaces = {
        id(table): [_make_surface(table.get(body), size) for body in range(model.nbody)] for table in (shown, solid)
    }
    seen, hard = surfaces[id(shown)], surfaces[id(solid)]
    return BodyShapes([mine or other for mine, other in zip(seen, hard)], hard, remark)


def _make_surface(mesh: Mesh | None, size: float) -> SweptSurface | None:
    return None if mesh is None else SweptSurface.of(Mesh(mesh.vertices / size, mesh.faces))


def _read_visuals(path: Path, model: Any) -> dict[int, Mesh]:
    """The mesh of each link that has one, in the world at rest [m], by body; links that have none are left out."""
    from neurok.files.bodies import split_links
    from neurok.files.registry import load

    articulation = load(path).articulation
    if articulation is None:
        return {}
    found: dict[int, list[Mesh]] = {}
    for link, mesh in enumerate(split_links(articulation)):
        if mesh.face_count:
            found.setdefault(_find_body(articulation, link, model), []).append(mesh)
    return {body: merge([Mesh(mesh.vertices, mesh.faces) for mesh in meshes]) for body, meshes in found.items()}


def _find_body(articulation: Articulation, link: int, model: Any) -> int:
    """The body of a link, or of the link that it was fused with; the world where there is none."""
    number = {name_body(model, body): body for body in range(model.nbody)}
    while link >= 0 and articulation.links[link].name not in number:
        link = int(articulation.link_parents[link])
    return number[articulation.links[link].name] if link >= 0 else 0


def _merge_geoms(model: Any, data: Any, chosen: Any) -> dict[int, Mesh]:
    """The chosen geoms of each body as one mesh in the world [m]; planes and height fields are no part of an object."""
    found: dict[int, list[Mesh]] = {}
    for geom in np.flatnonzero(chosen):
        mesh = _build_geom(model, int(geom))
        if mesh is not None:
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom]
            found.setdefault(int(model.geom_bodyid[geom]), []).append(transform(mesh, T))
    return {body: merge([Mesh(mesh.vertices, mesh.faces) for mesh in meshes]) for body, meshes in found.items()}


def _build_geom(model: Any, geom: int) -> Mesh | None:
    """A geom's surface in its own frame [m]."""
    import mujoco

    kinds, (x, y, z) = mujoco.mjtGeom, model.geom_size[geom]
    kind = model.geom_type[geom]
    if kind == kinds.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        points, faces = model.mesh_vertadr[mesh], model.mesh_faceadr[mesh]
        return Mesh(
            model.mesh_vert[points : points + model.mesh_vertnum[mesh]],
            model.mesh_face[faces : faces + model.mesh_facenum[mesh]],
        )
    if kind == kinds.mjGEOM_BOX:
        return box(2 * x, 2 * y, 2 * z)
    if kind == kinds.mjGEOM_SPHERE:
        return sphere(x)
    if kind == kinds.mjGEOM_CYLINDER:
        return cylinder(x, 2 * y)
    if kind == kinds.mjGEOM_CAPSULE:
        return capsule(x, 2 * y)
    if kind == kinds.mjGEOM_ELLIPSOID:
        return transform(sphere(1.0), np.diag([x, y, z, 1.0]))
    return None
