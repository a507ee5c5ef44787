"""Pictures of real objects to measure on: renders of PartNet-Mobility objects and of scans with their textures.

    python -m neurok.training.pictures.real DATA OUT

An example's kind is the category that its source states; `list_right_kinds` says which of ours are right for it.
"""

import argparse
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from neurok.files.camera import CameraView
from neurok.files.registry import load
from neurok.files.renderer import Renderer
from neurok.generate.kinds import index_names
from neurok.geometry.arrays import Mask
from neurok.geometry.mesh import Mesh
from neurok.training.pictures.examples import (
    PICTURE_SIDE,
    VIEW_COUNT,
    PictureExample,
    draw_cutout,
    draw_view,
    save_example,
)

PARTNET_FRONT = -90.0  # [degrees] that the front of its objects lies to the right of that of ours
SCAN_FRONT = 0.0
# What PartNet calls things that have another name in everyday English.
CHAIRS = ("chair_cushion", "folding_chair", "office_chair")  # our programs have no chair as such
EVERYDAY_NAMES = {"StorageFurniture": "cabinet", "KitchenPot": "pot", "USB": "usb stick"}


def list_right_kinds(category: str) -> tuple[str, ...]:
    """Our kinds that go by the name of a category; none where there is no program for it."""
    name = EVERYDAY_NAMES.get(category, re.sub(r"(?<=[a-z])(?=[A-Z])", " ", category)).lower()
    return CHAIRS if name == "chair" else tuple(index_names().get(name, ()))


def mark_right(categories: Sequence[str], kinds: Sequence[str]) -> Mask:
    """Which kinds are right for pictures of some kinds of ours or categories, [n, k]."""
    right = np.zeros((len(categories), len(kinds)), dtype=bool)
    for row, category in enumerate(categories):
        for each in (category,) if category in kinds else list_right_kinds(category):
            right[row, kinds.index(each)] = True
    return right


def list_objects(data: Path) -> Iterator[tuple[str, str, str, Path]]:
    """Split, category, name and file of all real objects."""
    index = json.loads((data / "index.json").read_text(encoding="utf-8"))
    for split, entries in index["partnet_mobility"].items():
        for entry in entries:
            yield split, entry["category"], entry["id"], data / "partnet_mobility" / entry["id"] / "mobility.urdf"
    for entry in index["scans"]:
        yield "scans", entry["object"], Path(entry["file"]).stem, data / "scans" / entry["file"]


def draw_real(mesh: Mesh, category: str, name: str, front: float, renderer: Renderer) -> PictureExample:
    """A mesh in VIEW_COUNT pictures, as `draw_example` makes them."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    pictures, views = [], []
    for _ in range(VIEW_COUNT):
        view = draw_view(rng)
        turned = CameraView((view.azimuth or 0.0) + front, view.elevation, view.opening, view.margin)
        pictures.append(draw_cutout(renderer, mesh, turned, rng))
        views.append((view.azimuth or 0.0, view.elevation))
    extents = np.ptp(mesh.vertices, axis=0)
    return PictureExample(category, zlib.crc32(name.encode()), np.stack(pictures), np.array(views), (), extents)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    chosen = parser.parse_args()
    with Renderer(PICTURE_SIDE, PICTURE_SIDE) as renderer:
        for split, category, name, file in list_objects(chosen.data):
            path = chosen.out / split / f"{name}.npz"
            if path.exists():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            asset = load(file)
            mesh = asset.mesh if asset.articulation is None else asset.articulation.mesh
            front = SCAN_FRONT if split == "scans" else PARTNET_FRONT
            save_example(draw_real(mesh, category, name, front, renderer), path)
            print(split, category, name, flush=True)


if __name__ == "__main__":
    main()
