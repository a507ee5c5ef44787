"""Contact sheets of a store: some of its objects, each at rest and in the state farthest from it."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neurok.data.sample import MotionSample
from neurok.data.store import Store
from neurok.geometry.motion import Motion

THUMBNAIL_SIDE = 200  # pixels
COLUMN_COUNT = 8  # thumbnails in a row; an object takes two
OBJECT_COUNT = 24


def render_sheet(store: Store, *, source: str | None = None, count: int = OBJECT_COUNT) -> NDArray[np.uint8]:
    """Objects picked evenly from the store (or one source of it), [h, w, 3]."""
    from neurok.files.captions import tile_pictures
    from neurok.files.pictures import frame_camera
    from neurok.files.renderer import Renderer

    names = [n for n, entry in store.entries.items() if source is None or entry["source"] == source]
    picked = [names[i] for i in np.unique(np.linspace(0, len(names) - 1, min(count, len(names))).astype(int))]
    pictures = []
    with Renderer(THUMBNAIL_SIDE, THUMBNAIL_SIDE) as renderer:
        for name in picked:
            sample = store.read(name)
            mesh = sample.mesh()
            shapes = np.stack([mesh.vertices, sample.frame(find_farthest_state(sample))])
            camera = frame_camera(Motion(mesh, np.arange(2.0), positions=shapes), (THUMBNAIL_SIDE, THUMBNAIL_SIDE))
            pictures += [renderer.picture(mesh, shape, camera=camera) for shape in shapes]
    return tile_pictures(pictures, COLUMN_COUNT)


def find_farthest_state(sample: MotionSample) -> int:
    """The state in which the vertices are farthest from rest (RMS)."""
    apart = [float(((sample.frame(i) - sample.vertices) ** 2).sum()) for i in range(sample.state_count)]
    return int(np.argmax(apart))


def write_sheet(store: Store, path: Path, *, source: str | None = None) -> None:
    """The sheet as a PNG file."""
    from PIL import Image

    Image.fromarray(render_sheet(store, source=source)).save(path, format="PNG")
