"""Modes: motions of all handles by one coordinate each; those that say the same become one, the weakest go."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.handle_metric import HandleMetric
from neurok.kinematics.learned.observe import ObservedObject, RotatedView
from neurok.kinematics.learned.options import LearnedOptions
from neurok.networks.proposals import propose
from neurok.networks.shapes import handle_geometry


@dataclass(frozen=True)
class Modes:
    """k modes of h handles in the canonical place.

    twist: (v, w) about the origin of each handle per deviation, [h, k, 6]. extent: how far each coordinate goes below
    and above rest [deviations], [k, 2]. support: the share of the views that saw the mode, [k]; 0 for one that is only
    held possible. follows: how far each handle follows the one screw of a mode that was snapped to it, [h, k], zero
    where it was not. corrects: the mode whose axis each one corrects, -1 for none, [k].
    """

    twist: Array
    extent: Array
    support: Array
    follows: Array
    corrects: Indices

    @property
    def count(self) -> int:
        return self.twist.shape[1]

    def take(self, chosen: Mask | Indices | slice) -> "Modes":
        """Some of the modes, by a mask, by numbers or a slice; corrections keep the numbers they had."""
        return Modes(
            self.twist[:, chosen], self.extent[chosen], self.support[chosen], self.follows[:, chosen],
            self.corrects[chosen],
        )  # fmt: skip


def make_modes(twist: Array, extent: Array, support: Array) -> Modes:
    """Modes that were not snapped and correct nothing."""
    return Modes(twist, extent, support, np.zeros(twist.shape[:2]), np.full(twist.shape[1], -1))


def join_modes(*every: Modes) -> Modes:
    """All modes of several, one after another."""
    return Modes(
        np.concatenate([each.twist for each in every], axis=1), np.concatenate([each.extent for each in every]),
        np.concatenate([each.support for each in every]), np.concatenate([each.follows for each in every], axis=1),
        np.concatenate([each.corrects for each in every]),
    )  # fmt: skip


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
    far as all of them together. It goes as far to either side as they do, on average.
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
    kept = [i for i in order if size[i] > options.min_amplitude] or [order[0]]
    return make_modes(
        np.stack([twist[i] for i in kept], axis=1), np.array([extent[i] for i in kept]),
        np.array([support[i] for i in kept]),
    )  # fmt: skip


def add_possible_modes(observed: ObservedObject, seen: Modes, options: LearnedOptions) -> Modes:
    """The modes that the network is sure of, and, without any support, what it holds possible besides.

    What most views see is a mode. What one view alone sees, and what the votes say of parts that the network considers
    static, fill the coordinates that are left: always in a space for fits, otherwise where the sure modes move less
    than the unsure ones.
    """
    sure = seen.support >= options.min_support
    square = np.diag(np.asarray(observed.metric.products(seen.twist, seen.twist)))
    if not options.is_for_fits and square[sure].sum() > square[~sure].sum():
        return seen.take(sure)
    voted = [_vote_modes(view, options) for view in observed.views]
    voted_twist = np.concatenate(voted, axis=1) / np.sqrt(len(observed.views))
    others = np.concatenate([seen.twist[:, ~sure], voted_twist], axis=1)
    return complete_modes(seen.take(sure), others, observed.metric, options)


def complete_modes(modes: Modes, others: Array, metric: HandleMetric, options: LearnedOptions) -> Modes:
    """Modes, and besides them the directions in which others [h, n, 6] mostly go; at most `coordinate_count` in all.

    The others are independent draws: what they do beyond the modes has a covariance, of which the leading directions
    in the handle metric are taken.
    """
    first = modes.take(slice(options.coordinate_count))
    room = options.coordinate_count - first.count
    if room < 1 or others.shape[1] == 0:
        return first
    known, rest = np.asarray(metric.fields(first.twist)), np.asarray(metric.fields(others))
    span = np.linalg.qr(known / np.maximum(np.linalg.norm(known, axis=0), 1e-12))[0]
    U, size, _ = np.linalg.svd(rest - span @ (span.T @ rest), full_matrices=False)
    room = int(np.count_nonzero(size[:room] > options.min_amplitude))
    found = (U[:, :room] * size[:room]).reshape(len(others), 6, room)
    root = np.sqrt(np.asarray(metric.share))[:, None, None]
    twist = np.moveaxis(np.asarray(metric.inverse_factors()) @ (found / root), 2, 1)
    return join_modes(first, make_modes(twist, np.full((room, 2), options.possible_extent), np.zeros(room)))


def _vote_modes(view: RotatedView, options: LearnedOptions) -> Array:
    """Modes that the votes of one view propose if no part is considered static, [h, m, 6]."""
    unsure = replace(view.basis.votes, amplitude=view.basis.votes.amplitude.clamp_min(options.possible_amplitude))
    with torch.inference_mode():
        found = propose(unsure, handle_geometry(view.shapes), options.coordinate_count)
    return _turn_back(found.gate.sigmoid()[..., None] * found.screw[:, None], view)


def _turn_back(twist: Tensor, view: RotatedView) -> Array:
    """Twists [1, h, m, 6] of the turned object, of the object as it is, [h, m, 6]."""
    shape = twist.shape[1:3]
    return (twist[0].double().numpy().reshape(*shape, 2, 3) @ view.R).reshape(*shape, 6)
