"""Pairs of an object that is known by its states only: of a store, of an animated file, of an .npz motion."""

import hashlib

import numpy as np

from neurok.data.sample import MotionSample
from neurok.errors import InputError
from neurok.evaluate.pairs import PAIR_COUNT, Pair, make_plain_mesh, spans_bodies
from neurok.geometry.arrays import Array, Indices


def make_sampled_pairs(sample: MotionSample, name: str, category: str, *, seed: int = 0) -> list[Pair]:
    """First state to the one farthest from it, then three times one random state to another."""
    if sample.state_count < 2 or len(sample.faces) == 0:
        raise InputError(f"{name} has no two states of a surface", "leave it out")
    generator = np.random.default_rng([seed, seed_from_name(name)])
    states = [(0, _find_farthest_state(sample, 0))]
    states += [tuple(generator.choice(sample.state_count, 2, replace=False)) for _ in range(PAIR_COUNT - 1)]
    body = find_rigid_bodies(sample)
    faces = sample.faces.astype(np.int64)
    result = []
    for index, (a, b) in enumerate(states):
        before, after = sample.frame(a), sample.frame(b)
        made = make_plain_mesh(
            before, faces, sample.facts.up, np.random.default_rng([seed, seed_from_name(name), index])
        )
        of_face = None if body is None else body[faces[made.face, 0]]
        fused = None if of_face is None else spans_bodies(made.mesh, of_face)
        result.append(Pair(name, category, index, made.mesh, made.to_corners(after, faces), fused, body=of_face))
    return result


def seed_from_name(name: str) -> int:
    """A number of its own for a name, to seed its pairs."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def _find_farthest_state(sample: MotionSample, index: int) -> int:
    """The state in which the vertices are farthest from those of another (RMS)."""
    here = sample.frame(index)
    return int(np.argmax([((sample.frame(i) - here) ** 2).sum() for i in range(sample.state_count)]))


def find_rigid_bodies(sample: MotionSample) -> Indices | None:
    """A number per vertex, the same where rigid parts never move against each other, [n]; None where some bend."""
    if len(sample.moved) or sample.transforms.shape[1] == 0:
        return None
    T = sample.transforms.astype(np.float64)
    size = np.concatenate([np.ones(9), np.full(3, max(sample.diagonal, 1e-300))])
    flat = np.concatenate([T[..., :3].reshape(*T.shape[:2], 9), T[..., 3]], axis=2) / size
    body = _number_equal_rows(flat.transpose(1, 0, 2).reshape(T.shape[1], -1))
    return body[sample.link]


def _number_equal_rows(rows: Array) -> Indices:
    """The first row that each row equals but for rounding, [L]."""
    label = np.arange(len(rows))
    for i in range(1, len(rows)):
        same = np.abs(rows[:i] - rows[i]).max(axis=1) < 1e-5
        if same.any():
            label[i] = label[int(same.argmax())]
    return label
