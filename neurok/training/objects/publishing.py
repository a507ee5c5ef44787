"""The three trained networks as the weights that `neurok generate --model learned` reads.

python -m neurok.training.objects.publishing EXAMPLES.npz OUT --coder RUN --layouts RUN --codes RUN
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from neurok.generate.learned.weights import LearnedModel, save_model
from neurok.training import checkpoint
from neurok.training.materials.examples import list_solids
from neurok.training.objects.examples import ObjectExample, load_objects
from neurok.training.objects.flows import load_flow
from neurok.training.objects.parts import load_coder

USUAL_SCALE = 0.4  # metres per unit of kinds of which no object is in metres


def find_scales(objects: Sequence[ObjectExample]) -> dict[str, float]:
    """Metres per unit of each kind: the median of our own objects, which are in metres."""
    found = {}
    for kind in sorted({one.kind for one in objects}):
        known = [one.scale for one in objects if one.kind == kind and one.source == "made"]
        found[kind] = float(np.median(known)) if known else USUAL_SCALE
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("out", type=Path)
    for name in ("coder", "layouts", "codes"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    chosen = parser.parse_args()
    objects = load_objects(chosen.examples)
    (layouts, kinds), (codes, _) = load_flow(chosen.layouts), load_flow(chosen.codes)
    scales = find_scales(objects)
    real = tuple(sorted({one.kind for one in objects if one.source == "partnet"}))
    model = LearnedModel(
        load_coder(chosen.coder), layouts, codes, {kind: scales[kind] for kind in kinds}, list_solids(), real
    )
    states = {name: checkpoint.read(getattr(chosen, name)) for name in ("coder", "layouts", "codes")}
    facts = {
        "steps": {name: state["step"] for name, state in states.items()},
        "minutes": {name: round(state["spent"] / 60, 1) for name, state in states.items()},
        "objects": len(objects), "parts": sum(one.layout.count for one in objects),
    }  # fmt: skip
    save_model(chosen.out, model, facts)
    print(f"{chosen.out}: {facts}")


if __name__ == "__main__":
    main()
