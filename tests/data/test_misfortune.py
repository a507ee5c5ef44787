"""Full disks, damaged shards, missing folders, unknown names: one sentence, exit code 2, and nothing is lost."""

import json
import os
import resource
import shutil
import subprocess
import sys

import pytest

from neurok.commands.main import main
from neurok.data.store import Store

NEUROK = [sys.executable, "-m", "neurok.commands.main", "data"]


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The store of four objects that nothing happened to."""
    out = tmp_path_factory.mktemp("reference") / "store"
    assert main(["data", "build", "tiny", "-o", str(out), "--limit", "4", "--workers", "1"]) == 0
    return out


def same(one, two) -> bool:
    names = sorted(p.name for p in one.iterdir())
    return names == sorted(p.name for p in two.iterdir()) and all(
        (one / n).read_bytes() == (two / n).read_bytes() for n in names
    )


def run(*words, largest=None):
    """The command in a process whose files may not grow beyond `largest` bytes: to it, the disk is full there."""

    def bound():
        if largest is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    done = subprocess.run([*NEUROK, *words], capture_output=True, text=True, preexec_fn=bound, timeout=240)
    return done.returncode, done.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_disk_that_fills_up_loses_nothing(reference, tmp_path, workers):
    out = tmp_path / "store"
    build = ["build", "tiny", "-o", str(out), "--limit", "4", "--workers", workers]
    sizes = sorted(p.stat().st_size for p in reference.glob("*.tar"))
    assert len(sizes) == 2 and sizes[0] < sizes[1]
    code, said = run(*build, largest=(sizes[0] + sizes[1]) // 2)
    assert code == 2 and "File too large" in said and "make room" in said and "Traceback" not in said
    assert not out.exists()
    assert len(list((tmp_path / "store.building").glob("shard-*.tar"))) <= 1  # none that is cut off
    assert run(*build)[0] == 0
    assert same(reference, out)


def test_a_disk_that_is_full_for_the_last_files_loses_nothing(reference, tmp_path, monkeypatch, capsys):
    """All shards are there; the card does not fit any more."""

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    out, words = tmp_path / "store", ["data", "build", "tiny", "--limit", "4", "--workers", "1"]
    monkeypatch.setattr("neurok.data.build.write_sheet", full)
    assert main([*words, "-o", str(out)]) == 2
    said = capsys.readouterr().err
    assert "No space left on device" in said and said.strip().count("\n") == 0
    times = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "store.building").glob("shard-*")}
    assert len(times) == 4 and not out.exists()
    monkeypatch.undo()
    assert main([*words, "-o", str(out)]) == 0
    assert times == {p.name: p.stat().st_mtime_ns for p in out.glob("shard-*")}  # none was built again
    assert same(reference, out)


@pytest.fixture
def store(reference, tmp_path):
    return shutil.copytree(reference, tmp_path / "copy")


def cut(path):
    os.truncate(path, path.stat().st_size // 3)


def empty(path):
    path.write_bytes(b"")


def noise(path):
    path.write_bytes(b"\xa5" * path.stat().st_size)


@pytest.mark.parametrize("harm", [cut, empty, noise, os.unlink])
def test_a_damaged_shard_is_named_and_the_others_are_read(store, tmp_path, capsys, harm):
    shards = sorted(store.glob("*.tar"))
    entries = list(Store(store).entries.values())
    harm(shards[-1])
    inside = [e["name"] for e in entries if e["shard"] == shards[-1].name]
    outside = [e["name"] for e in entries if e["shard"] != shards[-1].name]
    capsys.readouterr()
    assert main(["data", "show", str(store), inside[-1], "-o", str(tmp_path / "x.glb")]) == 2
    said = capsys.readouterr().err
    assert shards[-1].name in said and said.count("\n") == 1 and not (tmp_path / "x.glb").exists()
    assert main(["data", "show", str(store), outside[0], "-o", str(tmp_path / "y.glb")]) == 0
    assert (tmp_path / "y.glb").is_file()


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 1}', '{"format": 1, "samples": 3}',
                                  '{"format": 1, "samples": [{}]}', '{"format": 7}'])  # fmt: skip
def test_a_damaged_index_is_said(store, capsys, text):
    (store / "index.json").write_text(text)
    assert main(["data", "inspect", str(store)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("missing", ["--partnet", "--animated"])
def test_a_missing_source_folder_is_said_before_anything_is_built(tmp_path, capsys, missing):
    folders = {"--partnet": tmp_path / "jointed", "--animated": tmp_path / "moving"}
    for folder, file in zip(folders.values(), ("17/mobility.urdf", "fox.glb")):
        (folder / file).parent.mkdir(parents=True)
        (folder / file).write_bytes(b"")
    folders[missing] = tmp_path / "nowhere"
    words = [str(word) for pair in folders.items() for word in pair]
    assert main(["data", "build", "full", "-o", str(tmp_path / "store"), *words]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "nowhere" in said
    assert sorted(p.name for p in tmp_path.iterdir()) == ["jointed", "moving"]


def test_an_index_beside_the_sources_that_is_no_index_is_said(tmp_path, capsys):
    (tmp_path / "p").mkdir()
    (tmp_path / "index.json").write_text(json.dumps({"partnet_mobility": 3}))
    assert main(["data", "build", "full", "-o", str(tmp_path / "store"), "--partnet", str(tmp_path / "p")]) == 2
    assert "index.json" in capsys.readouterr().err


def test_an_unknown_category_is_said(tmp_path, capsys):
    assert main(["data", "procedural", "spoon", "-o", str(tmp_path / "x.glb")]) == 2
    said = capsys.readouterr().err
    assert "unknown category 'spoon'" in said and "bucket" in said and not list(tmp_path.iterdir())
