"""Verbs that move a plain mesh by weights of one's own, as `neurok train` leaves them."""

import json

import numpy as np
import pytest
import torch

import neurok as package
from neurok.evaluate.deformer import DeformerConfig, save_deformer
from neurok.files.registry import load
from neurok.mechanics.showing import swings, through
from neurok.networks.config import Config
from neurok.networks.models import build_model
from neurok.networks.weights import SHIPPED, TENSORS, save_weights

SHORT = ("--seconds", 0.2, "--fps", 10)
VERBS = {
    "states": ("box.obj", "-o", "x.glb"),
    "sample": ("box.obj", "-n", 2, "-o", "x.npz"),
    "animate": ("box.obj", *SHORT, "-o", "x.npz"),
    "fit": ("box.obj", "--pull", "1,1,1:0.1,0,0", "-o", "x.ply"),
}


@pytest.fixture
def weights(tmp_path, box):
    """An untrained tiny model, whose states are no others'."""
    config = Config(size="tiny", points=64, handles=8)
    torch.manual_seed(3)
    save_weights(tmp_path / "mine", build_model(config).state_dict(), config, {"minutes": 0.0})
    return tmp_path / "mine"


def test_a_folder_of_weights_is_a_model(weights, box):
    model, mesh = package.load(weights), package.load(box).mesh
    space, shipped = package.kinematics(mesh, model), package.kinematics(mesh, package.load())
    assert type(model) is type(package.load()) and not model.training
    assert np.abs(space.basis).sum() != pytest.approx(np.abs(shipped.basis).sum(), rel=1e-3)
    again = package.kinematics(package.load(box), package.load(SHIPPED))
    assert np.array_equal(again.basis, shipped.basis)


def test_a_folder_without_weights_is_no_model(tmp_path):
    with pytest.raises(package.errors.InputError):
        package.load(tmp_path)


def test_samples_and_states_are_those_of_the_weights(neurok, weights, box):
    """What the verbs write is what Python gives with the same model."""
    space = package.kinematics(package.load(box), package.load(weights))
    code, out, _ = neurok("sample", box, "-n", 2, "--weights", weights, "-o", "a.npz")
    assert code == 0 and f"2 states of {space.size} coordinates" in out and "not known" in out
    wanted = through(space, package.sample(space, 2))
    assert np.abs(np.load("a.npz")["frames"][40] - wanted.frame(40)).max() < 1e-5
    assert neurok("states", box, "--weights", weights, "-o", "a.glb")[0] == 0
    assert [m.name for m in load("a.glb").motions] == [m.name for m in swings(space)]


def test_a_fit_and_a_motion_by_the_weights(neurok, weights, box):
    space = package.kinematics(package.load(box), package.load(weights), purpose="fit")
    code, out, _ = neurok("fit", box, "--pull", "1,1,1:0.1,0,0", "--weights", weights, "-o", "x.ply", "--json")
    found, wanted = json.loads(out), package.fit(space, pulls=[((1, 1, 1), (0.1, 0, 0))])
    kind = "" if space.prior.is_sparse else "; it is taken for a body that bends"
    assert code == 0 and found["kinematics"] == "learned, by the weights given" + kind
    assert list(found["state"].values()) == pytest.approx(wanted.state.tolist(), abs=1e-6)
    code, out, _ = neurok("animate", box, *SHORT, "--weights", weights, "-o", "x.npz", "--json")
    found = json.loads(out)
    assert code == 0 and found["learned"] and "not known" in found["familiarity"]["sentence"]


def test_weights_serve_a_file_with_joints_too(neurok, weights, door):
    code, out, _ = neurok("animate", door, *SHORT, "--weights", weights, "-o", "x.npz", "--json")
    found = json.loads(out)
    assert code == 0 and found["learned"] and "hinge" not in [c["name"] for c in found["coordinates"]]
    code, _, err = neurok("animate", door, *SHORT, "--weights", weights, "--kinematics", "joints", "-o", "y.npz")
    assert code == 2 and "one of the two" in err and err.count("\n") == 1


def _flip(folder):
    data = bytearray((folder / TENSORS).read_bytes())
    data[-1] ^= 1
    (folder / TENSORS).write_bytes(data)


def _keypoints(folder):
    from neurok.evaluate.deformer import Deformer

    config = DeformerConfig()
    save_deformer(folder, Deformer(config), config, {})


FAULTS = {
    "nothing": (lambda f: (f / TENSORS).unlink(), "no weights"),
    "another file": (_flip, "are not those"),
    "another kind": (_keypoints, "of another kind"),
}


@pytest.mark.parametrize("fault", list(FAULTS))
@pytest.mark.parametrize("verb", list(VERBS))
def test_weights_that_cannot_be_used_are_refused(neurok, weights, tmp_path, verb, fault):
    spoil, says = FAULTS[fault]
    spoil(weights)
    code, out, err = neurok(verb, *VERBS[verb], "--weights", "mine")
    assert code == 2 and says in err and err.count("\n") == 1 and out == ""
    assert not list(tmp_path.glob("x.*"))


def test_a_run_is_told_where_its_weights_are(neurok, weights, tmp_path):
    (tmp_path / "run").mkdir()
    weights.rename(tmp_path / "run" / "weights")
    code, _, err = neurok("states", *VERBS["states"], "--weights", "run")
    assert code == 2 and "run/weights" in err
