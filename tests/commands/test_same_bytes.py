"""The command line and Python give the same bytes: the same space is chosen, and the same work is done in it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import neurok as library
from neurok.data import procedural
from neurok.files.registry import Asset
from neurok.geometry.mesh import Mesh
from neurok.mechanics.showing import move_through


@dataclass(frozen=True)
class Case:
    """A file made from a category and a seed, and the kind of state space that is asked for."""

    category: str
    seed: int
    suffix: str
    kind: str = "given"


CASES = {
    "joints of a file": Case("laptop", 0, ".urdf"),
    "a plain mesh as GLB": Case("drawer_cabinet", 1, ".glb"),
    "a plain mesh as OBJ": Case("box", 0, ".obj"),
    "a soft mesh": Case("cushion", 1, ".ply", "soft"),
    "named parts": Case("door", 0, ".glb", "auto"),
}


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def given(request, tmp_path) -> tuple[Path, Case]:
    case = request.param
    thing = procedural.make(case.category, case.seed)
    path = tmp_path / f"object{case.suffix}"
    library.save(thing.articulation if case.suffix == ".urdf" else thing.mesh, path)
    return path, case


def choose_point(mesh: Mesh) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """The middle of the front, and a short way out of it [file units]; rounded, so that both ways read the same."""
    lower, upper = mesh.bounds
    point = (lower + upper) / 2
    point[1] = lower[1]
    x, y, z = (round(float(a), 3) for a in point)
    return (x, y, z), (0.0, round(-0.05 * mesh.diagonal, 3), round(0.02 * mesh.diagonal, 3))


def words(vector: tuple[float, float, float]) -> str:
    return ",".join(map(str, vector))


def write_in_python(asset: Asset, case: Case, folder: Path) -> None:
    """What the four command lines below ask for."""
    point, way = choose_point(asset.mesh)
    space = library.kinematics(asset, kind=case.kind)
    library.save(move_through(space, library.sample(space, 2, seed=3)), folder / "sample.glb")
    released = library.animate(space, library.Conditions(damping=0.2, seconds=0.2, fps=20, seed=3))
    for suffix in (".glb", ".npz"):
        library.save(released.motion(), folder / f"released{suffix}")
    start, push = library.Start(point, way), library.Push(point, (0.0, 1.0, 0.0))
    conditions = library.Conditions(starts=(start,), pushes=(push,), seconds=0.2, fps=20, seed=3)
    library.save(library.animate(space, conditions).motion(), folder / "pushed.glb")
    space = library.kinematics(asset, kind=case.kind, purpose="fit")
    library.save(library.fit(space, pulls=[(point, way)], seed=3).mesh, folder / "fit.ply")


def test_command_line_and_python_write_the_same_bytes(neurok, given, tmp_path):
    path, case = given
    asset = library.load(path)
    point, way = choose_point(asset.mesh)
    options, short = ("--kinematics", case.kind, "--seed", 3), ("--seconds", 0.2, "--fps", 20)
    pair = f"{words(point)}:{words(way)}"
    lines = (
        ("sample", path, "-n", 2, *options, "-o", "sample.glb"),
        (
            "animate",
            path,
            "--no-predict",
            *options,
            *short,
            "--damping",
            0.2,
            "-o",
            "released.glb",
            "-o",
            "released.npz",
        ),
        (
            "animate",
            path,
            "--no-predict",
            *options,
            *short,
            "--start",
            pair,
            "--push",
            f"{words(point)}:0,1,0",
            "-o",
            "pushed.glb",
        ),
        ("fit", path, *options, "--pull", pair, "-o", "fit.ply"),
    )
    for line in lines:
        code, _, err = neurok(*line)
        assert code == 0, err
    assert np.ptp(np.load("released.npz")["frames"], axis=0).max() > 1e-4 * asset.mesh.diagonal
    folder = tmp_path / "python"  # a file names its object by its own stem
    folder.mkdir()
    write_in_python(asset, case, folder)
    for name in ("sample.glb", "released.glb", "released.npz", "pushed.glb", "fit.ply"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name
