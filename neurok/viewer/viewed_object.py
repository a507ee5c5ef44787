"""ViewedObject: an object on its stage, with its state space and how its states are sent to a page."""

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
from neurok.mechanics.conditions import Conditions
from neurok.viewer.material_choice import choose_by_materials


@dataclass(frozen=True)
class FoundSpace:
    """How an object moves.

    note: what is odd about it, '' where there is nothing to say. why: why it has this space, '' where that is not
    known. is_fault: whether the note tells of a fault of ours. is_guess: whether nothing of the object surely moves.
    materials: what is predicted of them, as conditions.
    """

    space: Kinematics
    note: str = ""
    why: str = ""
    is_fault: bool = False
    is_guess: bool = False
    materials: Conditions = Conditions()

    @property
    def outcome(self) -> str:
        """What came of the search for a motion: 'found', 'guessed', or 'rigid' where there is none."""
        return "guessed" if self.is_guess else "rigid" if self.note else "found"


class ViewedObject:
    """What a session shows; it does not change.

    space: its state space, with the base where the file has it. motion: the clip of a file that holds one.
    found: how it moves; `find_space` finds out where that is not given. predicts: whether what nobody states of its
    materials is then predicted.
    """

    def __init__(self, asset: Asset, title: str, found: FoundSpace | None = None, *, predicts: bool = True) -> None:
        self.asset, self.title = asset, title
        self.start: tuple[float, ...] = ()  # the state it is first shown in; rest where empty
        is_clip = bool(asset.motions) and asset.articulation is None and found is None
        self.motion: Motion | None = asset.motions[0] if is_clip else None
        if found is None:
            found = (
                FoundSpace(FloatingBase(rigid_space(asset.mesh)))
                if is_clip
                else find_space(asset, title if predicts else None)
            )
        self.found, self.space = found, found.space
        self.mesh: Mesh = self.space.mesh if self.motion is None else self.motion.mesh
        self.stage = Stage.of(self.mesh)
        self.drawing = Drawing(self.mesh)

    @cached_property
    def scenery(self) -> Scenery:
        return build_scenery(self.mesh, self.drawing, self.stage)

    @cached_property
    def _vertices(self) -> SurfacePoints:
        return at_vertices(self.mesh)

    def choose_start(self) -> Array:
        """The state it is first shown in, [k]."""
        return np.array(self.start, dtype=np.float64) if self.start else read_rest_state(self.space)

    def compute_shape(self, space: Kinematics, q: Array) -> NDArray[np.float32]:
        """What a page needs of a state: the bones' motions [b, 3, 4], or the vertices [n, 3], on the stage."""
        return self.compute_view(space, q, [])[0]

    def compute_view(
        self, space: Kinematics, q: Array, points: list[SurfacePoints]
    ) -> tuple[NDArray[np.float32], Array]:
        """The shape of a state, and where some points of the surface are, [p, 3], on the stage."""
        state = torch.from_numpy(np.ascontiguousarray(q))
        if space.skin is None:
            places = [space.positions(state, point).numpy()[0] for point in points]
            shape = self.stage.points(space.positions(state, self._vertices).numpy())
        else:
            X = space.transforms(state)
            places = [skinned_positions(X, self.mesh, space.skin, point).numpy()[0] for point in points]
            shape = self.stage.motions(X.numpy())
        return shape.astype(np.float32), self.stage.points(np.array(places).reshape(-1, 3))

    def find_point(self, triangle: int, weights: tuple[float, float, float]) -> SurfacePoints:
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


def read_rest_state(space: Kinematics) -> Array:
    """The state at rest, [k]."""
    return space.rest.numpy().astype(np.float64)


def find_space(asset: Asset, title: str | None = None) -> FoundSpace:
    """How an object moves, as `neurok animate` finds it; as one rigid body where it has no state space of its own.

    title: what it is called, for the prediction of materials; None for no prediction.
    """
    try:
        found = choose_by_materials(asset, title)
        return FoundSpace(
            found.choice.space, found.guess, found.why, is_guess=bool(found.guess), materials=found.materials
        )
    except InputError as fault:
        if asset.mesh.face_count == 0:
            raise
        return choose_rigid_space(asset.mesh, fault.problem)


def choose_rigid_space(mesh: Mesh, reason: str, *, is_fault: bool = False) -> FoundSpace:
    """One rigid body, and a sentence on why it is that."""
    note = f"It moves as one rigid body: {reason}."
    return FoundSpace(FloatingBase(rigid_space(mesh)), note, is_fault=is_fault)
