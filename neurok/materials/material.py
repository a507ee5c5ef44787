"""A material: how it behaves, the ranges of its physical quantities, how it looks, and who says so."""

from dataclasses import dataclass
from enum import StrEnum

from neurok.materials.quantities import QUANTITIES


class Behaviour(StrEnum):
    """What a body of it does under hand-sized loads."""

    RIGID = "rigid"  # moves as one body
    ELASTIC = "elastic"  # a solid that bends and comes back
    SHELL = "shell"  # a sheet: bends far more easily than it stretches
    RUBBER = "rubber"  # strains far, hardly changes its volume, comes back
    METAL = "metal"  # stiff; bends for good beyond its yield stress
    PLASTICINE = "plasticine"  # soft, and keeps its dents
    GRANULAR = "granular"  # held up by friction alone
    BRITTLE = "brittle"  # stiff until it breaks; taken as rigid
    FLUID = "fluid"  # takes the shape of its vessel; known by name alone, and refused

    @property
    def moves_as_one(self) -> bool:
        """Whether a compact body of it is a single rigid body for all that a person does to it."""
        return self in (Behaviour.RIGID, Behaviour.METAL, Behaviour.BRITTLE)


@dataclass(frozen=True)
class ValueRange:
    """What is usual of a quantity: the least, a typical value and the most."""

    low: float
    typical: float
    high: float


@dataclass(frozen=True)
class Look:
    """The surface in glTF's words: base colour (linear RGB), metallic, roughness and transmission, all 0 to 1."""

    base_color: tuple[float, float, float] = (0.5, 0.5, 0.5)
    metallic: float = 0.0
    roughness: float = 0.8
    transmission: float = 0.0


@dataclass(frozen=True)
class PhysicalMaterial:
    """A row of the library; a quantity is None where the material has none of it.

    density [kg/m3], young: E [Pa], poisson: nu, yield_stress [Pa] (of what breaks first: its strength), friction_angle
    [degrees], friction: Coulomb's coefficient against an ordinary floor, restitution: rebound over impact speed on a
    hard floor, loss: loss factor, thickness [m] of a sheet. synonyms: other words for it. sources: in full.
    """

    name: str
    behaviour: Behaviour
    density: ValueRange
    young: ValueRange | None = None
    poisson: ValueRange | None = None
    yield_stress: ValueRange | None = None
    friction_angle: ValueRange | None = None
    friction: ValueRange | None = None
    restitution: ValueRange | None = None
    loss: ValueRange | None = None
    thickness: ValueRange | None = None
    look: Look = Look()
    synonyms: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def find_range(self, quantity: str) -> ValueRange | None:
        """What is usual of a quantity of `QUANTITIES`."""
        if quantity not in QUANTITIES:
            raise KeyError(quantity)
        found: ValueRange | None = getattr(self, quantity)
        return found

    def find_typical(self, quantity: str) -> float | None:
        """The typical value of a quantity of `QUANTITIES`."""
        found = self.find_range(quantity)
        return None if found is None else found.typical
