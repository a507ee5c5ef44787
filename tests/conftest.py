"""Fixtures shared by all tests."""

import os
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
