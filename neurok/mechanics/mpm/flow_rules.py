"""Flow rules: how a material resists, yields and flows, as the material point method asks for it.

Newton's criterion is sqrt(J2) <= k + M p, with J2 of the deviatoric stress and p the pressure. What yields by von
Mises at the stress s in tension has k = s / sqrt(3) and M = 0. Grains have k = 0 and, in plane strain without
dilatancy, M = sin phi, so that a long heap stands at its friction angle; they carry no tension.
"""

from dataclasses import dataclass

import numpy as np

from neurok.materials.material import Behaviour
from neurok.materials.properties import MaterialProperties

YIELDING = (Behaviour.PLASTICINE, Behaviour.METAL)  # keep what they yielded by von Mises
FLOWING = (Behaviour.PLASTICINE, Behaviour.GRANULAR)  # yield under loads that a hand or their own weight puts on them
DEFAULT_YOUNG = 1e7  # Pa; of parts of which nobody says how they deform, which are to hold their shape
DEFAULT_POISSON = 0.3  # of most solids
MAX_POISSON = 0.45  # what hardly changes its volume locks linear cells
MAX_YOUNG = 1e8  # Pa; stiffer parts deform no more that anybody could see, and would only slow the solver down
ROUNDING = 1e-4  # of a number in a file
NEVER = 1e15  # Pa; the yield stress of what does not yield


@dataclass(frozen=True)
class Defaults:
    """density [kg/m^3] and friction of parts of which nobody states them."""

    density: float
    friction: float


@dataclass(frozen=True)
class FlowRule:
    """One material of the particles, in SI units; friction: against what it slides on.

    yield_shear: k [Pa]. slope: M. holds_tension: whether it is one body and not grains. is_capped: whether E is less
    than the material's own. flows: whether it is of a kind that yields under small loads.
    """

    name: str
    density: float
    friction: float
    young: float
    poisson: float
    loss: float
    yield_shear: float
    slope: float
    holds_tension: bool
    is_capped: bool
    flows: bool


def read_flow_rule(one: MaterialProperties, usual: Defaults) -> FlowRule:
    """How a part resists and yields."""
    is_rigid = one.deforms is False
    is_granular = one.behaviour == Behaviour.GRANULAR and not is_rigid
    stress = one.yield_stress if _yields(one) and not is_rigid else None
    young = MAX_YOUNG if is_rigid else DEFAULT_YOUNG if one.young is None else one.young
    poisson = DEFAULT_POISSON if one.poisson is None else one.poisson
    return FlowRule(
        name="unknown" if one.material is None else one.material.name,
        density=usual.density if one.density is None else one.density,
        friction=usual.friction if one.friction is None else one.friction,
        young=min(young, MAX_YOUNG),
        poisson=float(np.clip(poisson, 0.0, MAX_POISSON)),
        loss=one.loss or 0.0,
        yield_shear=0.0 if is_granular else NEVER if stress is None else stress / np.sqrt(3.0),
        slope=float(np.sin(np.radians(one.friction_angle or 0.0))) if is_granular else 0.0,
        holds_tension=not is_granular,
        is_capped=young > MAX_YOUNG,
        flows=does_flow(one),
    )


def does_flow(one: MaterialProperties) -> bool:
    """Whether something yields under small loads: by its kind, or where a yield stress is stated of what bends."""
    if one.deforms is False:
        return False
    is_stiff = one.behaviour is not None and one.behaviour.moves_as_one
    return one.behaviour in FLOWING or (not is_stiff and _states_yield(one))


def _yields(one: MaterialProperties) -> bool:
    """What a foam, wood or glass has instead, the stress at which it collapses or breaks, is no yield stress."""
    return one.behaviour in YIELDING or _states_yield(one)


def _states_yield(one: MaterialProperties) -> bool:
    """Whether a yield stress other than the material's own is stated; files round numbers."""
    usual = None if one.material is None else one.material.find_typical("yield_stress")
    return one.yield_stress is not None and (usual is None or abs(one.yield_stress - usual) > ROUNDING * usual)
