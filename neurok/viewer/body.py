"""Body: an object on its stage, with its state space and how its states are sent to a page."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.files.drawing import Drawing
from neurok.files.registry import Asset
from neurok.files.scenery import Scenery, build_scenery
from neurok.files.stage import Stage
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion
from neurok.geometry.surface import SurfacePoints, at_vertices
from neurok.geometry.triangles import face_normals
from neurok.kinematics.choose import rigid_space
from neurok.kinematics.floating_base import FloatingBase
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.skinning import skinned_positions
from neurok.opening import choose_kinematics


@dataclass(frozen=True)
class Found:
    """How an object moves: its state space, what cannot be done with it, and why it is this one; '' where nothing."""

    space: Kinematics
    note: str = ""
    why: str = ""


class Body:
    """What a session shows: fixed as long as the object is.

    space: its state space, with the base where the file has it. motion: the clip of a file that holds one.
    found: how it moves; `state_space` finds out where that is not given.
    """

    def __init__(self, asset: Asset, title: str, found: Found | None = None) -> None:
        self.asset, self.title = asset, title
        self.start: tuple[float, ...] = ()  # the state it is first shown in; rest where empty
        played = bool(asset.motions) and asset.articulation is None and found is None
        self.motion: Motion | None = asset.motions[0] if played else None
        if found is None:
            found = Found(FloatingBase(rigid_space(asset.mesh))) if played else state_space(asset)
        self.space, self.note, self.why = found.space, found.note, found.why
        self.mesh: Mesh = self.space.mesh if self.motion is None else self.motion.mesh
        self.stage = Stage.of(self.mesh)
        self.drawing = Drawing(self.mesh)
        self._vertices = at_vertices(self.mesh) if self.space.skin is None else None

    @cached_property
    def scenery(self) -> Scenery:
        return build_scenery(self.mesh, self.drawing, self.stage)

    def shape(self, space: Kinematics, q: Array) -> NDArray[np.float32]:
        """What a page needs of a state: the bones' motions [b, 3, 4], or the vertices [n, 3], on the stage."""
        return self.seen(space, q, [])[0]

    def seen(self, space: Kinematics, q: Array, points: list[SurfacePoints]) -> tuple[NDArray[np.float32], Array]:
        """The shape of a state, and where some points of the surface are, [p, 3], on the stage."""
        state = torch.from_numpy(np.ascontiguousarray(q))
        if space.skin is None:
            there = [space.positions(state, point).numpy()[0] for point in points]
            vertices = self.stage.points(space.positions(state, self._vertices).numpy())
            return vertices.astype(np.float32), self.stage.points(np.array(there).reshape(-1, 3))
        X = space.transforms(state)
        there = [skinned_positions(X, self.mesh, space.skin, point).numpy()[0] for point in points]
        return self.stage.motions(X.numpy()).astype(np.float32), self.stage.points(np.array(there).reshape(-1, 3))

    def point(self, triangle: int, weights: tuple[float, float, float]) -> SurfacePoints:
        """The point of the surface that a page means by a drawn triangle and the weights of its corners."""
        if not 0 <= triangle < len(self.drawing.order):
            raise InputError("the page named a triangle that is not there", "reload the page")
        w = np.clip(np.array(weights, dtype=np.float64), 0.0, 1.0)
        if not w.sum() > 0:
            raise InputError("the page named a point without weights", "reload the page")
        w = w[None] / w.sum()
        face = self.drawing.order[[triangle]]
        corners = self.mesh.faces[face]
        position = np.einsum("mk,mkd->md", w, self.mesh.vertices[corners])
        return SurfacePoints(face, corners, w, position, face_normals(self.mesh.vertices, corners), np.zeros(1))


def state_space(asset: Asset) -> Found:
    """How an object moves, as `neurok animate` finds it; as one rigid body where it has no state space of its own."""
    try:
        choice = choose_kinematics(asset)
        return Found(choice.space, why=choice.why)
    except InputError as fault:
        if asset.mesh.face_count == 0:
            raise
        return as_one_body(asset.mesh, fault.problem)


def as_one_body(mesh: Mesh, reason: str) -> Found:
    """One rigid body, and a sentence on why it is that."""
    return Found(FloatingBase(rigid_space(mesh)), f"It moves as one rigid body: {reason}.")
