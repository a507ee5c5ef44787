"""`make bench`: runs every benchmark of this folder in turn, each in a process of its own.

A benchmark is a file that prints its ratios when run and leaves with a non-zero code where one misses its bound.
`make bench ARGS=acceleration` runs those whose name contains a word.
"""

import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    words = sys.argv[1:]
    names = [path.stem for path in sorted(Path(__file__).parent.glob("[!_]*.py"))]
    chosen = [name for name in names if not words or any(word in name for word in words)]
    if not chosen:
        print(f"no benchmark is called {' or '.join(words)}; there are: {', '.join(names)}", file=sys.stderr)
        return 2
    failed = []
    for name in chosen:
        print(f"== {name}", flush=True)
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False)
        print(f"   {time.perf_counter() - start:.1f} s", flush=True)
        failed += [name] if done.returncode else []
    if failed:
        print(f"missed its bound: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
