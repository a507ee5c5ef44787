"""glTF 2.0 and GLB: `read` a scene with its clips, `write` a mesh, a motion or an articulation.

`reader` and `writer` tell the two stories from top to bottom; what they are made of is in
`reading` and `writing`, of the same name where it is the same thing (materials, skins,
animation). `numbering` and `part_table` belong to both: what a writer must say beside the
data so that a reader finds the vertices and parts of the mesh as they were.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neurok.files.registry import Asset
    from neurok.files.source import Source
    from neurok.geometry.articulation import Articulation
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.motion import Motion


def read(source: "Source") -> "Asset":
    """The displayed scene and its clips, as `neurok.files.gltf.reader` describes them."""
    from neurok.files.gltf.reader import read_asset

    return read_asset(source)


def write(thing: "Mesh | Motion | Articulation | Sequence[Motion]", folder: Path, name: str) -> None:
    """Write into a folder, as `neurok.files.gltf.writer` describes it."""
    from neurok.files.gltf.writer import write as write_thing

    write_thing(thing, folder, name)
