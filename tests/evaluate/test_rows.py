"""Rows of the tables: which weights stand behind which, variants, and what is said where something is missing."""

import json

import numpy as np
import pytest
import torch

from neurok.errors import InputError, NeurokError, OptionError
from neurok.evaluate import jointed
from neurok.evaluate.deformation import evaluate_deformation
from neurok.evaluate.loop import MeasureOptions
from neurok.evaluate.method import METHODS, TAKES_WEIGHTS, find_runs, make_rows
from neurok.evaluate.methods import reduction
from neurok.evaluate.methods.learned import LearnedMethod, UnreducedMethod, UntrainedMethod, WholeMethod, add_residuals
from neurok.evaluate.methods.recipe import is_slow, recognise_state
from neurok.evaluate.paper import OURS, TABLE_1, find_paper_row
from neurok.evaluate.results import PairResult
from neurok.evaluate.tables import compare_medians, compute_margins
from neurok.evaluate.targets import CorrespondingTarget, interpolate_corners, make_target
from neurok.geometry.metrics import motion_recovered
from neurok.kinematics.twists import Twists
from neurok.mechanics.descent import pose_mesh
from neurok.networks.config import Config
from neurok.networks.models import build_model
from neurok.networks.weights import SHIPPED, save_weights

TINY = {"size": "tiny", "points": 64, "handles": 8}


def _weights(folder, **values):
    config = Config(**(TINY | values))
    torch.manual_seed(1)
    save_weights(folder, build_model(config).state_dict(), config, {"minutes": 45.0, "recipe": "tiny"})
    return folder


@pytest.fixture
def mesh(cupboards):
    return jointed.make_jointed_pairs(cupboards, "1", "cupboard")[0].mesh


def test_all_rows_that_can_be_run(tmp_path):
    assert [row.name for row in make_rows()] == [name for name in METHODS if name != "keypoints"]
    folder = _weights(tmp_path / "w")
    rows = {row.name: row for row in make_rows(weights=[str(folder)])}
    assert all(rows[name].weights == str(folder) for name in TAKES_WEIGHTS if name != "keypoints")
    rows = {row.name: row for row in make_rows(weights=[f"points={folder}"])}
    assert rows["learned"].weights is None and rows["points"].weights == str(folder)
    assert list(rows)[-2:] == ["points", "oracle"]
    assert rows["points"].make_method().name == "points" and "`w`" in rows["points"].description


def test_variants_of_named_weights(tmp_path):
    folder = _weights(tmp_path / "w")
    names = ["a", "a-whole", "a-unreduced", "a-untrained", "learned"]
    rows = make_rows(names, [f"a={folder}"])
    kinds = [type(row.make_method()) for row in rows]
    assert kinds == [LearnedMethod, WholeMethod, UnreducedMethod, UntrainedMethod, LearnedMethod]
    assert [row.make_method().name for row in rows] == names and rows[-1].weights is None


def test_runs_of_a_folder(tmp_path):
    _weights(tmp_path / "full" / "weights")
    _weights(tmp_path / "plain", augmentation=False)
    (tmp_path / "notes").mkdir()
    assert find_runs(str(tmp_path)) == [f"full={tmp_path / 'full' / 'weights'}", f"plain={tmp_path / 'plain'}"]
    with pytest.raises(InputError, match="holds weights"):
        find_runs(str(tmp_path / "notes"))
    with pytest.raises(InputError, match="no folder"):
        find_runs(str(tmp_path / "nowhere"))


@pytest.mark.parametrize("weights", [["a="], ["x", "y"], ["a=x", "a=y"], ["still=x"]])
def test_weights_that_make_no_sense(weights):
    with pytest.raises(NeurokError):
        make_rows(weights=weights)


def test_unknown_rows_and_missing_weights(tmp_path):
    with pytest.raises(OptionError, match="unknown method"):
        make_rows(["magic"])
    with pytest.raises(OptionError, match="neurok evaluate keypoints"):
        make_rows(["keypoints"])
    with pytest.raises(InputError, match="no weights"):
        make_rows(["learned"], [str(tmp_path)])[0].read_record()
    for name in ("untrained", "mine"):
        with pytest.raises(InputError, match="of another kind than"):
            make_rows([name], [f"{name}={SHIPPED.parent / 'articulation'}"])[0].read_record()


# ---------------------------------------------------------------- variants of the learned space


@pytest.fixture
def quick(monkeypatch):
    """Reductions from few states: a decoder's derivatives are slow."""
    monkeypatch.setattr(reduction, "STATE_COUNT", 20)


def test_whole_keeps_the_vertices_and_the_reduced_space_is_small(mesh, tmp_path, quick):
    assert WholeMethod().make_space(mesh, None).mesh.vertex_count == mesh.vertex_count
    assert LearnedMethod().make_space(mesh, None).size <= 16
    paper = _weights(tmp_path / "paper", decoder="points", prior="unit")
    raw, small = UnreducedMethod(str(paper)).make_space(mesh, None), LearnedMethod(str(paper)).make_space(mesh, None)
    assert small.size <= 16 < raw.size
    at_rest = pose_mesh(small, small.rest.numpy()).vertices
    assert np.abs(at_rest - mesh.vertices).max() < 1e-6


