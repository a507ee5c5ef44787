"""Targets, methods and tables of the deformation protocol on objects whose answer is known."""

import json

import numpy as np
import pytest

from neurok.commands.main import main
from neurok.evaluate import jointed, tables
from neurok.evaluate.deformation import evaluate_deformation, measure_pair, to_corners
from neurok.evaluate.loop import MeasureOptions
from neurok.evaluate.method import METHODS, make_methods
from neurok.evaluate.objects import find_objects, read_pairs
from neurok.evaluate.pairs import unweld_corners
from neurok.evaluate.paper import NOT_RUN, TABLE_1
from neurok.evaluate.results import PairResult
from neurok.evaluate.tables import bootstrap_median, make_pair_rows, summarise_pairs
from neurok.evaluate.targets import (
    DRAGGED_POINT_COUNTS,
    CorrespondingTarget,
    DragTarget,
    choose_dragged_points,
    make_target,
)
from neurok.geometry.metrics import Yardstick, deformation_report
from neurok.geometry.surface import carry, find_nearest


@pytest.fixture
def pairs(cupboards):
    return jointed.make_jointed_pairs(cupboards, "1", "cupboard")


# ---------------------------------------------------------------- targets


def test_corresponding_points_lie_on_both_states(pairs):
    for pair in pairs:
        target = make_target(pair, "corresponding")
        assert isinstance(target, CorrespondingTarget) and len(target.positions) == 8192
        assert np.abs(carry(pair.mesh.vertices, target.where) - target.where.position).max() < 1e-12
        on = find_nearest(unweld_corners(pair.target), target.positions[:200]).position
        assert np.abs(on - target.positions[:200]).max() < 1e-9


def test_an_unordered_target_tells_nothing_of_its_order(pairs):
    pair = pairs[1]
    target = make_target(pair, "unordered")
    corners = target.surface.vertices.reshape(-1, 3, 3)
    assert not np.allclose(corners, pair.target)
    order = np.lexsort(corners.reshape(-1, 9).T), np.lexsort(pair.target.reshape(-1, 9).T)
    assert np.array_equal(corners[order[0]], pair.target[order[1]])
    assert np.allclose(np.linalg.norm(target.normals, axis=1), 1.0)
    assert np.abs(find_nearest(target.surface, target.points[:200]).position - target.points[:200]).max() < 1e-9


@pytest.mark.parametrize("kind", ["drag1", "drag3", "drag8"])
def test_dragged_points_move_far_and_lie_far_apart(pairs, kind):
    for pair in pairs:
        target = make_target(pair, kind)
        assert isinstance(target, DragTarget) and target.where.count == DRAGGED_POINT_COUNTS[kind]
        largest = np.linalg.norm(pair.target - pair.rest, axis=2).max()
        moved = np.linalg.norm(target.positions - target.where.position, axis=1)
        assert np.all(moved > 0.45 * largest)  # half of the largest among samples, which miss the corner itself


def test_dragged_is_farthest_point_sampling_among_the_movers():
    before = np.array([[0.0, 0, 0], [1, 0, 0], [0.1, 0, 0], [0.9, 0, 0], [5, 0, 0]])
    after = before + np.array([[1.0], [0.6], [1], [0.9], [0.4]]) * [0, 0, 1]
    assert choose_dragged_points(before, after, 3).tolist() == [0, 1, 2]
    assert choose_dragged_points(before, before, 1).tolist() == [0]


# ---------------------------------------------------------------- scores


def test_a_perfect_method_scores_one_and_not_moving_zero(pairs):
    for pair in pairs:
        yardstick = Yardstick(unweld_corners(pair.rest), unweld_corners(pair.target))
        perfect = yardstick.report(unweld_corners(pair.target))
        still = yardstick.report(unweld_corners(pair.rest))
        assert perfect["motion_recovered"] == 1.0 and still["motion_recovered"] == 0.0
        assert perfect["volume_iou"]["value"] == 1.0
        assert perfect["chamfer_l1_recovered"] == pytest.approx(1.0, abs=0.1)
        assert still["chamfer_l1_recovered"] == pytest.approx(0.0, abs=0.1)
        assert still["surface_iou"]["value"] == pytest.approx(still["surface_iou"]["still"], abs=0.02)


def test_a_yardstick_measures_as_the_single_report_does(pairs):
    rest, target = unweld_corners(pairs[2].rest), unweld_corners(pairs[2].target)
    half = unweld_corners(0.5 * (pairs[2].rest + pairs[2].target))
    assert Yardstick(rest, target, 3).report(half) == deformation_report(rest, target, half, 3)
    assert "volume_iou" not in Yardstick(rest, target).report(half, volume=False)


# ---------------------------------------------------------------- methods


