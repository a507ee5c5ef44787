"""Things of two parts made of boxes, whose possible motions are known."""

import numpy as np

from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.parts import Parts
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box


def place_box(width: float, depth: float, height: float, *shift: float) -> Mesh:
    """A box of these edges, its middle at `shift`."""
    T = np.eye(4)
    T[:3, 3] = shift
    return transform(box(width, depth, height), T)


def make_open_case() -> Mesh:
    """Five boards around a hollow that opens towards -y, 1 x 1 x 0.4."""
    boards = [
        place_box(1, 1, 0.04, 0, 0, 0.2), place_box(1, 1, 0.04, 0, 0, -0.2), place_box(0.04, 1, 0.4, 0.48, 0, 0),
        place_box(0.04, 1, 0.4, -0.48, 0, 0), place_box(1, 0.04, 0.4, 0, 0.48, 0),
    ]  # fmt: skip
    return merge(boards)


def join_parts(case: Mesh, part: Mesh) -> tuple[Mesh, Parts]:
    """One mesh of two parts."""
    mesh = merge([case, part])
    mesh = Mesh(mesh.vertices, mesh.faces, up="z")
    face = np.repeat([0, 1], [case.face_count, part.face_count])
    return mesh, Parts(face, ("case", "part"))
