"""The doctor of installations: what is there is named with its version, what is not with the command that adds it."""

import json
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from neurok.commands import health

PROJECT = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())["project"]


def test_what_is_there_is_named_with_its_version(neurok):
    code, out, _ = neurok("doctor", "--json")
    assert code == 0
    found = {one["name"]: one for one in json.loads(out)["checks"]}
    assert found["neurok"]["found"].startswith(metadata.version("neurok"))
    assert found["torch"]["found"].startswith(metadata.version("torch"))
    for name in ("numpy", "scipy", "tyro"):
        assert f"{name} {metadata.version(name)}" in found["packages"]["found"]
    assert all(name in found["weights"]["found"] for name in ("base ", "materials ", "articulation "))
    assert "GPL 3 or later" in found["films"]["found"] or found["films"]["state"] == "missing"
    assert all(one["remedy"] for one in found.values() if one["state"] != "ok")


def test_every_extra_for_users_is_known():
    extras = set(PROJECT["optional-dependencies"]) - {"dev", "docs"}
    assert set(health.EXTRAS) == extras
    for extra, (_, name) in health.EXTRAS.items():
        assert any(line.startswith(name) for line in PROJECT["optional-dependencies"][extra])


def test_what_is_absent_comes_with_its_command(monkeypatch, neurok):
    monkeypatch.setattr(health, "find_version", lambda name: "" if name == "usd-core" else "1.0")
    monkeypatch.setattr(health, "ASK_GL", "raise SystemExit('no screen and no driver')")
    monkeypatch.setattr(health, "ASK_WEIGHTS", "print(1)")
    monkeypatch.setattr(health, "ASK_TORCH", "print('2')")
    code, out, err = neurok("doctor")
    assert code == 0 and "pip install 'neurok[usd]'" in out
    assert "MISSING pictures: no screen and no driver" in out and "apt install libegl1" in out
    assert "warning: pictures does not work" in err
    assert neurok("doctor", "--strict")[0] == 3


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system has a browser")
def test_a_machine_without_a_browser():
    assert health._check_browser(lambda name: None).state == "absent"
    assert health._check_browser(lambda name: f"/usr/bin/{name}").found == "/usr/bin/chromium"
