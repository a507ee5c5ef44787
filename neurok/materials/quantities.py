"""The physical quantities of a material, and between which bounds each means anything."""

import math
from dataclasses import dataclass

from neurok.errors import OptionError


@dataclass(frozen=True)
class Quantity:
    """What is measured, in which unit, and the bounds of all solids; is_open: the bounds themselves do not count."""

    words: str
    unit: str
    lowest: float
    highest: float
    is_open: bool = False

    def allows(self, value: float) -> bool:
        if self.is_open:
            return self.lowest < value < self.highest
        return self.lowest <= value <= self.highest

    def describe_range(self) -> str:
        bounds = f"{self.lowest:g} and {self.highest:g}"
        words = f"between {bounds}, which do not count" if self.is_open else f"between {bounds}"
        return f"{words} {self.unit}".rstrip()


# Bounds: the lightest aerogels weigh 1 kg/m3, osmium 22,590; the softest gels have 1 Pa, diamond 1.2e12;
# an isotropic solid is stable for -1 < nu < 1/2; perfect crystals yield at a tenth of E; no heap of dry grains is
# steeper than 60 degrees; clean rubber has a friction of 4; the most lossy polymers have a loss factor of 2.
QUANTITIES = {
    "density": Quantity("density", "kg/m3", 0.5, 25_000),
    "young": Quantity("Young's modulus", "Pa", 1.0, 2e12),
    "poisson": Quantity("Poisson's ratio", "", -1.0, 0.5, is_open=True),
    "yield_stress": Quantity("yield stress", "Pa", 0.1, 2e11),
    "friction_angle": Quantity("friction angle", "degrees", 0.0, 60.0),
    "friction": Quantity("friction", "", 0.0, 10.0),
    "restitution": Quantity("restitution", "", 0.0, 1.0),
    "loss": Quantity("loss factor", "", 0.0, 2.0),
    "thickness": Quantity("thickness", "m", 1e-7, 10.0),
}


def check_quantity(name: str, value: float, where: str) -> None:
    """Refuse a value that no solid has; where: of what, as in "of part 'seat'"."""
    quantity = QUANTITIES[name]
    if not math.isfinite(value) or not quantity.allows(value):
        raise OptionError(f"the {quantity.words} {where} is {value:g}", f"give a number {quantity.describe_range()}")
