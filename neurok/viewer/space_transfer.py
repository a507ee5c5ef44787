"""A state space as plain arrays and text, to be passed from the child that found it to the server."""

from dataclasses import dataclass
from pathlib import Path

from neurok.files.registry import Asset
from neurok.files.usd.transfer import pack, unpack
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.choose import Choice, joint_space
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.prior import NormalPrior, SparsePrior
from neurok.kinematics.twists import Twists


@dataclass(frozen=True)
class TwistsRecord:
    """All that a learned space is built from, named as the parameters of `Twists`.

    mesh: None where it is the mesh of the asset itself, and not one that was split.
    """

    mesh: Mesh | None
    skin: Skin
    basis: Array
    origin: Array
    names: tuple[str, ...]
    prior: SparsePrior | NormalPrior


@dataclass(frozen=True)
class SpaceRecord:
    """What a child found: a learned space, or None where the asset moves by its own joints, and why it is that."""

    twists: TwistsRecord | None
    why: str


RECORD_CLASSES = (SpaceRecord, TwistsRecord, SparsePrior, NormalPrior)


def record_space(choice: Choice, asset: Asset) -> SpaceRecord:
    """The record of a space that was chosen for an asset."""
    space = choice.space
    if isinstance(space, Articulated):
        return SpaceRecord(None, choice.why)
    if type(space) is not Twists or space.skin is None:
        raise TypeError(f"a {type(space).__name__} cannot be passed on")
    mesh = None if space.mesh is asset.mesh else space.mesh
    twists = TwistsRecord(mesh, space.skin, space.basis, space.origin, space.names, space.prior)
    return SpaceRecord(twists, choice.why)


def restore_space(record: SpaceRecord, asset: Asset) -> Kinematics:
    """The space of an asset that a record describes."""
    twists = record.twists
    if twists is not None:
        mesh = asset.mesh if twists.mesh is None else twists.mesh
        return Twists(mesh, twists.skin, twists.basis, origin=twists.origin, names=twists.names, prior=twists.prior)
    if asset.articulation is None:
        raise ValueError("the record is of an object with joints, and the asset has none")
    return joint_space(asset.articulation)


def save_record(record: SpaceRecord, folder: Path) -> None:
    """Lay a record down in a folder, which is made."""
    folder.mkdir()
    pack(record, folder)


def load_record(folder: Path) -> SpaceRecord:
    """The record that lies in a folder."""
    record = unpack(folder, RECORD_CLASSES)
    if not isinstance(record, SpaceRecord):
        raise TypeError(f"the folder holds a {type(record).__name__}")
    return record
