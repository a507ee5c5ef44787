"""The repository speaks of the project alone, the commands of its README run, and its wheel works without it."""

import ast
import json
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "scripts"))

import lock  # noqa: E402

# Written in halves, so that this file does not contain them.
FOREIGN = [
    "/" + "work/",
    "/" + "root/",
    "/" + "home/",
    "pypi" + ".org",
    "python" + "hosted",
    "npm" + "js.",
    "index" + "-url",
    "find" + "-links",
    "+" + "cpu",
]


def _tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("NO GIT: the list of the repository's files is not known here")
    return [REPOSITORY / name for name in listed.stdout.split("\0") if name and (REPOSITORY / name).is_file()]


def test_no_file_names_a_machine_or_a_registry():
    faults = []
    for path in _tracked():
        data = path.read_bytes()
        faults += [f"{path.relative_to(REPOSITORY)}: {word}" for word in FOREIGN if word.encode() in data]
    assert not faults


def test_no_file_is_large():
    weights = [p for p in _tracked() if p.suffix == ".safetensors"]
    assert not [p.name for p in _tracked() if p.stat().st_size > 2 << 20 and p not in weights]
    assert all(p.stat().st_size < 25_000_000 for p in weights)


def test_no_address_in_the_pins():
    for line in (REPOSITORY / "constraints.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[A-Za-z0-9_.\-]+==[0-9][A-Za-z0-9.]*", line), line


def test_everything_pinned_has_a_hash():
    """But for torch, whose builds differ by machine, and what builds the site."""
    known = lock.read_lock((REPOSITORY / "hashes.txt").read_text())
    pins = lock.read_pins((REPOSITORY / "constraints.txt").read_text())
    assert {(name, version) for name, version, _ in known} <= set(pins.items())
    wanted = {lock.normalise(name) for name in _list_needed()} - lock.LEFT_OUT
    assert wanted <= {name for name, _, _ in known}


def _list_needed() -> list[str]:
    """The names of all that pyproject.toml asks for, but for what builds the site."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extras = [lines for extra, lines in project["optional-dependencies"].items() if extra != "docs"]
    return [re.match(r"[\w.-]+", line)[0] for line in sum([project["dependencies"], *extras], [])]


def test_a_strange_file_is_noticed(tmp_path, capsys, monkeypatch):
    known = sorted(lock.read_lock((REPOSITORY / "hashes.txt").read_text()))
    rows = [
        {
            "metadata": {"name": name, "version": version},
            "download_info": {"archive_info": {"hashes": {"sha256": code}}},
        }
        for name, version, code in known
    ]
    (tmp_path / "report.json").write_text(json.dumps({"install": rows}))
    monkeypatch.setattr(sys, "argv", ["lock.py", "--check", "--report", str(tmp_path / "report.json")])
    assert lock.main() == 0
    rows[0]["download_info"]["archive_info"]["hashes"]["sha256"] = "0" * 64
    (tmp_path / "report.json").write_text(json.dumps({"install": rows}))
    assert lock.main() == 1
    assert known[0][0] in capsys.readouterr().err


@pytest.mark.parametrize("folder", ["neurok/viewer/page", "tests/node"])
def test_the_javascript_is_locked_with_hashes_and_without_addresses(folder):
    package = json.loads((REPOSITORY / folder / "package.json").read_text())
    text = (REPOSITORY / folder / "package-lock.json").read_text()
    packages = json.loads(text)["packages"]
    assert "://" not in text and packages[""]["dependencies"] == package["dependencies"]
    assert all(entry["integrity"].startswith("sha512-") for name, entry in packages.items() if name)


def test_the_notice_names_what_is_bundled_and_its_licence():
    notice = (REPOSITORY / "NOTICE").read_text()
    version = json.loads((REPOSITORY / "neurok/viewer/page/package.json").read_text())["dependencies"]["three"]
    assert f"three.js {version} (MIT" in notice
    page = "".join(path.read_text() for path in (REPOSITORY / "neurok/viewer/page/src").glob("*.ts"))
    bundled = {name.split("/")[0] for name in re.findall(r'from "([^."][^"]*)"', page)}
    assert bundled == {"three"}, "NOTICE has to name each of them"


def test_the_licence_of_ffmpeg_is_the_one_that_the_notice_names():
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    done = _run(imageio_ffmpeg.get_ffmpeg_exe(), "-L", cwd=REPOSITORY)
    words = " ".join(done.stdout.split())
    assert "GNU General Public License" in words and "either version 3 of the License, or" in words
    assert "GPL, version 3 or later" in (REPOSITORY / "NOTICE").read_text()


def test_all_code_parses_on_the_oldest_python():
    for path in _tracked():
        if path.suffix == ".py":
            ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 11))


def test_ci_runs_make_test():
    run = REPOSITORY / ".ci" / "run"
    assert run.stat().st_mode & 0o111
    assert "exec make test" in run.read_text()


@pytest.fixture(scope="module")
def stranger(tmp_path_factory) -> Path:
    """An empty venv with our wheel in it and the repository out of sight; dependencies are lent by this one."""
    folder = tmp_path_factory.mktemp("stranger")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(REPOSITORY)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("neurok-*.whl")
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    python = folder / "venv" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, capture_output=True, check=True)
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    # A path file adds the folder but does not run the path files in it, so our own editable install stays unseen.
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "venv" / "bin"


def _run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True, check=False, timeout=300)


def test_the_wheel_works_without_the_repository(stranger, tmp_path):
    done = _run(stranger / "python", "-I", "-c", "import neurok; print(neurok.__file__)", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(stranger.parent)
    done = _run(stranger / "neurok", "--help", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(verb in done.stdout for verb in ("animate", "fit", "inspect", "convert"))


def test_the_wheel_runs_the_demo(stranger, tmp_path):
    done = _run(stranger / "python", "-I", "-m", "neurok.demo", tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for suffix in ("glb", "usdc", "mp4"):
        assert (tmp_path / f"demo.{suffix}").stat().st_size > 1000
    assert len(done.stdout.strip().splitlines()) == 5


def test_the_python_of_the_readme_runs(tmp_path):
    """The ten lines of the first page, as they stand, from the repository's folder."""
    code = re.findall(r"```python\n(.*?)```", (REPOSITORY / "README.md").read_text(), re.DOTALL)[0]
    code = code.replace('"laptop.glb"', repr(str(tmp_path / "laptop.glb")))
    done = _run(sys.executable, "-c", code, cwd=REPOSITORY)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "laptop.glb").stat().st_size > 10_000


def test_the_command_of_the_readme_runs(tmp_path):
    text = (REPOSITORY / "README.md").read_text().replace("\\\n", "")  # lines continued by a backslash are one
    (line,) = re.findall(r"^(neurok animate .*)-o laptop.glb$", text, re.MULTILINE)
    words = [*line.split()[1:], "-o", str(tmp_path / "laptop.glb")]
    done = _run(sys.executable, "-m", "neurok.commands.main", *words, cwd=REPOSITORY)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "laptop.glb").stat().st_size > 10_000
