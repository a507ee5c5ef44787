"""neurok data build, inspect and show, as a person runs them."""

import json

import pytest

from neurok.commands.main import main


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "store"
    assert main(["data", "build", "tiny", "-o", str(folder), "--limit", "2", "--workers", "1"]) == 0
    return folder


def test_a_store_is_built_inspected_and_shown(store, tmp_path, capsys):
    sheet = tmp_path / "sheet.png"
    assert main(["data", "inspect", str(store), "-o", str(sheet)]) == 0
    assert "| procedural |" in capsys.readouterr().out
    assert sheet.read_bytes().startswith(b"\x89PNG")
    assert main(["data", "inspect", str(store), "--json"]) == 0
    name = json.loads(capsys.readouterr().out)["samples"][0]["name"]
    out = tmp_path / "x.glb"
    assert main(["data", "show", str(store), name, "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["states"] == 32

    from neurok.files.registry import load

    assert load(out).motions[0].duration == pytest.approx(31 / 4)  # four states a second


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["build", "tiny"], "no output"),
        (["build", "nothing", "-o", "x"], "unknown recipe"),
        (["build", "full", "-o", "x"], "--partnet"),
        (["build", "tiny", "-o", "x", "--limit", "0"], "limit"),
        (["inspect", "nowhere"], "not a data store"),
        (["show", "nowhere", "a", "-o", "x.glb"], "not a data store"),
    ],
)
def test_faults_are_one_sentence(words, says, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["data", *words]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_kept(store, capsys):
    assert main(["data", "build", "tiny", "-o", str(store)]) == 2
    assert "already" in capsys.readouterr().err and (store / "index.json").is_file()
