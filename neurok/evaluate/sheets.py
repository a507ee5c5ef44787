"""Pictures of what methods made of pairs: state a, target and prediction of the best, the median and the worst."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neurok.evaluate.deformation import to_corners
from neurok.evaluate.loop import Measured
from neurok.evaluate.method import MethodRow
from neurok.evaluate.objects import Entry, read_pairs
from neurok.evaluate.pairs import Pair, unweld_corners
from neurok.evaluate.results import PairResult
from neurok.evaluate.targets import make_target
from neurok.geometry.arrays import Array

if TYPE_CHECKING:
    from neurok.files.renderer import Renderer

SIDE, GAP = 300, 24  # pixels of a picture, and between three that belong together and the next
Picture = NDArray[np.uint8]


def draw_sheet(found: Measured[PairResult], row: MethodRow) -> Picture | None:
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
    from neurok.files.captions import tile_pictures
    from neurok.files.renderer import Renderer

    again = _Repeated(row, {entry.name: entry for entry in found.entries}, found.settings["seed"])
    with Renderer(SIDE, SIDE) as renderer:
        return tile_pictures([_draw_triple(again, label, result, renderer) for label, result in chosen], 3)


class _Repeated:
    """A row's predictions made once more, to be looked at: each object is read once, each pair's space made once."""

    def __init__(self, row: MethodRow, entries: dict[str, Entry], seed: int) -> None:
        self.method, self.entries, self.seed = row.make_method(), entries, seed
        self.pairs: dict[str, list[Pair]] = {}
        self.spaces: dict[tuple[str, int], Any] = {}

    def fit_again(self, result: PairResult) -> tuple[Pair, Array]:
        """The pair of a result, and what the method makes of it, [m, 3, 3]."""
        method, name = self.method, result.object
        if name not in self.pairs:
            self.pairs[name] = read_pairs(self.entries[name], seed=self.seed)
        pair = self.pairs[name][result.pair]
        if (name, result.pair) not in self.spaces:
            self.spaces[name, result.pair] = method.make_space(pair.mesh, pair.truth if method.sees_truth else None)
        space = self.spaces[name, result.pair]
        return pair, to_corners(pair, method, method.fit(space, make_target(pair, result.target, self.seed)))


def _draw_triple(again: _Repeated, label: str, result: PairResult, renderer: "Renderer") -> Picture:
    """State a, target and prediction beside each other, and a gap before the next, [h, w, 3]."""
    from neurok.files.camera import Camera
    from neurok.files.captions import caption_picture

    pair, found = again.fit_again(result)
    shapes = [pair.rest, pair.target, found]
    # What has flown apart must not make the camera step back until nothing is seen.
    camera = Camera.framing([_centre_corners(s) for s in shapes], pair.mesh.up, 1.0)
    captions = [f"{result.object}, pair {result.pair}", f"{result.target}: target",
                f"{label}: {result.figures['motion_recovered']:.2f}"]  # fmt: skip
    pictures = [
        caption_picture(renderer.picture(unweld_corners(s, pair.mesh.up), camera=camera), c)
        for s, c in zip(shapes, captions)
    ]
    return np.concatenate([*pictures, np.full_like(pictures[0][:, :GAP], 255)], axis=1)


def _centre_corners(corners: Array) -> Array:
    return np.clip(corners.reshape(-1, 3), -1.5, 1.5)
