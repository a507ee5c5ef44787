"""Write an articulation as URDF: NAME, and beside it STEM_meshes/ with an OBJ and a hull for each link.

URDF has no screw and no cylindrical joint: each becomes a prismatic joint,
a helper link without geometry and a turning joint, the screw's slide
following its angle by a <mimic>. Our reader makes one joint of them again.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

import numpy as np

from neurok.errors import OutputError
from neurok.files import obj, stl
from neurok.files.bodies import LinkBody, build_bodies, convert_to_z_up
from neurok.files.contacts import find_joined_pairs, find_touching_pairs
from neurok.files.hulls import MIN_HULL_VOLUME
from neurok.files.names import make_unique
from neurok.files.urdf.document import UNBOUNDED
from neurok.files.urdf.visuals import split_visuals
from neurok.files.xmltext import (
    clean_xml_text,
    format_number,
    format_numbers,
    make_unique_text,
    name_freedoms,
    widen_range,
)
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Inertia, Joint
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import area_vectors
from neurok.materials.link_matter import LinkMatter

HELPER_SHARE = 1e-6  # of a link's inertia, for the helper link below it


def write(articulation: Articulation, folder: Path, name: str) -> None:
    """Write NAME and its meshes into a folder; metres, z up."""
    if not isinstance(articulation, Articulation):
        raise OutputError("URDF holds joints, and this object has none", "use .glb, .usdc, .obj or .ply")
    articulation = convert_to_z_up(articulation)
    parts = build_bodies(articulation)
    meshes = f"{PurePosixPath(name).stem}_meshes"
    robot = ET.Element("robot", name=make_unique_text([articulation.name])[0])
    shown = _name_visuals([split_visuals(body.mesh) if body.mesh is not None else [] for body in parts])
    _write_mujoco_options(
        robot, (mesh for found in shown for _, mesh in found), contact=_may_collide(articulation, parts)
    )
    roots = _roots(robot, articulation, parts)
    (folder / meshes).mkdir()
    for index, body in enumerate(parts):
        bare = index in roots and body.mesh is None and articulation.links[index].inertia is None
        robot.append(_write_link(body, shown[index], folder / meshes, inertial=not bare))
    _write_joints(robot, articulation, parts)
    ET.indent(robot)
    (folder / name).write_bytes(ET.tostring(robot, encoding="utf-8", xml_declaration=True) + b"\n")


def _name_visuals(shown: list[list[tuple[str, Mesh]]]) -> list[list[tuple[str, Mesh]]]:
    """The visuals of every link, each name once in the whole file: MuJoCo drops a name it has seen, with a warning."""
    texts = [clean_xml_text(name) for found in shown for name, _ in found]
    fresh = iter(make_unique(text for text in texts if text))
    return [[(next(fresh) if clean_xml_text(name) else "", mesh) for name, mesh in found] for found in shown]


def _write_mujoco_options(robot: ET.Element, meshes: Iterable[Mesh], *, contact: bool) -> None:
    """What MuJoCo should keep: visuals, fixed links, folders in file names. Other simulators skip this element."""
    shown = all(_is_mujoco_solid(mesh) for mesh in meshes)
    options = {
        "discardvisual": "false" if shown else "true",  # one flat visual, and MuJoCo would refuse the whole file
        "fusestatic": "false",
        "strippath": "false",
    }
    element = ET.SubElement(robot, "mujoco")
    ET.SubElement(element, "compiler", options)
    if not contact:
        element.append(ET.Comment(" colliders meet, and URDF cannot exclude pairs of links from contact; MJCF can "))
        ET.SubElement(ET.SubElement(element, "option"), "flag", contact="disable")


def _may_collide(articulation: Articulation, parts: Sequence[LinkBody]) -> bool:
    """Whether MuJoCo may test for contacts without throwing links apart, or stopping them on their way.

    It tests links that a joint connects, too, where one of them never moves or a helper lies between them.
    """
    moved = np.asarray(articulation.path.any(axis=1))
    pairs = {tuple(sorted((j.parent, j.child))) for j in articulation.joints if j.kind in ("screw", "cylindrical")}
    untested = {(a, b) for a, b in find_joined_pairs(articulation, parts) if moved[a] and moved[b]} - pairs
    return not find_touching_pairs(articulation, parts) - untested


def _is_mujoco_solid(mesh: Mesh) -> bool:
    """Whether MuJoCo takes a mesh as a solid: it adds up the tetrahedra between its faces and its middle."""
    if mesh.vertex_count < 4:
        return False
    areas = area_vectors(mesh.vertices, mesh.faces)
    weights = np.linalg.norm(areas, axis=1)
    if not weights.sum() > MIN_HULL_VOLUME:
        return False
    centres = mesh.vertices[mesh.faces].mean(axis=1)
    middle = weights @ centres / weights.sum()
    volume = np.abs(np.einsum("md,md->m", centres - middle, areas)).sum() / 3.0
    return bool(volume > MIN_HULL_VOLUME)


def _roots(robot: ET.Element, articulation: Articulation, parts: Sequence[LinkBody]) -> set[int]:
    """The links without a joint above them; several, or one that is not at the origin, hang on a link of our own."""
    roots = [index for index, above in enumerate(articulation.parent_joint) if above < 0]
    if len(roots) == 1 and np.allclose(parts[roots[0]].T_world_body, np.eye(4), atol=1e-12):
        return set(roots)
    names = make_unique_text([*(body.name for body in parts), "base"])
    joints = make_unique_text(
        [*name_freedoms(articulation).values(), *(f"{parts[index].name}_mount" for index in roots)]
    )
    ET.SubElement(robot, "link", name=names[-1])
    for index, name in zip(roots, joints[-len(roots) :]):
        mount = ET.SubElement(robot, "joint", name=name, type="fixed")
        _write_ends(mount, parts[index].T_parent_body, names[-1], parts[index].name)
    return set()


def _write_link(body: LinkBody, shown: list[tuple[str, Mesh]], folder: Path, *, inertial: bool) -> ET.Element:
    """The element of a link, its meshes written into the folder."""
    link = ET.Element("link", name=body.name)
    if inertial:
        _write_inertial(link, body.inertia)
    _write_contact(link, body.matter)
    for place, (name, mesh) in enumerate(shown):
        file = f"{body.file}.obj" if len(shown) == 1 else f"{body.file}_{place}.obj"
        obj.write(mesh, folder, file)
        visual = ET.SubElement(link, "visual", {"name": name} if name else {})
        ET.SubElement(ET.SubElement(visual, "geometry"), "mesh", filename=f"{folder.name}/{file}")
    for place, hull in enumerate(body.hulls):
        file = f"{body.file}_hull.stl" if len(body.hulls) == 1 else f"{body.file}_hull_{place}.stl"
        stl.write(hull, folder, file)
        collision = ET.SubElement(ET.SubElement(link, "collision"), "geometry")
        ET.SubElement(collision, "mesh", filename=f"{folder.name}/{file}")
    return link


def _write_contact(link: ET.Element, matter: LinkMatter) -> None:
    """Friction and restitution in the element that Bullet reads, and that others skip."""
    stated = {"lateral_friction": matter.friction, "restitution": matter.restitution}
    if any(value is not None for value in stated.values()):
        element = ET.SubElement(link, "contact")
        for name, value in stated.items():
            if value is not None:
                ET.SubElement(element, name, value=format_number(value))


def _write_inertial(link: ET.Element, inertia: Inertia) -> None:
    element = ET.SubElement(link, "inertial")
    ET.SubElement(element, "origin", xyz=format_numbers(inertia.centre), rpy="0 0 0")
    ET.SubElement(element, "mass", value=format_number(inertia.mass))
    I = inertia.tensor
    entries = {"ixx": I[0, 0], "ixy": I[0, 1], "ixz": I[0, 2], "iyy": I[1, 1], "iyz": I[1, 2], "izz": I[2, 2]}
    ET.SubElement(element, "inertia", {key: format_number(value) for key, value in entries.items()})


# ---------------------------------------------------------------- joints


def _write_joints(robot: ET.Element, articulation: Articulation, parts: Sequence[LinkBody]) -> None:
    names = name_freedoms(articulation)
    pairs = [index for index, joint in enumerate(articulation.joints) if joint.kind in ("screw", "cylindrical")]
    helpers = make_unique_text(
        [*(body.name for body in parts), *(f"{parts[articulation.joints[i].child].name}_helper" for i in pairs)]
    )[len(parts) :]
    for index, joint in enumerate(articulation.joints):
        parent, child = parts[joint.parent], parts[joint.child]
        follow = _describe_mimic(joint, names)
        if index not in pairs:
            element = ET.SubElement(robot, "joint", name=names[index, "turn"], type=joint.kind)
            _write_ends(element, child.T_parent_body, parent.name, child.name)
            _write_freedom(element, joint, (joint.lower, joint.upper), follow)
            continue
        helper = helpers[pairs.index(index)]
        robot.append(_write_helper(helper, child.inertia))
        slide = ET.SubElement(robot, "joint", name=names[index, "slide"], type="prismatic")
        _write_ends(slide, child.T_parent_body, parent.name, helper)
        bounded = np.isfinite((joint.lower, joint.upper)).any()
        turn = ET.SubElement(robot, "joint", name=names[index, "turn"], type="revolute" if bounded else "continuous")
        _write_ends(turn, np.eye(4), helper, child.name)
        _write_freedom(turn, joint, (joint.lower, joint.upper), follow)
        if joint.kind == "screw":
            led = {"joint": names[index, "turn"], "multiplier": format_number(joint.pitch), "offset": "0"}
            _write_freedom(slide, joint, _find_slide_limits(joint), led, resists=False)
        else:
            _write_freedom(slide, joint, joint.slide, follow)


def _write_helper(name: str, carried: Inertia) -> ET.Element:
    """A link without geometry, with just the inertia that simulators insist on."""
    link = ET.Element("link", name=name)
    size = float(np.trace(carried.tensor))
    _write_inertial(link, Inertia(HELPER_SHARE * carried.mass, np.zeros(3), HELPER_SHARE * size * np.eye(3)))
    return link


def _find_slide_limits(joint: Joint) -> tuple[float, float]:
    """How far a screw moves along its axis [m]; a screw without pitch not at all."""
    if joint.pitch == 0.0:
        return 0.0, 0.0
    lower, upper = sorted((joint.pitch * joint.lower, joint.pitch * joint.upper))
    return lower, upper


def _write_ends(element: ET.Element, T: Array, parent: str, child: str) -> None:
    ET.SubElement(
        element, "origin", xyz=format_numbers(T[:3, 3]), rpy=format_numbers(compute_roll_pitch_yaw(T[:3, :3]))
    )
    ET.SubElement(element, "parent", link=parent)
    ET.SubElement(element, "child", link=child)


def _write_freedom(
    element: ET.Element,
    joint: Joint,
    limits: tuple[float, float],
    mimic: Mapping[str, str] | None,
    *,
    resists: bool = True,
) -> None:
    kind = element.get("type")
    if kind == "fixed":
        return
    ET.SubElement(element, "axis", xyz=format_numbers(joint.axis))
    stated = {"effort": joint.effort, "velocity": joint.velocity} if resists else {}
    if kind != "continuous" or any(value is not None for value in stated.values()):
        bounds = dict(zip(("lower", "upper"), widen_range(*limits))) if kind != "continuous" else {}
        for key in ("effort", "velocity"):
            value = stated.get(key)
            bounds[key] = np.inf if value is None else value
        ET.SubElement(
            element, "limit", {k: format_number(np.clip(v, -UNBOUNDED, UNBOUNDED)) for k, v in bounds.items()}
        )
    if resists and (joint.damping or joint.friction):
        ET.SubElement(element, "dynamics", damping=format_number(joint.damping), friction=format_number(joint.friction))
    if mimic is not None:
        ET.SubElement(element, "mimic", dict(mimic))


def _describe_mimic(joint: Joint, names: Mapping[tuple[int, str], str]) -> dict[str, str] | None:
    if joint.mimic is None:
        return None
    leader = names[joint.mimic.joint, "turn"]
    return {
        "joint": leader,
        "multiplier": format_number(joint.mimic.multiplier),
        "offset": format_number(joint.mimic.offset),
    }


def compute_roll_pitch_yaw(R: Array) -> Array:
    """Angles with R = Rz(yaw) Ry(pitch) Rx(roll), [3, 3] -> [3]; exact at a pitch of 90 degrees too."""
    yaw = np.arctan2(R[1, 0], R[0, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    # Whatever the yaw, the rest is Ry Rx and well conditioned.
    rest = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ R
    return np.array([np.arctan2(-rest[1, 2], rest[1, 1]), np.arctan2(-rest[2, 0], rest[0, 0]), yaw])
