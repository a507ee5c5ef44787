"""From what a file held to its state space."""

from typing import Any

import numpy as np

from neurok.errors import InputError, unknown
from neurok.geometry.articulation import Articulation, Link
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import face_areas
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.floating_base import FloatingBase
from neurok.kinematics.kinematics import Kinematics

BASES = ("fixed", "free")


def kinematics(
    thing: Any, model: Any = None, *, base: str = "fixed", possible: bool = False, bends: bool | None = None
) -> Kinematics:
    """The state space of an asset (as `neurok.load` gives it), an articulation or a mesh.

    model: a learned one, as `neurok.load()` gives it; an object with joints moves by them unless a model is given,
        one without by the model, or the one that came with neurok.
    base: 'fixed', or 'free' to let the whole object fall, slide and tumble as well.
    possible: of a learned space, also what the model is not sure of; see `latent`.
    bends: of a learned space, whether the object is a body and no mechanism, where you know better than the model.
    """
    if base not in BASES:
        raise unknown("base", base, BASES)
    joints = thing if isinstance(thing, Articulation) else getattr(thing, "articulation", None)
    mesh = thing if isinstance(thing, Mesh) else getattr(thing, "mesh", None)
    if not isinstance(mesh, Mesh):
        raise InputError(f"a {type(thing).__name__} has no state space", "give what neurok.load returned")
    if mesh.face_count == 0:
        raise InputError("the object has no faces, only points", "give a mesh with a surface")
    if joints is None or model is not None:
        space = learned(mesh, model, possible=possible, bends=bends)
        return FloatingBase(space) if base == "free" else space
    space = Articulated(joints)
    if base == "free":
        return FloatingBase(space)
    if space.size == 0:
        raise InputError("none of the object's joints can move", "check its limits, or use --base free")
    return space


def learned(
    mesh: Mesh, model: Any = None, *, tear: bool = False, points: int | None = None, possible: bool = False,
    bends: bool | None = None,
) -> Kinematics:  # fmt: skip
    """The state space that a model gives a plain mesh; the model that came with neurok where none is given.

    tear: let the surface come apart between parts, instead of stretching there.
    points: of the surface that the network looks at.
    possible: with coordinates for what the model holds possible without being sure of it.
    bends: whether it is a body and no mechanism, where that is known better than by the model.
    """
    from neurok.kinematics.latent import HANDLES, POINTS, latent
    from neurok.kinematics.latent_points import latent_vae
    from neurok.networks.vae import VaeModel
    from neurok.networks.weights import load_model

    if not face_areas(mesh.vertices, mesh.faces).sum() > 0:
        raise InputError("the faces of the object have no area", "give a mesh with a surface, or check its export")
    model = load_model() if model is None else model
    points = POINTS if points is None else points
    if isinstance(model, VaeModel):
        if bends is not None:
            raise InputError("these weights know neither bodies nor mechanisms", "use --kinematics learned with them")
        return latent_vae(mesh, model, points=points, handles=HANDLES)
    return latent(mesh, model, points=points, tear=tear, possible=possible, bends=bends)


def rigid(mesh: Mesh) -> Articulated:
    """A mesh as one link without joints: the state space of a single point, to be set free."""
    return Articulated(Articulation(mesh, np.zeros(mesh.vertex_count, dtype=int), (Link("body", np.eye(4)),), ()))
