"""find_joints: the joints that the parts of a plain mesh suggest, where some part surely moves."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from neurok.articulate.softness import looks_soft
from neurok.errors import InputError
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.proposals.mechanism import MIN_LOG_ODDS

if TYPE_CHECKING:
    from neurok.articulate.assemble import Movement
    from neurok.articulate.parts import FoundParts


def find_joints(mesh: Mesh, must: bool) -> tuple[Articulation | None, str]:
    """The joints of a plain mesh, and in words what was found; None where they are not sure enough (unless `must`)."""
    from neurok.articulate.predict import assemble_joints

    if not must and looks_soft(mesh):
        return None, "its shape is rather that of a body that bends than of one with parts"
    found, movements = _choose_movements(mesh, must)
    if found.parts.count < 2:
        if must:
            raise InputError("the mesh is one part", "use --kinematics soft or learned, or name its parts in the file")
        return None, "the mesh is one part, so there is nothing to joint"
    moving = [(move.confidence, name) for move, name in zip(movements, found.parts.names) if move.kind != "fixed"]
    if not moving:
        if must:
            raise InputError("no part was found that moves against the rest", "use --kinematics soft or learned")
        return None, f"none of {found.parts.count} parts ({found.origin}) seems to move against the rest"
    surest, name = max(moving)
    count = f"{len(moving)} of {found.parts.count} parts ({found.origin})"
    joints = assemble_joints(mesh, found.parts, movements, "object")
    if not joints.coordinate_freedoms:
        if must:
            raise InputError("every part meets others as soon as it moves", "use --kinematics soft or learned")
        return None, f"{count} would move, but meet others at once"
    return joints, f"{count} move, surest {name} with a chance of {surest:.2f}"


def _choose_movements(mesh: Mesh, must: bool) -> "tuple[FoundParts, Sequence[Movement]]":
    """The parts of the file, if one of them likelier moves than not; else those that geometry finds, if need be
    unlikely ones."""
    from neurok.articulate.examples import BATCH_PART_COUNT
    from neurok.articulate.found_movements import move_found_parts
    from neurok.articulate.parts import choose_parts, find_moving_parts
    from neurok.articulate.predict import judge_parts
    from neurok.proposals.sampling import sample_shape

    found = choose_parts(mesh)
    if found.motions is None and (must or found.parts.count <= BATCH_PART_COUNT):  # more would take minutes
        movements = judge_parts(sample_shape(mesh, found.parts))
        if any(move.kind != "fixed" and (must or move.confidence > 0.5) for move in movements):
            return found, movements
    if found.motions is None:
        found = find_moving_parts(mesh)
    if must and not any(found.motions or ()):
        found = find_moving_parts(mesh, least=3 * MIN_LOG_ODDS)  # what there must be may be unlikely
        motions = found.motions or (None,) * found.parts.count
        return found, move_found_parts(sample_shape(mesh, found.parts), motions)
    return found, judge_parts(sample_shape(mesh, found.parts), found.motions)
