"""What moves, made seen: moving parts in a tint of their own, and a faint ghost of where they are at rest.

Both are mixtures of pictures: of the object as it looks, of the same with its moving parts painted, and of the same
with the parts at rest beside them. Textures shine through a tint so, and of a ghost only the nearest layer shows.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from neurok.files.camera import Camera
from neurok.files.colors import RGBA
from neurok.files.renderer import Renderer
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.mesh import Material, Mesh, merge

# Set by hand, by what looks well.
TINT = (0.93, 0.33, 0.05, 1.0)  # of what moves; linear
TINT_SHARE = 0.6  # how much of a tint covers what the part looks like
GHOST_COLOR = (0.55, 0.60, 0.68, 1.0)
GHOST_SHARE = 0.3
MIN_GHOST = 0.01  # of the diagonal: where a part is nearer to rest, its ghost would lie within it


class Highlighter:
    """Draws frames of a mesh with its moving vertices [n] tinted and, where wanted, with their ghosts at rest."""

    def __init__(self, mesh: Mesh, moved: Mask, *, color: RGBA = TINT,
                 share: float = TINT_SHARE, ghost: bool = True) -> None:  # fmt: skip
        self.mesh, self.share = mesh, share
        faces = np.flatnonzero(moved[mesh.faces].any(axis=1))
        self.tinted = paint_faces(mesh, faces, color)
        self.used: Indices = np.unique(mesh.faces[faces])
        self.ghostly = _add_ghost(self.tinted, faces, self.used) if ghost and len(faces) else None

    def picture(self, renderer: Renderer, vertices: Array, camera: Camera) -> NDArray[np.uint8]:
        """One frame, [h, w, 3]."""
        painted = renderer.picture(self.tinted, vertices, camera=camera).astype(np.float64)
        if self.share < 1.0:
            own = renderer.picture(self.mesh, vertices, camera=camera)
            shown = own + self.share * (painted - own)
        else:
            shown = painted
        rest = self.mesh.vertices[self.used]
        away = np.linalg.norm(vertices[self.used] - rest, axis=1).max(initial=0.0)
        if self.ghostly is not None and away > MIN_GHOST * self.mesh.diagonal:
            beside = renderer.picture(self.ghostly, np.concatenate([vertices, rest]), camera=camera)
            shown = shown + GHOST_SHARE * (beside - painted)
        return np.round(np.clip(shown, 0.0, 255.0)).astype(np.uint8)


def paint_faces(mesh: Mesh, faces: Indices, color: RGBA) -> Mesh:
    """The mesh with some of its faces [f] in one plain colour, linear."""
    face_material = mesh.face_material.copy()
    face_material[faces] = len(mesh.materials)
    painted = replace(
        mesh, face_material=face_material,
        materials=(*mesh.materials, Material("moving", color, roughness=0.7, double_sided=True)),
    )  # fmt: skip
    colors = _corner_colors(mesh)
    if colors is None:
        return painted
    colors[faces] = 1.0
    return replace(
        painted,
        attributes={key: value for key, value in mesh.attributes.items() if key != "color"},
        face_attributes={key: value for key, value in mesh.face_attributes.items() if key != "color"},
        corner_attributes={**mesh.corner_attributes, "color": colors},
    )


def _corner_colors(mesh: Mesh) -> Array | None:
    """The colours at the corners of each face, [m, 3, d], wherever the mesh keeps them; None where it has none."""
    if "color" in mesh.corner_attributes:
        return np.array(mesh.corner_attributes["color"], dtype=np.float64)
    if "color" in mesh.attributes:
        return np.asarray(mesh.attributes["color"], dtype=np.float64)[mesh.faces]
    if "color" in mesh.face_attributes:
        return np.repeat(np.asarray(mesh.face_attributes["color"], dtype=np.float64)[:, None], 3, axis=1)
    return None


def _add_ghost(mesh: Mesh, faces: Indices, used: Indices) -> Mesh:
    """The mesh, and after it a copy of some of its faces in the colour of ghosts; used: their vertices."""
    place = np.full(mesh.vertex_count, -1)
    place[used] = np.arange(len(used))
    material = Material("ghost", GHOST_COLOR, roughness=1.0, double_sided=True)
    ghost = Mesh(
        mesh.vertices[used], place[mesh.faces[faces]], materials=(material,),
        face_material=np.zeros(len(faces), dtype=np.int64), up=mesh.up, unit=mesh.unit,
    )  # fmt: skip
    return merge([mesh, ghost])
