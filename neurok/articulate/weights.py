"""The weights of the articulation network on disk: several networks in one file, with their hash; nothing unpickled."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from neurok.articulate.network import ArticulationNetwork, ArticulationSize
from neurok.articulate.part_features import PART_FEATURES
from neurok.errors import InputError, OutputError
from neurok.networks.weights import CONFIG, TENSORS, read_weights
from neurok.proposals.candidate_features import CANDIDATE_FEATURES

SHIPPED = Path(__file__).parent.parent / "weights" / "articulation"
PLAIN = Path(__file__).parent.parent / "weights" / "articulation_plain"


def save_networks(folder: Path, networks: Sequence[ArticulationNetwork], facts: dict[str, Any]) -> None:
    """Write networks of one size in half precision, and what is known of them; the config last."""
    from safetensors.torch import save

    tensors = {
        f"{index}.{name}": value.detach().half().contiguous()
        for index, network in enumerate(networks)
        for name, value in network.state_dict().items()
    }
    data = save(tensors)
    record = {"size": asdict(networks[0].size), "networks": len(networks), "sha256": hashlib.sha256(data).hexdigest()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in ((TENSORS, data), (CONFIG, json.dumps(record | facts, indent=1, sort_keys=True).encode())):
            (folder / f".{name}.part").write_bytes(content)
            os.replace(folder / f".{name}.part", folder / name)
    except OSError as fault:
        raise OutputError(f"weights cannot be written to {folder} ({fault.strerror})", "choose another place") from None


def open_networks(folder: str | Path = SHIPPED) -> tuple[list[ArticulationNetwork], dict[str, Any]]:
    """The networks of a folder, ready to be asked, and the record beside them."""
    state, record = read_weights(folder)
    state = _rename_tensors(state)
    try:
        size, count = _read_size(record["size"]), int(record["networks"])
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{folder} holds no weights of the articulation network", "name another folder") from None
    if (size.candidate_features, size.part_features) != (len(CANDIDATE_FEATURES), len(PART_FEATURES)):
        raise InputError(f"the weights in {folder} were made for other features of the search", "train them anew")
    if not 1 <= count <= 16 or not (
        8 <= size.width <= 1024 and 1 <= size.layers <= 32 and size.width % size.heads == 0
    ):
        raise InputError(f"the weights in {folder} name a network of no use", "take both files anew")
    networks = [_fill_network(ArticulationNetwork(size), state, index, folder) for index in range(count)]
    if len(state) != count * len(networks[0].state_dict()):
        raise InputError(f"the weights in {folder} do not fit the network that {CONFIG} names", "take both files anew")
    return networks, record


# What earlier versions called numbers of the size and tensors of the judge.
OLD_SIZES = {"reasons": "candidate_features", "own": "part_features"}
OLD_TENSORS = {
    "judge.reasons_mean": "judge.candidate_scale.mean", "judge.reasons_spread": "judge.candidate_scale.deviation",
    "judge.own_mean": "judge.part_scale.mean", "judge.own_spread": "judge.part_scale.deviation",
}  # fmt: skip


def _read_size(record: Mapping[str, int]) -> ArticulationSize:
    return ArticulationSize(**{OLD_SIZES.get(name, name): value for name, value in dict(record).items()})


def _rename_tensors(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of several networks, `0.judge.own_mean` and so on, under the names of today."""
    renamed = {}
    for key, value in state.items():
        index, _, name = key.partition(".")
        renamed[f"{index}.{OLD_TENSORS.get(name, name)}"] = value
    return renamed


def _fill_network(
    network: ArticulationNetwork, state: dict[str, Tensor], index: int, folder: str | Path
) -> ArticulationNetwork:
    wanted = network.state_dict()
    mine = {name: state[f"{index}.{name}"] for name in wanted if f"{index}.{name}" in state}
    if any(name not in mine or mine[name].shape != wanted[name].shape for name in wanted):
        raise InputError(f"the weights in {folder} do not fit the network that {CONFIG} names", "take both files anew")
    if not all(bool(torch.isfinite(value).all()) for value in mine.values()):
        raise InputError(f"the weights in {folder} hold numbers that are not finite", "take them anew")
    network.load_state_dict({name: value.float() for name, value in mine.items()})
    return network.eval().requires_grad_(False)


@cache
def load_shipped_networks(folder: Path = SHIPPED) -> list[ArticulationNetwork]:
    """Those that came with the package, read once."""
    return open_networks(folder)[0]
