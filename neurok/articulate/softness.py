"""Whether a plain mesh is a body that bends rather than a thing of parts that move."""

from neurok.geometry.mesh import Mesh

# How much wider the log odds of the network spread than those of the ranker. Of 129 articulated things, 14 are then
# taken for soft ones (11 of them game controllers), by the network alone 18; of 46 soft ones 1 for articulated by
# either. With 3 and more a second one is (`python -m benchmarks.softness DATA --more DATA/articulated`).
LOG_ODDS_RATIO = 2.0


def looks_soft(mesh: Mesh) -> bool:
    """Whether the network takes the shape for a soft body more surely than the ranker takes a part for a moving one."""
    softness = measure_softness(mesh)
    return softness > 0 and softness > LOG_ODDS_RATIO * measure_surest_part(mesh)


def measure_softness(mesh: Mesh) -> float:
    """The network's log odds that a shape is a soft body."""
    from neurok.kinematics.learned.observe import observe_object
    from neurok.kinematics.learned.options import LearnedOptions
    from neurok.networks.handles import HandlesModel
    from neurok.networks.weights import load_model

    model = load_model()
    assert isinstance(model, HandlesModel)  # the one that comes with the package
    return observe_object(mesh, model, LearnedOptions()).soft_logit


def measure_surest_part(mesh: Mesh) -> float:
    """The greatest log odds of any hypothesis to be a part that moves; minus infinity where there is none."""
    from neurok.proposals.hypotheses import Hypotheses
    from neurok.proposals.mechanism import find_mechanism

    found = Hypotheses.of(mesh)
    parts = find_mechanism(found, least=0.0) if len(found.members) else []
    return max((part.log_odds for part in parts), default=-float("inf"))
