"""predict: a mesh and its parts become an articulation; joints, ranges and parents with it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from neurok.articulate.assemble import Movement, assemble_articulation
from neurok.articulate.backed_parts import join_backed_parts
from neurok.articulate.check.criteria import TOLERANCE
from neurok.articulate.found_movements import move_found_parts
from neurok.articulate.naming import name_links
from neurok.articulate.parents import attach_parents
from neurok.articulate.ranking import rank_parts
from neurok.articulate.selection import select_movements, study_parts
from neurok.articulate.study import PartStudy
from neurok.articulate.sweep.articulations import stop_ranges
from neurok.errors import unknown
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts
from neurok.proposals.mechanism import PartMotion
from neurok.proposals.sampling import SampledShape, sample_shape

if TYPE_CHECKING:
    from neurok.articulate.network import ArticulationNetwork

# auto: both, and where they hold all found parts still, as these were found to move; search: candidates, simulator and
# ranking; network: learned, nothing is tried; both: it judges the candidates.
PREDICTORS = ("auto", "search", "network", "both")


def predict_articulation(
    mesh: Mesh, parts: Parts, *, predictor: str = "auto", name: str = "object",
    motions: Sequence[PartMotion | None] | None = None, progress: Callable[[float], None] | None = None,
) -> Articulation:  # fmt: skip
    """The most likely joints of a mesh's parts, with ranges that end where parts meet or come away.

    motions: of parts that were found because they move.
    Links and joints that have no names of their own get plain ones.
    """
    whole = sample_shape(mesh, parts)
    if predictor == "auto":
        movements = judge_parts(whole, motions, progress)
    else:
        movements = predict_movements(whole, progress, predictor=predictor)
    return assemble_joints(mesh, parts, movements, name)


def judge_parts(
    whole: SampledShape, motions: Sequence[PartMotion | None] | None = None,
    progress: Callable[[float], None] | None = None,
) -> list[Movement]:  # fmt: skip
    """How parts move as networks and search judge them together.

    Where these hold all parts still, what was found and likelier moves than not moves as it was found to.

    motions: of parts that were found so.
    """
    movements = join_backed_parts(whole, predict_movements(whole, progress, predictor="both"))
    likely = tuple(motion if motion is not None and motion.log_odds > 0 else None for motion in motions or ())
    if not any(likely) or any(movement.kind != "fixed" for movement in movements):
        return movements
    return move_found_parts(whole, likely)


def assemble_joints(mesh: Mesh, parts: Parts, movements: Sequence[Movement], name: str) -> Articulation:
    """An articulation with plain names, whose ranges end where parts meet or come away."""
    return name_links(stop_ranges(assemble_articulation(mesh, parts, movements, name), TOLERANCE))


def predict_movements(
    whole: SampledShape, progress: Callable[[float], None] | None = None, *, predictor: str = "search",
    networks: "list[ArticulationNetwork] | None" = None, studies: list[PartStudy | None] | None = None,
) -> list[Movement]:  # fmt: skip
    """How each part moves, in the shape's canonical frame; at least one part is fixed.

    networks: to be asked instead of those that came with neurok. studies: of all parts, where they were made before.
    """
    if predictor not in PREDICTORS[1:]:
        raise unknown("predictor", predictor, PREDICTORS[1:])
    if predictor == "network":
        from neurok.articulate.fusion import predict_by_network

        return predict_by_network(whole, _choose_networks(networks))
    studies = study_parts(whole, progress) if studies is None else studies
    if predictor == "search":
        return attach_parents(whole, select_movements(whole, studies, rank_parts(studies)))
    from neurok.articulate.fusion import predict_by_both

    return predict_by_both(whole, _choose_networks(networks), studies)


def _choose_networks(networks: "list[ArticulationNetwork] | None") -> "list[ArticulationNetwork]":
    from neurok.articulate.weights import load_shipped_networks

    return load_shipped_networks() if networks is None else networks
