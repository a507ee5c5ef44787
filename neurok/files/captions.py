"""Captions below pictures, and pictures in rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def tile_pictures(pictures: Sequence[NDArray[np.uint8]], columns: int) -> NDArray[np.uint8]:
    """Pictures of one size [h, w, 3] in rows of so many; the last row is filled up with white."""
    blank = [np.full_like(pictures[0], 255)] * (-len(pictures) % columns)
    tiles = [*pictures, *blank]
    return np.concatenate([np.concatenate(tiles[i : i + columns], axis=1) for i in range(0, len(tiles), columns)])


def caption_picture(picture: NDArray[np.uint8], caption: str) -> NDArray[np.uint8]:
    """A picture with a line of text below it."""
    height, width = picture.shape[:2]
    return np.concatenate([picture, draw_caption(caption, width, max(height // 12, 12))])


def draw_caption(caption: str, width: int, strip: int) -> NDArray[np.uint8]:
    """A line of text on a strip so many pixels high, [strip, width, 3]."""
    from PIL import Image, ImageDraw, ImageFont

    label = Image.new("RGB", (width, strip), (250, 250, 251))
    font = ImageFont.load_default(size=0.6 * strip)
    ImageDraw.Draw(label).text((width / 2, strip / 2), caption, fill=(70, 76, 88), font=font, anchor="mm")
    return np.asarray(label)
