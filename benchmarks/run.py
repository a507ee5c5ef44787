"""`make bench`: every benchmark, one table of figures and bounds; leaves with code 1 where a bound fails.

`make bench ARGS=scaling` runs those whose name contains a word.
"""

import sys
import time
from collections.abc import Mapping
from importlib import import_module

from benchmarks.alone import alone
from benchmarks.figures import Figure, table

NAMES = (
    "acceleration",
    "scaling",
    "million",
    "reader",
    "latent",
    "self_contact",
    "proposing",
    "spaces",
    "rivals",
    "materials",
    "material_points",
    "training",
    "exporting",
)


def main(words: list[str]) -> int:
    chosen = [name for name in NAMES if not words or any(word in name for word in words)]
    if not chosen:
        print(f"no benchmark is called {' or '.join(words)}; there are: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    start = time.perf_counter()
    figures = measured(chosen, {})
    failed = [figure for figure in figures if not figure.holds]
    print(table(figures))
    verdict = f"{len(failed)} bounds fail" if failed else "all bounds hold"
    print(f"{verdict} ({time.perf_counter() - start:.0f} s)")
    return 1 if failed else 0


def measured(names: list[str], sizes: Mapping[str, object]) -> list[Figure]:
    """The figures of these benchmarks, each run in a process of its own; sizes other than their own by name."""
    figures = []
    for name in names:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        figures += alone(measure, name, sizes.get(name))
    return figures


def measure(name: str, sizes: object | None) -> list[Figure]:
    benchmark = import_module(f"benchmarks.{name}")
    return benchmark.measure(benchmark.Sizes() if sizes is None else sizes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
