"""The table of reference shapes, those that a model was trained on, made from a prepared store:

    python -m neurok.training.reference_shapes STORE WEIGHTS

writes WEIGHTS/familiarity.safetensors (see `neurok.networks.out_of_distribution`).
"""

import sys
from pathlib import Path

import numpy as np

from neurok.data.prepared import Prepared
from neurok.errors import NeurokError
from neurok.networks.out_of_distribution import ReferenceShapes, describe_points

MAX_SHAPES = 2400  # the table then stays below 200 kB


def collect_shapes(data: Prepared, *, split: str = "train", seed: int = 0) -> ReferenceShapes:
    """The descriptors of the objects of a split, one view each; of very many, an even share."""
    first: dict[str, int] = {}
    for number, entry in enumerate(data.entries):
        if entry["split"] == split:
            first.setdefault(entry["name"], number)
    chosen = sorted(first.values())
    if len(chosen) > MAX_SHAPES:
        chosen = sorted(np.random.default_rng(seed).choice(chosen, MAX_SHAPES, replace=False).tolist())
    views = (data.read(number) for number in chosen)
    rows = [describe_points(v.position, v.normal, v.area, v.patch, v.component) for v in views]
    return ReferenceShapes.of(np.array(rows).reshape(len(rows), -1))


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("give a prepared store and a folder of weights", file=sys.stderr)
        return 2
    try:
        reference = collect_shapes(Prepared(arguments[0]))
        path = reference.save(Path(arguments[1]))
    except NeurokError as fault:
        print(f"neurok: {fault}", file=sys.stderr)
        return 2
    print(f"wrote {path}: {len(reference.rows)} shapes, {path.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
