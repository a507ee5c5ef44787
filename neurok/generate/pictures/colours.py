"""Colours of a picture: their names, and materials of the palette that look like them.

How likely a family f of the palette is for a colour: it holds boxes of hue, saturation and value, each as likely, so

    p(h, s, v | f) = mean over its boxes of prod_i exp(-(d_i / SLACK_i)^2 / 2) / w_i

with the distances d_i to a box from outside, 0 inside, and its sides w_i, widened by SLACK_i on both ends.
"""

import colorsys
from collections.abc import Sequence

import numpy as np

from neurok.data.procedural.palette import FAMILIES
from neurok.generate.looks import COLOURS, RGB, linearise
from neurok.generate.pictures.reading import Subject
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material

SLACKS = (0.04, 0.12, 0.15)  # of hue [turns], saturation and value, that the light of a picture may change; set by hand
GREY_SATURATION = 0.15  # below which a hue says nothing
MAIN_SHARE = 0.15  # of an object's area that a main colour covers


def name_colour(shade: Array) -> str:
    """The named colour that is nearest to an sRGB colour [0 to 1], [3], in lightness and chroma."""
    names = list(COLOURS)
    known = _spread(np.array([COLOURS[name] for name in names]))
    return names[int(np.argmin(np.linalg.norm(known - _spread(shade[None]), axis=1)))]


def _spread(shades: Array) -> Array:
    """CIE L*a*b* of sRGB colours, [n, 3] each."""
    M = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = decode_light(shades) @ M.T / (0.9505, 1.0, 1.089)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16.0 / 116.0)
    return np.stack([116.0 * f[:, 1] - 16.0, 500.0 * (f[:, 0] - f[:, 1]), 200.0 * (f[:, 1] - f[:, 2])], axis=1)


def decode_light(shades: Array) -> Array:
    """sRGB [0 to 1] to linear light, by IEC 61966-2-1."""
    linear: Array = np.where(shades <= 0.04045, shades / 12.92, ((shades + 0.055) / 1.055) ** 2.4)
    return linear


def code_light(linear: Array) -> Array:
    """Linear light to sRGB [0 to 1], by IEC 61966-2-1."""
    shades: Array = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1.0 / 2.4) - 0.055)
    return shades


def list_main_colours(subject: Subject) -> list[str]:
    """The names of the colours that cover most of an object, at most three."""
    shades = subject.pixels[subject.mask][:: max(int(subject.mask.sum()) // 2000, 1)] / 255.0
    names = [name_colour(shade) for shade in shades]
    shares = sorted(((names.count(name) / len(names), name) for name in dict.fromkeys(names)), reverse=True)
    return [name for share, name in shares[:3] if share >= MAIN_SHARE] or [shares[0][1]]


def guess_family(shade: RGB, families: Sequence[str]) -> str:
    """The likeliest of some families for a colour [sRGB, 0 to 1]."""
    return max(families, key=lambda family: _rate_family(shade, family))


def _rate_family(shade: RGB, family: str) -> float:
    hue, saturation, value = colorsys.rgb_to_hsv(*shade)
    rates = []
    for hues, saturations, values, _, _ in FAMILIES[family]:
        rate = 1.0
        sides = zip((hue, saturation, value), (hues, saturations, values), SLACKS)
        for axis, (x, (low, high), slack) in enumerate(sides):
            outside = max(low - x, x - high, 0.0)
            if axis == 0:  # the hue goes round, and greys have none
                outside = min(max(low - x - turn, x + turn - high, 0.0) for turn in (-1.0, 0.0, 1.0))
                if saturation < GREY_SATURATION:
                    outside, low, high = 0.0, 0.0, 1.0
            rate *= float(np.exp(-0.5 * (outside / slack) ** 2)) / (high - low + 2.0 * slack)
        rates.append(rate)
    return float(np.mean(rates))


def make_material(family: str, shade: RGB) -> Material:
    """A material of a family in a colour [sRGB, 0 to 1]."""
    _, _, _, metallic, roughness = FAMILIES[family][0]
    return Material(family, (*linearise(shade), 1.0), metallic=metallic, roughness=roughness)
