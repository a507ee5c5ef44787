"""Read an MJCF file as an articulated object, in plain Python: MuJoCo need not be there.

Bodies become links, hinges and slides joints. Several joints of one body are a chain of links without shapes between
them, a ball three hinges about x, y and z, a free body six joints, or, where it is all there is, a floating base. The
coordinates count from the pose of the file, as qpos - qpos0 does. Couplings of joints that are linear become mimics.
"""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from neurok.errors import InputError
from neurok.files.mjcf.assets import choose_paint, read_materials, read_meshes
from neurok.files.mjcf.geoms import MjcfGeom, MjcfMesh, choose_shown, read_geom
from neurok.files.mjcf.joints import MjcfFreedom, couple_joints, read_freedoms
from neurok.files.mjcf.poses import MjcfAngles, read_pose, read_vector
from neurok.files.mjcf.statements import MjcfStatements, read_statements
from neurok.files.mjcf.weights import read_weight, scale_total
from neurok.files.names import make_unique
from neurok.files.registry import Asset
from neurok.files.source import Source
from neurok.files.urdf.document import UrdfDocument, UrdfLink
from neurok.files.urdf.shapes import UrdfMeshes, assemble_mesh
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Inertia, Joint, Link
from neurok.geometry.mesh import Mesh
from neurok.geometry.rigid import inverse

MAX_DEPTH = 400  # bodies inside each other
LEFT_OUT = ("replicate", "composite", "flexcomp", "attach", "plugin")


@dataclass
class MjcfBody:
    """A body: where it is, [4, 4], what it is part of (-1: the world), what lies in it. is_free: held by nothing."""

    name: str
    T_world: Array
    parent: int
    freedoms: list[MjcfFreedom] = field(default_factory=list)
    geoms: list[MjcfGeom] = field(default_factory=list)
    inertial: ET.Element | None = None
    is_free: bool = False


