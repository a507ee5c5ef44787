"""Small objects with most of what a USD file can say."""

import io
from pathlib import Path

import numpy as np

from neurok.files.registry import Asset
from neurok.geometry.articulation import Articulation, Inertia, Joint, Link, Mimic
from neurok.geometry.mesh import Material, Mesh, Part, Texture, TextureUse, merge
from neurok.geometry.motion import Motion, Skin, rigid_skin
from neurok.geometry.rotation import rotation

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
QUADS = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
FACES = QUADS[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
TIME = np.arange(7) / 24


def image(color: tuple[int, int, int], kind: str = "PNG") -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (2, 2), color).save(stream, kind)
    return stream.getvalue()


def materials() -> tuple[Material, ...]:
    red = Texture(image((255, 0, 0)), "image/png", "red wood", {"wrapS": 33071, "wrapT": 10497})
    bumps = Texture(image((128, 128, 255), "JPEG"), "image/jpeg", "bumps")
    wood = Material(
        "red wood",
        (0.5, 0.25, 1.0, 1.0),
        metallic=0.5,
        roughness=0.25,
        emissive=(0.5, 0.0, 0.25),
        double_sided=True,
        textures={
            "base_color": TextureUse(
                red, extensions={"KHR_texture_transform": {"offset": [0.5, 0.25], "scale": [2, 2]}}
            ),
            "metallic_roughness": TextureUse(red),
            "normal": TextureUse(bumps, strength=1.0),
            "occlusion": TextureUse(bumps, strength=0.5),
            "emissive": TextureUse(red),
        },
    )
    glass = Material("glass", (0.0, 0.25, 0.5, 0.5), roughness=0.125, alpha_mode="BLEND")
    leaf = Material("leaf", (0.0, 1.0, 0.0, 1.0), alpha_mode="MASK", alpha_cutoff=0.25)
    return wood, glass, leaf


def box(offset=(0.0, 0.0, 0.0), names: tuple[str, ...] = ("box",), seed: int = 0) -> Mesh:
    """A unit box of quads with corner uvs, vertex colours and normals; a chain of parts, the last with the faces."""
    generator = np.random.default_rng(seed)
    return Mesh(
        CORNERS + np.asarray(offset),
        FACES,
        {"color": generator.uniform(size=(8, 4)), "normal": (CORNERS - 0.5) / np.sqrt(0.75)},
        {"uv0": CORNERS[FACES][..., :2] * 0.75},
        {"polygon": np.repeat(np.arange(6), 2)},
        materials(),
        np.array([0] * 4 + [1] * 4 + [2] * 4),
        tuple(Part(name, k - 1) for k, name in enumerate(names)),
        np.full(12, len(names) - 1),
        up="z",
        unit=0.01,
    )


def two_boxes(**changes) -> Mesh:
    whole = merge([box(names=("cabinet", "front panel")), box((2, 0, 0), ("Türe 1/2",), 1)])
    return Mesh(
        **{
            **vars(whole),
            "materials": materials(),
            "face_material": np.where(whole.face_material >= 3, whole.face_material - 3, whole.face_material),
            **changes,
        }
    )


def turning(angles, pivot=(2.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)) -> np.ndarray:
    """Turns about an axis through a pivot, [t, 4, 4]."""
    T = np.tile(np.eye(4), (len(angles), 1, 1))
    T[:, :3, :3] = rotation(np.asarray(angles)[:, None] * np.asarray(axis))
    T[:, :3, 3] = np.asarray(pivot) - T[:, :3, :3] @ np.asarray(pivot)
    return T


def hinge_transforms(count: int = len(TIME)) -> np.ndarray:
    """A still base, and a door that swings up to two radians, [t, 2, 4, 4]."""
    X = np.tile(np.eye(4), (count, 2, 1, 1))
    X[:, 1] = turning(np.linspace(0.0, 2.0, count))
    return X


def frames() -> np.ndarray:
    frames = np.tile(np.eye(4), (2, 1, 1))
    frames[1, :3, :3] = rotation(np.array([0.3, -0.2, 0.1]))
    frames[1, :3, 3] = [2, 0, 0]
    return frames


def rigid_motion(mesh: Mesh | None = None, name: str = "open it") -> Motion:
    skin = rigid_skin(np.repeat([0, 1], 8), ("base", "door leaf"), [-1, 0], frames())
    return Motion(mesh or two_boxes(), TIME, skin=skin, transforms=hinge_transforms(), name=name)


def skin_motion(mesh: Mesh | None = None, name: str = "bend") -> Motion:
    weights = np.random.default_rng(3).uniform(size=(16, 2))
    weights /= weights.sum(axis=1, keepdims=True)
    skin = Skin(np.tile([0, 1], (16, 1)), weights, ("root bone", "tip"), np.array([-1, 0]), frames())
    return Motion(
        mesh or two_boxes(), TIME, skin=skin, transforms=hinge_transforms(), name=name, facts={"kinetic": [1.5]}
    )


def dense_motion(mesh: Mesh | None = None, name: str = "wobble") -> Motion:
    mesh = mesh or two_boxes()
    shifts = np.random.default_rng(4).normal(size=(len(TIME), mesh.vertex_count, 3)) * 0.1
    return Motion(mesh, TIME, positions=(mesh.vertices + shifts).astype(np.float32), name=name)


def machine() -> Articulation:
    """One link and joint of every kind, in a chain, with a mimic."""
    kinds = ("revolute", "prismatic", "continuous", "screw", "cylindrical", "fixed")
    mesh = merge([box((2.0 * k, 0, 0), (f"link {k}",), k) for k in range(len(kinds) + 1)])
    mesh = Mesh(**{**vars(mesh), "up": "z", "unit": 1.0})
    poses = turning(0.3 * np.arange(7), axis=(0.6, 0.0, 0.8))
    tensor = np.diag([1.0, 2.0, 2.5]) + 0.1
    links = [Link(f"link {k}", poses[k], Inertia(1.0 + k, np.array([0.1, 0.2, k]), tensor)) for k in range(7)]
    joints = []
    axes = np.array([[0.6, 0.8, 0.0], [0, 0, -1.0], [0, 1.0, 0], [1.0, 0, 0], [0, -0.6, 0.8], [1.0, 0, 0]])
    for k, kind in enumerate(kinds):
        origin = np.linalg.inv(poses[k]) @ poses[k + 1]
        limits = {} if kind in ("continuous", "fixed") else {"lower": -0.5 - k, "upper": 1.25 + k}
        if kind == "cylindrical":
            limits["slide"] = (-0.25, 0.75)
        joints.append(
            Joint(
                f"joint {k}",
                kind,
                k,
                k + 1,
                origin,
                axes[k],
                pitch=0.125 if kind == "screw" else 0.0,
                damping=0.0 if kind == "fixed" else 0.25,
                **limits,
            )
        )
    joints[2] = Joint(
        **{**vars(joints[2]), "mimic": Mimic(0, -2.0, 0.5), "friction": 0.1, "effort": 3.0, "velocity": 2.0}
    )
    return Articulation(mesh, np.repeat(np.arange(7), 8), tuple(links), tuple(joints), "machine")


def read_here(path: Path) -> Asset:
    """Read a stage in this process: quicker, and faults of ours show themselves."""
    from neurok.files.usd.assets import read_asset
    from neurok.files.usd.layers import StageFolder

    return read_asset(path, StageFolder(path.name, path.parent.resolve()))
