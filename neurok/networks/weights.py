"""Weights on disk: a folder with `weights.safetensors`, and `config.json` with their configuration and hash."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from neurok.errors import InputError, OutputError
from neurok.networks.config import Config, from_values, to_values
from neurok.networks.models import StateSpaceModel, build_model

SHIPPED = Path(__file__).parent.parent / "weights" / "base"
TENSORS, CONFIG = "weights.safetensors", "config.json"


def save_weights(folder: Path, state: dict[str, Tensor], config: Config, facts: dict[str, Any]) -> None:
    """Write weights and what is known of them (facts: steps, minutes, data, figures)."""
    put_weights(folder, state, {"config": to_values(config), **facts})


def put_weights(folder: Path, state: dict[str, Tensor], record: dict[str, Any]) -> None:
    """Write tensors, and a record that names their hash; it last, so that what is there whole fits together."""
    from safetensors.torch import save

    data = save({name: value.detach().cpu().contiguous() for name, value in state.items()})
    text = json.dumps({"sha256": hashlib.sha256(data).hexdigest(), **record}, indent=1, sort_keys=True)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in ((TENSORS, data), (CONFIG, text.encode())):
            (folder / f".{name}.part").write_bytes(content)
            os.replace(folder / f".{name}.part", folder / name)
    except OSError as fault:
        raise OutputError(f"weights cannot be written to {folder} ({fault.strerror})", "choose another place") from None


def read_weights(folder: str | Path = SHIPPED) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors, and the record beside them; nothing is ever unpickled."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    folder = Path(folder)
    try:
        record = json.loads((folder / CONFIG).read_text())
        data = (folder / TENSORS).read_bytes()
    except FileNotFoundError as fault:
        inner = folder / "weights"  # of a run of `neurok train`
        raise InputError(f"{folder} holds no weights ({Path(fault.filename).name} is missing)",
                         f"name {inner}" if inner.is_dir() else "name another") from None  # fmt: skip
    except (OSError, ValueError, RecursionError) as fault:
        raise InputError(f"the weights in {folder} cannot be read ({fault})", "take them anew") from None
    if not isinstance(record, dict) or record.get("sha256") != hashlib.sha256(data).hexdigest():
        raise InputError(f"the weights in {folder} are not those that {CONFIG} names", "take both files anew")
    try:
        return load(data), record
    except SafetensorError as fault:
        raise InputError(f"{folder / TENSORS} is not a safetensors file ({fault})", "take it anew") from None


def open_weights(folder: str | Path = SHIPPED) -> tuple[StateSpaceModel, dict[str, Any]]:
    """The model of the weights in a folder, and the record beside them."""
    state, record = read_weights(folder)
    if "config" not in record:
        raise InputError(f"{folder} holds weights of another kind than a state space's", "name others")
    model = build_model(from_values(record.get("config")))
    wanted = model.state_dict()
    if set(state) != set(wanted) or any(state[k].shape != wanted[k].shape for k in wanted):
        raise InputError(f"the weights in {folder} do not fit the model that {CONFIG} names", "take both files anew")
    if not all(bool(torch.isfinite(value).all()) for value in state.values()):
        raise InputError(f"the weights in {folder} hold numbers that are not finite", "take them anew")
    model.load_state_dict(state)
    return model, record


def load_model(folder: str | Path = SHIPPED) -> StateSpaceModel:
    """A trained model, ready to be asked."""
    return open_weights(folder)[0].eval().requires_grad_(False)
