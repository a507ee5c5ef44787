"""What once broke under attack, on the command line: names, full disks, damaged weights."""

import json
import resource
import subprocess
import sys
import time

import numpy as np
import pytest
import torch

import neurok as package
from neurok.errors import InputError, NeurokError, OptionError
from neurok.files.destination import check_destination
from neurok.files.registry import save
from neurok.networks.config import Config
from neurok.networks.models import build_model
from neurok.networks.weights import CONFIG, TENSORS, load_model, put_weights, read_weights, save_weights

LONG = "x" * 300 + ".glb"
VERBS = {
    "animate": ("animate", "door.urdf", "--seconds", "0.1"),
    "fit": ("fit", "box.obj", "--pull", "1,1,1:0.1,0,0"),
    "convert": ("convert", "box.obj"),
    "articulate": ("articulate", "box.obj"),
    "sample": ("sample", "box.obj"),
    "states": ("states", "box.obj"),
}


@pytest.mark.parametrize("place", ["/proc/x.glb", LONG, "a\0b.glb"], ids=["proc", "long", "zero"])
@pytest.mark.parametrize("verb", VERBS)
def test_places_that_take_no_file_are_told_before_the_work(neurok, box, door, tmp_path, verb, place):
    before = sorted(tmp_path.iterdir())
    option = () if verb == "convert" else ("-o",)
    start = time.process_time()
    code, out, err = neurok(*VERBS[verb], *option, place)
    assert code == 2 and out == "" and err.count("\n") == 1 and "Traceback" not in err
    assert time.process_time() - start < 2.0
    assert sorted(tmp_path.iterdir()) == before


def test_reports_have_places_too(neurok, box):
    for words in (("fit", "box.obj", "--pull", "1,1,1:0.1,0,0", "-o", "x.ply", "--report", "r" * 300 + ".json"),
                  ("render", "box.obj", "-o", "y" * 300 + ".png")):  # fmt: skip
        code, _, err = neurok(*words)
        assert code == 2 and err.count("\n") == 1 and "Traceback" not in err


def test_a_name_as_long_as_the_disk_allows_is_written(tmp_path, box):
    name = "n" * 250 + ".ply"
    check_destination(tmp_path / name)
    assert save(package.load(box).mesh, tmp_path / name).is_file()
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".ply"] == [name]


FILM = """
import numpy as np
import neurok
from neurok.assets.laptop import laptop
from neurok.geometry.motion import Motion
mesh = laptop().mesh
time = np.linspace(0, 1, 20)
frames = mesh.vertices[None] + 0.1 * np.sin(6 * time)[:, None, None]
neurok.save(Motion(mesh, time, frames), "x.mp4")
"""


def test_a_film_that_the_disk_cut_off_is_not_called_written(tmp_path):
    """No file above 4 KiB, as under `ulimit -f`: the encoder ends, or writes half of it and says nothing."""
    limit = ["bash", "-c", 'ulimit -f 4; exec "$@"', "bash", sys.executable, "-c", FILM]
    done = subprocess.run(limit, cwd=tmp_path, capture_output=True, text=True)
    if "EGL" in done.stderr or "no picture" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode != 0 and "OutputError" in done.stderr and "film" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.fixture
def weights(tmp_path):
    config = Config(size="tiny", points=64, handles=8)
    torch.manual_seed(3)
    save_weights(tmp_path / "mine", build_model(config).state_dict(), config, {})
    return tmp_path / "mine"


def test_a_deep_configuration_is_one_sentence(weights):
    (weights / CONFIG).write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(InputError):
        load_model(weights)
    data = json.dumps({"sha256": "0", "config": 1})
    (weights / CONFIG).write_text(data)
    with pytest.raises(InputError):
        load_model(weights)
    assert (weights / TENSORS).is_file()


@pytest.mark.parametrize("scale", [1e6, 1e18, 1e30])
@pytest.mark.parametrize("verb", ["animate", "fit", "states", "sample"])
def test_finite_weights_that_overflow_are_refused(neurok, weights, box, tmp_path, verb, scale):
    state, record = read_weights(weights)
    record.pop("sha256")
    state = {k: v * scale if v.is_floating_point() else v for k, v in state.items()}
    assert scale > 1e20 or all(bool(torch.isfinite(v).all()) for v in state.values())
    put_weights(weights, state, record)
    code, _, err = (
        neurok(*VERBS[verb], "--weights", "mine", "-o", "x.glb")
        if verb != "animate"
        else neurok("animate", "box.obj", "--seconds", "0.1", "--weights", "mine", "-o", "x.glb")
    )
    assert code == 2 and "weights" in err.splitlines()[-1] and "Traceback" not in err
    assert not (tmp_path / "x.glb").exists()


POINT = (0.0, 0.0, 0.0)


@pytest.mark.parametrize("pins", [POINT, (POINT,), package.Pin(POINT), [POINT], "here", None, 1.0, ((package.Pin,),)])
def test_bare_tuples_are_told_what_to_write(pins):
    with pytest.raises(OptionError, match=r"pins=\(Pin\(\.\.\.\),\)"):
        package.Conditions(pins=pins)


@pytest.mark.parametrize("name", ["pulls", "pushes", "starts", "velocities", "obstacles"])
def test_all_lists_of_conditions_are_checked(name):
    with pytest.raises(NeurokError, match=name):
        package.Conditions(**{name: (POINT,)})
    with pytest.raises(NeurokError, match=name):
        package.Conditions(**{name: package.Pin(POINT)})


def test_limits_are_only_ever_lowered(tmp_path):
    """A process that is bound already may bound itself again, as the USD reader in the process of an upload does."""
    code = (
        "import resource as r\nfrom neurok.files.usd.child import limit_resources as limit\n"
        "limit(1 << 34, 20.0)\nlimit(1 << 35, 60.0)\nprint(*r.getrlimit(r.RLIMIT_AS), *r.getrlimit(r.RLIMIT_CPU))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    memory, hard, seconds, last = map(int, done.stdout.split())
    assert memory == hard == 1 << 34 and seconds <= last == 22
    assert resource.getrlimit(resource.RLIMIT_CPU)[0] == resource.RLIM_INFINITY or np.isfinite(seconds)


def test_a_path_with_a_zero_byte_is_one_sentence():
    with pytest.raises(InputError, match="no file name"):
        package.Conditions.load("a\0.json")
