"""The comment in which our OBJ, PLY, STL and OFF files say what these formats have no words for: up axis and unit.

`neurok: up=z unit=0.001` stands behind a '#' (OBJ, OFF), in a comment (PLY) or in the header (binary STL). Other
programs pass over it, and take the axis they are used to.
"""

import re
from dataclasses import replace

from neurok.files.registry import Asset
from neurok.geometry.mesh import Mesh

SUFFIXES_WITHOUT_AXES = (".obj", ".ply", ".stl", ".off")  # formats that need the comment
HEAD_BYTES = 4096  # of a file, in which the comment is looked for
UNIT_RANGE = (1e-9, 1e9)  # m; another unit is not believed
COMMENT = re.compile(rb"neurok: up=([xyz]) unit=([0-9.eE+-]{1,24})(?![0-9.eE+-])")


def format_axes(mesh: Mesh) -> str:
    """The comment for a mesh, without what makes it one."""
    return f"neurok: up={mesh.up} unit={float(mesh.unit)!r}"


def apply_axes(asset: Asset, data: bytes) -> Asset:
    """An asset with the axes that the bytes of its file state; `states_axes` tells whether they do."""
    found = COMMENT.search(data[:HEAD_BYTES])
    unit = _read_unit(found[2]) if found else None
    if found is None or unit is None:
        return replace(asset, states_axes=False)
    return replace(asset, mesh=replace(asset.mesh, up=found[1].decode(), unit=unit))


def _read_unit(text: bytes) -> float | None:
    """A sensible number of metres; None where the text is none."""
    try:
        unit = float(text)
    except ValueError:
        return None
    return unit if UNIT_RANGE[0] <= unit <= UNIT_RANGE[1] else None
