"""Parts of a mesh from the learned state space: what moves rigidly together there; works where all is one surface."""

from neurok.articulate.parts import MOST_FOUND, Parts, merged_labels, named_parts, parts_from_motion
from neurok.errors import InputError
from neurok.geometry.mesh import Mesh


def moving_pieces(mesh: Mesh, *, most: int = MOST_FOUND) -> Parts:
    """The groups of handles that the model moves alike, as parts; specks go with what they touch."""
    from neurok.kinematics.choose import learned_space
    from neurok.kinematics.learned.options import LearnedOptions
    from neurok.kinematics.twists import Twists

    space = learned_space(mesh, options=LearnedOptions(is_soft=False))  # who asks for joints has a mechanism
    if not isinstance(space, Twists):
        raise InputError("these weights give no parts that move together", "use --parts geometry")
    parts = parts_from_motion(space)
    labels = merged_labels(mesh, parts.face, most)
    return named_parts(labels, [f"part_{i}" for i in range(int(labels.max()) + 1)])
