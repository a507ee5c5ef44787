"""Training: killed and resumed it is the same run to the bit, on two processes the same curve; faults are sentences."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from neurok.commands.main import main
from neurok.errors import OptionError
from neurok.networks.config import Config
from neurok.networks.weights import TENSORS, load_model, read_weights
from neurok.training import checkpoint
from neurok.training.loop import learning_rate
from neurok.training.optimiser import orthogonalise
from neurok.training.processes import Processes
from neurok.training.records import Records
from neurok.training.stopping import Stopping
from tests.training.small_run import train_small

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def whole(small_store, tmp_path_factory):
    """A run of 12 steps that nothing disturbs."""
    out = tmp_path_factory.mktemp("runs") / "whole"
    facts = train_small(small_store.folder, out, steps=12)
    assert facts["steps"] == 12 and facts["stopped"] is None
    return out


def _weights(run: Path) -> bytes:
    return (run / "weights" / TENSORS).read_bytes()


def _start(*command: object) -> subprocess.Popen:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, *map(str, command)], cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def _steps(run: Path) -> list[dict]:
    return [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]


def test_a_run_writes_down_what_it_did(whole):
    lines = _steps(whole)
    assert [line["step"] for line in lines] == [2, 4, 6, 8, 10, 12]
    assert all(np.isfinite(line["loss"]) for line in lines)
    held = [json.loads(line) for line in (whole / "held.jsonl").read_text().splitlines()]
    assert held[-1]["step"] == 12 and "procedural/fit" in held[-1]
    assert list((whole / "board").glob("events.*"))
    model = load_model(whole / "weights")
    state = checkpoint.read(whole)
    assert all(torch.equal(value, state["averaged"][name]) for name, value in model.state_dict().items())
    assert any(not torch.equal(value, state["model"][name]) for name, value in model.state_dict().items())


def test_the_board_holds_the_log(whole):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(whole / "board")).Reload()
    losses = [(event.step, event.value) for event in events.Scalars("train/loss")]
    np.testing.assert_allclose(losses, [(line["step"], line["loss"]) for line in _steps(whole)], rtol=1e-5)


def test_killed_and_resumed_it_is_the_same_run_to_the_bit(small_store, whole, tmp_path):
    wishes = json.dumps({"steps": 1000, "checkpoint_seconds": 0.0})
    process = _start("-m", "tests.training.small_run", small_store.folder, tmp_path / "run", wishes)
    seen, end = set(), time.monotonic() + 300
    try:
        while len(seen) < 3 and time.monotonic() < end:  # some checkpoints, at whatever moment
            time.sleep(0.02)
            if (tmp_path / "run" / checkpoint.NAME).exists():
                seen.add((tmp_path / "run" / checkpoint.NAME).stat().st_mtime_ns)
            assert process.poll() is None, process.stdout.read()
    finally:
        process.kill()
        process.wait()
    step = checkpoint.read(tmp_path / "run")["step"]
    assert 1 <= step
    end = max(12, step + 1)
    if end > 12:  # the machine was quick: the comparison runs as long
        whole = tmp_path / "longer"
        train_small(small_store.folder, whole, steps=end)
    train_small(small_store.folder, tmp_path / "run", steps=end, resume=True)
    assert _weights(tmp_path / "run") == _weights(whole)
    ours, theirs = checkpoint.read(tmp_path / "run"), checkpoint.read(whole)
    for name in ("model", "averaged"):
        assert all(torch.equal(ours[name][key], theirs[name][key]) for key in theirs[name])
    assert [line["step"] for line in _steps(tmp_path / "run")] == [line["step"] for line in _steps(whole)]


def test_two_processes_train_as_one(small_store, tmp_path):
    """In double precision: where a gradient is zero but for rounding, AdamW makes steps of the rounding."""
    wishes = {"steps": 12, "double": True}
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2)
    words = ("-m", "tests.training.small_run", small_store.folder, tmp_path / "two", json.dumps(wishes))
    process = _start(*torchrun, *words)
    train_small(small_store.folder, tmp_path / "one", **wishes)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 0, said
    for ours, theirs in zip(_steps(tmp_path / "two"), _steps(tmp_path / "one"), strict=True):
        assert ours["step"] == theirs["step"]
        assert ours["loss"] == pytest.approx(theirs["loss"], rel=1e-6)
    ours, theirs = checkpoint.read(tmp_path / "two"), checkpoint.read(tmp_path / "one")
    for name, value in theirs["model"].items():
        assert torch.allclose(ours["model"][name], value, rtol=0, atol=1e-6), name


def test_the_paper_s_own_configuration_trains_and_resumes(small_store, tmp_path):
    paper = {"decoder": "points", "prior": "unit"}
    train_small(small_store.folder, tmp_path / "a", steps=4, config=paper)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    (tmp_path / "b" / checkpoint.NAME).unlink()
    train_small(small_store.folder, tmp_path / "b", steps=2, config=paper)
    # The rate depends on the share of the run that is done: ask for the same end.
    state = checkpoint.read(tmp_path / "b")
    assert state["step"] == 2 and state["config"]["decoder"] == "points"
    train_small(small_store.folder, tmp_path / "b", steps=4, resume=True)
    assert checkpoint.read(tmp_path / "b")["place"] == checkpoint.read(tmp_path / "a")["place"]


def test_a_run_can_begin_from_weights(small_store, whole, tmp_path):
    train_small(small_store.folder, tmp_path / "on", steps=1, begin=str(whole / "weights"), config={"seed": 5})
    record = read_weights(tmp_path / "on" / "weights")[1]
    assert record["config"]["seed"] == 5 and record["config"]["shapes"] == 4
    before = read_weights(whole / "weights")[0]
    after = checkpoint.read(tmp_path / "on")["model"]
    apart = max(float((after[name] - value).abs().max()) for name, value in before.items())
    assert 0 < apart < 0.01  # one step of a third of the rate, from there
    # What was trained before counts, also when the run is taken up again.
    earlier = read_weights(whole / "weights")[1]
    assert record["steps"] == earlier["steps"] + 1 == 13 and record["minutes"] >= earlier["minutes"]
    train_small(small_store.folder, tmp_path / "on", steps=2, resume=True)
    assert read_weights(tmp_path / "on" / "weights")[1]["steps"] == 14


def test_stopped_it_saves_and_says_how_to_go_on(small_store, tmp_path):
    run = tmp_path / "a run"
    command = ("-m", "neurok.commands.main", "train", "tiny", "--data", small_store.folder, "--out", run)
    process = _start(*command, "--size", "tiny", "--threads", 1)
    for line in process.stdout:
        if "beginning at step 0" in line:
            break
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 130, said
    assert re.search(r"go on with: neurok train tiny --data \S+ --out '\S+ run' --resume$", said, re.MULTILINE), said
    assert "Traceback" not in said
    assert checkpoint.read(run)["step"] >= 0
    assert load_model(run / "weights") is not None


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["tiny", "--data", "STORE"], "name both: --data DIR --out RUN"),
        (["open", "--data", "STORE", "--out", "NEW"], "was built by the recipe 'tiny'"),
        (["nothing", "--data", "ABSENT", "--out", "NEW"], "unknown recipe 'nothing'"),
        (["tiny", "--data", "EMPTY", "--out", "NEW"], "is not a data store"),
        (["full", "--data", "ABSENT", "--out", "NEW"], "needs --partnet"),
        (["tiny", "--data", "STORE", "--out", "NEW", "--resume"], "no checkpoint to resume from"),
        (["tiny", "--data", "STORE", "--out", "WHOLE"], "holds a run already"),
        (["tiny", "--data", "STORE", "--out", "WHOLE", "--resume", "--from", "x"], "give one of the two"),
        (["tiny", "--data", "STORE", "--out", "NEW", "--minutes", "1", "--steps", "2"], "give one of the two"),
        (["tiny", "--data", "STORE", "--out", "NEW", "--from", "EMPTY"], "holds no weights"),
        (["tiny", "--data", "STORE", "--out", "NEW", "--size", "huge"], "--size"),
        (["tiny", "--data", "STORE", "--out", "FILE/run"], "cannot be made"),
        (["tiny", "--data", "STORE", "--out", "TORN", "--resume"], "cannot be read"),
        (["tiny", "--data", "STORE", "--out", "OTHER", "--resume"], "another version"),
    ],
)
def test_faults_are_sentences(small_store, whole, tmp_path, capsys, words, sentence):
    places = {"STORE": small_store.folder, "WHOLE": whole}
    for name in ("EMPTY", "TORN", "OTHER"):
        (tmp_path / name).mkdir()
    (tmp_path / "FILE").write_text("")
    (tmp_path / "TORN" / checkpoint.NAME).write_bytes((whole / checkpoint.NAME).read_bytes()[:500])
    torch.save({"config": {}, "model": {}}, tmp_path / "OTHER" / checkpoint.NAME)
    words = [str(places.get(word, tmp_path / word if word.split("/")[0].isupper() else word)) for word in words]
    assert main(["train", *words]) == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said and "\n" not in said and said.endswith(".")


@pytest.mark.parametrize(
    "words", [["nonsense", "--data", "NEW"], ["full", "--data", "STORE"], ["tiny", "--data", "STORE", "--from", "NEW"]]
)
def test_a_run_that_never_began_leaves_no_folder(small_store, tmp_path, words):
    places = {"NEW": str(tmp_path / "new"), "STORE": str(small_store.folder)}
    assert main(["train", *(places.get(word, word) for word in words), "--out", str(tmp_path / "runs" / "one")]) == 2
    assert not list(tmp_path.iterdir())


def test_a_folder_that_was_there_stays_when_a_run_never_began(tmp_path):
    (tmp_path / "run").mkdir()
    assert main(["train", "nonsense", "--data", str(tmp_path / "new"), "--out", str(tmp_path / "run")]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_checkpoint_that_runs_code_is_not_opened(small_store, tmp_path):
    import pickle

    class Boom:
        def __reduce__(self):
            return (exec, ("raise SystemError('opened')",))

    (tmp_path / checkpoint.NAME).write_bytes(pickle.dumps(Boom()))
    assert main(["train", "tiny", "--data", str(small_store.folder), "--out", str(tmp_path), "--resume"]) == 2


def test_the_log_forgets_lost_steps(tmp_path):
    rows = [{"step": s, "seconds": 1.0, "loss": 0.5} for s in (50, 100, 150)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"step": 20')
    records = Records(tmp_path, 100)
    records.log(150, 2.0, {"loss": 0.25})
    assert [(r["step"], r["loss"]) for r in _steps(tmp_path)] == [(50, 0.5), (100, 0.5), (150, 0.25)]


def test_training_needs_no_tensorboard(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    records = Records(tmp_path, 0)
    records.log(1, 1.0, {"loss": 1.0})
    assert records.board is None and len(_steps(tmp_path)) == 1


def test_shares_of_a_batch_are_equal():
    alone = Processes()
    alone.check_share(7)
    alone.count = 3
    with pytest.raises(OptionError, match="3 processes cannot share 16 shapes"):
        alone.check_share(16)


def test_one_signal_asks_to_stop_and_a_second_stops():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), Stopping() as stopping:
        os.kill(os.getpid(), signal.SIGINT)
        assert stopping.asked == signal.SIGINT
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1.0)
    assert signal.getsignal(signal.SIGINT) is before


def test_the_rate_rises_stays_and_falls():
    config = Config(rate=1.0, warm=10, cool=0.5)
    assert learning_rate(config, 0, 0.0) == pytest.approx(0.1)
    assert learning_rate(config, 9, 0.2) == learning_rate(config, 99, 0.5) == pytest.approx(1.0)
    assert learning_rate(config, 99, 0.75) == pytest.approx(0.505)
    assert learning_rate(config, 99, 1.0) == pytest.approx(0.01)
    falling = [learning_rate(config, 99, used) for used in np.linspace(0.5, 1, 20)]
    assert all(a > b for a, b in zip(falling, falling[1:]))


@pytest.mark.parametrize("shape", [(24, 60), (60, 24), (32, 32)])
def test_orthogonalised_momentum_keeps_directions_and_levels_sizes(shape):
    generator = torch.Generator().manual_seed(0)
    U, _, V = torch.linalg.svd(torch.randn(shape, generator=generator), full_matrices=False)
    S = torch.linspace(0.05, 1.0, len(U[0]))
    found = orthogonalise(U @ torch.diag(S) @ V)
    inner = U.T @ found @ V.T  # diagonal, with entries near one
    assert (inner - torch.diag(inner.diagonal())).abs().max() < 1e-3
    assert 0.6 < inner.diagonal().min() and inner.diagonal().max() < 1.3
