"""Memory that is freed stays with the process, where the allocator can be told so."""

import subprocess
import sys

import pytest

FAULTS = """
import resource, sys, torch
from neurok.training.memory import keep_memory
if sys.argv[1] == "kept" and not keep_memory():
    sys.exit(3)
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        torch.ones(64 << 20, dtype=torch.uint8)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
for _ in range(3):
    last = faults()
print(last)
"""


def _faults(how: str) -> int:
    done = subprocess.run([sys.executable, "-c", FAULTS, how], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode == 3:
        pytest.skip("ANOTHER ALLOCATOR: only glibc's can be told to keep memory")
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_pages_are_asked_for_once():
    assert _faults("kept") < 100 < 10_000 < _faults("usual")
