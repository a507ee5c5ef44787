"""Labels: a picture of a mesh in which regions have colours, and names beside it that point at them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurok.files.camera import Camera, CameraView
from neurok.files.renderer import Renderer
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.mesh import Material, Mesh

# Set by hand, by what looks well.
TEXT_SHARE = 0.026  # of the height of the picture: the height of a name
MIN_PIXELS = 20  # in sight, for a name to point at them
ID_LEVELS = 6  # shades of each of three colours by which regions are told apart
INK, LINE = (40, 44, 54), (120, 126, 138)


@dataclass(frozen=True)
class LabelledRegion:
    """Faces of a mesh [f] with a text; color: red, green, blue in 0 to 1, None for none."""

    text: str
    faces: Indices
    color: tuple[float, float, float, float] | None


def render_labelled(
    mesh: Mesh, regions: Sequence[LabelledRegion], view: CameraView | None = None, size: tuple[int, int] = (1000, 900)
) -> NDArray[np.uint8]:
    """A mesh with coloured regions, their texts to its left and right, [h, w, 3]; size: of what lies between them.

    Where regions overlap, the last one is seen; one that is made of others, all of which are seen, is named as well.
    """
    from PIL import ImageFont

    text = round(TEXT_SHARE * size[1])
    font = ImageFont.load_default(size=text)
    margin = round(max((font.getlength(region.text) for region in regions), default=0.0)) + 3 * text
    width = size[0] + 2 * margin
    camera = Camera.framing([mesh.vertices], mesh.up, size[0] / size[1], view)
    camera = replace(camera, tangents=(camera.tangents[1] * width / size[1], camera.tangents[1]))
    with Renderer(width, size[1]) as renderer:
        picture = renderer.picture(paint_regions(mesh, regions), camera=camera)
        numbers = read_numbers(renderer.picture(_paint_numbers(mesh, regions), camera=camera), len(regions))
    places = [_find_place(np.isin(numbers, within)) for within in _find_within(mesh, regions)]
    own = np.bincount(numbers[numbers >= 0], minlength=len(regions)) >= MIN_PIXELS
    keys = [region if is_seen else replace(region, color=None) for region, is_seen in zip(regions, own)]
    shown = [(region, place) for region, place in zip(keys, places) if place is not None]
    return _write_labels(picture, shown, margin, text, font)


def paint_regions(mesh: Mesh, regions: Sequence[LabelledRegion]) -> Mesh:
    """The mesh with a plain material for each region that has a colour, and grey elsewhere."""
    shade = np.zeros(mesh.face_count, dtype=np.int64)
    materials = [Material("rest", (0.72, 0.72, 0.70, 1.0), roughness=0.7, double_sided=True)]
    for region in regions:
        if region.color is not None:
            shade[region.faces] = len(materials)
            materials.append(Material(region.text, region.color, roughness=0.7, double_sided=True))
    bare = {key: value for key, value in mesh.attributes.items() if key != "color"}
    corners = {key: value for key, value in mesh.corner_attributes.items() if key != "color"}
    return replace(
        mesh, materials=tuple(materials), face_material=shade, attributes=bare, corner_attributes=corners,
        face_attributes={key: value for key, value in mesh.face_attributes.items() if key != "color"},
    )  # fmt: skip


def _paint_numbers(mesh: Mesh, regions: Sequence[LabelledRegion]) -> Mesh:
    """The mesh with a flat colour for each region, by which `read_numbers` knows it."""
    plain = paint_regions(mesh, [replace(region, color=(1.0, 1.0, 1.0, 1.0)) for region in regions])
    coded = _list_codes(len(regions)) / 255
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)  # as sRGB defines it
    materials = tuple(
        replace(material, base_color=(r, g, b, 1.0), extensions={"KHR_materials_unlit": {}})
        for material, (r, g, b) in zip(plain.materials, linear.tolist())
    )
    return replace(plain, materials=materials)


def _list_codes(count: int) -> Array:
    """The colour of what belongs to no region, and of each region, 0 to 255, [count + 1, 3]; none is grey."""
    levels = np.linspace(20, 235, ID_LEVELS)
    codes = np.stack(np.meshgrid(levels, levels, levels), axis=-1).reshape(-1, 3)
    codes = codes[np.ptp(codes, axis=1) > levels[1] - levels[0] + 1]
    found: Array = codes[np.random.default_rng(0).permutation(len(codes))]
    return found[: count + 1]


def read_numbers(picture: NDArray[np.uint8], count: int) -> Indices:
    """The region at each pixel, [h, w]; -1 for none."""
    numbers = np.full(picture.shape[:2], -1)
    for index, code in enumerate(_list_codes(count)):
        numbers[np.abs(picture - code).max(axis=-1) < 4] = index - 1
    return numbers


def _find_within(mesh: Mesh, regions: Sequence[LabelledRegion]) -> list[list[int]]:
    """Of each region the regions that lie within it, itself among them."""
    masks = np.zeros((len(regions), mesh.face_count), dtype=bool)
    for row, region in zip(masks, regions):
        row[region.faces] = True
    return [[i for i, mask in enumerate(masks) if not np.any(mask & ~whole)] for whole in masks]


def _find_place(seen: Mask) -> Array | None:
    """The pixel (column, row) at which the name of a region points: of those in sight [h, w], the one nearest to their
    middle; None where hardly any is in sight."""
    pixels = np.argwhere(seen)[:, ::-1].astype(np.float64)
    if len(pixels) < MIN_PIXELS:
        return None
    place: Array = pixels[np.linalg.norm(pixels - pixels.mean(axis=0), axis=1).argmin()]
    return place


def _write_labels(
    picture: NDArray[np.uint8], shown: Sequence[tuple[LabelledRegion, Array]], margin: int, text: int, font: Any
) -> NDArray[np.uint8]:
    """The picture with names in its margins, and lines to their places."""
    from PIL import Image, ImageDraw

    height, width = picture.shape[:2]
    sheet = Image.fromarray(picture)
    draw = ImageDraw.Draw(sheet)
    for is_left in (True, False):
        column = [pair for pair in shown if (pair[1][0] < width / 2) == is_left]
        column.sort(key=lambda pair: float(pair[1][1]))
        for (region, place), row in zip(column, _space_rows([float(p[1]) for _, p in column], 1.6 * text, height)):
            end = margin - text if is_left else width - margin + text
            spot = float(place[0]), float(place[1])
            draw.line([(end, row), spot], fill=LINE, width=2)
            draw.ellipse([spot[0] - 4, spot[1] - 4, spot[0] + 4, spot[1] + 4], fill=INK)
            color = region.color or (1.0, 1.0, 1.0, 1.0)
            left = end - text if is_left else end
            box = left, row - text / 2, left + text, row + text / 2
            draw.rectangle(box, fill=tuple(round(255 * x ** (1 / 2.2)) for x in color[:3]), outline=INK)
            far = box[0] - text / 2 if is_left else box[2] + text / 2
            draw.text((far, row), region.text, fill=INK, font=font, anchor="rm" if is_left else "lm")
    return np.asarray(sheet)


def _space_rows(wanted: Sequence[float], step: float, height: int) -> list[float]:
    """Rows in the order of some wanted ones, at least a step apart where the height allows that."""
    if not wanted:
        return []
    step = min(step, (height - step) / max(len(wanted) - 1, 1))
    rows = [max(wanted[0], step / 2)]
    for row in wanted[1:]:
        rows.append(max(row, rows[-1] + step))
    excess = max(rows[-1] - (height - step / 2), 0.0)
    for index in reversed(range(len(rows))):  # those that were pushed out below move up, and the others before them
        limit = height - step / 2 if index == len(rows) - 1 else rows[index + 1] - step
        rows[index] = min(rows[index], limit) if excess else rows[index]
    return rows
