"""The keypoint deformer: its cage's weights by their laws, its fits by what a linear map can do, its training."""

import json

import numpy as np
import pytest
import torch

from neurok.commands.main import main
from neurok.data.pairs import PairReader, Reading
from neurok.data.prepared import prepare
from neurok.errors import InputError
from neurok.evaluate import jointed
from neurok.evaluate.cage import compute_mean_value_coordinates, make_cage
from neurok.evaluate.deformer import CAGE_VERTEX_COUNT, Deformer, DeformerConfig, load_deformer, save_deformer
from neurok.evaluate.deformer_training import make_inputs, train_deformer
from neurok.evaluate.methods.keypoints import CagedMesh, KeypointMethod, solve_displacements
from neurok.evaluate.targets import CorrespondingTarget, make_target
from neurok.geometry.primitives import box
from neurok.geometry.surface import carry
from tests.small_store import make_store

SMALL = DeformerConfig(keypoints=4, width=16, shapes=4, states=4, points=64, rate=1e-2)


@pytest.fixture
def weights(tmp_path):
    torch.manual_seed(0)
    save_deformer(tmp_path / "weights", Deformer(SMALL), SMALL, {"minutes": 0.0})
    return tmp_path / "weights"


def test_mean_value_weights_sum_to_one_and_reproduce_points():
    generator = np.random.default_rng(0)
    inside = generator.uniform(-0.3, 0.3, (200, 3))
    vertices, faces = make_cage(generator.uniform(-0.35, 0.35, (500, 3)))
    weights = compute_mean_value_coordinates(inside, vertices, faces)
    assert weights.shape == (200, CAGE_VERTEX_COUNT)
    assert np.abs(weights.sum(axis=1) - 1.0).max() < 1e-12
    assert np.abs(weights @ vertices - inside).max() < 1e-9
    # So an affine map of the cage is the same map of what is inside.
    A, t = generator.normal(size=(3, 3)), generator.normal(size=3)
    assert np.abs(weights @ (vertices @ A.T + t) - (inside @ A.T + t)).max() < 1e-9


def test_mean_value_weights_of_a_tetrahedron_are_barycentric():
    """With four vertices there is only one choice of weights that sum to one and reproduce the point."""
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    points = np.array([[0.2, 0.3, 0.1], [0.25, 0.25, 0.25], [0.05, 0.02, 0.6]])
    expected = np.column_stack([1.0 - points.sum(axis=1), points])
    assert np.abs(compute_mean_value_coordinates(points, vertices, faces) - expected).max() < 1e-12


@pytest.mark.parametrize("sides", [(0.9, 0.3, 0.3), (0.58, 0.58, 0.58), (1.0, 0.02, 0.02), (0.7, 0.7, 0.02)])
def test_the_cage_holds_the_shape(sides):
    import igl

    points = box(*sides, cells=4).vertices
    assert np.all(igl.fast_winding_number(*make_cage(points), points) > 0.5)


def test_known_displacements_are_found_again():
    generator = np.random.default_rng(1)
    A, d = generator.normal(size=(50, 4)), generator.normal(size=(4, 3))
    assert np.abs(solve_displacements(A, A @ d, A, 0.0) - d).max() < 1e-6
    assert np.linalg.norm(solve_displacements(A, A @ d, A, 1.0)) == pytest.approx(0.5 * np.linalg.norm(d), rel=1e-6)


def test_a_motion_of_the_cage_is_recovered(cupboards, weights):
    """What keypoints can do exactly, corresponding points tell exactly; three points bring themselves there."""
    method = KeypointMethod(str(weights))
    pair = jointed.make_jointed_pairs(cupboards, "1", "cupboard")[0]
    space = method.make_space(pair.mesh, None)
    assert isinstance(space, CagedMesh) and space.by_vertex.shape == (pair.mesh.vertex_count, 4)
    truth = space.move_vertices(np.random.default_rng(2).normal(size=(4, 3)))
    where = make_target(pair, "corresponding").where
    found = method.fit(space, CorrespondingTarget(where, carry(truth, where)))
    moved = np.abs(truth - pair.mesh.vertices).max()
    assert np.abs(found - truth).max() < 1e-3 * moved
    for kind in ("drag3", "unordered"):
        assert np.all(np.isfinite(method.fit(space, make_target(pair, kind))))
    assert np.abs(space.move_vertices(np.zeros((4, 3))) - pair.mesh.vertices).max() == 0.0


def test_training_learns_and_writes_weights(tmp_path):
    store = make_store(tmp_path / "store")
    facts = train_deformer(str(store.folder), str(tmp_path / "run"), steps=150, config=SMALL)
    record = json.loads((tmp_path / "run" / "weights" / "config.json").read_text())
    assert record["steps"] == 150 and record["deformer"]["keypoints"] == 4 and record["recipe"] == "tiny"
    model = load_deformer(facts["weights"])
    assert not any(p.requires_grad for p in model.parameters())
    # On the same batch, what was learned beats what it began with.
    torch.manual_seed(SMALL.seed)
    batch = make_inputs(PairReader(prepare(store), Reading(8, 4, SMALL.points, 8)).take(), SMALL)
    with torch.no_grad():
        before, after = (float(m(*batch)[0]) for m in (Deformer(SMALL), model))
    assert after < 0.97 * before


def test_the_verb_measures_given_weights(cupboards, weights, capsys):
    words = ["evaluate", "deformation", "--data", str(cupboards), "--split", "all", "--limit", "1"]
    words += ["--targets", "drag3"]
    assert main([*words, "--methods", "keypoints", "--weights", f"keypoints={weights}"]) == 0
    assert "keypoints" in capsys.readouterr().out
    assert main([*words, "--methods", "keypoints"]) == 2
    assert "no weights" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--out", "run", "--steps", "1"], "no store"),
        (["--data", "nowhere", "--out", "run", "--steps", "1"], "not a data store"),
        (["--data", "nowhere", "--out", "run"], "budget"),
        (["--data", "nowhere", "--out", "run", "--minutes", "1", "--steps", "1"], "budget"),
        (["--data", "nowhere", "--out", "run", "--steps", "1", "--keypoints", "1"], "keypoints"),
    ],
)
def test_faults_are_one_sentence(words, says, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "keypoints", *words]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1, err


def test_weights_of_another_kind_are_refused(weights, tmp_path):
    from neurok.evaluate.method import make_rows

    with pytest.raises(InputError, match="another kind"):
        make_rows(["learned"], [str(weights)])[0].read_record()
    with pytest.raises(InputError, match="keypoint deformer"):
        record = json.loads((weights / "config.json").read_text())
        record["deformer"]["keypoints"] = 5
        (weights / "config.json").write_text(json.dumps(record))
        load_deformer(str(weights))
