"""find_joints: the joints that the parts of a plain mesh suggest, where some part surely moves."""

from neurok.errors import InputError
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh

SURE_CHANCE = 0.8  # of moving as found, from which a part is trusted unasked; set by hand, never measured


def find_joints(mesh: Mesh, must: bool) -> tuple[Articulation | None, str]:
    """The joints of a plain mesh, and in words what was found; None where they are not sure enough (unless `must`)."""
    from neurok.articulate.assemble import assemble_articulation
    from neurok.articulate.check.criteria import TOLERANCE
    from neurok.articulate.examples import BATCH_PART_COUNT
    from neurok.articulate.naming import name_links
    from neurok.articulate.parts import choose_parts
    from neurok.articulate.predict import predict_movements
    from neurok.articulate.sweep.articulations import stop_ranges
    from neurok.proposals.sampling import sample_shape

    parts, origin = choose_parts(mesh)
    if parts.count < 2:
        if must:
            raise InputError("the mesh is one part", "use --kinematics learned, or name its parts in the file")
        return None, "the mesh is one part, so there is nothing to joint"
    if parts.count > BATCH_PART_COUNT and not must:  # the search would take minutes
        return None, f"the mesh has {parts.count} parts, too many to be tried unasked"
    moves = predict_movements(sample_shape(mesh, parts), predictor="both")
    moving = [(move.confidence, parts.names[i]) for i, move in enumerate(moves) if move.kind != "fixed"]
    if not moving:
        if must:
            raise InputError("no part was found that moves against the rest", "use --kinematics learned")
        return None, f"none of {parts.count} parts ({origin}) seems to move against the rest"
    surest, name = max(moving)
    if surest < SURE_CHANCE and not must:
        return None, f"no part surely moves (the surest, {name}, with a chance of {surest:.2f})"
    count = f"{len(moving)} of {parts.count} parts ({origin})"
    found = name_links(stop_ranges(assemble_articulation(mesh, parts, moves, "object"), TOLERANCE))
    if not found.coordinate_freedoms:
        if must:
            raise InputError("every part meets others as soon as it moves", "use --kinematics learned")
        return None, f"{count} would move, but meet others at once"
    return found, f"{count} move, surest {name} with a chance of {surest:.2f}"
