"""Are masses and inertias those of bodies, and those the file states?"""

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

from neurok.articulate.check.criteria import DENSITY_BOUNDS, MASS_BOUNDS, TOLERANCE
from neurok.articulate.check.loading import name_body
from neurok.articulate.check.report import CheckReport
from neurok.geometry.arrays import Array


def check_masses(model: Any, path: Path, found: CheckReport) -> None:
    """Masses are finite, plausible for the links' volumes, and those the file states."""
    mass = np.array(model.body_mass[1:])
    names = [name_body(model, body) for body in range(1, model.nbody)]
    found.figures["mass"] = float(mass.sum())
    stated = _read_mass(path)
    if stated is not None and not abs(mass.sum() - stated) <= TOLERANCE * stated:
        found.faults.append(f"MuJoCo weighs it at {mass.sum():.4g} kg, and the file states {stated:.4g} kg")
    if not MASS_BOUNDS[0] <= mass.sum() <= MASS_BOUNDS[1]:
        found.faults.append(f"the whole weighs {mass.sum():.3g} kg")
    volumes = _measure_volumes(model)
    for body, (name, weight) in enumerate(zip(names, mass), start=1):
        if volumes[body] > 0 and weight > 0:
            density = weight / volumes[body]
            if not DENSITY_BOUNDS[0] <= density <= DENSITY_BOUNDS[1]:
                found.faults.append(f"'{name}' weighs {weight:.3g} kg, {density:.3g} kg for a cubic metre of its hull")
    if len(mass) > 2 and np.ptp(mass) == 0.0 and len({round(float(v), 9) for v in volumes[1:]}) > 1:
        found.faults.append(f"every link weighs {mass[0]:.4g} kg, whatever its size")
    for body in range(1, model.nbody):
        moments = np.sort(model.body_inertia[body])
        if model.body_mass[body] > 0 and (moments[0] <= 0 or moments[2] > (moments[0] + moments[1]) * (1 + 1e-6)):
            found.faults.append(f"the inertia of '{names[body - 1]}' is that of no body")


def _measure_volumes(model: Any) -> Array:
    """Volume of the colliders of each body [m^3], [bodies]."""
    import mujoco

    volumes = np.zeros(model.nbody)
    for geom in range(model.ngeom):
        if model.geom_contype[geom] and model.geom_type[geom] == int(mujoco.mjtGeom.mjGEOM_MESH):
            mesh = model.geom_dataid[geom]
            start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            volumes[model.geom_bodyid[geom]] += _measure_hull(np.array(model.mesh_vert[start : start + count]))
    return volumes


def _measure_hull(points: Array) -> float:
    from scipy.spatial import ConvexHull, QhullError

    try:
        return float(ConvexHull(points).volume)
    except QhullError:  # flat: no volume to compare a mass with
        return 0.0


def _read_mass(path: Path) -> float | None:
    """The sum of the masses in the file; None where MuJoCo has to find some of them itself."""
    root = ET.parse(path).getroot()
    if next(root.iter("include"), None) is not None:
        return None  # some of them may stand in another file
    if root.tag == "robot":
        stated = [element.get("value") for element in root.iter("mass")]
    else:
        stated = [element.get("mass") for element in root.iter("inertial")]
        if len(stated) != len(list(root.iter("body"))):
            return None
    masses = [float(mass) for mass in stated if mass is not None]
    return sum(masses) if masses and len(masses) == len(stated) else None
