"""A GLB of a million vertices is read and a 60-frame motion of it is written: time and memory.

Once as positions that travel like waves, once as noise (both are written as morph targets), once as a skin. Each
job runs in a process of its own, whose peak memory is that of the job: reading, the motion itself, and writing.
The files are then read back in a third process and compared with the motion that was meant.

A frame of the skin is also compared with one pass over the bytes it needs: the shares of four bones in each vertex, as
they are kept, and the vertices that come out. Beside it the same over the least a skin can be told by: four bones, four
weights and the place of each vertex.
"""

import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.alone import alone
from benchmarks.figures import Figure, fastest
from neurok.files.registry import load, load_mesh, save
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion, Skin
from neurok.geometry.primitives import grid
from neurok.geometry.surface import compute_drive

SECONDS = 30.0
GIBIBYTES = 4.0
PASSES = 3.0
CLOSE = 2e-4  # of the diagonal: morph targets are written to 1e-4, interpolation of key frames adds nothing at them


@dataclass(frozen=True)
class Sizes:
    """side: vertices along each edge of the sheet; frames; bones along each edge of the skin."""

    side: int = 1000
    frames: int = 60
    bones: int = 6


@dataclass(frozen=True)
class Job:
    """Reading and writing [s], and the process's peak memory [GiB]."""

    read: float
    write: float
    peak: float


def measure(sizes: Sizes) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "sheet.glb"
        alone(make, source, sizes)
        figures = []
        for kind in KINDS:
            target = Path(folder) / f"{kind.replace(' ', '_')}.glb"
            job = alone(run, kind, source, target, sizes)
            gap = alone(compare, kind, source, target, sizes)
            told = f"{sizes.side**2} vertices, {sizes.frames} frames as {kind}"
            figures += [
                Figure(f"read and written: {told}", job.read + job.write, " s", most=SECONDS),
                Figure(f"  of it reading, {kind}", job.read, " s"),
                Figure(f"  peak memory, {kind}", job.peak, " GiB", most=GIBIBYTES),
                Figure(f"  size of the file, {kind}", target.stat().st_size / 2**20, " MiB"),
                Figure(f"  read back, error of the diagonal, {kind}", gap, most=CLOSE),
            ]
        figures += alone(frame_cost, source, sizes)
    return figures


def frame_cost(source: Path, sizes: Sizes) -> list[Figure]:
    """What the vertices of one frame cost, against passes over memory; times are the process's own."""
    motion = as_skin(load_mesh(source), sizes)
    skin, vertices = motion.skin, motion.mesh.vertices
    shares = skin._shares(vertices)
    result = np.empty_like(vertices)

    def over(*arrays: NDArray) -> None:
        for array in arrays:
            array.sum()
        np.copyto(result, vertices)

    tasks = {
        "frame": lambda: motion.frame(1),
        "shares": lambda: over(shares.data, shares.indices),
        "least": lambda: over(skin.joints, skin.weights),
    }
    seconds = fastest(tasks, rounds=5, slice_seconds=0.02, clock=time.process_time)
    told, frame = f"{sizes.side**2} vertices", seconds["frame"]
    return [
        Figure(f"a frame, {told}", 1e3 * frame, " ms"),
        Figure(f"a frame / one pass over the bytes it needs, {told}", frame / seconds["shares"], "x", most=PASSES),
        Figure(f"a frame / one pass over bones, weights, places, {told}", frame / seconds["least"], "x"),
    ]


def make(path: Path, sizes: Sizes) -> None:
    """The file to be read: a sheet with normals and texture coordinates."""
    sheet = grid(1.0, 1.0, sizes.side - 1, sizes.side - 1)
    normals = np.tile(np.array([0.0, 0.0, 1.0], dtype=np.float32), (sheet.vertex_count, 1))
    save(Mesh(sheet.vertices, sheet.faces, attributes={**sheet.attributes, "normal": normals}, up="z"), path)


