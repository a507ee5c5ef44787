"""USD: .usd, .usda, .usdc in and out, .usdz in.

Writing happens here with usd-core; reading happens in a process of its own,
because the parsers are C++ and a damaged file must not end the program.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from neurok.errors import MissingExtra

if TYPE_CHECKING:
    from neurok.files.registry import Asset
    from neurok.files.source import Source
    from neurok.geometry.articulation import Articulation
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.motion import Motion


def read(source: "Source") -> "Asset":
    """The merged mesh, the clips and the joints of a USD file."""
    _need_usd()
    from neurok.files.usd.reader import read as read_stage

    return read_stage(source)


def write(thing: "Mesh | Motion | Articulation | list[Motion]", folder: Path, name: str) -> None:
    """Write a mesh, motions or an articulated object as folder/name, textures in a folder beside it."""
    _need_usd()
    from neurok.files.usd.writer import write as write_stage

    write_stage(thing, folder, name)


def _need_usd() -> None:
    if find_spec("pxr") is None:
        raise MissingExtra("a USD file", "usd")