def _recovered(pair, name, kind) -> float:
    (method,) = make_methods([name])
    space = method.make_space(pair.mesh, pair.truth if method.sees_truth else None)
    found = to_corners(pair, method, method.fit(space, make_target(pair, kind)))
    return Yardstick(unweld_corners(pair.rest), unweld_corners(pair.target)).report(
        unweld_corners(found), volume=False
    )["motion_recovered"]


@pytest.mark.parametrize("kind", list(DRAGGED_POINT_COUNTS))
def test_the_oracle_finds_the_state(pairs, kind):
    # One point is on one part: it tells nothing of the other, so only pair 0, in which one joint moves.
    chosen = pairs[:1] if kind.startswith("drag") else pairs
    assert min(_recovered(pair, "oracle", kind) for pair in chosen) > 0.97


def test_components_and_particles_fit_corresponding_points(pairs):
    """The cupboard's parts touch nothing, so that each is a component, and free particles fit anything."""
    for pair in pairs:
        assert _recovered(pair, "components", "corresponding") > 0.999
        assert _recovered(pair, "arap", "corresponding") > 0.97


def test_components_follow_a_drawer_by_three_points(cupboards):
    """A slide is told by any three points of the part that slides."""
    pair = next(
        p
        for seed in range(9)
        for p in jointed.make_jointed_pairs(cupboards, "1", "cupboard", seed=seed)[:1]
        if np.abs((p.target - p.rest)[..., 1:]).max() < 1e-9
    )
    assert _recovered(pair, "components", "drag3") > 0.999
    assert _recovered(pair, "components", "unordered") > 0.8
    assert _recovered(pair, "arap", "drag3") > 0.0


def test_methods_never_see_the_truth_unless_they_are_oracles(pairs):
    seen = {}

    class Spy:
        name, sees_truth = "spy", False

        def make_space(self, mesh, truth):
            seen["truth"] = truth
            return mesh

        def fit(self, space, target):
            return space.vertices

    (result,) = measure_pair(pairs[0], "separable", [Spy()], ["drag1"])
    assert seen["truth"] is None and result.figures["motion_recovered"] == 0.0
    runnable = [name for name in METHODS if name != "keypoints"]
    assert [name for name in runnable if make_methods([name])[0].sees_truth] == ["oracle"]


def test_a_method_that_gives_nonsense_is_found_out(pairs):
    (method,) = make_methods(["still"])
    with pytest.raises(RuntimeError, match="shape"):
        to_corners(pairs[0], method, np.zeros((2, 3)))
    with pytest.raises(RuntimeError, match="finite"):
        to_corners(pairs[0], method, np.full_like(pairs[0].target, np.nan))


@pytest.mark.data
def test_the_oracle_reaches_its_ceiling_on_real_objects(shared_data):
    chosen = [e for e in find_objects(str(shared_data), "dev") if e.file in ("168", "3616", "12249", "45213", "100367")]
    scores = [_recovered(pair, "oracle", "corresponding") for e in chosen for pair in read_pairs(e)]
    assert len(scores) == 20 and min(scores) >= 0.95


# ---------------------------------------------------------------- tables


def _result(name: str, recovered: float, moves: bool = True, kind: str = "fused") -> PairResult:
    figures = {"moves": moves, "motion_recovered": recovered, "chamfer_l1_recovered": recovered}
    figures |= {m: {"value": recovered, "floor": 1.0, "still": 0.0} for m in ("chamfer_l1", "surface_iou")}
    return PairResult(name, "door", kind, 0, "m", "drag3", 0.1, figures)


def test_rows_count_and_skip():
    results = [_result("a", 0.0), _result("a", 1.0), _result("b", 0.5), _result("b", None, moves=False)]
    found = summarise_pairs(results)
    assert (found["objects"], found["pairs"], found["skipped"]) == (2, 3, 1)
    assert found["motion_recovered"]["median"] == 0.5 and found["chamfer_l1"]["floor"]["mean"] == 1.0
    assert summarise_pairs([_result("b", None, moves=False)]) == {"objects": 1, "pairs": 0, "skipped": 1}
    groups = [r["group"] for r in make_pair_rows([*results, _result("c", 1.0, kind="separable")])]
    assert groups == ["all", "separable", "fused", "category door"]


def test_the_bootstrap_draws_objects_not_pairs():
    generator = np.random.default_rng(0)
    centres = generator.normal(size=400)
    low, high = bootstrap_median(np.repeat(centres, 4), np.repeat(np.arange(400), 4).astype(str))
    # The median of 400 normal numbers has deviation 1.253 / 20; four copies of each know no more.
    assert high - low == pytest.approx(2 * 1.96 * 1.253 / 20, rel=0.25)
    assert bootstrap_median(np.ones(3), ["a", "b", "c"]) == (1.0, 1.0)


