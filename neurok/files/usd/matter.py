"""What parts are made of, as UsdPhysics materials bound for the purpose `physics`, and read again.

A stage counts density in its own units, kilogramsPerUnit / metersPerUnit^3; friction and restitution have none.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

from neurok.files.usd.layout import Placed, make_child_path
from neurok.files.usd.pieces import UsdPiece
from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import Mesh, Part
from neurok.materials.library import load_library
from neurok.materials.stated_parts import find_statement, keep_known, read_statement

PURPOSE = "physics"
STATED = "neurok:stated"  # custom data: what was stated, beside the numbers that follow


def write_matter(stage: Usd.Stage, mesh: Mesh, placed: Placed) -> None:
    """A physics material for each different statement, bound to the prims of its parts."""
    written: dict[str, UsdShade.Material] = {}
    scope: str | None = None
    for prim, block in placed:
        said = find_statement(mesh, block.part) if block.part >= 0 else {}
        if not said:
            continue
        if scope is None:
            scope = make_child_path(stage.GetDefaultPrim(), "PhysicsMaterials")
            UsdGeom.Scope.Define(stage, scope)
        key = repr(sorted(said.items()))
        if key not in written:
            written[key] = _define_material(stage, f"{scope}/material_{len(written)}", said, mesh.unit)
        binding = UsdShade.MaterialBindingAPI.Apply(prim.GetPrim())
        binding.Bind(written[key], materialPurpose=PURPOSE)


def _define_material(stage: Usd.Stage, path: str, said: dict[str, str | float], unit: float) -> UsdShade.Material:
    material = UsdShade.Material.Define(stage, path)
    library = load_library()
    found = read_statement(Part("", properties=said), library).resolve(library, "a part")
    api = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
    if found.density is not None:
        api.CreateDensityAttr(found.density * unit**3 / UsdPhysics.GetStageKilogramsPerUnit(stage))
    if found.friction is not None:
        api.CreateStaticFrictionAttr(found.friction)
        api.CreateDynamicFrictionAttr(found.friction)
    if found.restitution is not None:
        api.CreateRestitutionAttr(found.restitution)
    material.GetPrim().SetCustomDataByKey(STATED, said)
    return material


def read_matter(
    stage: Usd.Stage, pieces: Sequence[UsdPiece], faces: Sequence[int], parts: tuple[Part, ...], label: Indices
) -> tuple[Part, ...]:
    """The parts with what the materials bound to their prims state; faces: how many each piece has. label: the part of
    each face of all pieces, [m]."""
    found, begin = list(parts), 0
    for piece, count in zip(pieces, faces):
        said = _read_binding(stage, stage.GetPrimAtPath(piece.path))
        for part in np.unique(label[begin : begin + count]).tolist():
            if said and part >= 0 and not found[part].properties:
                found[part] = replace(found[part], properties=said)
        begin += count
    return tuple(found)


def _read_binding(stage: Usd.Stage, prim: Usd.Prim) -> dict[str, str | float]:
    """What the physics material of a prim states, in SI units."""
    material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial(materialPurpose=PURPOSE)[0]
    if not material or not material.GetPrim().HasAPI(UsdPhysics.MaterialAPI):
        return {}
    stated = material.GetPrim().GetCustomDataByKey(STATED)
    if isinstance(stated, dict):
        return keep_known(stated)
    api = UsdPhysics.MaterialAPI(material.GetPrim())
    density = api.GetDensityAttr().Get() or 0.0
    scale = UsdPhysics.GetStageKilogramsPerUnit(stage) / UsdGeom.GetStageMetersPerUnit(stage) ** 3
    numbers: dict[str, object] = {"density": float(density) * scale if density > 0 else None}
    for key, attribute in (("friction", api.GetDynamicFrictionAttr()), ("restitution", api.GetRestitutionAttr())):
        numbers[key] = float(attribute.Get()) if attribute.HasAuthoredValue() else None
    return keep_known(numbers)
