"""PNG and MP4: a picture of a mesh, a film strip or a film of a motion."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neurok.errors import OutputError
from neurok.files.camera import Camera, CameraView
from neurok.files.destination import TEMPORARY_PREFIX
from neurok.files.renderer import Renderer
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion

PICTURE_SIZE = (1200, 900)  # pixels of a mesh's picture
FILM_SIZE = (960, 720)  # even, as H.264 with 4:2:0 colours demands
STRIP_SIZE = (400, 400)  # of one frame in a strip
STRIP_FRAME_COUNT = 6
MIN_FRAME_RATE, MAX_FRAME_RATE = 10.0, 60.0  # frames per second of a film
DEFAULT_FRAME_RATE = 30.0  # where the motion itself is outside of these


def write(thing: Mesh | Motion | Sequence[Motion], folder: Path, name: str) -> None:
    """Write a PNG of a mesh, or a PNG strip or an MP4 film of one motion or of several, one after another."""
    if isinstance(thing, Mesh):
        return _write_picture(render_mesh(thing), folder / name)
    motions = [thing] if isinstance(thing, Motion) else list(thing)
    if name.lower().endswith(".mp4"):
        _write_film(motions, folder / name)
    else:
        _write_picture(np.concatenate([render_film_strip(motion) for motion in motions]), folder / name)


def render_mesh(mesh: Mesh, view: CameraView | None = None, size: tuple[int, int] = PICTURE_SIZE) -> NDArray[np.uint8]:
    """One picture, [h, w, 3]."""
    with Renderer(*size) as renderer:
        return renderer.picture(mesh, view=view)


def frame_camera(motion: Motion, size: tuple[int, int], view: CameraView | None = None) -> Camera:
    """One camera for all frames of a motion."""
    frames = (motion.frame(index) for index in range(motion.frame_count))
    return Camera.framing(frames, motion.mesh.up, size[0] / size[1], view)


def render_film_strip(
    motion: Motion, view: CameraView | None = None, count: int = STRIP_FRAME_COUNT, size: tuple[int, int] = STRIP_SIZE
) -> NDArray[np.uint8]:
    """Frames at even times from first to last in a row, with the seconds below, [h, w, 3]."""
    camera = frame_camera(motion, size, view)
    wanted = np.linspace(motion.time[0], motion.time[-1], min(count, motion.frame_count))
    indices = np.unique(np.abs(motion.time[None] - wanted[:, None]).argmin(axis=1)).tolist()
    with Renderer(*size) as renderer:
        pictures = [renderer.picture(motion.mesh, motion.frame(i), camera=camera) for i in indices]
    captions = [f"{motion.time[i] - motion.time[0]:.2f} s" for i in indices]
    return np.concatenate([caption_picture(p, c) for p, c in zip(pictures, captions)], axis=1)


def render_film_sheet(motions: Mapping[str, Motion], size: tuple[int, int] = STRIP_SIZE) -> NDArray[np.uint8]:
    """A film strip for each motion, one below the other, each under its name, [h, w, 3]."""
    rows = []
    for name, motion in motions.items():
        strip = render_film_strip(motion, size=size)
        rows.append(np.concatenate([_draw_caption(name, strip.shape[1], max(size[1] // 10, 12)), strip]))
    return np.concatenate(rows)


def render_states_sheet(
    motion: Motion, captions: Sequence[str] = (), size: tuple[int, int] = (300, 300)
) -> NDArray[np.uint8]:
    """The object at rest and then every frame of a motion, seen from one place, in rows; [h, w, 3]."""
    shapes = [motion.mesh.vertices, *(motion.frame(i) for i in range(motion.frame_count))]
    camera = Camera.framing(iter(shapes), motion.mesh.up, size[0] / size[1], None)
    with Renderer(*size) as renderer:
        pictures = [renderer.picture(motion.mesh, shape, camera=camera) for shape in shapes]
    words = ["rest", *(captions or (str(i + 1) for i in range(motion.frame_count)))]
    return tile_pictures([caption_picture(p, c) for p, c in zip(pictures, words)], min(len(pictures), 5))


def tile_pictures(pictures: Sequence[NDArray[np.uint8]], columns: int) -> NDArray[np.uint8]:
    """Pictures of one size [h, w, 3] in rows of so many; the last row is filled up with white."""
    blank = [np.full_like(pictures[0], 255)] * (-len(pictures) % columns)
    tiles = [*pictures, *blank]
    return np.concatenate([np.concatenate(tiles[i : i + columns], axis=1) for i in range(0, len(tiles), columns)])


def caption_picture(picture: NDArray[np.uint8], caption: str) -> NDArray[np.uint8]:
    """A picture with a line of text below it."""
    height, width = picture.shape[:2]
    return np.concatenate([picture, _draw_caption(caption, width, max(height // 12, 12))])


def _draw_caption(caption: str, width: int, strip: int) -> NDArray[np.uint8]:
    """A line of text on a strip so many pixels high, [strip, width, 3]."""
    from PIL import Image, ImageDraw, ImageFont

    label = Image.new("RGB", (width, strip), (250, 250, 251))
    font = ImageFont.load_default(size=0.6 * strip)
    ImageDraw.Draw(label).text((width / 2, strip / 2), caption, fill=(70, 76, 88), font=font, anchor="mm")
    return np.asarray(label)


def save_picture(pixels: NDArray[np.uint8], path: Path) -> Path:
    """Write a picture [h, w, 3] as PNG, under a temporary name that is renamed when all is there."""
    import tempfile

    try:
        with tempfile.TemporaryDirectory(prefix=TEMPORARY_PREFIX, dir=path.parent) as folder:
            _write_picture(pixels, Path(folder) / path.name)
            (Path(folder) / path.name).replace(path)
    except OSError as fault:
        raise OutputError(f"{path} cannot be written ({fault.strerror or fault})", "choose another place") from fault
    return path


def _write_picture(pixels: NDArray[np.uint8], path: Path) -> None:
    from PIL import Image

    Image.fromarray(pixels).save(path, "PNG", optimize=False)


def choose_film_times(motion: Motion) -> tuple[Array, float]:
    """When the frames of a film are taken [s], [k], and how many are shown per second.

    The motion's own times where they are even and between MIN_FRAME_RATE and MAX_FRAME_RATE,
    else as many as make a film of the same duration.
    """
    if motion.frame_count < 2:
        return motion.time, DEFAULT_FRAME_RATE
    steps = np.diff(motion.time)
    rate = (motion.frame_count - 1) / motion.duration
    even = np.ptp(steps) <= 1e-3 * steps.mean()
    if even and MIN_FRAME_RATE * (1 - 1e-6) <= rate <= MAX_FRAME_RATE * (1 + 1e-6):
        return motion.time, float(rate)
    rate = MAX_FRAME_RATE if rate > MAX_FRAME_RATE else DEFAULT_FRAME_RATE
    count = max(int(round(motion.duration * rate)), 1) + 1
    return np.linspace(motion.time[0], motion.time[-1], count), rate


def _interpolate_shape(motion: Motion, time: float) -> Array:
    """Vertices between the two frames around a time, [n, 3]."""
    after = int(np.clip(np.searchsorted(motion.time, time), 0, motion.frame_count - 1))
    if after == 0 or motion.time[after] <= time:
        return motion.frame(after)
    before = after - 1
    share = (time - motion.time[before]) / (motion.time[after] - motion.time[before])
    return motion.frame(after) if share > 1 - 1e-9 else (1 - share) * motion.frame(before) + share * motion.frame(after)


def _render_frames(
    motion: Motion, times: Array, renderer: Renderer, view: CameraView | None
) -> Iterator[NDArray[np.uint8]]:
    camera = frame_camera(motion, (renderer.width, renderer.height), view)
    for time in times:
        yield renderer.picture(motion.mesh, _interpolate_shape(motion, float(time)), camera=camera)


def _write_film(motions: list[Motion], path: Path, size: tuple[int, int] = FILM_SIZE) -> None:
    """H.264 in MP4; 4:2:0 colours and the index in front, so that every browser plays it."""
    import imageio_ffmpeg

    _, rate = choose_film_times(motions[0])
    options = ["-crf", "18", "-preset", "veryfast", "-movflags", "+faststart"]
    try:
        # fatal: of the half a frame that it got before it was stopped, the encoder would complain as of an error.
        writer = imageio_ffmpeg.write_frames(
            str(path), size, fps=rate, codec="libx264", pix_fmt_out="yuv420p", macro_block_size=2,
            output_params=options, ffmpeg_log_level="fatal", quality=None,
        )  # fmt: skip
        with closing(writer), Renderer(*size) as renderer:  # also when stopped: the encoder ends before its folder goes
            writer.send(None)
            count = 0
            for motion in motions:
                for picture in _render_frames(motion, choose_film_times(motion)[0], renderer, None):
                    writer.send(np.ascontiguousarray(picture))
                    count += 1
    except (OSError, RuntimeError) as fault:
        raise OutputError(
            f"the film cannot be written ({str(fault).splitlines()[0]})", "choose another place"
        ) from fault
    _check_film(path, count)


def _check_film(path: Path, count: int) -> None:
    """Refuse a film that does not hold all its frames: where the disk is full, the encoder ends without a complaint."""
    from imageio_ffmpeg import count_frames_and_secs

    try:
        found, _ = count_frames_and_secs(str(path))
    except RuntimeError:  # not a film at all
        found = 0
    if found != count:
        problem = f"the film was cut off while it was written ({found} of {count} frames can be read)"
        raise OutputError(problem, "make room on the disk, or choose another place")
