"""Reading primvars: texture coordinates, colours, normals and the other attributes of a mesh."""

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from neurok.files.usd.pieces import UsdPiece

UV_NAME_ORDER = ("st", "st0", "uvmap", "uv", "uv0", "map1", "texcoord_0")
UV_TYPES = ("texCoord2f[]", "texCoord2d[]", "texCoord2h[]")
UV_NAME_PATTERN = re.compile(r"(st|uv|uvmap|map|texcoord_?)\d*", re.IGNORECASE)
FLOAT_TYPE_WIDTHS = {"float[]": 1, "float2[]": 2, "float3[]": 3, "float4[]": 4, "double[]": 1}


def number_uv_sets(stage: Usd.Stage, pieces: Iterable[UsdPiece]) -> dict[str, int]:
    """The number of each set of texture coordinates by the name of its primvar, the same for all pieces."""
    names: set[str] = set()
    for piece in pieces:
        api = UsdGeom.PrimvarsAPI(stage.GetPrimAtPath(piece.path))
        names |= {p.GetPrimvarName() for p in api.FindPrimvarsWithInheritance() if is_uv(p)}
    order = sorted(
        names, key=lambda name: (UV_NAME_ORDER.index(name.lower()) if name.lower() in UV_NAME_ORDER else 99, name)
    )
    return {name: number for number, name in enumerate(order)}


def is_uv(primvar: UsdGeom.Primvar) -> bool:
    kind = str(primvar.GetTypeName())
    return kind in UV_TYPES or (kind == "float2[]" and bool(UV_NAME_PATTERN.fullmatch(primvar.GetPrimvarName())))


class PrimvarLayout:
    """Spreads primvar values of any interpolation over a mesh, per vertex where possible and per corner otherwise."""

    def __init__(self, point_count: int, counts: NDArray, corners: NDArray, triangle_polygon: NDArray) -> None:
        self.point_count = point_count
        self.polygon_count = len(counts)
        self.corner_count = int(counts.sum())
        self.corners = corners  # positions in the list of polygon corners, [m, 3]
        self.triangle_polygon = triangle_polygon  # [m]

    def lay_out(self, values: NDArray, interpolation: str) -> tuple[bool, NDArray] | None:
        """(per corner?, values): [n, d] per vertex or [m, 3, d] per corner; None where the numbers do not fit."""
        if interpolation == UsdGeom.Tokens.constant and len(values) == 1:
            return False, np.repeat(values, self.point_count, axis=0)
        if interpolation in (UsdGeom.Tokens.vertex, UsdGeom.Tokens.varying) and len(values) == self.point_count:
            return False, values
        if interpolation == UsdGeom.Tokens.uniform and len(values) == self.polygon_count:
            return True, np.repeat(values[self.triangle_polygon][:, None], 3, axis=1)
        if interpolation == UsdGeom.Tokens.faceVarying and len(values) == self.corner_count:
            return True, values[self.corners]
        return None


def flatten_primvar(primvar: UsdGeom.Primvar, time: Usd.TimeCode) -> NDArray | None:
    """A primvar's values with its indices followed, [k, d]."""
    value = primvar.ComputeFlattened(time)
    if value is None:
        value = primvar.ComputeFlattened(Usd.TimeCode.EarliestTime())
    if value is None or not len(value):
        return None
    values = np.asarray(value, dtype=np.float64)
    return values.reshape(len(values), -1)


def find_other_primvars(prim: Usd.Prim) -> list[UsdGeom.Primvar]:
    """Plain numbers per vertex or corner under names of their own."""
    found = []
    for primvar in UsdGeom.PrimvarsAPI(prim).GetPrimvarsWithValues():
        name = primvar.GetPrimvarName()
        plain = str(primvar.GetTypeName()) in FLOAT_TYPE_WIDTHS and primvar.GetElementSize() == 1
        known = name in ("displayColor", "displayOpacity", "normals", "tangents") or ":" in name or is_uv(primvar)
        if plain and not known and primvar.GetInterpolation() in ("vertex", "faceVarying"):
            found.append(primvar)
    return found
