"""What MJCF bodies weigh: as stated, else by their geoms, within the bounds that the compiler keeps."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from neurok.errors import InputError
from neurok.files.mjcf.poses import MjcfAngles, read_orientation, read_vector
from neurok.files.mjcf.solids import SolidWeight
from neurok.geometry.articulation import Inertia


def read_weight(
    element: ET.Element | None, geoms: Sequence[SolidWeight | None], compiler: Mapping[str, str], angles: MjcfAngles,
    where: str,
) -> Inertia | None:  # fmt: skip
    """Mass, centre and tensor in the body's frame; None where nothing weighs anything."""
    least_mass = float(read_vector(compiler, "boundmass", "the compiler", (0.0,), 1)[0])
    if element is not None:
        found = _read_stated(element, angles, where)
        return None if found is None else replace(found, mass=max(found.mass, least_mass))
    solids = [solid for solid in geoms if solid is not None]
    if not solids:
        return None
    total = solids[0]
    for solid in solids[1:]:
        total = total + solid
    whole = total.to_inertia()
    return replace(whole, mass=max(whole.mass, least_mass))


def _read_stated(element: ET.Element, angles: MjcfAngles, where: str) -> Inertia | None:
    values = element.attrib
    mass = float(read_vector(values, "mass", where, count=1)[0])
    if mass < 0:
        raise InputError(f"{where} states a mass of {mass:g} kg", "give zero or more")
    if mass == 0:
        return None
    centre = read_vector(values, "pos", where, (0.0, 0.0, 0.0), 3)
    if "fullinertia" in values:
        xx, yy, zz, xy, xz, yz = read_vector(values, "fullinertia", where, count=6)
        return Inertia(mass, centre, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    R = read_orientation(values, angles, where)
    return Inertia(mass, centre, R @ np.diag(read_vector(values, "diaginertia", where, (0.0, 0.0, 0.0), 3)) @ R.T)


def scale_total(weights: list[Inertia | None], compiler: Mapping[str, str]) -> list[Inertia | None]:
    """The weights with the total that the compiler sets, if it does."""
    wanted = float(read_vector(compiler, "settotalmass", "the compiler", (-1.0,), 1)[0])
    total = sum(weight.mass for weight in weights if weight is not None)
    if wanted <= 0 or not total > 0:
        return weights
    factor = wanted / total
    return [
        None if weight is None else Inertia(factor * weight.mass, weight.centre, factor * weight.tensor)
        for weight in weights
    ]
