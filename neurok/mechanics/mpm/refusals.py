"""What particles cannot do: said before the work, one sentence each."""

from neurok.errors import OptionError
from neurok.mechanics.conditions import Conditions

REMEDY = "leave it out, or take --engine reduced"


def list_refusals(conditions: Conditions, moving_joints: int = 0) -> list[str]:
    """Each thing that is asked for and that particles cannot do, in words; moving_joints: those of the object."""
    usual = Conditions()
    asked = {
        "no wind acts on particles": any(conditions.wind),
        "particles begin at rest in the shape of the file, and no point can begin displaced": bool(
            conditions.starts or conditions.state or conditions.rates
        ),
        "particles rebound by their stiffness, and no restitution can be stated for them": (
            conditions.restitution is not None
            or any(part.restitution is not None for part in conditions.parts.values())
        ),
        "particles have no springs, and no stiffness can be stated for them": conditions.stiffness is not None,
        "parts that are made of particles have no stiffness or damping factor of their own": any(
            part.stiffness is not None or part.damping is not None for part in conditions.parts.values()
        ),
        "particles have an integrator of their own": conditions.integrator != usual.integrator,
        "particles know no joints, and the object has some": moving_joints > 0,
        "nothing acts on the object, and particles have no state to be released from": conditions.is_silent,
    }
    return [words for words, is_asked in asked.items() if is_asked]


def refuse_rest(conditions: Conditions, moving_joints: int = 0) -> None:
    """Raise the first of these."""
    for words in list_refusals(conditions, moving_joints):
        raise OptionError(words, REMEDY)
