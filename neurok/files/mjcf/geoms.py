"""Geoms: what an MJCF body shows, collides with and weighs."""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from neurok.errors import InputError
from neurok.files.mjcf.poses import MjcfAngles, read_pose, read_vector, turn_z_onto
from neurok.files.mjcf.solids import SolidWeight, weigh_solid
from neurok.files.urdf.document import UrdfShape
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh

DENSITY = 1000.0  # kg/m^3, MuJoCo's default
KINDS = ("sphere", "capsule", "cylinder", "ellipsoid", "box", "mesh", "plane")
MAX_SHOWN_GROUP = 2  # groups 0 to 2 are shown by MuJoCo's viewer unless one asks for others


@dataclass(frozen=True)
class MjcfGeom:
    """A geom: its shape, whether things collide with it, its group, and what it weighs (None: not counted)."""

    shape: UrdfShape
    collides: bool
    group: int
    weight: SolidWeight | None


@dataclass
class MjcfMesh:
    """A mesh asset: `key` under which it is found, and the affine map from its file to its asset, [4, 4]."""

    key: str
    T: Array


def read_geom(
    element: ET.Element,
    values: Mapping[str, str],
    T_body: Array,
    angles: MjcfAngles,
    meshes: Mapping[str, MjcfMesh],
    load: Callable[[str], Mesh | None],
    material: str | None,
) -> MjcfGeom | None:
    """A geom of resolved attributes; T_body: of the frames around it. None for a plane without edges, or none of KINDS.

    load: the mesh of a key, None where it cannot be read. material: what it is painted with.
    """
    name = element.get("name", "")
    where = f"geom '{name}'" if name else "a geom without a name"
    kind = values.get("type", "mesh" if "mesh" in values else "sphere")
    if kind not in KINDS:
        return None
    T, size = read_pose(values, angles, where), read_vector(values, "size", where, ())
    if "fromto" in values:
        T, half = _read_ends(read_vector(values, "fromto", where, count=6), where)
        wide = (
            size[:1] if kind in ("capsule", "cylinder") else np.repeat(size[:1], 2)
        )  # MuJoCo looks at the first alone
        size = np.append(wide, half)
    T = T_body @ T
    collides = values.get("contype", "1") != "0" or values.get("conaffinity", "1") != "0"
    group = int(read_vector(values, "group", where, (0.0,), 1)[0])
    if "mesh" in values:
        mesh = meshes.get(values["mesh"])
        if mesh is None:
            raise InputError(f"{where} shows the mesh '{values['mesh'][:60]}', which no asset describes", "add it")
        shape = UrdfShape("mesh", T @ mesh.T, name, file=mesh.key, material=material)
        weight = _weigh(values, where, T, "mesh", size, (load, mesh))
        return MjcfGeom(shape, collides, group, weight)
    if kind == "plane":
        if len(size) < 2 or not (size[:2] > 0).all():
            return None
        return MjcfGeom(UrdfShape("plane", T, name, size=2 * size[:2], material=material), collides, group, None)
    if kind == "mesh":
        raise InputError(f"{where} is a mesh and names none", 'add mesh="...", the name of an asset')
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}[kind]
    if len(size) < needed or not (size[:needed] > 0).all():
        raise InputError(f"{where} is a {kind} with the size {size.tolist()}", f"give {needed} numbers above zero")
    full = {"sphere": size[:1], "capsule": size[:2] * [1, 2], "cylinder": size[:2] * [1, 2],
            "ellipsoid": size[:3], "box": 2 * size[:3]} [kind]  # fmt: skip
    return MjcfGeom(
        UrdfShape(kind, T, name, size=full, material=material), collides, group,
        _weigh(values, where, T, kind, size[:needed], None),
    )  # fmt: skip


def _read_ends(ends: Array, where: str) -> tuple[Array, float]:
    """The pose of what lies between two points, its z axis along them, and half its length."""
    way = ends[:3] - ends[3:]
    length = float(np.linalg.norm(way))
    if length < 1e-12:
        raise InputError(f"{where} goes from a point to itself", "give two points")
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = turn_z_onto(way / length), (ends[:3] + ends[3:]) / 2
    return T, length / 2


def _weigh(
    values: Mapping[str, str], where: str, T: Array, kind: str, size: Array,
    mesh: tuple[Callable[[str], Mesh | None], MjcfMesh] | None,
) -> SolidWeight | None:  # fmt: skip
    """Mass, centre and tensor in the body's frame; by its mass, else by its density; None for nothing."""
    density = float(read_vector(values, "density", where, (DENSITY,), 1)[0])
    mass = float(read_vector(values, "mass", where, (-1.0,), 1)[0])
    if mass == 0 or (mass < 0 and density == 0):
        return None
    solid = None
    if mesh is None:
        solid = weigh_solid(kind, size)
    else:
        load, asset = mesh
        found = load(asset.key)
        solid = None if found is None else weigh_solid("mesh", size, found, asset.T)
    if solid is None:
        return None
    return solid.scaled(mass / solid.mass if mass > 0 else density).moved(T)


def choose_shown(geoms: list[MjcfGeom]) -> tuple[tuple[UrdfShape, ...], tuple[UrdfShape, ...]]:
    """What a body shows and what it collides with.

    Shown is what MuJoCo's viewer shows (groups 0 to 2), without what collides where meshes that do not, in another
    group, stand for it (as in robosuite); all geoms where nothing is left.
    """
    drawn = {geom.group for geom in geoms if not geom.collides and geom.shape.kind == "mesh"}
    shown = [
        geom for geom in geoms
        if geom.group <= MAX_SHOWN_GROUP and not (geom.collides and drawn and geom.group not in drawn)
    ]  # fmt: skip
    kept = {id(geom) for geom in shown or geoms}
    visuals = tuple(geom.shape for geom in geoms if id(geom) in kept)
    return visuals, tuple(geom.shape for geom in geoms if geom.collides and id(geom) not in kept)
