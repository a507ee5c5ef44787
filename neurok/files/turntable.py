"""Turntables: an object that turns once about its upward axis, as it stands or while its motion plays."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neurok.errors import OutputError
from neurok.files.camera import Camera, CameraView
from neurok.files.film import write_film
from neurok.files.pictures import interpolate_shape, write_picture
from neurok.files.renderer import Renderer
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion

TURN_SECONDS = 4.0  # of one turn of an object that stands still
FRAME_RATES = {".mp4": 30.0, ".gif": 20.0}  # per second; a GIF counts in hundredths of a second
MAX_TURN_FRAMES = 3600  # of one film: two minutes; a GIF holds them all in memory
RING_POINTS = 48  # of a turn, at which the outline of what turns is framed
SLICES = 64  # of its height
SUFFIXES = (".mp4", ".gif", ".png")
GIF_COLORS = 128
PALETTE_VIEWS = 6  # pictures of a turn, of which the colours are taken


def render_turn(
    thing: Mesh | Motion, count: int, size: tuple[int, int], view: CameraView | None = None, *, fineness: int = 1
) -> Iterator[NDArray[np.uint8]]:
    """Pictures [h, w, 3] of one turn, the last from where the first was taken; a motion plays meanwhile."""
    mesh = thing.mesh if isinstance(thing, Motion) else thing
    camera = frame_turn(thing, size, view)
    shares = np.linspace(0.0, 1.0, max(count, 2))
    with Renderer(*size, fineness=fineness) as renderer:
        for share in shares:
            shape = mesh.vertices if isinstance(thing, Mesh) else interpolate_shape(thing, _time_at(thing, share))
            # Whole turns are none: the last picture is the first to the bit.
            yield renderer.picture(mesh, shape, camera=camera.turned(-2.0 * np.pi * (share % 1.0)))


def count_frames(thing: Mesh | Motion, suffix: str) -> tuple[int, float]:
    """How many pictures a film of one turn has, and how many are shown per second."""
    seconds = max(thing.duration, 1.0) if isinstance(thing, Motion) else TURN_SECONDS
    return round(seconds * FRAME_RATES[suffix]) + 1, FRAME_RATES[suffix]


def frame_turn(thing: Mesh | Motion, size: tuple[int, int], view: CameraView | None = None) -> Camera:
    """The nearest camera that sees everything from all sides within its margins."""
    mesh = thing.mesh if isinstance(thing, Motion) else thing
    count = thing.frame_count if isinstance(thing, Motion) else 1

    def shapes() -> Iterator[Array]:
        for index in range(count):
            shape = thing.frame(index) if isinstance(thing, Motion) else mesh.vertices
            yield shape[mesh.used_vertices] if mesh.face_count else shape

    lower = np.min([shape.min(axis=0) for shape in shapes()], axis=0)
    upper = np.max([shape.max(axis=0) for shape in shapes()], axis=0)
    outlines = (_outline(shape, 0.5 * (lower + upper), mesh.up_axis) for shape in shapes())
    return Camera.framing(outlines, mesh.up, size[0] / size[1], view)


def write_turn(
    thing: Mesh | Motion, path: Path, size: tuple[int, int], view: CameraView | None = None, *, count: int = 6
) -> None:
    """One turn as MP4, as GIF, or as a PNG strip of so many pictures; the suffix says which."""
    suffix = path.suffix.lower()
    if suffix == ".png":
        return write_picture(np.concatenate(list(render_turn(thing, count, size, view, fineness=2)), axis=1), path)
    frames, rate = count_frames(thing, suffix)
    if frames > MAX_TURN_FRAMES:
        raise OutputError(f"{path.name} would have {frames} pictures", f"give a motion of at most {MAX_TURN_FRAMES}")
    pictures = render_turn(thing, frames, size, view)
    if suffix == ".mp4":
        return write_film(pictures, path, size, rate)
    return _write_gif(pictures, path, rate)


def _write_gif(pictures: Iterable[NDArray[np.uint8]], path: Path, rate: float) -> None:
    """Pictures as a GIF that plays for ever, all in the same colours, without the last, which is the first again."""
    from PIL import Image

    images = [Image.fromarray(picture) for picture in pictures][:-1]
    some = np.concatenate([np.asarray(image) for image in images[:: -(-len(images) // PALETTE_VIEWS)]])
    palette = Image.fromarray(some).quantize(GIF_COLORS, method=Image.Quantize.MEDIANCUT)
    frames = [image.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG) for image in images]
    frames[0].save(path, "GIF", save_all=True, append_images=frames[1:], duration=round(1000 / rate), loop=0)


def _outline(points: Array, middle: Array, vertical: Array) -> Array:
    """Points around all that some points [n, 3] pass as they turn about the vertical through the middle, [k, 3]."""
    away = points - middle
    height = away @ vertical
    radius = np.linalg.norm(away - height[:, None] * vertical, axis=1)
    slices = np.minimum((SLICES * (height - height.min()) / (np.ptp(height) or 1.0)).astype(int), SLICES - 1)
    widest, lowest, highest = np.zeros(SLICES), np.full(SLICES, np.inf), np.full(SLICES, -np.inf)
    np.maximum.at(widest, slices, radius)
    np.minimum.at(lowest, slices, height)
    np.maximum.at(highest, slices, height)
    there = np.isfinite(lowest)
    u = np.roll(vertical, 1)
    angle = np.linspace(0.0, 2.0 * np.pi, RING_POINTS, endpoint=False)[:, None]
    ring = np.cos(angle) * u + np.sin(angle) * np.cross(vertical, u)
    r = np.tile(widest[there], 2)[:, None, None] / np.cos(np.pi / RING_POINTS)
    found: Array = middle + r * ring + np.concatenate([lowest[there], highest[there]])[:, None, None] * vertical
    return found.reshape(-1, 3)


def _time_at(motion: Motion, share: float) -> float:
    return float(motion.time[0] + share * motion.duration)
