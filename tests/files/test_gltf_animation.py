"""Clips of glTF files against closed forms: interpolation, clamping, skins, morphs, sampling."""

import numpy as np
import pytest

from neurok.errors import NeurokError
from neurok.files.gltf.reading.container import open_document
from neurok.files.gltf.reading.pose import evaluate_clip
from neurok.files.source import Source
from tests.files.gltf_scenes import TRIANGLE, Draft, arm, everything, turn


def moving_node(path: str, times: object, values: object, kind: str = "LINEAR", **node: object) -> Draft:
    draft = Draft()
    draft.add("nodes", {"name": "thing", "mesh": draft.mesh(), **node})
    draft.animation(0, path, times, values, kind)
    return draft


def evaluated(draft: Draft, folder, times, clip: int | str | None = 0) -> np.ndarray:
    (folder / "clip.glb").write_bytes(draft.glb())
    return evaluate_clip(open_document(Source(folder / "clip.glb")), clip, np.asarray(times, dtype=np.float64))


def test_linear_translation_is_held_before_and_after_its_keys(tmp_path):
    draft = moving_node("translation", [1, 2, 4], [[0, 0, 0], [2, 0, 0], [2, 8, 0]], scale=[2, 2, 2])
    found = evaluated(draft, tmp_path, [0, 1, 1.5, 3, 9])
    start = [[0, 0, 0], [0, 0, 0], [1, 0, 0], [2, 4, 0], [2, 8, 0]]
    np.testing.assert_allclose(found, 2 * TRIANGLE + np.array(start)[:, None], atol=1e-6)


