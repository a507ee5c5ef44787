"""Axes and units of an input: as the user states them, else as the file does, else by a default, which is then said."""

from dataclasses import replace
from pathlib import Path

from neurok.commands.files import open_input
from neurok.commands.say import note
from neurok.files.doctor import describe_odd_size
from neurok.files.registry import Asset
from neurok.files.standing import guess_up_axis
from neurok.geometry.mesh import Mesh


def open_measured(
    path: str, *, up: str, unit: float | None, allow_outside: bool = False, weighed: bool = False
) -> Asset:
    """What the file holds, in the axes and the unit [m] that the user knows; remarks on what nobody stated.

    weighed: whether masses or gravity make its size count.
    """
    asset = change_unit(open_input(path, up=up, allow_outside=allow_outside), unit)
    name, mesh = Path(path).name or path, asset.mesh
    if up == "auto" and not asset.states_axes:
        note(f"{name} does not say which way is up: {_describe_guess(mesh)}")
    size = (
        describe_odd_size(mesh.diagonal * mesh.unit, mesh.unit)
        if weighed and unit is None and mesh.face_count
        else None
    )
    if size is not None:
        note(f"{name}: {'; '.join(size)}")
    return asset


def change_unit(asset: Asset, unit: float | None) -> Asset:
    """The same numbers in another unit [m]; None: as they are."""
    if unit is None:
        return asset
    joints = asset.articulation
    if joints is not None:
        joints = replace(joints, mesh=replace(joints.mesh, unit=unit))
    return replace(asset, mesh=replace(asset.mesh, unit=unit), articulation=joints)


def _describe_guess(mesh: Mesh) -> str:
    up, why = guess_up_axis(mesh)
    if up == mesh.up:
        return f"{up} is guessed, since {why}; --up says otherwise"
    return f"{mesh.up} is taken, but it looks like {up}, since {why}; then say --up {up}"
