"""Joints in: UsdPhysics bodies and joints as an articulation."""

from pxr import Usd

from neurok.files.usd.pieces import Piece, Poses
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Indices, Mesh


def read_articulation(
    poses: Poses, pieces: list[Piece], mesh: Mesh, rows: Indices, notes: list[str]
) -> Articulation | None:
    return None
