"""Articulations of our own making, and where their links go by the definition."""

import numpy as np
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from neurok.geometry.articulation import Articulation, Inertia, Joint, Link, Mimic
from neurok.geometry.mesh import NO_LABELS, Material, Mesh, Part, Texture, TextureUse


def place(xyz=(0.0, 0.0, 0.0), rpy=(0.0, 0.0, 0.0)):
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("xyz", rpy).as_matrix()
    T[:3, 3] = xyz
    return T


def block(size, T=None):
    """Corners and faces of a closed box, moved by T."""
    corners = np.array([[i, j, k] for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)]) * size
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    T = np.eye(4) if T is None else T
    return corners @ T[:3, :3].T + T[:3, 3], faces


def assemble(names, joints, sizes, *, inertias=None, T_root=None, materials=(), **options):
    """Boxes as links, joined; a size of None is a link without geometry. Frames as URDF has them."""
    frames = {0: np.eye(4) if T_root is None else T_root}
    for _ in joints:
        for joint in joints:
            if joint.parent in frames:
                frames[joint.child] = frames[joint.parent] @ joint.origin
    vertices, faces, owner, face_owner, count = [], [], [], [], 0
    for index, size in enumerate(sizes):
        if size is None:
            continue
        v, f = block(size, frames[index])
        vertices.append(v)
        faces.append(f + count)
        owner += [index] * len(v)
        face_owner += [index] * len(f)
        count += len(v)
    face_owner = np.array(face_owner)
    mesh = Mesh(
        np.concatenate(vertices), np.concatenate(faces), parts=tuple(Part(name) for name in names),
        face_part=face_owner, materials=materials,
        face_material=face_owner % len(materials) if materials else NO_LABELS,
        up=options.pop("up", "z"), unit=options.pop("unit", 1.0),
    )  # fmt: skip
    links = tuple(Link(name, frames[index], inertias[index] if inertias else None) for index, name in enumerate(names))
    return Articulation(mesh, np.array(owner), links, tuple(joints), **options)


def unit(*axis):
    return np.array(axis) / np.linalg.norm(axis)


def every_kind():
    """A tree with all joint kinds, skew axes, frames off the axes, limits of all sorts and two mimics."""
    joints = (
        Joint("mount", "fixed", 0, 1, place((0.1, 0.2, 0.3), (0.3, -1.2, 2.0)), unit(1, 0, 0)),
        Joint("door", "revolute", 1, 2, place((0.5, 0, 0.2), (0.2, np.pi / 2, 0.4)), unit(1, 2, -1), -0.4, 1.9,
              damping=0.3, friction=0.05, effort=7.0, velocity=2.5),
        Joint("wheel", "continuous", 2, 3, place((0, 0.6, 0), (0, 0, 1.0)), unit(0, 1, 1), damping=0.1),
        Joint("drawer", "prismatic", 1, 4, place((-0.5, 0, 0.4), (1.0, 0.1, -0.7)), unit(0, 0, -1), -0.1, 0.5),
        Joint("cap", "screw", 4, 5, place((0, 0, 0.7), (0.5, 0.2, 0.1)), unit(1, 1, 1), -2.0, 9.0, pitch=0.02),
        Joint("knob", "cylindrical", 3, 6, place((0.3, 0.3, 0.1), (0.2, 0.9, 0.1)), unit(-1, 0, 2), slide=(-0.1, 0.2)),
        Joint("twin", "revolute", 1, 7, place((0, -0.7, 0.1)), unit(0, 1, 0), -3.0, 3.0, mimic=Mimic(1, -0.5, 0.1)),
        Joint("lock", "cylindrical", 4, 8, place((0.4, 0.1, 0.6)), unit(0, 0, 1), -1.0, 1.0, slide=(-0.3, -0.1)),
        Joint("nut", "screw", 1, 9, place((-0.2, -0.7, 0.1)), unit(0, 1, 0), pitch=-0.05),
        Joint("free slide", "prismatic", 9, 10, place((0, 0, 0.5)), unit(0, 0, 1)),
    )  # fmt: skip
    names = ("base", "case", "door", "wheel", "drawer", "cap", "knob", "twin", "lock", "nut", "slider")
    sizes = [(1, 0.2, 0.3), (0.4, 0.5, 0.6), (0.2, 0.8, 0.1), (0.3, 0.3, 0.1), (0.5, 0.4, 0.2), (0.1, 0.1, 0.2),
             (0.1, 0.2, 0.1), (0.2, 0.2, 0.3), (0.1, 0.1, 0.1), (0.2, 0.1, 0.2), (0.2, 0.2, 0.1)]  # fmt: skip
    inertias = [None] * len(names)
    inertias[2] = Inertia(3.0, np.array([0.1, 0.2, 0.05]), np.diag([0.2, 0.3, 0.25]) + 0.01 * (1 - np.eye(3)))
    materials = (Material("red", (1.0, 0.2, 0.1, 1.0)), Material("blue", (0.1, 0.2, 1.0, 0.5), alpha_mode="BLEND"))
    return assemble(names, joints, sizes, inertias=inertias, materials=materials, name="every kind")


def picture(format="PNG", mode="RGB"):
    import io

    from PIL import Image

    buffer = io.BytesIO()
    Image.new(mode, (4, 4), "red").save(buffer, format)
    return buffer.getvalue()


def textured(mime="image/png", format="PNG"):
    """A revolute joint between two boxes, the second with a texture by corner."""
    material = Material("paint", textures={"base_color": TextureUse(Texture(picture(format), mime, "wood"))})
    joint = Joint("hinge", "revolute", 0, 1, place((0, 0, 0.5)), unit(1, 0, 0), -1.0, 1.0)
    made = assemble(("base", "lid"), (joint,), [(1, 1, 1), (1, 1, 0.2)], materials=(material,))
    from dataclasses import replace

    corner_uv = np.random.default_rng(0).uniform(size=(made.mesh.face_count, 3, 2))
    return replace(made, mesh=replace(made.mesh, corner_attributes={"uv0": corner_uv}))


def link_motions(articulation, theta):
    """X_link = prod exp([S_d] theta_d) along the path from the base; theta [D] -> [L, 4, 4]."""
    motions = []
    for link in range(len(articulation.links)):
        joints = []
        above = articulation.parent_joint[link]
        while above >= 0:
            joints.append(above)
            above = articulation.parent_joint[articulation.joints[above].parent]
        X = np.eye(4)
        for joint in reversed(joints):
            for value, freedom in zip(theta, articulation.freedoms):
                if freedom.joint == joint:
                    v, w = freedom.screw[:3], freedom.screw[3:]
                    twist = np.array([[0, -w[2], w[1], v[0]], [w[2], 0, -w[0], v[1]], [-w[1], w[0], 0, v[2]], [0] * 4])
                    X = X @ expm(twist * value)
        motions.append(X)
    return np.array(motions)
