"""Plain plots as pictures: a few curves over time, or groups of bars, with axes, ticks and names."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.arrays import Array

SIZE = (960, 540)
MARGINS = (90, 30, 48, 56)  # left, right, top, bottom [pixels]
COLOURS = ((205, 92, 60), (62, 110, 176), (60, 64, 72), (90, 150, 90), (150, 90, 150), (200, 160, 60),
           (80, 170, 180), (170, 120, 90), (140, 140, 150), (220, 130, 160))  # fmt: skip
GREY, INK, PAPER = (226, 228, 232), (70, 76, 88), (255, 255, 255)
TICK_COUNT = 5


def draw_line_plot(x: Array, curves: Mapping[str, Array], *, across: str, up: str) -> NDArray[np.uint8]:
    """Curves [t] over x [t], [h, w, 3]; across, up: what the axes show."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", (2 * SIZE[0], 2 * SIZE[1]), PAPER)  # drawn large and halved: smooth lines
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(size=26)
    left, right, top, bottom = (2 * m for m in MARGINS)
    box = (left, top, 2 * SIZE[0] - right, 2 * SIZE[1] - bottom)
    x_ticks, y_ticks = place_ticks(float(x[0]), float(x[-1])), place_ticks(*_find_range(curves))
    low, high = (min(y_ticks[0], _find_range(curves)[0]), max(y_ticks[-1], _find_range(curves)[1]))

    def place(a: Array, b: Array) -> Array:
        u = box[0] + (np.asarray(a) - x[0]) / max(float(x[-1] - x[0]), 1e-300) * (box[2] - box[0])
        v = box[3] - (np.asarray(b) - low) / max(high - low, 1e-300) * (box[3] - box[1])
        return np.stack(np.broadcast_arrays(u, v), axis=-1)

    for tick in y_ticks:
        (_, v) = place(x[0], tick)
        draw.line([(box[0], v), (box[2], v)], fill=GREY, width=2)
        draw.text((box[0] - 14, v), f"{tick:g}", fill=INK, font=font, anchor="rm")
    for tick in x_ticks:
        (u, _) = place(tick, low)
        draw.line([(u, box[3]), (u, box[3] + 10)], fill=INK, width=2)
        draw.text((u, box[3] + 18), f"{tick:g}", fill=INK, font=font, anchor="ma")
    draw.line([(box[0], box[1]), (box[0], box[3]), (box[2], box[3])], fill=INK, width=3)
    draw.text(((box[0] + box[2]) / 2, 2 * SIZE[1] - 12), across, fill=INK, font=font, anchor="ms")
    draw.text((box[0], box[1] - 24), up, fill=INK, font=font, anchor="ls")
    for index, (name, values) in enumerate(curves.items()):
        colour = COLOURS[index % len(COLOURS)]
        draw.line([tuple(p) for p in place(x, values)], fill=colour, width=5, joint="curve")
        draw.text((box[2] - 180 * (len(curves) - 1 - index), box[1] - 24), name, fill=colour, font=font, anchor="rs")
    return np.asarray(picture.resize(SIZE, Image.Resampling.LANCZOS))


def _find_range(curves: Mapping[str, Array]) -> tuple[float, float]:
    values = np.concatenate([np.asarray(v, dtype=np.float64).ravel() for v in curves.values()])
    values = values[np.isfinite(values)]
    return (min(float(values.min()), 0.0), max(float(values.max()), 0.0)) if len(values) else (0.0, 1.0)


def place_ticks(low: float, high: float) -> Array:
    """Round numbers from low to high, about five of them."""
    if not high > low:
        high = low + 1.0
    rough = (high - low) / TICK_COUNT
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * min((s for s in (1.0, 2.0, 5.0, 10.0) if s * power >= rough), default=10.0)
    return step * np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) + 0.0  # no -0


def draw_bar_plot(bars: Mapping[str, Mapping[str, tuple[float, float, float]]], *, up: str) -> NDArray[np.uint8]:
    """Groups of bars, each (value, low, high) with its interval as a line; what is below -1 is cut there, [h, w, 3]."""
    from PIL import Image, ImageDraw, ImageFont

    names = list(dict.fromkeys(name for group in bars.values() for name in group))
    height = SIZE[1] + 24 * ((len(names) + 3) // 4)
    picture = Image.new("RGB", (2 * SIZE[0], 2 * height), PAPER)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(size=24)
    left, right, top, _ = (2 * m for m in MARGINS)
    floor, roof = -1.0, 1.0
    low = max(min([0.0, *(b[1] for g in bars.values() for b in g.values())]), floor)
    bottom, wide = 2 * SIZE[1] - 90, 2 * SIZE[0] - left - right

    def level(value: float) -> float:
        return bottom - (min(max(value, low), roof) - low) / (roof - low) * (bottom - top)

    for tick in place_ticks(low, roof):
        draw.line([(left, level(tick)), (left + wide, level(tick))], fill=GREY if tick else INK, width=2)
        draw.text((left - 14, level(tick)), f"{tick:g}", fill=INK, font=font, anchor="rm")
    draw.text((left, top - 24), up, fill=INK, font=font, anchor="ls")
    slot = wide / max(len(bars), 1)
    for place, (title, group) in enumerate(bars.items()):
        width = 0.84 * slot / max(len(names), 1)
        for name, (value, least, most) in group.items():
            index = names.index(name)
            x = left + place * slot + 0.08 * slot + index * width
            zero, end = sorted((level(0.0), level(value)))
            draw.rectangle([x, zero, x + 0.86 * width, max(end, zero + 2)], fill=COLOURS[index % len(COLOURS)])
            middle, ends = x + 0.43 * width, (level(least), level(most))
            for colour, wide_line in ((PAPER, 9), (INK, 3)):  # seen on dark bars too
                draw.line([(middle, ends[0]), (middle, ends[1])], fill=colour, width=wide_line)
                for end in ends:
                    draw.line([(middle - 0.1 * width, end), (middle + 0.1 * width, end)], fill=colour, width=wide_line)
        draw.text((left + (place + 0.5) * slot, bottom + 34), title, fill=INK, font=font, anchor="ma")
    for index, name in enumerate(names):
        at = (left + (index % 4) * wide / 4, 2 * SIZE[1] - 10 + 48 * (index // 4))
        draw.rectangle([*at, at[0] + 24, at[1] + 24], fill=COLOURS[index % len(COLOURS)])
        draw.text((at[0] + 34, at[1] + 12), name, fill=INK, font=font, anchor="lm")
    return np.asarray(picture.resize((SIZE[0], height), Image.Resampling.LANCZOS))
