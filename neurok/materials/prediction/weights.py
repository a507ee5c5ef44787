"""The weights on disk: weights.safetensors in half precision, and config.json with the words, what was chosen on folds,
and the hash."""

import hashlib
import json
from functools import cache
from pathlib import Path

import numpy as np

from neurok.errors import InputError
from neurok.materials.prediction.network import MatterNetwork, NameMixing

SHIPPED = Path(__file__).parents[2] / "weights" / "materials"
TENSORS, CONFIG = "weights.safetensors", "config.json"
NAMES = "names"  # the tensor of log chances by name


def load_network(folder: str | Path = SHIPPED) -> MatterNetwork:
    """The network of a folder of weights; the one that came with neurok by default."""
    return _load_network(Path(folder))


@cache
def _load_network(folder: Path) -> MatterNetwork:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        record = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        data = (folder / TENSORS).read_bytes()
    except (OSError, ValueError) as fault:
        raise InputError(f"the weights in {folder} cannot be read ({fault})", "take them anew") from None
    if not isinstance(record, dict) or record.get("sha256") != hashlib.sha256(data).hexdigest():
        raise InputError(f"the weights in {folder} are not those that {CONFIG} names", "take both files anew")
    try:
        tensors = {name: np.asarray(values, dtype=np.float64) for name, values in load(data).items()}
    except SafetensorError as fault:
        raise InputError(f"{folder / TENSORS} is not a safetensors file ({fault})", "take it anew") from None
    return MatterNetwork(
        tensors, tuple(record["vocabulary"]), tuple(record["materials"]), record["temperature"], record["members"],
        record["sure"], {tuple(name): row for name, row in zip(record["names"], tensors.pop(NAMES))},
        NameMixing(**record["mixing"]),
    )  # fmt: skip
