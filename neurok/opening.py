"""What `neurok.load` opens: a file, or a model: of a folder of weights, or, where none is named, neurok's own."""

from pathlib import Path
from typing import Any


def load(path: str | Path | None = None, *, allow_outside: bool = False) -> Any:
    """Read any supported file, a PartNet-Mobility folder or a zip of one; or the model of a folder of weights, as
    `neurok train` writes it; without a path, the model that came with neurok."""
    from neurok.files.registry import load as load_asset

    if path is not None and not _holds_weights(Path(path)):
        return load_asset(path, allow_outside=allow_outside)
    from neurok.networks.weights import SHIPPED, load_model

    return load_model(SHIPPED if path is None else path)


def _holds_weights(folder: Path) -> bool:
    # As `networks.weights` names it, which would load torch for every mesh.
    return (folder / "weights.safetensors").is_file()
