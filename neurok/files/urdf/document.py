"""The XML of a URDF as plain records, checked: names, numbers, and nothing a parser could be tricked with."""

import math
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from neurok.errors import InputError, unknown
from neurok.files.colors import RGBA, make_rgba
from neurok.files.urdf.attributes import read_name, read_number, read_numbers, read_origin
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Inertia
from neurok.materials.stated_parts import keep_known

URDF_JOINT_KINDS = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")
# URDF demands a number where there may be no bound. Ours, and many robots', is this or more: it means none.
UNBOUNDED = 1e9


@dataclass(frozen=True)
class UrdfShape:
    """One visual or collision: `kind` is mesh, box, cylinder or sphere; T_link_shape [4, 4].

    size: box edges [m], or (radius, length), or (radius,); scale: of a mesh, [3].
    """

    kind: str
    T: Array
    name: str = ""
    file: str = ""
    size: Array = field(default_factory=lambda: np.ones(3))
    scale: Array = field(default_factory=lambda: np.ones(3))
    material: str | None = None


@dataclass(frozen=True)
class UrdfMaterial:
    """A URDF material: colour in 0..1 and the name of a picture, either of which may be absent."""

    color: RGBA | None = None
    texture: str | None = None


@dataclass(frozen=True)
class UrdfLink:
    name: str
    visuals: tuple[UrdfShape, ...]
    collisions: tuple[UrdfShape, ...]
    inertia: Inertia | None
    contact: Mapping[str, str | float] = field(default_factory=dict)


@dataclass(frozen=True)
class UrdfJoint:
    """A joint as written: origin T_parent_child [4, 4]; mimic (leader's name, multiplier, offset)."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Array
    axis: Array
    lower: float = -np.inf
    upper: float = np.inf
    mimic: tuple[str, float, float] | None = None
    damping: float = 0.0
    friction: float = 0.0
    effort: float | None = None
    velocity: float | None = None


@dataclass
class UrdfDocument:
    name: str
    links: list[UrdfLink] = field(default_factory=list)
    joints: list[UrdfJoint] = field(default_factory=list)
    paints: dict[str, UrdfMaterial] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def parse_document(data: bytes, file: str) -> UrdfDocument:
    """The records of a URDF file's bytes; `file` is its name, for messages."""
    robot = parse_xml(data, file)
    if robot.tag != "robot":
        raise InputError(f"{file} begins with <{robot.tag[:40]}>, not <robot>", "give a URDF file")
    for element in robot.iter():
        if "xacro" in element.tag:
            raise InputError(f"{file} is an unexpanded xacro", "expand it first: xacro FILE > robot.urdf")
        for key, value in element.attrib.items():
            element.set(key, " ".join(value.split()))  # a name is one line, here and where it is referred to
    document = UrdfDocument(robot.get("name") or "object")
    for element in robot.iter("material"):
        _read_material(document, element)
    document.links = [_read_link(document, element) for element in robot.findall("link")]
    document.joints = [_read_joint(document, element) for element in robot.findall("joint")]
    if not document.links:
        raise InputError(f"{file} has no links", "give a URDF with at least one <link>")
    for what, records in (("links", document.links), ("joints", document.joints)):
        twice = [name for name, count in Counter(record.name for record in records).items() if count > 1]
        if twice:
            raise InputError(f"{file} has two {what} called '{twice[0]}'", "give each its own name")
    return document


class _Builder(ET.TreeBuilder):
    """Refuses document types, and with them every entity trick, before any of it is expanded."""

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        raise InputError(
            "the XML declares a document type, which is never needed here", "delete the <!DOCTYPE ...> part"
        )


def parse_xml(data: bytes, file: str) -> ET.Element:
    """The root element of XML, without a document type."""
    parser = ET.XMLParser(target=_Builder())
    try:
        parser.feed(data)
        return parser.close()
    except (ET.ParseError, ValueError, LookupError) as fault:
        raise InputError(f"{file} is not well-formed XML ({fault})", "correct it, or export it again") from None


