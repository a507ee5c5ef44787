"""Parts of a mesh from the learned state space: what moves rigidly together there; works where all is one surface."""

from neurok.articulate.parts import MAX_FOUND_PARTS, FoundParts, choose_parts, group_by_motion, merge_labels
from neurok.errors import InputError
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts, name_parts


def find_learned_parts(mesh: Mesh, *, most: int = MAX_FOUND_PARTS) -> Parts:
    """The groups of handles that the model moves alike, as parts; specks go with what they touch."""
    from neurok.kinematics.choose import learned_space
    from neurok.kinematics.learned.options import LearnedOptions
    from neurok.kinematics.twists import Twists

    space = learned_space(mesh, options=LearnedOptions(is_soft=False))  # who asks for joints has a mechanism
    if not isinstance(space, Twists):
        raise InputError("these weights give no parts that move together", "use --parts geometry")
    parts = group_by_motion(space)
    labels = merge_labels(mesh, parts.face, most)
    return name_parts(labels, [f"part_{i}" for i in range(int(labels.max()) + 1)])


def find_any_parts(mesh: Mesh) -> FoundParts:
    """The parts a mesh states, else those its geometry suggests, else those that the model moves."""
    found = choose_parts(mesh)
    if found.parts.count == 1:
        moving = find_learned_parts(mesh)
        if moving.count > 1:
            return FoundParts(moving, "the learned state space")
    return found
