"""`make fuzz`: thousands of damaged files, weights, commands, conditions and uploads, and what came of them.

    make fuzz ARGS="--cases 10000 --seed 1 --seconds 1500"

Leaves with code 1 where any case ended in a traceback, took more than 20 s of the processor's time or more than 4 GiB.
A case can be seen again alone: `python -m benchmarks.fuzz.child SEED NUMBER NUMBER+1`.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter

from benchmarks.fuzz.cases import name_class

BATCH = 250  # cases of one process, which may grow a little with each
VERDICTS = ("fine", "traceback", "hang", "memory", "crash")


def main(args: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make fuzz")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no batch after so many")
    given = parser.parse_args(args)
    start = time.perf_counter()
    verdicts = try_cases(given.seed, given.first, given.first + given.cases, start + given.seconds)
    print(write_table(verdicts))
    print(f"{len(verdicts)} cases in {time.perf_counter() - start:.0f} s, seed {given.seed}")
    return 0 if verdicts and all(verdict == "fine" for verdict in verdicts.values()) else 1


def try_cases(seed: int, first: int, last: int, deadline: float = float("inf")) -> dict[int, str]:
    """The verdict of each case; a process that dies takes only the case with it that it was at."""
    found: dict[int, str] = {}
    here = first
    while here < last and time.perf_counter() < deadline:
        end = min(here + BATCH, last)
        command = [sys.executable, "-m", "benchmarks.fuzz.child", *map(str, (seed, here, end))]
        with tempfile.TemporaryFile("w+") as complaints:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints, text=True)
            assert process.stdout is not None
            begun = None
            for line in process.stdout:
                word, number, *rest = line.split(maxsplit=2)
                begun = int(number)
                if word == "end":
                    found[begun] = rest[0].strip()
                    if found[begun] != "fine":
                        print(f"case {number} ({name_class(begun)}): {found[begun]}", file=sys.stderr, flush=True)
            process.wait()
            complaints.seek(0)
            if begun is None:
                raise RuntimeError(f"no case could be begun: {complaints.read()[-2000:]}")
        if begun not in found:
            found[begun] = f"crash with code {process.returncode}"
            print(f"case {begun} ({name_class(begun)}): {found[begun]}", file=sys.stderr, flush=True)
        here = begun + 1
    return found


def write_table(verdicts: dict[int, str]) -> str:
    """A line for each class, a column for each verdict."""
    count: Counter[tuple[str, str]] = Counter((name_class(n), verdict.split()[0]) for n, verdict in verdicts.items())
    lines = [f"{'':<12}" + "".join(f"{verdict:>11}" for verdict in VERDICTS)]
    for name in sorted({name for name, _ in count}):
        lines.append(f"{name:<12}" + "".join(f"{count[name, verdict]:>11}" for verdict in VERDICTS))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
