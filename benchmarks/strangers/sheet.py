"""Pictures of what moves of files when nothing is dragged: python -m benchmarks.strangers.sheet OUT FILE [FILE ...]

Writes a strip for each file to the folder OUT: the object at rest, each part that moves in a colour of its own, then
states as `neurok sample` draws them; and all strips as one sheet, OUT/sheet.jpg. Under each is what was found.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import neurok
from neurok.articulate.painting import paint_links
from neurok.articulate.valid_states import draw_valid_states
from neurok.errors import InputError
from neurok.files.camera import Camera
from neurok.files.captions import caption_picture, tile_pictures
from neurok.files.renderer import Renderer
from neurok.geometry.mesh import Mesh
from neurok.mechanics.showing import show_states
from neurok.opening import choose_kinematics

DRAWS = 4
SIDE = 300  # pixels of a picture; a strip of the sheet is a third as wide
COLUMNS = 3  # of the sheet


def draw_strip(path: Path) -> NDArray[np.uint8]:
    """One file at rest and in some states, [h, w, 3]."""
    begin = time.perf_counter()
    asset = neurok.load(path)
    try:
        choice = choose_kinematics(asset)
    except InputError as fault:  # nothing is said to move
        return draw_shapes(asset.mesh, [asset.mesh.vertices], f"{path.stem}: {fault.problem}")
    space, joints = choice.space, getattr(choice.asset, "articulation", None)
    mesh = space.mesh
    if joints is not None:
        bare = replace(joints.mesh, attributes={}, corner_attributes={}, face_attributes={}, materials=(),
                       face_material=np.full(joints.mesh.face_count, -1))  # fmt: skip
        mesh = paint_links(replace(joints, mesh=bare)).mesh
    motion = show_states(space, draw_valid_states(space, DRAWS))
    shapes = [motion.mesh.vertices, *(motion.mesh_at(frame).vertices for frame in range(DRAWS))]
    seconds = time.perf_counter() - begin
    return draw_shapes(mesh, shapes, f"{path.stem}: {choice.why}, {seconds:.1f} s")


def draw_shapes(mesh: Mesh, shapes: list[NDArray], words: str) -> NDArray[np.uint8]:
    """Positions of a mesh in a row, seen from one place, over a line of words."""
    camera = Camera.framing(iter(shapes), mesh.up, 1.0, None)
    with Renderer(SIDE, SIDE) as renderer:
        pictures = [renderer.picture(mesh, shape, camera=camera) for shape in shapes]
    pictures += [np.full_like(pictures[0], 255)] * (1 + DRAWS - len(pictures))
    return caption_picture(np.concatenate(pictures, axis=1), words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    strips = []
    for path in asked.files:
        strip = draw_strip(path)
        Image.fromarray(strip).save(asked.out / f"{path.stem}.png")
        width, height = strip.shape[1] // 3, strip.shape[0] // 3
        strips.append(np.asarray(Image.fromarray(strip).resize((width, height), Image.Resampling.LANCZOS)))
        print(path.stem, flush=True)
    Image.fromarray(tile_pictures(strips, COLUMNS)).save(asked.out / "sheet.jpg", quality=70, optimize=True)


if __name__ == "__main__":
    main()
