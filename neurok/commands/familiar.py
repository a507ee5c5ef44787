"""How far an object is from what the model was trained on, said by every verb that asks the model."""

from typing import Any

from neurok.commands.movement import is_learned
from neurok.geometry.mesh import Mesh
from neurok.kinematics.kinematics import Kinematics


def familiar(space: Kinematics, mesh: Mesh, weights: str | None = None) -> dict[str, Any] | None:
    """Facts and a sentence on how familiar a plain mesh is; None where joints move it.

    weights: the folder of the model's, those that came with neurok where none is named.
    """
    if not is_learned(space):
        return None
    from neurok.networks.out_of_distribution import UNKNOWN_SENTENCE, score_mesh
    from neurok.networks.weights import SHIPPED

    found = score_mesh(mesh, weights or SHIPPED)
    if found is None:
        return {"sentence": UNKNOWN_SENTENCE}
    return {"sentence": found.sentence, "stranger_than": found.share, "of_the_strangest": found.ratio}


def familiar_lines(space: Kinematics, mesh: Mesh, weights: str | None = None) -> list[str]:
    """The sentence alone, where there is one."""
    found = familiar(space, mesh, weights)
    return [] if found is None else [f"shape: {found['sentence']}"]
