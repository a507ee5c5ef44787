"""What the ranker of proposals learns from: python -m benchmarks.proposal_lists DATA --out LISTS [--more DIR ...].

One .npz file for each object, see neurok/evaluate/rankers/gathering.py; objects that have one already are left alone,
so a run can go on. `neurok evaluate folds --ranker` gathers the same.
"""

import argparse
from functools import partial
from pathlib import Path

from neurok.evaluate.rankers.gathering import find_teachers, gather_missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--more", nargs="*", default=(), help="further folders of jointed objects")
    parser.add_argument("--per-kind", type=int, default=14, help="objects of a kind and folder, at most")
    asked = parser.parse_args()
    entries = find_teachers(asked.data, asked.more, asked.per_kind)
    gather_missing(asked.out, entries, partial(print, flush=True))


if __name__ == "__main__":
    main()