def test_a_decoder_is_descended_in(cupboards, tmp_path, quick):
    """A state of the decoder's own is found again from corresponding points, and all targets give finite shapes."""
    pair = jointed.make_jointed_pairs(cupboards, "1", "cupboard")[0]
    method = LearnedMethod(str(_weights(tmp_path / "paper", decoder="points", prior="unit")))
    space = method.make_space(pair.mesh, None)
    assert is_slow(space) and not is_slow(LearnedMethod().make_space(pair.mesh, None))
    truth = pose_mesh(space, 0.3 * space.prior.sample(1, torch.Generator().manual_seed(5))[0].numpy()).vertices[
        pair.mesh.faces
    ]
    where = make_target(pair, "corresponding").where
    found = method.fit(space, CorrespondingTarget(where, interpolate_corners(truth, where)))
    assert np.abs(found - truth).max() < 0.1 * np.abs(truth - pair.rest).max()
    assert np.all(np.isfinite(method.fit(space, make_target(pair, "drag1"))))


def test_corresponding_points_are_recognised(cupboards, tmp_path, quick):
    """Before any training, what handles were seen to do goes straight through the latent."""
    pair = jointed.make_jointed_pairs(cupboards, "1", "cupboard")[1]
    target = make_target(pair, "corresponding")
    space = UnreducedMethod(str(_weights(tmp_path / "vae", prior="unit"))).make_space(pair.mesh, None)
    state = recognise_state(space, target)
    found = pose_mesh(space, state.numpy()).vertices[pair.mesh.faces]
    assert motion_recovered(*(x.reshape(-1, 3) for x in (pair.rest, pair.target, found))) > 0.6
    # In a subspace: nothing of it is left in what was recognised (all of which is likely enough to be admitted).
    small = reduction.reduce_space(space, 16)
    left = state - small.inner_state(recognise_state(small, target))
    assert np.abs(small.W.T @ (left.numpy() / space.prior.deviation)).max() < 1e-9 < float(left.norm())
    assert recognise_state(LearnedMethod().make_space(pair.mesh, None), target) is None


def test_the_control_has_no_more_coordinates(mesh):
    assert UntrainedMethod().make_space(mesh, None).size <= LearnedMethod().make_space(mesh, None).size


def test_residuals_move_one_bone_alone_about_its_own_seat(mesh):
    space = LearnedMethod().make_space(mesh, None)
    wide = add_residuals(space)
    bones, k = space.skin.bone_count, space.size
    assert isinstance(wide, Twists) and wide.size == k + 6 * bones
    assert np.abs(wide.basis[:, :, :k] - space.basis).max() == 0.0
    rest = wide.transforms(wide.rest).numpy()
    for bone in range(min(bones, 3)):
        for axis in range(6):
            q = torch.zeros(wide.size, dtype=torch.float64)
            q[k + 6 * bone + axis] = 0.5
            X = wide.transforms(q).numpy()
            moved = np.abs(X - rest).max(axis=(1, 2)) > 1e-12
            assert moved.tolist() == [b == bone for b in range(bones)]
            seat = np.append(space.skin.frames[bone, :3, 3], 1.0)
            shift = np.linalg.norm((X[bone] @ seat - seat)[:3])
            assert (shift < 1e-12) == (axis < 3)


def test_rows_answer_to_the_paper_s_by_their_configuration():
    assert find_paper_row("learned", {}) == "NeuROK" and find_paper_row("keypoints", None) == "KeyPointDeformer"
    assert find_paper_row("x", {"augmentation": False}) == "NeuROK without augmentation"
    assert find_paper_row("x", {"dual_quaternion": False}) == "NeuROK without dual quaternions"
    assert find_paper_row("x-unreduced", {"augmentation": True}) == "NeuROK without reduction"
    assert find_paper_row("arap", None) == find_paper_row("untrained", {"augmentation": False}) == ""
    assert {find_paper_row("x", {"augmentation": False}), *(find_paper_row(n, {}) for n in OURS)} <= set(TABLE_1)


# ---------------------------------------------------------------- paired changes


def test_a_paired_change_forgets_what_both_share():
    generator = np.random.default_rng(0)
    base = np.repeat(generator.normal(size=60), 4)
    owners = np.repeat(np.arange(60), 4).astype(str)
    found = compare_medians(base + 0.1, base, owners)
    assert found["change"] == pytest.approx(0.1) and np.allclose(found["interval"], 0.1)
    low, high = compare_medians(base, generator.normal(size=240), owners)["interval"]
    assert low < 0.0 < high and high - low > 0.1


def _result(name, method, value, moves=True):
    return PairResult(name, "door", "fused", 0, method, "drag3", 0.1, {"moves": moves, "motion_recovered": value})


def test_margins_are_over_the_best_baseline_and_the_control():
    values = {"still": 0.0, "components": 0.2, "arap": 0.4, "untrained": 0.1, "learned": 0.9, "oracle": 1.0}
    results = [_result(str(i), method, value) for i in range(5) for method, value in values.items()]
    results.append(_result("9", "learned", None, moves=False))
    found = {(m["method"], m["against"]): m["change"] for m in compute_margins(results) if m["group"] == "all"}
    assert found == {("learned", "untrained"): pytest.approx(0.8), ("learned", "arap"): pytest.approx(0.5)}


# ---------------------------------------------------------------- workers


def test_figures_do_not_depend_on_the_number_of_workers(cupboards):
    """And the report says what the weights were."""
    how = {"method_names": ["learned", "components"], "targets": ["drag3"]}
    one, two = (evaluate_deformation(MeasureOptions(str(cupboards), "all", workers=count), **how) for count in (1, 2))
    for a, b in zip(one.results, two.results, strict=True):
        assert (a.object, a.pair, a.method, a.figures) == (b.object, b.pair, b.method, b.figures)
    plain = json.loads(json.dumps(one.plain()))
    assert plain["settings"]["weights"]["learned"]["config"]["decoder"] == "handles"
    assert "user study" in " ".join(plain["not_measured"])
    assert {r["coordinates"] for r in plain["results"] if r["method"] == "components"} == {None}
