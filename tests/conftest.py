"""Fixtures shared by all tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("NEUROK_CACHE", REPOSITORY / ".cache"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real objects (partnet_mobility/, animated/, scans/, index.json); skips where it is absent."""
    given = os.environ.get("NEUROK_SHARED_DATA")
    if given:
        return Path(given)
    packed = REPOSITORY.parent / "shared" / "data"
    if not (packed / "unpack.py").is_file():
        pytest.skip("REAL DATA ABSENT: ../shared/data is not there, so the tests on real objects do not run")
    target = CACHE / "data"
    # An exclusive lock, so that parallel test workers unpack once.
    target.parent.mkdir(parents=True, exist_ok=True)
    import fcntl

    with open(target.parent / "data.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([sys.executable, str(packed / "unpack.py"), str(target)], check=True)
    return target


@pytest.fixture(scope="session")
def small_store(tmp_path_factory: pytest.TempPathFactory):
    """A data.store.Store of five objects of our own, with its views; not to be changed."""
    from neurok.data.prepared import prepare
    from tests.small_store import make_store

    store = make_store(tmp_path_factory.mktemp("stores") / "small")
    prepare(store, workers=1)
    return store


NODE_PACKAGES = ("three", "gltf-validator")


def _node_modules() -> Path | None:
    """The node_modules folder with all packages of tests/node/package.json; None where there is none."""
    place = Path(os.environ.get("NEUROK_NODE_MODULES", CACHE / "node" / "node_modules"))
    found = all((place / name / "package.json").is_file() for name in NODE_PACKAGES)
    return place.resolve() if found else None


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory):
    """`node(script, *args) -> CompletedProcess`: runs an .mjs script that may import three and gltf-validator.

    Node looks for a bare import in the folders above the script's own (NODE_PATH does not count for ES modules),
    so the script and its neighbours are copied next to a link to node_modules.
    """
    program, modules = shutil.which("node"), _node_modules()
    if program is None or modules is None:
        missing = "node is not installed" if program is None else f"the packages {', '.join(NODE_PACKAGES)} are absent"
        if os.environ.get("NEUROK_NEED_NODE"):
            pytest.fail(f"{missing}, and NEUROK_NEED_NODE is set")
        pytest.skip(f"NODE ABSENT: {missing}; `make test` installs both, and these tests do not run")
    stages: dict[Path, Path] = {}

    def run(script: str | Path, *args: object, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        script = Path(script).resolve()
        if script.parent not in stages:
            stage = tmp_path_factory.mktemp("node")
            (stage / "node_modules").symlink_to(modules)
            for neighbour in script.parent.glob("*.mjs"):
                shutil.copy(neighbour, stage)
            stages[script.parent] = stage
        command = [program, str(stages[script.parent] / script.name), *map(str, args)]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=timeout)

    return run
