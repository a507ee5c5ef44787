"""The reader on real files: all of them load, and three.js puts every vertex where we do."""

import json
from pathlib import Path

import numpy as np
import pytest

from neurok.files.gltf.reading.container import open_document
from neurok.files.gltf.reading.pose import evaluate_clip
from neurok.files.registry import load
from neurok.files.source import Source
from tests.files.gltf_scenes import everything

SCRIPT = Path(__file__).parent / "three_evaluate.mjs"
FRACTIONS = (0.0, 0.137, 0.5, 0.731, 1.0)
# Skins, moving nodes, both, morph targets, cubic splines, several clips, instances, odd interpolation names.
CHOICE = {
    "bab_Alien": 0, "bab_cannon": 1, "bab_emoji_heart": 2, "bab_morphLoader": 0, "bab_vintageFan": 3, "ces_Drone": 0,
    "godot_player": 5, "kenney_cubepet_bee": 7, "khr_AnimatedMorphCube": 0, "khr_CesiumMan": 0,
    "khr_CesiumMilkTruck": 0, "khr_DiffuseTransmissionPlant": 0, "khr_MorphStressTest": 2, "khr_RecursiveSkeletons": 0,
    "q_cubeworld_Chick": 4, "q_tank_Tank": 3, "sk_cow_owlish": 0, "sk_factory_line_hrofti": 0, "sk_rubiks_cube": 0,
    "three_RobotExpressive": 13,
}  # fmt: skip


def compare(node, path: Path, clip: int, folder: Path) -> None:
    output = folder / "positions.bin"
    done = node(SCRIPT, path, output, clip, *FRACTIONS)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    theirs = np.fromfile(output).reshape(len(said["times"]), said["vertices"], 3)
    ours = evaluate_clip(open_document(Source(path)), None if clip < 0 else clip, said["times"])
    assert ours.shape == theirs.shape
    diagonal = np.linalg.norm(np.ptp(theirs.reshape(-1, 3), axis=0))
    assert np.abs(ours - theirs).max() < 1e-4 * diagonal


@pytest.mark.node
@pytest.mark.parametrize("clip", [-1, 0, 1, 2])
def test_three_agrees_on_a_file_of_our_own(node, tmp_path, clip):
    (tmp_path / "own.glb").write_bytes(everything().glb())
    compare(node, tmp_path / "own.glb", clip, tmp_path)


@pytest.mark.node
@pytest.mark.data
@pytest.mark.parametrize("name", CHOICE)
def test_three_agrees_on_real_clips(node, shared_data, tmp_path, name):
    compare(node, shared_data / "animated" / f"{name}.glb", CHOICE[name], tmp_path)


@pytest.mark.data
def test_every_real_file_loads_and_its_motions_equal_evaluation(shared_data):
    files = sorted((shared_data / "animated").glob("*.glb")) + sorted((shared_data / "scans").glob("*.glb"))
    assert len(files) >= 154
    for path in files:
        asset = load(path)
        assert asset.mesh.face_count and np.isfinite(asset.mesh.vertices).all(), path.name
        assert bool(asset.motions) == (path.parent.name == "animated"), path.name
        if asset.motions:
            motion, last = asset.motions[-1], len(asset.motions) - 1
            middle = motion.frame_count // 2
            expected = evaluate_clip(open_document(Source(path)), last, motion.time[[middle]])[0]
            np.testing.assert_allclose(motion.frame(middle), expected, atol=1e-6 * asset.mesh.diagonal)


@pytest.mark.data
@pytest.mark.parametrize("packed, plain", [
    ("test_draco_CesiumMilkTruck", "khr_CesiumMilkTruck"),
    ("test_draco_RiggedFigure", "khr_RiggedFigure"),
    ("test_meshopt_Fox", "khr_Fox"),
    ("test_draco_q_space_Enemy_Flying", "q_space_Enemy_Flying"),
])  # fmt: skip
def test_compressed_files_show_the_surface_they_were_made_from(shared_data, packed, plain):
    pytest.importorskip("DracoPy")
    from scipy.spatial import cKDTree

    a, b = (load(shared_data / "animated" / f"{name}.glb") for name in (packed, plain))
    assert a.mesh.face_count == b.mesh.face_count
    for one, other in ((a, b), (b, a)):
        for index in (0, one.motions[0].frame_count // 2):
            near, _ = cKDTree(other.motions[0].frame(index)).query(one.motions[0].frame(index))
            assert near.max() < 2e-3 * b.mesh.diagonal  # positions are rounded to 11 to 14 bits
