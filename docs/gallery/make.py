"""`make gallery`: eight objects of our own as plain meshes, each moved by the shipped weights under one action.

Film strips go beside this file, motions as GLB to a folder (out/gallery), and so does everything made of real scans,
where the folder of real data is there. What an object can truly do only serves to say what is asked of it (take this
drawer by its edge and pull it along its way); the mesh that is moved has neither joints nor parts nor names.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from scipy.spatial import cKDTree

import neurok
from neurok.data import procedural
from neurok.data.procedural.procedural import ProceduralObject
from neurok.data.procedural.shapes import slab
from neurok.errors import NeurokError
from neurok.files.camera import CameraView
from neurok.files.facing_view import face_front
from neurok.files.ghost import TINT, TINT_SHARE
from neurok.files.joint_sheet import list_rows, render_joints
from neurok.files.pictures import render_film_strip
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh
from neurok.geometry.motion import Motion
from neurok.mechanics.conditions import Conditions, Pull, Velocity
from neurok.networks.out_of_distribution import score_mesh
from neurok.networks.weights import SHIPPED, load_model

HERE = Path(__file__).parent
FRAMES, SIDE = 6, 240  # of a strip, pixels
JOINT_SIDE = 240  # pixels of a picture in a sheet of joints
STEP = 1 / 120  # s
LINEN = Material("linen", (0.62, 0.16, 0.12, 1.0), roughness=0.9)
SOFT = 0.4  # stiffness of what hangs or stands: sags a little, swings slowly


@dataclass(frozen=True)
class Piece:
    """One object and what is asked of it; words: for people."""

    name: str
    words: str
    make: Callable[[], tuple[Mesh, Conditions]]  # the mesh with its materials


def plain(mesh: Mesh) -> Mesh:
    """The surface alone: no parts, no names; colours stay, since they are only looked at."""
    return Mesh(mesh.vertices, mesh.faces, attributes=_colours(mesh), up=mesh.up, unit=mesh.unit)


def dress(motion: Motion, look: Mesh) -> Motion:
    """The motion with the materials of a mesh, for the eye alone: each face has that of the nearest face at rest."""
    if not look.materials or any(material.textures for material in look.materials):  # these need coordinates as well
        return motion
    centres = [mesh.vertices[mesh.faces].mean(axis=1) for mesh in (look, motion.mesh)]
    face_material = look.face_material[cKDTree(centres[0]).query(centres[1])[1]]
    return replace(motion, mesh=replace(motion.mesh, materials=look.materials, face_material=face_material))


def _colours(mesh: Mesh) -> dict[str, np.ndarray]:
    return {name: value for name, value in mesh.attributes.items() if name == "color"}


def dragged(category: str, seed: int, share: float) -> tuple[Mesh, Conditions]:
    """An object whose farthest-moving point is taken along its true way, for so much of its range, and let go."""
    thing = procedural.make(category, seed)
    return thing.mesh, Conditions(pulls=(_pull(thing, share),), seconds=2.4, dt=STEP, damping=0.8)


def _pull(thing: ProceduralObject, share: float) -> Pull:
    lower, upper = thing.limits
    ends = share * np.where(upper >= -lower, upper, lower)
    ways = [_places(thing, index, end, np.array([1.0])) for index, end in enumerate(ends)]
    moved = np.array([np.linalg.norm(way[0] - thing.mesh.vertices, axis=1) for way in ways])
    index, vertex = np.unravel_index(moved.argmax(), moved.shape)
    pace = np.linspace(0.0, 1.0, 25)
    way = _places(thing, int(index), float(ends[index]), pace**2 * (3 - 2 * pace))[:, vertex]
    rows = tuple((float(t), *map(float, place)) for t, place in zip(0.9 * pace, way))
    return Pull(tuple(map(float, thing.mesh.vertices[vertex])), path=rows)


def _places(thing: ProceduralObject, index: int, end: float, shares: Array) -> Array:
    """All vertices while one coordinate goes to its end, [t, n, 3]."""
    states = np.zeros((len(shares), len(thing.names)))
    states[:, index] = shares * end
    return np.stack([thing.bones.blend(X, thing.mesh.vertices) for X in thing.transforms(states)])


def tilted() -> tuple[Mesh, Conditions]:
    """A cabinet whose floor is tilted forwards: gravity draws at what can open."""
    mesh = procedural.make("drawer_cabinet", 5).mesh
    down = -mesh.up_axis
    front = _horizontal(mesh)
    gravity = 9.81 * (np.cos(np.radians(25)) * down + np.sin(np.radians(25)) * front)
    return mesh, Conditions(gravity=_triple(gravity), seconds=2.4, dt=STEP)


def blown() -> tuple[Mesh, Conditions]:
    """A plant in the wind."""
    mesh = procedural.make("plant", 3).mesh
    return mesh, Conditions(wind=_triple(9.0 * _horizontal(mesh)), density=60.0, stiffness=SOFT, seconds=2.4, dt=STEP)


def dropped() -> tuple[Mesh, Conditions]:
    """A firm cushion that falls to the ground from half its width; its coordinates swing at about three hertz."""
    mesh = procedural.make("cushion", 3).mesh
    height = float((mesh.vertices @ mesh.up_axis).min()) - 0.5 * mesh.diagonal
    return mesh, Conditions(base="free", ground=True, ground_height=height, seconds=1.6, stiffness=10.0, dt=STEP)


def thrown() -> tuple[Mesh, Conditions]:
    """A quadruped thrown forwards and up."""
    mesh = procedural.make("quadruped", 3).mesh
    up, along = mesh.up_axis, _horizontal(mesh)
    speed = np.sqrt(9.81 * mesh.diagonal * mesh.unit) / mesh.unit
    velocity = _triple(speed * (1.0 * up + 0.8 * along))
    corners = [mesh.vertices[(mesh.vertices @ way).argmax()] for way in (up, along, -along, np.cross(up, along))]
    return mesh, Conditions(
        velocities=tuple(Velocity(_triple(corner), velocity) for corner in corners),
        base="free", ground=True, seconds=1.8, dt=STEP,
    )  # fmt: skip


def cloth() -> tuple[Mesh, Conditions]:
    """A hanging cloth in folds, dragged by a lower corner."""
    x, z = np.meshgrid(np.linspace(-0.35, 0.35, 33), np.linspace(1.0, 0.1, 41))
    folds = 0.03 * np.sin(6 * np.pi * (x + 0.35) / 0.7) * (1.1 - z)
    mesh = slab(np.stack([x, folds, z], axis=2), 0.006)
    mesh = Mesh(
        mesh.vertices, mesh.faces, up="z", materials=(LINEN,), face_material=np.zeros(mesh.face_count, dtype=np.int64)
    )
    corner = mesh.vertices[(mesh.vertices @ (1.0, 0.0, -1.0)).argmax()]
    pull = Pull(_triple(corner), by=(-0.15, -0.3, 0.15), end=0.9)
    return mesh, Conditions(pulls=(pull,), seconds=2.4, dt=STEP, damping=0.8)


def _horizontal(mesh: Mesh) -> Array:
    """The forward direction of an object, [3]: -y where z is up, +z where y is."""
    return np.array((0.0, -1.0, 0.0) if mesh.up == "z" else (0.0, 0.0, 1.0))


def _triple(vector: Array) -> tuple[float, float, float]:
    return tuple(float(x) for x in vector)


PIECES = (
    Piece("laptop", "a laptop: its lid is taken by the edge and let go", lambda: dragged("laptop", 3, 0.5)),
    Piece("cabinet", "tilt: a cabinet leans forward", tilted),
    Piece("pliers", "pliers are drawn open and let go", lambda: dragged("pliers", 3, 0.3)),
    Piece("plant", "wind: a plant at 9 m/s", blown),
    Piece("cushion", "drop: a cushion falls", dropped),
    Piece("cloth", "drag: a cloth is taken by a corner and let go", cloth),
    Piece("quadruped", "throw: an animal thrown forwards", thrown),
    Piece("lamp", "a lamp is bent by its head and let go", lambda: dragged("lamp", 3, 0.5)),
)


def show(name: str, words: str, mesh: Mesh, wishes: Conditions, model: object, strips: Path, motions: Path) -> None:
    """Animate the bare surface, draw the strip in its materials, write the motion, say what happened."""
    start = time.perf_counter()
    look, mesh = mesh, plain(mesh)
    trajectory = neurok.animate(neurok.kinematics(mesh, model), wishes)
    motion = dress(trajectory.motion(), look)
    strip = render_film_strip(motion, CameraView(elevation=22.0, margin=0.04), FRAMES, (SIDE, SIDE))
    Image.fromarray(strip).save(strips / f"{name}.jpg", quality=88, optimize=True)
    neurok.save(motion, motions / f"{name}.glb")
    known = score_mesh(mesh, SHIPPED)
    strange = "" if known is None else f"; {known.sentence}"
    print(f"{name}: {words}; {mesh.vertex_count} vertices{strange} ({time.perf_counter() - start:.1f} s)", flush=True)
    print(f"    {trajectory.status}", flush=True)


def draw_joints(path: Path) -> None:
    """A jointed object of our own: each joint from end to end, as `neurok render` draws it."""
    joints = procedural.make("refrigerator", 2).articulation
    rows = list_rows(joints)
    view = face_front(joints.mesh, [row.part for row in rows])
    sheet = render_joints(joints.mesh, rows, [TINT] * len(rows), view, (JOINT_SIDE, JOINT_SIDE), share=TINT_SHARE)
    Image.fromarray(sheet).save(path, quality=88, optimize=True)
    print(f"joints: {', '.join(row.caption for row in rows)}", flush=True)


def scans(data: Path) -> list[Path]:
    """Real scans, where they are."""
    return sorted((data / "scans").glob("*.glb")) if data.is_dir() else []


def main(words: list[str]) -> int:
    torch.set_num_threads(max(1, int(os.environ.get("OMP_NUM_THREADS", "2"))))
    out = Path(os.environ.get("GALLERY", "out/gallery"))
    (out / "scans").mkdir(parents=True, exist_ok=True)
    model = load_model()
    failed = 0
    for piece in PIECES:
        if words and piece.name not in words:
            continue
        show(piece.name, piece.words, *piece.make(), model, HERE, out)
    if not words or "joints" in words:
        draw_joints(HERE / "joints.jpg")
    for path in scans(Path(os.environ.get("NEUROK_SHARED_DATA", ".cache/data"))):
        if words and path.stem not in words and "scans" not in words:
            continue
        try:
            wishes = Conditions(seconds=2.0, dt=STEP, damping=0.8)
            show(path.stem, "a scan, released", neurok.load(path).mesh, wishes, model, out / "scans", out / "scans")
        except NeurokError as fault:
            failed += 1
            print(f"{path.stem}: {fault}", file=sys.stderr)
    print(f"strips in {HERE}, motions in {out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