@dataclass
class MjcfReader:
    """What reading a file needs at hand."""

    statements: MjcfStatements
    angles: MjcfAngles
    document: UrdfDocument
    meshes: Mapping[str, MjcfMesh]
    load: Callable[[str], Mesh | None]
    bodies: list[MjcfBody] = field(default_factory=list)

    def read_body(self, element: ET.Element, T: Array, parent: int, childclass: str | None, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise InputError(f"bodies lie more than {MAX_DEPTH} deep inside each other", "flatten the file")
        values = element.attrib
        name = values.get("name") or f"body_{len(self.bodies)}"
        place = T @ read_pose(values, self.angles, f"body '{name}'")
        if not np.isfinite(place).all() or np.abs(place).max() > 1e12:
            raise InputError(f"body '{name}' lies immeasurably far away", "check the positions")
        index = len(self.bodies)
        self.bodies.append(MjcfBody(name, place, parent))
        self.read_content(element, index, np.eye(4), values.get("childclass", childclass), depth)

    def read_content(self, element: ET.Element, index: int, T: Array, childclass: str | None, depth: int) -> None:
        """What lies in a body, or in a frame of it; T: of the frame in the body."""
        if depth > MAX_DEPTH:
            raise InputError(f"frames lie more than {MAX_DEPTH} deep inside each other", "flatten the file")
        body = self.bodies[index]
        for child in element:
            if child.tag == "body":
                self.read_body(child, body.T_world @ T, index, childclass, depth + 1)
            elif child.tag == "frame":
                inner = T @ read_pose(child.attrib, self.angles, f"a frame of body '{body.name}'")
                self.read_content(child, index, inner, child.get("childclass", childclass), depth + 1)
            elif child.tag == "geom":
                self._read_geom(child, body, T, childclass)
            elif child.tag == "freejoint" or (child.tag == "joint" and child.get("type") == "free"):
                body.is_free = True
            elif child.tag == "joint":
                values = self.statements.resolve(child, "joint", childclass)
                number = sum(len(each.freedoms) for each in self.bodies)
                limited = self.statements.compiler.get("autolimits", "true") == "true"
                found = read_freedoms(values, T, self.angles, f"joint_{number}", autolimits=limited)
                body.is_free |= values.get("type") == "free"
                body.freedoms += found
            elif child.tag == "inertial" and self.statements.compiler.get("inertiafromgeom", "auto") != "true":
                body.inertial = child
            elif child.tag in LEFT_OUT:
                self.document.notes.append(f"a <{child.tag}> of body '{body.name}' is left out")

    def _read_geom(self, child: ET.Element, body: MjcfBody, T: Array, childclass: str | None) -> None:
        values = self.statements.resolve(child, "geom", childclass)
        is_ground = values.get("type") == "plane" and body.parent < 0
        paint = choose_paint(values, self.document, f"a geom of body '{body.name}'")
        geom = None if is_ground else read_geom(child, values, T, self.angles, self.meshes, self.load, paint)
        if geom is not None:
            body.geoms.append(geom)
        else:
            kind = "plane that is the ground" if is_ground else str(values.get("type", "geom"))
            self.document.notes.append(f"a {kind} of body '{body.name}' is left out")


def read(source: Source) -> Asset:
    """The bodies' geoms as one mesh [m, z up] in the pose of the file, and the joints between them."""
    statements = read_statements(source)
    document = UrdfDocument(statements.root.get("model") or "object")
    shelf = UrdfMeshes(source, document)
    read_materials(statements, document, source)
    meshes = read_meshes(statements, shelf)
    angles = MjcfAngles.of(statements.compiler)
    reader = MjcfReader(statements, angles, document, meshes, shelf.load_file)
    reader.bodies.append(MjcfBody("world", np.eye(4), -1))
    for section in statements.root.findall("worldbody"):
        reader.read_content(section, 0, np.eye(4), section.get("childclass"), 0)
    weights = scale_total([_weigh_body(reader, body) for body in reader.bodies], statements.compiler)
    records, links, joints, floating = build_tree(reader.bodies, weights)
    joints = couple_joints(joints, statements, document.notes)
    document.notes += statements.notes
    mesh, vertex_link = assemble_mesh(source, document, records, links, shelf)
    notes = tuple(dict.fromkeys(document.notes))
    articulation = Articulation(mesh, vertex_link, links, joints, document.name, notes, floating)
    return Asset(mesh, articulation=articulation, notes=notes)


def _weigh_body(reader: MjcfReader, body: MjcfBody) -> Inertia | None:
    """What a body weighs: as stated, else by its geoms; None for the world."""
    if body.parent < 0:
        return None
    least, most = read_vector(reader.statements.compiler, "inertiagrouprange", "the compiler", (0.0, 5.0), 2)
    counted = [geom.weight for geom in body.geoms if least <= geom.group <= most]
    return read_weight(body.inertial, counted, reader.statements.compiler,
                       reader.angles, f"the inertial of body '{body.name}'")  # fmt: skip


def build_tree(
    bodies: list[MjcfBody], weights: list[Inertia | None]
) -> tuple[list[UrdfLink], tuple[Link, ...], tuple[Joint, ...], bool]:
    """Links and joints of the bodies; the world is a link unless it is bare and one free or fixed body stands in it."""
    tops = [index for index, body in enumerate(bodies) if body.parent == 0]
    alone = len(tops) == 1 and not bodies[0].geoms and not bodies[tops[0]].freedoms
    floating = alone and bodies[tops[0]].is_free
    records: list[UrdfLink] = []
    links: list[Link] = []
    joints: list[Joint] = []
    number: dict[int, int] = {}
    for index, (body, weight) in enumerate(zip(bodies, weights)):
        if index == 0 and alone:
            continue
        shown, solid = choose_shown(body.geoms)
        above = number.get(body.parent, -1)
        if above >= 0:
            for freedom in (_free_body(body.name) if body.is_free else body.freedoms)[:-1]:
                above = _add_freedom(links, joints, records, body, freedom, above)
        number[index] = len(links)
        records.append(UrdfLink(body.name, shown, solid, weight))
        links.append(Link(body.name, body.T_world, weight))
        if above >= 0:
            last = (_free_body(body.name) if body.is_free else body.freedoms)[-1:]
            joints.append(_make_joint(links, body, last[0] if last else None, above, number[index]))
    fresh = make_unique(link.name for link in links)
    names = make_unique(joint.name for joint in joints)
    return (
        [replace(record, name=name) for record, name in zip(records, fresh)],
        tuple(replace(link, name=name) for link, name in zip(links, fresh)),
        tuple(replace(joint, name=name) for joint, name in zip(joints, names)),
        floating,
    )


def _free_body(name: str) -> list[MjcfFreedom]:
    """Three slides, then three hinges, that let a body go anywhere."""
    rows = [(kind, axis) for kind in ("prismatic", "revolute") for axis in range(3)]
    words = {"prismatic": "moves along", "revolute": "turns about"}
    return [
        MjcfFreedom(f"{name} {words[kind]} {'xyz'[axis]}", kind, np.zeros(3), np.eye(3)[axis]) for kind, axis in rows
    ]


def _add_freedom(
    links: list[Link], joints: list[Joint], records: list[UrdfLink], body: MjcfBody, freedom: MjcfFreedom, above: int
) -> int:
    """One joint of several of a body, and the bare link below it; that link's number."""
    name = f"{body.name} below {freedom.name}"
    links.append(Link(name, body.T_world))
    records.append(UrdfLink(name, (), (), None))
    joints.append(_make_joint(links, body, freedom, above, len(links) - 1))
    return len(links) - 1


def _make_joint(links: list[Link], body: MjcfBody, freedom: MjcfFreedom | None, above: int, below: int) -> Joint:
    T = inverse(links[above].T_world_link) @ body.T_world
    if freedom is None:
        return Joint(f"{body.name}_mount", "fixed", above, below, T, np.array([1.0, 0.0, 0.0]))
    shift = np.eye(4)
    shift[:3, 3] = freedom.place
    return Joint(
        freedom.name, freedom.kind, above, below, T @ shift, freedom.axis, *freedom.limits, damping=freedom.damping,
        friction=freedom.friction, effort=freedom.effort,
    )  # fmt: skip
