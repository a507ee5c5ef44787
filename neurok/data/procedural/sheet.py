"""A contact sheet: many objects in one picture."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from neurok.data.procedural.procedural import Procedural
from neurok.files.camera import CameraView

SIDE = 240  # pixels of a thumbnail


def opened(thing: Procedural) -> NDArray[np.floating]:
    """A state that shows what moves: every joint three quarters of the way to its further end, [k]."""
    lower, upper = thing.limits
    return 0.75 * np.where(upper >= -lower, upper, lower)


def contact_sheet(
    things: Sequence[Procedural], *, columns: int = 8, side: int = SIDE, states: Sequence[NDArray | None] | None = None,
    labels: bool = False, view: CameraView | None = None,
) -> NDArray[np.uint8]:  # fmt: skip
    """Thumbnails in rows, [h, w, 3]; each object at rest, or in its state [k] where one is given."""
    from neurok.files.pictures import caption_picture, tile_pictures
    from neurok.files.renderer import Renderer

    pictures = []
    with Renderer(side, side) as renderer:
        for i, thing in enumerate(things):
            state = None if states is None else states[i]
            shape = None if state is None else thing.shape(state)
            picture = renderer.picture(thing.mesh, shape, view)
            pictures.append(caption_picture(picture, f"{thing.category} {thing.seed}") if labels else picture)
    return tile_pictures(pictures, columns)


def write_sheet(things: Sequence[Procedural], path: str, **options: object) -> None:
    """`contact_sheet` as a PNG file."""
    from PIL import Image

    Image.fromarray(contact_sheet(things, **options)).save(path, "PNG")
