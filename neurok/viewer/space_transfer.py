"""A state space as plain arrays and text, to be passed from the child that found it to the server."""

from dataclasses import dataclass
from pathlib import Path

from scipy.sparse import csr_matrix

from neurok.files.registry import Asset
from neurok.files.usd.transfer import pack, unpack
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.choose import Choice, joint_space
from neurok.kinematics.elastic_links import ElasticLinks
from neurok.kinematics.kinematics import Elasticity, Kinematics, StatedMasses
from neurok.kinematics.prior import NormalPrior, SparsePrior
from neurok.kinematics.twists import Twists


@dataclass(frozen=True)
class ElasticRecord:
    """What materials make of a space of twists: its springs, and its inertia as a sparse matrix.

    stiffness, damping: [k, k]. rows, columns, values: of the inertia [size, size]. host: the bone of the joints that
    each handle belongs to, [b], where the object has joints, which are then those of `joints`.
    """

    stiffness: Array
    damping: Array
    rows: Indices
    columns: Indices
    values: Array
    size: int
    host: Indices | None
    joints: Articulation | None


@dataclass(frozen=True)
class TwistsRecord:
    """All that a space of twists is built from, named as the parameters of `Twists`.

    mesh: None where it is the mesh of the asset itself, and not one that was split.
    """

    mesh: Mesh | None
    skin: Skin
    basis: Array
    origin: Array
    names: tuple[str, ...]
    prior: SparsePrior | NormalPrior
    elastic: ElasticRecord | None = None


@dataclass(frozen=True)
class SpaceRecord:
    """What a child found: a space of twists, or joints that the file does not state; neither where the asset moves by
    its own joints.

    why: the reason. guess: what to say where nothing surely moves, '' where something does. materials: what is
    predicted of them, as conditions in JSON.
    """

    twists: TwistsRecord | None
    joints: Articulation | None
    why: str
    guess: str = ""
    materials: str = "{}"


RECORD_CLASSES = (SpaceRecord, TwistsRecord, ElasticRecord, SparsePrior, NormalPrior)


def record_space(choice: Choice, asset: Asset, guess: str = "", materials: str = "{}", why: str = "") -> SpaceRecord:
    """The record of a space that was chosen for an asset; why: in place of the choice's reason. See `SpaceRecord`."""
    space, why = choice.space, why or choice.why
    if isinstance(space, Articulated):
        joints = None if asset.articulation is not None else space.articulation
        return SpaceRecord(None, joints, why, guess, materials)
    jointed = space if isinstance(space, ElasticLinks) else None
    carried = space if jointed is None else jointed.elastic
    if type(carried) is not Twists or carried.skin is None:
        raise TypeError(f"a {type(space).__name__} cannot be passed on")
    mesh = None if carried.mesh is asset.mesh else carried.mesh
    elastic = _record_elastic(carried, jointed)
    twists = TwistsRecord(mesh, carried.skin, carried.basis, carried.origin, carried.names, carried.prior, elastic)
    return SpaceRecord(twists, None, why, guess, materials)


def _record_elastic(carried: Twists, jointed: ElasticLinks | None) -> ElasticRecord | None:
    inertia = carried.stated_masses.inertia
    if carried.elasticity is None or inertia is None:
        return None
    G = inertia.tocoo()
    springs = carried.elasticity
    host, joints = (None, None) if jointed is None else (jointed.host, jointed.jointed.articulation)
    return ElasticRecord(springs.stiffness, springs.damping, G.row, G.col, G.data, G.shape[0], host, joints)


def restore_space(record: SpaceRecord, asset: Asset) -> Kinematics:
    """The space of an asset that a record describes."""
    twists = record.twists
    if twists is not None:
        mesh = asset.mesh if twists.mesh is None else twists.mesh
        space = Twists(mesh, twists.skin, twists.basis, origin=twists.origin, names=twists.names, prior=twists.prior)
        return space if twists.elastic is None else _restore_elastic(space, twists.elastic)
    joints = record.joints or asset.articulation
    if joints is None:
        raise ValueError("the record is of an object with joints, and the asset has none")
    return joint_space(joints)


def _restore_elastic(space: Twists, record: ElasticRecord) -> Kinematics:
    shape = (record.size, record.size)
    space.elasticity = Elasticity(record.stiffness, record.damping)
    space.stated_masses = StatedMasses(inertia=csr_matrix((record.values, (record.rows, record.columns)), shape=shape))
    if record.joints is None or record.host is None:
        return space
    return ElasticLinks(Articulated(record.joints), space, record.host)


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
