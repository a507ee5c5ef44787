"""Meshes and motions of every kind that glTF is written for, small enough to check by hand."""

import io
from dataclasses import replace

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Material, Mesh, Part, Texture, TextureUse
from neurok.geometry.motion import Motion, Skin, rigid_skin

TIME = np.arange(31) / 30.0  # readers sample at 30 frames a second, so frames meet frames
HINGE = np.array([0.0, 0.25, 1.0])


def picture(color: tuple[int, int, int], kind: str = "PNG") -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (4, 4), color).save(stream, kind)
    return stream.getvalue()


def sheet(side: int, height: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A square of side x side vertices with its triangles."""
    x, y = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
    corner = np.arange(side * side).reshape(side, side)
    a, b, c, d = corner[:-1, :-1].ravel(), corner[:-1, 1:].ravel(), corner[1:, :-1].ravel(), corner[1:, 1:].ravel()
    faces = np.concatenate([np.stack([a, b, d], 1), np.stack([a, d, c], 1)])
    return np.stack([x.ravel(), y.ravel(), np.full(x.size, height)], axis=1), faces


def materials() -> tuple[Material, ...]:
    png = Texture(picture((200, 30, 30)), name="rot", sampler={"wrapS": 33071, "wrapT": 33648, "magFilter": 9729})
    jpeg = Texture(picture((30, 200, 30), "JPEG"), "image/jpeg", name="grün")
    shift = {"KHR_texture_transform": {"offset": [0.25, 0.5], "scale": [2.0, 2.0]}}
    painted = Material(
        "painted",
        base_color=(0.5, 0.25, 1.0, 0.75),
        metallic=0.25,
        roughness=0.5,
        emissive=(0.1, 0.2, 0.3),
        alpha_mode="MASK",
        alpha_cutoff=0.25,
        double_sided=True,
        textures={
            "base_color": TextureUse(png, extensions=shift),
            "metallic_roughness": TextureUse(jpeg, uv_set=1),
            "occlusion": TextureUse(jpeg, uv_set=1, strength=0.5),
            "emissive": TextureUse(png),
        },
        extensions={"KHR_materials_ior": {"ior": 1.25}},
    )
    return painted, Material("glass", (1.0, 1.0, 1.0, 0.5), metallic=1.0, alpha_mode="BLEND")


def mesh(**changes: object) -> Mesh:
    """Two sheets, one above the other: two parts below a group, two materials in each, all attributes."""
    (low, low_faces), (high, high_faces) = sheet(5), sheet(4, 1.0)
    vertices = np.concatenate([low, high])
    faces = np.concatenate([low_faces, high_faces + len(low)])
    shade = np.arange(4 * len(vertices)).reshape(-1, 4) % 256 / 255.0
    whole = Mesh(
        vertices=vertices,
        faces=faces,
        attributes={
            "normal": np.tile([0.0, 0.0, 1.0], (len(vertices), 1)),
            "uv0": vertices[:, :2].astype(np.float32),
            "uv1": vertices[:, [1, 0]].astype(np.float32),
            "color": shade,
        },
        materials=materials(),
        face_material=np.arange(len(faces)) % 2,
        parts=(Part("Gehäuse 箱"), Part("sheet", 0), Part("sheet", 0)),
        face_part=np.repeat([1, 2], [len(low_faces), len(high_faces)]),
    )
    return replace(whole, **changes)


def bumpy() -> Mesh:
    """With a normal map, and the tangents it needs."""
    whole = mesh()
    use = TextureUse(Texture(picture((128, 128, 255)), name="bumps"), strength=0.5)
    tangent = np.tile([1.0, 0.0, 0.0, -1.0], (whole.vertex_count, 1))
    bumped = replace(whole.materials[1], textures={"normal": use})
    return mesh(materials=(whole.materials[0], bumped), attributes=dict(whole.attributes) | {"tangent": tangent})


def interleaved(**changes: object) -> Mesh:
    """The same with vertices in a random order and three loose ones, so that no part is one block."""
    whole = mesh()
    count = whole.vertex_count + 3
    place = np.random.default_rng(1).permutation(count)[: whole.vertex_count]
    vertices = np.full((count, 3), 0.5)
    vertices[place] = whole.vertices
    attributes = {}
    for name, value in whole.attributes.items():
        attributes[name] = np.zeros((count, value.shape[1]), value.dtype)
        attributes[name][place] = value
    attributes["normal"][:] = 0.0, 0.0, 1.0
    return replace(whole, vertices=vertices, faces=place[whole.faces], attributes=attributes, **changes)


def turning(pivot: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Rotations about the x axis through a pivot, [t, 4, 4]."""
    T = np.tile(np.eye(4), (len(angles), 1, 1))
    T[:, :3, :3] = Rotation.from_rotvec(angles[:, None] * [1.0, 0.0, 0.0]).as_matrix()
    T[:, :3, 3] = pivot - T[:, :3, :3] @ pivot
    return T


def bones() -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    frames = np.tile(np.eye(4), (2, 1, 1))
    frames[1, :3, 3] = HINGE
    frames[1, :3, :3] = Rotation.from_euler("z", 30, degrees=True).as_matrix()
    return ("base", "flap ü"), np.array([-1, 0]), frames


def rigid(whole: Mesh | None = None, time: np.ndarray = TIME, **changes: object) -> Motion:
    """The upper sheet turns about a hinge."""
    whole = mesh() if whole is None else whole
    upper = np.zeros(whole.vertex_count, dtype=np.int64)
    upper[whole.faces[whole.face_part == 2]] = 1
    transforms = np.tile(np.eye(4), (len(time), 2, 1, 1))
    transforms[:, 1] = turning(HINGE, 2.0 * time)
    skin = rigid_skin(upper, *bones())
    return replace(Motion(whole, time, skin=skin, transforms=transforms, name="swing"), **changes)


def skinned(whole: Mesh | None = None, time: np.ndarray = TIME, *, width: int = 2, count: int = 2) -> Motion:
    """All vertices follow several of count bones that turn about the hinge at several speeds."""
    whole = mesh() if whole is None else whole
    rng = np.random.default_rng(2)
    joints = np.stack([rng.permutation(count)[:width] for _ in range(whole.vertex_count)])
    weights = rng.random((whole.vertex_count, width)) ** 3
    weights /= weights.sum(axis=1, keepdims=True)
    frames = np.tile(np.eye(4), (count, 1, 1))
    frames[:, :3, 3] = rng.random((count, 3))
    transforms = np.stack([turning(HINGE, speed * time) for speed in np.linspace(-1, 1, count)], axis=1)
    names = tuple(f"bone {i}" for i in range(count))
    skin = Skin(joints, weights, names, np.arange(count) - 1, frames)
    return Motion(whole, time, skin=skin, transforms=transforms, name="bend")


def dense(whole: Mesh | None = None, time: np.ndarray = TIME, **changes: object) -> Motion:
    """Waves that no few bones could make."""
    whole = mesh() if whole is None else whole
    positions = np.repeat(whole.vertices[None], len(time), axis=0)
    for index, moment in enumerate(time):
        x, y, _ = whole.vertices.T
        positions[index, :, 2] += 0.2 * np.sin(5 * x + 3 * moment) * np.cos(4 * y - 7 * moment)
        positions[index, :, 0] += 0.05 * np.sin(9 * y * moment)
    return replace(Motion(whole, time, positions=positions, name="wave"), **changes)


def articulation() -> Articulation:
    """The two sheets as links, the upper on a hinge, z up."""
    motion = rigid(mesh(up="z"))
    names, _, frames = bones()
    origin = frames[1]
    links = tuple(Link(name, frame) for name, frame in zip(names, frames))
    hinge = Joint("hinge", "revolute", 0, 1, origin, np.array([1.0, 0.0, 0.0]), -1.0, 1.0)
    return Articulation(motion.mesh, motion.skin.leader, links, (hinge,))
