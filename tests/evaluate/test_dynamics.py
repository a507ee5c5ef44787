"""Measurements of dynamics against what closed forms say."""

import json

import numpy as np
import pytest

from neurok.commands.main import main
from neurok.evaluate.boundary import measure_boundary
from neurok.evaluate.dynamics import (
    compute_fine_end,
    evaluate_dynamics,
    make_swing_conditions,
    measure_long_run,
    measure_order,
    summarise_energy,
)
from neurok.evaluate.flow import PICTURE_WIDTH, Flow, compute_flow, project_points
from neurok.evaluate.plot import SIZE, draw_line_plot, place_ticks
from neurok.files.camera import Camera
from neurok.files.registry import load
from neurok.geometry.motion import Motion
from neurok.geometry.primitives import box
from neurok.mechanics.simulate import animate
from neurok.opening import kinematics


@pytest.fixture
def space(cupboards):
    return kinematics(load(cupboards / "1"))


def test_a_swing_without_losses_keeps_its_energy(space):
    figures = summarise_energy(animate(space, make_swing_conditions(space, seconds=1.0)))
    assert figures["drift"] < 1e-3
    assert figures["kinetic_share"] == pytest.approx(1.0, abs=0.05)  # it all becomes kinetic and back


def test_losses_are_seen(space):
    assert summarise_energy(animate(space, make_swing_conditions(space, seconds=1.0, damping=1.0)))["drift"] > 0.2


def test_the_observed_order_is_the_declared_one(space):
    truth = compute_fine_end(space)
    for scheme in ("euler", "rk4", "midpoint"):
        found = measure_order(space, scheme, truth)
        assert found["order"] == pytest.approx(found["declared"], abs=0.35), scheme
        assert all(a > b for a, b in zip(found["errors"], found["errors"][1:]))


def test_a_long_run_says_what_became_of_it(space):
    found = measure_long_run(space, steps=500)
    assert found["finite"] and found["drift"] < 1e-3 and abs(found["trend"]) < 1e-3


def test_flow_is_the_distance_in_the_picture():
    """A box shifted sideways by s, seen from far away: all points move by the same number of pixels."""
    mesh = box(1.0, 1.0, 1.0)
    time = np.arange(9) / 8.0
    frames = np.stack([mesh.vertices + [0.5 * t, 0.0, 0.0] for t in time])
    motion = Motion(mesh, time, positions=frames)
    flow = compute_flow(motion)
    camera = Camera.framing(list(frames), mesh.up, 1.0)
    pixels = project_points(camera, frames)
    assert pixels.min() > 0 and pixels.max() < PICTURE_WIDTH
    steps = np.linalg.norm(np.diff(pixels, axis=0), axis=2)
    assert steps.min() <= flow.magnitude <= steps.max() and flow.fastest.max() <= 1.2 * steps.max()
    assert compute_flow(Motion(mesh, time, positions=np.stack([mesh.vertices] * 9))).magnitude == 0.0


def test_dynamic_means_fast_for_long_enough():
    slow, fast = np.full(16, 1.0), np.full(16, 7.0)
    assert not Flow(slow, slow).is_dynamic and Flow(slow, fast).is_dynamic
    assert not Flow(slow, np.where(np.arange(16) < 3, 7.0, 1.0)).is_dynamic
    assert Flow(slow, np.where(np.arange(16) < 4, 7.0, 1.0)).is_dynamic


def test_the_plot_draws_its_curves():
    x = np.linspace(0.0, 10.0, 200)
    picture = draw_line_plot(x, {"a": np.sin(x), "b": 0 * x + 1.0}, across="t", up="y")
    assert picture.shape == (SIZE[1], SIZE[0], 3)
    blank = draw_line_plot(x, {"a": 0 * x, "b": 0 * x + 1.0}, across="t", up="y")
    assert np.abs(picture.astype(int) - blank).sum() > 1e5
    assert place_ticks(0.0, 1.0).tolist() == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert len(place_ticks(3.0, 3.0)) >= 1
    assert draw_line_plot(x, {"a": np.full(200, np.nan)}, across="t", up="y").shape[2] == 3


