"""Joints from a file of a person's own, in place of those that the object states or that would be found."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from neurok.commands.options import hint, word

if TYPE_CHECKING:
    from neurok.files.registry import Asset

JointFile = Annotated[
    str | None, word("FILE.json"),
    hint("default: those of the input, else those found",
         help="move by these joints, as `neurok articulate INPUT -o FILE.json` writes them"),
]  # fmt: skip


def add_joints(asset: "Asset", path: str | None) -> "Asset":
    """The asset with the joints of a file, over the parts from which `neurok articulate` makes them."""
    if path is None:
        return asset
    from neurok.articulate.editing import apply_edit, read_edit
    from neurok.articulate.learned_parts import find_any_parts
    from neurok.articulate.parts import read_link_parts

    entry = read_edit(path)
    if asset.articulation is not None and asset.articulation.mesh.face_count:
        mesh = asset.articulation.mesh
        parts = read_link_parts(asset.articulation, split_fixed=False)[0]
    else:
        mesh, parts = asset.mesh, find_any_parts(asset.mesh).parts
    joints = apply_edit(mesh, parts, entry)
    return replace(asset, mesh=joints.mesh, motions=(), articulation=joints)
