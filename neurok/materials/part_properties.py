"""What is stated of one part of an object: a material, and numbers that stand in for the material's own."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from neurok.errors import OptionError
from neurok.materials.library import MaterialLibrary
from neurok.materials.properties import MaterialProperties, resolve_properties
from neurok.materials.quantities import QUANTITIES, check_quantity

FACTORS = ("stiffness", "damping")  # of the simulation's own springs and drag; no material states them


@dataclass(frozen=True)
class PartProperties:
    """What differs for one part of the object (by the part's name); None takes what is known from elsewhere.

    material: a name or synonym of the library, whose typical values hold for what is not stated beside it.
    density [kg/m^3], friction (Coulomb's coefficient), restitution (rebound over impact speed), thickness [m] of a
    sheet: what the object weighs, and how it slides and bounces. young [Pa], poisson, yield_stress [Pa],
    friction_angle [degrees], loss (loss factor): how it deforms where it is simulated as an elastic or yielding solid.
    stiffness: a factor without a unit on the springs of an object whose material is not known; 1 is as usual.
    damping: rate at which motion dies out [1/s]. deforms: False for a part that is rigid whatever its material.
    """

    density: float | None = None
    stiffness: float | None = None
    damping: float | None = None
    friction: float | None = None
    restitution: float | None = None
    thickness: float | None = None
    young: float | None = None
    poisson: float | None = None
    yield_stress: float | None = None
    friction_angle: float | None = None
    loss: float | None = None
    material: str | None = None
    deforms: bool | None = None

    @property
    def quantities(self) -> dict[str, float | None]:
        """What is stated of the quantities of `QUANTITIES`."""
        return {name: getattr(self, name) for name in QUANTITIES}

    def check(self, part: str) -> None:
        """Refuse numbers that no part can have."""
        for name in FACTORS:
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise OptionError(f"the {name} of part '{part}' is {value:g}", "give a number that is 0 or more")
        for name, value in self.quantities.items():
            if value is not None:
                check_quantity(name, value, f"of part '{part}'")

    def resolve(self, library: MaterialLibrary, part: str) -> MaterialProperties:
        """The numbers of this part."""
        found = resolve_properties(self.material, self.quantities, library, f"of part '{part}'")
        return replace(found, deforms=self.deforms)

    def merge(self, later: "PartProperties") -> "PartProperties":
        """This with what a later statement says in its place; a new material takes the old one's numbers away, and
        whoever names a material or a stiffness means a part that deforms by it."""
        if later == PartProperties():
            return self
        stated = {each.name: getattr(later, each.name) for each in fields(later)}
        first = self if later.material in (None, self.material) else PartProperties()
        first = first if later.material is None and later.young is None else replace(first, deforms=None)
        return replace(first, **{name: value for name, value in stated.items() if value is not None})


def join_statements(statements: list[tuple[str, PartProperties]]) -> dict[str, PartProperties]:
    """One statement for each name; two that contradict each other are refused."""
    found: dict[str, PartProperties] = {}
    for name, stated in statements:
        before = found.get(name, PartProperties())
        for each in fields(stated):
            old, new = getattr(before, each.name), getattr(stated, each.name)
            if old is not None and new is not None and old != new:
                problem = f"part '{name}' is given the {each.name} {_format(old)} and {_format(new)}"
                raise OptionError(problem, "keep one of them")
        kept = {e.name: getattr(stated, e.name) for e in fields(stated) if getattr(stated, e.name) is not None}
        found[name] = replace(before, **kept)
    return found


def merge_parts(first: Mapping[str, PartProperties], later: Mapping[str, PartProperties]) -> dict[str, PartProperties]:
    """The statements of both, part by part."""
    names = dict.fromkeys([*first, *later])
    return {name: first.get(name, PartProperties()).merge(later.get(name, PartProperties())) for name in names}


def _format(value: float | str | bool) -> str:
    return f"'{value}'" if isinstance(value, str) else f"{value:g}"
