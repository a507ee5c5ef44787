"""Generated objects as the formats hold them, and side by side on a sheet."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.articulate.clips import make_clips
from neurok.articulate.physics import add_physics
from neurok.files.registry import WRITERS
from neurok.generate.making import Generated
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.motion import Motion

Content = Articulation | Mesh | Motion | list[Motion]
SHEET_GAP = 0.35  # between objects on a sheet, of the largest's width


def make_content(found: Generated, suffix: str) -> Content:
    """What of an object goes into a file of a format."""
    thing = found.made.thing
    holds = WRITERS[suffix][1]
    if Articulation in holds and not thing.is_soft and suffix not in (".glb", ".gltf"):
        return add_physics(found.articulation)
    if Motion in holds:
        if not thing.is_soft and suffix in (".glb", ".gltf") and thing.articulation.coordinate_freedoms:
            return make_clips(thing.articulation)
        return thing.motion(thing.sweep())
    return thing.mesh


def place_on_sheet(found: Sequence[Generated]) -> Mesh:
    """The meshes at rest in rows, all of one height or width, so that a picture shows each as large as the others."""
    columns = int(np.ceil(np.sqrt(len(found))))
    placed = []
    for number, each in enumerate(found):
        mesh = each.made.thing.mesh
        size = float(np.ptp(mesh.vertices, axis=0).max())
        centre = mesh.bounds.mean(axis=0) * (1.0, 1.0, 0.0)
        row, column = divmod(number, columns)
        spot = (1.0 + SHEET_GAP) * np.array([column, 1.6 * row, 0.0])
        placed.append(replace(mesh, vertices=(mesh.vertices - centre) / size + spot))
    return merge(placed)
