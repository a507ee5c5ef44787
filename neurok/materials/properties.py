"""What one part is made of, in numbers: its material's typical values, and what was stated beside it."""

from collections.abc import Mapping
from dataclasses import dataclass

from neurok.errors import OptionError
from neurok.materials.library import MaterialLibrary
from neurok.materials.material import Behaviour, PhysicalMaterial
from neurok.materials.quantities import QUANTITIES, check_quantity


@dataclass(frozen=True)
class MaterialProperties:
    """The numbers of one part, in the units of `QUANTITIES`; None where neither the material nor the user has one.

    material: the row they come from, None where only numbers were stated. deforms: False for a part that is rigid
    whatever its material.
    """

    material: PhysicalMaterial | None = None
    density: float | None = None
    young: float | None = None
    poisson: float | None = None
    yield_stress: float | None = None
    friction_angle: float | None = None
    friction: float | None = None
    restitution: float | None = None
    loss: float | None = None
    thickness: float | None = None
    deforms: bool | None = None

    @property
    def behaviour(self) -> Behaviour | None:
        return None if self.material is None else self.material.behaviour


def resolve_properties(
    material: str | None, stated: Mapping[str, float | None], library: MaterialLibrary, where: str = "of the part"
) -> MaterialProperties:
    """The typical values of a material, with the stated ones (by the names of `QUANTITIES`) in their place.

    where: of what, for errors, as in "of part 'seat'".
    """
    row = None if material is None else library.find(material)
    if row is not None and row.behaviour == Behaviour.FLUID:
        raise OptionError(f"the material {where} is {row.name}, a fluid", "give a solid: fluids are not simulated")
    values: dict[str, float | None] = {}
    for name in QUANTITIES:
        value = stated.get(name)
        if value is not None:
            check_quantity(name, value, where)
        values[name] = value if value is not None else None if row is None else row.find_typical(name)
    young, stress = values["young"], values["yield_stress"]
    if young is not None and stress is not None and stress >= young:
        if stated.get("yield_stress") is not None:
            raise OptionError(
                f"the yield stress {where} is {stress:g} Pa and its Young's modulus {young:g} Pa",
                "give a yield stress below Young's modulus: nothing is stretched to twice its length before it yields",
            )
        values["yield_stress"] = None  # stated to be far softer than its material is, so it does not yield like it
    return MaterialProperties(row, deforms=None, **values)
