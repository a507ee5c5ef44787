"""A picture as it is looked at: read, its object told from the background, and framed.

The object is where the alpha says, else where colours differ from those along the border, in the largest such piece.
That is unsure where the border has many colours or the piece fills next to nothing or nearly all: then the whole
picture is taken as it is.
"""

import io
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from neurok.errors import InputError
from neurok.geometry.arrays import Mask

Pixels = NDArray[np.uint8]
FRAME_SIDE = 160  # pixels of a framed picture: the side of the pictures that were learned from
BACKDROP = 200  # grey behind the object in a framed picture
MAX_BYTES = 1 << 26  # of a file: no photograph is larger
MAX_PIXELS = 80_000_000  # of a picture that is decoded
FORMATS = ("PNG", "JPEG", "MPO", "WEBP")  # MPO: what many phones call a JPEG
MIN_SIDE = 16  # pixels
WORK_SIDE = 480  # pixels of the longer side at which the object is looked for
MARGIN = 0.06  # of a framed picture, free on each side
# Set by hand on pictures of our own objects.
MIN_DISTANCE = 24.0  # between colours of the object and the background
BORDER_SPREAD = 30.0  # of the border's colours, above which nothing is sure
AREA_SHARES = (0.01, 0.92)  # of the picture that an object fills
BLANK_SPREAD = 3.0  # standard deviation of colours in a picture without anything


@dataclass(frozen=True)
class Subject:
    """The object of a picture: colours [h, w, 3], where it is [h, w], whether that is sure, and how it was found."""

    pixels: Pixels
    mask: Mask
    sure: bool
    how: str


def read_subject(path: str | Path) -> Subject:
    """The object of a picture file."""
    return find_subject(read_picture(Path(path)))


def read_picture(path: Path) -> Pixels:
    """A picture file, upright and reduced to WORK_SIDE, [h, w, 4]."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path.name} is larger than {MAX_BYTES >> 20} MB", "give a smaller picture")
        data = path.read_bytes()
    except OSError as fault:
        raise InputError(f"{path} cannot be read ({fault.strerror})", "check the path") from None
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                size = f"{opened.width} x {opened.height} pixels"
                raise InputError(f"{path.name} has {size}", f"give a picture of at most {MAX_PIXELS:,} pixels")
            if min(opened.size) < MIN_SIDE or min(opened.size) * WORK_SIDE < MIN_SIDE * max(opened.size):
                size = f"{opened.width} x {opened.height} pixels"
                raise InputError(f"{path.name} has {size}, which is too small or too long and thin",
                                 f"give a picture of at least {MIN_SIDE} x {MIN_SIDE}")  # fmt: skip
            opened.draft("RGB", (2 * WORK_SIDE, 2 * WORK_SIDE))
            upright = ImageOps.exif_transpose(opened)
            if upright.mode.startswith("I;16"):  # 16 bits of grey, of which conversion would keep the lowest 8
                upright = Image.fromarray((np.asarray(upright) >> 8).astype(np.uint8))
            picture = upright.convert("RGBA")
    except Image.DecompressionBombError:
        raise InputError(f"{path.name} has far too many pixels", f"give a picture of at most {MAX_PIXELS:,}") from None
    except InputError:
        raise
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, MemoryError, RuntimeError, LookupError, EOFError,
            struct.error):  # fmt: skip
        raise InputError(f"{path.name} is not a whole picture", "give a PNG, JPEG or WebP file") from None
    picture.thumbnail((WORK_SIDE, WORK_SIDE))
    return np.asarray(picture)


def find_subject(picture: Pixels) -> Subject:
    """The object of a picture [h, w, 4]; an InputError where there is nothing in it."""
    pixels, alpha = np.ascontiguousarray(picture[:, :, :3]), picture[:, :, 3]
    mask = fill_largest(alpha >= 128)
    if alpha.max() >= 128 and mask.mean() <= AREA_SHARES[1]:  # else a few clear pixels, as of rounded corners
        return Subject(pixels, mask, bool(mask.mean() >= AREA_SHARES[0]), "by its alpha")
    if alpha.max() < 128 or float(pixels.reshape(-1, 3).std(axis=0).max()) < BLANK_SPREAD:
        raise InputError("the picture is blank", "give a picture of one thing")
    return _separate(pixels)


def _separate(pixels: Pixels) -> Subject:
    """The object by the colours along the border."""
    colours = ndimage.gaussian_filter(pixels.astype(np.float64), (1.0, 1.0, 0.0))
    border = np.concatenate([colours[0], colours[-1], colours[:, 0], colours[:, -1]])
    middle = np.median(border, axis=0)
    spread = float(np.median(np.linalg.norm(border - middle, axis=1)))
    far = np.linalg.norm(colours - middle, axis=2) > MIN_DISTANCE + 2.0 * spread
    mask = fill_largest(far)
    share = float(mask.mean())
    sure = spread <= BORDER_SPREAD and AREA_SHARES[0] <= share <= AREA_SHARES[1]
    if not sure:
        return Subject(pixels, np.ones(pixels.shape[:2], dtype=bool), False, "not surely: the whole picture was taken")
    return Subject(pixels, mask, True, "by the colour of the border")


def fill_largest(mask: Mask) -> Mask:
    """The pieces of a mask that are not much smaller than its largest, without specks."""
    labels, count = ndimage.label(mask, structure=np.ones((3, 3)))
    if count == 0:
        return mask
    sizes = np.bincount(labels.ravel())[1:]
    kept = 1 + np.flatnonzero(sizes >= 0.03 * sizes.max())
    found: Mask = np.isin(labels, kept)
    return found


def find_square(mask: Mask, margin: float = MARGIN) -> tuple[int, int, int]:
    """Upper row, left column and side of the square around a mask, with its margin; it may reach over the edge."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    height, width = rows[-1] - rows[0] + 1, columns[-1] - columns[0] + 1
    side = max(int(np.ceil(max(height, width) / (1.0 - 2.0 * margin))), 2)
    return (rows[0] + rows[-1] + 1 - side) // 2, (columns[0] + columns[-1] + 1 - side) // 2, side


def frame_subject(subject: Subject) -> tuple[Pixels, Mask]:
    """The object before a grey backdrop, in the middle of a square: [s, s, 3], and where it is, [s, s]."""
    mask = subject.mask
    plain = np.where(mask[:, :, None], subject.pixels, BACKDROP).astype(np.uint8)
    square = find_square(mask)
    return _crop(plain, square, BACKDROP), _crop(mask.astype(np.uint8) * 255, square, 0) >= 128


def _crop(pixels: Pixels, square: tuple[int, int, int], outside: int) -> Pixels:
    """A square of a picture, reduced to FRAME_SIDE, with a value where it reaches over the edge."""
    from PIL import Image

    row, column, side = square
    height, width = pixels.shape[:2]
    canvas = np.full((side, side, *pixels.shape[2:]), outside, dtype=np.uint8)
    top, left = max(row, 0), max(column, 0)
    bottom, right = min(row + side, height), min(column + side, width)
    canvas[top - row : bottom - row, left - column : right - column] = pixels[top:bottom, left:right]
    return np.asarray(Image.fromarray(canvas).resize((FRAME_SIDE, FRAME_SIDE), Image.Resampling.BILINEAR))
