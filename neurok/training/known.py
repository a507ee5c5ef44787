"""The table of what a model was trained on, made from a prepared store:

    python -m neurok.training.known STORE WEIGHTS

writes WEIGHTS/familiarity.safetensors (see `neurok.networks.familiarity`).
"""

import sys
from pathlib import Path

import numpy as np

from neurok.data.prepared import Prepared
from neurok.errors import NeurokError
from neurok.networks.familiarity import Known, describe

MOST = 2400  # shapes: the table then stays below 200 kB


def known_shapes(data: Prepared, *, split: str = "train", seed: int = 0) -> Known:
    """The descriptors of the objects of a split, one view each; of very many, an even share."""
    first: dict[str, int] = {}
    for number, entry in enumerate(data.entries):
        if entry["split"] == split:
            first.setdefault(entry["name"], number)
    chosen = sorted(first.values())
    if len(chosen) > MOST:
        chosen = sorted(np.random.default_rng(seed).choice(chosen, MOST, replace=False).tolist())
    views = (data.read(number) for number in chosen)
    rows = [describe(v.position, v.normal, v.area, v.patch, v.component) for v in views]
    return Known.of(np.array(rows).reshape(len(rows), -1))


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("give a prepared store and a folder of weights", file=sys.stderr)
        return 2
    try:
        known = known_shapes(Prepared(arguments[0]))
        path = known.save(Path(arguments[1]))
    except NeurokError as fault:
        print(f"neurok: {fault}", file=sys.stderr)
        return 2
    print(f"wrote {path}: {len(known.rows)} shapes, {path.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
