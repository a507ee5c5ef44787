"""Modes: motions of all handles by one coordinate each; those that say the same become one, the weakest go."""

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.handle_metric import HandleMetric
from neurok.kinematics.learned.observe import ObservedObject, RotatedView
from neurok.kinematics.learned.options import LearnedOptions


@dataclass(frozen=True)
class Modes:
    """k modes of h handles in the canonical place.

    twist: (v, w) about the origin of each handle per deviation, [h, k, 6]. extent: how far each coordinate goes below
    and above rest [deviations], [k, 2]. support: the share of the views that saw the mode, [k]. follows: how far each
    handle follows the one screw of a mode that was snapped to it, [h, k], zero where it was not.
    """

    twist: Array
    extent: Array
    support: Array
    follows: Array

    @property
    def count(self) -> int:
        return self.twist.shape[1]

    def take(self, chosen: Mask | Indices | slice) -> "Modes":
        """Some of the modes, by a mask, by numbers or a slice."""
        return Modes(self.twist[:, chosen], self.extent[chosen], self.support[chosen], self.follows[:, chosen])


def make_modes(twist: Array, extent: Array, support: Array) -> Modes:
    """Modes that were not snapped."""
    return Modes(twist, extent, support, np.zeros(twist.shape[:2]))


def merge_views(observed: ObservedObject, options: LearnedOptions) -> Modes:
    """The distinct modes of all views; the network's chance errors average out in those that many views see."""
    share = len(observed.views)
    extent = np.concatenate([options.extent * view.basis.bounds[0].double().numpy() for view in observed.views])
    twist = np.concatenate([_turn_back(view.basis.twist, view) for view in observed.views], axis=1)
    every = make_modes(twist / np.sqrt(share), extent * np.sqrt(share), np.full(len(extent), 1.0 / share))
    return merge_modes(every, observed.metric, options)


def merge_modes(modes: Modes, metric: HandleMetric, options: LearnedOptions) -> Modes:
    """The distinct ones, the one that moves the surface most first.

    The states of modes that move alike add up as independent draws do: one mode along their leading direction, as
    far as all of them together. It goes as far to either side as they do, on average. What moves the surface by less
    than a hundredth of the first one is left out: nobody would see it.
    """
    twist, extent, support = list(np.moveaxis(modes.twist, 1, 0)), list(modes.extent), list(modes.support)
    gram = np.asarray(metric.products(modes.twist, modes.twist))
    while len(twist) > 1:
        size = np.sqrt(np.maximum(np.diag(gram), 1e-30))
        cosine = np.abs(gram) / np.outer(size, size)
        np.fill_diagonal(cosine, 0.0)
        i, j = (int(x) for x in np.unravel_index(cosine.argmax(), cosine.shape))
        if cosine[i, j] < options.merge_cosine:
            break
        _, vectors = np.linalg.eigh(gram[np.ix_([i, j], [i, j])])
        share = vectors[:, -1] * np.sign(vectors[np.abs(vectors[:, -1]).argmax(), -1])
        mix = np.eye(len(twist))
        mix[i, [i, j]] = share
        mix = np.delete(mix, j, axis=0)
        gram = mix @ gram @ mix.T
        row = i - (j < i)
        # A mode that counts with its sign reversed is turned round; far is how far the surface goes, not the state.
        far = [(e[::-1] if c < 0 else e) * d for e, c, d in zip((extent[i], extent[j]), share, size[[i, j]])]
        extent[i] = (share[0] ** 2 * far[0] + share[1] ** 2 * far[1]) / np.sqrt(gram[row, row])
        support[i] = support[i] + support[j]
        twist[i] = share[0] * twist[i] + share[1] * twist[j]
        for each in (twist, extent, support):
            del each[j]
    size = np.sqrt(np.maximum(np.diag(gram), 0.0))
    order = np.argsort(-size, kind="stable")
    kept = [i for i in order if size[i] > options.tolerance**2 * size[order[0]]] or [order[0]]
    return make_modes(
        np.stack([twist[i] for i in kept], axis=1), np.array([extent[i] for i in kept]),
        np.array([support[i] for i in kept]),
    )  # fmt: skip


def choose_sure_modes(seen: Modes, options: LearnedOptions) -> Modes:
    """The modes that enough views see, at most `coordinate_count`; of all that was seen where none is."""
    sure = seen.support >= options.min_support
    return seen.take(sure if sure.any() else slice(None)).take(slice(options.coordinate_count))


def _turn_back(twist: Tensor, view: RotatedView) -> Array:
    """Twists [1, h, m, 6] of the turned object, of the object as it is, [h, m, 6]."""
    shape = twist.shape[1:3]
    return (twist[0].double().numpy().reshape(*shape, 2, 3) @ view.R).reshape(*shape, 6)
