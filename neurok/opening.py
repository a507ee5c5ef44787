"""What `neurok.load` and `neurok.kinematics` open: files and models, and the state spaces of what they hold.

This module ties rooms together that do not know each other: files and networks, state spaces and articulation.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neurok.kinematics.choose import Choice
    from neurok.kinematics.kinematics import Kinematics


def load(path: str | Path | None = None, *, allow_outside: bool = False) -> Any:
    """Read any supported file, a PartNet-Mobility folder or a zip of one; or the model of a folder of weights, as
    `neurok train` writes it; without a path, the model that came with neurok."""
    from neurok.files.registry import load as load_asset

    if path is not None and not _holds_weights(Path(path)):
        return load_asset(path, allow_outside=allow_outside)
    from neurok.networks.weights import SHIPPED, load_model

    return load_model(SHIPPED if path is None else path)


def kinematics(
    thing: Any, model: Any = None, *, kind: str = "given", purpose: str = "move", base: str = "fixed"
) -> "Kinematics":
    """The state space of an asset (as `neurok.load` gives it), an articulation or a mesh.

    model: a learned one, as `neurok.load()` gives it; an object with joints moves by them unless a model is given,
        one without by the model, or by the one that came with neurok.
    kind: 'given', 'auto', 'joints', 'learned', 'articulated' or 'soft'; see `neurok.kinematics.choose.Demand`.
    purpose: 'move', or 'fit' for a space to be fitted to a target: `neurok fit` uses that one.
    base: 'fixed', or 'free' to let the whole object fall, slide and tumble as well.
    """
    return choose_kinematics(thing, model, kind=kind, purpose=purpose, base=base).space


def choose_kinematics(
    thing: Any, model: Any = None, *, kind: str = "given", purpose: str = "move", base: str = "fixed"
) -> "Choice":
    """As `kinematics`, with the reason of the choice and the joints that were found."""
    from neurok.articulate.find_joints import find_joints
    from neurok.kinematics.choose import Demand, choose_space

    return choose_space(thing, Demand(kind, purpose, base, model), find_joints)


def _holds_weights(folder: Path) -> bool:
    # As `networks.weights` names it, which would load torch for every mesh.
    return (folder / "weights.safetensors").is_file()
