"""What the links of an articulation are made of, as simulators want it: one density, friction and restitution each."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.triangles import face_areas
from neurok.materials.assignment import assign_properties
from neurok.materials.library import load_library
from neurok.materials.part_properties import PartProperties


@dataclass(frozen=True)
class LinkMatter:
    """Means over the area of a link for which a quantity is stated; None where none is.

    density [kg/m^3]; thickness [m], of a link that is all of sheets.
    """

    density: float | None = None
    friction: float | None = None
    restitution: float | None = None
    thickness: float | None = None


NO_MATTER = LinkMatter()  # nothing is stated


def find_link_matter(articulation: Articulation) -> list[LinkMatter]:
    """What the parts of the mesh state of each link."""
    mesh = articulation.mesh
    if not any(part.properties for part in mesh.parts):
        return [NO_MATTER] * len(articulation.links)
    made = assign_properties(mesh, {}, PartProperties(), load_library())
    link = articulation.vertex_link[mesh.faces[:, 0]]
    area = face_areas(mesh.vertices, mesh.faces)
    values = {name: made.read(name, np.nan) for name in ("density", "friction", "restitution", "thickness")}
    found = []
    for index in range(len(articulation.links)):
        here = (link == index) & (area > 0)
        means = {name: _average(value[here], area[here]) for name, value in values.items()}
        if np.isnan(values["thickness"][here]).any():
            means["thickness"] = None
        found.append(LinkMatter(**means))
    return found


def _average(value: Array, area: Array) -> float | None:
    known = ~np.isnan(value)
    return float(value[known] @ area[known] / area[known].sum()) if known.any() else None
