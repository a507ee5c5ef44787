"""Pictures of what methods made of pairs: state a, target and prediction of the best, the median and the worst."""

import numpy as np
from numpy.typing import NDArray

from neurok.evaluate.deformation import Evaluation, corners_of
from neurok.evaluate.method import Row
from neurok.evaluate.objects import Entry, pairs_of
from neurok.evaluate.pairs import torn
from neurok.evaluate.results import Result
from neurok.evaluate.targets import target_of
from neurok.geometry.mesh import Array

SIDE = 300  # pixels of a picture
Picture = NDArray[np.uint8]


def sheet(found: Evaluation, row: Row) -> Picture | None:
    """State a, target and prediction of the best, the median and the worst pair, for each target, [h, w, 3]."""
    if row.method == "still":
        return None
    chosen = []
    for target in found.settings["targets"]:
        mine = [r for r in found.results if (r.method, r.target) == (row.name, target) and r.figures["moves"]]
        mine.sort(key=lambda r: -r.figures["motion_recovered"])
        chosen += [("best", mine[0]), ("median", mine[len(mine) // 2]), ("worst", mine[-1])] if mine else []
    if not chosen:
        return None
    from neurok.files.pictures import tiled

    entries = {entry.name: entry for entry in found.entries}
    seed = found.settings["seed"]
    return tiled([p for label, r in chosen for p in _pictures(row, entries[r.object], label, r, seed)], 9)


def _pictures(row: Row, entry: Entry, label: str, result: Result, seed: int) -> list[Picture]:
    from neurok.files.camera import Camera
    from neurok.files.pictures import captioned
    from neurok.files.renderer import Renderer

    pair, method = pairs_of(entry, seed=seed)[result.pair], row.make()
    space = method.space(pair.mesh, pair.truth if method.sees_truth else None)
    found = corners_of(pair, method, method.fit(space, target_of(pair, result.target, seed)))
    shapes = [pair.rest, pair.target, found]
    # What has flown apart must not make the camera step back until nothing is seen.
    camera = Camera.framing([_near(s) for s in shapes], pair.mesh.up, 1.0)
    captions = [f"{result.object}, pair {result.pair}", f"{result.target}: target",
                f"{label}: {result.figures['motion_recovered']:.2f}"]  # fmt: skip
    with Renderer(SIDE, SIDE) as renderer:
        return [captioned(renderer.picture(torn(s, pair.mesh.up), camera=camera), c) for s, c in zip(shapes, captions)]


def _near(corners: Array) -> Array:
    return np.clip(corners.reshape(-1, 3), -1.5, 1.5)
