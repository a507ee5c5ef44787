"""The mean of weights that went on from the same ones side by side, each with a seed of its own:

    python -m neurok.training.mean WEIGHTS WEIGHTS [WEIGHTS ...] OUT

Machines that cannot talk to each other train together so; it is no use for weights that began apart.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from neurok.errors import InputError, NeurokError
from neurok.networks.weights import open_weights, put_weights


def mean_weights(folders: Sequence[str | Path], out: str | Path) -> None:
    """Write the mean of all tensors, and the record of the longest run, to which those of all runs are added."""
    opened = [open_weights(folder) for folder in folders]
    states, records = [model.state_dict() for model, _ in opened], [record for _, record in opened]
    for folder, record in zip(folders, records, strict=True):
        mine, first = record["config"] | {"seed": 0}, records[0]["config"] | {"seed": 0}
        if mine != first:
            raise InputError(f"{folder} was trained otherwise than {folders[0]}", "take the mean of runs alike")
    total = {name: torch.stack([state[name].double() for state in states]).mean(dim=0) for name in states[0]}
    mean = {name: value.to(states[0][name].dtype) for name, value in total.items()}
    runs = [{key: record.get(key) for key in ("sha256", "minutes", "steps")} for record in records]
    longest = max(records, key=lambda record: record.get("steps", 0))
    put_weights(Path(out), mean, {key: value for key, value in longest.items() if key != "sha256"} | {"mean_of": runs})


def main(arguments: list[str]) -> int:
    if len(arguments) < 3:
        print("give two folders of weights or more, and one to write", file=sys.stderr)
        return 2
    try:
        mean_weights(arguments[:-1], arguments[-1])
    except NeurokError as fault:
        print(f"neurok: {fault}", file=sys.stderr)
        return 2
    print(f"wrote the mean of {len(arguments) - 1} to {arguments[-1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
