"""predict: a mesh and its parts become an articulation; joints, ranges and parents with it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from neurok.articulate.assemble import Movement, assemble
from neurok.articulate.moves import chosen_moves, studies_of, with_parents
from neurok.articulate.parts import Parts
from neurok.articulate.pieces import Shape, shape
from neurok.articulate.ranking import odds
from neurok.articulate.reasons import Study
from neurok.errors import unknown
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh

if TYPE_CHECKING:
    from neurok.articulate.network import ArticulationNetwork

# search: candidates, simulator and ranking; network: learned, nothing is tried; both: it judges the candidates.
PREDICTORS = ("search", "network", "both")


def predict(
    mesh: Mesh, parts: Parts, *, predictor: str = "both", name: str = "object",
    progress: Callable[[float], None] | None = None,
) -> Articulation:  # fmt: skip
    """The most likely joints of a mesh's parts."""
    found = movements(shape(mesh, parts), progress, predictor=predictor)
    return assemble(mesh, parts, found, name)


def movements(
    whole: Shape, progress: Callable[[float], None] | None = None, *, predictor: str = "search",
    networks: "list[ArticulationNetwork] | None" = None, studies: list[Study | None] | None = None,
) -> list[Movement]:  # fmt: skip
    """How each part moves, in the shape's canonical frame; at least one part stays.

    networks: to be asked instead of those that came with neurok. studies: of all parts, where they were made before.
    """
    if predictor not in PREDICTORS:
        raise unknown("predictor", predictor, PREDICTORS)
    if predictor != "network" and studies is None:
        studies = studies_of(whole, progress)
    if predictor == "search":
        return with_parents(whole, chosen_moves(whole, studies, odds(studies)))
    from neurok.articulate.deciding import by_both, by_network
    from neurok.articulate.weights import shipped_networks

    networks = shipped_networks() if networks is None else networks
    return by_network(whole, networks) if predictor == "network" else by_both(whole, networks, studies)