def run(kind: str, source: Path, target: Path, sizes: Sizes) -> Job:
    """The job that is measured; making the motion itself counts for memory, not for time."""
    start = time.perf_counter()
    mesh = load_mesh(source)
    read = time.perf_counter() - start
    motion = KINDS[kind](mesh, sizes)
    start = time.perf_counter()
    save(motion, target)
    return Job(read, time.perf_counter() - start, _peak())


def compare(kind: str, source: Path, target: Path, sizes: Sizes) -> float:
    """The largest distance of a vertex of the written file from where it was meant to be, of the diagonal."""
    mesh = load_mesh(source)
    meant, found = KINDS[kind](mesh, sizes), load(target).motions[0]
    gaps = []
    for index in (0, sizes.frames // 2, sizes.frames - 1):
        at = int(np.argmin(np.abs(found.time - meant.time[index])))
        gaps.append(np.linalg.norm(found.frame(at) - meant.frame(index), axis=1).max())
    return float(max(gaps)) / mesh.diagonal


def as_waves(mesh: Mesh, sizes: Sizes) -> Motion:
    """A swell that runs from the middle of the sheet outwards and bulges it: many shapes, each of them smooth."""
    radius = np.hypot(*mesh.vertices[:, :2].T)
    when = _times(sizes)
    frames: NDArray = np.empty((len(when), mesh.vertex_count, 3), dtype=np.float32)
    for frame, t in zip(frames, when):
        swell = np.exp(-(((radius - 0.4 * t) / 0.1) ** 2))
        frame[:, :2] = mesh.vertices[:, :2] * (1.0 + 0.2 * swell[:, None])
        frame[:, 2] = mesh.vertices[:, 2] + 0.1 * swell
    return Motion(mesh, when, positions=frames)


def as_noise(mesh: Mesh, sizes: Sizes) -> Motion:
    """Every vertex at random in every frame: the worst case, in which nothing can be left out."""
    random = np.random.default_rng(0)
    when = _times(sizes)
    frames = random.standard_normal((len(when), mesh.vertex_count, 3), dtype=np.float32)
    frames *= 0.01
    frames += mesh.vertices.astype(np.float32)
    return Motion(mesh, when, positions=frames)


def as_skin(mesh: Mesh, sizes: Sizes) -> Motion:
    """A lattice of bones, four to a vertex, each of which turns and rises in its own rhythm."""
    ticks = np.linspace(-0.5, 0.5, sizes.bones)
    centres = np.stack([*np.meshgrid(ticks, ticks), np.zeros((sizes.bones, sizes.bones))], axis=-1).reshape(-1, 3)
    joints, weights = compute_drive(centres, mesh.vertices)
    frames = np.tile(np.eye(4), (len(centres), 1, 1))
    frames[:, :3, 3] = centres
    names = tuple(f"bone {i}" for i in range(len(centres)))
    skin = Skin(joints, weights, names, np.full(len(centres), -1), frames)
    when = _times(sizes)
    angle = 0.3 * np.sin(3.0 * when[:, None] + np.arange(len(centres)))
    turn = np.tile(np.eye(4), (*angle.shape, 1, 1))
    turn[..., 0, 0] = turn[..., 2, 2] = np.cos(angle)
    turn[..., 0, 2], turn[..., 2, 0] = np.sin(angle), -np.sin(angle)
    turn[..., 2, 3] = 0.1 * angle
    return Motion(mesh, when, skin=skin, transforms=frames @ turn @ np.linalg.inv(frames))


KINDS = {"waves": as_waves, "noise": as_noise, "a skin": as_skin}


def _times(sizes: Sizes) -> NDArray:
    return np.arange(sizes.frames) / 30.0


def _peak() -> float:
    """The greatest memory this process ever held [GiB]."""
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held / 2**30 if sys.platform == "darwin" else held / 2**20
