"""The benchmarks run, on tiny sizes: what they compare is the same thing, and bounds are judged; no time is tested."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import (
    acceleration,
    exporting,
    latent,
    material_points,
    materials,
    million,
    proposing,
    reader,
    rivals,
    run,
    scaling,
    self_contact,
    spaces,
    training,
)
from benchmarks.figures import Figure, fastest, table

REPOSITORY = Path(__file__).resolve().parents[1]
TINY = {
    "acceleration": acceleration.Sizes(coordinates=(1, 2), points=(16,), rounds=1),
    "scaling": scaling.Sizes(points=(16, 32), coordinates=(1, 2), kept_points=16, kept_coordinates=1, rounds=1),
    "million": million.Sizes(side=12, frames=5, bones=2),
    "reader": reader.Sizes(states=(2,), objects=1, batches=1),
    "exporting": exporting.Sizes(faces=1000, objects=("pen",), parts=(4, 8), rounds=1),
    "latent": latent.Sizes(coordinates=2, handles=6, vertices=200, points=32, rounds=1, seconds=0.1),
    "self_contact": self_contact.Sizes(side=1, vertices=(50, 100), bounded=100, seconds=0.1),
    "proposing": proposing.Sizes(side=1, faces=(400, 1600), pieces=(50, 100)),
    "spaces": spaces.Sizes(vertices=100),
    "rivals": rivals.Sizes(side=6, nodes=3, steps=(0.002,), count=1, seconds=0.1, rounds=1),
    "materials": materials.Sizes(blocks=1, seconds=0.05, faces=2000, step=0.005),
    "material_points": material_points.Sizes(blocks=(0,), seconds=0.05, particles=64, step=1 / 240),
    "training": training.Sizes(objects=1, steps=1, size="tiny", shapes=1, side=16),
}


def test_every_benchmark_fills_the_table():
    assert set(TINY) == set(run.NAMES)
    # One through a process of its own, as all are in earnest; the others here, where torch is loaded already.
    figures = run.measured(["million"], TINY)
    figures += [figure for name in TINY if name != "million" for figure in run.measure(name, TINY[name])]
    assert all(math.isfinite(figure.value) for figure in figures)
    lines = table(figures).splitlines()
    assert len(lines) == len(figures) + 2
    for word in (
        "(bones),  2 coordinates",
        "in points",
        "in coordinates",
        "as waves",
        "as a skin",
        "peak memory",
        "pairs read",
        "naive on",
        "real time / time, steps",
        "real time / time with self-contact",
        "mesh to moving parts",
        "exponent in loose pieces",
        "mesh to state space",
        "MuJoCo elastic2d",
        "MuJoCo trilinear",
        "cushion, lattice of 12 coordinates / ours of 16",
        "cloth, ours of 16 coordinates: error",
        "Sim-CD",
        "flex cantilever",
        "pairs trained",
        "one pass over the bytes",
    ):
        assert any(word in line for line in lines), word
    read_back = [figure for figure in figures if "read back" in figure.what]
    assert len(read_back) == 3
    assert all(figure.holds for figure in read_back)


def test_all_forms_give_the_same_acceleration():
    values = [form() for form in acceleration.accelerations(3, 40).values()]
    assert len(values) == 4
    for value in values[1:]:
        np.testing.assert_allclose(value, values[0], rtol=1e-9)


def test_naive_form_in_pieces_gives_our_acceleration(monkeypatch):
    """Of the same points; the springs and armature of a learned space are left out of ours, as they are of it."""
    space = latent.learned_like(TINY["latent"])
    scene = acceleration.build_scene(space, acceleration.FALLING, mass_count=64)
    q, v = np.random.default_rng(0).normal(size=(2, space.size))
    terms = acceleration.evaluate(scene.system, space, q, v, 0.0)
    ours = np.linalg.solve(terms.mass - scene.system.armature, terms.force - terms.velocity_term)
    np.testing.assert_allclose(latent.naive(space, scene.masses.where, scene.masses.mass, q, v), ours, rtol=1e-8)
    monkeypatch.setattr(latent, "PIECE", 10)
    np.testing.assert_allclose(latent.naive(space, scene.masses.where, scene.masses.mass, q, v), ours, rtol=1e-8)


def test_exponent_is_that_of_the_cost(monkeypatch):
    costs = {size: 3e-4 * size**1.5 for size in (2, 4, 8)}
    monkeypatch.setattr(scaling, "fastest", lambda tasks, **_: {name: costs[int(name)] for name in tasks})
    assert scaling.exponent(dict.fromkeys(costs, lambda: None), rounds=1) == pytest.approx(1.5)


def test_bounds_are_judged():
    assert Figure("a", 20.0, "x", least=20.0).verdict == "holds"
    assert Figure("b", 19.9, "x", least=20.0).verdict == "FAILS"
    assert Figure("c", 4.1, " GiB", most=4.0).verdict == "FAILS"
    assert Figure("d", math.nan, most=4.0).verdict == "FAILS"
    assert Figure("e", 1e9).verdict == "-"
    assert "19.9x  >= 20x  FAILS" in table([Figure("b", 19.9, "x", least=20.0)])


@pytest.mark.parametrize(("value", "code"), [(25.0, 0), (15.0, 1)])
def test_a_failed_bound_is_the_exit_code(monkeypatch, capsys, value, code):
    monkeypatch.setattr(run, "measured", lambda names, sizes: [Figure("ratio", value, "x", least=20.0)])
    assert run.main([]) == code
    assert ("bounds hold" in capsys.readouterr().out) == (code == 0)


def test_the_least_time_of_interleaved_calls_is_taken():
    calls = []
    fastest({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, rounds=2, slice_seconds=0.0)
    assert calls == ["a", "b", "a", "b"]


def test_an_unknown_name_is_told():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.run", "nothing"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "there are: acceleration, scaling, million, reader, latent" in done.stderr
