"""predict: a mesh and its parts become an articulation; joints, ranges and parents with it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from neurok.articulate.assemble import Movement, assemble_articulation
from neurok.articulate.parts import Parts
from neurok.articulate.ranking import rank_parts
from neurok.articulate.sampling import SampledShape, sample_shape
from neurok.articulate.selection import attach_parents, select_movements, study_parts
from neurok.articulate.study import PartStudy
from neurok.errors import unknown
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh

if TYPE_CHECKING:
    from neurok.articulate.network import ArticulationNetwork

# search: candidates, simulator and ranking; network: learned, nothing is tried; both: it judges the candidates.
PREDICTORS = ("search", "network", "both")


def predict_articulation(
    mesh: Mesh, parts: Parts, *, predictor: str = "both", name: str = "object",
    progress: Callable[[float], None] | None = None,
) -> Articulation:  # fmt: skip
    """The most likely joints of a mesh's parts."""
    found = predict_movements(sample_shape(mesh, parts), progress, predictor=predictor)
    return assemble_articulation(mesh, parts, found, name)


def predict_movements(
    whole: SampledShape, progress: Callable[[float], None] | None = None, *, predictor: str = "search",
    networks: "list[ArticulationNetwork] | None" = None, studies: list[PartStudy | None] | None = None,
) -> list[Movement]:  # fmt: skip
    """How each part moves, in the shape's canonical frame; at least one part stays.

    networks: to be asked instead of those that came with neurok. studies: of all parts, where they were made before.
    """
    if predictor not in PREDICTORS:
        raise unknown("predictor", predictor, PREDICTORS)
    if predictor != "network" and studies is None:
        studies = study_parts(whole, progress)
    if predictor == "search":
        return attach_parents(whole, select_movements(whole, studies, rank_parts(studies)))
    from neurok.articulate.fusion import predict_by_both, predict_by_network
    from neurok.articulate.weights import load_shipped_networks

    networks = load_shipped_networks() if networks is None else networks
    return predict_by_network(whole, networks) if predictor == "network" else predict_by_both(whole, networks, studies)
