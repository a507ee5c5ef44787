"""Strange objects as files: `python -m benchmarks.strangers.write FOLDER` writes a plain GLB of each, without names.

All bodies are one mesh, its faces shuffled. Of a few there is also a fused skin, as generators of shapes make them: the
surface at which the winding number is a half, on a grid, with nothing left of what was apart.
"""

import sys
from pathlib import Path

import igl
import numpy as np
import trimesh
from trimesh import Trimesh

from benchmarks.strangers.objects import STRANGERS, Stranger

FUSED = ("table", "stapler", "desk_lamp", "bicycle")
GRID = 128  # cells along the longest side of a fused skin


def merge_bodies(thing: Stranger) -> tuple[Trimesh, np.ndarray]:
    """All solids as one mesh whose faces are shuffled, and the body of each face, [m]."""
    solids = [(solid, number) for number, body in enumerate(thing.bodies.values()) for solid in body]
    mesh = trimesh.util.concatenate([solid for solid, _ in solids])
    body = np.repeat([number for _, number in solids], [len(solid.faces) for solid, _ in solids])
    order = np.random.default_rng(0).permutation(len(body))
    return Trimesh(mesh.vertices, mesh.faces[order], process=False), body[order]


def fuse_bodies(thing: Stranger) -> tuple[Trimesh, np.ndarray]:
    """One closed skin around all solids, and the body nearest to each of its faces, [m]."""
    mesh, _ = merge_bodies(thing)
    lower, upper = mesh.bounds
    step = float((upper - lower).max()) / GRID
    axes = [np.arange(a - 2 * step, b + 2 * step, step) for a, b in zip(lower, upper)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    inside = np.full(len(grid), -np.inf)
    for solids in thing.bodies.values():
        for solid in solids:
            near = np.all((grid > solid.bounds[0] - 2 * step) & (grid < solid.bounds[1] + 2 * step), axis=1)
            distance = igl.signed_distance(grid[near], np.asarray(solid.vertices), np.asarray(solid.faces))[0]
            inside[near] = np.maximum(inside[near], -distance)
    inside = np.maximum(inside, -2 * step)
    x, y, z = (len(axis) for axis in axes)
    order = np.arange(len(grid)).reshape(x, y, z).transpose(2, 1, 0).ravel()  # marching cubes counts x fastest
    vertices, faces = igl.marching_cubes(inside[order], grid[order], x, y, z, 0.0)[:2]
    centres = vertices[faces].mean(axis=1)
    distance = [trimesh.util.concatenate(solids).nearest.on_surface(centres)[1] for solids in thing.bodies.values()]
    return Trimesh(vertices, faces, process=False), np.argmin(distance, axis=0)


def write_all(folder: Path) -> None:
    """A GLB of every object, +Y up as the format has it, and beside it the body of each face and the bodies' names."""
    folder.mkdir(parents=True, exist_ok=True)
    turn = trimesh.transformations.rotation_matrix(-np.pi / 2, (1.0, 0.0, 0.0))
    for name, make in STRANGERS.items():
        thing = make()
        versions = {name: merge_bodies} | ({f"{name}_fused": fuse_bodies} if name in FUSED else {})
        for version, merge in versions.items():
            mesh, body = merge(thing)
            mesh.apply_transform(turn).export(folder / f"{version}.glb")
            np.savez(folder / f"{version}.npz", body=body, names=np.array(list(thing.bodies)))


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
