"""Writing the weights that `neurok.materials.prediction.weights` reads."""

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from neurok.materials.prediction.network import MatterNetwork
from neurok.materials.prediction.weights import CONFIG, NAMES, TENSORS


def save_network(folder: Path, network: MatterNetwork, facts: dict[str, Any]) -> None:
    """Write a network in half precision, the record that names its hash last."""
    from safetensors.numpy import save

    table = np.array([*network.names.values()]).reshape(-1, len(network.materials))
    tensors = {**network.tensors, NAMES: table}
    data = save({name: np.ascontiguousarray(values, np.float16) for name, values in sorted(tensors.items())})
    record = {
        "sha256": hashlib.sha256(data).hexdigest(), "vocabulary": network.vocabulary, "materials": network.materials,
        "temperature": network.temperature, "members": network.members, "sure": network.sure,
        "names": [list(name) for name in network.names], "mixing": asdict(network.mixing),
        **facts,
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in ((TENSORS, data), (CONFIG, json.dumps(record, indent=1, sort_keys=True).encode())):
        (folder / f".{name}.part").write_bytes(content)
        os.replace(folder / f".{name}.part", folder / name)
