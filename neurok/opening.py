"""What `neurok.load` opens: a file, or, where none is named, the model that came with neurok."""

from pathlib import Path
from typing import Any


def load(path: str | Path | None = None, *, allow_outside: bool = False) -> Any:
    """Read any supported file, a PartNet-Mobility folder or a zip of one; without a path, the shipped model."""
    if path is None:
        from neurok.networks.weights import load_model

        return load_model()
    from neurok.files.registry import load as load_asset

    return load_asset(path, allow_outside=allow_outside)
