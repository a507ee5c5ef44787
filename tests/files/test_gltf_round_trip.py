"""Real files read, written and read again: nothing is lost, and the Khronos validator finds nothing new.

Set NEUROK_ALL_FILES=1 to try every file and not a choice of each kind.
"""

import json
import os
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from neurok.files.registry import Asset, load, save
from neurok.geometry.mesh import Mesh, split_corners
from neurok.geometry.motion import Motion

VALIDATE = Path(__file__).parent / "validate_gltf.mjs"
TOLERANCE = 1.01e-4  # of the diagonal: what morph targets are written to
# Moving nodes, skins, both, morphs; siblings in odd orders, bones of one name, joints bound twice, stretched
# bones, parts with tangents and without, shrunk default poses, compressed geometry; scans.
CHOICE = (
    "animated/bab_emoji_heart", "animated/ces_Drone", "animated/godot_player", "animated/khr_AnimatedMorphCube",
    "animated/khr_BoxAnimated", "animated/khr_CesiumMilkTruck", "animated/khr_MorphStressTest",
    "animated/khr_RecursiveSkeletons", "animated/q_animals_Stag", "animated/q_platformer_Chest",
    "animated/q_space_Enemy_Large", "animated/q_tank_Tank", "animated/sk_factory_line_hrofti",
    "animated/sk_robot_djmaesen", "animated/sk_rubiks_cube", "animated/sk_tiger_amil", "animated/sk_windmill",
    "animated/test_draco_CesiumMilkTruck", "animated/test_meshopt_Fox", "scans/gso_Great_Dinos_Triceratops_Toy",
)  # fmt: skip
OBJECT_COUNT = 20


def chosen(folder: Path) -> list[Path]:
    if os.environ.get("NEUROK_ALL_FILES"):
        return sorted((folder / "animated").glob("*.glb")) + sorted((folder / "scans").glob("*.glb"))
    return [folder / f"{name}.glb" for name in CHOICE]


def written(asset: Asset, path: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a skin must not become morph targets, nor a texture be lost
        return save(asset.motions or asset.mesh, path)


def labelled_faces(mesh: Mesh) -> Counter:
    return Counter(zip(map(tuple, mesh.faces.tolist()), mesh.face_part.tolist(), mesh.face_material.tolist()))


def check_same_mesh(back: Mesh, mesh: Mesh) -> None:
    """The same vertices, faces, parts and surfaces, in the same order."""
    assert back.vertices.shape == mesh.vertices.shape
    assert np.abs(back.vertices - mesh.vertices).max() <= 1e-5 * np.abs(mesh.vertices).max()
    assert labelled_faces(back) == labelled_faces(mesh)
    assert back.parts == mesh.parts
    assert back.materials == mesh.materials  # with the very bytes of every texture
    assert back.attributes.keys() == mesh.attributes.keys()
    for name, value in mesh.attributes.items():
        if name in ("normal", "tangent"):  # made unit, and single gaps filled
            length = np.linalg.norm(value[:, :3], axis=1)
            kept = length > 1e-6
            assert np.mean(kept) > 0.9 or name == "tangent"
            unit = value[kept, :3] / length[kept, None]
            np.testing.assert_allclose(back.attributes[name][kept, :3], unit, atol=1e-4)
        else:
            np.testing.assert_allclose(back.attributes[name], value, rtol=1e-6, atol=1e-6)


def check_same_motion(back: Motion, motion: Motion, diagonal: float) -> None:
    assert back.name == motion.name
    assert (back.skin is None) == (motion.skin is None)
    np.testing.assert_allclose(back.time, motion.time, atol=1e-5)
    for index in np.unique(np.linspace(0, motion.frame_count - 1, 5).astype(int)):
        gap = np.linalg.norm(back.frame(index) - motion.frame(index), axis=1).max()
        assert gap <= (TOLERANCE if motion.skin is None else 1e-5) * diagonal


def new_problems(node, pairs: list[tuple[Path, Path | None]]) -> list[str]:
    """Errors of the second files, and warnings of a kind that the first ones did not have."""
    paths = [path for pair in pairs for path in pair if path is not None]
    found: dict[str, set[str]] = {}
    for start in range(0, len(paths), 20):
        done = node(VALIDATE, *paths[start : start + 20])
        assert done.returncode == 0, done.stderr
        for report in json.loads(done.stdout):
            messages = report["issues"]["messages"]
            found[report["file"]] = {
                ("error", "warning")[m["severity"]] + m["code"] for m in messages if m["severity"] < 2
            }
    problems = []
    for path, source in pairs:
        known = found[str(source)] if source is not None else set()
        fresh = {p for p in found[str(path)] if p.startswith("error") or p not in known}
        problems += [f"{path.name}: {problem}" for problem in sorted(fresh)]
    return problems


@pytest.mark.data
@pytest.mark.slow
def test_rewritten_files_are_the_same_and_as_valid(shared_data, tmp_path, node):
    pairs = []
    for path in chosen(shared_data):
        asset = load(path)
        pairs.append((written(asset, tmp_path / path.name), path))
        back = load(pairs[-1][0])
        try:
            check_same_mesh(*((a.motions[0].mesh if a.motions else a.mesh) for a in (back, asset)))
            assert len(back.motions) == len(asset.motions)
            for again, motion in zip(back.motions, asset.motions):
                check_same_motion(again, motion, asset.mesh.diagonal)
        except AssertionError as fault:
            raise AssertionError(f"{path.name}: {fault}") from fault
    assert not new_problems(node, pairs)


@pytest.mark.data
@pytest.mark.slow
def test_jointed_objects_move_in_valid_files(shared_data, tmp_path, node):
    """Objects whose joints all swing at once: as moving nodes, every vertex in its place at every time."""
    folders = sorted((shared_data / "partnet_mobility").iterdir())
    paths = []
    for folder in folders[:: max(len(folders) // OBJECT_COUNT, 1)][:OBJECT_COUNT]:
        machine = load(folder).articulation
        motion = swinging(machine)
        split, source = split_corners(motion.mesh)
        for name, thing in (("still", machine), ("moving", motion)):
            paths.append(save(thing, tmp_path / f"{folder.name}_{name}.glb"))
            back = load(paths[-1])
            turned = split.vertices[:, [0, 2, 1]] * [1.0, 1.0, -1.0]  # z up to y up
            np.testing.assert_allclose(back.mesh.vertices, turned, atol=1e-6 * split.diagonal)
            assert back.mesh.parts == split.parts
            assert back.mesh.materials == split.materials
        (again,) = back.motions
        for index in (0, 7, motion.frame_count - 1):
            expected = motion.frame(index)[source][:, [0, 2, 1]] * [1.0, 1.0, -1.0]
            np.testing.assert_allclose(again.frame(index), expected, atol=2e-6 * split.diagonal)
    assert not new_problems(node, [(path, None) for path in paths])


def swinging(machine) -> Motion:
    """Half a second in which every joint swings through half its range and back."""
    import torch

    from neurok.kinematics.articulated import Articulated

    space = Articulated(machine)
    time = np.arange(16) / 30.0  # readers sample at 30 frames a second
    swing = torch.from_numpy(np.sin(2 * np.pi * time))[:, None] * space.prior.deviation
    transforms = np.stack([space.transforms(space.admit(space.rest + q)).numpy() for q in swing])
    return Motion(space.mesh, time, skin=space.skin, transforms=transforms, name="swing")
