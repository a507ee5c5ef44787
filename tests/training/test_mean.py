"""The mean of weights trained side by side."""

import pytest
import torch

from neurok.networks.config import Config, from_values, to_values
from neurok.networks.models import build_model
from neurok.networks.weights import open_weights, read_weights, save_weights
from neurok.training.mean import main

TINY = to_values(Config()) | {"size": "tiny"}


@pytest.fixture
def pair(tmp_path):
    folders = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        config = from_values(TINY | {"seed": seed})
        folders.append(tmp_path / f"run{seed}")
        save_weights(folders[-1], build_model(config).state_dict(), config, {"steps": 10 + seed, "minutes": 1.0})
    return folders


def test_it_lies_half_way_and_names_both(pair, tmp_path, capsys):
    assert main([*map(str, pair), str(tmp_path / "mean")]) == 0
    (a, first), (b, second), (mean, record) = (read_weights(folder) for folder in (*pair, tmp_path / "mean"))
    assert any(not torch.equal(a[name], b[name]) for name in a)
    for name, value in mean.items():
        assert torch.allclose(value, (a[name] + b[name]) / 2, atol=1e-7)
    assert [run["sha256"] for run in record["mean_of"]] == [first["sha256"], second["sha256"]]
    assert record["steps"] == 11 and open_weights(tmp_path / "mean")[1] == record


def test_runs_of_different_networks_have_no_mean(pair, tmp_path, capsys):
    config = from_values(TINY | {"size": "base"})
    save_weights(tmp_path / "base", build_model(config).state_dict(), config, {})
    assert main([str(pair[0]), str(tmp_path / "base"), str(tmp_path / "mean")]) == 2
    assert "trained otherwise" in capsys.readouterr().err and not (tmp_path / "mean").exists()
    assert main([str(pair[0])]) == 2
