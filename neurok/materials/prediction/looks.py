"""Looks: the colour, texture, transparency and reflection of each part, averaged over its area."""

import io
from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.geometry.mesh import Material, Mesh
from neurok.geometry.parts import Parts
from neurok.geometry.triangles import face_areas
from neurok.materials.prediction.coats import find_outer_twins

COLOR_FEATURES = ("red", "green", "blue", "hue_x", "hue_y", "saturation", "value", "clear", "textured", "spread")
GLOSS_FEATURES = ("metallic", "roughness")
THUMBNAIL_SIDE = 32  # pixels; enough for the mean and the spread of a texture
PLAIN_COLORS = (0.0, 1.0)  # of a grey without a texture: what programs write where nobody chose a colour


@dataclass(frozen=True)
class PartLooks:
    """color: COLOR_FEATURES in what the eye sees (sRGB), [p, 10]; colored: whether somebody chose a colour, [p];
    gloss: GLOSS_FEATURES, [p, 2]; glossed: whether the file tells them, [p]."""

    color: Array
    colored: Mask
    gloss: Array
    glossed: Mask


@dataclass(frozen=True)
class SurfaceColor:
    """The mean sRGB colour of a surface, [3], its opacity, its spread over the texture, and whether it has one."""

    mean: Array
    opacity: float
    spread: float
    textured: bool


def observe_looks(mesh: Mesh, parts: Parts) -> PartLooks:
    """The looks of all parts, each the mean over its outer faces by area."""
    areas = np.where(find_outer_twins(mesh), face_areas(mesh.vertices, mesh.faces), 0.0) + 1e-30
    surfaces = [observe_surface(material) for material in mesh.materials]
    bare = SurfaceColor(np.full(3, 1.0), 1.0, 0.0, False)
    table = np.array([[*s.mean, 1.0 - s.opacity, float(s.textured), s.spread] for s in (*surfaces, bare)])
    values = _apply_vertex_colors(mesh, table[mesh.face_material])
    mean = _average(values, parts, areas)
    chosen = np.array([*(_is_chosen(s) for s in surfaces), False])[mesh.face_material] | _has_vertex_colors(mesh)
    gloss = np.array([[m.metallic, m.roughness] for m in mesh.materials] + [[0.0, 1.0]])[mesh.face_material]
    glossed = np.any(gloss != (0.0, 1.0)) and len(np.unique(gloss, axis=0)) > 1
    color = compose_color(mean[:, :3], mean[:, 3], mean[:, 4], mean[:, 5])
    colored = _average(chosen[:, None].astype(np.float64), parts, areas)[:, 0] > 0.5
    return PartLooks(color, colored, _average(gloss, parts, areas), np.full(parts.count, glossed))


def compose_color(rgb: Array, clear: Array, textured: Array, spread: Array) -> Array:
    """COLOR_FEATURES from an sRGB colour [n, 3], transparency, share with a texture and spread, [n] each."""
    value, least = rgb.max(axis=1), rgb.min(axis=1)
    saturation = (value - least) / np.maximum(value, 1e-6)
    red, green, blue = rgb.T
    angle = np.arctan2(np.sqrt(3.0) * (green - blue), 2.0 * red - green - blue)
    hue = saturation[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.column_stack([rgb, hue, saturation, value, clear, textured, spread])


def observe_surface(material: Material) -> SurfaceColor:
    """What a material looks like on the whole."""
    tint = np.array(material.base_color[:3])
    opacity = material.base_color[3] if material.alpha_mode != "OPAQUE" else 1.0
    use = material.textures.get("base_color")
    pixels = None if use is None else shrink_image(use.texture.image)
    if pixels is None:
        return SurfaceColor(to_srgb(tint), opacity, 0.0, False)
    seen = to_srgb(to_linear(pixels[..., :3].reshape(-1, 3)) * tint)
    return SurfaceColor(seen.mean(axis=0), opacity, float(seen.std(axis=0).mean()), True)


def shrink_image(image: bytes) -> Array | None:
    """An encoded image reduced to a few pixels, RGBA in 0 to 1, [h, w, 4]; None where it cannot be read."""
    from PIL import Image

    try:
        picture = Image.open(io.BytesIO(image))
        picture.draft("RGB", (THUMBNAIL_SIDE, THUMBNAIL_SIDE))
        picture.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
        return np.asarray(picture.convert("RGBA"), dtype=np.float64) / 255.0
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None  # as the renderer: a surface whose image cannot be read shows its tint


def to_srgb(linear: Array) -> Array:
    """Linear light as the eye's scale, both 0 to 1."""
    linear = np.clip(linear, 0.0, 1.0)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def to_linear(srgb: Array) -> Array:
    """The inverse of `to_srgb`."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def _is_chosen(surface: SurfaceColor) -> bool:
    """Whether a surface is more than what a program writes by itself: black, white or a middle grey."""
    return surface.textured or surface.opacity < 1.0 or not any(np.all(surface.mean == x) for x in PLAIN_COLORS)


def _has_vertex_colors(mesh: Mesh) -> bool:
    return "color" in mesh.attributes


def _apply_vertex_colors(mesh: Mesh, values: Array) -> Array:
    """The surfaces' values [m, 6] with the colours of the vertices multiplied in."""
    if not _has_vertex_colors(mesh):
        return values
    color = np.asarray(mesh.attributes["color"], dtype=np.float64)[mesh.faces].mean(axis=1)
    painted = to_srgb(to_linear(values[:, :3]) * color[:, :3])
    return np.column_stack([painted, values[:, 3:]])


def _average(values: Array, parts: Parts, areas: Array) -> Array:
    """The mean of each part, [p, d], of values of faces [m, d] by area."""
    weight = np.bincount(parts.face, areas, parts.count)
    sums = [np.bincount(parts.face, areas * column, parts.count) for column in values.T]
    return np.stack(sums, axis=1) / weight[:, None]
