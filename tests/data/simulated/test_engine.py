"""Runs that break down are told apart by the engine's own clock and warnings, and become reasons in the store."""

import sys

import numpy as np
import pytest

from neurok.data import simulated
from neurok.data.recipes import RecipeItem, build_item, list_items
from neurok.data.sample import MotionSample, encode_sample
from neurok.data.simulated import engine, importer
from neurok.data.simulated.engine import SimulatedScene, Unstable, check_stretch, run_scene
from neurok.data.simulated.sheet import Sheet, simulate_cloth
from neurok.data.store import Rejected
from neurok.errors import MissingExtra

pytest.importorskip("mujoco")


def exploding() -> None:
    """Two bodies at the ends of an absurdly stiff spring, in explicit steps that are far too long for it."""
    body = '<body pos="0 0 {z}" name="b{z}"><joint type="slide" axis="0 0 1" stiffness="1e9"/><geom size="0.1"/></body>'
    bodies = body.format(z=1) + body.format(z=2)
    run_scene(SimulatedScene(bodies, 1.0, nodes=("b1", "b2"), integrator="Euler", step=0.01))


def test_an_exploding_run_is_unstable_though_all_numbers_are_finite():
    with pytest.raises(Unstable, match=r"the engine warned \(bad"):
        exploding()


def test_a_clock_that_fell_back_is_unstable():
    class Data:
        warning = ()
        time = 0.42

    with pytest.raises(Unstable, match="clock shows 0.42 s of 2.00 s"):
        engine._check_run(None, Data, 2.0, 0.01)


def test_overstretched_cloth_is_unstable():
    x, z = np.meshgrid(np.linspace(0, 1, 8), np.linspace(1, 0, 8))
    sheet = Sheet(np.stack([x, 0 * x, z], axis=2), np.arange(8), weight=2.0, young=500.0)
    with pytest.raises(Unstable, match="stretched"):
        simulate_cloth(sheet, 1.0)


def test_stretch_is_measured_against_the_first_frame():
    line = np.array([[0.0, 0, 0], [1, 0, 0]])
    frames = np.stack([line, 1.4 * line])
    check_stretch(frames, np.array([[0, 1]]), 1.5)
    with pytest.raises(Unstable, match="1.40 of its length"):
        check_stretch(frames, np.array([[0, 1]]), 1.3)
    with pytest.raises(Unstable, match="not finite"):
        check_stretch(frames * np.nan, np.array([[0, 1]]), 1.3)


def test_an_unstable_clip_is_rejected_with_its_reason(monkeypatch):
    monkeypatch.setattr(simulated, "make", lambda kind, seed: exploding())
    found = importer.build_sample("rope-0", "train", category="rope", seed=0)
    assert isinstance(found, Rejected) and found.source == "simulated" and "warned" in found.reason


def test_a_clip_that_hardly_moves_is_rejected(monkeypatch):
    clip = simulated.make("rope", 1)
    still = type(clip)(clip.mesh, np.repeat(clip.frames[:1], 5, axis=0), clip.held)
    monkeypatch.setattr(simulated, "make", lambda kind, seed: still)
    found = importer.build_sample("rope-1", "train", category="rope", seed=1)
    assert isinstance(found, Rejected) and "moves by 0.0%" in found.reason


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_object():
    made = [importer.build_sample("slack_rope-4", "train", category="slack_rope", seed=seed) for seed in (4, 4, 5)]
    assert all(isinstance(sample, MotionSample) for sample in made)
    assert encode_sample(made[0]) == encode_sample(made[1])
    assert encode_sample(made[0])["vertices.npy"] != encode_sample(made[2])["vertices.npy"]


def test_a_sample_says_what_it_is():
    item = RecipeItem("simulated", "rope-1", "dev", extra=(("category", "rope"), ("seed", 1)))
    sample = build_item(item, 0)
    facts = sample.facts
    assert (facts.source, facts.licence, facts.category, facts.split) == ("simulated", "Apache-2.0", "rope", "dev")
    assert facts.group == facts.name == "simulated/rope-1" and facts.up == "z"
    assert 2 <= sample.state_count <= 32
    assert np.abs(sample.frame(0) - sample.vertices).max() <= sample.step  # rest first


@pytest.mark.parametrize("recipe", ["open", "full"])
def test_recipes_hold_enough_clips_of_every_kind(recipe):
    wanted = list_items(recipe, sources=("simulated",))
    kinds = {dict(item.extra)["category"] for item in wanted}
    assert kinds == set(simulated.list_kinds()) and len(wanted) >= 300
    assert len({item.name for item in wanted}) == len(wanted)


def test_a_missing_engine_is_named_with_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtra, match=r"pip install 'neurok\[data\]'"):
        simulated.make("rope", 0)