def _read_material(document: UrdfDocument, element: ET.Element) -> None:
    """Remember a material's colour and picture; names are global, and the first full statement counts."""
    color, texture = element.find("color"), element.find("texture")
    name = element.get("name")
    if name is None:
        if color is None and texture is None:
            return
        name = f"material_{len(document.paints)}"
        element.set("name", name)
    rgba = None
    if color is not None:
        values = read_numbers(color, "rgba", (1.0, 1.0, 1.0, 1.0), f"the colour of material '{name}'")
        rgba = make_rgba(np.clip(values, 0.0, 1.0))
    known = document.paints.get(name, UrdfMaterial())
    picture = texture.get("filename") if texture is not None else None
    document.paints[name] = UrdfMaterial(known.color or rgba, known.texture or picture)


def _read_link(document: UrdfDocument, element: ET.Element) -> UrdfLink:
    name = read_name(element, "link")
    shapes: dict[str, tuple[UrdfShape, ...]] = {}
    for what in ("visual", "collision"):
        found = (_read_shape(document, child, name) for child in element.findall(what))
        shapes[what] = tuple(shape for shape in found if shape is not None)
    inertia = _read_inertial(document, element, name)
    return UrdfLink(name, shapes["visual"], shapes["collision"], inertia, _read_contact(element))


def _read_contact(link: ET.Element) -> dict[str, str | float]:
    """Friction and restitution as Bullet has them, by the names of `neurok.materials.quantities`."""
    found: dict[str, object] = {}
    for key, tag in (("friction", "lateral_friction"), ("restitution", "restitution")):
        element = link.find(f"contact/{tag}")
        try:
            found[key] = float("nan" if element is None else element.get("value", "nan"))
        except ValueError:
            continue  # other programs' extensions are none of this reader's business
    return keep_known(found)


def _read_shape(document: UrdfDocument, element: ET.Element, link: str) -> UrdfShape | None:
    where = f"a {element.tag} of link '{link}'"
    geometry = element.find("geometry")
    body = geometry[0] if geometry is not None and len(geometry) else None
    if body is None:
        document.notes.append(f"{where} has no geometry and is left out")
        return None
    painted = element.find("material")
    T, name = read_origin(element, where), element.get("name", "")
    material = painted.get("name") if painted is not None else None
    if body.tag == "mesh":
        file = body.get("filename")
        if not file:
            raise InputError(f"{where} names no mesh file", "give the mesh a filename")
        scale = read_numbers(body, "scale", (1.0, 1.0, 1.0), where)
        return UrdfShape("mesh", T, name, file=file, scale=scale, material=material)
    if body.tag == "box":
        size = read_numbers(body, "size", None, where, count=3)
    elif body.tag == "sphere":
        size = np.array([read_number(body, "radius", None, where)])
    elif body.tag == "cylinder":
        size = np.array([read_number(body, "radius", None, where), read_number(body, "length", None, where)])
    else:
        raise InputError(f"{where} is a '{body.tag[:40]}'", "use mesh, box, cylinder or sphere")
    if not (size > 0).all():
        raise InputError(f"{where} has a size that is not positive", "give lengths above zero")
    return UrdfShape(body.tag, T, name, size=size, material=material)


