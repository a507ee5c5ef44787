"""PNG and MP4: a picture of a mesh, a film strip or a film of a motion."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neurok.errors import OutputError
from neurok.files.camera import Camera, CameraView
from neurok.files.captions import caption_picture, draw_caption, tile_pictures
from neurok.files.destination import TEMPORARY_PREFIX
from neurok.files.facing_view import face_front
from neurok.files.film import choose_film_times, write_film
from neurok.files.motion_pictures import MotionPictures
from neurok.files.renderer import Renderer
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion
from neurok.geometry.moving_parts import JointedPart, list_moving_parts

PICTURE_SIZE = (1200, 900)  # pixels of a mesh's picture
FILM_SIZE = (960, 720)  # even, as H.264 with 4:2:0 colours demands
STRIP_SIZE = (400, 400)  # of one frame in a strip
STRIP_FRAME_COUNT = 6
STILL_FINENESS = 2  # of pictures and strips; a film has its edges in motion and more frames to draw


def write(thing: Mesh | Motion | Sequence[Motion], folder: Path, name: str) -> None:
    """Write a PNG of a mesh, or a PNG strip or an MP4 film of one motion or of several, one after another."""
    if isinstance(thing, Mesh):
        return write_picture(render_mesh(thing), folder / name)
    motions = [thing] if isinstance(thing, Motion) else list(thing)
    view = face_front(motions[0].mesh, list_moving_parts(motions[0]))
    if name.lower().endswith(".mp4"):
        _write_film(motions, folder / name, view)
    else:
        write_picture(np.concatenate([render_film_strip(motion, view) for motion in motions]), folder / name)


def render_mesh(mesh: Mesh, view: CameraView | None = None, size: tuple[int, int] = PICTURE_SIZE) -> NDArray[np.uint8]:
    """One picture, [h, w, 3]."""
    with Renderer(*size, fineness=STILL_FINENESS) as renderer:
        return renderer.picture(mesh, view=view)


def frame_camera(motion: Motion, size: tuple[int, int], view: CameraView | None = None) -> Camera:
    """One camera for all frames of a motion."""
    frames = (motion.frame(index) for index in range(motion.frame_count))
    return Camera.framing(frames, motion.mesh.up, size[0] / size[1], view)


def render_film_strip(
    motion: Motion, view: CameraView | None = None, count: int = STRIP_FRAME_COUNT, size: tuple[int, int] = STRIP_SIZE,
    *, parts: Sequence[JointedPart] = (),
) -> NDArray[np.uint8]:  # fmt: skip
    """Frames at even times from first to last in a row, with the seconds below, [h, w, 3].

    parts: to be tinted, with their axes and a ghost of where they are at rest.
    """
    camera = frame_camera(motion, size, view)
    wanted = np.linspace(motion.time[0], motion.time[-1], min(count, motion.frame_count))
    indices = np.unique(np.abs(motion.time[None] - wanted[:, None]).argmin(axis=1)).tolist()
    with Renderer(*size, fineness=STILL_FINENESS) as renderer:
        shown = MotionPictures(motion, parts)
        pictures = [shown.picture(renderer, i, camera) for i in indices]
    captions = [f"{motion.time[i] - motion.time[0]:.2f} s" for i in indices]
    return np.concatenate([caption_picture(p, c) for p, c in zip(pictures, captions)], axis=1)


def render_film_sheet(motions: Mapping[str, Motion], size: tuple[int, int] = STRIP_SIZE) -> NDArray[np.uint8]:
    """A film strip for each motion, one below the other, each under its name, [h, w, 3]."""
    rows = []
    for name, motion in motions.items():
        strip = render_film_strip(motion, size=size)
        rows.append(np.concatenate([draw_caption(name, strip.shape[1], max(size[1] // 10, 12)), strip]))
    return np.concatenate(rows)


def render_states_sheet(
    motion: Motion, captions: Sequence[str] = (), size: tuple[int, int] = (300, 300)
) -> NDArray[np.uint8]:
    """The object at rest and then every frame of a motion, seen from one place, in rows; [h, w, 3]."""
    shapes = [motion.mesh.vertices, *(motion.frame(i) for i in range(motion.frame_count))]
    camera = Camera.framing(iter(shapes), motion.mesh.up, size[0] / size[1], None)
    with Renderer(*size, fineness=STILL_FINENESS) as renderer:
        pictures = [renderer.picture(motion.mesh, shape, camera=camera) for shape in shapes]
    words = ["rest", *(captions or (str(i + 1) for i in range(motion.frame_count)))]
    return tile_pictures([caption_picture(p, c) for p, c in zip(pictures, words)], min(len(pictures), 5))


def save_picture(pixels: NDArray[np.uint8], path: Path) -> Path:
    """Write a picture [h, w, 3] as PNG, under a temporary name that is renamed when all is there."""
    import tempfile

    try:
        with tempfile.TemporaryDirectory(prefix=TEMPORARY_PREFIX, dir=path.parent) as folder:
            write_picture(pixels, Path(folder) / path.name)
            (Path(folder) / path.name).replace(path)
    except OSError as fault:
        raise OutputError(f"{path} cannot be written ({fault.strerror or fault})", "choose another place") from fault
    return path


def write_picture(pixels: NDArray[np.uint8], path: Path) -> None:
    from PIL import Image

    Image.fromarray(pixels).save(path, "PNG", optimize=False)


def interpolate_shape(motion: Motion, time: float) -> Array:
    """Vertices between the two frames around a time, [n, 3]."""
    after = int(np.clip(np.searchsorted(motion.time, time), 0, motion.frame_count - 1))
    if after == 0 or motion.time[after] <= time:
        return motion.frame(after)
    before = after - 1
    share = (time - motion.time[before]) / (motion.time[after] - motion.time[before])
    return motion.frame(after) if share > 1 - 1e-9 else (1 - share) * motion.frame(before) + share * motion.frame(after)


def _render_frames(motions: Sequence[Motion], renderer: Renderer, view: CameraView) -> Iterator[NDArray[np.uint8]]:
    for motion in motions:
        camera = frame_camera(motion, (renderer.width, renderer.height), view)
        for time in choose_film_times(motion)[0]:
            yield renderer.picture(motion.mesh, interpolate_shape(motion, float(time)), camera=camera)


def _write_film(motions: list[Motion], path: Path, view: CameraView, size: tuple[int, int] = FILM_SIZE) -> None:
    with Renderer(*size) as renderer:
        write_film(_render_frames(motions, renderer, view), path, size, choose_film_times(motions[0])[1])
