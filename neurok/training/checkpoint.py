"""Everything a training run needs to go on exactly where it was, in one file that is there whole or not at all."""

import os
from pathlib import Path
from typing import Any

import torch

from neurok.errors import InputError, OutputError

NAME = "checkpoint.pt"


def write(folder: Path, state: dict[str, Any]) -> None:
    """Replace the run's checkpoint."""
    part = folder / f".{NAME}.part"
    try:
        with open(part, "wb") as stream:
            torch.save(state, stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, folder / NAME)
    except OSError as fault:
        raise OutputError(f"{folder / NAME} cannot be written ({fault.strerror})", "make room and resume") from fault


def read(folder: Path) -> dict[str, Any]:
    """The run's checkpoint; only plain tensors and numbers are ever unpickled."""
    path = folder / NAME
    if not path.is_file():
        raise InputError(f"{folder} has no checkpoint to resume from", "start it without --resume")
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as fault:  # torch raises anything from KeyError to UnpicklingError for damaged files
        raise InputError(f"{path} cannot be read ({fault})", "start the run anew, or from its weights") from None