def test_the_verb_measures_and_draws(cupboards, tmp_path, capsys, monkeypatch):
    from neurok.evaluate import dynamics

    monkeypatch.setattr(dynamics, "LONG_RUN_STEPS", 300)
    monkeypatch.setattr(dynamics, "SWING_SECONDS", 1.0)
    monkeypatch.setattr(dynamics, "HALVING_COUNT", 1)
    out = tmp_path / "out"
    assert main(["evaluate", "dynamics", str(cupboards / "1"), "-o", str(out), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["coordinates"] == 2 and data["long_run"]["finite"] and data["motion_magnitude"] > 0
    assert json.loads((out / "dynamics.json").read_text()) == data
    assert (out / "energy.png").read_bytes().startswith(b"\x89PNG")


def test_all_measurements_come_with_the_swing(space, monkeypatch):
    from neurok.evaluate import dynamics

    monkeypatch.setattr(dynamics, "measure_order", lambda space, name, truth: {})
    monkeypatch.setattr(dynamics, "compute_fine_end", lambda space: None)
    monkeypatch.setattr(dynamics, "SWING_SECONDS", 1.0)
    monkeypatch.setattr(dynamics, "measure_long_run", lambda space: {})
    shares = []
    found = evaluate_dynamics(space, progress=shares.append)
    assert found.swing.time[-1] == dynamics.SWING_SECONDS and shares[-1] == 1.0
    assert set(found.facts) >= {"energy", "convergence", "long_run", "motion_magnitude", "dynamic_degree"}


@pytest.mark.parametrize(
    ("words", "says"),
    [(["nowhere.urdf"], "nowhere.urdf"), ([], "INPUT"), (["objects/1", "-o", "a/b"], "no folder")],
)
def test_faults_are_one_sentence(words, says, cupboards, capsys, monkeypatch):
    monkeypatch.chdir(cupboards.parent)
    assert main(["evaluate", "dynamics", *words]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1, err


def test_single_coordinates_swing_over_half_of_their_range(space, monkeypatch):
    from neurok.evaluate import dynamics

    monkeypatch.setattr(dynamics, "SWING_SECONDS", 1.0)
    found = dynamics.measure_single_swings(space)
    assert [swing["coordinate"] for swing in found] == list(space.names)
    assert all(swing["drift"] < 0.01 and swing["kinetic_share"] > 0.3 for swing in found)


def test_a_learned_space_is_measured_too(cupboards, tmp_path, capsys, monkeypatch):
    """A plain box with a lid, as a mesh without joints; the weights that came with neurok move it."""
    from neurok.evaluate import dynamics
    from neurok.files.registry import save

    monkeypatch.setattr(dynamics, "LONG_RUN_STEPS", 10)
    monkeypatch.setattr(dynamics, "compute_fine_end", lambda space: None)
    same = {"steps": [0.1], "errors": [0.0], "order": None, "declared": 2}
    monkeypatch.setattr(dynamics, "measure_order", lambda space, name, truth: same)
    monkeypatch.setattr(dynamics, "measure_boundary", lambda space: measure_boundary(space, motions=1))
    monkeypatch.setattr(dynamics, "SWING_SECONDS", 0.1)
    monkeypatch.setattr(dynamics, "MAX_SINGLE_SWINGS", 1)
    mesh = load(cupboards / "1").mesh
    save(mesh, tmp_path / "plain.ply")
    (tmp_path / "short.json").write_text('{"seconds": 0.1}')
    words = ["evaluate", "dynamics", tmp_path / "plain.ply", "--up", mesh.up, "-o", tmp_path / "out"]
    words += ["--conditions", tmp_path / "short.json"]
    assert main([str(word) for word in words]) == 0
    said = capsys.readouterr().out
    assert "one coordinate at a time" in said and "all finite" in said
    facts = json.loads((tmp_path / "out" / "dynamics.json").read_text())
    assert 1 <= facts["coordinates"] <= 16 and len(facts["single_swings"]) == 1
    assert facts["energy"]["drift"] < 0.01
    page = (tmp_path / "out" / "dynamics.md").read_text()
    assert "energy.png" in page and "user study" in page and "| NeuROK | 81.43 |" in page