@pytest.mark.parametrize("block", [1, 1 << 22])
def test_medians_of_drawn_objects_are_those_of_a_plain_loop(monkeypatch, block):
    """Objects have one to four values each, so that draws differ in length; in one block or many."""
    monkeypatch.setattr(tables, "BLOCK_SIZE", block)
    monkeypatch.setattr(tables, "RESAMPLING_COUNT", 300)
    generator = np.random.default_rng(1)
    owners = generator.permutation(np.repeat(np.arange(9), generator.integers(1, 5, 9))).astype(str)
    a, b = generator.normal(size=(2, len(owners)))
    names = np.unique(owners)
    drawn = np.random.default_rng(0).integers(len(names), size=(300, len(names)))
    index = [np.concatenate([np.flatnonzero(owners == names[i]) for i in row]) for row in drawn]
    assert bootstrap_median(a, owners) == tuple(np.percentile([np.median(a[i]) for i in index], [2.5, 97.5]))
    changes = [np.median(a[i]) - np.median(b[i]) for i in index]
    assert tables.compare_medians(a, b, owners)["interval"] == np.percentile(changes, [2.5, 97.5]).tolist()
    a[0] = np.nan
    assert np.isnan(bootstrap_median(a, owners)).all()


def test_every_method_of_the_paper_is_run_or_excused():
    competitors = {name for name in TABLE_1 if not name.startswith("NeuROK")}
    assert competitors == set(NOT_RUN)


# ---------------------------------------------------------------- the verb


def test_the_verb_writes_figures_and_a_report(cupboards, tmp_path, capsys):
    out, figures = tmp_path / "report", tmp_path / "f.json"
    words = ["evaluate", "deformation", "--data", cupboards, "--split", "all", "--limit", 1, "--targets", "drag1,drag3"]
    words += ["--methods", "still", "--methods", "components", "-o", out, "--json", figures]
    assert main([str(w) for w in words]) == 0
    said = capsys.readouterr().out
    assert "drag3" in said and "components" in said and "oracle" not in said
    data = json.loads(figures.read_text())
    assert data["settings"]["objects"] == 1 and len(data["results"]) == 4 * 2 * 2
    still = [r for r in data["rows"] if r["method"] == "still"]
    assert still and all(r["motion_recovered"]["median"] == 0.0 for r in still)
    assert json.loads((out / "report.json").read_text()) == data
    page = (out / "report.md").read_text()
    assert "| NeuROK | 0.028 | 0.028 | 0.764 |" in page and "not run:" in page and "components.png" in page
    assert (out / "components.png").read_bytes().startswith(b"\x89PNG")


def test_json_without_a_file_is_printed_and_runs_agree(cupboards, capsys):
    words = ["evaluate", "deformation", "--data", str(cupboards), "--split", "all", "--methods", "components",
             "--targets", "drag3", "--json"]  # fmt: skip
    assert main(words) == 0
    first = json.loads(capsys.readouterr().out)
    options = MeasureOptions(str(cupboards), "all")
    again = evaluate_deformation(options, method_names=["components"], targets=["drag3"]).plain()
    for a, b in zip(first["results"], again["results"], strict=True):
        assert a["figures"] == b["figures"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no data"),
        (["--data", "nowhere"], "no folder"),
        (["--data", "objects", "--split", "dev"], "--split all"),
        (["--data", "objects", "--split", "all", "--methods", "magic"], "unknown method"),
        (["--data", "objects", "--split", "all", "--targets", "magic"], "unknown target"),
        (["--data", "objects", "--split", "all", "--limit", "0"], "limit"),
        (["--data", "objects", "--split", "all", "--workers", "0"], "workers"),
        (["--data", "objects", "--split", "all", "-o", "no/where"], "no folder"),
        (["--data", "objects", "--split", "all", "--json", "no/where.json"], "cannot be written"),
        (["--data", "broken", "--split", "all"], "none of the objects"),
    ],
)
def test_faults_are_one_sentence(words, says, cupboards, capsys, monkeypatch):
    monkeypatch.chdir(cupboards.parent)
    (cupboards.parent / "broken").mkdir()
    (cupboards.parent / "broken" / "a.npz").write_bytes(b"PK\x03\x04 not an archive")
    assert main(["evaluate", "deformation", *words]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1, err


def test_an_object_that_cannot_be_read_is_left_out_and_named(cupboards, capsys):
    (cupboards / "3").mkdir()
    (cupboards / "3" / "mobility.urdf").write_text("<robot><link name='a'/></robot>")
    words = ["--data", str(cupboards), "--split", "all", "--methods", "still", "--targets", "drag1"]
    assert main(["evaluate", "deformation", *words]) == 0
    assert "3 is left out" in capsys.readouterr().err
