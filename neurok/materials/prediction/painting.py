"""The mesh in the looks of its predicted materials."""

from dataclasses import replace

import numpy as np

from neurok.geometry.mesh import Material, Mesh
from neurok.materials.library import MaterialLibrary
from neurok.materials.material import PhysicalMaterial
from neurok.materials.prediction.prediction import MatterPrediction

CLEAR_OPACITY = 0.35  # of what lets all light through: not so clear that it cannot be seen


def paint_materials(mesh: Mesh, prediction: MatterPrediction, library: MaterialLibrary) -> Mesh:
    """Every face with the look that its part's material has in the library, instead of its own."""
    names = list(dict.fromkeys(part.material for part in prediction.matter))
    number = np.array([names.index(part.material) for part in prediction.matter])

    def drop_color(table: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {key: values for key, values in table.items() if key != "color"}

    return replace(
        mesh,
        materials=tuple(make_surface(library.find(name)) for name in names),
        face_material=number[prediction.parts.face],
        attributes=drop_color(dict(mesh.attributes)),
        corner_attributes=drop_color(dict(mesh.corner_attributes)),
        face_attributes=drop_color(dict(mesh.face_attributes)),
    )


def make_surface(material: PhysicalMaterial) -> Material:
    """The look of a material as a surface of glTF."""
    look = material.look
    opacity = 1.0 - (1.0 - CLEAR_OPACITY) * look.transmission
    return Material(
        material.name, (*look.base_color, opacity), look.metallic, look.roughness,
        alpha_mode="BLEND" if look.transmission > 0 else "OPAQUE", double_sided=True,
    )  # fmt: skip