def test_step_jumps_at_its_keys(tmp_path):
    draft = moving_node("translation", [0, 1, 2], [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "STEP")
    found = evaluated(draft, tmp_path, [0, 0.999, 1, 1.5, 2, 3])
    np.testing.assert_allclose(found[:, 0, 0], [0, 0, 1, 1, 2, 2])


def test_rotation_turns_evenly_along_the_shorter_arc(tmp_path):
    far = [-q for q in turn(2, 90)]  # the same rotation, on the other side of the sphere
    found = evaluated(moving_node("rotation", [0, 1], [turn(2, 0), far]), tmp_path, np.linspace(0, 1, 7))
    angle = np.degrees(np.arctan2(found[:, 1, 1], found[:, 1, 0]))
    np.testing.assert_allclose(angle, np.linspace(0, 90, 7), atol=1e-4)


def test_unnormalised_rotations_do_not_scale(tmp_path):
    keys = 3 * np.array([turn(2, 0), turn(2, 60)])
    for kind in ("LINEAR", "STEP"):
        found = evaluated(moving_node("rotation", [0, 1], keys, kind), tmp_path, [0, 0.3, 1])
        np.testing.assert_allclose(np.linalg.norm(found[:, 1], axis=1), 1, rtol=1e-6)


def test_cubic_spline_is_hermite_with_tangents_per_second(tmp_path):
    # x(t) = t³ - 2t on 1..4: any cubic is its own Hermite interpolant, whatever the length of the interval.
    x, v = (lambda t: t**3 - 2 * t), (lambda t: 3 * t**2 - 2)
    keys = np.array([[[0, 0, 0], [x(t), 0, 0], [v(t), 0, 0]] for t in (1, 4)], dtype=float)
    keys[:, 0] = keys[:, 2]
    times = np.linspace(1, 4, 9)
    found = evaluated(moving_node("translation", [1, 4], keys.reshape(-1, 3), "CUBICSPLINE"), tmp_path, times)
    np.testing.assert_allclose(found[:, 0, 0], x(times), rtol=1e-6, atol=1e-5)


def test_cubic_rotations_have_unit_length(tmp_path):
    keys = np.zeros((2, 3, 4))
    keys[:, 1] = turn(1, 0), turn(1, 120)
    found = evaluated(moving_node("rotation", [0, 1], keys.reshape(-1, 4), "CUBICSPLINE"), tmp_path, [0, 0.4, 1])
    np.testing.assert_allclose(np.linalg.norm(found[:, 1], axis=1), 1, rtol=1e-6)


def test_normalised_integer_rotations(tmp_path):
    draft = moving_node("rotation", [0, 1], [turn(2, 0), turn(2, 90)])
    keys = np.round(np.array([turn(2, 0), turn(2, 90)]) * 32767).astype(np.int16)
    draft.tree["animations"][0]["samplers"][0]["output"] = draft.accessor(keys, normalized=True)
    np.testing.assert_allclose(evaluated(draft, tmp_path, [1])[0, 1], [0, 1, 0], atol=1e-4)


def test_an_animated_matrix_keeps_what_the_clip_leaves_alone(tmp_path):
    matrix = [0, 3, 0, 0, -2, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]  # columns: a quarter turn about z, scale (3, 2, 1)
    still = evaluated(moving_node("scale", [0], [[3, 2, 1]], matrix=matrix), tmp_path, [0])
    np.testing.assert_allclose(still[0], [[5, 6, 7], [5, 9, 7], [3, 6, 7]], atol=1e-5)
    draft = moving_node("translation", [0], [[0, 0, 0]], matrix=matrix)
    np.testing.assert_allclose(evaluated(draft, tmp_path, [0])[0], [[0, 0, 0], [0, 3, 0], [-2, 0, 0]], atol=1e-5)


def test_a_clip_of_a_skin_is_a_skin_motion_equal_to_evaluation(tmp_path):
    draft = arm()
    (motion,) = draft.read(tmp_path).motions
    assert motion.name == "animation_0"
    assert motion.skin.names == ("lower", "upper")
    assert motion.skin.parents.tolist() == [-1, 0]
    np.testing.assert_allclose(motion.skin.weights.sum(axis=1), 1)
    np.testing.assert_allclose(motion.frames, evaluated(draft, tmp_path, motion.time), atol=1e-12)
    angle = np.pi / 2 * motion.time
    tip = np.stack([-np.sin(angle), 1 + np.cos(angle), 0 * angle], axis=1)
    np.testing.assert_allclose(motion.frames[:, 2], tip, atol=1e-6)
    np.testing.assert_allclose(motion.skin.frames[1, :3, 3], [0, 1, 0], atol=1e-6)


def test_moving_nodes_are_bones_and_still_ones_share_one(tmp_path):
    draft = Draft()
    mesh = draft.mesh()
    draft.add("nodes", {"name": "door", "mesh": mesh, "children": [1], "translation": [1, 0, 0]})
    draft.add("nodes", {"name": "handle", "mesh": mesh, "scale": [-1, 2, 3]})
    draft.add("nodes", {"name": "frame", "mesh": mesh})
    draft.add("nodes", {"name": "wall", "mesh": mesh, "translation": [0, 0, 9]})
    draft.animation(0, "rotation", [0, 0.5], [turn(1, 0), turn(1, 90)])
    asset = draft.read(tmp_path)
    (motion,) = asset.motions
    assert motion.skin.names == ("still", "door")
    assert motion.skin.is_rigid
    np.testing.assert_allclose(motion.mesh.vertices, asset.mesh.vertices)
    np.testing.assert_allclose(motion.transforms[0], [np.eye(4)] * 2, atol=1e-12)
    np.testing.assert_allclose(motion.frames, evaluated(draft, tmp_path, motion.time), atol=1e-12)
    np.testing.assert_allclose(motion.frames[:, 6:], np.tile(asset.mesh.vertices[6:], (16, 1, 1)))


def test_a_node_shrunk_to_nothing_by_default_still_grows(tmp_path):
    draft = moving_node("scale", [0, 1], [[0, 0, 0], [2, 2, 2]], scale=[0, 0, 0])
    (motion,) = draft.read(tmp_path).motions
    np.testing.assert_allclose(motion.frame(30), 2 * TRIANGLE, atol=1e-6)


def test_moving_morph_targets_give_frames(tmp_path):
    draft = Draft()
    target = {"POSITION": draft.accessor(np.tile(np.float32([0, 0, 4]), (3, 1)))}
    draft.add("nodes", {"mesh": draft.mesh(targets=[target]), "translation": [0, 0, 1]})
    draft.animation(0, "weights", [0, 1], [0, 1])
    (motion,) = draft.read(tmp_path).motions
    assert motion.skin is None and motion.positions.dtype == np.float32
    np.testing.assert_allclose(motion.positions[:, 0, 2], 1 + 4 * motion.time, rtol=1e-6)


def test_morph_targets_that_never_move_leave_a_skin(tmp_path):
    draft = arm()
    node = draft.tree["nodes"][0]
    target = {"POSITION": draft.accessor(np.tile(np.float32([0, 0, 4]), (4, 1)))}
    draft.tree["meshes"][node["mesh"]]["primitives"][0]["targets"] = [target]
    node["weights"] = [0.25]
    draft.animation(0, "weights", [0, 1], [0.25, 0.25])
    motions = draft.read(tmp_path).motions
    assert [m.skin is not None for m in motions] == [True, True]
    np.testing.assert_allclose(motions[0].frames[..., 2], 1.0, atol=1e-9)
    np.testing.assert_allclose(motions[0].frames, evaluated(draft, tmp_path, motions[0].time), atol=1e-12)


def test_clips_are_sampled_at_thirty_frames_from_first_to_last_key(tmp_path):
    draft = moving_node("translation", [0.5, 1.53], [[0, 0, 0], [1, 0, 0]])
    draft.tree["animations"][0]["name"] = "slide"
    draft.animation(0, "translation", [2, 2], [[0, 0, 0], [1, 0, 0]])
    slide, still = draft.read(tmp_path).motions
    assert (slide.name, still.name) == ("slide", "animation_1")
    np.testing.assert_allclose(np.diff(slide.time)[:-1], 1 / 30, rtol=1e-6)
    assert slide.time[0] == 0.5 and slide.time[-1] == np.float32(1.53)
    assert slide.frame_count == 32
    assert still.time.tolist() == [2.0]


def test_an_hour_long_or_endless_clip_is_sampled_more_coarsely(tmp_path):
    draft = moving_node("translation", [0, 1e12], [[0, 0, 0], [1, 0, 0]])
    asset = draft.read(tmp_path)
    (motion,) = asset.motions
    assert motion.frame_count < 200_000 and motion.time[-1] == np.float32(1e12)
    assert any("frames per second" in note for note in asset.notes)


def test_animation_pointers_are_left_out_with_a_note(tmp_path):
    draft = moving_node("translation", [0, 1], [[0, 0, 0], [1, 0, 0]])
    target = {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/materials/0/alphaCutoff"}}}
    draft.tree["animations"][0]["channels"].append({"sampler": 0, "target": target})
    asset = draft.read(tmp_path)
    assert len(asset.motions) == 1
    assert any("KHR_animation_pointer" in note for note in asset.notes)


def test_the_default_pose_and_names_of_clips(tmp_path):
    draft = everything()
    draft.tree["animations"][0]["name"] = "bend"
    shown = draft.read(tmp_path).mesh
    np.testing.assert_array_equal(evaluated(draft, tmp_path, [0], clip=None)[0], shown.vertices)
    np.testing.assert_array_equal(evaluated(draft, tmp_path, [0.4], "bend"), evaluated(draft, tmp_path, [0.4], 0))
    with pytest.raises(NeurokError, match="bend"):
        evaluated(draft, tmp_path, [0], "jump")
