"""A compiled model (mujoco.MjModel) as an articulated object, by its arrays alone: mujoco is not imported."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from neurok.files.colors import make_rgba
from neurok.files.mjcf.geoms import MjcfGeom
from neurok.files.mjcf.joints import MjcfFreedom
from neurok.files.mjcf.poses import make_rotation
from neurok.files.mjcf.reading import MjcfBody, build_tree
from neurok.files.registry import Asset
from neurok.files.source import Source
from neurok.files.urdf.document import UrdfDocument, UrdfMaterial, UrdfShape
from neurok.files.urdf.shapes import UrdfMeshes, assemble_mesh
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Inertia, Joint, Mimic
from neurok.geometry.mesh import Mesh

# The numbers of MuJoCo's own enumerations.
FREE, BALL, SLIDE, HINGE = range(4)
SHAPES = {0: "plane", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}
EQUAL_JOINTS = 2


def read_model(model: Any) -> Asset:
    """The geoms of a model as one mesh [m, z up] at qpos0, and the joints between its bodies."""
    document = UrdfDocument("model")
    shelf = UrdfMeshes(Source(Path("model.xml")), document)
    bodies = [MjcfBody("world", np.eye(4), -1)]
    for index in range(1, model.nbody):
        parent = int(model.body_parentid[index])
        T = bodies[parent].T_world @ _make_pose(model.body_pos[index], model.body_quat[index])
        bodies.append(MjcfBody(model.body(index).name or f"body_{index}", T, parent))
    for index in range(model.njnt):
        _add_joint(model, index, bodies[int(model.jnt_bodyid[index])])
    for index in range(model.ngeom):
        _add_geom(model, index, bodies[int(model.geom_bodyid[index])], document, shelf)
    weights = [_read_weight(model, index) for index in range(model.nbody)]
    records, links, joints, floating = build_tree(bodies, weights)
    joints = _couple_joints(model, joints, document)
    mesh, vertex_link = assemble_mesh(shelf.source, document, records, links, shelf)
    notes = tuple(dict.fromkeys(document.notes))
    return Asset(
        mesh, articulation=Articulation(mesh, vertex_link, links, joints, "model", notes, floating), notes=notes
    )


def _make_pose(place: Array, quaternion: Array) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = make_rotation(np.array(quaternion, dtype=np.float64), "a pose of the model"), place
    return T


def _add_joint(model: Any, index: int, body: MjcfBody) -> None:
    kind, name = int(model.jnt_type[index]), model.joint(index).name or f"joint_{index}"
    if kind == FREE:
        body.is_free = True
        return
    place, dof = np.array(model.jnt_pos[index]), int(model.jnt_dofadr[index])
    limits = tuple(map(float, model.jnt_range[index])) if model.jnt_limited[index] else (-np.inf, np.inf)
    rest = float(model.dof_damping[dof]), float(model.dof_frictionloss[dof])
    if kind == BALL:
        body.freedoms += [
            MjcfFreedom(f"{name} {'xyz'[i]}", "revolute", place, np.eye(3)[i], (-limits[1], limits[1]), *rest)
            for i in range(3)
        ]
        return
    start = float(model.qpos0[int(model.jnt_qposadr[index])])
    turning = "revolute" if model.jnt_limited[index] else "continuous"
    moved = limits[0] - start, limits[1] - start
    axis = np.array(model.jnt_axis[index], dtype=np.float64)
    body.freedoms.append(MjcfFreedom(name, "prismatic" if kind == SLIDE else turning, place, axis, moved, *rest))


def _add_geom(model: Any, index: int, body: MjcfBody, document: UrdfDocument, shelf: UrdfMeshes) -> None:
    kind, size = SHAPES.get(int(model.geom_type[index])), np.array(model.geom_size[index], dtype=np.float64)
    if kind is None or (kind == "plane" and (body.parent < 0 or not (size[:2] > 0).all())):
        document.notes.append(f"a {kind or 'height field'} of body '{body.name}' is left out")
        return
    material = int(model.geom_matid[index])
    rgba = model.mat_rgba[material] if material >= 0 else model.geom_rgba[index]
    paint = " ".join(f"{x:.4g}" for x in rgba)
    document.paints.setdefault(paint, UrdfMaterial(make_rgba(np.clip(np.array(rgba, dtype=np.float64), 0.0, 1.0))))
    full = {
        "sphere": size[:1], "capsule": size[:2] * [1, 2], "cylinder": size[:2] * [1, 2], "ellipsoid": size,
        "box": 2 * size, "plane": 2 * size[:2], "mesh": np.ones(3),
    }[kind]  # fmt: skip
    T = _make_pose(model.geom_pos[index], model.geom_quat[index])
    key = f"mesh {int(model.geom_dataid[index])}"
    if kind == "mesh" and key not in shelf.meshes:
        shelf.meshes[key] = _read_mesh(model, int(model.geom_dataid[index]))
    shape = UrdfShape(kind, T, model.geom(index).name, file=key, size=full, material=paint)
    collides = bool(model.geom_contype[index] or model.geom_conaffinity[index])
    body.geoms.append(MjcfGeom(shape, collides, int(model.geom_group[index]), None))


def _read_mesh(model: Any, index: int) -> Mesh:
    points, faces = int(model.mesh_vertadr[index]), int(model.mesh_faceadr[index])
    return Mesh(
        np.array(model.mesh_vert[points : points + int(model.mesh_vertnum[index])], dtype=np.float64),
        np.array(model.mesh_face[faces : faces + int(model.mesh_facenum[index])], dtype=np.int64),
    )


def _read_weight(model: Any, index: int) -> Inertia | None:
    mass = float(model.body_mass[index])
    if index == 0 or mass <= 0:
        return None
    T = _make_pose(model.body_ipos[index], model.body_iquat[index])
    tensor = T[:3, :3] @ np.diag(model.body_inertia[index]) @ T[:3, :3].T
    return Inertia(mass, T[:3, 3], tensor)


def _couple_joints(model: Any, joints: tuple[Joint, ...], document: UrdfDocument) -> tuple[Joint, ...]:
    """The joints with the model's linear couplings."""
    place = {joint.name: index for index, joint in enumerate(joints)}
    found = list(joints)
    for index in range(model.neq):
        if not model.eq_active0[index]:
            continue
        first, second = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
        data = np.array(model.eq_data[index][:5], dtype=np.float64)
        if int(model.eq_type[index]) != EQUAL_JOINTS or second < 0 or np.any(data[2:]):
            document.notes.append("an equality is left out: only linear ones of joints are kept")
            continue
        one, other = (place[model.joint(each).name or f"joint_{each}"] for each in (first, second))
        found[one] = replace(found[one], mimic=Mimic(other, float(data[1]), float(data[0])))
    return tuple(found)