def _read_inertial(document: UrdfDocument, link: ET.Element, name: str) -> Inertia | None:
    element = link.find("inertial")
    if element is None:
        return None
    where = f"the inertial of link '{name}'"
    T = read_origin(element, where)
    mass_element, tensor_element = element.find("mass"), element.find("inertia")
    mass = read_number(mass_element, "value", 0.0, where) if mass_element is not None else 0.0
    if mass <= 0.0:
        document.notes.append(f"{where} states no positive mass and is left out")
        return None
    xx, yy, zz, xy, xz, yz = (
        read_number(tensor_element, key, 0.0, where) if tensor_element is not None else 0.0
        for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertia(mass, T[:3, 3], T[:3, :3] @ tensor @ T[:3, :3].T)


def _read_joint(document: UrdfDocument, element: ET.Element) -> UrdfJoint:
    name = read_name(element, "joint")
    where = f"joint '{name}'"
    kind = element.get("type", "")
    if kind not in URDF_JOINT_KINDS:
        raise InputError(
            f"{where}: {unknown('type', kind, URDF_JOINT_KINDS).problem}", f"use one of: {', '.join(URDF_JOINT_KINDS)}"
        )
    if kind in ("floating", "planar"):
        document.notes.append(f"{where} is {kind}, which has no single axis, and is held fixed")
        kind = "fixed"
    parent, child = _read_end(element, "parent", where), _read_end(element, "child", where)
    pose, axis = read_origin(element, where), _read_axis(document, element, kind, where)
    effort, velocity = _read_drive_limits(element, where)
    lower, upper = _read_limits(document, element, kind, where)
    damping, friction = _read_resistance(element, where)
    return UrdfJoint(
        name, kind, parent, child, pose, axis, lower, upper, _read_mimic(element, kind, where),
        damping, friction, effort, velocity,
    )  # fmt: skip


def _read_end(element: ET.Element, end: str, where: str) -> str:
    """The name of the link at one end of a joint, `parent` or `child`."""
    child = element.find(end)
    link = child.get("link") if child is not None else None
    if not link:
        raise InputError(f"{where} has no {end}", f'add <{end} link="..."/>')
    return link


def _read_axis(document: UrdfDocument, element: ET.Element, kind: str, where: str) -> Array:
    child = element.find("axis")
    axis = np.array([1.0, 0.0, 0.0])
    if child is None or kind == "fixed":
        return axis
    axis = read_numbers(child, "xyz", (1.0, 0.0, 0.0), f"the axis of {where}")
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        raise InputError(f"the axis of {where} is zero", "give the direction it turns about or slides along")
    if abs(length - 1.0) > 1e-4:
        document.notes.append(f"the axis of {where} has length {length:g} and is normalised")
    # A unit axis as written stays bit for bit what it was.
    return axis / length if abs(length - 1.0) > 1e-15 else axis


def _read_drive_limits(element: ET.Element, where: str) -> tuple[float | None, float | None]:
    """The largest effort [N or N m] and velocity [m/s or rad/s] of a joint; None where there is no bound."""
    child = element.find("limit")
    if child is None:
        return None, None
    effort, velocity = (read_number(child, key, math.inf, where, infinite=True) for key in ("effort", "velocity"))
    return effort if abs(effort) < UNBOUNDED else None, velocity if abs(velocity) < UNBOUNDED else None


def _read_limits(document: UrdfDocument, element: ET.Element, kind: str, where: str) -> tuple[float, float]:
    """The lower and upper limit of a joint [rad or m], infinite where there is none."""
    child = element.find("limit")
    if child is None or kind not in ("revolute", "prismatic"):
        return -math.inf, math.inf
    if child.get("lower") is None and child.get("upper") is None:
        return -math.inf, math.inf
    # The standard's default for one that is missing beside one that is there.
    lower, upper = (read_number(child, key, 0.0, where, infinite=True) for key in ("lower", "upper"))
    if lower > upper:
        document.notes.append(f"the limits of {where} are the wrong way round ({lower:g} to {upper:g}) and are swapped")
        lower, upper = upper, lower
    if lower >= UNBOUNDED or upper <= -UNBOUNDED:
        raise InputError(f"the limits of {where} leave it no room", "give finite limits")
    return lower if lower > -UNBOUNDED else -math.inf, upper if upper < UNBOUNDED else math.inf


def _read_resistance(element: ET.Element, where: str) -> tuple[float, float]:
    """The damping and the friction of a joint."""
    child = element.find("dynamics")
    if child is None:
        return 0.0, 0.0
    damping, friction = (read_number(child, key, 0.0, where) for key in ("damping", "friction"))
    for key, value in (("damping", damping), ("friction", friction)):
        if value < 0:
            raise InputError(f"the {key} of {where} is {value:g}", "give zero or more")
    return damping, friction


def _read_mimic(element: ET.Element, kind: str, where: str) -> tuple[str, float, float] | None:
    child = element.find("mimic")
    if child is None or kind == "fixed":
        return None
    leader = child.get("joint")
    if not leader:
        raise InputError(f"the mimic of {where} names no joint", 'add joint="..."')
    return leader, read_number(child, "multiplier", 1.0, where), read_number(child, "offset", 0.0, where)
